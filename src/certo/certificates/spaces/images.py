r"""The data a claim about functions of an RKHS is about, and the values of such functions on it.

Let f = Σ_i a_i K(x_i, ·) over n rows, s_t = √K(x_t, x_t). The kernel says how far a value k̂ that it
computes may be off: |k̂(x_i, x_t) − K(x_i, x_t)| ≤ ε s_i s_t + δ (`Kernel.rounding`). Values are
taken in blocks of up to HEIGHT examples and WIDTH rows, so no Gram matrix is ever held; the sums of
the blocks are added one after another, so that a product passes through r ≤ WIDTH + ⌈n/WIDTH⌉
roundings. By the fact of `exact`,

    |f̂(x_t) − f(x_t)|  ≤  γ_r Σ|a_i k̂(x_i, x_t)| + n·2⁻¹⁰⁷⁴  +  ε s_t Σ|a_i| s_i + δ Σ|a_i| .

Where the kernel knows an η with |k̂ − K| ≤ η k̂ + 2⁻¹⁰⁷⁰ (`Kernel.closeness`), η Σ|a_i k̂(x_i, x_t)|
may stand for ε s_t Σ|a_i| s_i: a narrow Gaussian is nearly 0 at most pairs.

The diagonal is off by a factor 1 ± ε and δ, so s_t ≤ √((K̂(x_t, x_t) + δ)/(1 − ε)); ε is required to
be at most 2⁻⁷, and factors of 1.01 pay for that root and the roundings of these sums themselves.
And ‖f‖² = Σ_i a_i f(x_i) is off by at most Σ|a_i| times what f(x_i) is, and what is rounded when
the products are made and, exactly but for once, added.

At points x that need not be among the centres z_i of the function (`scores_at`) the bound is, n
products being added in any order,

    |f̂(x) − f(x)|  ≤  γ_n Σ|a_i k̂(z_i, x)| + n·2⁻¹⁰⁷⁴  +  ε s(x) Σ|a_i| s(z_i) + δ Σ|a_i| ,

or with η Σ|a_i k̂(z_i, x)| for the third term. Where K(x, x) is not known (a row of a precomputed
matrix tells of x and the centres alone) and ε is not 0, there is η or nothing. It holds of every
evaluation whose kernel values k̂ are as near as `Kernel.rounding` says: of the blocks here, and of
the compiled loops of the machines, which add one product after another. Their Σ|a_i k̂(z_i, x)| may
be another than ours, by as little as the k̂ are (ε ≤ 2⁻⁷), for which the doubled γ of `allowance`
pays.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, ClassVar, final

import numpy as np

from certo.blas import map_in_threads
from certo.certificates.base import require
from certo.certificates.sample.examples import SampleMismatch, exact_matrix, rows_of_pair
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.scores import Scores
from certo.certificates.spaces.space import Machine, MachineMargins, Space
from certo.containers import count
from certo.kernels.base import Kernel
from certo.kernels.function import Function
from certo.kernels.precomputed import Precomputed
from certo.kernels.semidefinite import check_gram, is_shown_psd, require_symmetric, symmetrised
from certo.numbers import exact
from certo.numbers.rounded import Rounded, at_most, hinge_losses, total
from certo.numbers.rounding import gamma

HEIGHT, WIDTH = 256, 1024  # Shape of a block of kernel values: 2 MB fit in a cache.
LOOKS = {"vectors": 64, "objects": 8}  # Examples whose known scores are checked.
COARSEST = 2.0**-7  # Relative error of kernel values above which nothing is claimed.
THREADS = min(8, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)
#: Where the pieces of a sum begin; a command may put a range there that tells how far a check is.
steps: Callable[[int, int, int], Iterable[int]] = range


@dataclass(frozen=True)
class KernelSample:
    """Examples as the kernel takes them, and one sign for each.

    For a precomputed kernel X is its Gram matrix. Rounding often leaves such a matrix not quite
    symmetric and with eigenvalues a little below 0, which no function space has: what is meant is
    `symmetrised(K)` + shift·I. Where a claim is about some of the examples only, `places` are
    theirs among all. (A principal submatrix of a positive semi-definite matrix is one.)
    """

    kernel: Kernel
    given: Any
    signs: np.ndarray
    shift: float = 0.0
    places: np.ndarray | None = None

    @cached_property
    def X(self) -> Any:  # noqa: N802
        return symmetrised(self.given) if self.kernel.takes == "matrix" else self.given

    @classmethod
    def of(cls, X, y, labels: Labels, kernel: Kernel, shift: float | None = None) -> KernelSample:
        """From the user's own data. Without a `shift` the least that is known to be enough is
        taken, or `certo.kernels.NotPositive` raised; one that is given is checked."""
        X = readable(X, kernel)
        if shift is None:
            shift = needed_shift(X, kernel)
        else:
            check_shift(X, kernel, shift)
        return cls.labelled(X, y, labels, kernel, shift)

    @classmethod
    def labelled(cls, X, y, labels: Labels, kernel: Kernel, shift: float) -> KernelSample:
        """From examples that were looked at already."""
        signs = labels.signs(y)
        if count(X) != signs.size:
            raise SampleMismatch(f"X has {count(X)} examples, but y has {signs.size} labels.")
        places = rows_of_pair(signs, labels)
        if places is None:
            return cls(kernel, X, signs, shift)
        return cls(kernel, among(kernel, X, places), signs[places], shift, places)

    @property
    def m(self) -> int:
        return self.signs.size

    @property
    def space(self) -> Images:
        return Images(self.kernel, self.shift)

    @cached_property
    def _lengths(self) -> np.ndarray:
        """Numbers that the s_t do not exceed."""
        delta = self._rounding[1]
        with np.errstate(over="ignore", invalid="ignore"):
            squares = self.kernel.diagonal(self.X) + self.shift
            least = np.min(squares, initial=0.0)
            require(least >= -delta, f"K(x, x) is {least:g} for some x, which no kernel can be.")
            return 1.01 * np.sqrt(np.maximum(squares, 0.0) + delta)

    @cached_property
    def _rounding(self) -> tuple[float, float]:
        """ε and δ."""
        return rounding_of(self.kernel, self.X, self.kernel.take(self.X, slice(None)))

    @cached_property
    def _closeness(self) -> float:
        """η."""
        return self.kernel.closeness(self.X, self.kernel.take(self.X, slice(None)))

    def scores(self, rows: np.ndarray, coef: np.ndarray, known: np.ndarray | None = None) -> Scores:
        """f(x_t) for all t, where f = Σ coef_i K(x_rows_i, ·).

        `known` are such numbers from elsewhere. They are taken, with the largest slack that those
        computed here could have, if some that are computed here agree with them.
        """
        magnitude = np.abs(coef)
        epsilon, delta = self._rounding
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            # Products of small numbers vanish: 2⁻¹⁰⁷⁴ is added for each.
            reach = self._lengths * (magnitude @ self._lengths[rows] + rows.size * exact.TINY)
            beyond = delta * np.sum(magnitude)
            roundings = min(rows.size, WIDTH) + rows.size // WIDTH + 2
            lost = 1.01 * beyond + 4 * exact.TINY * (rows.size + 4 * np.sum(magnitude))
            if known is not None and self._looks_pay(rows.size):
                slack = lost + exact.allowance(roundings, 1.02 * (reach + beyond))
                slack += 1.02 * epsilon * reach
                if self._agree(rows, coef, known, 2 * slack):
                    return Scores(known.astype(np.float64), slack)
            value, size = self._sums(self.X, rows, coef)
            if self.shift:
                value[rows] += self.shift * coef
                size[rows] += self.shift * magnitude
            slack = lost + exact.allowance(roundings, size)
            # np.fmin takes an infinite η times 0, which is NaN, for nothing known.
            return Scores(value, slack + 1.02 * np.fmin(epsilon * reach, self._closeness * size))

    def _looks_pay(self, centres: int) -> bool:
        """Whether scores that are known save more kernel values than a look at some of them needs.
        Those of a matrix cost little."""
        if self.kernel.takes == "matrix":
            return False
        new = self._looks_at_all and "_looked_at" not in vars(self)
        return not new or centres > self._looks

    @property
    def _looks(self) -> int:
        """How many examples are looked at."""
        return LOOKS[self.kernel.takes]

    @property
    def _looks_at_all(self) -> bool:
        """Whether a look takes the kernel values of all examples."""
        return self.m <= WIDTH and self.kernel.takes == "vectors"

    def _sums(self, points, rows: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Σ coef_i k̂(x_rows_i, x) and Σ |coef_i k̂(x_rows_i, x)| for these points x."""
        take = self.kernel.take
        return weighted_sums(self.kernel, points, lambda part: take(self.X, rows[part]), coef)

    @cached_property
    def _looked_at(self) -> tuple[np.ndarray, Any, np.ndarray | None]:
        """The examples whose known scores are checked; and, where examples are few, their kernel
        values with all examples, which serve machines with other signs, too."""
        kernel = self.kernel
        some = np.unique(np.linspace(0, self.m - 1, self._looks).astype(int))
        points = kernel.points(self.X, some)
        return some, points, kernel.plain(points, self.X) if self._looks_at_all else None

    def _agree(self, rows, coef, known, slack) -> bool:
        """Whether scores of some examples are within this slack of the known ones."""
        some, points, block = self._looked_at
        value = self._sums(points, rows, coef)[0] if block is None else block[:, rows] @ coef
        return bool(np.all(np.abs(value - known[some]) <= slack[some]))

    def square(self, rows: np.ndarray, coef: np.ndarray, scores: Scores) -> Rounded:
        """‖f‖² = Σ coef_i f(x_i), from its scores."""
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            products = coef * scores.value[rows]
            rounding = at_most(np.abs(products) * 2.0**-51, 2)
            moved = at_most(np.abs(coef) * scores.slack[rows])
        return Rounded(total(products), rounding + moved)


