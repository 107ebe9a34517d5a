"""Checks that every claim about a hyperplane shares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from certo.certificates.base import Refuted, require
from certo.certificates.margins import Margins
from certo.certificates.sample import Sample


def finite_vector(values, name: str) -> np.ndarray:
    """A read-only float64 copy, or a ValueError."""
    vector = np.array(values, dtype=np.float64)
    if vector.ndim != 1 or not np.all(np.isfinite(vector)):
        raise ValueError(f"{name} must be a list of finite numbers.")
    vector.flags.writeable = False
    return vector


def whole_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy, or a ValueError."""
    given = np.asarray(values)
    if given.size == 0:
        given = given.astype(np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu" or np.any(given > np.iinfo(np.int64).max):
        raise ValueError(f"{name} must be a list of whole numbers.")
    vector = given.astype(np.int64)
    vector.flags.writeable = False
    return vector


def index_vector(values, name: str) -> np.ndarray:
    """A read-only int64 copy of strictly increasing indices, or a ValueError."""
    vector = whole_vector(values, name)
    if np.any(vector[1:] <= vector[:-1]) or np.any(vector[:1] < 0):
        raise ValueError(f"{name} must be strictly increasing indices, from 0 on.")
    return vector


def check_distance(margins: Margins, distance: float, extra: Fraction = Fraction(0)) -> None:
    """No example is nearer to the hyperplane than that (see `Margins.nearer_than`)."""
    try:
        near = margins.nearer_than(distance, extra)
    except ValueError as no_direction:
        raise Refuted(str(no_direction)) from no_direction
    require(near is None, f"example {near} is nearer to the hyperplane than {distance!r}.")


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
