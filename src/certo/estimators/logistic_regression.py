"""`LogisticRegression`: maximum likelihood by Newton's method, which says when there is none."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit, log_softmax, softmax
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from certo.blas import few_threads
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.separation.quasi_separable import Overlapping
from certo.estimators import _in_blocks, _input, description
from certo.estimators._coefficients import CoefficientTable, column_labels
from certo.estimators._errors import ProofError
from certo.estimators._goodness import goodness_of_likelihood
from certo.estimators._input import (
    COUNT,
    NOT_NEGATIVE,
    POSITIVE_NUMBER,
    SECONDS,
    Setting,
    check_settings,
    one_of,
)
from certo.estimators._keywords import answer_keywords
from certo.estimators._likelihood_ratio import LikelihoodRatios, likelihood_ratio_tests
from certo.estimators._limits import running
from certo.estimators._linear import Later, LinearClassifier, forget, make_later
from certo.estimators._logistic import (
    DOUBTFUL,
    Existence,
    Fitted,
    certified_again,
    covariance_of,
    existence,
    join_traces,
    minimise,
    no_estimate,
    pose_problem,
)
from certo.estimators._prices import check_class_weight
from certo.estimators._robust import check_robust, covariance_of_logits
from certo.estimators.new_examples import no_few_examples
from certo.facts import InputError
from certo.problems.logistic import LogisticProblem, Weights, against
from certo.solvers.interrupt import Watch, ctrl_c_asks
from certo.solvers.newton import NewtonLimits, NewtonTrace
from certo.solvers.recession import Recession
from certo.stop import Stop, go_on
from certo.words import refusals
from certo.words.fitting_status import RIDGE_BIAS, logistic_status, now_decided
from certo.words.goodness import HC3_OF_LIKELIHOOD
from certo.words.separating_columns import separating_columns

__all__ = ["LogisticRegression", "Separated", "SeparationWarning"]

# existence_time_limit="auto" is this factor times the time of the fit, and at least these seconds.
EXISTENCE_TIME_FACTOR, EXISTENCE_MIN_SECONDS = 2.0, 1.0
SIZE_CHECK_ROWS = 64  # So many rows show of most columns that they are not tiny.
STANDARD_ERRORS = ("covariance_", "standard_errors_", "intercept_standard_errors_")
MAX_ERROR_NUMBERS = 2**20  # Numbers of X that a fit keeps for its standard errors: 8 MB.
LOGISTIC_SETTINGS = {
    "intercept": one_of("free", "none"),
    "solver": one_of("damped", "newton")._replace(
        wanted="'damped' or 'newton' (leave out solvers of scikit-learn: the shape of X decides)"
    ),
    "on_separation": one_of("warn", "raise", "ridge"),
    "ridge": NOT_NEGATIVE,
    "tol": POSITIVE_NUMBER,
    "risk_threshold": NOT_NEGATIVE.or_none,
    "max_iter": COUNT,
    "time_limit": SECONDS.or_none,
    "existence_time_limit": Setting(
        f"{SECONDS.wanted}, None or 'auto'",
        lambda value: (isinstance(value, str) and value == "auto") or SECONDS.or_none.holds(value),
    ),
}


class SeparationWarning(UserWarning):
    """No estimate exists: a direction separates classes, at least in part."""


class Separated(ProofError):
    """No estimate exists, since a direction separates classes; `proof` is a `NoEstimate` of it, or
    None if its fractions are too long for one."""

    proof: NoEstimate | None


@answer_keywords
class LogisticRegression(CallbackSupportMixin, LinearClassifier, BaseEstimator):
    r"""Logistic regression: min (1/S) Σ_t s_t (log Σ_k e^{f_k(x_t)} − f_y(x_t)) + (ridge/2)‖w‖².

    Maximum likelihood (ridge = 0, the default) for Pr(k|x) ∝ e^{f_k(x)}, f_k(x) = w_k·x + b_k, by
    Newton's method (iteratively reweighted least squares) from w = 0. S = Σ s_t is the sum of the
    weights, m if there are none. It stops because a certificate says how far the risk can be from
    the smallest.

    Where a direction separates classes, even in part (no example on its wrong side, some on the
    right one), the likelihood rises along it for ever: **no estimate exists**. The fit proves it,
    says which columns and rows do it, and goes on as `on_separation` says. The weights come first:
    where such a direction can be found only by linear programs in exact arithmetic, these have a
    time limit of their own, and until they end `estimate_exists_` is None.

    Parameters
    ----------
    intercept : {"free", "none"}, default="free"
        "free": the b_k, which cost nothing. "none": scores w_k·x.
    ridge : float, default=0.0
        What is added to the diagonal of the mean Hessian, for slopes only. scikit-learn's C is
        1/(ridge·S). With two classes there is one w; with more the penalty is over all w_k.
    reference : class label or None, default=None
        The class that `contrasts_`, standard errors and tests compare the others with. None: the
        last of several classes, and the first of two (`contrasts_` is then `coef_`).
    solver : {"damped", "newton"}, default="damped"
        "damped": steps are shortened so that the risk never rises. "newton": never shortened, as
        in many textbooks; this may diverge.
    on_separation : {"warn", "raise", "ridge"}, default="warn"
        If no estimate exists. "warn": weights of a risk within `tol` of its infimum, which are not
        an estimate, and a SeparationWarning; where all examples are separated, those along the
        direction of largest margin, if that is found. "raise": raise Separated, which carries
        the proof. "ridge": minimise with ridge 1/S instead, scikit-learn's C = 1, and a
        SeparationWarning.
    tol : float, default=1e-8
        Converged means that the risk (with the penalty) is proved to be at most this above
        `infimum_`. Usually far less is reached.
    risk_threshold : float or None, default=None
        If given, stop as soon as the mean loss is at most this.
    max_iter : int, default=100
        The largest number of Newton steps.
    time_limit : float or None, default=None
        Seconds after which the best weights so far are returned.
    existence_time_limit : float, None or "auto", default="auto"
        Seconds for deciding whether an estimate exists, once the weights are found and if they do
        not tell. None: no limit. "auto": twice the time of the fit, and at least one second; none
        where columns are nearly, not exactly, combinations of others, as rounding makes them: an
        answer would depend on their last digits. `decide_existence` decides it later.
    class_weight : dict, "balanced" or None, default=None
        What the weights of examples are multiplied by, for each class.

    Attributes
    ----------
    coef_ : ndarray (1, n_features) or (n_classes, n_features)
        Two classes: the w of the second against the first. More: one for each class, with
        Σ_k w_k = 0 (scikit-learn's form). Where columns are dependent, those of least norm.
    intercept_ : ndarray (1,) or (n_classes,)
    classes_ : ndarray
    reference_
        The class that the others are compared with.
    contrasts_ : ndarray (n_classes − 1, n_features)
        w_k − w_ref for the other classes, in their order: log Pr(k|x)/Pr(ref|x) has these slopes.
    contrast_intercepts_ : ndarray (n_classes − 1,)
    covariance_ : ndarray ((n_classes − 1)·p, (n_classes − 1)·p) or None
        Of the contrasts, from the inverse of the Hessian: the p coefficients of a class in turn,
        its intercept last. NaN where dependent columns leave a coefficient undecided. None where
        there is none: no estimate, ridge, class_weight.
    standard_errors_ : ndarray (n_classes − 1, n_features) or None
    intercept_standard_errors_ : ndarray (n_classes − 1,) or None
    estimate_exists_ : bool or None
        Whether the likelihood has a maximum; None: that is not decided, see `decide_existence`.
        With ridge > 0, True.
    ridge_ : float
        The ridge that was used: `ridge`, or that of on_separation="ridge".
    risk_ : float
        The mean loss (1/S) Σ s_t ℓ_t at these weights.
    objective_ : float
        The same with the penalty: what was made small, as far as it is proved.
    infimum_ : float
        What no weights can go below, proved (−inf if nothing is). Where columns are nearly, not
        exactly, combinations of others, it is proved only of weights that do not differ in these
        by more than `status_` says: whether others go below is then not known.
    gap_ : float
        `objective_` − `infimum_`, and so about the same weights.
    log_likelihood_ : float
        −S times `risk_`.
    null_log_likelihood_ : float
        The highest with intercepts alone (that of w = 0 if there are none).
    rank_ : int or None
        Of X, centred if the intercept is free, up to rounding; of the examples that no direction
        separates. None where it is not looked for: with a ridge, where all examples are separated,
        or with too many columns for a Hessian.
    converged_ : bool
    n_iter_ : int
        Newton steps.
    trace_ : certo.solvers.newton.NewtonTrace
        Risk, gradient and step length against steps and time.
    status_ : str
        Why it stopped, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        LogisticExcess; and NoEstimate, if there is none. Where curvature does not show that there
        is one, Overlapping may.

    Examples
    --------
    >>> from certo import LogisticRegression
    >>> X, y = [[0.5], [1.0], [1.5], [2.0], [2.5], [3.0]], ["no", "no", "yes", "no", "yes", "yes"]
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict_proba([[2.0]]).round(3).tolist()
    [[0.353, 0.647]]
    >>> model.estimate_exists_, model.certificate_.verify(X, y).holds
    (True, True)

    Classes that a threshold tells apart have no estimate, and there is a proof of it:

    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     model = LogisticRegression().fit([[0.0], [1.0], [2.0]], [0, 0, 1])
    >>> model.estimate_exists_, model.infimum_
    (False, 0.0)
    """

    trace_kind = NewtonTrace

    covariance_: Any = Later(": fit sets it.")
    standard_errors_: Any = Later(": fit sets it.")
    intercept_standard_errors_: Any = Later(": fit sets it.")

    def __init__(
        self,
        *,
        intercept="free",
        ridge=0.0,
        reference=None,
        solver="damped",
        on_separation="warn",
        tol=1e-8,
        risk_threshold=None,
        max_iter=100,
        time_limit=None,
        existence_time_limit="auto",
        class_weight=None,
    ):
        self.intercept = intercept
        self.ridge = ridge
        self.reference = reference
        self.solver = solver
        self.on_separation = on_separation
        self.tol = tol
        self.risk_threshold = risk_threshold
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.existence_time_limit = existence_time_limit
        self.class_weight = class_weight

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Maximise the likelihood of the labels y of the examples X (dense or sparse).

        sample_weight multiplies the loss of an example: weight k is as good as k copies of it,
        also for standard errors, and weight zero as leaving it out. C-ordered float32 or float64
        arrays and CSR matrices are used as they are, not copied.

        X may be a pyarrow dataset, y then being the name of its target, or `certo.scale.Blocks`:
        it is read block by block. Whether an estimate exists is then said where the claim proves
        it, and not searched for.
        """
        check_settings(self, LOGISTIC_SETTINGS)
        check_class_weight(self.class_weight)
        if _in_blocks.is_in_blocks(X):
            return _in_blocks.fit_logistic(self, X, y, sample_weight)
        X, y = _input.labelled_examples(self, X, y, reset=True)
        _input.longest_example(self, X)
        _input.refuse_tiny_columns(self, X, _maybe_tiny(X))
        problem = pose_problem(self, X, y, sample_weight)
        reference = self._reference(problem.classes)
        with running(self, X, "step") as run, few_threads(X.shape[0]):
            limits = NewtonLimits(
                float(self.tol), int(self.max_iter), self.risk_threshold, self.solver,
                run.asked, run.tell if run.is_heard else go_on,
            )  # fmt: skip
            found = self._minimise(problem, limits)
            self._store(found, reference)
            self._stop = Stop.CONVERGED if self.converged_ else found.stop
            why_none = found.separation and self._why_none(problem, found.separation)
            self.status_ = logistic_status(self, found, why_none or "")
        if found.separation is not None:
            warnings.warn(self.status_, SeparationWarning, stacklevel=3)
        elif not self.converged_ and found.stop is not Stop.RISK_THRESHOLD:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=3)
        return self

    def _reference(self, classes: np.ndarray) -> int:
        """The place of the reference class."""
        if self.reference is None:
            return 0 if len(classes) == 2 else len(classes) - 1
        places = [k for k, c in enumerate(classes.tolist()) if c == self.reference]
        if not places:
            raise InputError(refusals.unknown_reference, classes.tolist(), self.reference)
        return places[0]

    def _minimise(self, problem: LogisticProblem, limits: NewtonLimits) -> Fitted:
        """What is returned; or Separated is raised."""
        began = time.monotonic()
        found = minimise(problem, limits, beyond=self.on_separation == "warn")
        direction: Any = found
        if isinstance(found, Fitted):
            if found.exists is None and not problem.ridge and found.stop in DOUBTFUL:
                found = self._decided(problem, limits, found, began)
            if found.separation is None or self.on_separation == "warn":
                return found
            direction = found.separation
        if self.on_separation == "raise":
            claim = no_estimate(problem, direction)
            raise Separated(
                f"{self._why_none(problem, direction)} Drop or merge such columns, set ridge > 0, "
                "or choose on_separation='warn' or 'ridge'.",
                claim if isinstance(claim, NoEstimate) else None,
            )
        again = minimise(problem._replace(ridge=1 / problem.total), limits)
        assert isinstance(again, Fitted)  # With a penalty the risk falls for ever along nothing.
        return again._replace(separation=direction)

    def _why_none(self, problem: LogisticProblem, direction: Recession) -> str:
        why = separating_columns(direction, self._names, problem.classes.tolist())
        return f"No estimate exists: {why}."

    def _decided(
        self, problem: LogisticProblem, limits: NewtonLimits, found: Fitted, began: float
    ) -> Fitted:
        """The same, and whether an estimate exists, if that can be decided in time."""
        seconds = self.existence_time_limit
        if seconds == "auto":
            if found.near:  # The answer depends on what rounding has left of columns.
                return found
            fit_seconds = time.monotonic() - began
            seconds = max(EXISTENCE_MIN_SECONDS, EXISTENCE_TIME_FACTOR * fit_seconds)
        watch = Watch(limits.asked, np.inf if seconds is None else seconds)
        decided = existence(problem, found.weights, watch)
        known, gap = decided.separation, found.gap
        if known is not None and self.on_separation == "warn" and gap > self.tol:
            again = minimise(problem, limits, start=found.weights, known=known)
            assert isinstance(again, Fitted)  # Beyond what is known there is always an answer.
            found = again if again.gap < gap else found
        return found._replace(separation=known, overlap=decided.overlap)

    def _store(self, found: Fitted, reference: int) -> None:
        problem = found.problem
        self.classes_, self._multilabel = problem.classes, False
        self.coef_, self.intercept_ = found.weights
        self.ridge_ = problem.ridge
        self.reference_ = problem.classes.tolist()[reference]
        self.contrasts_ = against(self.coef_, reference)
        self.contrast_intercepts_ = against(self.intercept_, reference)
        claims: list[Any] = [found.excess]
        if found.separation is not None:
            claims.append(no_estimate(problem, found.separation))
        if found.overlap is not None:
            claims.append(found.overlap)
        self.certificate_ = _composite(claims)
        self.estimate_exists_ = found.exists
        if found.separation is not None and self.separation_ is None:
            self.estimate_exists_ = None  # No claim could be made of the direction.
        self.converged_ = found.gap <= self.tol
        self.risk_ = found.risk
        self.objective_ = self.risk_ + problem.penalty(found.weights)
        self.infimum_ = -np.inf
        if isinstance(found.excess, LogisticExcess):
            self.objective_, self.infimum_ = found.excess.risk, found.excess.lower
        self.gap_ = found.gap
        self.log_likelihood_ = -problem.total * self.risk_
        self.null_log_likelihood_ = problem.null_log_likelihood
        self.rank_, self.n_iter_ = found.rank, found.steps
        self.n_samples_fit_ = len(problem.codes)
        self.trace_ = join_traces(found.outcomes)
        self._store_errors(found, reference)

    def _store_errors(self, found: Fitted, reference: int) -> None:
        """Of a table that is not large they are made when they are first read, since they cost as
        much as a Newton step."""
        forget(self, "_later", *STANDARD_ERRORS)
        if self._why_no_errors():
            self.covariance_ = self.standard_errors_ = self.intercept_standard_errors_ = None
            return
        problem, d, lifted = found.problem, self.n_features_in_, found.problem.lifted
        data: tuple[Any, ...] = ()
        if isinstance(problem, LogisticProblem):  # Of examples that are here.
            given = problem.sample_weight
            data = (problem.X,) if given is None else (problem.X, given)
            found = found._replace(problem=problem._replace(X=None, sample_weight=None))

        def covariance(machine: LogisticRegression, *data: Any) -> np.ndarray | None:
            if not data:  # They are in blocks.
                return covariance_of(found, reference)
            X, *weights = data
            own = found.problem._replace(X=X, sample_weight=weights[0] if weights else None)
            return covariance_of(found._replace(problem=own), reference)

        def errors(machine: LogisticRegression, *data: Any) -> np.ndarray | None:
            every = machine._errors()
            return None if every is None else every.reshape(len(machine.contrasts_), -1)[:, :d]

        def of_intercept(machine: LogisticRegression, *data: Any) -> np.ndarray | None:
            every = machine._errors()
            if every is None or not lifted:
                return None
            return every.reshape(len(machine.contrasts_), -1)[:, d]

        made = zip(STANDARD_ERRORS, (covariance, errors, of_intercept), strict=True)
        make_later(self, *data, at_once_above=MAX_ERROR_NUMBERS if data else -1, **dict(made))

    def _errors(self) -> np.ndarray | None:
        if self.covariance_ is None:
            return None
        with np.errstate(invalid="ignore"):
            return np.sqrt(np.diag(self.covariance_))

    def _why_no_errors(self) -> str:
        """Why there are no standard errors; empty if there are."""
        if self.estimate_exists_ is False:
            return "no estimate exists"
        if self.ridge_:
            return RIDGE_BIAS
        if self.class_weight is not None:
            return "with class_weight it is not the likelihood of the examples that is made largest"
        if not self.estimate_exists_:
            return "it is not decided whether an estimate exists"
        if any(claim.reach is not None for claim in self.certificate_.of_kind(LogisticExcess)):
            return (
                "columns are nearly, not exactly, combinations of others, so that these "
                "coefficients are not proved to be near the estimate; drop columns that repeat "
                "others"
            )
        if not self.converged_:
            return (
                f"the risk is not proved to be within the tol of {self.tol:g} of the smallest; "
                "a larger tol, or columns less their means, may help"
            )
        return ""

    @property
    def _names(self) -> list[str]:
        return column_labels(self)

    def summary(
        self, level=0.95, *, robust=None, X=None, y=None, sample_weight=None
    ) -> CoefficientTable:
        """Contrasts with the reference class, standard errors, Wald tests (z), confidence intervals
        and odds ratios, as a table to look at; with the likelihood-ratio test of all slopes, AIC
        and BIC of the fit as a whole.

        robust="HC3": standard errors that stay valid, for large samples, where the model is not
        right. X, y and sample_weight must then be those of the fit, which keeps no data.
        """
        check_is_fitted(self)
        errors = self._errors()
        if check_robust(robust, X, y):
            errors = np.sqrt(np.diag(self._robust_covariance(X, y, sample_weight)))
        names, estimates = self._names, self.contrasts_
        if self.intercept == "free":
            names = [*names, "intercept"]
            estimates = np.column_stack([estimates, self.contrast_intercepts_])
        compared = [c for c in self.classes_.tolist() if c != self.reference_]
        least, most = self.null_log_likelihood_, self.log_likelihood_
        d = self.n_features_in_
        return CoefficientTable(
            tuple(names) * len(compared),
            estimates.ravel(),
            errors,
            statistic="z",
            level=level,
            groups=tuple(f"{c} against {self.reference_}" for c in compared for _ in names),
            title=f"LogisticRegression: {self.n_samples_fit_:,} examples, log-likelihood "
            f"{most:.6g} ({least:.6g} with the intercept alone: McFadden's R² "
            f"{1 - most / least:.4g})",
            notes=(*self._notes(), *([HC3_OF_LIKELIHOOD] if robust else [])),
            heading="no estimate" if self.estimate_exists_ is False else "estimate",
            fit=self._goodness(),
            odds=tuple(
                bool(self.estimate_exists_) and k < d for _ in compared for k in range(len(names))
            ),
        )

    def _goodness(self) -> dict[str, Any]:
        """Numbers about the fit as a whole."""
        slopes, contrasts = None, len(self.contrasts_)
        # The tests compare maximum likelihoods.
        if self.rank_ is not None and not self._why_no_errors():
            slopes = contrasts * self.rank_
        return goodness_of_likelihood(
            self.log_likelihood_, self.null_log_likelihood_,
            total=-self.log_likelihood_ / self.risk_ if self.risk_ else self.n_samples_fit_,
            slopes=slopes, intercepts=contrasts * (self.intercept == "free"),
        )  # fmt: skip

    def _robust_covariance(self, X, y, sample_weight) -> np.ndarray:
        if self.covariance_ is None:
            raise ValueError("robust='HC3' needs standard errors. " + " ".join(self._notes()))
        problem = self._posed_again(X, y, sample_weight, "robust='HC3'")
        classes = self.classes_.tolist()
        others = [k for k, label in enumerate(classes) if label != self.reference_]
        places = np.full(len(classes), -1)
        places[others] = np.arange(len(others))
        logits = problem.X @ self.contrasts_.T + self.contrast_intercepts_
        return covariance_of_logits(
            self.covariance_, problem.X, places[problem.codes], np.asarray(logits),
            problem.weights, problem.lifted,
        )  # fmt: skip

    def _notes(self) -> tuple[str, ...]:
        if self.standard_errors_ is None:
            why = self._why_no_errors() or "there are too many coefficients for their covariance"
            return (f"No standard errors: {why}.",)
        if np.any(np.isnan(self.standard_errors_)):
            return (
                "Coefficients without a standard error: their columns depend on each other, so the "
                "examples determine sums of them only.",
            )
        return ()

    def intervals(self, level=0.95) -> np.ndarray:
        """Confidence intervals of the contrasts, a row (low, high) for each coefficient in the
        order of the summary: class by class, a free intercept last."""
        return self.summary(level).intervals

    def likelihood_ratio_tests(self, X, y, sample_weight=None) -> LikelihoodRatios:
        """Test each column: how much the likelihood falls if it is left out of the model.

        X, y and sample_weight must be those of the fit, which keeps no data. One fit is made for
        each column, of as many classes, and one without intercepts. Unlike Wald's, these tests
        have a meaning where no estimate exists: suprema of likelihoods are compared.
        """
        check_is_fitted(self)
        if self.ridge_ or self.class_weight is not None:
            raise ValueError(
                f"likelihood_ratio_tests compares maximum likelihoods, but {self._why_no_errors()}."
            )
        problem = self._posed_again(X, y, sample_weight, "likelihood_ratio_tests")
        return likelihood_ratio_tests(self, problem)

    def decide_existence(self, X, y, sample_weight=None, *, time_limit=None) -> bool | None:
        """Decide whether an estimate exists, if the fit did not: `estimate_exists_`, which is also
        returned, `certificate_` and `status_` then say so. The weights stay as they are.

        X, y and sample_weight must be those of the fit, which keeps no data. Linear programs in
        exact arithmetic may take long: after `time_limit` seconds (None: no limit), or at Ctrl-C,
        it stays undecided.
        """
        check_is_fitted(self)
        SECONDS.or_none.check("time_limit", time_limit)
        problem = self._posed_again(X, y, sample_weight, "decide_existence")
        if self.estimate_exists_ is None:
            weights = Weights(self.coef_, self.intercept_)
            with ctrl_c_asks() as asked:
                watch = Watch(asked, np.inf if time_limit is None else time_limit)
                self._store_existence(problem, existence(problem, weights, watch), weights)
        return self.estimate_exists_

    def _store_existence(
        self, problem: LogisticProblem, decided: Existence, weights: Weights
    ) -> None:
        claim: Any = decided.overlap
        if decided.separation is not None:
            claim = no_estimate(problem, decided.separation)
        if claim is None or isinstance(claim, NotClaimed):
            return
        self.estimate_exists_ = decided.separation is None
        self.certificate_ = _composite([*self.certificate_.not_claimed, *self.certificate_, claim])
        why_none = decided.separation and self._why_none(problem, decided.separation)
        self.status_ = now_decided(self.status_, why_none or "")
        if self.estimate_exists_:
            reference = self.classes_.tolist().index(self.reference_)
            self._store_errors(certified_again(problem, weights), reference)

    def _posed_again(self, X, y, sample_weight, name: str) -> LogisticProblem:
        """The problem of the fit, or an error if it is another."""
        X, y = _input.labelled_examples(self, X, y, reset=False)
        problem = pose_problem(self, X, y, sample_weight)
        weights = Weights(self.coef_, self.intercept_)
        seen = getattr(self, "_seen_rows", None)  # A model from a file has no row samples.
        same = (
            np.array_equal(problem.classes, self.classes_)
            and len(problem.codes) == self.n_samples_fit_
            and (seen is None or seen.may_be(problem.X))
            and np.isclose(problem.risk(weights), self.risk_)
        )
        if not same:
            raise InputError(refusals.other_fit, name, self.n_samples_fit_)
        return problem

    @property
    def separation_(self) -> NoEstimate | None:
        """The direction that proves that there is no estimate, or None."""
        check_is_fitted(self)
        return next(iter(self.certificate_.of_kind(NoEstimate)), None)

    def predict_proba(self, X):
        """Pr(k|x) for every class, (n_samples, n_classes): they add up to 1."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return softmax(scores, axis=1)
        return np.column_stack([expit(-scores), expit(scores)])

    def predict_log_proba(self, X):
        """log Pr(k|x), which is precise where the probability is near 0 or 1."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return log_softmax(scores, axis=1)
        return np.column_stack([log_expit(-scores), log_expit(scores)])


