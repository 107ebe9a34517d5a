"""Leave-one-out errors of an SVM: from its supports, or by fitting again without each of them."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np

from certo.certificates.encoding import counted
from certo.estimators._limits import Limits
from certo.estimators._pair_spaces import part_of
from certo.estimators._pairs import most_votes, scores_of_classes
from certo.estimators._soft_margin import Task
from certo.estimators._spaces import Space
from certo.solvers.interrupt import Stopped, Watch, ctrl_c_asks

MIN_SURE_MARGIN = 1e-9  # Margins are rounded, so one that decides must be beyond this.


@dataclass(frozen=True)
class LeaveOneOut:
    """How many examples are wrong, each predicted by the machine without it.

    Attributes
    ----------
    errors : int
    examples : int
    kind : {"exact", "upper bound"}
        "exact": an example in doubt was predicted by a machine fitted without it. In an "upper
        bound" those in doubt count as errors.
    in_doubt : integer array
        The examples that this fit alone does not decide.
    """

    errors: int
    examples: int
    kind: str
    in_doubt: np.ndarray = field(repr=False, compare=False)

    @property
    def rate(self) -> float:
        return self.errors / self.examples

    def __str__(self) -> str:
        how = "at most " if self.kind == "upper bound" else ""
        return (
            f"Leave-one-out: {how}{counted(self.errors, 'error')} on "
            f"{counted(self.examples, 'example')} ({how}{self.rate:.2%})."
        )


def leave_one_out(machine, space: Space, X, y, tasks: list[Task], *, exact: bool) -> LeaveOneOut:
    """Of a fitted SVM and its examples in their space, with what each output tells apart.

    The only example of a class is wrong: without it nothing is known of that class. An example t
    with α_t = 0 (and not the one that fixes b) can be left out: without it P falls or stays at
    (w, b) and D(α) stays, so the same hyperplane has the same gap, and predicts t as now. One whose
    margin is surely positive without it, in every output that it is part of, is right: all pairs
    of its class then vote for it.
    """
    began = time.monotonic()
    m, paired = len(y), tasks[0].rows is not None
    signs, costs = _of_all(tasks, m)
    used = np.any(np.array(costs) > 0, axis=0)
    classes, sizes = np.unique(y[used], return_counts=True)
    only = used & np.isin(y, classes[sizes == 1])
    support, right = np.zeros(m, dtype=bool), np.ones(m, dtype=bool)
    scores = machine._pair_scores(X) if paired else machine.decision_function(X).reshape(m, -1)
    claims = machine.certificate_.claims
    for k in range(len(signs)):
        rows, _ = machine.supports_of_output(k)
        support[rows] = True
        own = signs[k] * scores[:, k] > MIN_SURE_MARGIN
        own[rows] = False
        if machine.intercept != "free" and len(claims) == len(signs):
            least = _least_margins(machine, space, signs[k], costs[k], k, claims[k].gap)
            own[rows] = least > MIN_SURE_MARGIN
        right &= own | (signs[k] == 0)
    in_doubt = np.flatnonzero(support & ~right & ~only)
    wrong = only | ((machine.predict(X) != y) & ~support)
    errors = int(np.count_nonzero(wrong))
    if not exact:
        kind = "upper bound" if in_doubt.size else "exact"
        return LeaveOneOut(errors + in_doubt.size, m, kind, in_doubt)
    limit = math.inf if machine.time_limit is None else machine.time_limit
    ties = 0
    with ctrl_c_asks() as asked:
        watch = Watch(asked, limit - (time.monotonic() - began))
        for done, t in enumerate(in_doubt.tolist()):
            try:
                found = _without(machine, space, signs, costs, scores[t], t, watch)
            except Stopped:
                left = in_doubt.size - done
                return LeaveOneOut(errors + left, m, "upper bound", in_doubt)
            ties += found is None
            errors += found is None or bool(found != y[t])
    return LeaveOneOut(errors, m, "upper bound" if ties else "exact", in_doubt)


def _of_all(tasks: list[Task], m: int) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Signs and costs of all examples in each output, 0 for those that it is not about."""
    signs, costs = [], []
    for task in tasks:
        rows = slice(None) if task.rows is None else task.rows
        signs.append(np.zeros(m, np.int8))
        costs.append(np.zeros(m))
        signs[-1][rows], costs[-1][rows] = task.signs, task.prices.of(task.signs)
    return signs, costs


