"""New kernels from old: sums, products, positive multiples, cosines."""

from __future__ import annotations

import abc
import functools
import math
import operator
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from certo.kernels.base import Kernel, number
from certo.kernels.function import Function
from certo.numbers.rounding import OVERFLOW_LIMIT, TINY, ULPS, UNBOUNDED, Rounding, gamma

MAX_KERNEL_PARTS = 500
STRIP_FACTORS = 2**16  # Divisors that are computed at once.
# Inverse roots are divided by this where their product would overflow.
INVERSE_ROOT_SCALE = 2.0**64


class _Composed(Kernel):
    """Kernels made of others: points are as the parts take them."""

    @property
    @abc.abstractmethod
    def parts_(self) -> tuple[Kernel, ...]: ...

    @property
    def takes(self) -> str:  # type: ignore[override]
        kinds = {part.takes for part in self.parts_}
        return "vectors" if "vectors" in kinds else kinds.pop()

    mirrored = property(lambda self: all(part.mirrored for part in self.parts_))
    slow = property(lambda self: any(part.slow for part in self.parts_))
    by_pair = property(lambda self: all(part.by_pair for part in self.parts_))
    by_length = property(lambda self: all(part.by_length for part in self.parts_))

    @property
    def _chief(self) -> Kernel:
        """The part that says what points look like: a function takes them as they come."""
        fitting = [part for part in self.parts_ if part.takes == self.takes]
        return next((part for part in fitting if not isinstance(part, Function)), fitting[0])

    def examples(self, X):
        return self._chief.examples(X)

    def centres(self, Z):
        return self._chief.centres(Z)

    def points(self, X, rows):
        return self._chief.points(X, rows)

    def take(self, X, rows):
        return self._chief.take(X, rows)


class _Valuewise(_Composed):
    """Values that follow from those of the parts, one by one."""

    @abc.abstractmethod
    def _combined(self, values: Iterator[np.ndarray]) -> np.ndarray:
        """The values of this kernel from those of its parts, which it may overwrite."""

    def plain(self, X, Z):
        return self._combined(part.plain(X, Z) for part in self.parts_)

    def _block(self, X, Z):
        return self._combined(part._block(X, Z) for part in self.parts_)

    def diagonal(self, X):
        return self._combined(part.diagonal(X) for part in self.parts_)


@dataclass(frozen=True)
class _Several(_Valuewise):
    parts: tuple[Kernel, ...]

    def __post_init__(self):
        name = type(self).__name__
        if not isinstance(self.parts, Iterable):
            raise ValueError(f"the parts of a {name} must be a list of kernels.")
        parts: list[Kernel] = []
        for part in self.parts:  # A part of the same kind is flattened.
            parts.extend(part.parts if isinstance(part, type(self)) else [part])
        object.__setattr__(self, "parts", tuple(parts))
        strange = [part for part in parts if not isinstance(part, Kernel)]
        if strange:
            raise ValueError(f"{name} takes kernels, got {type(strange[0]).__name__}.")
        if not 2 <= len(parts) <= MAX_KERNEL_PARTS:
            raise ValueError(
                f"{name} takes from 2 to {MAX_KERNEL_PARTS} kernels, got {len(parts)}."
            )
        if len({part.takes == "matrix" for part in parts}) > 1:
            raise ValueError(
                f"a precomputed kernel and a kernel of points cannot form a {name}: compute the "
                "Gram matrix of the other one, and combine the two matrices."
            )

    @property
    def parts_(self):
        return self.parts

    def fitted_to(self, X):
        return replace(self, parts=tuple(part.fitted_to(X) for part in self.parts))


@final
@dataclass(frozen=True, repr=False)
class Sum(_Several):
    """K₁ + K₂ + …: the feature spaces side by side.

    >>> from certo.kernels import Gaussian, Linear
    >>> Linear() + Gaussian(variance=2.0)
    Linear() + Gaussian(variance=2.0)
    """

    def _combined(self, values):
        return functools.reduce(operator.iadd, values)

    def rounding(self, X, Z):
        """Let p parts have bounds ε_k, a_k, and s_k = √K_k(x,x)·√K_k(z,z). The errors add up to
        Σ ε_k s_k + Σ a_k ≤ (max ε_k)·Σ s_k + Σ a_k, and Σ s_k ≤ √K(x,x)·√K(z,z) by Cauchy–Schwarz;
        p − 1 additions of values that are at most (1 + ε_k)·s_k + a_k add γ_p of that.
        Nothing is known once a value overflows."""
        if not sum(_greatest(part, X, Z) for part in self.parts) < OVERFLOW_LIMIT:
            return UNBOUNDED
        bounds = [part.rounding(X, Z) for part in self.parts]
        worst, grow = max(b.relative for b in bounds), gamma(len(bounds))
        absolute = 2.0 * sum(b.absolute for b in bounds)
        return Rounding(1.01 * (worst + grow * (1.0 + worst)), absolute)

    def __repr__(self):
        return " + ".join(map(repr, self.parts))


