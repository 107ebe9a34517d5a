"""KernelCompressionBound: the risk of a kernel perceptron from the examples it is made of."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from certo.certificates.base import Certificate, Verification, require
from certo.certificates.errors.counted_errors import Examples, scores_needed
from certo.certificates.errors.predictor import KernelPredictor, same_values
from certo.certificates.risk.class_compression import output_signs
from certo.certificates.risk.risk_bound import majority
from certo.certificates.risk.set_bound import SetBound
from certo.certificates.runs.perceptron_run import AT_ZERO
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.spaces.image_scores import lengths_of
from certo.certificates.spaces.images import COARSEST, readable
from certo.kernels.base import Kernel, count
from certo.kernels.semidefinite import symmetrised
from certo.numbers import exact

MOST_TERMS = 2**12  # examples of a function: their kernel matrix has 134 MB
LONGEST_RERUN = 10**10  # updates times examples: a minute or so
LONGEST_STEPS = 3 * 10**5  # updates and epochs: some seconds
WHOLE = 2.0**52


@dataclass(frozen=True)
class KernelRun:
    """All that decides a run of the kernel perceptron besides the examples; `lifted`: the kernel
    plus 1. The order of output k is drawn by NumPy's `default_rng([seed, k])`."""

    epochs: int
    order: str = "cyclic"
    lifted: bool = False
    update_at_zero: str = "negative"
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("order", self.order, ("cyclic", "shuffled")),
            ("update_at_zero", self.update_at_zero, tuple(AT_ZERO)),
        ):
            if value not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {value!r}.")
        if self.epochs < 0 or self.seed < 0:
            raise ValueError("epochs and seed must not be negative.")


@final
@dataclass(frozen=True, repr=False, eq=False)
class KernelCompressionBound(SetBound):
    r"""Claim: with probability at least 1 − δ over the draw of the m examples, the kernel
    perceptron (for K > 2 classes one for each, the highest score wins) has an error rate of
    at most `bounds[…]` on new examples: f_k = Σ_i dual_coef[k, i] K̃(x_i, ·) over the `updated`
    examples, and at most `errors` of the others are not shown to be right. K̃ is the kernel,
    `lifted` the kernel plus 1.

    Proof: the run is repeated on the updated examples alone, for each output, and must make these
    mistakes. Every score of the re-run has an allowance, and every decision must be certain beyond
    it, so that the run in real numbers decides alike: the functions are determined by the k
    examples, whatever rounding did. Example t has after n updates

        |f̂(x_t) − f(x_t)|  ≤  γ_{n+1} Σ|k̂(x_i, x_t)| + ε s_t Σ s_i + nδ + n·2⁻¹⁰⁷⁰ ,

    sums being over updates (see `kernel_scores`); and nothing is off where all k̂ are exact whole
    numbers, summed below 2⁵². The kernel need not be positive semi-definite for any of this.
    """

    kernel: Kernel
    run: KernelRun
    dual_coef: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        table = np.array(self.dual_coef, dtype=np.float64)
        shape = (scores_needed(self.labels), self.updated.size)
        whole = np.isfinite(table) & (table == np.rint(table))
        if table.shape != shape or not np.all(whole):
            raise ValueError(f"dual_coef must be a table of whole numbers of shape {shape}.")
        table.flags.writeable = False
        object.__setattr__(self, "dual_coef", table)
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, got {type(self.kernel).__name__}.")

    def _majority_of(self, sample: Examples) -> int:
        return majority(sample.codes)

    def _rows(self, sample: Examples) -> tuple[Any, np.ndarray]:
        return sample.X, sample.codes

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return "places of classes", self.kernel, "among themselves"

    def _read(self, X) -> Any:
        return _readable(X, self.kernel)

    def _sample(self, X, y) -> Examples:
        return _examples(X, y, self.labels)

    def _verify(self, sample: Examples) -> Verification:
        try:
            return super()._verify(sample)
        except ValueError as wrong:  # of the kernel, about these examples
            return Verification(False, self.name, str(wrong))

    def _rule(self, X) -> KernelPredictor:
        centres = self.kernel.take(X, self.updated)
        intercept = self.dual_coef.sum(axis=1) * float(self.run.lifted)
        return KernelPredictor(self.kernel, centres, self.dual_coef, intercept)

    def _check(self, sample: Examples) -> str:
        m = sample.codes.size
        require(
            m == self.examples,
            f"the claim is about {self.examples:,} examples, but there are {m:,}.",
        )
        wrong = self._rule(sample.X).wrong(sample.X, sample.codes).errors
        errors = self._check_bounds(m, wrong)
        self._check_rerun(sample)
        return (
            f"re-running on the {self.updated.size:,} updated examples makes these mistakes, and "
            f"{errors:,} of the others are not shown to be right."
        )

    def _check_rerun(self, sample: Examples) -> None:
        require(
            self.updated.size <= MOST_TERMS,
            f"the rule is made of {self.updated.size:,} examples, and re-running on more than "
            f"{MOST_TERMS:,} is not asked of a checker.",
        )
        gram = _Gram(self.kernel, sample.X, self.updated, float(self.run.lifted))
        for k, claimed in enumerate(self.dual_coef):
            signs = output_signs(sample.codes, k, len(self.dual_coef))
            made = _rerun(gram, self.run, signs, k, self.updated)
            require(
                np.array_equal(made, claimed),
                f"re-running output {k} on the updated examples alone makes other mistakes.",
            )

    def __eq__(self, other: object) -> bool:
        """By value; not by JSON, which a Python function has none of."""
        return same_values(self, other)

    __hash__ = Certificate.__hash__