def _least_margins(machine, space: Space, signs, costs, k: int, gap: float) -> np.ndarray:
    """For each support t, a number that its margin y_t w'·x_t does not fall below, where w' is the
    best without t; intercept "none", or "lifted" with x_t = (x_t, 1).

    Let G be the dual objective, α' its maximiser without t, v = Σ α_s y_s x_s, K = ‖x_t‖². Then
    G(α) − α_t (1 − y_t v·x_t) − ½α_t²K ≤ G(α'), the left side being G(α) without α_t; and for
    0 < δ ≤ c_t, G(α') + δ(1 − y_t w'·x_t) − ½δ²K ≤ max G ≤ G(α) + gap. Together

        y_t w'·x_t  ≥  1 − A/δ − ½δK ,    A = gap + α_t (1 − y_t v·x_t) + ½α_t²K ,

    best at δ = √(2A/K). (δ = α_t at gap 0 is the bound of Jaakkola and Haussler.)
    """
    rows, dual_coef = machine.supports_of_output(k)
    alpha, extra = np.abs(dual_coef), machine.intercept == "lifted"
    products, squares = space.among(rows, dual_coef)
    squares = squares + extra
    margins = signs[rows] * (products + extra * dual_coef.sum())
    tiny = np.finfo(np.float64).tiny
    A = np.maximum(gap + alpha * (1 - margins) + 0.5 * alpha**2 * squares, tiny)
    with np.errstate(over="ignore"):  # An example at the origin divides by zero.
        step = np.minimum(np.sqrt(2 * A / np.maximum(squares, tiny)), costs[rows])
    return 1 - A / step - 0.5 * step * squares


def _without(machine, space: Space, signs, costs, scores: np.ndarray, t: int, watch: Watch):
    """The class predicted for example t by machines fitted without it; None if rounding would
    decide between the scores of two."""
    limits = Limits(float(machine.tol), int(machine.max_iter), watch.stop)
    scores = scores.copy()
    for k in range(len(signs)):
        rows, dual_coef = machine.supports_of_output(k)
        if t not in rows:
            continue
        watch()
        left = costs[k].copy()
        left[t] = 0.0
        start = np.zeros(len(left))
        start[rows] = np.abs(dual_coef)
        start[t] = 0.0
        there = np.flatnonzero(left) if machine._votes else np.arange(left.size)
        some = np.union1d(there, [t])
        part = part_of(space, some if machine._votes else None)
        outcome = part.soft_margin(signs[k][some], left[some], start[some], limits)
        watch()  # What was broken off decides nothing.
        scores[k] = part.scores(outcome)[np.searchsorted(some, t)] + outcome.b
    if machine._votes:
        return _most_voted(machine, scores)
    if scores.size == 1:
        return machine.classes_[int(scores[0] >= 0)]
    second, first = np.sort(scores)[-2:]
    if first - second <= MIN_SURE_MARGIN * max(1.0, abs(first)):
        return None
    return machine.classes_[int(np.argmax(scores))]


def _most_voted(machine, scores: np.ndarray):
    """The class that the pairs vote for; None, if that depends on a score that is near 0."""
    K, near = len(machine.classes_), MIN_SURE_MARGIN * np.maximum(1.0, np.abs(scores).max())
    ends = np.where(np.abs(scores) <= near, [[-1.0], [1.0]], np.sign(scores))
    said = most_votes(ends, K)
    if said[0] != said[1] or np.count_nonzero(np.abs(scores) <= near) > 1:
        return None
    if machine._votes == "by confidence":
        said = np.argmax(scores_of_classes(scores[None], K), axis=1)
    return machine.classes_[int(said[0])]
