"""`SVM`: the soft-margin machine, trained until a duality gap says that it is done."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from certo.certificates.base import NotClaimed
from certo.certificates.composite import Composite
from certo.certificates.encoding import rounded_up
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.estimators import _input, _kernel, _stream, description
from certo.estimators._callbacks import announcer
from certo.estimators._keywords import answer_keywords
from certo.estimators._leave_one_out import LeaveOneOut, leave_one_out
from certo.estimators._path import Multipliers, Path
from certo.estimators._prices import Prices, check_class_weight, prices_of
from certo.estimators._soft_margin import (
    KernelSpace,
    Limits,
    Machine,
    Space,
    VectorSpace,
    machine_for,
)
from certo.estimators.new_examples import by_supports
from certo.kernels.gaussian import Gaussian
from certo.kernels.polynomial import Polynomial
from certo.losses.hinge import Hinge
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.soft_margin import GapTrace

LARGE = 1e6  # values of a kernel that leave few digits for the differences that matter
FEW, NEARLY_ALL = 20, 0.95  # examples below which supports tell nothing; and the part that does
ROOM = 1e-3  # of tol: the solver leaves it to the rounding that a certificate pays for


@answer_keywords
class SVM(CallbackSupportMixin, _kernel.KernelClassifier, BaseEstimator):
    r"""Soft-margin SVM: min ½‖w‖² + C Σ_t [1 − y_t (w·x_t + b)]₊, to a proven gap.

    It stops because the duality gap is small: the certificate proves how far the objective can be
    from the smallest, from the examples and the multipliers alone. With more than two classes, one
    machine for each class against the rest.

    With a kernel, a function f of its space takes the place of w: min ½‖f‖² +
    C Σ_t [1 − y_t (f(x_t) + b)]₊. The minimum is at some f = Σ α_t y_t K(x_t, ·).

    Parameters
    ----------
    kernel : certo.kernels.Kernel or None, default=None
        None: a hyperplane. With `Precomputed()`, X is the Gram matrix of the examples, and for
        predictions the rows of new examples against them; one that is asymmetric or indefinite is
        refused. With `Function(f)`, X is a list of any objects that f takes two of.
    C : float, default=1.0
        The price of slack.
    lam : float or None, default=None
        If given, it is used and C is not: the objective is then
        (λ/2)‖w‖² + (1/m) Σ_t [1 − y_t (w·x_t + b)]₊, the same problem with C = 1/(λm). With
        sample_weight, m is their sum.
    intercept : {"free", "lifted", "none"}, default="free"
        "free": b costs nothing; where several b are best, the smallest is taken. "lifted": b is
        the weight of an extra feature 1 and counts in the norm, ½(‖w‖² + b²), as in the notes and
        in LIBLINEAR; with a kernel, that adds 1 to it. "none": hyperplanes through the origin, as
        in the notes on kernels.
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
        Decides in which order examples are visited, not what is proved. Not used with a kernel.
    cache_mb : float, default=1000
        How much memory the rows of the Gram matrix may take, in megabytes, with a kernel. Less
        costs time, since rows are computed again.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
        Without a kernel.
    expansions_ : list of n_outputs certo.rkhs.Expansion
        With a kernel: the functions f, intercept left out.
    support_vectors_
        With a kernel: the supports of all outputs, each once. Indices of them, if precomputed.
    kernel_ : certo.kernels.Kernel or None
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    support_ : list of n_outputs integer arrays
        The examples with a positive multiplier, in increasing order; and, where the intercept is
        free and all these have reached their bounds, the one that fixes b. The others could be
        dropped, with the same C, and nothing would change.
    dual_coef_ : list of n_outputs arrays
        α_t y_t of these examples, 0 for the one that fixes b. Σ dual_coef_t x_t is coef up to the
        gap and rounding (with a kernel, Σ dual_coef_t K(x_t, ·) is f), and Σ dual_coef_t = 0
        exactly where the intercept is free.
    slack_ : list of ndarray (n_samples,)
        ξ of the examples of the fit, for each output; not kept in pickles and model files.
    n_support_ : ndarray (n_outputs,)
    C_ : float
        C, or 1/(λm).
    objective_ : ndarray (n_outputs,)
        The value that was made small, as far as it is proved, in the form with λ if lam is given.
    converged_ : bool
    n_iter_ : int
        Passes over the examples (of the output that needed most).
    n_samples_fit_ : int
    trace_ : certo.solvers.soft_margin.GapTrace
        Primal and dual value against time and passes.
    status_ : str
        Why it stopped, and what the answer is worth.
    certificate_ : certo.certificates.Composite
        A SoftMarginGap for each output.

    Examples
    --------
    >>> from certo import SVM
    >>> X, y = [[0, 0], [0, 2], [2, 0], [3, 3], [1, 0]], ["low", "low", "low", "up", "up"]
    >>> model = SVM(C=10).fit(X, y)
    >>> float(round(model.objective_[0], 6)), model.support_[0].tolist()
    (25.25, [1, 2, 3, 4])
    >>> bool(model.certificate_.verify(X, y))
    True

    >>> from certo.kernels import Polynomial
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> model = SVM(Polynomial(2), C=100).fit(X, y)
    >>> model.predict(X).tolist()
    [0, 1, 1, 0]
    """

    trace_kind = GapTrace

    def __init__(
        self,
        kernel=None,
        *,
        C=1.0,
        lam=None,
        intercept="free",
        tol=1e-4,
        max_iter=1000,
        time_limit=None,
        class_weight=None,
        warm_start=False,
        random_state=None,
        cache_mb=1000,
    ):
        self.kernel = kernel
        self.C = C
        self.lam = lam
        self.intercept = intercept
        self.tol = tol
        self.max_iter = max_iter
        self.time_limit = time_limit
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state
        self.cache_mb = cache_mb

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Find the best hyperplane for the examples X (dense or sparse) with labels y, or the best
        function of the kernel's space.

        sample_weight multiplies what slack costs: weight k is as good as k copies of an example,
        weight zero as leaving it out. C-ordered float32 or float64 arrays and CSR matrices are
        used as they are, not copied.
        """
        before = Multipliers.of(self) if self.warm_start and hasattr(self, "dual_coef_") else None
        return self._fit(X, y, sample_weight, before)

    def _fit(self, X, y, sample_weight, before: Multipliers | None):
        X, targets, prices = self._problem(X, y, sample_weight, reset=True)
        start = before.at(prices.C, targets) if before is not None else None
        with ctrl_c_asks() as asked:
            return self._minimise(asked, X, targets, prices, start)

    def _check_settings(self) -> None:
        _kernel.check_kernel(self, optional=True)
        for name, value in (("C", self.C), ("lam", self.lam)):
            absent = value is None and name == "lam"
            if not (absent or (_input.is_number(value) and 0 < value < np.inf)):
                raise ValueError(f"{name} must be a positive number, got {value!r}.")
        _input.check_margin_settings(self)
        if not isinstance(self.warm_start, bool):
            raise ValueError(f"warm_start must be True or False, got {self.warm_start!r}.")
        check_class_weight(self.class_weight)

    def _problem(self, X, y, sample_weight, *, reset: bool):
        """The examples, their signs for each output, and what slack costs."""
        self._check_settings()
        X, y = _input.labelled_points(self, self.kernel, X, y, reset=reset)
        targets = _stream.one_label_each(self, _input.targets(self, y))
        return X, targets, self._prices(column_or_1d(y), targets.classes, sample_weight)

    def _prices(self, y: np.ndarray, classes: np.ndarray, sample_weight) -> Prices:
        return prices_of(self, y, classes, sample_weight)

    def _space(self, X) -> Space:
        if self.kernel is not None:
            return KernelSpace(self, X)
        seed = check_random_state(self.random_state).randint(2**31 - 1)
        return VectorSpace(self, X, np.random.default_rng(seed))

    def _minimise(self, asked, X, targets: _input.Targets, prices: Prices, start):
        deadline = np.inf if self.time_limit is None else time.monotonic() + self.time_limit
        space = self._space(X)
        longest = float(np.sqrt(space.square + 1) * np.sum(prices.of(targets.signs[0])))
        if longest > _input.LONGEST:
            size = "‖x_t‖" if self.kernel is None else "√K(x_t, x_t)"
            raise ValueError(
                f"SVM needs C·Σ{size} below about {_input.LONGEST:g}, so that products stay within "
                f"float64, but it is up to {longest:g}. Choose a smaller C, or rescale X."
            )
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X)
        heard: list[bool] = []  # a callback asked to stop
        limits = Limits(
            tol=(1 - ROOM) * float(self.tol),
            max_iter=int(self.max_iter),
            asked=lambda: asked() or bool(heard) or time.monotonic() > deadline,
            after_look=self._announcer(context, X, heard),
        )
        starts = start or [None] * len(targets.signs)
        found = [
            machine_for(space, labels, signs, prices, self.intercept, begun, limits)
            for labels, signs, begun in zip(targets.outputs, targets.signs, starts, strict=True)
        ]
        self._store(X, targets, found, prices, space, by_hand=asked(), heard=bool(heard))
        context.call_on_fit_task_end(estimator=self, X=X, reconstruction_attributes=dict)
        return self

    def _announcer(self, context, X, heard: list[bool]):
        """Tell the callbacks of every look at all examples. That they asked to stop is `heard`."""
        tell = announcer(self, context, X, "look")

        def announce(primal: float, dual: float) -> bool:
            if tell():
                heard.append(True)
            return bool(heard)

        return announce

    def _store(
        self,
        X,
        targets: _input.Targets,
        found: list[Machine],
        prices: Prices,
        space: Space,
        *,
        by_hand: bool,
        heard: bool,
    ) -> None:
        outcomes = [item.outcome for item in found]
        self.classes_, self._multilabel = targets.classes, False
        self.intercept_ = np.array([outcome.b for outcome in outcomes])
        self.support_ = [item.rows for item in found]
        self.dual_coef_ = [item.dual_coef for item in found]
        self._keep(X, [getattr(outcome, "w", None) for outcome in outcomes])
        self.n_support_ = np.array([item.rows.size for item in found])
        self.C_ = prices.C
        self._slack = [item.slack for item in found]
        self.objective_ = np.array([item.objective for item in found])
        if self.lam is not None:
            self.objective_ *= float(self.lam)  # the form with C, divided by Cm
        self.n_iter_ = max(int(outcome.passes) for outcome in outcomes)
        self.n_samples_fit_ = len(targets.signs[0])
        self.trace_ = GapTrace.layer([outcome.trace for outcome in outcomes])
        claims = [item.claim for item in found]
        self.certificate_ = Composite(
            tuple(claim for claim in claims if not isinstance(claim, NotClaimed)),
            tuple(claim for claim in claims if isinstance(claim, NotClaimed)),
        )
        self.converged_ = all(item.gap <= self.tol for item in found)
        self.status_ = self._status(found, space, by_hand, heard) + self._crowded()
        if not self.converged_:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)

    def _crowded(self) -> str:
        """What it suggests if nearly every example is near to no other."""
        m, fewest = self.n_samples_fit_, int(self.n_support_.min())
        if not isinstance(self.kernel, Gaussian) or m < FEW or fewest < NEARLY_ALL * m:
            return ""
        return (
            " Nearly all examples are supports, which suggests that the variance (or C) is too "
            "small: certo curve or certo.compare_kernels compares variances."
        )

    def _status(self, found: list[Machine], space: Space, by_hand: bool, heard: bool) -> str:
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
            why = "Stopped because float64 allows no further progress" + self._too_large(space)
        if not worst < 0.995:  # it would be shown as 1
            return f"{why}: nothing is proved about how near the objective is to the smallest."
        return f"{why}: {worth}, more than the tol of {self.tol:g}."

    def _too_large(self, space: Space) -> str:
        if self.kernel is None or space.square < LARGE:
            return ""
        advice = ": scale the features" if self.kernel.takes == "vectors" else ""
        if isinstance(self.kernel, Polynomial):
            advice += f", or give Polynomial({self.kernel.degree}, scale=…)"
        return f" (K(x, x) reaches {space.square:.1g}{advice})"

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
        """ξ_t = [1 − y_t s_t]₊ of examples with scores s_t, those of the fit or others:
        (n_samples,) for two classes, else (n_samples, n_outputs)."""
        check_is_fitted(self)
        scores = self.decision_function(X)
        y = column_or_1d(y)
        signs = [labels.signs(y) for labels in self.outputs_]
        return Hinge().of(np.array(signs).T.reshape(scores.shape), scores)

    def leave_one_out(self, X, y, sample_weight=None, *, exact: bool = False) -> LeaveOneOut:
        """How many examples would be wrong, each predicted by the machine without it.

        X, y and sample_weight are those of the fit; C and all weights stay as they are. An example
        that is no support changes nothing, so only supports are in doubt. They are counted as
        errors ("upper bound"), unless the multiplier of one is so small that it must be right
        (intercept "none" or "lifted"); with `exact` the machine is fitted again, to `tol`, without
        each of those in doubt. See `docs/svm.md` for the inequality.
        """
        check_is_fitted(self)
        examples, targets, prices = self._problem(X, y, sample_weight, reset=False)
        if len(targets.signs[0]) != self.n_samples_fit_ or not np.array_equal(
            targets.classes, self.classes_
        ):
            raise ValueError(
                f"leave_one_out needs the {self.n_samples_fit_:,} examples of the fit, with the "
                f"same classes, but X and y hold {len(targets.signs[0]):,}, or other classes."
            )
        costs = [prices.of(signs) for signs in targets.signs]
        space = self._space(examples)
        return leave_one_out(self, space, X, column_or_1d(y), targets.signs, costs, exact=exact)

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
            All others of an SVM (kernel=…, intercept=…) but C and lam.

        Returns
        -------
        Path
            Ends early if Ctrl-C stops it.
        """
        if {"C", "lam"} & set(settings):
            raise ValueError("path takes the C of its machines from Cs: leave out C and lam.")
        models: list[SVM] = []
        for C in np.ravel(np.asarray(Cs, dtype=np.float64)).tolist():
            before = Multipliers.of(models[-1]) if models else None
            models.append(cls(C=C, **settings)._fit(X, y, sample_weight, before))
            if models[-1].status_.startswith("Stopped by hand"):
                break
        if not models:
            raise ValueError("path needs at least one C, but Cs is empty.")
        return Path(np.array([model.C_ for model in models]), tuple(models))


def _are_same_costs(claim: SoftMarginGap, machine: SVM, y) -> bool:
    """What slack costs is what the settings say for these labels."""
    same = (claim.treatment, claim.C) == (machine.intercept, machine.C_)
    if not (same and description.is_same_space(claim, machine)):
        return False
    if not description.has_classes(machine, y):
        return True
    prices = machine._prices(y, machine.classes_, None)
    return all(np.array_equal(getattr(claim, name), own) for name, own in prices._asdict().items())


def _check_fitted(machine: SVM) -> None:
    """Objective and convergence follow from the certificate."""
    description.check_supports(machine)
    m, claims = machine.n_samples_fit_, machine.certificate_.of_kind(SoftMarginGap)
    description.require(
        all(rows.size <= m and np.all((rows >= 0) & (rows < m)) for rows in machine.support_),
        "support_ contains indices outside 0…m−1.",
    )
    description.require(0 < machine.C_ < np.inf, "its C must be positive.")
    same = all(claim.examples == m for claim in claims)
    description.require(same, "its claims are about other examples.")
    if len(claims) == len(machine.intercept_):
        scale = 1.0 if machine.lam is None else float(machine.lam)
        values = [scale * claim.primal for claim in claims]
        same = np.allclose(machine.objective_, values, rtol=1e-6, atol=0)
        description.require(same, "its objective is not that of its certificate.")
    description.check_converged(machine, claims)


DESCRIPTION = description.register(
    description.Description(
        kind=SVM,
        command="svm",
        learns="classes",
        summary="the support vector machine: a wide margin, at a price for errors",
        bounds=by_supports,
        claims={SoftMarginGap: _are_same_costs},
        spoken_of=lambda machine: ("coef_", "intercept_", "support_", "dual_coef_"),
        fitted=lambda machine: (
            description.hyperplanes_or_functions(machine)
            | description.SUPPORTS
            | {
                "C_": description.of_type(float),
                "objective_": description.NUMBERS,
                "converged_": description.of_type(bool),
                "n_samples_fit_": description.of_type(int),
            }
        ),
        check_fitted=_check_fitted,
    )
)
