"""One logistic problem: minimised as far as it can be, and certified."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils.class_weight import compute_class_weight

from certo.certificates.base import CannotClaim
from certo.certificates.composite import NotClaimed
from certo.certificates.regression.factors import inverse_factor
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.quasi_separable import Overlapping
from certo.estimators import _input, _stream
from certo.estimators._independence import Relations, independent
from certo.facts import InputError
from certo.issue.labels import class_labels
from certo.issue.regression.logistic_excess import issue_logistic_excess
from certo.issue.regression.no_estimate import issue_no_estimate
from certo.issue.separation import vector_indices
from certo.problems.logistic import LogisticProblem, Weights, against
from certo.solvers.dependence import Combinations, minimum_norm, others
from certo.solvers.interrupt import Stopped, Watch
from certo.solvers.logistic import LogisticOutcome, logistic
from certo.solvers.logistic_rows import HEAVY_HESSIAN, LogisticRows, centred_weights
from certo.solvers.newton import NewtonLimits, NewtonTrace
from certo.solvers.recession import (
    MAX_TIED_MOVE,
    Core,
    Recession,
    column_recession,
    decide_recession,
    guessed_recession,
)
from certo.solvers.small_logistic import small_logistic
from certo.solvers.widest_direction import widest_direction
from certo.stop import Stop
from certo.words import refusals

RIDGE_PROOF_SHARE = 0.5  # The share of `tol` that the ridge's proof, which is quick, may leave.
CUT_OFF_SHARE = 0.25  # The share of `tol` that separated terms may cost where they are cut off.
MIN_COST = 1e-280  # The least that they can cost.
MAX_DIRECTION_BITS = 500  # Longer numbers of a direction are shortened.
DOUBTFUL = (Stop.CONVERGED, Stop.RUNS_AWAY, Stop.NO_PROGRESS)  # A minimiser is then asked for.
AT_ONCE = (Stop.TIME_LIMIT, Stop.BY_HAND, Stop.CALLBACK)  # Somebody waits for the answer.
UNFINISHED = (Stop.MAX_ITER, Stop.BY_HAND, Stop.TIME_LIMIT, Stop.CALLBACK)
SHARPENED_TOL = 1e-14  # What a solution is sharpened to where tol was not enough for a proof.
RUNNING_RATIO = 0.45  # Of the decrement, left by a last step: less with a minimiser, e^−½ without.
# What dropped terms may cost, in turn, in units of CUT_OFF_SHARE·tol.
DROPPED_COSTS = (1.0, 64.0, 2.0**12, 2.0**18)


def pose_problem(machine, X, y, sample_weight) -> LogisticProblem:
    """From the settings of a machine, the labels and the weights of its examples."""
    targets = _stream.one_label_each(machine, _input.targets(machine, y))
    classes, y = targets.classes, _input.as_column(y)
    codes = targets.signs[0] > 0 if len(classes) == 2 else np.argmax(targets.signs, axis=0)
    weights = by_class = None
    if sample_weight is not None:
        weights = _input.weights(machine, sample_weight, y)
    if machine.class_weight is not None:
        by_class = compute_class_weight(
            machine.class_weight, classes=classes, y=y, sample_weight=weights
        )
    problem = LogisticProblem(
        X, codes.astype(np.int64), classes, by_class, weights,
        machine.intercept, float(machine.ridge),
    )  # fmt: skip
    sums = problem.by_class
    missing = np.flatnonzero(sums == 0)
    if missing.size:
        rows = np.flatnonzero(codes == missing[0])
        raise InputError(refusals.class_without_weight, classes.tolist()[missing[0]], rows)
    if not np.sum(sums) < np.inf:
        raise InputError(refusals.unusable_weights, float(np.sum(sums)))
    return problem


class Basis(NamedTuple):
    """Independent columns of x̃, the others as combinations of them, and L with LLᵀ = H⁻¹ over the
    independent ones, for classes against the last."""

    kept: np.ndarray
    combinations: Combinations
    factor: np.ndarray | None


class Fitted(NamedTuple):
    """What was found."""

    weights: Weights
    problem: LogisticProblem  # The one that was solved.
    outcomes: tuple[LogisticOutcome, ...]  # The last one is of what no direction separates.
    basis: Basis
    excess: LogisticExcess | NotClaimed
    separation: Recession | None = None
    nothing_left: bool = False  # Whether the direction separates all examples.
    overlap: Overlapping | None = None  # Proves that there is no such direction.

    @property
    def risk(self) -> float:
        """The mean loss of the weights: the solver's, if these are its own and the claim confirms
        it, since another pass over the examples costs as much as a step."""
        if self.outcomes and isinstance(self.excess, LogisticExcess):
            last, claim = self.outcomes[-1], self.excess
            own = Weights(last.coef, last.intercept)
            same = all(map(np.array_equal, own, self.weights)) and not self.dropped
            if same and claim.lower <= last.risk + self.problem.penalty(own) <= claim.risk:
                return last.risk
        return self.problem.risk(self.weights)

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
    def near(self) -> bool:
        """Whether the infimum is proved only of coefficients that are not far from these."""
        return isinstance(self.excess, LogisticExcess) and self.excess.reach is not None

    @property
    def dropped(self) -> bool:
        """Whether the claim leaves terms out."""
        return isinstance(self.excess, LogisticExcess) and self.excess.dropped.size > 0

    @property
    def stop(self) -> Stop:
        return self.outcomes[-1].stop if self.outcomes else Stop.CONVERGED

    @property
    def steps(self) -> int:
        return sum(outcome.steps for outcome in self.outcomes)


def minimise(
    problem: LogisticProblem,
    limits: NewtonLimits,
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
        watch = Watch(limits.asked)
        known = column_recession(*_places(problem), rows=problem.counting, watch=watch)
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
            if last.stop is Stop.RUNS_AWAY and not limits.asked():
                more = _guessed(problem, known, start)
                known, doubts = more or known, more is not None
                continue
        if last is None:
            found = _certified(problem, limits, outcomes, None, alive, known)
            return _better(found, _plainly(problem, limits, found, start))
        fair = last.stop in (*DOUBTFUL, *UNFINISHED)
        running = not problem.ridge and fair and _runs(problem, last)
        running = running and not _in_haste(problem, last)
        if not running:
            best = _better(best, _certified(problem, limits, outcomes, last, alive, known))
            if best.settled or last.stop not in DOUBTFUL:
                return best
        dropping = problem, limits, outcomes, last, alive, known
        if stop := limits.asked():
            found = best or _with_small_terms_dropped(*dropping)
            return found._replace(outcomes=(*outcomes[:-1], last._replace(stop=stop)))
        if last.stop not in DOUBTFUL:
            return _with_small_terms_dropped(*dropping)
        if not running and last.stop is Stop.CONVERGED and tol > SHARPENED_TOL:
            tol = SHARPENED_TOL
            continue
        more = _guessed(problem, known, Weights(last.coef, last.intercept))
        if more is None:
            found = _better(best, _with_small_terms_dropped(*dropping))
            return _better(found, _plainly(problem, limits, found, start))
        known, doubts = more, True
    return known


def _plainly(
    problem: LogisticProblem, limits: NewtonLimits, found: Fitted, start: Weights | None
) -> Fitted:
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
        return one.gap, one.risk

    return min(found, best, key=worth)._replace(outcomes=found.outcomes)


def _runs(problem: LogisticProblem, outcome: LogisticOutcome) -> bool:
    """Whether the last steps were not those of Newton's method near a minimiser, which square the
    decrement and move little, but divided it, as where there is none."""
    decrements = outcome.trace.decrement[-3:]
    decrements = decrements[np.isfinite(decrements)]
    slow = decrements.size > 1 and decrements[-1] > RUNNING_RATIO * decrements[-2] > 0
    return bool(slow and np.any(_moving(problem, outcome)))


def _places(problem: LogisticProblem) -> tuple:
    return problem.X, problem.codes, len(problem.classes), problem.lifted


def _guessed(problem: LogisticProblem, known: Recession | None, run: Weights) -> Recession | None:
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


def existence(problem: LogisticProblem, weights: Weights, watch: Watch) -> Existence:
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


def _overlap(problem: LogisticProblem, why: Core) -> Overlapping | None:
    """The proof that no direction separates any examples; None if some do not count."""
    if problem.counting is not None and not np.all(problem.counting):
        return None
    (m, d), labels = problem.X.shape, class_labels(tuple(problem.classes.tolist()))
    vectors = vector_indices(labels, why.rows, why.against)
    return Overlapping(labels, problem.intercept, m, d, vectors, why.weights)


def _certified(
    problem: LogisticProblem, limits: NewtonLimits, outcomes, last, alive, known
) -> Fitted:
    """The solution, beyond what is known to be separated, and what can be claimed of it."""
    basis = _basis(problem, last, alive)
    weights = _shortest(problem, last, basis)
    if known is not None:
        along = _widest(problem, known, Watch(limits.asked)) if last is None else known
        weights = _pushed(problem, weights, along, CUT_OFF_SHARE * limits.tol)
    enough = RIDGE_PROOF_SHARE * limits.tol if basis.factor is None else 0.0
    if last is not None and _in_haste(problem, last):
        enough = np.inf
    excess = _excess(problem, weights, alive, basis, enough)
    return Fitted(weights, problem, outcomes, basis, excess, known, last is None)


def _in_haste(problem: LogisticProblem, last: LogisticOutcome) -> bool:
    """Whether somebody waits for the answer, and a proof by curvature would take as long as further
    steps."""
    work = len(problem.codes) * ((len(problem.classes) - 1) * float(problem.columns)) ** 2
    return last.stop in AT_ONCE and work > HEAVY_HESSIAN


def _widest(problem: LogisticProblem, known: Recession, watch: Watch) -> Recession:
    """The direction of largest margin, where what is known separates all examples and such a
    direction is found; else what is known."""
    counting, K = problem.counting, len(problem.classes)
    won = known.strict if K == 2 else known.strict.sum(axis=1) == K - 1
    some = np.arange(len(problem.codes)) if counting is None else np.flatnonzero(counting)
    if not np.all(won[some]):
        return known
    X = problem.X if some.size == len(won) else problem.X[some]
    u = widest_direction(X, problem.codes[some], K, problem.lifted, watch)
    if u is None or not np.all(np.isfinite(u)):
        return known
    unit = 2.0 ** -np.floor(np.log2(np.max(np.abs(u))))  # The largest number becomes about 1.
    d = problem.X.shape[1]
    margins = problem.margins(Weights(unit * u[:, :d], unit * u[:, d:].sum(axis=1)))
    if not np.all(margins[known.strict] > 0):
        return known
    coef = [[Fraction(float(unit * entry)) for entry in row] for row in u]
    return known._replace(coef=coef)


def _with_small_terms_dropped(
    problem: LogisticProblem, limits: NewtonLimits, outcomes, last: LogisticOutcome, alive, known
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
        weights = _pushed(problem, weights, known, CUT_OFF_SHARE * limits.tol)
    terms, moving = _terms(problem, weights), _moving(problem, last)
    choices = [(moving, CUT_OFF_SHARE * limits.tol)] if np.any(moving) else []
    choices += [
        (np.ones_like(moving), times * CUT_OFF_SHARE * limits.tol) for times in DROPPED_COSTS
    ]
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


def certified_again(problem: LogisticProblem, weights: Weights) -> Fitted:
    """What there is at the weights of an earlier fit, as far as standard errors need it."""
    here = _look(problem, None, weights)
    basis = _basis(problem, here, None)
    return Fitted(weights, problem, (here,), basis, NotClaimed("LogisticExcess", "made before"))


def _look(problem: LogisticProblem, alive: np.ndarray | None, weights: Weights) -> LogisticOutcome:
    """What there is at these weights, for these terms: no step is taken."""
    return _solved(problem, NewtonLimits(MIN_COST, 0), alive, weights, False)


def _terms(problem: LogisticProblem, weights: Weights) -> np.ndarray:
    """e^{−margin} times the share of its example: no term adds more than this to the risk."""
    margins = problem.margins(weights)
    share = np.ones(len(margins)) if problem.weights is None else problem.weights
    share = (share / problem.total).reshape(-1, *[1] * (margins.ndim - 1))
    with np.errstate(over="ignore", invalid="ignore"):
        return share * np.exp(-margins)


def _step(problem: LogisticProblem, outcome: LogisticOutcome) -> np.ndarray | None:
    """The last Newton step, one vector for each output."""
    step = outcome.direction
    if step is None or problem.outputs == 1:
        return step
    return np.vstack([step, np.zeros(step.shape[1])])


def _moving(problem: LogisticProblem, outcome: LogisticOutcome) -> np.ndarray:
    """The margins that the last Newton step moves. Near the infimum a step moves nothing that is
    not separated, and what is, and matters most, by 1: e^{−margin} is divided by e."""
    step, d = _step(problem, outcome), problem.X.shape[1]
    if step is None:
        m, K = len(problem.codes), problem.outputs
        return np.zeros(m if K == 1 else (m, K), dtype=bool)
    along = Weights(step[:, :d], step[:, d:].sum(axis=1))
    return np.abs(problem.margins(along)) > MAX_TIED_MOVE


def _without_small_terms(
    problem: LogisticProblem,
    terms: np.ndarray,
    alive: np.ndarray | None,
    among: np.ndarray,
    cost: float,
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


def _left(problem: LogisticProblem, known: Recession) -> np.ndarray:
    """What the direction does not separate: examples, or for each the classes, its own always."""
    left = ~known.strict
    if problem.counting is not None:
        left[~problem.counting] = False
    if left.ndim > 1:
        left[np.arange(len(left)), problem.codes] = True
    return left


def _undecided(problem: LogisticProblem, alive: np.ndarray) -> np.ndarray:
    """The examples that have a class alive besides their own."""
    if alive.ndim == 1:
        return alive
    return alive.sum(axis=1) > alive[np.arange(len(alive)), problem.codes]


def _solved(
    problem: LogisticProblem, limits: NewtonLimits, alive, start: Weights | None, doubts=True
) -> LogisticOutcome:
    limits = limits._replace(tol=(1 - 2 * CUT_OFF_SHARE) * limits.tol)
    small = small_logistic(problem, limits) if alive is None and start is None else None
    return small or logistic(problem, limits, alive=alive, start=start, doubts=doubts)


def _basis(problem: LogisticProblem, outcome: LogisticOutcome | None, alive) -> Basis:
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


def _shortest(problem: LogisticProblem, outcome: LogisticOutcome | None, basis: Basis) -> Weights:
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


def _pushed(problem: LogisticProblem, weights: Weights, known: Recession, budget: float) -> Weights:
    """So far along the direction that what it separates costs at most `budget`.

    An example adds Σ e^{−margin} at most to the mean loss of what is left, over the classes it is
    separated from; its margins grow with the number of steps t by slopes that are positive. t is a
    power of two: the direction's own numbers, whole ones mostly, are not rounded then.
    """
    d, peak = problem.X.shape[1], max(abs(c) for row in known.coef for c in row if c)
    unit = 2 ** max(0, int(peak).bit_length() - MAX_DIRECTION_BITS)
    u = np.array([[float(c / unit) if c else 0.0 for c in row] for row in known.coef])
    along = Weights(u[:, :d], u[:, d:].sum(axis=1))
    margins, slopes = (problem.margins(part)[known.strict] for part in (weights, along))
    far = np.log((len(problem.classes) - 1) / max(budget, MIN_COST))
    t = np.max((far - margins[slopes > 0]) / slopes[slopes > 0], initial=1.0)
    t = 2.0 ** np.ceil(np.log2(t))
    coef, intercept = (a + t * b for a, b in zip(weights, along, strict=True))
    return Weights(coef, intercept).symmetric


def _sample(problem: LogisticProblem) -> tuple[Sample, Labels]:
    """The examples, with the index of the class of each, and the classes."""
    K = len(problem.classes)
    return Sample(problem.X, problem.codes), Labels(tuple(problem.classes.tolist()), K - 1)


def _excess(
    problem: LogisticProblem, weights: Weights, alive, basis: Basis, enough: float = 0.0
) -> LogisticExcess | NotClaimed:
    sample, labels = _sample(problem)
    try:
        return issue_logistic_excess(
            sample,
            labels,
            treatment=problem.intercept,
            ridge=problem.ridge,
            class_weight=problem.class_weight,
            sample_weight=problem.sample_weight,
            alive=alive,
            enough=enough,
            **weights._asdict(),
            **basis._asdict(),
        )
    except CannotClaim as reason:
        return NotClaimed("LogisticExcess", str(reason))


def no_estimate(problem: LogisticProblem, found: Recession) -> NoEstimate | NotClaimed:
    """The proof that the direction is one."""
    try:
        return issue_no_estimate(*_sample(problem), problem.intercept, found.coef, problem.weights)
    except CannotClaim as reason:
        return NotClaimed("NoEstimate", str(reason))


def covariance_of(found: Fitted, reference: int) -> np.ndarray | None:
    """(S·H)⁻¹ of the contrasts with the reference class, all columns of a class after another's;
    NaN where the examples do not decide a coefficient; None where H is too large.

    H is the Hessian of the mean loss for classes against the last one, and of x − centre: the
    intercept is that of the centred columns less w·centre. Of dependent columns each that is not
    kept is a combination of those kept: what is added to its coefficient can be taken from theirs,
    which are no more decided than its own.
    """
    if not found.outcomes or found.outcomes[-1].hessian is None:
        return None
    problem, basis, kept = found.problem, found.basis, found.basis.kept
    p, K = problem.columns, len(problem.classes)
    centre, hessian = np.zeros(p), found.outcomes[-1].hessian  # Of examples that are not here.
    if isinstance(problem, LogisticProblem):
        weights = np.ones(len(problem.codes)) if problem.weights is None else problem.weights
        rows = LogisticRows(problem.X, problem.codes, K, weights / weights.sum(), problem.lifted)
        last = Weights(*(against(part, problem.outputs - 1) for part in found.weights))
        lower = rows.look(centred_weights(last, rows.centre, problem.lifted), True).hessian
        centre, hessian = rows.centre, np.tril(lower) + np.tril(lower, -1).T
    among = np.arange(K - 1)[:, None] * p + kept
    part = hessian[np.ix_(among.ravel(), among.ravel())]
    scale = 1 / np.sqrt(np.diag(part))  # The columns may be of very different sizes.
    inverse = linalg.inv(part * scale * scale[:, None]) * scale * scale[:, None] / problem.total
    back = np.eye(kept.size)
    if problem.lifted:
        back[-1, :-1] = -centre[kept[:-1]]
    turn = np.kron(against(np.eye(K, K - 1), reference), back)
    turned = (turn @ inverse @ turn.T).reshape(K - 1, kept.size, K - 1, kept.size)
    combined = np.array(basis.combinations, dtype=object).reshape(p - kept.size, kept.size)
    shared = np.any(combined != 0, axis=0)
    turned[:, shared] = turned[:, :, :, shared] = np.nan
    covariance, every = np.full((K - 1, p, K - 1, p), np.nan), np.arange(K - 1)
    covariance[np.ix_(every, kept, every, kept)] = turned
    return covariance.reshape((K - 1) * p, (K - 1) * p)


def join_traces(outcomes: tuple[LogisticOutcome, ...]) -> NewtonTrace:
    """What happened, one solution after another."""
    traces = [outcome.trace for outcome in outcomes]
    parts = {
        f.name: np.concatenate([getattr(trace, f.name) for trace in traces] or [np.zeros(0)])
        for f in fields(NewtonTrace)
    }
    ends = np.cumsum([trace.seconds[-1] for trace in traces])[:-1]
    parts["seconds"] += np.repeat([0.0, *ends], [trace.seconds.size for trace in traces] or [0])
    return NewtonTrace(**parts)
