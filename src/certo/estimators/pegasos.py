"""`Pegasos`: stochastic subgradient steps on the soft-margin SVM, with what theory says of them."""

from __future__ import annotations

import numbers
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import (
    Certificate,
    NotClaimed,
)
from certo.certificates.composite import Composite
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.containers import count
from certo.estimators import _input, _stream, description
from certo.estimators._callbacks import announcer
from certo.estimators._excess import Excess, excess
from certo.estimators._kernel import KernelClassifier, check_kernel
from certo.estimators._kernel_stream import KernelBatch, can_stream, streamed_batch
from certo.estimators._keywords import answer_keywords
from certo.estimators._pegasos_spaces import KernelSpace, Space, VectorSpace
from certo.solvers.checkpoints import blocks
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.pegasos import PegasosOutcome, StepTrace


class _Learned(NamedTuple):
    """What came of one output."""

    outcome: PegasosOutcome
    objective: float
    claim: Certificate | NotClaimed


@answer_keywords
class Pegasos(CallbackSupportMixin, KernelClassifier, BaseEstimator):
    r"""Pegasos: minimise F(w) = (1/m) Σ [1 − y_t w·x_t]₊ + (λ/2)‖w‖² one random example at a time.

    Step t draws an example uniformly and sets w ← (1 − 1/t) w + (1/(λt)) y x if its hinge loss is
    positive, w ← (1 − 1/t) w if not; the answer is the average of all iterates. A step costs as
    much as the example has non-zeros, whatever the number of examples. With more than two classes,
    one output for each class against the rest.

    Parameters
    ----------
    kernel : certo.kernels.Kernel or None, default=None
        Learn a function of this kernel's space, w·x being f(x) = Σ dual_coef_i K(x_i, x) and ‖w‖
        its length there; None: weights of the features.
    lam : float, default=0.01
        λ, the weight of the penalty; C = 1/(λm) in the words of `SVM`.
    steps : int, default=100_000
        T, how many examples are drawn (by `fit`).
    average : bool, default=True
        Answer with the average of the iterates, as the guarantee wants it, or with the last one.
    intercept : {"lifted", "none"}, default="lifted"
        "lifted" learns an intercept as the weight of an extra feature 1, which is penalised too.
    cache_mb : float, default=1000
        With a kernel, so many megabytes of its values may be kept.
    random_state : int, RandomState instance or None, default=None
        Decides the draws.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
        Without a kernel; with one there are instead:
    support_, dual_coef_ : lists of n_outputs arrays
        The examples whose hinge was positive in some step, in increasing order, and their
        coefficients in the answer. Over calls of partial_fit they are numbered as they came.
    support_vectors_ : array, sparse matrix or list
        The examples that any output is made of (for a precomputed kernel, their numbers).
    n_support_ : ndarray (n_outputs,)
    expansions_ : list of certo.rkhs.Expansion
        f of each output, intercept left out.
    kernel_ : certo.kernels.Kernel or None
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    objective_ : ndarray (n_outputs,)
        F of the answer on the examples of the last call, rounded up.
    steps_ : ndarray (n_outputs,)
        Steps taken, over all calls.
    n_iter_ : int
        The same (of the output that took most).
    trace_ : certo.solvers.pegasos.StepTrace
        The answer after 1, 2, 4, … steps.
    status_ : str
        What was done, and what the answer is worth.
    certificate_ : certo.certificates.Composite
        ExpectedExcess for each output, or why it is not
        claimed.

    Examples
    --------
    >>> from certo import Pegasos
    >>> X, y = [[2, 1], [1, 3], [-1, -2], [-3, -1]], ["up", "up", "down", "down"]
    >>> model = Pegasos(lam=0.1, random_state=0).fit(X, y)
    >>> model.predict([[3, 3]]).tolist()
    ['up']
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    steps_: np.ndarray
    trace_kind = StepTrace

    def __init__(
        self,
        kernel=None,
        *,
        lam=0.01,
        steps=100_000,
        average=True,
        intercept="lifted",
        cache_mb=1000,
        random_state=None,
    ):
        self.kernel = kernel
        self.lam = lam
        self.steps = steps
        self.average = average
        self.intercept = intercept
        self.cache_mb = cache_mb
        self.random_state = random_state

    @with_callbacks
    def fit(self, X, y):
        """Take `steps` steps on random draws of the examples X (dense or sparse) with labels y.

        C-ordered float32 or float64 arrays and CSR matrices are used as they are, not copied.
        """
        self._check_settings()
        kernel = self.kernel
        if kernel is None:
            X, y = _input.labelled_examples(self, X, y, reset=True)
        else:
            X, y = _input.labelled_points(self, kernel, X, y, reset=True)
        targets = _stream.one_label_each(self, _input.targets(self, y))
        if kernel is None:
            return self._learn(_stream.Batch(X, targets, True), streamed=False)
        return self._learn(KernelBatch(kernel.fitted_to(X), X, targets), streamed=False)

    @available_if(can_stream)
    @with_callbacks
    def partial_fit(self, X, y, classes=None):
        """Take one step on each of these examples, in their order, from where the last call ended.

        The first call must see all labels, in y or in `classes`. `lam` must stay the same.
        """
        self._check_settings()
        fresh = not hasattr(self, "steps_")
        if not fresh and float(self.lam) != self._lam:
            raise ValueError(f"lam must stay {self._lam!r} in a run, got {self.lam!r}.")
        if not fresh and (self.kernel is None) != (self.kernel_ is None):
            raise ValueError(f"kernel must stay {self.kernel_!r} in a run, got {self.kernel!r}.")
        if self.kernel is None:
            return self._learn(_stream.batch(self, X, y, classes), streamed=True)
        if not fresh and self.intercept == "none" and np.any(self.intercept_):
            raise ValueError("intercept cannot become 'none' after one was learned.")
        batch = streamed_batch(self, self.kernel, X, y, classes, fresh)
        return self._learn(batch, streamed=True)

    def excess(self, X, y, *, tol=1e-6) -> Excess:
        """How far above its minimum F was, after each number of steps that `trace_` holds.

        X and y are the examples of the fit. The minimum is bounded from below by fitting `SVM` to
        a relative gap of tol; its SoftMarginGap is in the result, to be checked.
        """
        check_is_fitted(self)
        return excess(self, X, y, tol)

    def _check_settings(self) -> None:
        check_kernel(self, optional=True)
        if not (_input.is_number(self.lam) and 0 < self.lam < np.inf):
            raise ValueError(f"lam must be a positive finite number, got {self.lam!r}.")
        whole = isinstance(self.steps, numbers.Integral) and not isinstance(self.steps, bool)
        if not (whole and int(self.steps) >= 1):
            raise ValueError(f"steps must be a whole number of at least 1, got {self.steps!r}.")
        if not isinstance(self.average, bool | np.bool):
            raise ValueError(f"average must be True or False, got {self.average!r}.")
        if not isinstance(self.intercept, str) or self.intercept not in ("lifted", "none"):
            raise ValueError(f"intercept must be 'lifted' or 'none', got {self.intercept!r}.")
        if not (_input.is_number(self.cache_mb) and 0 <= self.cache_mb < np.inf):
            raise ValueError(
                f"cache_mb must be a number of megabytes of at least 0, got {self.cache_mb!r}."
            )

    def _learn(self, batch: _stream.Batch | KernelBatch, *, streamed: bool):
        with ctrl_c_asks() as asked:
            return self._learn_until(asked, batch, streamed)

    def _learn_until(self, asked, batch: _stream.Batch | KernelBatch, streamed: bool):
        steps = count(batch.X) if streamed else int(self.steps)
        space: Space = (
            KernelSpace(self, batch, steps)
            if isinstance(batch, KernelBatch)
            else VectorSpace(self, batch)
        )
        targets, lam, lifted = batch.targets, float(self.lam), self.intercept == "lifted"
        seed = 0 if streamed else int(check_random_state(self.random_state).randint(2**31 - 1))
        before = 0 if space.fresh else int(self.steps_[0])
        rounds = sum(1 for _ in blocks(before, steps)) * len(targets.outputs)
        context = self._init_callback_context(max_subtasks=rounds)
        context.call_on_fit_task_begin(estimator=self, X=batch.X)
        learned = []
        for output in range(len(targets.outputs)):
            outcome = space.run(
                output,
                lam,
                steps,
                lifted=lifted,
                rng=None if streamed else np.random.default_rng([seed, output]),
                average=bool(self.average),
                after_block=announcer(self, context, batch.X, "block of steps", asked),
            )
            reason = self._no_guarantee(outcome, streamed)
            learned.append(
                _Learned(outcome, *space.certified(output, outcome, lam, lifted, reason))
            )
        self._store(space, learned)
        context.call_on_fit_task_end(estimator=self, X=batch.X, reconstruction_attributes=dict)
        return self

    def _no_guarantee(self, outcome: PegasosOutcome, streamed: bool) -> str:
        """Why the theorem does not speak of this run; nothing if it does."""
        if streamed:
            return (
                "the examples were taken as they came, in calls of partial_fit, and not drawn "
                "from one fixed sample."
            )
        if not self.average:
            return "the guarantee is for the average of the iterates. Set average=True."
        if outcome.stopped:
            return "the run was stopped by hand, not after a number of steps set before."
        return ""

    def _store(self, space: Space, learned: list[_Learned]) -> None:
        outcomes = [item.outcome for item in learned]
        space.keep(self, outcomes)
        self.classes_, self._multilabel = space.targets.classes, False
        self.intercept_ = np.array([outcome.w[-1] for outcome in outcomes])
        self.objective_ = np.array([item.objective for item in learned])
        self.steps_ = np.array([outcome.state.steps for outcome in outcomes])
        self.n_iter_ = int(self.steps_.max())
        self.trace_ = StepTrace.layer([outcome.trace for outcome in outcomes])
        self._lam = float(self.lam)
        self._harmonics = np.array([outcome.state.harmonic for outcome in outcomes])
        self.certificate_ = Composite(
            tuple(item.claim for item in learned if isinstance(item.claim, Certificate)),
            tuple(item.claim for item in learned if isinstance(item.claim, NotClaimed)),
        )
        stopped = any(outcome.stopped for outcome in outcomes)
        self.status_ = self._status(stopped)
        if stopped:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)

    def _status(self, stopped: bool) -> str:
        taken = counted(int(self.steps_.min()), "step")
        if stopped:
            return f"Stopped by hand after {taken}: nothing is proved about the answer."
        bounds = [claim.bound for claim in self.certificate_]
        if len(bounds) < len(self.outputs_):
            return f"Took {taken}. No guarantee: {self.certificate_.not_claimed[0].reason}"
        return (
            f"Took {taken}: F is expected to exceed its minimum by at most "
            f"{rounded_up(max(bounds), 4)}."
        )


def _is_same_guarantee(claim: ExpectedExcess, machine: Pegasos, y) -> bool:
    """The theorem is about the average, for the λ and the intercept of the run."""
    settings = (machine.lam, machine.steps, machine.intercept == "lifted")
    same = (claim.lam, claim.steps, claim.lifted) == settings
    return machine.average and same and description.is_same_space(claim, machine)


def _no_bound(page: description.Page, machine: Pegasos, X, y) -> None:
    page.refuse(
        "SupportBound",
        "a run of random steps proves nothing about its own distance from the best weights. "
        f"certo.SVM(lam={machine.lam!r}) solves the same problem to a proved gap.",
    )


def _fitted(machine: Pegasos) -> dict[str, description.Check]:
    left = description.hyperplanes_or_functions(machine) | {
        "objective_": description.NUMBERS,
        "steps_": description.COUNTS,
        "_lam": description.of_type(float),
        "_sums": description.array("outputs", 2, "lifted"),
        "_harmonics": description.NUMBERS,
    }
    if description.has_kernel(machine):
        left |= {
            "_sums": description.for_each_output(description.array(2, None)),
            "_seen": description.of_type(int),
        }
    return left


def _check_fitted(machine: Pegasos) -> None:
    if description.has_kernel(machine):
        description.check_supports(machine)


DESCRIPTION = description.register(
    description.Description(
        kind=Pegasos,
        command="pegasos",
        learns="classes",
        summary="the support vector machine by random steps, for many rows",
        bounds=_no_bound,
        claims={ExpectedExcess: _is_same_guarantee},  # a run that was stopped claims nothing
        fitted=_fitted,
        check_fitted=_check_fitted,
    )
)
