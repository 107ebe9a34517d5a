"""One logistic problem: minimised as far as it can be, and certified."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import NamedTuple

import numpy as np

from certo.certificates.base import (
    CannotClaim,
    NotClaimed,
)
from certo.certificates.encoding import rounded_down
from certo.certificates.regression.factors import inverse_factor
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.separation.quasi_separable import Overlapping
from certo.estimators._independence import Relations, independent
from certo.estimators._logistic_problem import Problem, Weights
from certo.issue.labels import class_labels
from certo.issue.regression.logistic_excess import issue_logistic_excess
from certo.issue.regression.no_estimate import issue_no_estimate
from certo.issue.separation.inseparable import vector_indices
from certo.solvers.dependence import Combinations, minimum_norm, others
from certo.solvers.interrupt import Stopped, Watch
from certo.solvers.logistic import LogisticOutcome, NewtonTrace, logistic
from certo.solvers.logistic_rows import LogisticRows
from certo.solvers.recession import (
    STILL,
    Core,
    Recession,
    column_recession,
    decide_recession,
    guessed_recession,
)

SHARE = 0.25  # of tol: what a direction that separates may still cost where it is cut off
SMALLEST = 1e-280  # what that can be
LONGEST = 500  # bits of a direction's numbers, beyond which it is shortened
DOUBTFUL = ("optimal", "runs away", "no progress")  # stops after which a minimiser is asked for
FAIR = (*DOUBTFUL, "iterations", "interrupted")  # and those after which weights may be running
FINEST = 1e-14  # what a solution is sharpened to where tol was not enough for a proof
RUNNING = 0.45  # of the decrement, left by a last step: with a minimiser less, without it e^−½
COSTS = (1.0, 64.0, 2.0**12, 2.0**18)  # of SHARE·tol: what terms that are dropped may cost, in turn


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

    weights: Weights
    problem: Problem  # that was solved
    outcomes: tuple[LogisticOutcome, ...]  # the last one for what no direction separates
    basis: Basis
    excess: LogisticExcess | NotClaimed
    separation: Recession | None = None
    nothing_left: bool = False  # since the direction separates all examples
    overlap: Overlapping | None = None  # that there is no such direction

    @property
    def gap(self) -> float:
        return np.inf if isinstance(self.excess, NotClaimed) else self.excess.gap

    @property
    def infimum(self) -> float:
        return -np.inf if isinstance(self.excess, NotClaimed) else self.excess.lower

    @property
    def settled(self) -> bool:
        """Whether what is left has a minimiser, so that no direction separates more."""
        proved = isinstance(self.excess, LogisticExcess) and self.excess.proof != "none"
        return self.nothing_left or proved

    @property
    def exists(self) -> bool | None:
        """Whether there are weights of the least risk; None: that is not settled."""
        if self.separation is not None:
            return False
        if self.overlap is not None:
            return True
        return True if isinstance(self.excess, LogisticExcess) and self.excess.exists else None

    @property
    def rank(self) -> int | None:
        """Of the columns, centred if there is an intercept; None: it was not looked for."""
        if self.problem.ridge or self.nothing_left or self.outcomes[-1].hessian is None:
            return None
        return self.basis.kept.size - self.problem.lifted

    @property
    def near(self) -> str:
        """Of which coefficients alone the infimum is proved; empty: of all."""
        if isinstance(self.excess, NotClaimed) or self.excess.reach is None:
            return ""
        count = self.excess.nearly.size
        columns, kind = ("1 column", "a combination") if count == 1 else (
            f"{count:,} columns", "combinations"
        )  # fmt: skip
        return (
            f" among coefficients of which those of {columns}, nearly {kind} of others, differ "
            f"from these by at most {rounded_down(self.excess.reach, 2)} in all; whether others "
            "have less is not known"
        )

    @property
    def dropped(self) -> bool:
        """Whether the claim leaves terms out."""
        return isinstance(self.excess, LogisticExcess) and self.excess.dropped.size > 0

    @property
    def stopped(self) -> str:
        return self.outcomes[-1].stopped if self.outcomes else "optimal"

    @property
    def steps(self) -> int:
        return sum(outcome.steps for outcome in self.outcomes)


def minimised(
    problem: Problem,
    limits: Limits,
    *,
    beyond: bool = True,
    start: Weights | None = None,
    known: Recession | None = None,
) -> Fitted | Recession:
    """Weights of the least risk. Where there is no least, of one within tol of its infimum; or, if
    that is not wanted (not `beyond`), the direction along which it falls for ever, if one is found
    without a search.

    Directions along single columns are looked for first. What is left is solved, and certified:
    that may prove a minimum. Where weights run away, they may lead to a direction at once; then it
    begins again without what that separates. Else they run until no more than tol can be gained,
    and the claim is about what is left without the terms that have become very small: no search
    for an exact direction stands before the answer. See `existence` for that; what it found may
    be `known` here.
    """
    if known is None and not problem.ridge:
        known = column_recession(*_places(problem), rows=problem.counting)
    outcomes: tuple[LogisticOutcome, ...] = ()
    tol, doubts = limits.tol, True
    best: Fitted | None = None
    while known is None or beyond:
        alive = None if known is None else _left(problem, known)
        last = None
        if alive is None or _undecided(problem, alive).any():
            steps = sum(outcome.steps for outcome in outcomes)
            allowed = limits._replace(tol=tol, max_iter=limits.max_iter - steps)
            last = _solved(problem, allowed, alive, start, doubts)
            outcomes += (last,)
            start = Weights(last.coef, last.intercept)
            if last.stopped == "runs away" and not limits.asked():
                more = _guessed(problem, known, start)
                known, doubts = more or known, more is not None
                continue
        if last is None:
            found = _certified(problem, limits, outcomes, None, alive, known)
            return _better(found, _plainly(problem, limits, found, start))
        running = not problem.ridge and last.stopped in FAIR and _runs(problem, last)
        if not running:
            best = _better(best, _certified(problem, limits, outcomes, last, alive, known))
            if best.settled or last.stopped not in DOUBTFUL:
                return best
        dropping = problem, limits, outcomes, last, alive, known
        if limits.asked():
            found = best or _with_small_terms_dropped(*dropping)
            return found._replace(outcomes=(*outcomes[:-1], last._replace(stopped="interrupted")))
        if last.stopped not in DOUBTFUL:
            return _with_small_terms_dropped(*dropping)
        if not running and last.stopped == "optimal" and tol > FINEST:
            tol = FINEST
            continue
        more = _guessed(problem, known, Weights(last.coef, last.intercept))
        if more is None:
            found = _better(best, _with_small_terms_dropped(*dropping))
            return _better(found, _plainly(problem, limits, found, start))
        known, doubts = more, True
    return known


def _plainly(problem: Problem, limits: Limits, found: Fitted, start: Weights | None) -> Fitted:
    """The same, if tol was reached, or no direction was used. Else one may have led too far for
    float64: Newton's steps alone, whatever separates the examples."""
    steps = limits.max_iter - found.steps
    if found.gap <= limits.tol or found.separation is None or limits.asked() or steps <= 0:
        return found
    last = _solved(problem, limits._replace(max_iter=steps), None, start, False)
    outcomes = (*found.outcomes, last)
    again = _with_small_terms_dropped(problem, limits, outcomes, last, None, None)
    return again._replace(separation=found.separation)


