"""Whether X and y have the shape that a claim speaks of."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates.base import require
from certo.certificates.sample.examples import Sample


def check_examples(certificate: Any, m: int) -> None:
    """The claim is about so many examples."""
    require(
        m == certificate.examples,
        f"the claim is about {certificate.examples:,} examples, but there are {m:,}.",
    )


def check_features(coef: np.ndarray, sample: Sample) -> None:
    """There is a weight for each feature, in each row of weights."""
    require(
        sample.d == coef.shape[-1],
        f"the claim is about {coef.shape[-1]:,} features, but X has {sample.d:,} columns.",
    )


def check_weights(certificate: Any, sample: Sample) -> None:
    """The claim is about this many examples and features."""
    check_examples(certificate, sample.m)
    check_features(certificate.coef, sample)


def check_costs(certificate: Any, sample: Sample) -> None:
    """Each example has a weight, or none has."""
    weights = certificate.sample_weight
    require(
        weights.size in (0, sample.m),
        f"there are {weights.size:,} weights for {sample.m:,} examples.",
    )
