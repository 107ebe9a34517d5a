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


def check_costs(certificate: Any, sample: Sample) -> None:
    """Each example has a weight, or none has."""
    weights = certificate.sample_weight
    require(
        weights.size in (0, sample.m),
        f"there are {weights.size:,} weights for {sample.m:,} examples.",
    )