def _composite(claims: list[Any]) -> Composite:
    """What is claimed, and what could not be."""
    return Composite(
        tuple(claim for claim in claims if not isinstance(claim, NotClaimed)),
        tuple(claim for claim in claims if isinstance(claim, NotClaimed)),
    )


def _maybe_tiny(X) -> np.ndarray:
    """The columns that are not seen at once to be large enough."""
    if not sparse.issparse(X):
        return np.flatnonzero(np.max(np.abs(X[:SIZE_CHECK_ROWS]), axis=0) < _input.SHORTEST)
    sizes = np.abs(X.data)
    tiny = np.any((sizes > 0) & (sizes < _input.SHORTEST))
    return np.arange(X.shape[1] if tiny else 0)


def _is_same_likelihood(claim: LogisticExcess, machine: LogisticRegression, y) -> bool:
    """The loss is weighted as the settings say for these labels, and penalised as they say: a
    ridge of its own is allowed where there is no estimate."""
    ridges = {float(machine.ridge)}
    if machine.on_separation == "ridge" and machine.separation_ is not None:
        ridges.add(machine.ridge_)
    if (
        claim.treatment != machine.intercept
        or claim.sample_weight.size
        or claim.ridge != machine.ridge_
        or claim.ridge not in ridges
    ):
        return False
    if machine.class_weight is None:
        return not claim.class_weight.size
    if not description.has_classes(machine, y):
        return True
    own = compute_class_weight(machine.class_weight, classes=machine.classes_, y=y)
    return np.array_equal(claim.class_weight, own)


