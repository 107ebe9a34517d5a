"""`HardMarginSVM`: the separator with the largest margin, and the proof that it is."""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning

from certo.blas import few_threads
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.separation.separable import Separable
from certo.estimators import _input, _kernel, _stream, description
from certo.estimators._claims import composite
from certo.estimators._errors import NotSeparable
from certo.estimators._hard_margin import (
    Separator,
    one_class,
    separator_for,
    separator_of_pair,
)
from certo.estimators._keywords import answer_keywords
from certo.estimators._limits import gap_stop, running
from certo.estimators._pairs import are_paired, check_settings, pairs_in
from certo.estimators._spaces import space_for
from certo.estimators.new_examples import by_supports
from certo.solvers.hard_margin import MarginTrace
from certo.stop import Stop
from certo.words import status

__all__ = ["HardMarginSVM", "NotSeparable"]


@answer_keywords
class HardMarginSVM(CallbackSupportMixin, _kernel.KernelClassifier, BaseEstimator):
    r"""Hard-margin support vector machine: min ½‖w‖² with y_t (w·x_t + b) ≥ 1 for all examples.

    The hyperplane that separates the classes with the largest margin γ* = 1/‖w‖; there is only one.
    With more than two classes, one for each pair of classes, about their examples alone, and a vote
    of these. Where no hyperplane separates the examples, `fit` raises `NotSeparable`, which carries
    the proof.

    With a kernel, a function f of its space takes the place of w: min ½‖f‖² with
    y_t (f(x_t) + b) ≥ 1. Where float64 shows none, `NotSeparable` says how small the largest margin
    is at most.

    The number of outputs, n_outputs, is 1 for two classes. For pairs of K classes it is K(K−1)/2,
    and the outputs are the pairs (i, j) with i < j of `classes_`, in the order (0, 1), (0, 2), …,
    (1, 2), …; a score is above 0 on the side of class i. With `multiclass="rest"` it is K.

    Parameters
    ----------
    kernel : certo.kernels.Kernel or None, default=None
        None: a hyperplane. With `Precomputed()`, X is the Gram matrix of the examples; with
        `Function(f)`, a list of any objects that f takes two of.
    intercept : {"free", "lifted", "none"}, default="free"
        "free": b costs nothing. "lifted": b is the weight of an extra feature 1 and counts in the
        norm, ½(‖w‖² + b²), as in the notes; with a kernel, that adds 1 to it. "none": hyperplanes
        through the origin.
    tol : float, default=1e-6
        Converged means that the relative duality gap, (primal − dual)/primal, is proved to be at
        most this. Usually far less is reached.
    max_iter : int, default=1000
        The largest number of looks at all examples; between them few are worked on.
    time_limit : float or None, default=None
        Seconds after which the best separator so far is returned.
    cache_mb : float, default=1000
        How much memory Gram matrices may take, in megabytes, with a kernel.
    multiclass : {"pairs", "rest"}, default="pairs"
        With three classes or more: a separator of each pair of classes, of which the class with the
        most votes is predicted; or one of each class from the rest, of which the highest score is.
        More tables can be separated in pairs.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` gives for pairs: a column for each class, its votes and less than
        a half for how clear they are; or one for each pair. As in scikit-learn.
    break_ties : bool, default=False
        Whether ties among the votes are settled by the "ovr" scores, rather than for the first
        class. As in scikit-learn.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features)
        Without a kernel.
    expansions_ : list of n_outputs certo.rkhs.Expansion
        With a kernel: the functions f, intercept left out.
    kernel_ : certo.kernels.Kernel or None
    intercept_ : ndarray (n_outputs,)
        Scaled so that y_t (coef·x_t + intercept) ≥ 1 in exact arithmetic; with a kernel, up to
        rounding.
    classes_ : ndarray
    support_ : integer array (n_supports,)
        The examples with a positive multiplier in any output, in increasing order.
    dual_coef_ : ndarray (n_outputs, n_supports)
        α_t y_t of these examples, 0 in outputs that a support does not belong to
        (`supports_of_output` leaves these out). `dual_coef_ @ support_vectors_` is `coef_` up to
        the gap and rounding (with a kernel, Σ dual_coef_t K(x_t, ·) is f), and each row sums to 0
        exactly where the intercept is free. For pairs of K classes it is arranged as in
        scikit-learn, (K−1, n_supports): a support of class i has its multipliers in the pairs of i
        with the other classes, in their order, in its column.
    support_vectors_ : array, sparse matrix or list
        `X[support_]`; for a precomputed kernel `support_` itself. Without a kernel they are
        gathered from X when they are first read, until when X is kept; then neither pickles nor
        model files hold them: take `X[model.support_]` of the examples of the fit.
    n_support_ : integer array (n_classes,)
        How many supports each class has, in the order of `classes_`.
    margin_ : ndarray (n_outputs,)
        1/‖w‖ (or 1/‖f‖), or 1/‖(w, b)‖ if lifted: what was made as large as possible.
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
        Why it stopped, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        MaximumMargin for each output, and without a kernel Separable.

    Examples
    --------
    >>> from certo import HardMarginSVM
    >>> X, y = [[0, 0], [0, 2], [2, 0], [3, 3]], ["low", "low", "low", "up"]
    >>> model = HardMarginSVM().fit(X, y)
    >>> float(round(model.margin_[0], 6)), model.support_.tolist()
    (1.414214, [1, 2, 3])
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    trace_kind = MarginTrace

    def __init__(
        self,
        kernel=None,
        *,
        intercept="free",
        tol=1e-6,
        max_iter=1000,
        time_limit=None,
        cache_mb=1000,
        multiclass="pairs",
        decision_function_shape="ovr",
        break_ties=False,
    ):
        self.kernel = kernel
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.cache_mb = cache_mb
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties

    @with_callbacks
    def fit(self, X, y):
        """Find the largest margin of the examples X (dense or sparse) with labels y.

        C-ordered float32 or float64 arrays and CSR matrices are used as they are, not copied.
        """
        _kernel.check_kernel(self, optional=True)
        _input.check_margin_settings(self)
        check_settings(self)
        X, targets, _ = _stream.whole(self, self.kernel, X, y, fewest=1)
        alone = self.intercept == "free" and len(targets.classes) == 1
        with running(self, X, "look") as run, few_threads(targets.signs[0].size):
            space, limits = space_for(self, X), run.limits(float(self.tol))
            if are_paired(self, targets.classes):
                pairs = pairs_in(targets.classes, targets.codes())
                found = [separator_of_pair(space, pair, limits, run.watch()) for pair in pairs]
            else:
                found = [
                    one_class(space, labels, signs)
                    if alone
                    else separator_for(space, labels, signs, limits, run.watch())
                    for labels, signs in zip(targets.outputs, targets.signs, strict=True)
                ]
            self._store(space, targets, found)
        return self

    def _store(self, space, targets: _input.Targets, found: list[Separator]) -> None:
        self.classes_, self._multilabel = targets.classes, False
        self._paired = are_paired(self, targets.classes)
        self.intercept_ = np.array([item.intercept for item in found])
        self._keep_supports(space, targets, found, [item.coef for item in found])
        length = np.array([item.length for item in found])
        last = self.intercept_ if self.intercept == "lifted" else 0.0
        with np.errstate(divide="ignore", over="ignore"):  # One class alone has no margin but ∞.
            self.margin_, self.geometric_margin_ = 1 / np.hypot(length, last), 1 / length
            self.objective_ = 0.5 * np.hypot(length, last) ** 2
        self.n_iter_ = max(item.looks for item in found)
        self.trace_ = MarginTrace.layer([item.trace for item in found])
        self.certificate_ = composite(claim for item in found for claim in item.claims)
        self._stop = gap_stop(found, self.tol)
        self.converged_ = self._stop is Stop.CONVERGED
        reason, self.status_ = "", status.ONE_CLASS
        if not self.converged_:
            reason = status.stop_reason(
                self._stop, int(self.max_iter), "looks at all examples", self.time_limit
            )
        if length[0] > 0:
            gap = max(item.gap for item in found)
            self.status_ = status.gap_status(reason, gap, self.tol, "the margin", "the largest")
        if not self.converged_:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=4)


def _is_same_margin(claim: MaximumMargin, machine: HardMarginSVM, y) -> bool:
    return description.is_same_space(claim, machine) and claim.treatment == machine.intercept


def _check_fitted(machine: HardMarginSVM) -> None:
    """Margins, objective and convergence follow from the weights, or from the certificate."""
    description.check_supports(machine)
    claims = machine.certificate_.of_kind(MaximumMargin)
    last = machine.intercept_ if machine.intercept == "lifted" else 0.0

    def are_near(one, other) -> bool:
        return np.allclose(one, other, rtol=1e-9, atol=0)

    with np.errstate(all="ignore"):
        same = are_near(2 * machine.objective_ * machine.margin_**2, 1)
        length = 1 / machine.geometric_margin_
        if machine.kernel_ is None:
            length = np.linalg.norm(machine.coef_, axis=1)
            same = same and are_near(machine.geometric_margin_ * length, 1)
        same = same and are_near(machine.margin_ * np.hypot(length, last), 1)
    if machine.kernel_ is not None and len(claims) == len(machine.margin_):
        lower, upper = (np.array([getattr(c, end) for c in claims]) for end in ("lower", "upper"))
        within = (machine.margin_ >= lower * (1 - 1e-6)) & (machine.margin_ <= upper * (1 + 1e-6))
        same = same and bool(np.all(within))
    description.require(same, "its margins are not those of its weights.")
    description.check_converged(machine, claims)


description.register(
    description.Description(
        kind=HardMarginSVM,
        command="hard-margin",
        learns="classes",
        margin="hard",
        summary="the largest margin, for classes that can be separated",
        bounds=by_supports,
        claims={Separable: description.always, MaximumMargin: _is_same_margin},
        spoken_of=lambda machine: ("coef_", "intercept_", "support_", "dual_coef_"),
        fitted=lambda machine: (
            description.hyperplanes_or_functions(machine)
            | description.SUPPORTS
            | {
                "margin_": description.NUMBERS,
                "geometric_margin_": description.NUMBERS,
                "objective_": description.NUMBERS,
                "converged_": description.of_type(bool),
                "_paired": description.is_paired,
            }
        ),
        check_fitted=_check_fitted,
    )
)