def _better(best: Fitted | None, found: Fitted) -> Fitted:
    """That of which more is proved; else that of the smaller risk."""
    if best is None:
        return found

    def worth(one: Fitted) -> tuple[float, float]:
        return one.gap, one.problem.risk(one.weights)

    return min(found, best, key=worth)._replace(outcomes=found.outcomes)


def _runs(problem: Problem, outcome: LogisticOutcome) -> bool:
    """Whether the last steps were not those of Newton's method near a minimiser, which square the
    decrement and move little, but divided it, as where there is none."""
    decrements = outcome.trace.decrement[-3:]
    decrements = decrements[np.isfinite(decrements)]
    slow = decrements.size > 1 and decrements[-1] > RUNNING * decrements[-2] > 0
    return bool(slow and np.any(_moving(problem, outcome)))


def _places(problem: Problem) -> tuple:
    return problem.X, problem.codes, len(problem.classes), problem.lifted


def _guessed(problem: Problem, known: Recession | None, run: Weights) -> Recession | None:
    """What is known, and what weights that ran separate beyond it; None if that is nothing."""
    guess = np.column_stack(run)[:, : problem.columns]
    return guessed_recession(
        *_places(problem), rows=problem.counting, known=known, guess=guess
    )  # fmt: skip


class Existence(NamedTuple):
    """A direction along which the risk falls for ever, or a proof that there is none; neither: it
    is not decided."""

    separation: Recession | None = None
    overlap: Overlapping | None = None


