"""`SVM`: the soft-margin machine, trained until a duality gap says that it is done."""

from __future__ import annotations

import warnings
from itertools import repeat
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, column_or_1d

from certo.blas import few_threads, one_thread
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.containers import count
from certo.estimators import _in_blocks, _input, _kernel, _stream, description
from certo.estimators._keywords import answer_keywords
from certo.estimators._late import LateModule
from certo.estimators._limits import running
from certo.estimators._linear import Later, forget, make_later
from certo.estimators._pairs import Pair, are_paired, check_settings, pairs_in
from certo.estimators._prices import check_class_weight, prices_of, prices_of_pairs
from certo.estimators.new_examples import by_supports
from certo.facts import InputError
from certo.losses.hinge import Hinge
from certo.scale.device import CPU, check_device
from certo.solvers.gap_ledger import GapTrace
from certo.stop import Stop
from certo.words import refusals

if TYPE_CHECKING:
    from certo.estimators import (
        _device,
        _leave_one_out,
        _pair_spaces,
        _path,
        _soft_margin,
        _spaces,
    )
    from certo.estimators._leave_one_out import LeaveOneOut
    from certo.estimators._path import Path
    from certo.estimators._soft_margin import Machine, Task
    from certo.estimators._spaces import Space
else:  # Whoever reads a model from a file does not load the solvers.
    _device = LateModule("certo.estimators._device")
    _leave_one_out = LateModule("certo.estimators._leave_one_out")
    _pair_spaces = LateModule("certo.estimators._pair_spaces")
    _path = LateModule("certo.estimators._path")
    _soft_margin = LateModule("certo.estimators._soft_margin")
    _spaces = LateModule("certo.estimators._spaces")

CROWDED_FROM_ROWS, CROWDED_SHARE = 20, 0.95  # So many supports are worth a remark.
CERTIFICATE_SHARE_OF_TOL = 1e-3
TOLD_SETTINGS = ("kernel", "lam", "tol", "max_iter", "time_limit")  # What is told of a fit.