def _has_same_intercept(claim: NoEstimate | Overlapping, machine: LogisticRegression, y) -> bool:
    """A direction must separate all examples, with none ignored."""
    return claim.intercept == machine.intercept and not np.size(getattr(claim, "ignored", ()))


def _has_own_size(value: Any, sizes: description.Sizes) -> bool:
    """Of the contrasts, with or without their intercepts."""
    wanted = [sizes.contrasts * p for p in (sizes.features, sizes.lifted)]
    return any(description.array(n, n, finite=False)(value, sizes) for n in wanted)


_LOGISTIC_FITTED: dict[str, description.Check] = description.LINEAR | {
    "reference_": description.of_type(int, float, str, bool),
    "contrasts_": description.array("contrasts", "features"),
    "contrast_intercepts_": description.array("contrasts"),
    # NaN where a coefficient is not determined
    "covariance_": description.optional(_has_own_size),
    "standard_errors_": description.optional(
        description.array("contrasts", "features", finite=False)
    ),
    "intercept_standard_errors_": description.optional(
        description.array("contrasts", finite=False)
    ),
    "estimate_exists_": description.of_type(bool, type(None)),
    "converged_": description.of_type(bool),
    **dict.fromkeys(
        ("ridge_", "risk_", "objective_", "infimum_", "gap_", "log_likelihood_"),
        description.of_type(float),
    ),
    "null_log_likelihood_": description.of_type(float),
    "rank_": description.of_type(int, type(None)),
    "n_samples_fit_": description.of_type(int),
}