def existence(problem: Problem, weights: Weights, watch: Watch) -> Existence:
    """Whether there are weights of the least risk, decided by linear programs in exact arithmetic
    if the watch leaves them the time. `weights` are of a risk near the infimum: they lead the way.
    """
    if watch.stop():
        return Existence()
    step = _step(problem, _look(problem, None, weights))
    guess = np.column_stack(weights)[:, : problem.columns]
    try:
        more, why = decide_recession(
            *_places(problem), rows=problem.counting, guess=guess, step=step, watch=watch
        )
    except Stopped:
        return Existence()
    return Existence(more, None if more is not None or why is None else _overlap(problem, why))


def _overlap(problem: Problem, why: Core) -> Overlapping | None:
    """The proof that no direction separates any examples; None if some do not count."""
    if problem.counting is not None and not np.all(problem.counting):
        return None
    (m, d), labels = problem.X.shape, class_labels(problem.labels.classes)
    vectors = vector_indices(labels, why.rows, why.against)
    return Overlapping(labels, problem.intercept, m, d, vectors, why.weights)


def _certified(problem: Problem, limits: Limits, outcomes, last, alive, known) -> Fitted:
    """The solution, beyond what is known to be separated, and what can be claimed of it."""
    basis = _basis(problem, last, alive)
    weights = _shortest(problem, last, basis)
    if known is not None:
        weights = _pushed(problem, weights, known, SHARE * limits.tol)
    excess = _excess(problem, weights, alive, basis)
    return Fitted(weights, problem, outcomes, basis, excess, known, last is None)


def _with_small_terms_dropped(
    problem: Problem, limits: Limits, outcomes, last: LogisticOutcome, alive, known
) -> Fitted:
    """The weights that ran, as they are, and a claim about what is left when the terms are dropped
    that have become smallest.

    Dropping terms only lowers the infimum, whether a direction separates them or not: the claim is
    true in any case, and the gap is what they cost, and what else is above the infimum. If nothing
    can be shown of what is left, more is dropped."""
    # Relations of columns are those of all rows: the terms that ran have little curvature left.
    evenly = _look(problem, alive, Weights(0 * last.coef, 0 * last.intercept))
    weights = _shortest(problem, last, _basis(problem, evenly, alive))
    if known is not None:
        weights = _pushed(problem, weights, known, SHARE * limits.tol)
    terms, moving = _terms(problem, weights), _moving(problem, last)
    choices = [(moving, SHARE * limits.tol)] if np.any(moving) else []
    choices += [(np.ones_like(moving), times * SHARE * limits.tol) for times in COSTS]
    best, before = None, None
    for among, cost in choices:
        left = _without_small_terms(problem, terms, alive, among, cost)
        if before is not None and np.array_equal(left, before):
            continue
        before, nothing = left, not _undecided(problem, left).any()
        basis = _basis(problem, None if nothing else _look(problem, left, weights), left)
        excess = _excess(problem, weights, left, basis)
        best = _better(best, Fitted(weights, problem, outcomes, basis, excess, known, nothing))
        if best.settled:
            break
    assert best is not None
    return best


def certified_again(problem: Problem, weights: Weights) -> Fitted:
    """What there is at the weights of an earlier fit, as far as standard errors need it."""
    here = _look(problem, None, weights)
    basis = _basis(problem, here, None)
    return Fitted(weights, problem, (here,), basis, NotClaimed("LogisticExcess", "made before"))


def _look(problem: Problem, alive: np.ndarray | None, weights: Weights) -> LogisticOutcome:
    """What there is at these weights, for these terms: no step is taken."""
    return _solved(problem, Limits(SMALLEST, 0), alive, weights, False)