@answer_keywords
class SVM(CallbackSupportMixin, _kernel.KernelClassifier, BaseEstimator):
    r"""Soft-margin SVM: min ½‖w‖² + C Σ_t [1 − y_t (w·x_t + b)]₊, to a proven gap.

    It stops because the duality gap is small: the certificate proves how far the objective can be
    from the smallest, from the examples and the multipliers alone. With more than two classes, one
    machine for each pair of classes, about their examples alone, and a vote of these, as in
    scikit-learn's `SVC`.

    With a kernel, a function f of its space takes the place of w: min ½‖f‖² +
    C Σ_t [1 − y_t (f(x_t) + b)]₊. The minimum is at some f = Σ α_t y_t K(x_t, ·).

    The number of outputs, n_outputs, is 1 for two classes. For pairs of K classes it is K(K−1)/2,
    and the outputs are the pairs (i, j) with i < j of `classes_`, in the order (0, 1), (0, 2), …,
    (1, 2), …; a score is above 0 on the side of class i. With `multiclass="rest"` it is K.

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
        lam is given. Where it costs little (hyperplanes for two classes, up to 262,144 numbers and
        fewer than 200 features; small tables) the gap becomes much smaller, as bounds on the error
        rate want it.
    max_iter : int, default=1000
        The largest number of passes over the examples.
    time_limit : float or None, default=None
        Seconds after which the best pair so far is returned.
    class_weight : dict, "balanced" or None, default=None
        The slack of an example costs C times the weight of its class, in every problem that it is
        part of. "balanced": classes of few examples weigh more, in proportion.
    warm_start : bool, default=False
        Whether fit begins from the multipliers of the last one, if that had as many examples and
        the same classes.
    random_state : int, RandomState instance or None, default=None
        Decides in which order examples are visited, not what is proved. Not used with a kernel.
    cache_mb : float, default=1000
        How much memory the rows of the Gram matrix may take, in megabytes, with a kernel. Less
        costs time, since rows are computed again.
    multiclass : {"pairs", "rest"}, default="pairs"
        With three classes or more: a machine for each pair of classes, of which the class with the
        most votes is predicted; or one for each class against the rest, of which the highest score
        is. Pairs are quicker to fit, and linear ones tell many classes apart much better.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What `decision_function` gives for pairs: a column for each class, its votes and less than
        a half for how clear they are; or one for each pair. As in scikit-learn.
    break_ties : bool, default=False
        Whether ties among the votes are settled by the "ovr" scores, rather than for the first
        class. As in scikit-learn.
    device : {"cpu", "cuda", "cuda:NUMBER", "auto"}, default="cpu"
        Where a machine with a kernel of vectors is fitted, and predicts: the processor; a GPU, by
        PyTorch (`pip install 'certo[gpu]'`); or "auto", a GPU where PyTorch finds one and there are
        20,000 examples or more. Claims are the same, and so are they checked: on a processor. A
        machine that was fitted on a GPU predicts where there is none, too.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
        Without a kernel.
    expansions_ : list of n_outputs certo.rkhs.Expansion
        With a kernel: the functions f, intercept left out.
    kernel_ : certo.kernels.Kernel or None
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    support_ : integer array (n_supports,)
        The examples with a positive multiplier in any output, in increasing order; and, for an
        output whose intercept is free and whose multipliers have all reached their bounds, the one
        that fixes b. The others could be dropped, with the same C, and nothing would change.
    dual_coef_ : ndarray (n_outputs, n_supports)
        α_t y_t of these examples, 0 for the one that fixes b and in outputs that a support does not
        belong to (`supports_of_output` leaves these out). `dual_coef_ @ support_vectors_` is
        `coef_` up to the gap and rounding (with a kernel, Σ dual_coef_t K(x_t, ·) is f), and each
        row sums to 0 exactly where the intercept is free. For pairs of K classes it is arranged as
        in scikit-learn, (K−1, n_supports): a support of class i has its multipliers in the pairs
        of i with the other classes, in their order, in its column.
    support_vectors_ : array, sparse matrix or list
        `X[support_]`; for a precomputed kernel `support_` itself. Without a kernel they are
        gathered from X when they are first read, until when X is kept; then neither pickles nor
        model files hold them: take `X[model.support_]` of the examples of the fit.
    n_support_ : integer array (n_classes,)
        How many supports each class has, in the order of `classes_`.
    slack_ : list of ndarray (n_samples,)
        ξ of the examples of the fit, for each output (of the two classes of a pair, in their
        order); not kept in pickles and model files.
    C_ : float
        C, or 1/(λm).
    objective_ : ndarray (n_outputs,)
        The value that was made small, as far as it is proved, in the form with λ if lam is given.
    converged_ : bool
    n_iter_ : int
        Passes over the examples (of the output that needed most).
    n_samples_fit_ : int
    device_ : str
        Where it was fitted: "cpu", or a GPU and its name.
    trace_ : certo.solvers.soft_margin.GapTrace
        Primal and dual value against time and passes.
    status_ : str
        Why it stopped, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        A SoftMarginGap for each output; of a pair about the examples of the two classes. For pairs
        of a table that is not large, claims are made when one is first read.

    Examples
    --------
    >>> from certo import SVM
    >>> X, y = [[0, 0], [0, 2], [2, 0], [3, 3], [1, 0]], ["low", "low", "low", "up", "up"]
    >>> model = SVM(C=10).fit(X, y)
    >>> float(round(model.objective_[0], 6)), model.support_.tolist()
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
    converged_: Any = Later(": fit sets it.")
    objective_: Any = Later(": fit sets it.")
    slack_: Any = Later(
        ": it is there after fit, but neither in pickles nor in model files. Call slacks(X, y) "
        "with the examples of the fit."
    )

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
        multiclass="pairs",
        decision_function_shape="ovr",
        break_ties=False,
        device="cpu",
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
        self.multiclass = multiclass
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.device = device

    @with_callbacks
    def fit(self, X, y=None, sample_weight=None):
        """Find the best hyperplane for the examples X (dense or sparse) with labels y, or the best
        function of the kernel's space.

        sample_weight multiplies what slack costs: weight k is as good as k copies of an example,
        weight zero as leaving it out. C-ordered float32 or float64 arrays and CSR matrices are
        used as they are, not copied.

        X may be a pyarrow dataset, y then being the name of its target, or `certo.scale.Blocks`:
        it is read block by block. The multipliers then follow from the margins (see
        `certo.certificates.blocks.soft_margin`), and no support is listed.
        """
        if _in_blocks.is_in_blocks(X):
            return _in_blocks.fit_svm(self, X, y, sample_weight)
        before = self if self.warm_start and hasattr(self, "dual_coef_") else None
        return self._fit(X, y, sample_weight, before)

    def _fit(self, X, y, sample_weight, before: SVM | None):
        given = X
        X, targets, tasks = self._problem(X, y, sample_weight, reset=True)
        paired = are_paired(self, targets.classes)
        device = _device.device_of_fit(self, self.kernel, count(X))
        starts = None if before is None else _path.starts_from(before, targets, tasks)
        threads = one_thread() if paired else few_threads(tasks[0].signs.size)
        with running(self, X, "look") as run, threads:
            space = _spaces.space_for(self, X)
            if device is not None and space.kernel is not None:
                space = _device.DeviceFunctions(self, space.kernel, X, given, device)
            space.problems = len(tasks)
            self._check_size(space, max(task.prices.total(task.signs.size) for task in tasks))
            # The certificate pays for rounding, so the solver aims at a little less than tol.
            limits = run.limits((1 - CERTIFICATE_SHARE_OF_TOL) * float(self.tol))
            found, several = [], len(tasks) > 1
            for task, start in zip(tasks, starts or repeat(None), strict=False):
                part = _pair_spaces.part_of(space, task.rows)
                machine = _soft_margin.machine_for(
                    part, task.labels, task.signs, task.prices, start, limits, claim=not several
                )
                found.append(machine)
            waits = paired and _soft_margin.can_wait(space, tasks, found, float(self.tol))
            if several and not waits:
                found = _soft_margin.with_claims(space, tasks, found, run.asked)
            self._store(space, targets, tasks, found)
        return self

    def _check_settings(self) -> None:
        check_settings(self)
        _kernel.check_kernel(self, optional=True)
        _input.check_positive(self, "C")
        _input.check_positive(self, "lam", optional=True)
        _input.check_margin_settings(self)
        _input.check_flag(self, "warm_start")
        check_class_weight(self.class_weight)
        check_device(self.device)

    def _problem(
        self, X, y, sample_weight, *, reset: bool
    ) -> tuple[Any, _input.Targets, list[Task]]:
        """The examples, their classes, and what is to be told apart in each output."""
        self._check_settings()
        X, y = _input.labelled_points(self, self.kernel, X, y, reset=reset)
        targets = _stream.one_label_each(self, _input.targets(self, y))
        y, classes = _input.as_column(y), targets.classes
        if not are_paired(self, classes):
            prices = prices_of(self, y, classes, sample_weight)
            both = zip(targets.outputs, targets.signs, strict=True)
            tasks = [_soft_margin.Task(labels, None, signs, prices) for labels, signs in both]
            return X, targets, tasks
        pairs = pairs_in(classes, targets.codes())
        of_pairs = prices_of_pairs(self, y, classes, sample_weight, pairs)
        each = zip(pairs, of_pairs, strict=True)
        return X, targets, [_soft_margin.Task(*pair, prices) for pair, prices in each]

    def _check_size(self, space: Space, costs: float) -> None:
        longest = float(np.sqrt(space.square + 1) * costs)
        if longest > _input.LONGEST:
            size = "‖x_t‖" if self.kernel is None else "√K(x_t, x_t)"
            raise ValueError(
                f"SVM needs C·Σ{size} below about {_input.LONGEST:g}, so that products stay within "
                f"float64, but it is up to {longest:g}. Choose a smaller C, or rescale X."
            )

    def _store(
        self, space: Space, targets: _input.Targets, tasks: list[Task], found: list[Machine]
    ) -> None:
        outcomes = [item.outcome for item in found]
        self.classes_, self._multilabel = targets.classes, False
        self._paired = tasks[0].rows is not None
        self.intercept_ = np.array([outcome.b for outcome in outcomes])
        coef = [getattr(outcome, "w", None) for outcome in outcomes]
        self._keep_supports(space, targets, list(map(_soft_margin.in_place, tasks, found)), coef)
        self.C_ = tasks[0].prices.C
        self.n_iter_ = max(int(outcome.passes) for outcome in outcomes)
        self.n_samples_fit_ = len(targets.signs[0])
        self.device_ = getattr(space, "told", CPU)
        self.trace_ = GapTrace.layer([outcome.trace for outcome in outcomes])
        settings = SimpleNamespace(**{name: getattr(self, name) for name in TOLD_SETTINGS})
        crowded = self._is_crowded(tasks)
        forget(self, "_later", "certificate_", "converged_", "objective_", "status_", "slack_")
        if found[0].claim is None:
            later = _soft_margin.facts_later(space, tasks, found, settings, crowded)
            self._stop = Stop.CONVERGED
            make_later(self, space.X, at_once_above=_soft_margin.MAX_WAITING_NUMBERS, **later)
            return
        facts = _soft_margin.Facts.of(space, tasks, found, settings, crowded)
        self._stop = facts.stop
        self.certificate_, self.converged_ = facts.certificate, facts.converged
        self.objective_, self.status_ = facts.objective, facts.status
        self.slack_ = facts.slack
        if not self.converged_:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)

    def _is_crowded(self, tasks: list[Task]) -> bool:
        """Whether every output depends on nearly all of its examples."""
        m, sizes = self.n_samples_fit_, np.array([task.signs.size for task in tasks])
        supports = self._supports_per_output()
        return m >= CROWDED_FROM_ROWS and bool(np.all(supports >= CROWDED_SHARE * sizes))

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()  # It makes what can wait.
        state.pop("slack_", None)
        return state

    def slacks(self, X, y) -> np.ndarray:
        """ξ_t = [1 − y_t s_t]₊ of examples with scores s_t, those of the fit or others:
        (n_samples,) for two classes, else (n_samples, n_outputs); 0 in a pair of other classes."""
        check_is_fitted(self)
        scores = self.decision_function(X) if self._votes is None else self._pair_scores(X)
        y = column_or_1d(y)
        signs = np.array([labels.signs(y) for labels in self.outputs_]).T.reshape(scores.shape)
        return np.where(signs == 0, 0.0, Hinge().of(signs, scores))

    def leave_one_out(self, X, y, sample_weight=None, *, exact: bool = False) -> LeaveOneOut:
        """How many examples would be wrong, each predicted by the machine without it.

        X, y and sample_weight are those of the fit; C and all weights stay as they are. An example
        that is no support changes nothing, so only supports are in doubt. They are counted as
        errors ("upper bound"), unless the multiplier of one is so small that it must be right
        (intercept "none" or "lifted"); with `exact` the machine is fitted again, to `tol`, without
        each of those in doubt. See `docs/machines/svm.md` for the inequality.
        """
        check_is_fitted(self)
        examples, targets, tasks = self._problem(X, y, sample_weight, reset=False)
        if len(targets.signs[0]) != self.n_samples_fit_ or not np.array_equal(
            targets.classes, self.classes_
        ):
            raise InputError(refusals.not_left_out, self.n_samples_fit_, len(targets.signs[0]))
        space = _spaces.space_for(self, examples)
        return _leave_one_out.leave_one_out(self, space, X, column_or_1d(y), tasks, exact=exact)

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
            before = models[-1] if models else None
            models.append(cls(C=C, **settings)._fit(X, y, sample_weight, before))
            if models[-1]._stop is Stop.BY_HAND:
                break
        if not models:
            raise ValueError("path needs at least one C, but Cs is empty.")
        return _path.Path(np.array([model.C_ for model in models]), tuple(models))


def _are_same_costs(claim: SoftMarginGap, machine: SVM, y) -> bool:
    """What slack costs is what the settings say for these labels."""
    same = (claim.treatment, claim.C) == (machine.intercept, machine.C_)
    if not (same and description.is_same_space(claim, machine)):
        return False
    if not description.has_classes(machine, y):
        return True
    y, classes = np.asarray(y), machine.classes_
    if machine._votes is None:
        prices = prices_of(machine, y, classes, None)
    elif claim.labels.against is None:
        return False
    else:
        none = np.zeros(0, np.int64)  # Which rows they are tells nothing without sample weights.
        (prices,) = prices_of_pairs(machine, y, classes, None, [Pair(claim.labels, none, none)])
    return all(np.array_equal(getattr(claim, name), own) for name, own in prices._asdict().items())


def _check_fitted(machine: SVM) -> None:
    """Objective and convergence follow from the certificate."""
    description.check_supports(machine)
    m, claims = machine.n_samples_fit_, machine.certificate_.of_kind(SoftMarginGap)
    inside = not machine.support_.size or machine.support_[-1] < m
    description.require(inside, "support_ contains indices outside 0…m−1.")
    description.require(0 < machine.C_ < np.inf, "its C must be positive.")
    if machine._votes is None:
        same = all(claim.examples == m for claim in claims)
    else:
        same = sum(claim.examples for claim in claims) <= (len(machine.classes_) - 1) * m
    description.require(same, "its claims are about other examples.")
    if len(claims) == len(machine.intercept_):
        scale = 1.0 if machine.lam is None else float(machine.lam)
        values = [scale * claim.primal for claim in claims]
        same = np.allclose(machine.objective_, values, rtol=1e-6, atol=0)
        description.require(same, "its objective is not that of its certificate.")
    description.check_converged(machine, claims)


description.register(
    description.Description(
        kind=SVM,
        command="svm",
        learns="classes",
        margin="soft",
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
                "device_": description.of_type(str),
                "_paired": description.is_paired,
            }
        ),
        check_fitted=_check_fitted,
    )
)
