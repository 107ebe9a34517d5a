"""Hyperplanes of R^d, the two half-spaces of each, and how to make them homogeneous."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass, fields
from typing import final

import numpy as np
from scipy import sparse

from certo.facts import InputError
from certo.words import points as sentences


class ArrayValue:
    """What a frozen dataclass with arrays in it needs to be a value: equality and hash by
    contents, and copies and pickles that are made, and checked, by the constructor."""

    def _contents(self) -> tuple:
        return tuple(getattr(self, field.name) for field in fields(self))  # type: ignore[arg-type]

    def _key(self) -> tuple:
        return tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in self._contents())

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._key() == self._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple:
        return type(self), self._contents()


@final
@dataclass(frozen=True, eq=False, repr=False)
class Hyperplane(ArrayValue):
    """S(v, c), an oriented hyperplane.

    Definition    S(v, c) = {x : v·x = c}, v ≠ 0
    Half-spaces   S⁺ = {x : v·x ≥ c} and S⁻ = {x : v·x < c}: together they are all of R^d
    Classifier    h(x) = sgn(v·x − c), sgn(0) = +1
    Homogeneous   c = 0. `lifted` makes it so in R^(d+1), on points (x, 1)

    Points are the rows of a dense or sparse X; a 1-D X is one point, and gets one answer.

    >>> line = Hyperplane([3.0, 4.0], 10.0)
    >>> line.side([[0.0, 0.0], [2.0, 1.0], [2.0, 2.0]])
    array([-1,  1,  1])
    >>> line.distance_from_origin
    2.0
    """

    v: np.ndarray
    c: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "v", vector("Hyperplane: v", self.v))
        object.__setattr__(self, "c", number("Hyperplane: c", self.c))
        if not self.v.any():
            raise InputError(sentences.no_direction, self.v.size)

    def __repr__(self) -> str:
        return f"Hyperplane(v={short(self.v)}, c={self.c!r})"

    def score(self, X):
        """v·x − c for each point."""
        return inner(X, self.v) - self.c

    def __call__(self, X):
        """The score: S(v, c) is where this function is zero."""
        return self.score(X)

    def side(self, X, zero_sign: int = +1):
        """sgn(v·x − c) for each point; `zero_sign` is the side of the points on S itself."""
        return sgn(self.score(X), zero_sign)

    def positive(self, X):
        """Which points lie in the half-space S⁺."""
        return self.score(X) >= 0.0

    def negative(self, X):
        """Which points lie in the half-space S⁻."""
        return self.score(X) < 0.0

    def signed_distance(self, X):
        """(v·x − c)/‖v‖ for each point."""
        v, c, norm = self._scaled()
        return (inner(X, v) - c) / norm

    @property
    def unit_normal(self) -> np.ndarray:
        """v/‖v‖."""
        v, _, norm = self._scaled()
        return v / norm

    @property
    def distance_from_origin(self) -> float:
        """c/‖v‖: how far S is from the origin, positive if v points from there to S."""
        _, c, norm = self._scaled()
        return c / norm

    def margin(self, X, y) -> float:
        """γ = min y·(v·x − c): positive exactly when S separates the examples."""
        return _least(y, self.score(X))

    def geometric_margin(self, X, y) -> float:
        """γ/‖v‖: the distance from S of the example nearest to it, negative if one is wrong."""
        return _least(y, self.signed_distance(X))

    def lifted(self) -> Hyperplane:
        """The homogeneous S((v, −c), 0) of R^(d+1): `lifted().score(lift(X))` is `score(X)`."""
        return Hyperplane(np.append(self.v, -self.c))

    @classmethod
    def unlifted(cls, w) -> Hyperplane:
        """The hyperplane of R^d whose lifted vector is w: S(w₁…w_d, −w_{d+1})."""
        w = vector("Hyperplane.unlifted: w", w)
        if w.size < 2:
            raise ValueError("Hyperplane.unlifted: w needs d + 1 ≥ 2 entries, but it has only 1.")
        return cls(w[:-1], -w[-1])

    def _scaled(self) -> tuple[np.ndarray, float, float]:
        """v/s, c/s and ‖v/s‖, with s a power of 2 near max|vᵢ|: no norm can overflow or vanish,
        and, as s only moves exponents, distances have the signs of scores, short of underflow."""
        exponent = math.frexp(float(np.abs(self.v).max()))[1]
        v = np.ldexp(self.v, -exponent)
        with np.errstate(over="ignore"):  # A distance too large for a float is inf.
            c = float(np.ldexp(self.c, -exponent))
        return v, c, float(np.linalg.norm(v))


def lift(X):
    """X with the feature 1 appended to every point; dense or CSR, as X is."""
    if sparse.issparse(X):
        csr = sparse.csr_array if isinstance(X, sparse.sparray) else sparse.csr_matrix
        return sparse.hstack([X, csr(np.ones((X.shape[0], 1), X.dtype))], format="csr")
    X = dense(X)
    return np.concatenate([X, np.ones((*X.shape[:-1], 1), X.dtype)], axis=-1)


def sgn(score, zero_sign: int = +1):
    """+1 above zero, −1 below, `zero_sign` at zero."""
    if zero_sign not in (-1, +1):
        raise ValueError(f"zero_sign must be -1 or +1, got {zero_sign!r}.")
    return np.where(score > 0.0, 1, np.where(score < 0.0, -1, zero_sign))[()]


def inner(X, v: np.ndarray):
    """x·v for each point x of X, dense or sparse: a NaN is an error here, not an answer."""
    if not sparse.issparse(X):
        X = dense(X)
    if X.ndim not in (1, 2) or X.shape[-1] != v.size:
        raise InputError(sentences.other_points, v.size, X.shape)
    with np.errstate(over="ignore", invalid="ignore"):
        products = X @ v
    if np.isnan(products).any():
        row = int(np.flatnonzero(np.isnan(products))[0])
        raise InputError(sentences.no_product, row)
    return products


def dense(X) -> np.ndarray:
    X = np.asarray(X)
    return X if X.dtype.kind in "iuf" else X.astype(np.float64)


def vector(what: str, values) -> np.ndarray:
    """`values` as a read-only float64 vector of its own, finite, with 0.0 for −0.0."""
    v = np.array(values)
    if v.dtype.kind not in "iuf" or v.ndim != 1 or v.size == 0:
        raise InputError(sentences.no_axis, what, v.dtype, v.shape)
    v = v.astype(np.float64) + 0.0
    if not np.isfinite(v).all():
        i = int(np.flatnonzero(~np.isfinite(v))[0])
        raise InputError(sentences.no_finite_entry, what, i, v[i])
    v.flags.writeable = False
    return v


def number(what: str, value) -> float:
    """`value` as a finite float, with 0.0 for −0.0."""
    x = np.asarray(value)
    if x.dtype.kind not in "iuf" or x.ndim != 0 or not np.isfinite(x):
        raise ValueError(f"{what} must be one finite number, got {value!r}.")
    return float(x) + 0.0


def short(v: np.ndarray) -> str:
    return reprlib.repr(v[:7].tolist())


def _least(y, values) -> float:
    y = np.asarray(y)
    if y.shape != np.shape(values) or y.size == 0:
        raise InputError(sentences.no_labels, np.shape(values), y.shape)
    if not np.isin(y, (-1, 1)).all():
        raise ValueError("y must be -1 or +1. If the labels are 0 and 1, pass 2*y - 1.")
    return float(np.min(y.astype(np.float64) * values))
