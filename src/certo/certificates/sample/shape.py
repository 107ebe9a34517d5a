"""Whether X and y have the shape that a claim speaks of."""

from __future__ import annotations

from typing import Any

from certo.certificates.base import require
from certo.certificates.sample.examples import Sample


def check_weights(certificate: Any, sample: Sample) -> None:
    """The claim is about this many examples and features."""
    require(
        sample.m == certificate.examples,
        f"the claim is about {certificate.examples:,} examples, but X has {sample.m:,} rows.",
    )
    require(
        sample.d == certificate.coef.size,
        f"the claim is about {certificate.coef.size:,} features, but X has {sample.d:,} columns.",
    )
