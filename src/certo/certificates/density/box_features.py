r"""Functions on a box, and the moments of densities made of them, with proven errors.

A coordinate x of the box has a position τ = (x − low)/(high − low) in [0, 1] and an angle θ in
[0, π]. The features are the products cos(k₁θ₁)·cos(k₂θ₂)… with 1 ≤ k₁ + k₂ + … ≤ degree:

    BoxPolynomials   cos θ = 2τ − 1    Chebyshev's T_k(2τ − 1): with a constant, all polynomials
    BoxCosines           θ = πτ        cos(πkτ)

Means over the box (x uniform in it) are taken at θ_j = (2j − 1)π/(2n), n nodes for each axis, with
the weights that make them exact for cos(kθ), k < n: those of Fejér's first rule, or 1/n. Both are
positive and add up to 1.

Truncation. Let s = w·φ, and f = e^s·cos(kθ) as a function of one angle, the others being fixed. It
is even, of period 2π and entire, f = Σ_k c_k cos(kθ), and moving the path of the integral for c_k
to Im θ = ±β gives |c_k| ≤ 2 M e^(−βk), M being the greatest |f| there. Mean and rule agree on
k < n and are at most 1 on the others, so they differ by at most

    2 Σ_{k≥n} |c_k|  ≤  4 M e^(−βn)/(1 − e^(−β)) ,
    M  ≤  exp(max s + Σ|w_k|(cosh(kβ) − 1))·cosh(kβ) ,

since |Re cos(k(α + iβ)) − cos(kα)| ≤ cosh(kβ) − 1. Any β > 0 will do; for several axes the errors
add up, as a rule is a mean itself. As a function of all angles s is even and periodic, so where it
is greatest its gradient is 0, and a node is within δ = π/(2n) of that on each axis: the greatest s
exceeds that at nodes by at most ½ Σ|w_k| (Σ_i k_i δ_i)². So the error is known before anything is
computed, and n is chosen by it.

Rounding. Node angles are whole multiples m·π/(2n), n a power of two, reduced to [0, π] in whole
numbers: the computed cosine is within COSINE = 16u (np.cos within four units in the last place). A
sum over nodes takes STEP at a time and then halves, see `_contract`.
"""

from __future__ import annotations

import abc
import itertools
import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from certo.certificates.sample.examples import Sample
from certo.numbers.averages import pairwise
from certo.numbers.exact import ROUND_UP, TINY, UNIT, gamma

COSINE = 16 * UNIT
EXPONENTIAL = 8 * UNIT  # np.exp is within four units in the last place.
FEJER = 96 * UNIT  # Relative to n·weight, see `_fejer`.
STEP = 64
TRUNCATED = 1e-24  # Target error relative to the peak of the density.
MAX_BOX_NODES = 2**21  # Nodes of all axes together.
MAX_AXIS_NODES = 2**13
MAX_FEATURE_DEGREE = 64
SPREADS = np.geomspace(1e-4, 8.0, 240)  # The β that are tried.


class TooSharp(ArithmeticError):
    """So many nodes would be needed that the work is not done."""


@dataclass(frozen=True)
class BoxFeatures(abc.ABC):
    """The products of cos(k θ) over the axes of a box, of total degree 1 to `degree`."""

    degree: int
    family: ClassVar[str]

    def __post_init__(self) -> None:
        whole = isinstance(self.degree, int | np.integer) and not isinstance(self.degree, bool)
        if not (whole and 1 <= self.degree <= MAX_FEATURE_DEGREE):
            raise ValueError(
                f"degree must be an integer from 1 to {MAX_FEATURE_DEGREE}, got {self.degree!r}."
            )

    @property
    @abc.abstractmethod
    def rounding(self) -> float:
        """How far a computed feature of an example may be off."""

    @abc.abstractmethod
    def angles(self, positions: np.ndarray) -> np.ndarray:
        """θ of τ."""

    @abc.abstractmethod
    def positions(self, angles: np.ndarray) -> np.ndarray:
        """τ of θ."""

    @abc.abstractmethod
    def weights(self, n: int) -> tuple[np.ndarray, float]:
        """Of n nodes, and how far n times a weight may be off."""

    def orders(self, d: int) -> np.ndarray:
        """The k of every feature, (features, d): by total degree, then in dictionary order."""
        return _orders(self.degree, d)

    def at(self, positions: np.ndarray) -> np.ndarray:
        """The features of points with these positions, (points, features)."""
        orders = self.orders(positions.shape[1])
        angles = self.angles(positions)
        tables = [
            np.cos(angles[:, [i]] * np.arange(self.degree + 1)) for i in range(orders.shape[1])
        ]
        values = tables[0][:, orders[:, 0]]
        for table, k in zip(tables[1:], orders.T[1:], strict=True):
            values = values * table[:, k]
        return values

    def names(self, d: int) -> list[str]:
        """'T2(x0)' or 'cos(2π x0)', and products of these."""
        return [
            " ".join(self._name(k, f"x{i}") for i, k in enumerate(row) if k)
            for row in self.orders(d).tolist()
        ]

    @abc.abstractmethod
    def _name(self, k: int, axis: str) -> str: ...