def _readable(X, kernel: Kernel):
    X = readable(X, kernel)
    return symmetrised(X) if kernel.takes == "matrix" else X


def _examples(X, y, labels) -> Examples:
    codes = labels.places(y)
    if count(X) != codes.size:
        raise SampleMismatch(f"X has {count(X)} examples, but y has {codes.size} labels.")
    return Examples(X, codes)


@dataclass(frozen=True)
class _Gram:
    """The kernel's values at some of the examples, and how far sums of them may be off."""

    kernel: Kernel
    X: Any
    rows: np.ndarray
    lift: float

    @cached_property
    def values(self) -> np.ndarray:
        points, centres = self._sides
        return self.kernel.plain(points, centres) + self.lift

    @property
    def _sides(self) -> tuple[Any, Any]:
        return self.kernel.points(self.X, self.rows), self.kernel.take(self.X, self.rows)

    @cached_property
    def _off(self) -> tuple[float, float, float]:
        """ε, δ, η."""
        epsilon, delta = self.kernel.rounding(*self._sides)
        require(
            epsilon <= COARSEST and delta <= 1.0,
            f"{self.kernel!r} cannot be computed precisely enough on these examples.",
        )
        return epsilon, delta, self.kernel.closeness(*self._sides)

    @cached_property
    def lengths(self) -> np.ndarray:
        epsilon, delta, _ = self._off
        if not epsilon:
            return np.zeros(self.rows.size)
        return lengths_of(self.kernel, self._sides[1], delta)

    @cached_property
    def _whole(self) -> bool:
        """Whether all values are whole numbers, and exact."""
        epsilon, delta, _ = self._off
        return epsilon == delta == 0 and bool(np.all(self.values == np.rint(self.values)))

    @np.errstate(over="ignore", invalid="ignore")
    def slack(self, updates: int, size: np.ndarray, pull: float, t: np.ndarray) -> np.ndarray:
        """How far the scores of examples t may be off after so many updates, where `size` are sums
        of |k̂| over these, and `pull` is that of the lengths."""
        epsilon, delta, eta = self._off
        if not updates:
            return np.zeros(t.size)
        slack = exact.allowance(updates + 1, size[t]) + updates * (1.01 * delta + 16 * exact.TINY)
        if epsilon:
            slack += 1.02 * np.fmin(epsilon * self.lengths[t] * pull, eta * size[t])
        return np.where(size[t] < WHOLE, 0.0, slack) if self._whole else slack


@np.errstate(over="ignore", invalid="ignore")
def _rerun(
    gram: _Gram, run: KernelRun, signs: np.ndarray, output: int, rows: np.ndarray
) -> np.ndarray:
    """The signed numbers of mistakes on `rows` in a run on these alone, in the order of the whole
    run; Refuted, if a decision is not certain."""
    y, edge = signs[rows].astype(np.float64), (AT_ZERO[run.update_at_zero] * signs >= 0)[rows]
    made, value, size = np.zeros(rows.size), np.zeros(rows.size), np.zeros(rows.size)
    updates, pull = 0, 0.0
    random = np.random.default_rng([run.seed, output])
    place = np.full(signs.size, -1)
    place[rows] = np.arange(rows.size)
    for epoch in range(run.epochs):
        cost = updates * rows.size + epoch * (signs.size if run.order == "shuffled" else rows.size)
        short = cost <= LONGEST_RERUN and epoch + updates <= LONGEST_STEPS
        require(short, "the run is longer than a checker is asked to repeat.")
        visits, before = place[rows], updates
        if run.order == "shuffled":
            visits = place[random.permutation(np.arange(signs.size))]
            visits = visits[visits >= 0]
        while visits.size:
            margin, slack = y[visits] * value[visits], gram.slack(updates, size, pull, visits)
            level = (margin == 0) & (slack == 0)
            going = np.where(level, ~edge[visits], margin > slack)
            if np.all(going):
                break
            first = int(np.argmin(going))
            t = int(visits[first])
            require(
                level[first] or margin[first] < -slack[first],
                f"example {rows[t]} is too close to a score of 0 in the run to be decided.",
            )
            updates += 1
            pull += float(gram.lengths[t])
            made[t] += y[t]
            value += y[t] * gram.values[:, t]
            size += np.abs(gram.values[:, t])
            visits = visits[first + 1 :]
        if updates == before:
            break
    return made
