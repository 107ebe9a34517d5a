"""`SVM`: the soft-margin linear machine, trained until a duality gap says that it is done."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, column_or_1d

from certo.certificates import CannotClaim, Composite, DualityGap, Labels, NotClaimed, Sample
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.exact import allowance
from certo.certificates.soft_margin_gap import costs_of
from certo.estimators import _input, _stream
from certo.estimators._leave_one_out import LeaveOneOut, leave_one_out
from certo.estimators._linear import LinearClassifier
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.soft_margin import GapTrace, SoftOutcome, soft_margin

ROOM = 1e-3  # of tol: the solver leaves it to the rounding that a certificate pays for
SMALLEST = 1e-280  # what slack can cost: less would vanish in products
NEARLY = 1e-10  # of its bound: a multiplier so near to it counts as being there


class Prices(NamedTuple):
    """What slack costs: c_t = (C·class_weight)·sample_weight_t."""

    C: float
    class_weight: tuple[float, float]  # of −1 and +1
    sample_weight: np.ndarray  # empty: all 1

    def of(self, signs: np.ndarray) -> np.ndarray:
        return costs_of(self.C, self.class_weight, signs, self.sample_weight)


class _Machine(NamedTuple):
    """What was found for one output."""

    outcome: SoftOutcome
    rows: np.ndarray
    dual_coef: np.ndarray
    claim: DualityGap | NotClaimed
    slack: np.ndarray

    @property
    def gap(self) -> float:
        return self.claim.relative_gap if isinstance(self.claim, DualityGap) else np.inf


class SVM(CallbackSupportMixin, LinearClassifier, BaseEstimator):
    r"""Soft-margin linear SVM: min ½‖w‖² + C Σ_t [1 − y_t (w·x_t + b)]₊, to a proven gap.

    It stops because the duality gap is small: the certificate proves how far the objective can be
    from the smallest, from the examples and the multipliers alone. With more than two classes, one
    machine for each class against the rest.

    Parameters
    ----------
    C : float, default=1.0
        The price of slack.
    lam : float or None, default=None
        If given, it is used and C is not: the objective is then
        (λ/2)‖w‖² + (1/m) Σ_t [1 − y_t (w·x_t + b)]₊, the same problem with C = 1/(λm). With
        sample_weight, m is their sum.
    intercept : {"free", "lifted", "none"}, default="free"
        "free": b costs nothing; where several b are best, the smallest is taken. "lifted": b is
        the weight of an extra feature 1 and counts in the norm, ½(‖w‖² + b²), as in the notes and
        in LIBLINEAR. "none": hyperplanes through the origin.
    tol : float, default=1e-4
        Converged means that primal − dual ≤ tol·primal is proved, in the form with C, also when
        lam is given.
    max_iter : int, default=1000
        The largest number of passes over the examples.
    time_limit : float or None, default=None
        Seconds after which the best pair so far is returned.
    class_weight : dict, "balanced" or None, default=None
        The slack of an example costs C times the weight of its class, in every one of the problems
        "one against the rest". "balanced": classes of few examples weigh more, in proportion.
    warm_start : bool, default=False
        Whether fit begins from the multipliers of the last one, if that had as many examples and
        the same classes.
    random_state : int, RandomState instance or None, default=None
        Decides in which order examples are visited, not what is proved.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    support_ : list of n_outputs integer arrays
        The examples with a positive multiplier, in increasing order; and, where the intercept is
        free and all these have reached their bounds, the one that fixes b. The others could be
        dropped, with the same C, and nothing would change.
    dual_coef_ : list of n_outputs arrays
        α_t y_t of these examples, 0 for the one that fixes b. Σ dual_coef_t x_t is coef up to the
        gap and rounding, and Σ dual_coef_t = 0 exactly where the intercept is free.
    slack_ : list of ndarray (n_samples,)
        ξ of the examples of the fit, for each output; not kept in pickles and model files.
    n_support_ : ndarray (n_outputs,)
    C_ : float
        C, or 1/(λm).
    objective_ : ndarray (n_outputs,)
        The value that was made small, in the form with λ if lam is given.
    converged_ : bool
    n_iter_ : int
        Passes over the examples (of the output that needed most).
    n_samples_fit_ : int
    trace_ : certo.solvers.soft_margin.GapTrace
        Primal and dual value against time and passes.
    status_ : str
        Why it stopped, and what the answer is worth.
    certificate_ : certo.certificates.Composite
        A DualityGap for each output.

    Examples
    --------
    >>> from certo import SVM
    >>> X, y = [[0, 0], [0, 2], [2, 0], [3, 3], [1, 0]], ["low", "low", "low", "up", "up"]
    >>> model = SVM(C=10).fit(X, y)
    >>> float(round(model.objective_[0], 6)), model.support_[0].tolist()
    (25.25, [1, 2, 3, 4])
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    trace_kind = GapTrace

    def __init__(
        self,
        C=1.0,
        *,
        lam=None,
        intercept="free",
        tol=1e-4,
        max_iter=1000,
        time_limit=None,
        class_weight=None,
        warm_start=False,
        random_state=None,
    ):
        self.C = C
        self.lam = lam
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Find the best hyperplane for the examples X (dense or sparse) with labels y.

        sample_weight multiplies what slack costs: weight k is as good as k copies of an example,
        weight zero as leaving it out. C-ordered float32 or float64 arrays and CSR matrices are
        used as they are, not copied.
        """
        before = self._multipliers() if self.warm_start and hasattr(self, "dual_coef_") else None
        return self._fit(X, y, sample_weight, before)

    def _fit(self, X, y, sample_weight, before: _Multipliers | None):
        X, targets, prices = self._problem(X, y, sample_weight, reset=True)
        start = before.at(prices.C, targets) if before is not None else None
        with ctrl_c_asks() as asked:
            return self._minimise(asked, X, targets, prices, start)

    def _check_settings(self) -> None:
        for name, value in (("C", self.C), ("lam", self.lam)):
            absent = value is None and name == "lam"
            if not (absent or (_input.is_number(value) and 0 < value < np.inf)):
                raise ValueError(f"{name} must be a positive number, got {value!r}.")
        _input.check_margin_settings(self)
        if not isinstance(self.warm_start, bool):
            raise ValueError(f"warm_start must be True or False, got {self.warm_start!r}.")
        by_class = self.class_weight
        if isinstance(by_class, dict):
            known = all(_input.is_number(v) and 0 < v < np.inf for v in by_class.values())
        else:
            known = by_class is None or (isinstance(by_class, str) and by_class == "balanced")
        if not known:
            raise ValueError(
                "class_weight must be a dict of positive numbers by class, 'balanced' or None, "
                f"got {self.class_weight!r}."
            )

    def _problem(self, X, y, sample_weight, *, reset: bool):
        """The examples, their signs for each output, and what slack costs."""
        self._check_settings()
        X, y = _input.labelled_examples(self, X, y, reset=reset)
        targets = _stream.one_label_each(self, _input.targets(self, y))
        return X, targets, self._prices(column_or_1d(y), targets.classes, sample_weight)

    def _prices(self, y: np.ndarray, classes: np.ndarray, sample_weight) -> Prices:
        weights, total = np.zeros(0), float(y.size)
        if sample_weight is not None:
            weights = _check_sample_weight(
                sample_weight, y, dtype=np.float64, ensure_non_negative=True
            )
            with np.errstate(over="ignore"):
                total = float(np.sum(weights))
            missing = [c for c in classes if not np.any(weights[y == c])]
            if missing:
                raise ValueError(
                    "sample_weight must be positive for some example of every class, but it is "
                    f"zero for all of class {missing[0].item()!r}. Leave these examples out."
                )
        C = float(self.C)
        if self.lam is not None:
            with np.errstate(over="ignore", divide="ignore"):
                C = float(1 / np.float64(self.lam * total))
        by_class = np.ones(len(classes))
        if self.class_weight is not None:
            by_class = compute_class_weight(
                self.class_weight,
                classes=classes,
                y=y,
                sample_weight=weights if weights.size else None,
            )
        pair = (1.0, 1.0)
        if len(classes) == 2:
            pair = (float(by_class[0]), float(by_class[1]))
        elif self.class_weight is not None:  # the rest is no single class
            own = by_class[np.searchsorted(classes, y)]
            weights = own * weights if weights.size else own
        prices = Prices(C, pair, weights)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            costs = prices.of(np.where(y == classes[-1], 1, -1))
            least, total = np.min(costs[weights > 0] if weights.size else costs), np.sum(costs)
        if not (least > SMALLEST and total < np.inf):
            raise ValueError(
                "the costs C·class_weight·sample_weight of slack must be within float64, but they "
                f"are from {least:g} on, with a sum of {total:g}. Choose numbers of moderate size."
            )
        return prices

    def _minimise(self, asked, X, targets: _input.Targets, prices: Prices, start):
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        square = _input.longest_example(self, X)
        square += allowance(X.shape[1], square)
        longest = float(np.sqrt(square + 1) * np.sum(prices.of(targets.signs[0])))
        if longest > _input.LONGEST:
            raise ValueError(
                f"SVM needs C·Σ‖x_t‖ below about {_input.LONGEST:g}, so that products stay within "
                f"float64, but it is up to {longest:g}. Choose a smaller C, or rescale X."
            )
        rng = np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1))
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X)
        heard: list[bool] = []  # a callback asked to stop
        found = []
        for k, (labels, signs) in enumerate(zip(targets.outputs, targets.signs, strict=True)):
            costs = prices.of(signs)
            outcome = soft_margin(
                X,
                signs,
                costs,
                self.intercept,
                tol=(1 - ROOM) * float(self.tol),
                max_iter=int(self.max_iter),
                start=None if start is None else start[k],
                rng=rng,
                asked=lambda: asked() or bool(heard) or time.monotonic() > deadline,
                after_look=self._announcer(context, X, heard),
            )
            sample = Sample(X, signs)
            found.append(self._certified(sample, labels, prices, costs, outcome, square))
        self._store(targets, found, prices, by_hand=asked(), heard=bool(heard))
        context.call_on_fit_task_end(estimator=self, X=X, reconstruction_attributes=dict)
        return self

    def _announcer(self, context, X, heard: list[bool]):
        """Tell the callbacks of every look at all examples. They may ask to stop."""
        if not getattr(self, "_skl_callbacks", None):
            return lambda primal, dual: False

        def announce(primal: float, dual: float) -> bool:
            look = context.subcontext(task_name="look")
            look.call_on_fit_task_begin(estimator=self, X=X)
            if look.call_on_fit_task_end(estimator=self, X=X):
                heard.append(True)
            return bool(heard)

        return announce

    def _certified(
        self,
        sample: Sample,
        labels: Labels,
        prices: Prices,
        costs: np.ndarray,
        outcome: SoftOutcome,
        square: float,
    ) -> _Machine:
        alpha = outcome.alpha
        kept = alpha > 0
        if self.intercept == "free" and not np.any(kept & (alpha < (1 - NEARLY) * costs)):
            kept[_fixing_b(sample, costs, outcome)] = True
        rows = np.flatnonzero(kept)
        dual_coef = alpha[rows] * sample.signs[rows]
        claim: DualityGap | NotClaimed
        try:
            claim = DualityGap.of(
                sample,
                labels,
                coef=outcome.w,
                intercept=outcome.b,
                treatment=self.intercept,
                C=prices.C,
                class_weight=prices.class_weight,
                sample_weight=prices.sample_weight,
                rows=rows,
                dual_coef=dual_coef,
                square=square,
            )
        except CannotClaim as reason:
            claim = NotClaimed("DualityGap", f"{labels.shown}: {reason}")
        slack = np.maximum(0.0, 1 - sample.signs * (sample.X @ outcome.w + outcome.b))
        return _Machine(outcome, rows, dual_coef, claim, slack)

    def _store(
        self,
        targets: _input.Targets,
        found: list[_Machine],
        prices: Prices,
        *,
        by_hand: bool,
        heard: bool,
    ) -> None:
        outcomes = [item.outcome for item in found]
        self.classes_, self._multilabel = targets.classes, False
        self.coef_ = np.array([outcome.w for outcome in outcomes])
        self.intercept_ = np.array([outcome.b for outcome in outcomes])
        self.support_ = [item.rows for item in found]
        self.dual_coef_ = [item.dual_coef for item in found]
        self.n_support_ = np.array([item.rows.size for item in found])
        self.C_ = prices.C
        self._slack = [item.slack for item in found]
        self.objective_ = np.array([outcome.primal for outcome in outcomes])
        if self.lam is not None:
            self.objective_ *= float(self.lam)  # the form with C, divided by Cm
        self.n_iter_ = max(int(outcome.passes) for outcome in outcomes)
        self.n_samples_fit_ = len(targets.signs[0])
        self.trace_ = GapTrace.layer([outcome.trace for outcome in outcomes])
        claims = [item.claim for item in found]
        self.certificate_ = Composite(
            tuple(claim for claim in claims if isinstance(claim, DualityGap)),
            tuple(claim for claim in claims if isinstance(claim, NotClaimed)),
        )
        self.converged_ = all(item.gap <= self.tol for item in found)
        self.status_ = self._status(found, by_hand, heard)
        if not self.converged_:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)

    def _status(self, found: list[_Machine], by_hand: bool, heard: bool) -> str:
        worst = max(item.gap for item in found)
        shown = rounded_up(worst, 2) if 0 < worst < np.inf else "0"
        worth = f"the objective is proved to be smallest up to a relative gap of {shown}"
        if worst <= self.tol:
            return f"Converged: {worth}."
        outcomes = [item.outcome for item in found]
        if by_hand:
            why = "Stopped by hand"
        elif heard:
            why = "Stopped by a callback"
        elif any(outcome.stopped for outcome in outcomes):
            why = f"Stopped at the time limit of {self.time_limit:g} seconds"
        elif any(outcome.passes >= self.max_iter for outcome in outcomes):
            why = f"Stopped at max_iter = {int(self.max_iter):,} passes over the examples"
        else:
            why = "Stopped because float64 allows no further progress"
        if not worst < 0.995:  # it would be shown as 1
            return f"{why}: nothing is proved about how near the objective is to the smallest."
        return f"{why}: {worth}, more than the tol of {self.tol:g}."

    def _multipliers(self) -> _Multipliers:
        return _Multipliers(
            self.classes_, self.n_samples_fit_, self.C_, self.support_, self.dual_coef_
        )

    @property
    def slack_(self) -> list[np.ndarray]:
        """ξ_t of the examples of the fit, for each output; neither pickles nor model files keep
        them, `slacks(X, y)` computes them again."""
        check_is_fitted(self)
        if not hasattr(self, "_slack"):
            raise AttributeError(
                "slack_ is there after fit, but this machine was copied or read from a file. "
                "Call slacks(X, y) with the examples of the fit."
            )
        return self._slack

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        state.pop("_slack", None)
        return state

    def slacks(self, X, y) -> np.ndarray:
        """ξ_t = [1 − y_t (w·x_t + b)]₊ of examples, those of the fit or others: (n_samples,) for
        two classes, else (n_samples, n_outputs)."""
        check_is_fitted(self)
        scores = self.decision_function(X)
        y = column_or_1d(y)
        signs = [labels.signs(y) for labels in self.outputs_]
        return np.maximum(0.0, 1 - np.array(signs).T.reshape(scores.shape) * scores)

    def leave_one_out(self, X, y, sample_weight=None, *, exact: bool = False) -> LeaveOneOut:
        """How many examples would be wrong, each predicted by the machine without it.

        X, y and sample_weight are those of the fit; C and all weights stay as they are. An example
        that is no support changes nothing, so only supports are in doubt. They are counted as
        errors ("upper bound"), unless the multiplier of one is so small that it must be right
        (intercept "none" or "lifted"); with `exact` the machine is fitted again, to `tol`, without
        each of those in doubt. See `docs/svm.md` for the inequality.
        """
        check_is_fitted(self)
        X, targets, prices = self._problem(X, y, sample_weight, reset=False)
        if len(targets.signs[0]) != self.n_samples_fit_ or not np.array_equal(
            targets.classes, self.classes_
        ):
            raise ValueError(
                f"leave_one_out needs the {self.n_samples_fit_:,} examples of the fit, with the "
                f"same classes, but X and y hold {len(targets.signs[0]):,}, or other classes."
            )
        costs = [prices.of(signs) for signs in targets.signs]
        return leave_one_out(self, X, column_or_1d(y), targets.signs, costs, exact=exact)

    @classmethod
    def path(cls, X, y, Cs, *, sample_weight=None, **settings: Any) -> Path:
        """Machines for several C, each begun from the multipliers of the one before.

        Parameters
        ----------
        X, y, sample_weight
            As for fit.
        Cs : sequence of float
            From small to large is the quickest.
        **settings
            All others of an SVM but C and lam.

        Returns
        -------
        Path
            Ends early if Ctrl-C stops it.
        """
        if {"C", "lam"} & set(settings):
            raise ValueError("path takes the C of its machines from Cs: leave out C and lam.")
        models: list[SVM] = []
        for C in np.ravel(np.asarray(Cs, dtype=np.float64)).tolist():
            before = models[-1]._multipliers() if models else None
            models.append(cls(C=C, **settings)._fit(X, y, sample_weight, before))
            if models[-1].status_.startswith("Stopped by hand"):
                break
        if not models:
            raise ValueError("path needs at least one C, but Cs is empty.")
        return Path(np.array([model.C_ for model in models]), tuple(models))


class _Multipliers(NamedTuple):
    """Those of a fit, to begin another one from."""

    classes: np.ndarray
    m: int
    C: float
    support: list[np.ndarray]
    dual_coef: list[np.ndarray]

    def at(self, C: float, targets: _input.Targets) -> list[np.ndarray] | None:
        """For another C in proportion, so that what was at its bound is there again; None if the
        problem is of another shape."""
        as_many = self.m == len(targets.signs[0])
        if not (as_many and np.array_equal(self.classes, targets.classes)):
            return None
        alphas = []
        for rows, dual_coef in zip(self.support, self.dual_coef, strict=True):
            alpha = np.zeros(self.m)
            alpha[rows] = np.abs(dual_coef) * (C / self.C)
            alphas.append(alpha)
        return alphas


@dataclass(frozen=True, repr=False)
class Path:
    """Machines for several C.

    Attributes
    ----------
    Cs : ndarray (n_Cs,)
    models : tuple of SVM
        Fitted, each with its certificate.
    """

    Cs: np.ndarray
    models: tuple[SVM, ...]

    @property
    def coefs(self) -> np.ndarray:
        """(n_Cs, n_outputs, n_features)"""
        return np.array([model.coef_ for model in self.models])

    @property
    def intercepts(self) -> np.ndarray:
        """(n_Cs, n_outputs)"""
        return np.array([model.intercept_ for model in self.models])

    @property
    def objectives(self) -> np.ndarray:
        """(n_Cs, n_outputs)"""
        return np.array([model.objective_ for model in self.models])

    @property
    def gaps(self) -> np.ndarray:
        """(n_Cs,): the relative gap that is proved, of the worst output; inf where none is."""
        return np.array(
            [
                max((claim.relative_gap for claim in model.certificate_), default=np.inf)
                if len(model.certificate_) == len(model.coef_)
                else np.inf
                for model in self.models
            ]
        )

    @property
    def supports(self) -> np.ndarray:
        """(n_Cs, n_outputs): how many supports."""
        return np.array([model.n_support_ for model in self.models])

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, index: int) -> SVM:
        return self.models[index]

    def __repr__(self) -> str:
        return f"Path({counted(len(self), 'C')})"


def _fixing_b(sample: Sample, costs: np.ndarray, outcome: SoftOutcome) -> np.ndarray:
    """The example whose margin becomes 1 just at the smallest b, if it has no multiplier.

    All supports have reached their bounds. Just below b the slope of Σ c_t [1 − y_t (s_t + b)]₊
    over the supports is then Σ_{y=−1} c_t − Σ_{y=+1} c_t = −Σ α_t y_t = 0, unless one of y = −1 has
    margin 1: so what keeps a smaller b from being as good is a positive example of margin 1.
    """
    scores = safe_sparse_dot(sample.X, outcome.w, dense_output=True)
    away = np.abs(1 - scores - outcome.b)
    near = away <= 1e-9 * (1 + np.abs(scores) + abs(outcome.b))
    fixing = np.flatnonzero(near & (sample.signs > 0) & (outcome.alpha == 0) & (costs > 0))
    return fixing[np.argsort(away[fixing], kind="stable")[:1]]
