"""`Pegasos`: stochastic subgradient steps on the soft-margin SVM, with what theory says of them."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.containers import count
from certo.estimators import _in_blocks, _input, _stream, _streams_in_blocks, description
from certo.estimators._claims import Claim, attempt, composite
from certo.estimators._excess import Excess, excess
from certo.estimators._kernel import KernelClassifier, check_kernel
from certo.estimators._keywords import answer_keywords
from certo.estimators._limits import joint_stop, running
from certo.estimators._spaces import Space, space_for
from certo.issue.runs.expected_excess import issue_expected_excess, objective_to_claim
from certo.numbers.rounded import NotShown
from certo.solvers.checkpoints import blocks
from certo.solvers.pegasos import PegasosOutcome, StepTrace
from certo.stop import Stop
from certo.words import status

PEGASOS_SETTINGS = {
    "lam": _input.POSITIVE_NUMBER,
    "max_iter": _input.COUNT,
    "average": _input.FLAG,
    "intercept": _input.LIFTED_OR_NONE,
    "cache_mb": _input.MEGABYTES_OR_ZERO,
    "time_limit": _input.SECONDS.or_none,
}


class _Learned(NamedTuple):
    """What came of one output."""

    outcome: PegasosOutcome
    objective: float
    claim: Claim


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
    max_iter : int, default=100_000
        T, the number of steps of `fit`, each on one example that is drawn.
    average : bool, default=True
        Answer with the average of the iterates, as the guarantee wants it, or with the last one.
    intercept : {"lifted", "none"}, default="lifted"
        "lifted" learns an intercept as the weight of an extra feature 1, which is penalised too.
    cache_mb : float, default=1000
        With a kernel, so many megabytes of its values may be kept.
    time_limit : float or None, default=None
        Seconds after which what was reached is returned.
    random_state : int, RandomState instance or None, default=None
        Decides the draws.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
        Without a kernel; with one there are instead:
    support_ : integer array (n_supports,)
        The examples whose hinge was positive in some step of any output, in increasing order. Over
        calls of partial_fit they are numbered as they came.
    dual_coef_ : ndarray (n_outputs, n_supports)
        Their coefficients in the answer of each output.
    support_vectors_ : array, sparse matrix or list
        `X[support_]`; for a precomputed kernel `support_` itself.
    n_support_ : integer array (n_classes,)
        How many supports each class has, in the order of `classes_`.
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
        What was done, and what is proved about the answer.
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
        max_iter=100_000,
        average=True,
        intercept="lifted",
        cache_mb=1000,
        time_limit=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.lam = lam
        self.max_iter = max_iter
        self.average = average
        self.intercept = intercept
        self.cache_mb = cache_mb
        self.time_limit = time_limit
        self.random_state = random_state

    @with_callbacks
    def fit(self, X, y=None):
        """Take `max_iter` steps on random draws of the examples X (dense or sparse) with labels y.

        C-ordered float32 or float64 arrays and CSR matrices are used as they are, not copied.
        A pyarrow dataset (y being the name of a column), a Dask collection or `certo.scale.Blocks`
        are read block by block, the rows of about 8 million numbers in a pass, for the same answer.
        """
        self._check_settings()
        if _in_blocks.is_in_blocks(X):
            return _streams_in_blocks.fit_pegasos(self, X, y)
        return self._learn(_stream.whole(self, self.kernel, X, y), streamed=False)

    @available_if(_stream.can_stream)
    @with_callbacks
    def partial_fit(self, X, y, classes=None):
        """Take one step on each of these examples, in their order, from where the last call ended.

        The first call must see all labels, in y or in `classes`. `lam` must stay the same.
        """
        self._check_settings()
        if hasattr(self, "steps_") and float(self.lam) != self._lam:
            raise ValueError(f"lam must stay {self._lam!r} in a run, got {self.lam!r}.")
        if hasattr(self, "steps_") and (self.kernel is None) != (self.kernel_ is None):
            raise ValueError(f"kernel must stay {self.kernel_!r} in a run, got {self.kernel!r}.")
        return self._learn(_stream.batch(self, self.kernel, X, y, classes), streamed=True)

    def __setstate__(self, state):
        if "steps" in state:  # Model files and pickles had this name for max_iter.
            state = {**state, "max_iter": state["steps"]}
            del state["steps"]
        super().__setstate__(state)

    def excess(self, X, y, *, tol=1e-6) -> Excess:
        """How far above its minimum F was, after each number of steps that `trace_` holds.

        X and y are the examples of the fit. The minimum is bounded from below by fitting `SVM` to
        a relative gap of tol; its SoftMarginGap is in the result, to be checked.
        """
        check_is_fitted(self)
        return excess(self, X, y, tol)

    def _check_settings(self) -> None:
        check_kernel(self, optional=True)
        _input.check_settings(self, PEGASOS_SETTINGS)

    def _learn(self, batch: _stream.Batch, *, streamed: bool):
        X, targets, fresh = batch
        steps = count(X) if streamed else int(self.max_iter)
        seed = 0 if streamed else int(check_random_state(self.random_state).randint(2**31 - 1))
        before, outputs = 0 if fresh else int(self.steps_[0]), len(targets.outputs)
        rounds = sum(1 for _ in blocks(before, steps)) * outputs
        with running(self, X, "block of steps", rounds) as run:
            space = space_for(self, X, fresh=fresh)
            learned = []
            for output in range(outputs):
                outcome = space.pegasos(
                    output,
                    targets,
                    float(self.lam),
                    steps,
                    lifted=self.intercept == "lifted",
                    rng=None if streamed else np.random.default_rng([seed, output]),
                    average=bool(self.average),
                    after_block=run.tell,
                )
                reason = self._no_guarantee(outcome, streamed)
                learned.append(self._certified(space, targets, output, outcome, reason))
            space.keep_steps(targets, [item.outcome for item in learned])
            self._store(targets, learned)
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
        if outcome.stop is not Stop.MAX_ITER:
            return "the run was stopped early, not after a number of steps set before."
        return ""

    def _certified(
        self, space: Space, targets: _input.Targets, output: int, outcome, reason: str
    ) -> _Learned:
        """F of the answer, rounded up, and what is claimed; nothing, if there is a reason. In later
        calls f is made of older examples, too, and F is that on the new ones."""
        labels, lam = targets.outputs[output], float(self.lam)
        sample, machine = space.sample(targets.signs[output]), space.answer(outcome)
        try:
            margins = space.margins(sample, machine)
            objective = objective_to_claim(margins, lam, space.new_rows, machine.intercept)
        except NotShown as overflow:
            objective, reason = np.inf, reason or str(overflow)

        def claim() -> Certificate:
            if reason:
                raise CannotClaim(reason)
            return issue_expected_excess(
                sample,
                labels,
                machine=machine,
                lifted=self.intercept == "lifted",
                lam=lam,
                steps=outcome.state.steps,
                square=space.square if space.kernel is None else None,
                margins=margins,
            )

        return _Learned(outcome, objective, attempt(ExpectedExcess, labels, claim))

    def _store(self, targets: _input.Targets, found: Iterable[tuple[Any, ...]]) -> None:
        learned = [_Learned(*item) for item in found]
        outcomes = [item.outcome for item in learned]
        self.classes_, self._multilabel = targets.classes, False
        self.intercept_ = np.array([outcome.w[-1] for outcome in outcomes])
        self.objective_ = np.array([item.objective for item in learned])
        self.steps_ = np.array([outcome.state.steps for outcome in outcomes])
        self.n_iter_ = int(self.steps_.max())
        self.trace_ = StepTrace.layer([outcome.trace for outcome in outcomes])
        self._lam = float(self.lam)
        self._harmonics = np.array([outcome.state.harmonic for outcome in outcomes])
        self.certificate_ = composite(item.claim for item in learned)
        self._stop = joint_stop(outcome.stop for outcome in outcomes)
        self.status_ = status.steps_status(
            self._stop,
            int(self.steps_.min()),
            [claim.bound for claim in self.certificate_.of_kind(ExpectedExcess)],
            next((refusal.reason for refusal in self.certificate_.not_claimed), ""),
        )
        if self._stop is not Stop.MAX_ITER:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)


def _is_same_guarantee(claim: ExpectedExcess, machine: Pegasos, y) -> bool:
    """The theorem is about the average, for the λ and the intercept of the run."""
    settings = (machine.lam, machine.max_iter, machine.intercept == "lifted")
    same = (claim.lam, claim.steps, claim.lifted) == settings
    return machine.average and same and description.is_same_space(claim, machine)


def _no_bound(page: description.Page, machine: Pegasos, X, y) -> None:
    page.refuse(
        "SupportBound",
        "a run of random steps proves nothing about its own distance from the best weights. "
        f"certo.SVM(lam={machine.lam!r}) solves the same problem to a proved gap.",
    )


def _fitted(machine: Pegasos) -> dict[str, description.Check]:
    kernel = description.has_kernel(machine)
    seen = {"_seen": description.of_type(int)} if kernel else {}
    return (
        description.hyperplanes_or_functions(machine)
        | seen
        | {
            "objective_": description.NUMBERS,
            "steps_": description.COUNTS,
            "_lam": description.of_type(float),
            "_sums": description.array("outputs", 2, None if kernel else "lifted"),
            "_harmonics": description.NUMBERS,
        }
    )


def _check_fitted(machine: Pegasos) -> None:
    if description.has_kernel(machine):
        description.check_supports(machine)


description.register(
    description.Description(
        kind=Pegasos,
        command="pegasos",
        learns="classes",
        margin="soft",
        summary="the support vector machine by random steps, for many rows",
        bounds=_no_bound,
        # A run that was stopped claims nothing.
        claims={ExpectedExcess: _is_same_guarantee},
        fitted=_fitted,
        check_fitted=_check_fitted,
    )
)
