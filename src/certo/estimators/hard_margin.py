"""`HardMarginSVM`: the separator with the largest margin, and the proof that it is."""

from __future__ import annotations

import time
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning

from certo.certificates import (
    CannotClaim,
    Certificate,
    Composite,
    Inseparable,
    Labels,
    Margins,
    MaximumMargin,
    NotClaimed,
    Sample,
    Separating,
)
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.exact import UNIT, allowance
from certo.certificates.margins import norm
from certo.estimators import _input
from certo.estimators._linear import LinearClassifier
from certo.estimators.verdict import two_class_verdict
from certo.solvers.hard_margin import MarginOutcome, MarginTrace, balanced, hard_margin
from certo.solvers.interrupt import ctrl_c_asks


class NotSeparable(ValueError):
    """No hyperplane separates the examples; `proof` is an `Inseparable` certificate of it."""

    def __init__(self, message: str, proof: Inseparable):
        super().__init__(message)
        self.proof = proof

    def __reduce__(self):
        return type(self), (str(self), self.proof)


class _Separator(NamedTuple):
    """What was found for one output."""

    coef: np.ndarray
    intercept: float
    rows: np.ndarray
    dual_coef: np.ndarray
    claims: list[Certificate | NotClaimed]
    outcome: MarginOutcome

    @property
    def gap(self) -> float:
        if not np.any(self.coef):  # one class alone
            return 0.0
        claims = [claim for claim in self.claims if isinstance(claim, MaximumMargin)]
        return claims[0].relative_gap if claims else 1.0