@final
@dataclass(frozen=True)
class BoxPolynomials(BoxFeatures):
    """Polynomials on a box, of total degree up to `degree`, as products of Chebyshev's T_k.

    A log-linear density with these is the exponential of any polynomial of that degree.

    >>> BoxPolynomials(2).names(2)
    ['T1(x0)', 'T1(x1)', 'T2(x0)', 'T1(x0) T1(x1)', 'T2(x1)']
    """

    family: ClassVar[str] = "polynomials"

    @property
    def rounding(self) -> float:
        """t = 2τ − 1 is off by 7.1u (τ by three roundings, and one), which |T_k′| ≤ k² magnifies;
        arccos by 8πu, its product with k by πku, the cosine by 8u."""
        return 1.01 * (8 * self.degree**2 + 30 * self.degree + 24) * UNIT

    def angles(self, positions):
        return np.arccos(2.0 * positions - 1.0)

    def positions(self, angles):
        return (1.0 + np.cos(angles)) / 2.0

    def weights(self, n):
        return _fejer(n), FEJER

    def _name(self, k, axis):
        return f"T{k}({axis})"


@final
@dataclass(frozen=True)
class BoxCosines(BoxFeatures):
    """cos(πkτ) along every axis of a box, and their products, of total degree up to `degree`: a
    density whose slope is 0 at the walls.

    >>> BoxCosines(2).names(1)
    ['cos(π x0)', 'cos(2π x0)']
    """

    family: ClassVar[str] = "cosines"

    @property
    def rounding(self) -> float:
        """τ is off by three roundings and πτ by two more, so kθ by 6πku; the cosine by 8u."""
        return 1.01 * (20 * self.degree + 24) * UNIT

    def angles(self, positions):
        return math.pi * positions

    def positions(self, angles):
        return angles / math.pi

    def weights(self, n):
        return np.full(n, 1.0 / n), 0.0

    def _name(self, k, axis):
        return f"cos({'' if k == 1 else k}π {axis})"


FEATURE_FAMILIES: dict[str, type[BoxFeatures]] = {
    kind.family: kind for kind in (BoxPolynomials, BoxCosines)
}


def features_of(family: Any, degree: int) -> BoxFeatures:
    """Those of a family, or a ValueError."""
    if not (isinstance(family, str) and family in FEATURE_FAMILIES):
        raise ValueError(f"family must be one of {sorted(FEATURE_FAMILIES)}, got {family!r}.")
    return FEATURE_FAMILIES[family](degree)


def check_box(low: np.ndarray, high: np.ndarray) -> None:
    """ValueError, unless these are the least and the greatest corner of a box."""
    with np.errstate(over="ignore", invalid="ignore"):
        widths = high - low if low.shape == high.shape else np.zeros(1)
    if low.size not in (1, 2) or not np.all((widths > 2.0**-900) & (widths < 2.0**900)):
        raise ValueError(
            "a box must have one or two axes, with low < high of moderate size on each."
        )


