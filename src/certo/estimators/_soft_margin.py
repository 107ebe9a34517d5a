"""One soft-margin machine: solved and certified, as a hyperplane or in a kernel's space."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.composite import Composite
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.labels import Labels
from certo.estimators._claims import Claim, attempt, composite, refuse
from certo.estimators._device import DeviceFunctions
from certo.estimators._limits import Limits, gap_stop
from certo.estimators._pair_spaces import part_of
from certo.estimators._prices import Prices
from certo.estimators._spaces import Space, Vectors
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.issue.slack import with_numbers
from certo.kernels.gaussian import MAX_NORM_ERROR, Gaussian
from certo.numbers.exact import allowance
from certo.problems.soft_margin import SoftMargin
from certo.solvers.interrupt import Watch
from certo.solvers.kernel_soft_margin import KernelOutcome
from certo.solvers.soft_margin import GapTrace, SoftOutcome
from certo.stop import Asked, Stop, go_on
from certo.words import status

LARGE_SQUARE = 1e6  # Kernel values so large leave few digits for their differences.
MAX_WAITING_NUMBERS = 2**22  # Numbers of X that a fit of pairs keeps for its claims: 32 MB.
CLAIM_SECONDS = 0.3  # After a fit was stopped, for the claims about what was reached.
NOT_BEGUN = "the fit was stopped before it came to these classes."
NOT_CLAIMED = "the fit was stopped before this was proved."
AT_BOUND = 1e-10  # A multiplier so near to its bound, relatively, counts as being there.


class Task(NamedTuple):
    """What is to be told apart in one output: all examples, or those of two classes at `rows`."""

    labels: Labels
    rows: np.ndarray | None
    signs: np.ndarray
    prices: Prices


class Machine(NamedTuple):
    """What was found for one output. Rows and slack are those of the examples it is about: of two
    classes, or all."""

    outcome: SoftOutcome | KernelOutcome
    rows: np.ndarray
    dual_coef: np.ndarray
    claim: Claim | None = None  # None: it is made later.
    slack: np.ndarray = np.zeros(0)  # With the claim.
    gap: float = np.inf  # The relative gap that is proved; infinite if none is.

    @property
    def stop(self) -> Stop:
        return self.outcome.stop

    @property
    def objective(self) -> float:
        """What it is proved to be at most; near the limits of float64 more than what it seems."""
        claim = self.claim
        return claim.primal if isinstance(claim, SoftMarginGap) else self.outcome.primal


def machine_for(
    space: Space,
    labels: Labels,
    signs: np.ndarray,
    prices: Prices,
    start: np.ndarray | None,
    limits: Limits,
    *,
    claim: bool = True,
) -> Machine:
    """The machine that tells the examples of sign +1 from the others, with its claim if wanted."""
    costs = prices.of(signs)
    stop = None if claim else limits.asked()
    if stop is None:
        outcome = space.soft_margin(signs, costs, start, limits)
    else:  # So many classes may be left that even a first look at each would take long.
        outcome = _not_begun(space, signs, costs, stop)
    alpha = outcome.alpha
    kept = alpha > 0
    if space.intercept == "free" and not (kept & (alpha < (1 - AT_BOUND) * costs)).any():
        kept[_fixing_b(space.scores(outcome), signs, costs, outcome)] = True
    rows = np.flatnonzero(kept)
    machine = Machine(outcome, rows, alpha[rows] * signs[rows])
    return with_claim(machine, space, labels, signs, prices) if claim else machine


def _not_begun(
    space: Space, signs: np.ndarray, costs: np.ndarray, stop: Stop
) -> SoftOutcome | KernelOutcome:
    """The outcome of a fit that was stopped before it came to these examples: all weights are 0."""
    m, none = signs.size, np.zeros(0)
    problem, scores = SoftMargin(signs, costs, space.intercept), np.zeros(m)
    b = problem.best_intercept(scores, 0.0)
    facts = problem.primal(0.0, scores, b), 0.0, 0, stop, GapTrace(none, none, none, none, none)
    if isinstance(space, Vectors):
        return SoftOutcome(np.zeros(space.width), b, np.zeros(m), *facts, scores)
    return KernelOutcome(np.zeros(m), b, scores, *facts)


def with_claim(
    machine: Machine, space: Space, labels: Labels, signs: np.ndarray, prices: Prices
) -> Machine:
    """The same with its claim, or with the reason why there is none."""
    outcome = machine.outcome
    several = len(labels.classes) > 2
    if outcome.stop is not Stop.CONVERGED and not outcome.passes and several:
        slack = SoftMargin.loss.of(signs, np.full(signs.size, outcome.b))
        return machine._replace(claim=refuse(SoftMarginGap, labels, NOT_BEGUN), slack=slack)
    made = attempt(
        SoftMarginGap,
        labels,
        lambda: issue_soft_margin_gap(
            space.sample(signs), labels, intercept=outcome.b, treatment=space.intercept,
            rows=machine.rows, dual_coef=machine.dual_coef, **prices._asdict(),
            **space.known_of(outcome),
        ),
    )  # fmt: skip
    slack = SoftMargin.loss.of(signs, space.scores(outcome) + outcome.b)
    gap = made.relative_gap if isinstance(made, SoftMarginGap) else np.inf
    return machine._replace(claim=made, slack=slack, gap=gap)


def with_claims(
    space: Space, tasks: list[Task], found: list[Machine], asked: Asked = go_on
) -> list[Machine]:
    """Those of several classes with their claims; once somebody waits for the answer, with those
    that can be made in CLAIM_SECONDS, since claims of many pairs may take as long as the fit."""
    claimed, late = [], None
    for task, machine in zip(tasks, found, strict=True):
        stop = asked()
        late = late or (Watch(seconds=CLAIM_SECONDS) if stop else None)
        if stop and late is not None and late.stop():
            claimed.append(_without_claim(machine, space, task, stop))
            continue
        part = part_of(space, task.rows)
        claimed.append(with_claim(machine, part, task.labels, task.signs, task.prices))
    return claimed


def _without_claim(machine: Machine, space: Space, task: Task, stop: Stop) -> Machine:
    """The same with the reason why nothing is claimed of it: the fit was stopped."""
    outcome = machine.outcome._replace(stop=stop)
    begun = outcome.passes or machine.outcome.stop is Stop.CONVERGED
    reason = NOT_CLAIMED if begun else NOT_BEGUN
    scores = part_of(space, task.rows).scores(outcome) if begun else np.zeros(task.signs.size)
    slack = SoftMargin.loss.of(task.signs, scores + outcome.b)
    claim = refuse(SoftMarginGap, task.labels, reason)
    return machine._replace(outcome=outcome, claim=claim, slack=slack)


def in_place(task: Task, machine: Machine) -> Machine:
    """The same with rows that are counted among all examples."""
    if task.rows is None:
        return machine
    rows, claim = task.rows[machine.rows], machine.claim
    rows.flags.writeable = False
    if isinstance(claim, SoftMarginGap):
        claim = with_numbers(copy(claim), rows=rows)
    return machine._replace(rows=rows, claim=claim)


def can_wait(space: Space, tasks: list[Task], found: list[Machine], tol: float) -> bool:
    """Whether what will be proved is known without making the claims: all gaps are small, and
    rounding is too small to matter, by a bound from the sizes of weights and examples alone."""
    if isinstance(space, DeviceFunctions):
        return False
    if isinstance(space, Vectors):
        number = space.X.nnz if sparse.issparse(space.X) else space.X.size
        relative, roundings = 0.0, space.X.shape[1]
    else:
        if not isinstance(space.kernel, Gaussian):
            return False
        number = space.X.nnz if sparse.issparse(space.X) else space.X.size
        relative, roundings = 4 * MAX_NORM_ERROR, space.m
    radius = float(np.sqrt(space.square + 1.0))
    if number > MAX_WAITING_NUMBERS:
        return False
    for task, (outcome, *_) in zip(tasks, found, strict=True):
        if outcome.stop is not Stop.CONVERGED:
            return False
        total = float(outcome.alpha.sum())
        reach = radius * (radius * total + abs(outcome.b)) + 1.0
        costs = task.prices.total(task.signs.size)
        off = (costs + total) * (relative * reach + 8 * allowance(roundings + 8, reach))
        if outcome.primal - outcome.dual + off > tol * outcome.primal:
            return False
    return True


class Facts(NamedTuple):
    """What the claims of a fit say of it."""

    certificate: Composite
    objective: np.ndarray
    stop: Stop
    converged: bool
    status: str
    slack: list[np.ndarray]

    @classmethod
    def of(cls, space: Space, tasks, found, settings, crowded: bool) -> Facts:
        """Of machines that have their claims; `settings` are those of the fit."""
        objective = np.array([item.objective for item in found])
        if settings.lam is not None:
            objective *= float(settings.lam)  # The form with C, divided by Cm.
        stop, gap = gap_stop(found, settings.tol), max(item.gap for item in found)
        reason, kernel = "", settings.kernel
        if stop is not Stop.CONVERGED:
            reason = status.stop_reason(
                stop, int(settings.max_iter), "passes over the examples", settings.time_limit
            )
        if stop is Stop.NO_PROGRESS and kernel is not None and space.square >= LARGE_SQUARE:
            reason += status.large_kernel(kernel, space.square)
        said = status.gap_status(reason, gap, settings.tol, "the objective", "smallest")
        said += status.CROWDED * (crowded and isinstance(kernel, Gaussian))
        placed = [in_place(*pair).claim for pair in zip(tasks, found, strict=True)]
        claims = composite(claim for claim in placed if claim is not None)
        slack = [item.slack for item in found]
        return cls(claims, objective, stop, stop is Stop.CONVERGED, said, slack)


def facts_later(
    space: Space, tasks: list[Task], found: list[Machine], settings: Any, crowded: bool
) -> dict[str, Callable[..., Any]]:
    """What makes the attributes of a fit whose claims can wait, from a copy of its examples."""
    known: list[Facts] = []

    def facts(X) -> Facts:
        if not known:
            kept = copy(space)
            kept.X = X
            made = with_claims(kept, tasks, found)
            known.append(Facts.of(kept, tasks, made, settings, crowded))
        return known[0]

    return {
        "certificate_": lambda machine, X: facts(X).certificate,
        "objective_": lambda machine, X: facts(X).objective,
        "converged_": lambda machine, X: facts(X).converged,
        "status_": lambda machine, X: facts(X).status,
        "slack_": lambda machine, X: facts(X).slack,
    }


def _fixing_b(scores, signs, costs, outcome) -> np.ndarray:
    """The example whose margin becomes 1 just at the smallest b, if it has no multiplier.

    All supports have reached their bounds. Just below b the slope of Σ c_t [1 − y_t (s_t + b)]₊
    over the supports is then Σ_{y=−1} c_t − Σ_{y=+1} c_t = −Σ α_t y_t = 0, unless one of y = −1 has
    margin 1: so what keeps a smaller b from being as good is a positive example of margin 1.
    """
    away = np.abs(1 - scores - outcome.b)
    near = away <= 1e-9 * (1 + np.abs(scores) + abs(outcome.b))
    fixing = np.flatnonzero(near & (signs > 0) & (outcome.alpha == 0) & (costs > 0))
    return fixing[np.argsort(away[fixing], kind="stable")[:1]]