class HardMarginSVM(CallbackSupportMixin, LinearClassifier, BaseEstimator):
    r"""Hard-margin support vector machine: min ½‖w‖² with y_t (w·x_t + b) ≥ 1 for all examples.

    The hyperplane that separates the classes with the largest margin γ* = 1/‖w‖; there is only one.
    With more than two classes, one for each class against the rest. Where no hyperplane separates
    the examples, `fit` raises `NotSeparable`, which carries the proof.

    Parameters
    ----------
    intercept : {"free", "lifted", "none"}, default="free"
        "free": b costs nothing. "lifted": b is the weight of an extra feature 1 and counts in the
        norm, ½(‖w‖² + b²), as in the notes. "none": hyperplanes through the origin.
    tol : float, default=1e-6
        Converged means that the relative duality gap, (primal − dual)/primal, is proved to be at
        most this. Usually far less is reached.
    max_iter : int, default=1000
        The largest number of looks at all examples; between them few are worked on.
    time_limit : float or None, default=None
        Seconds after which the best separator so far is returned.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features)
    intercept_ : ndarray (n_outputs,)
        Scaled so that y_t (coef·x_t + intercept) ≥ 1 in exact arithmetic.
    classes_ : ndarray
    support_ : list of n_outputs integer arrays
        The examples with a positive multiplier, in increasing order.
    dual_coef_ : list of n_outputs arrays
        α_t y_t of these examples: Σ dual_coef_t x_t is coef, up to the gap and rounding, and
        Σ dual_coef_t = 0 exactly where the intercept is free.
    n_support_ : ndarray (n_outputs,)
    margin_ : ndarray (n_outputs,)
        1/‖w‖, or 1/‖(w, b)‖ if lifted: what was made as large as possible.
    geometric_margin_ : ndarray (n_outputs,)
        1/‖w‖: how far from the hyperplane the nearest example is, at least.
    objective_ : ndarray (n_outputs,)
        ½‖w‖², or ½(‖w‖² + b²) if lifted.
    converged_ : bool
    n_iter_ : int
        Looks at all examples (of the output that needed most).
    trace_ : certo.solvers.hard_margin.MarginTrace
        Bounds of γ* after every look, and the time.
    status_ : str
        Why it stopped, and what the answer is worth.
    certificate_ : certo.certificates.Composite
        Separating and MaximumMargin for each output.

    Examples
    --------
    >>> from certo import HardMarginSVM
    >>> X, y = [[0, 0], [0, 2], [2, 0], [3, 3]], ["low", "low", "low", "up"]
    >>> model = HardMarginSVM().fit(X, y)
    >>> float(round(model.margin_[0], 6)), model.support_[0].tolist()
    (1.414214, [1, 2, 3])
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    trace_kind = MarginTrace

    def __init__(self, intercept="free", *, tol=1e-6, max_iter=1000, time_limit=None):
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit

    @with_callbacks
    def fit(self, X, y):
        """Find the largest margin of the examples X (dense or sparse) with labels y.

        C-ordered float32 or float64 arrays and CSR matrices are used as they are, not copied.
        """
        self._check_settings()
        X, y = _input.labelled_examples(self, X, y, reset=True)
        targets = _input.targets(self, y, fewest=1)
        if targets.multilabel:
            raise ValueError(
                "HardMarginSVM takes one label for each example, but y is a matrix of labels. "
                "Fit one model for each column."
            )
        with ctrl_c_asks() as asked:
            return self._separate(asked, X, targets)

    def _check_settings(self) -> None:
        _input.check_margin_settings(self)

    def _separate(self, asked, X, targets: _input.Targets):
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        square = _input.longest_example(self, X)
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X)
        found = []
        for labels, signs in zip(targets.outputs, targets.signs, strict=True):
            if self.intercept == "free" and len(targets.classes) == 1:
                found.append(_alone(Sample(X, signs), labels))
                continue
            outcome = hard_margin(
                X,
                signs,
                self.intercept,
                float(np.sqrt(square)),
                tol=float(self.tol),
                max_iter=int(self.max_iter),
                asked=lambda: asked() or time.monotonic() > deadline,
                after_look=self._announcer(context, X),
            )
            found.append(self._certified(Sample(X, signs), labels, outcome, square))
        self._store(targets, found, by_hand=asked())
        context.call_on_fit_task_end(estimator=self, X=X, reconstruction_attributes=dict)
        return self

    def _announcer(self, context, X):
        """Tell the callbacks of every look at all examples. They may ask to stop."""
        if not getattr(self, "_skl_callbacks", None):
            return lambda: False

        def announce() -> bool:
            look = context.subcontext(task_name="look")
            look.call_on_fit_task_begin(estimator=self, X=X)
            return bool(look.call_on_fit_task_end(estimator=self, X=X))

        return announce

    def _certified(
        self, sample: Sample, labels: Labels, outcome: MarginOutcome, square: float
    ) -> _Separator:
        rows = outcome.rows
        w, b, margins = _feasible(sample, outcome.w, outcome.b, square)
        if margins.least()[0] <= 0:
            w, b = self._last_resort(sample, labels, outcome)
            w, b, margins = _feasible(sample, w, b, square)
        signs = sample.signs[rows]
        alpha = balanced(outcome.alpha, signs) if self.intercept == "free" else outcome.alpha
        rows, dual_coef = rows[alpha > 0], (alpha * signs)[alpha > 0]
        claims: list[Certificate | NotClaimed] = []
        for kind, claim in (
            (Separating, lambda: Separating.of(sample, labels, w, b, margins)),
            (
                MaximumMargin,
                lambda: MaximumMargin.of(
                    sample, labels, coef=w, intercept=b, treatment=self.intercept,
                    rows=rows, dual_coef=dual_coef, margins=margins,
                ),
            ),
        ):  # fmt: skip
            try:
                claims.append(claim())
            except CannotClaim as reason:
                claims.append(NotClaimed(kind.__name__, f"{labels.shown}: {reason}"))
        return _Separator(w, b, rows, dual_coef, claims, outcome)

    def _last_resort(
        self, sample: Sample, labels: Labels, outcome: MarginOutcome
    ) -> tuple[np.ndarray, float]:
        """A separator where the solver found none, or the error that says why there is none."""
        if outcome.stopped or outcome.looks >= self.max_iter:
            raise RuntimeError(
                f"HardMarginSVM was stopped before it found a hyperplane that separates "
                f"{labels.shown} from {labels.rest}, so there is nothing to return: the largest "
                f"margin is at most {outcome.trace.upper[-1]:.6g}, if there is one at all. Allow "
                "more time_limit or max_iter; certo.separability decides whether one exists."
            )
        try:
            verdict = two_class_verdict(
                sample, labels, "none" if self.intercept == "none" else "free"
            )
        except ArithmeticError as too_fine:
            raise ValueError(
                "HardMarginSVM needs weights that float64 can hold, but every hyperplane found "
                f"that separates {labels.shown} from {labels.rest} is too fine for that: examples "
                "nearly touch, or features differ too much in size, or repeat each other up to "
                "rounding. Rescale, round or drop features."
            ) from too_fine
        if isinstance(verdict, Inseparable):
            named = ", ".join(str(t) for t in verdict.rows[:10].tolist())
            more = f" and {verdict.rows.size - 10} more" if verdict.rows.size > 10 else ""
            raise NotSeparable(
                f"HardMarginSVM needs classes that a hyperplane can separate, but none separates "
                f"{labels.shown} from {labels.rest}"
                + (" through the origin" if self.intercept == "none" else "")
                + f": the examples in rows {named}{more} (counting from 0) cannot all be on "
                "their own side. The error's `proof` shows why.",
                verdict,
            )
        return verdict.coef, verdict.intercept

    def _store(self, targets: _input.Targets, found: list[_Separator], *, by_hand: bool) -> None:
        outcomes = [item.outcome for item in found]
        self.classes_, self._multilabel = targets.classes, False
        self.coef_ = np.array([item.coef for item in found])
        self.intercept_ = np.array([item.intercept for item in found])
        self.support_ = [item.rows for item in found]
        self.dual_coef_ = [item.dual_coef for item in found]
        self.n_support_ = np.array([item.rows.size for item in found])
        length = np.array([norm(item.coef) for item in found])
        last = self.intercept_ if self.intercept == "lifted" else 0.0
        with np.errstate(divide="ignore", over="ignore"):  # one class alone: no margin but infinity
            self.margin_, self.geometric_margin_ = 1 / np.hypot(length, last), 1 / length
            self.objective_ = 0.5 * np.hypot(length, last) ** 2
        self.n_iter_ = max(outcome.looks for outcome in outcomes)
        self.trace_ = MarginTrace.layer([outcome.trace for outcome in outcomes])
        made = [claim for item in found for claim in item.claims]
        self.certificate_ = Composite(
            tuple(claim for claim in made if isinstance(claim, Certificate)),
            tuple(claim for claim in made if isinstance(claim, NotClaimed)),
        )
        self.converged_ = all(item.gap <= self.tol for item in found)
        self.status_ = self._status(found, by_hand)
        if not self.converged_:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=4)

    def _status(self, found: list[_Separator], by_hand: bool) -> str:
        if not np.any(found[0].coef):
            return "There is one class alone: w* = 0, and the free intercept has it on one side."
        worst = max(item.gap for item in found)
        worth = f"the margin is proved to be the largest up to a relative gap of {_shown(worst)}"
        if worst <= self.tol:
            return f"Converged: {worth}."
        outcomes = [item.outcome for item in found]
        if by_hand:
            why = "Stopped by hand"
        elif any(outcome.stopped for outcome in outcomes):
            why = f"Stopped at the time limit of {self.time_limit:g} seconds"
        elif any(outcome.looks >= self.max_iter for outcome in outcomes):
            why = f"Stopped after {counted(int(self.max_iter), 'look')} at all examples"
        else:
            why = "Stopped because float64 allows no further progress"
        if worst > 0.99:
            return f"{why}: nothing is proved about how near this margin is to the largest."
        return f"{why}: {worth}, more than the tol of {self.tol:g}."


def _alone(sample: Sample, labels: Labels) -> _Separator:
    """One class with a free intercept: w* = 0."""
    coef, none = np.zeros(sample.d), np.zeros(0)
    reason = f"{labels.shown}: there is one class alone, which any margin separates from nothing."
    trace = MarginTrace(none.astype(int), none, none, none, none.astype(int))
    return _Separator(
        coef,
        1.0,
        none.astype(int),
        none,
        [Separating.of(sample, labels, coef, 1.0), NotClaimed("MaximumMargin", reason)],
        MarginOutcome(coef, 1.0, none.astype(int), none, 0, False, trace),
    )


def _feasible(
    sample: Sample, w: np.ndarray, b: float, square: float
) -> tuple[np.ndarray, float, Margins]:
    """(w, b) times a number such that all margins are at least 1 in exact arithmetic, and these.

    Rounding the products moves a margin by at most u(‖w‖X + |b|), computing it by no more than its
    allowance; where that is little it is added at once, and one look at the margins is enough.
    """
    square += allowance(sample.d, square)
    radius = float(np.sqrt(square))

    def times(factor):
        return w * factor, b * factor, Margins.of(sample, w * factor, b * factor, square)

    room = 2 * allowance(sample.d, radius * norm(w) + abs(b))
    best = times(1 + room) if room < 1e-9 else times(1.0)
    least, factor = best[2].least()[0], 1.0
    if least >= 1:
        return best
    for _ in range(4 * (least > 0)):
        factor *= (1 + 4 * UNIT * (radius * norm(best[0]) + abs(best[1]))) / float(least)
        best = times(factor)
        least = best[2].least()[0]
        if least >= 1:
            return best
        if least <= 0:
            break
    # too fine for a factor that rounds: a power of two does not
    best = times(1.0)
    least = best[2].least()[0]
    return times(2.0 ** np.ceil(-np.log2(float(least)))) if 0 < least < 1 else best


def _shown(gap: float) -> str:
    return rounded_up(gap, 2) if gap > 0 else "0"