def _terms(problem: Problem, weights: Weights) -> np.ndarray:
    """e^{−margin} times the share of its example: no term adds more than this to the risk."""
    margins = problem.margins(weights)
    share = np.ones(len(margins)) if problem.weights is None else problem.weights
    share = (share / problem.total).reshape(-1, *[1] * (margins.ndim - 1))
    with np.errstate(over="ignore", invalid="ignore"):
        return share * np.exp(-margins)


def _step(problem: Problem, outcome: LogisticOutcome) -> np.ndarray | None:
    """The last Newton step, one vector for each output."""
    step = outcome.direction
    if step is None or problem.outputs == 1:
        return step
    return np.vstack([step, np.zeros(step.shape[1])])


def _moving(problem: Problem, outcome: LogisticOutcome) -> np.ndarray:
    """The margins that the last Newton step moves. Near the infimum a step moves nothing that is
    not separated, and what is, and matters most, by 1: e^{−margin} is divided by e."""
    step, d = _step(problem, outcome), problem.X.shape[1]
    if step is None:
        m, K = len(problem.codes), problem.outputs
        return np.zeros(m if K == 1 else (m, K), dtype=bool)
    along = Weights(step[:, :d], step[:, d:].sum(axis=1))
    return np.abs(problem.margins(along)) > STILL


def _without_small_terms(
    problem: Problem, terms: np.ndarray, alive: np.ndarray | None, among: np.ndarray, cost: float
) -> np.ndarray:
    """What is alive without the smallest terms among these that together are at most `cost`."""
    left = np.ones(terms.shape, dtype=bool) if alive is None else alive.copy()
    may = left & among
    if terms.ndim > 1:
        may[np.arange(len(may)), problem.codes] = False
    places = np.flatnonzero(may)
    places = places[np.argsort(terms.ravel()[places], kind="stable")]
    left.ravel()[places[np.cumsum(terms.ravel()[places]) <= cost]] = False
    return left


def _left(problem: Problem, known: Recession) -> np.ndarray:
    """What the direction does not separate: examples, or for each the classes, its own always."""
    left = ~known.strict
    if problem.counting is not None:
        left[~problem.counting] = False
    if left.ndim > 1:
        left[np.arange(len(left)), problem.codes] = True
    return left


def _undecided(problem: Problem, alive: np.ndarray) -> np.ndarray:
    """The examples that have a class alive besides their own."""
    if alive.ndim == 1:
        return alive
    return alive.sum(axis=1) > alive[np.arange(len(alive)), problem.codes]


def _solved(problem: Problem, limits: Limits, alive, start, doubts=True) -> LogisticOutcome:
    return logistic(
        problem.X,
        problem.codes,
        len(problem.classes),
        sample_weight=problem.weights,
        intercept=problem.intercept,
        ridge=problem.ridge,
        alive=alive,
        start=start,
        doubts=doubts,
        **limits._replace(tol=(1 - 2 * SHARE) * limits.tol)._asdict(),
    )


def _basis(problem: Problem, outcome: LogisticOutcome | None, alive) -> Basis:
    p, vectors = problem.columns, len(problem.classes) - 1
    if outcome is None or outcome.hessian is None:
        return Basis(np.arange(p), (), None)
    blocks = outcome.hessian.reshape(vectors, p, vectors, p)
    relations = Relations(np.arange(p), ())
    if not problem.ridge:
        undecided = problem.counting if alive is None else _undecided(problem, alive)
        gram = np.einsum("kikj->ij", blocks)  # Σ x̃x̃ᵀ, weighted
        relations = independent(problem.X, undecided, gram, problem.lifted)
    kept = relations.kept
    among = blocks[:, kept][..., kept].reshape(2 * (vectors * kept.size,))
    return Basis(*relations, inverse_factor(among))


