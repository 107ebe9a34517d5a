"""Where machines are learned: among hyperplanes over vectors, or functions of a kernel's space.

Both kinds of `Space` have the same methods. They pose a problem to the solver of their kind:

soft_margin, hard_margin, pegasos   the outcome for the examples with these signs
sample                              the examples, with these signs, as claims take them
scores, known_of, answer, margins   what the claim about an outcome is issued from
among                               products with Σ dual_coef_t x_t, and squared lengths, of some
                                    examples, a lifted intercept left out
keep, keep_steps                    set what predictions and later calls need

`problems` is the number of problems that will be posed about the same examples, `square` bounds the
squared length of an example in the space, `m` is the number of examples of this
call, and `new_rows` are their places among all.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms, safe_sparse_dot

from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.images import ImageMargins, KernelSample, functions_of, needed_shift
from certo.certificates.spaces.space import Machine
from certo.certificates.spaces.vectors import Margins
from certo.containers import count
from certo.estimators import _input
from certo.estimators._gram_proofs import proved_shift
from certo.estimators._limits import Limits, has_callbacks
from certo.estimators._linear import forget
from certo.facts import InputError
from certo.issue.machines import function, hyperplane
from certo.kernels.base import Kernel
from certo.kernels.precomputed import Precomputed
from certo.kernels.semidefinite import IF_ROUNDING, NotPositive, check_gram, symmetrised
from certo.kernels.strips import gram_in_strips
from certo.numbers.exact import allowance
from certo.solvers import gram
from certo.solvers.hard_margin import MarginOutcome, hard_margin
from certo.solvers.kernel_active_set import finish_soft_margin
from certo.solvers.kernel_hard_margin import KernelMarginOutcome, kernel_hard_margin
from certo.solvers.kernel_pegasos import kernel_pegasos
from certo.solvers.kernel_soft_margin import KernelOutcome, kernel_soft_margin
from certo.solvers.kernel_steps import GramRows
from certo.solvers.pegasos import MAX_TRACE_NUMBERS, PegasosOutcome, PegasosState, pegasos
from certo.solvers.small_kernel import MAX_SMALL_ROWS, SmallGram
from certo.solvers.small_soft_margin import SmallRows
from certo.solvers.soft_margin import SoftOutcome, soft_margin
from certo.stop import Asked, Stop
from certo.words import refusals

FINISH_BELOW_ROWS = 200  # Up to so many examples are solved as exactly as float64 allows.
MAX_FINISHED_ROWS = 1000  # Up to so many, where nothing else reaches the goal.
PASSES_BEFORE_FINISH = 10  # Passes of a quicker solver before that.
GRAM_COPIES_TO_FINISH = 5  # Gram matrices in memory that this needs
NEGLIGIBLE_ALLOWANCE = 1e-3  # A part of the gap not worth another pass over the kernel.
CHECKED_ROWS = 100  # Examples on which a function is tried before it is trusted.


class Vectors:
    """Hyperplanes w·x + b."""

    kernel = None
    problems = 1
    _room = np.empty(0, np.float32)

    def __init__(self, machine, X, fresh: bool = True):
        self.machine, self.X, self.intercept, self.fresh = machine, X, machine.intercept, fresh
        self.m, self.width = X.shape
        self.computed_square = _input.longest_example(machine, X)
        self.square = self.computed_square + allowance(X.shape[1], self.computed_square)

    def sample(self, signs: np.ndarray) -> Sample:
        return Sample(self.X, signs)

    def room(self, m: int) -> np.ndarray:
        """Memory for the inner products of m examples, the same for all parts."""
        if self._room.size < m * m:
            self._room = np.empty(m * m, np.float32)
        return self._room

    @cached_property
    def _rng(self) -> np.random.Generator:
        random = check_random_state(self.machine.random_state)
        return np.random.default_rng(random.randint(2**31 - 1))

    @cached_property
    def _small_rows(self) -> SmallRows | None:
        """For few examples, unless callbacks want to hear of every look."""
        suits = SmallRows.suits(self.X) and not has_callbacks(self.machine)
        return SmallRows(self.X, self.intercept) if suits else None

    def soft_margin(self, signs, costs, start, limits: Limits) -> SoftOutcome:
        if start is None and self._small_rows is not None and not limits.asked():
            found = self._small_rows.soft_margin(signs, costs, limits.tol, limits.max_iter)
            if found is not None:
                return found
        return soft_margin(
            self.X, signs, costs, self.intercept, start=start, rng=self._rng,
            alone=self.problems == 1, **limits._asdict(),
        )  # fmt: skip

    def scores(self, outcome: Any) -> np.ndarray:
        if outcome.scores is None:
            return safe_sparse_dot(self.X, outcome.w, dense_output=True)
        return outcome.scores

    def known_of(self, outcome: Any) -> dict[str, Any]:
        return {"coef": outcome.w, "known": (self.square, outcome.scores)}

    def among(self, rows, dual_coef) -> tuple[np.ndarray, np.ndarray]:
        part = self.X[rows]
        v = safe_sparse_dot(part.T, dual_coef, dense_output=True)
        products = safe_sparse_dot(part, v, dense_output=True)
        return products, row_norms(part, squared=True).astype(np.float64)

    def hard_margin(self, signs, limits: Limits) -> MarginOutcome:
        radius = float(np.sqrt(self.computed_square))
        return hard_margin(self.X, signs, self.intercept, radius, **limits._asdict())

    def pegasos(
        self, output: int, targets: _input.Targets, lam: float, steps: int, **settings
    ) -> PegasosOutcome:
        model = self.machine
        start = None if self.fresh else _state(model, output, model._sums[output])
        return pegasos(
            self.X, targets.signs[output], lam, steps, start=start,
            keep=answers_kept(targets, self.X.shape[1]), **settings,
        )  # fmt: skip

    def answer(self, outcome: PegasosOutcome) -> Machine:
        return hyperplane(outcome.w[:-1], float(outcome.w[-1]))

    def margins(self, sample: Any, machine: Machine) -> Margins:
        return Margins.of(sample, machine.coef, machine.intercept, self.square)

    @property
    def new_rows(self) -> np.ndarray:
        return np.arange(self.m)

    def keep(self, coef: list[np.ndarray]) -> None:
        keep_hyperplanes(self.machine, coef)

    def keep_steps(self, targets: _input.Targets, outcomes: list[PegasosOutcome]) -> None:
        keep_hyperplane_steps(self.machine, outcomes)


class Functions:
    """Functions f(x) + b, f = Σ coef_i K(x_i, ·), x_i being the examples of this call and, before
    them, those that an earlier call left in the machine."""

    problems = 1

    def __init__(self, machine, kernel: Kernel, X, fresh: bool = True):
        self.machine, self.kernel, self.fresh = machine, kernel, fresh
        self.intercept, self.cache_mb = machine.intercept, float(machine.cache_mb)
        self.X, self.square, self.shift = check_images(machine, kernel, X)
        self.m = count(self.X)
        self.old = 0 if fresh else count(machine.support_vectors_)
        self._seen = 0 if fresh else machine._seen
        self._posed: tuple[Kernel, Any] | None = None
        self._gram_rows: GramRows | None = None
        self._shared: dict[str, gram.Images] = {}
        self._last_sample: KernelSample | None = None
        self.images: gram.Images | None = None  # Those of all examples, for parts of them.

    # The examples of this call, and those of earlier ones.

    @property
    def new_rows(self) -> np.ndarray:
        """The places of the examples of this call among all."""
        return np.arange(self.old, self.old + self.m)

    def all_signs(self, signs: np.ndarray) -> np.ndarray:
        """Those of the examples of this call; 0 for the old, which are not visited again."""
        return np.append(np.zeros(self.old, np.int8), signs) if self.old else signs

    @cached_property
    def examples(self) -> Any:
        """Old and new examples in one, in float64, so that the signs of scores can be trusted; for
        a precomputed kernel the matrix that claims are about, with the shift on its diagonal."""
        X = self.X
        if self.kernel.takes == "matrix":
            if self.shift and isinstance(self.kernel, Precomputed):
                X = X.copy()
                X.flat[:: self.m + 1] += self.shift
            return X
        if self.kernel.takes == "vectors":
            X = X.astype(np.float64, copy=False)
        if not self.old:
            return X
        old = self.machine.support_vectors_
        if sparse.issparse(X) or sparse.issparse(old):
            return sparse.csr_array(sparse.vstack([sparse.csr_array(old), sparse.csr_array(X)]))
        if isinstance(X, np.ndarray) and isinstance(old, np.ndarray):
            return np.concatenate([old, X])
        return self.kernel.examples([*old, *X])

    def gram_rows(self, cached: bool) -> GramRows:
        """Rows of the Gram matrix of all examples; whether they are kept."""
        cache_mb = self.cache_mb if cached else 0.0
        return GramRows(self.kernel, self.examples, self.old + self.m, cache_mb)

    def sample(self, signs: np.ndarray) -> KernelSample:
        signs = self.all_signs(signs)
        if self._last_sample is None:
            X = self.examples if self.old else self.X
            self._last_sample = KernelSample(self.kernel, X, signs, self.shift)
        else:
            self._last_sample = with_signs(self._last_sample, signs)
        return self._last_sample

    def keep(self, examples: Any, supports: np.ndarray) -> None:
        """Set what predictions need, these of the examples being the supports of any output."""
        forget(self.machine, "coef_", "_fit_examples")
        self.machine.kernel_ = self.kernel
        self.machine.support_vectors_ = self.kernel.take(examples, supports)

    def keep_stream(
        self, targets: _input.Targets, rows: list[np.ndarray], coef: list[np.ndarray]
    ) -> np.ndarray:
        """The same for a machine whose later calls go on, whose supports are numbered as they came;
        the rows of old and new examples that are supports of any output."""
        machine = self.machine
        numbers, codes = self._seen + np.arange(self.m), targets.codes()
        if not self.fresh:
            numbers = np.append(machine.support_, numbers)
            codes = np.append(machine._support_classes, codes)
        examples = self.examples
        machine._set_supports(rows, coef)
        union = machine.support_
        self.keep(examples, union)
        machine.support_, machine._support_classes = numbers[union], codes[union]
        machine._seen = self._seen + self.m
        return union

    def margins(self, sample: Any, machine: Machine) -> ImageMargins:
        """Margins for a claim, with kernel values from the fast way where there is one."""
        kernel, known = self.kernel, None
        if kernel.takes == "vectors" and machine.rows.size:
            centres = kernel.take(self.examples, machine.rows)
            known = gram.scores(kernel, self.examples, centres, machine.dual_coef)
        return next(sample.space.looks(sample, machine, known))

    # Solvers.

    def _pose(self, asked: Asked) -> tuple[Kernel, Any]:
        """The kernel and the examples as solvers take them: of objects the Gram matrix, if there is
        room for it and nobody asks to stop before it is made, since no one knows how long one value
        takes. Half of it is computed: whether it is symmetric was asked of some."""
        if self._posed is None:
            kernel, X = self.kernel, self.X
            small = kernel.takes == "objects" and 8 * self.m**2 <= self.cache_mb * 1e6
            matrix = gram_in_strips(kernel, X, lambda made, of: bool(asked())) if small else None
            if matrix is None:
                self._posed = kernel, X
            else:
                if functions_of(kernel):
                    _check_block(kernel, matrix, np.arange(self.m), self.m)
                self._posed = Precomputed(), symmetrised(matrix)
        return self._posed

    @property
    def exactly(self) -> bool:
        """Whether so few examples are solved as exactly as float64 allows."""
        return self.m <= FINISH_BELOW_ROWS

    @cached_property
    def _small_gram(self) -> SmallGram | None:
        """For few examples with room for their matrix, unless callbacks want to hear of every
        look."""
        kernel, X = self._posed or (self.kernel, self.X)
        small = (
            self.m <= MAX_SMALL_ROWS and GRAM_COPIES_TO_FINISH * 8e-6 * self.m**2 <= self.cache_mb
        )
        fits = kernel.takes == "vectors" or isinstance(kernel, Precomputed)
        suits = small and fits and not has_callbacks(self.machine)
        return SmallGram.of(kernel, X, self.intercept) if suits else None

    def _pose_all(self, asked: Asked) -> None:
        """Pose these examples, or those that they are part of."""
        self._pose(asked)

    def soft_margin(self, signs, costs, start, limits: Limits) -> KernelOutcome:
        self._pose_all(limits.asked)
        if start is None and limits.max_iter > PASSES_BEFORE_FINISH and not limits.asked():
            small, found = self._small_gram, None
            if small is not None:
                found = small.soft_margin(signs, costs, limits.tol, self.exactly, limits.asked)
            if found is not None:
                return found
        kernel, X = self._pose(limits.asked)
        m, most = signs.size, limits.max_iter
        memory = GRAM_COPIES_TO_FINISH * 8 * m**2
        few = m <= MAX_FINISHED_ROWS and most > PASSES_BEFORE_FINISH
        few = few and memory <= self.cache_mb * 1e6
        quick = limits._replace(max_iter=PASSES_BEFORE_FINISH if few else most)
        outcome = kernel_soft_margin(
            kernel, X, signs, costs, self.intercept, cache_mb=self.cache_mb, start=start,
            shared=self._shared if self.problems > 1 else None, **quick._asdict(),
        )  # fmt: skip
        asked_to = outcome.stop in (Stop.BY_HAND, Stop.CALLBACK, Stop.TIME_LIMIT)
        done = outcome.stop is Stop.CONVERGED and m > FINISH_BELOW_ROWS
        if not few or asked_to or done:
            return outcome
        matrix = kernel.plain(X, kernel.take(X, slice(None)))
        better = finish_soft_margin(
            matrix, signs, costs, self.intercept, outcome.alpha, limits.asked
        )
        stop = Stop.CONVERGED
        if better.gap > limits.tol * better.primal:
            stop = limits.asked() or Stop.NO_PROGRESS
        # What was known after the last look is what was found then.
        primal, dual = outcome.trace.primal.copy(), outcome.trace.dual.copy()
        primal[-1], dual[-1] = min(primal[-1], better.primal), max(dual[-1], better.dual)
        trace = replace(outcome.trace, primal=primal, dual=dual)
        return outcome._replace(**better._asdict(), stop=stop, trace=trace)

    def scores(self, outcome: Any) -> np.ndarray:
        return outcome.scores

    def known_of(self, outcome: Any) -> dict[str, Any]:
        tol = float(self.machine.tol)
        return {"known": outcome.scores, "enough": tol, "negligible": NEGLIGIBLE_ALLOWANCE}

    def among(self, rows, dual_coef) -> tuple[np.ndarray, np.ndarray]:
        kernel, part = self.kernel, self.kernel.points(self.X, rows)
        products = gram.scores(kernel, part, kernel.take(self.X, rows), dual_coef)
        return products, kernel.diagonal(self.X)[rows]

    def hard_margin(self, signs, limits: Limits) -> KernelMarginOutcome:
        return kernel_hard_margin(
            *self._pose(limits.asked), signs, self.intercept, cache_mb=self.cache_mb,
            **limits._asdict(),
        )  # fmt: skip

    def pegasos(
        self, output: int, targets: _input.Targets, lam: float, steps: int, **settings
    ) -> PegasosOutcome:
        start, model, total = None, self.machine, self.old + self.m
        if not self.fresh:
            sums = np.zeros((2, total))
            sums[:, : self.old] = model._sums[output]
            start = _state(model, output, sums)
        if self._gram_rows is None:
            # With fewer steps than examples, rows of the Gram matrix are hardly needed twice.
            self._gram_rows = self.gram_rows(cached=steps > self.m)
        return kernel_pegasos(
            self._gram_rows, self.all_signs(targets.signs[output]), lam, steps, start=start,
            first=self.old, keep=answers_kept(targets, total), **settings,
        )  # fmt: skip

    def answer(self, outcome: PegasosOutcome) -> Machine:
        rows = np.flatnonzero(outcome.state.sums[0])
        return function(rows, outcome.w[rows], float(outcome.w[-1]))

    def keep_steps(self, targets: _input.Targets, outcomes: list[PegasosOutcome]) -> None:
        rows = [np.flatnonzero(outcome.state.sums[0]) for outcome in outcomes]
        coef = [outcome.w[some] for outcome, some in zip(outcomes, rows, strict=True)]
        union = self.keep_stream(targets, rows, coef)
        self.machine._sums = np.array([outcome.state.sums[:, union] for outcome in outcomes])


Space = Vectors | Functions


def space_for(machine, X, *, fresh: bool = True) -> Space:
    """The space that the settings of a machine ask for, with the examples X of a call, which goes
    on from an earlier one unless it is `fresh`."""
    kernel = machine._kernel_to_fit
    if kernel is None:
        return Vectors(machine, X, fresh)
    return Functions(machine, kernel.fitted_to(X) if fresh else machine.kernel_, X, fresh)


def keep_hyperplanes(machine: Any, coef: list[np.ndarray]) -> None:
    """Set what predictions need."""
    forget(machine, "support_vectors_", "_fit_examples")
    machine.kernel_ = None
    machine.coef_ = np.array(coef)


def keep_hyperplane_steps(machine: Any, outcomes: list[PegasosOutcome]) -> None:
    """The same, and what later steps need."""
    forget(machine, "support_", "dual_coef_", "_in_output", "_support_classes", "_seen")
    keep_hyperplanes(machine, [outcome.w[:-1] for outcome in outcomes])
    machine._sums = np.array([outcome.state.sums for outcome in outcomes])


def answers_kept(targets: _input.Targets, dimension: int) -> int:
    """How many answers of each output the trace may hold."""
    return MAX_TRACE_NUMBERS // (len(targets.outputs) * (dimension + 1))


def _state(model, output: int, sums: np.ndarray) -> PegasosState:
    return PegasosState(sums, int(model.steps_[output]), float(model._harmonics[output]))


class Checked(NamedTuple):
    """Examples, and what is known of a kernel on them."""

    X: Any  # A precomputed matrix is made symmetric to the last digit.
    square: float  # The greatest K(x, x).
    shift: float  # K + shift·I is shown to be positive semi-definite, where K is precomputed


def check_images(machine, kernel: Kernel, X) -> Checked:
    """Refuses numbers beyond float64, and what is seen to be no kernel on these examples."""
    name = type(machine).__name__
    shift = 0.0
    if kernel.takes == "matrix":
        shift, X = proved_shift(X), symmetrised(X)
        shift = shift if isinstance(kernel, Precomputed) else needed_shift(X, kernel)
    with np.errstate(over="ignore", invalid="ignore"):
        diagonal = kernel.diagonal(X)
    below = np.flatnonzero(diagonal < 0)
    if below.size:
        raise NotPositive(np.eye(1, count(X), below[0])[0], float(diagonal[below[0]]))
    most = _input.LONGEST**2
    bad = np.flatnonzero(~(diagonal <= most))
    if bad.size:
        raise InputError(
            refusals.large_kernel_value, name, kernel, int(bad[0]), float(diagonal[bad[0]]), most
        )
    if kernel.takes == "objects" and not np.any(diagonal):
        warnings.warn(
            f"{kernel!r} is 0 on all examples, so {name} can tell none from another. Choose "
            "another kernel, or other settings of it.",
            UserWarning,
            stacklevel=2,
        )
    if functions_of(kernel):
        # A function may be asymmetric or indefinite: some of the examples show it, most likely.
        m = count(X)
        rows = np.unique(np.linspace(0, m - 1, min(m, CHECKED_ROWS)).astype(np.intp))
        block = kernel.plain(kernel.points(X, rows), kernel.take(X, rows))
        _check_block(kernel, block, rows, m)
    return Checked(X, float(diagonal.max()), shift)


def _check_block(kernel: Kernel, block: np.ndarray, rows: np.ndarray, m: int) -> None:
    """Refuses what is not the Gram matrix of these of m examples."""
    try:
        check_gram(block)
    except NotPositive as indefinite:
        witness = np.zeros(m)
        witness[rows] = indefinite.witness
        raise NotPositive(witness, indefinite.value) from None
    except ValueError as wrong:
        why = str(wrong).removesuffix(IF_ROUNDING)
        raise InputError(refusals.no_kernel, kernel, rows.tolist(), why) from None


def with_signs(sample: KernelSample, signs: np.ndarray) -> KernelSample:
    """The same examples with other signs; all that is known of the examples stays known."""
    twin = replace(sample, signs=signs)
    vars(twin).update({name: known for name, known in vars(sample).items() if name != "signs"})
    return twin