@final
@dataclass(frozen=True, repr=False)
class Product(_Several):
    """K₁·K₂·…: the tensor product of the feature spaces, positive semi-definite by Schur.

    >>> from certo.kernels import Gaussian, Polynomial
    >>> Polynomial(2) * Gaussian(variance=2.0)
    Polynomial(degree=2, scale=1.0, offset=1.0) * Gaussian(variance=2.0)
    """

    def _combined(self, values):
        return functools.reduce(operator.imul, values)

    def rounding(self, X, Z):
        """Let p parts have bounds ε_k, a_k, and |K_k| ≤ s_k = √K_k(x,x)·√K_k(z,z) ≤ S_k. The
        product of the computed values is within Π((1 + ε_k)·s_k + a_k) − Π s_k of the true one.
        What has no a_k in it is at most (Π(1 + ε_k) − 1)·Π s_k. Of the rest, terms with a_k number
        at most 2^(p−1), and each is at most 2·a_k·Π_{l≠k} max(S_l, 1), as long as Π(1 + ε_l) ≤ 2
        and a_l ≤ 1. Rounding of the products adds γ_p, and their underflow 2⁻¹⁰⁷⁴ each, times what
        follows. Nothing is known once a value overflows."""
        bounds = [part.rounding(X, Z) for part in self.parts]
        sizes = [max(1.0, _greatest(part, X, Z)) for part in self.parts]
        p, size = len(bounds), math.prod(sizes)
        grow = math.expm1(sum(math.log1p(b.relative) for b in bounds)) + gamma(p)
        if not (size < OVERFLOW_LIMIT and grow < 0.5 and max(b.absolute for b in bounds) <= 1.0):
            return UNBOUNDED
        hidden = sum(b.absolute / part for b, part in zip(bounds, sizes, strict=True))
        return Rounding(1.01 * grow, 2.0**p * size * (hidden + TINY))

    def __repr__(self):
        first, *others = self.parts  # 2·K·L is (2·K)·L already.
        return " * ".join(
            [f"({first!r})" if isinstance(first, Sum) else repr(first)]
            + [f"({part!r})" if isinstance(part, Sum | Scaled) else repr(part) for part in others]
        )


@dataclass(frozen=True)
class _Single(_Composed):
    kernel: Kernel

    def __post_init__(self):
        if not isinstance(self.kernel, Kernel):
            name, came = type(self).__name__, type(self.kernel).__name__
            raise ValueError(f"{name} takes a kernel, got {came}.")

    @property
    def parts_(self):
        return (self.kernel,)

    def fitted_to(self, X):
        return replace(self, kernel=self.kernel.fitted_to(X))


@final
@dataclass(frozen=True, repr=False)
class Scaled(_Valuewise, _Single):
    """factor·K, for a positive factor.

    >>> from certo.kernels import Linear
    >>> 3 * Linear()
    3.0 * Linear()
    """

    factor: float

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "factor", number(self.factor, "the factor of a kernel"))

    @classmethod
    def of(cls, kernel: Kernel, factor: float) -> Scaled:
        factor = number(factor, "the factor of a kernel")
        if isinstance(kernel, Scaled):
            return cls(kernel.kernel, kernel.factor * factor)
        return cls(kernel, factor)

    def _combined(self, values):
        (block,) = values
        block *= self.factor
        return block

    def rounding(self, X, Z):
        """Both sides grow by the factor, and one product rounds. Nothing is known once a value
        overflows."""
        if not self.factor * _greatest(self.kernel, X, Z) < OVERFLOW_LIMIT:
            return UNBOUNDED
        relative, absolute = self.kernel.rounding(X, Z)
        return Rounding(1.01 * (relative + gamma(1)), self.factor * (2.0 * absolute) + TINY)

    def __repr__(self):
        inner = f"({self.kernel!r})" if isinstance(self.kernel, _Several) else repr(self.kernel)
        return f"{self.factor!r} * {inner}"


