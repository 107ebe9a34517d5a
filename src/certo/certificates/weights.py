"""Checks that every claim about a hyperplane shares."""

from __future__ import annotations

import numpy as np

from certo.certificates.base import require
from certo.certificates.sample import Sample


def finite_vector(values, name: str) -> np.ndarray:
    """A read-only float64 copy, or a ValueError."""
    vector = np.array(values, dtype=np.float64)
    if vector.ndim != 1 or not np.all(np.isfinite(vector)):
        raise ValueError(f"{name} must be a list of finite numbers.")
    vector.flags.writeable = False
    return vector


def index_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy of strictly increasing indices, or a ValueError."""
    vector = np.array(values)
    if vector.size == 0:
        vector = vector.astype(np.int64)
    if vector.ndim != 1 or vector.dtype.kind not in "iu" or np.any(np.diff(vector) <= 0):
        raise ValueError(f"{name} must be a strictly increasing list of whole numbers.")
    if vector.size and vector[0] < 0:
        raise ValueError(f"{name} must not be negative, got {vector[0]}.")
    vector = vector.astype(np.int64)
    vector.flags.writeable = False
    return vector


def check_weights(certificate, sample: Sample) -> None:
    """The claim is about this many examples and features."""
    require(
        sample.m == certificate.examples,
        f"the claim is about {certificate.examples:,} examples, but X has {sample.m:,} rows.",
    )
    require(
        sample.d == certificate.coef.size,
        f"the claim is about {certificate.coef.size:,} features, but X has {sample.d:,} columns.",
    )