def among(kernel: Kernel, X, rows: np.ndarray) -> Any:
    """Some of the examples; of a Gram matrix what it says of these."""
    return X[np.ix_(rows, rows)] if kernel.takes == "matrix" else kernel.points(X, rows)


def rounding_of(kernel: Kernel, X, centres) -> tuple[float, float]:
    """ε and δ, if they are small enough for anything to be claimed."""
    epsilon, delta = kernel.rounding(X, centres)
    require(
        epsilon <= COARSEST and delta <= 1.0,
        f"{kernel!r} cannot be computed precisely enough on these examples.",
    )
    return epsilon, delta


def weighted_sums(
    kernel: Kernel, X, centres: Callable[[slice], Any], coef: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Σ coef_i k̂(z_i, x) and Σ |coef_i k̂(z_i, x)| for all x of X, block by block. `centres` gives
    some of the z_i, as the kernel takes them."""
    m, n, magnitude = count(X), len(coef), np.abs(coef)
    value, size = np.zeros((2, m, *coef.shape[1:]))

    def add(start: int) -> None:
        here = slice(start, start + HEIGHT)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            block = kernel.plain(kernel.points(X, here), some)
            value[here] += block @ coef[part]
            block = block if block.min(initial=0.0) >= 0 else np.abs(block)
            size[here] += block @ magnitude[part]

    threads = 1 if functions_of(kernel) else THREADS  # Python would wait for itself.
    for first in steps(0, n, WIDTH):
        part = slice(first, first + WIDTH)
        some = centres(part)
        map_in_threads(add, range(0, m, HEIGHT), threads)
    return value, size


def functions_of(kernel: Kernel) -> list[Function]:
    """The Python functions that a kernel is made of."""
    if isinstance(kernel, Function):
        return [kernel]
    return [found for part in getattr(kernel, "parts_", ()) for found in functions_of(part)]


def readable(X, kernel: Kernel):
    """X as the kernel takes it, or SampleMismatch."""
    if kernel.takes != "objects":
        X = exact_matrix(X)
    try:
        X = kernel.examples(X)
    except ValueError as wrong:
        raise SampleMismatch(str(wrong)) from wrong
    if not count(X):
        raise SampleMismatch("X has no examples: there is nothing to check.")
    if kernel.takes == "matrix" and X.shape[0] != X.shape[1]:
        raise SampleMismatch(f"the Gram matrix of the examples must be square, got {X.shape}.")
    return X


def needed_shift(X, kernel: Kernel) -> float:
    """A number that makes the Gram matrix positive semi-definite when added to its diagonal: 0 for
    kernels of points. `certo.kernels.NotPositive`, where that would take more than a rounding."""
    if kernel.takes != "matrix":
        return 0.0
    shift, doubt = check_gram(_gram(X, kernel)), _doubt(X, kernel)
    return float(np.nextafter(shift + doubt, np.inf)) if doubt else shift


def check_shift(X, kernel: Kernel, shift: float) -> None:
    """SampleMismatch, unless the shift is shown to be enough, and the matrix is symmetric up to
    rounding."""
    if kernel.takes != "matrix":
        return
    try:
        gram, doubt = _gram(X, kernel), _doubt(X, kernel)
        rest = float(np.nextafter(shift - doubt, -np.inf)) if doubt else shift
        enough = is_shown_psd(gram, rest)
    except ValueError as wrong:
        raise SampleMismatch(str(wrong)) from wrong
    if not enough:
        raise SampleMismatch(
            f"the Gram matrix, with {shift!r} added to its diagonal, is not shown to be positive "
            "semi-definite."
        )


def _gram(X, kernel: Kernel) -> np.ndarray:
    """The matrix itself, rather than a copy, where it is one; ValueError, if it is asymmetric."""
    require_symmetric(X)
    X = symmetrised(X)
    if isinstance(kernel, Precomputed):
        return X
    return kernel.plain(X, kernel.take(X, slice(None)))


def _doubt(X, kernel: Kernel) -> float:
    """What errors of the entries, |E_ij| ≤ ε s_i s_j + δ, can take from an eigenvalue: |zᵀEz| ≤
    (ε Σ s_i² + mδ)·‖z‖², by Cauchy and Schwarz."""
    epsilon, delta = kernel.rounding(X, kernel.take(X, slice(None)))
    trace = float(np.sum(np.abs(kernel.diagonal(X)))) if epsilon else 0.0
    return 1.01 * (epsilon * trace + X.shape[0] * delta)


@dataclass(frozen=True, eq=False)
class ImageMargins(MachineMargins):
    """The margins y_t (f(x_t) + b) of f = Σ dual_coef_i K(x_rows_i, ·), from its scores."""

    sample: KernelSample
    machine: Machine
    scores: Scores
    value: np.ndarray
    slack: np.ndarray

    @classmethod
    def of(cls, sample: KernelSample, machine: Machine, known=None) -> ImageMargins:
        scores = sample.scores(machine.rows, machine.dual_coef, known)
        value, slack = scores.plus(machine.intercept)
        return cls(sample, machine, scores, sample.signs * value, slack)

    @property
    def efforts(self) -> tuple[int, ...]:
        return (0,)

    def square(self, effort: int = 1) -> Rounded:
        """‖f‖²."""
        return self._square

    @cached_property
    def _square(self) -> Rounded:
        return self.sample.square(self.machine.rows, self.machine.dual_coef, self.scores)

    def _lowest(self, room: int = 1) -> tuple[float, int]:
        """A number that no margin is below, −inf after overflow, and where it comes from."""
        with np.errstate(over="ignore", invalid="ignore"):
            low = np.nextafter(self.value - room * self.slack, -np.inf)
        low[np.isnan(low)] = -np.inf
        where = int(np.argmin(low))
        return float(low[where]), where

    def least(self, room: int = 1) -> tuple[Fraction, int]:
        """(γ, t): no margin is below γ, and that of t may be γ."""
        lowest, where = self._lowest(room)
        require(math.isfinite(lowest), "numbers overflow float64.")
        return Fraction(lowest), where

    def below(self, limit: Fraction) -> int | None:
        """An example whose margin is not shown to reach the limit, or None if there is none."""
        lowest, where = self._lowest()
        return None if lowest >= limit else where

    def hinge_losses(self, costs: np.ndarray, effort: int = 1) -> Rounded:
        """Σ c_t [1 − margin_t]₊."""
        return hinge_losses(self.value, self.slack, costs)

    def shortfall(self, target: float, rows, weights, roundings: int, room: int = 1) -> float:
        losses = hinge_losses(self.value[rows], self.slack[rows], weights, target=target)
        relative = gamma(roundings)
        require(relative < math.inf, "so many roundings have no bound.")
        return exact.above((losses.value + room * losses.within) * (1 + Fraction(relative)))


@final
@dataclass(frozen=True)
class Images(Space):
    """The space of a kernel, in which an example is φ(x) = K(x, ·): a machine is a function of it,
    and w the combination of the multipliers itself. `shift` is added to the diagonal of a
    precomputed kernel, and 0 for others: see `KernelSample`."""

    describes: ClassVar[dict[str, str]] = {"rows": "support_", "dual_coef": "dual_coef_"}

    kernel: Kernel
    shift: float

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, got {type(self.kernel).__name__}.")
        if not 0 <= self.shift < np.inf or (self.shift and self.kernel.takes != "matrix"):
            raise ValueError(
                "shift must be 0, or for a precomputed kernel at least 0, "
                f"got {self.shift!r} for {self.kernel!r}."
            )

    @property
    def functions(self) -> list[Function]:
        return functions_of(self.kernel)

    def check_values(self, X) -> None:
        if self.kernel.takes == "matrix" and symmetrised(X) is not X:
            raise SampleMismatch(
                "the Gram matrix is not symmetric to the last digit, so it holds no kernel's "
                "values."
            )

    @property
    def reads(self) -> Hashable:
        return self.kernel, self.shift

    def read(self, X):
        X = readable(X, self.kernel)
        check_shift(X, self.kernel, self.shift)
        return X

    def sample(self, X, y, labels: Labels) -> KernelSample:
        return KernelSample.labelled(X, y, labels, self.kernel, self.shift)

    def coordinates(self, sample: KernelSample) -> int:
        return 0

    def looks(
        self, sample: KernelSample, machine: Machine, known: np.ndarray | None = None
    ) -> Iterator[ImageMargins]:
        """`known` are values f(x_t) in float64, without what the shift adds."""
        if known is not None:
            yield ImageMargins.of(sample, machine, known)
        yield ImageMargins.of(sample, machine)

    def combined(self, margins: ImageMargins, machine: Machine, effort: int = 1) -> Rounded:
        return margins.square(effort)

    def longer_than(self, sample: KernelSample, square: Fraction) -> int | None:
        if self.longest2(sample, room=0) <= square:
            return None
        return int(np.argmax(self.kernel.diagonal(sample.X)))

    def longest2(self, sample: KernelSample, known: float | None = None, room: int = 1) -> Fraction:
        """K(x_t, x_t) is within ε K(x_t, x_t) + δ of the diagonal's, and that of a checker is as
        near to it."""
        epsilon, delta = map(Fraction, sample._rounding)
        peak = float(np.max(self.kernel.diagonal(sample.X)))
        require(math.isfinite(peak), "K(x, x) overflows float64.")
        square = max(Fraction(0), Fraction(peak) + delta) / (1 - epsilon)
        return square * (1 + room * epsilon) + room * delta + Fraction(self.shift)

    def check_sum(self, sample, machine: Machine, start, steps, lifted: bool, updates: int) -> None:
        """f is the sum of its multipliers, so that these must be the steps; nothing is rounded."""
        require(not np.any(start), "in the space of a kernel a run starts from 0.")
        require(
            np.array_equal(steps, machine.dual_coef),
            "the function is not the sum of the listed updates.",
        )
        total = exact.dot(steps, np.ones(steps.size)) if lifted else 0
        require(
            Fraction(machine.intercept) == total,
            "the intercept is not the sum of the listed updates.",
        )

    def lengths(self, sample: KernelSample) -> np.ndarray:
        return sample._lengths

    def computed(
        self, sample: KernelSample, machine: Machine, margins: ImageMargins, lengths: np.ndarray
    ) -> float:
        """What it is for the examples at hand: how much a kernel's value rounds depends on what it
        is given, and nothing is known of that but that it is alike."""
        size = float(np.max(np.abs(margins.value), initial=0.0)) + abs(machine.intercept)
        return float(margins.slack.max(initial=0.0)) + exact.allowance(1, size)


def scores_at(kernel: Kernel, X, centres, coef: np.ndarray, intercept: np.ndarray) -> Scores:
    """f_k(x) + b_k for all points x of X, f_k = Σ_i coef[k, i] K(centre_i, ·), with their slack:
    both of shape (points, functions)."""
    m, n = count(X), count(centres)
    if not n:
        return Scores(np.tile(intercept, (m, 1)), np.zeros((m, len(coef))))
    epsilon, delta = rounding_of(kernel, X, centres)
    some = centres.__getitem__ if kernel.takes == "matrix" else partial(kernel.points, centres)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        value, size = weighted_sums(kernel, X, some, coef.T)
        mass = np.sum(np.abs(coef), axis=1)
        slack = exact.allowance(n + 2, size)
        slack += 1.01 * delta * mass + 4 * exact.TINY * (n + 4 * mass)
        if epsilon:
            lengths = lengths_of(kernel, centres, delta)
            pull = np.abs(coef) @ lengths + n * exact.TINY
            far = epsilon * lengths_of(kernel, X, delta)[:, None] * pull
            slack += 1.02 * np.fmin(far, kernel.closeness(X, centres) * size)
        value += intercept
        slack += 4 * exact.UNIT * np.abs(value)
    return Scores(value, slack)


def lengths_of(kernel: Kernel, X, delta: float) -> np.ndarray:
    """Numbers that the √K(x, x) do not exceed; infinite, where nothing is known."""
    if kernel.takes == "matrix":
        return np.full(count(X), np.inf)
    return 1.01 * np.sqrt(np.maximum(kernel.diagonal(X), 0.0) + delta)