def _shortest(problem: Problem, outcome: LogisticOutcome | None, basis: Basis) -> Weights:
    """Those of the least norm that have the same scores, intercepts not counted; None: 0."""
    if outcome is None:
        return Weights(np.zeros((problem.outputs, problem.X.shape[1])), np.zeros(problem.outputs))
    weights = Weights(outcome.coef, outcome.intercept)
    if not basis.combinations:
        return weights
    stacked = np.column_stack(weights)[:, : problem.columns]
    rest = others(basis.kept, problem.columns)
    a = stacked[:, basis.kept] + stacked[:, rest] @ np.array(basis.combinations, dtype=np.float64)
    return Weights(*minimum_norm(a, basis.kept, basis.combinations, problem.lifted))


def _pushed(problem: Problem, weights: Weights, known: Recession, budget: float) -> Weights:
    """So far along the direction that what it separates costs at most `budget`.

    An example adds Σ e^{−margin} at most to the mean loss of what is left, over the classes it is
    separated from; its margins grow with the number of steps t by slopes that are positive. t is a
    power of two: the direction's own numbers, whole ones mostly, are not rounded then.
    """
    d, peak = problem.X.shape[1], max(abs(c) for row in known.coef for c in row)
    unit = 2 ** max(0, int(peak).bit_length() - LONGEST)
    u = np.array([[float(c / unit) for c in row] for row in known.coef])
    along = Weights(u[:, :d], u[:, d:].sum(axis=1))
    margins, slopes = (problem.margins(part)[known.strict] for part in (weights, along))
    far = np.log((len(problem.classes) - 1) / max(budget, SMALLEST))
    t = np.max((far - margins[slopes > 0]) / slopes[slopes > 0], initial=1.0)
    t = 2.0 ** np.ceil(np.log2(t))
    coef, intercept = (a + t * b for a, b in zip(weights, along, strict=True))
    if problem.outputs == 1:
        return Weights(coef, intercept)
    return Weights(coef - coef.mean(axis=0), intercept - intercept.mean())


def _excess(problem: Problem, weights: Weights, alive, basis: Basis) -> LogisticExcess | NotClaimed:
    try:
        return issue_logistic_excess(
            problem.sample,
            problem.labels,
            treatment=problem.intercept,
            ridge=problem.ridge,
            class_weight=problem.class_weight,
            sample_weight=problem.sample_weight,
            alive=alive,
            **weights._asdict(),
            **basis._asdict(),
        )
    except CannotClaim as reason:
        return NotClaimed("LogisticExcess", str(reason))


def no_estimate(problem: Problem, found: Recession) -> NoEstimate | NotClaimed:
    """The proof that the direction is one."""
    try:
        return issue_no_estimate(
            problem.sample, problem.labels, problem.intercept, found.coef, problem.weights
        )
    except CannotClaim as reason:
        return NotClaimed("NoEstimate", str(reason))


def curvature(found: Fitted) -> tuple[np.ndarray, np.ndarray] | None:
    """The Hessian of the mean loss at the weights found, for classes against the last and with
    x − centre in place of x; and the centre. None: it is too large."""
    if not found.outcomes or found.outcomes[-1].hessian is None:
        return None
    problem, (coef, intercept) = found.problem, found.weights
    weights = np.ones(len(problem.codes)) if problem.weights is None else problem.weights
    shares = weights / weights.sum()
    rows = LogisticRows(problem.X, problem.codes, len(problem.classes), shares, problem.lifted)
    if problem.outputs > 1:
        coef, intercept = coef[:-1] - coef[-1], intercept[:-1] - intercept[-1]
    W = np.column_stack([coef, intercept + coef @ rows.centre])[:, : problem.columns]
    lower = rows.look(W, True).hessian
    return np.tril(lower) + np.tril(lower, -1).T, rows.centre


def joined(outcomes: tuple[LogisticOutcome, ...]) -> NewtonTrace:
    """What happened, one solution after another."""
    traces = [outcome.trace for outcome in outcomes]
    parts = {
        f.name: np.concatenate([getattr(trace, f.name) for trace in traces] or [np.zeros(0)])
        for f in fields(NewtonTrace)
    }
    ends = np.cumsum([trace.seconds[-1] for trace in traces])[:-1]
    parts["seconds"] += np.repeat([0.0, *ends], [trace.seconds.size for trace in traces] or [0])
    return NewtonTrace(**parts)