def positions(X: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """τ = (x − low)/(high − low): three roundings, each by a factor 1 ± u; in [0, 1] where x is in
    the box, since rounding keeps order."""
    return (X - low) / (high - low)


def outside(sample: Sample, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The examples that are not in the box."""
    return np.flatnonzero(np.any((low > sample.X) | (high < sample.X), axis=1))


@lru_cache(maxsize=64)
def _orders(degree: int, d: int) -> np.ndarray:
    some = [k for k in itertools.product(range(degree + 1), repeat=d) if 1 <= sum(k) <= degree]
    orders = np.array(sorted(some, key=lambda k: (sum(k), tuple(-j for j in k))))
    orders.flags.writeable = False
    return orders


@lru_cache(maxsize=16)
def _fejer(n: int) -> np.ndarray:
    """(1/n)(1 − 2 Σ_{k≤n/2} cos(2kθ_j)/(4k² − 1)): the mean over [−1, 1] of the polynomial through
    n values at cos θ_j, since that of T_k is 1/(1 − k²) for even k and 0 for odd.

    n times that is off by at most COSINE·Σ 2/(4k² − 1) ≤ 16u, 3u for products, and by fewer than
    30 additions of numbers whose sizes add up to at most 2: FEJER in all, for n ≤ 2²¹.
    """
    k = np.arange(n // 2 + 1)
    terms = -2.0 / (4.0 * k**2 - 1.0)
    terms[0] = 1.0
    columns = (terms[i] * _node_cosines(n, 2 * k[[i]])[:, 0] for i in range(k.size))
    return pairwise(columns) / n


def _node_cosines(n: int, k: np.ndarray) -> np.ndarray:
    """cos(k θ_j) at all n nodes, (n, k)."""
    turns = np.outer(2 * np.arange(n) + 1, k) % (4 * n)
    return np.cos(np.minimum(turns, 4 * n - turns) * (math.pi / (2 * n)))


@lru_cache(maxsize=8)
def _table(n: int, most: int) -> np.ndarray:
    return _node_cosines(n, np.arange(most + 1))


def _contract(values: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
    """Σ_j values[j₁, j₂, …] Π tables_i[j_i, k_i]: axis by axis, STEP terms at a time, halves added
    to halves, so that a product passes through at most STEP + 2·16 + 2 roundings for each axis."""
    for table in tables:
        shape = values.shape[1:]
        flat = values.reshape(len(table), -1)
        parts = (flat[i : i + STEP].T @ table[i : i + STEP] for i in range(0, len(table), STEP))
        values = pairwise(parts).reshape(*shape, table.shape[1])
    return values


CONTRACTED = STEP + 34


class Moments(NamedTuple):
    """Of the density e^s/∫e^s; every entry of `mean` and `covariance` is at most that far off."""

    log_mass: float  # The logarithm of the mean of e^s over the box.
    mass_error: float
    mean: np.ndarray
    mean_error: float
    covariance: np.ndarray
    covariance_error: float


def moments(features: BoxFeatures, coef: np.ndarray, d: int, times: float = 1.0) -> Moments:
    """Of the density on a box of d axes whose logarithm is coef·φ, up to a constant.

    Errors have `times` the allowances for rounding. TooSharp, if that takes too many nodes.
    """
    orders, most = features.orders(d), 2 * features.degree
    n, truncation = nodes(features, coef, d)  # Computed first, since it excludes overflow below.
    size = float(np.sum(np.abs(coef)))
    tables = [_table(k, most) for k in n]
    s = on_grid(orders, coef, [table[:, : features.degree + 1] for table in tables])
    top = float(s.max())
    peak = np.exp(s - top)
    rules = [features.weights(k) for k in n]
    table = _contract(peak, [t * w[:, None] for t, (w, _) in zip(tables, rules, strict=True)])
    mass = float(table.flat[0])
    # Each value is off by a factor: s by its cosines, products and sums, s − top, and exp.
    products = d * (features.degree + 4)
    off = times * 1.01 * size * (gamma(products) + d * COSINE + 4 * UNIT)
    factor = math.expm1(off) + times * 1.01 * EXPONENTIAL
    summed = times * (d * COSINE + gamma(d * (CONTRACTED + 4)))
    rough = [np.ones((k, 1)) for k in n]
    exactly = [w[:, None] for w, _ in rules]
    for i, (_, error) in enumerate(rules):  # The weights are off by this much.
        spread = _contract(peak, [*exactly[:i], rough[i], *exactly[i + 1 :]])
        factor += times * 1.1 * error / n[i] * float(spread.flat[0]) / mass
    e = (mass * (factor + summed) + truncation * math.exp(off) + peak.size * TINY) * ROUND_UP
    if not e < mass / 4:
        raise TooSharp("the density is too sharp to be integrated in float64.")
    table = table / mass
    error = (2 * e / (mass - e) + 2 * UNIT) * ROUND_UP
    mean = table[tuple(orders.T)]
    covariance = _second(table, orders) - np.outer(mean, mean)
    return Moments(
        top + math.log(mass),
        (e / (mass - e) + times * 4 * UNIT * (abs(top) + abs(math.log(mass)) + 1)) * ROUND_UP,
        mean,
        error,
        covariance,
        (error * (3 + error) + 8 * UNIT) * ROUND_UP,
    )


def on_grid(orders: np.ndarray, coef: np.ndarray, tables: list[np.ndarray]) -> np.ndarray:
    """Σ_k coef_k Π tables_i[j_i, k_i] for all j: s at all nodes, from tables of cosines."""
    weights = np.zeros([table.shape[1] for table in tables])
    weights[tuple(orders.T)] = coef
    for table in tables:
        weights = np.tensordot(weights, table, axes=([0], [1]))
    return weights


def _second(table: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The means of products of two features: cos a cos b = ½ (cos(a + b) + cos(a − b))."""
    axes = range(orders.shape[1])
    plus = [orders[:, None, i] + orders[None, :, i] for i in axes]
    minus = [np.abs(orders[:, None, i] - orders[None, :, i]) for i in axes]
    every = list(itertools.product(*zip(plus, minus, strict=True)))
    return sum((table[places] for places in every), np.zeros(1)) / len(every)


def nodes(features: BoxFeatures, coef: np.ndarray, d: int) -> tuple[list[int], float]:
    """How many for each axis, and the truncation error that then remains at most, relative to the
    greatest e^s at nodes."""
    found = [_nodes(features, coef, d, axis) for axis in range(d)]
    n = [k for k, _ in found]
    if math.prod(n) > MAX_BOX_NODES:
        raise TooSharp(
            f"the density is so sharp that its integral would take {math.prod(n):,} nodes, more "
            f"than {MAX_BOX_NODES:,}."
        )
    between = math.exp(beyond_nodes(features.orders(d), coef, n))
    return n, sum(math.exp(error) for _, error in found) * between * ROUND_UP


def beyond_nodes(orders: np.ndarray, coef: np.ndarray, n: list[int]) -> float:
    """½ Σ|w_k| (Σ_i k_i δ_i)²: what the greatest s exceeds that at nodes by at most."""
    moved = orders @ (math.pi / (2.0 * np.array(n)))
    with np.errstate(over="ignore"):
        return 0.5 * float(np.abs(coef) @ moved**2) * ROUND_UP


def _nodes(features: BoxFeatures, coef: np.ndarray, d: int, axis: int) -> tuple[int, float]:
    """The fewest nodes of one axis, and the logarithm of what they leave, e^max s being 1."""
    n, orders = STEP, features.orders(d)[:, [axis]]
    while n <= MAX_AXIS_NODES:
        left = truncation(features, coef, d, axis, n)
        if left + d**2 * beyond_nodes(orders, coef, [n]) <= math.log(TRUNCATED):
            return n, left
        n *= 2
    raise TooSharp(
        f"the density is so sharp that its integral along axis {axis} (from 0) would take more "
        f"than {MAX_AXIS_NODES:,} nodes."
    )


def truncation(features: BoxFeatures, coef: np.ndarray, d: int, axis: int, n: int) -> float:
    """The logarithm of the truncation error of n nodes of one axis, e^max s being 1."""
    k = features.orders(d)[:, axis]
    with np.errstate(over="ignore", invalid="ignore"):
        # This is cosh a − 1 = 2 sinh²(a/2), without cancellation.
        growth = 2 * np.sinh(np.outer(SPREADS, k) / 2) ** 2 @ np.abs(coef) * ROUND_UP
        growth = growth + np.log(np.cosh(2 * features.degree * SPREADS)) * ROUND_UP
        left = math.log(4) - np.log(-np.expm1(-SPREADS)) + growth - SPREADS * n
    left = np.where(np.isfinite(left), left, np.inf)
    best, spread = float(left.min()), float(SPREADS[int(left.argmin())])
    # The rounding of the logarithm itself: a few parts in 2⁵⁰ of its terms.
    return best + 2.0**-40 * (abs(best) + spread * n + 1)