def _check_fitted(machine: LogisticRegression) -> None:
    """What follows from the weights and the certificate is as they say."""
    require, classes = description.require, machine.classes_.tolist()
    require(machine.reference_ in classes, "its reference is not one of its classes.")
    place = classes.index(machine.reference_)
    require(
        np.array_equal(machine.contrasts_, against(machine.coef_, place))
        and np.array_equal(machine.contrast_intercepts_, against(machine.intercept_, place)),
        "its contrasts are not those of its weights.",
    )
    excess, none, overlap = map(
        machine.certificate_.of_kind, (LogisticExcess, NoEstimate, Overlapping)
    )
    values = (machine.objective_, machine.infimum_)
    require(
        all((claim.risk, claim.lower) == values for claim in excess)
        and all(claim.examples == machine.n_samples_fit_ for claim in (*excess, *none, *overlap)),
        "its risk is not that of its certificate.",
    )
    require(
        machine.gap_ >= 0.0 and (bool(excess) or machine.infimum_ == -np.inf),
        "its gap must be at least 0, and is not known without a claim.",
    )
    near = np.isclose(machine.objective_ - machine.infimum_, machine.gap_, rtol=1e-6, atol=1e-15)
    require(not excess or near, "its gap is not that of its certificate.")
    require(
        not machine.converged_ or (excess and machine.gap_ <= machine.tol),
        "it is said to have converged, but its certificate does not say so.",
    )
    proved = machine.ridge_ > 0 or any(claim.exists for claim in excess) or bool(overlap)
    exists = {True: proved, False: bool(none), None: True}[machine.estimate_exists_]
    require(exists, "whether an estimate exists is not what its certificate says.")
    require(
        machine.standard_errors_ is None
        or (machine.estimate_exists_ and machine.converged_ and not machine.ridge_ and not none),
        "it has standard errors of what is no estimate.",
    )


description.register(
    description.Description(
        kind=LogisticRegression,
        command="logistic",
        learns="classes",
        summary="logistic regression: a probability for each class",
        bounds=no_few_examples,
        claims={
            LogisticExcess: _is_same_likelihood,
            NoEstimate: _has_same_intercept,
            Overlapping: _has_same_intercept,
        },
        claims_all_outputs=True,
        spoken_of=lambda machine: ("coef_", "intercept_"),
        fitted=lambda machine: _LOGISTIC_FITTED,
        check_fitted=_check_fitted,
        ignores_scale=lambda machine: not machine.ridge,
        needs_reference_levels=lambda machine: not machine.ridge and machine.intercept == "free",
    )
)
