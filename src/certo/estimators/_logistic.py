"""One logistic problem: posed, minimised as far as it can be, and certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import logsumexp
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, column_or_1d

from certo.certificates import CannotClaim, Labels, LogisticExcess, NoEstimate, NotClaimed, Sample
from certo.certificates.curvature import inverse_factor
from certo.estimators import _input, _stream
from certo.solvers.dependence import (
    Combinations,
    kept_columns,
    minimum_norm,
    others,
    with_constant,
)
from certo.solvers.least_squares import least_squares
from certo.solvers.logistic import LogisticOutcome, NewtonTrace, logistic
from certo.solvers.recession import Recession, column_recession, recession

SHARE = 0.25  # of tol: what a direction that separates may still cost where it is cut off
SMALLEST = 1e-280  # what that can be
DOUBTFUL = ("optimal", "runs away", "no progress")  # stops after which a minimiser is asked for
CLEAR = 1e-9  # of a column's square, left by the others: no rounding makes this
NEAR = 1e-9  # a last decrement after which the Hessian no longer changes, to the digits shown


class Problem(NamedTuple):
    """(1/S) Σ s_t ℓ_t + (ridge/2)‖w‖², to be made small; s_t the product of two weights."""

    X: Any
    codes: np.ndarray  # the place of every label among the classes
    classes: np.ndarray
    class_weight: np.ndarray | None  # None: all 1
    sample_weight: np.ndarray | None
    intercept: str
    ridge: float

    @property
    def weights(self) -> np.ndarray | None:
        if self.class_weight is None:
            return self.sample_weight
        own = self.class_weight[self.codes]
        return own if self.sample_weight is None else own * self.sample_weight

    @property
    def by_class(self) -> np.ndarray:
        """Σ s_t over the examples of each class."""
        weights, count = self.weights, len(self.classes)
        return np.bincount(self.codes, weights, count).astype(np.float64)

    @property
    def lifted(self) -> bool:
        return self.intercept == "free"

    @property
    def columns(self) -> int:
        return self.X.shape[1] + self.lifted

    @property
    def labels(self) -> Labels:
        return Labels(tuple(self.classes.tolist()), len(self.classes) - 1)

    @property
    def sample(self) -> Sample:
        return Sample(self.X, self.codes)

    def scores(self, coef: np.ndarray, intercept: np.ndarray) -> np.ndarray:
        return safe_sparse_dot(self.X, coef.T, dense_output=True) + intercept

    def risk(self, coef: np.ndarray, intercept: np.ndarray) -> float:
        """The mean loss."""
        scores = self.scores(coef, intercept)
        if scores.shape[1] == 1:
            scores = np.column_stack([np.zeros(len(scores)), scores])
        own = scores[np.arange(len(scores)), self.codes]
        return float(np.average(logsumexp(scores, axis=1) - own, weights=self.weights))


def posed(machine, X, y, sample_weight) -> Problem:
    """From the settings of a machine, the labels and the weights of its examples."""
    targets = _stream.one_label_each(machine, _input.targets(machine, y))
    classes, y = targets.classes, column_or_1d(y)
    two = len(classes) == 2
    codes = targets.signs[0] > 0 if two else np.argmax(targets.signs, axis=0)
    weights = by_class = None
    if sample_weight is not None:
        weights = _check_sample_weight(sample_weight, y, dtype=np.float64, ensure_non_negative=True)
    if machine.class_weight is not None:
        by_class = compute_class_weight(
            machine.class_weight, classes=classes, y=y, sample_weight=weights
        )
    problem = Problem(
        X, codes.astype(np.int64), classes, by_class, weights,
        machine.intercept, float(machine.ridge),
    )  # fmt: skip
    sums = problem.by_class
    missing = np.flatnonzero(sums == 0)
    if missing.size:
        raise ValueError(
            "sample_weight must be positive for some example of every class, but it is zero "
            f"for all of class {classes[missing[0]].item()!r}. Leave these examples out."
        )
    if not np.sum(sums) < np.inf:
        raise ValueError("the sum of the weights must be within float64. Divide them by it.")
    return problem


class Limits(NamedTuple):
    """When to stop, and how to step."""

    tol: float
    max_iter: int
    risk_threshold: float | None = None
    solver: str = "damped"
    asked: Callable[[], bool] = lambda: False
    after_step: Callable[[int, float], bool] = lambda steps, risk: False


class Basis(NamedTuple):
    """Independent columns of x̃, the others as combinations of them, and L with LLᵀ = H⁻¹ over the
    independent ones, for classes against the last."""

    kept: np.ndarray
    combinations: Combinations
    factor: np.ndarray | None


class Fitted(NamedTuple):
    """What was found."""

    coef: np.ndarray
    intercept: np.ndarray
    problem: Problem  # that was solved
    outcomes: tuple[LogisticOutcome, ...]  # the last one for what no direction separates
    basis: Basis
    excess: LogisticExcess | NotClaimed
    separation: Recession | None = None
    nothing_left: bool = False  # since directions separate all examples

    @property
    def gap(self) -> float:
        return np.inf if isinstance(self.excess, NotClaimed) else self.excess.gap

    @property
    def settled(self) -> bool:
        """Whether what is left has a minimiser, so that no direction separates more."""
        if self.nothing_left:
            return True
        return isinstance(self.excess, LogisticExcess) and self.excess.proof != "none"

    @property
    def exists(self) -> bool | None:
        """Whether the likelihood has a maximum; None: that is not settled."""
        if self.separation is not None:
            return False
        return True if isinstance(self.excess, LogisticExcess) and self.excess.exists else None

    @property
    def stopped(self) -> str:
        return self.outcomes[-1].stopped if self.outcomes else "optimal"

    @property
    def steps(self) -> int:
        return sum(outcome.steps for outcome in self.outcomes)


def minimised(
    problem: Problem, limits: Limits, *, beyond: bool = True, start=None
) -> Fitted | Recession:
    """Weights of the least risk. Where there is no least, of one within tol of its infimum; or, if
    that is not wanted (not `beyond`), the direction along which it falls for ever."""
    places = (problem.X, problem.codes, len(problem.classes), problem.lifted)
    rows = None if problem.weights is None else problem.weights > 0
    known = column_recession(*places, rows=rows) if problem.ridge == 0 else None
    outcomes: tuple[LogisticOutcome, ...] = ()
    doubts = True
    while known is None or beyond:
        alive = None if known is None else _left(problem, known)
        left = alive is None or _counting(alive, problem.codes).any()
        if left:
            steps = sum(outcome.steps for outcome in outcomes)
            outcomes += (_solved(problem, limits, alive, start, steps, doubts),)
        last = outcomes[-1] if left else None
        basis = _basis(problem, last, alive)
        weights = _shortest(problem, last, basis)
        if known is not None:
            weights = _pushed(problem, *weights, known, SHARE * limits.tol)
        excess = _excess(problem, *weights, alive, basis)
        found = Fitted(*weights, problem, outcomes, basis, excess, known, not left)
        if last is None or found.settled or last.stopped not in DOUBTFUL:
            return found
        guess = np.column_stack([last.coef, last.intercept])[:, : problem.columns]
        more = recession(*places, rows=rows, known=known, guess=guess) if doubts else known
        start = (last.coef, last.intercept)
        if more is None or (known is not None and not np.any(more.strict & ~known.strict)):
            if last.stopped != "runs away":
                return found
            doubts = False
        else:
            known = more
    return known


def _left(problem: Problem, known: Recession) -> np.ndarray:
    """What the direction does not separate: examples, or classes for each."""
    if problem.weights is None:
        return ~known.strict
    counts = problem.weights > 0
    return ~known.strict & (counts if known.strict.ndim == 1 else counts[:, None])


def _counting(alive: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """The examples with a class that counts besides their own."""
    if alive.ndim == 1:
        return alive
    return alive.sum(axis=1) > alive[np.arange(codes.size), codes]


def _solved(
    problem: Problem, limits: Limits, alive, start, steps: int, doubts=True
) -> LogisticOutcome:
    return logistic(
        problem.X,
        problem.codes,
        len(problem.classes),
        sample_weight=problem.weights,
        intercept=problem.intercept,
        ridge=problem.ridge,
        alive=alive,
        start=start,
        solver=limits.solver,
        tol=(1 - 2 * SHARE) * limits.tol,
        risk_threshold=limits.risk_threshold,
        max_iter=limits.max_iter - steps,
        doubts=doubts,
        asked=limits.asked,
        after_step=limits.after_step,
    )


def _basis(problem: Problem, outcome: LogisticOutcome | None, alive) -> Basis:
    p, vectors = problem.columns, len(problem.classes) - 1
    if outcome is None or outcome.hessian is None:
        return Basis(np.arange(p), (), None)
    blocks = outcome.hessian.reshape(vectors, p, vectors, p)
    gram = np.einsum("kikj->ij", blocks)
    kept, combined = np.arange(p), ()
    if not problem.ridge and (alive is not None or not _clearly_independent(gram, problem.lifted)):
        kept, combined = _independent(problem, alive)
    among = blocks[:, kept][..., kept].reshape(2 * (vectors * kept.size,))
    return Basis(kept, combined, inverse_factor(among))


def _clearly_independent(gram: np.ndarray, lifted: bool) -> bool:
    squares = np.diag(gram)
    if not np.all(squares > 0) or kept_columns(gram, lifted, CLEAR).size < len(gram):
        return False
    spread = (squares - gram[-1] ** 2 / squares[-1])[:-1] if lifted else squares
    return bool(np.all(spread > CLEAR * squares[: spread.size]))


def _independent(problem: Problem, alive) -> tuple[np.ndarray, Combinations]:
    """Columns of x̃ that combine to all others, on the examples that count, and how."""
    weights = np.ones(len(problem.codes)) if problem.weights is None else problem.weights
    if alive is not None:
        weights = weights * _counting(alive, problem.codes)
    codes = problem.codes[:, None].astype(np.float64)
    found = least_squares(problem.X, codes, weights=weights, lifted=problem.lifted)
    if found.kept is None or found.combinations is None:
        return np.arange(problem.columns), ()
    kept, combined = found.kept, found.combinations
    if problem.lifted and combined:
        row = problem.X[[int(np.argmax(weights))]]
        row = (row.toarray() if sparse.issparse(row) else row)[0]
        slopes, rest = [line[:-1] for line in combined], others(kept, problem.columns)
        combined = with_constant(slopes, kept[:-1], rest, row)
    return kept, combined


def _shortest(problem: Problem, outcome: LogisticOutcome | None, basis: Basis):
    """The coefficients of the least norm that have the same scores, and the intercepts."""
    outputs = 1 if len(problem.classes) == 2 else len(problem.classes)
    if outcome is None:
        return np.zeros((outputs, problem.X.shape[1])), np.zeros(outputs)
    if not basis.combinations:
        return outcome.coef, outcome.intercept
    stacked = np.column_stack([outcome.coef, outcome.intercept])[:, : problem.columns]
    rest = others(basis.kept, problem.columns)
    a = stacked[:, basis.kept] + stacked[:, rest] @ np.array(basis.combinations, dtype=np.float64)
    return minimum_norm(a, basis.kept, basis.combinations, problem.lifted)


def _pushed(problem: Problem, coef, intercept, known: Recession, budget: float):
    """Weights so far along the direction that what it separates costs at most `budget`.

    An example adds Σ e^{−margin} at most to the mean loss of what is left, over the classes it is
    separated from; its margins grow with the number of steps t by slopes that are positive. t is a
    power of two: the direction's own numbers, whole ones mostly, are not rounded then.
    """
    u, d = np.array(known.coef, dtype=np.float64), problem.X.shape[1]
    across, along = u[:, :d], u[:, d:].sum(axis=1)
    margins, slopes = (
        _margins(problem.scores(*part), problem.codes)[known.strict]
        for part in ((coef, intercept), (across, along))
    )
    far = np.log((len(problem.classes) - 1) / max(budget, SMALLEST))
    t = np.max((far - margins[slopes > 0]) / slopes[slopes > 0], initial=1.0)
    t = 2.0 ** np.ceil(np.log2(t))
    coef, intercept = coef + t * across, intercept + t * along
    if len(coef) == 1:
        return coef, intercept
    return coef - coef.mean(axis=0), intercept - intercept.mean()


def _margins(scores: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """How far the score of an example's own class is above the others'."""
    if scores.shape[1] == 1:
        return np.where(codes == 1, scores[:, 0], -scores[:, 0])
    return scores[np.arange(codes.size), codes][:, None] - scores


def _excess(problem: Problem, coef, intercept, alive, basis: Basis) -> LogisticExcess | NotClaimed:
    try:
        return LogisticExcess.of(
            problem.sample,
            problem.labels,
            coef=coef,
            intercept=intercept,
            treatment=problem.intercept,
            ridge=problem.ridge,
            class_weight=problem.class_weight,
            sample_weight=problem.sample_weight,
            alive=alive,
            **basis._asdict(),
        )
    except CannotClaim as reason:
        return NotClaimed("LogisticExcess", str(reason))


def hessian(found: Fitted) -> np.ndarray:
    """That of the mean loss at the weights found, for classes against the last."""
    last = found.outcomes[-1]
    if last.hessian is None or last.decrement > NEAR:
        here = (found.coef, found.intercept)
        last = _solved(found.problem, Limits(0.0, 0), None, here, 0)
    return last.hessian


def null_log_likelihood(problem: Problem) -> float:
    """The highest with intercepts alone, the shares of the classes; if there are none, that of
    equal probabilities."""
    sums = problem.by_class
    shares = sums / sums.sum() if problem.lifted else np.full(sums.size, 1 / sums.size)
    return float(np.sum(sums * np.log(shares)))


def no_estimate(problem: Problem, found: Recession) -> NoEstimate | NotClaimed:
    """The proof that the direction is one."""
    try:
        return NoEstimate.of(
            problem.sample, problem.labels, problem.intercept, found.coef, problem.weights
        )
    except CannotClaim as reason:
        return NotClaimed("NoEstimate", str(reason))


def joined(outcomes: tuple[LogisticOutcome, ...]) -> NewtonTrace:
    """What happened, one solution after another."""
    traces = [outcome.trace for outcome in outcomes]
    parts = {
        f.name: np.concatenate([getattr(trace, f.name) for trace in traces] or [np.zeros(0)])
        for f in fields(NewtonTrace)
    }
    ends = np.cumsum([0.0, *(trace.seconds[-1] for trace in traces)])
    before = [
        np.full(trace.seconds.size, end) for trace, end in zip(traces, ends[:-1], strict=True)
    ]
    parts["seconds"] = parts["seconds"] + np.concatenate([*before, np.zeros(0)])
    return NewtonTrace(**parts)