@final
@dataclass(frozen=True, repr=False)
class Normalised(_Single):
    """K(x, z)/√(K(x,x)·K(z,z)): the cosine of the two images; 0 where an image is 0.

    >>> from certo.kernels import Linear
    >>> Linear().normalised()([[3.0, 4.0]], [[0.0, 2.0]])
    array([[0.8]])
    """

    def __post_init__(self):
        super().__post_init__()
        if self.kernel.takes == "matrix":
            raise ValueError(
                "a precomputed kernel cannot be normalised, since a row does not know its own "
                "K(x, x): normalise the matrix, K / np.sqrt(np.outer(d, d)) with d = np.diag(K)."
            )

    by_pair = False  # NumPy may add up K(x, x) in another order beside others.
    by_length = False  # The shortest of vectors enters its `rounding`.

    def normalised(self) -> Kernel:
        return self

    def plain(self, X, Z):
        return _divided(self.kernel.plain(X, Z), self.kernel.diagonal(X), self.kernel.diagonal(Z))

    def _block(self, X, Z):
        if getattr(X, "dtype", None) == getattr(Z, "dtype", None) == np.float32:
            return self.plain(X, Z).astype(np.float32)  # K(x, x) may be beyond float32
        block = self.kernel._block(X, Z)
        return _divided(block, self.kernel._diagonal(X), self.kernel._diagonal(Z))

    def diagonal(self, X):
        """1, or 0 for an image of 0; NaN where K(x, x) overflows, and so does what is divided."""
        squares = self.kernel.diagonal(X)
        return np.where(np.isfinite(squares), squares > 0, np.nan)

    def rounding(self, X, Z):
        """With bounds ε, a of K and r the least K(x,x) other than 0: K(x, z)/(s·s') is computed
        from a numerator within (ε + a/r)·s·s' and from two roots, each within ε + a/r of the truth,
        half of which passes through the root, and a few units of the last place. That pays for
        underflow too, since an image has length 1, or is 0 and its values are 0 exactly."""
        relative, absolute = self.kernel.rounding(X, Z)
        with np.errstate(over="ignore", invalid="ignore"):
            diagonals = np.concatenate([self.kernel.diagonal(X), self.kernel.diagonal(Z)])
        if not np.all(diagonals < OVERFLOW_LIMIT):
            return UNBOUNDED
        least = np.min(diagonals, where=diagonals != 0.0, initial=math.inf)
        relative += 2.0 * absolute / least
        # A computed 0 is an image of 0 or has underflown.
        underflown = absolute > 0 and np.any(diagonals == 0.0)
        if not relative < 0.01 or least < 0 or underflown:
            return UNBOUNDED
        return Rounding(float(2.1 * relative + 4.0 * ULPS), 0.0)

    def __repr__(self):
        inner = f"({self.kernel!r})" if isinstance(self.kernel, _Composed) else repr(self.kernel)
        return f"{inner}.normalised()"


def _divided(block: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Entries divided by the roots of both; what was symmetric stays so to the last digit."""
    left, right = _inverse_roots(left), _inverse_roots(right)
    step = max(1, STRIP_FACTORS // max(1, right.size))
    for start in range(0, left.size, step):
        some = slice(start, start + step)
        with np.errstate(over="ignore"):
            factors = left[some, None] * right
        if not np.all(np.isfinite(factors)):  # Entries of very short images are subnormal.
            far = np.isinf(factors)
            scaled = (left[some, None] / INVERSE_ROOT_SCALE) * (right / INVERSE_ROOT_SCALE)
            factors[far] = scaled[far]
            block[some][far] *= INVERSE_ROOT_SCALE**2  # Powers of two do not round.
        block[some] *= factors
    return block


def _inverse_roots(diagonal: np.ndarray) -> np.ndarray:
    roots = np.sqrt(np.maximum(diagonal, 0.0))
    return np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 0)


def _greatest(kernel: Kernel, X, Z) -> float:
    """What no K(x, x), K(z, z) and hence no |K(x, z)| exceeds, up to rounding: of a matrix its
    largest entry; infinite if one may have overflowed."""
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.takes == "matrix":
            values = np.abs(kernel.plain(X, Z))
        else:
            values = np.concatenate([kernel.diagonal(X), kernel.diagonal(Z)])
    greatest = float(np.max(values, initial=0.0))
    return greatest if greatest < OVERFLOW_LIMIT else math.inf
