"""`OnlineGradientDescent`: learn example by example, with the books of what it cost."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.composite import Composite
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.runs.gradient_run import GradientRun, Progress, loss_named
from certo.certificates.runs.regret import Regret
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.estimators import _in_blocks, _input, _stream, _streams_in_blocks, description
from certo.estimators._claims import Claim, attempt, composite
from certo.estimators._keywords import answer_keywords
from certo.estimators._limits import joint_stop, running
from certo.estimators._linear import LinearClassifier
from certo.estimators.new_examples import of_average
from certo.issue.runs.regret import against, issue_regret
from certo.losses.hinge import Hinge
from certo.losses.logistic import Logistic
from certo.losses.squared import Squared
from certo.solvers.checkpoints import blocks
from certo.solvers.online_gradient import GradientOutcome, RegretTrace, online_gradient
from certo.stop import Stop
from certo.words import status

GRADIENT_SETTINGS = {
    "lam": _input.Setting("a finite number of at least 0", _input.NOT_NEGATIVE.holds),
    "radius": _input.POSITIVE_NUMBER.or_none,
    "average": _input.FLAG,
    "intercept": _input.LIFTED_OR_NONE,
    "time_limit": _input.SECONDS.or_none,
}


class _Learned(NamedTuple):
    """What came of one output."""

    outcome: GradientOutcome
    bound: float
    claim: Claim


@answer_keywords
class OnlineGradientDescent(CallbackSupportMixin, LinearClassifier, BaseEstimator):
    r"""Online gradient descent: predict an example, suffer its loss, take a step against the slope.

    In round t the example (x_t, y_t), y_t = ±1, costs ℓ_t(w) = loss(y_t, w·x_t) + (λ/2)‖w‖² at the
    weights w_t that earlier examples led to. Then w_{t+1} = w_t − η_t ∇ℓ_t(w_t), projected on a
    ball if a radius is given. The regret Σ ℓ_t(w_t) − Σ ℓ_t(u) against any fixed u (in the ball)
    is bounded, whatever the examples: with λ > 0, η_t = 1/(λt), by Σ ‖∇ℓ_t‖²/(2λt); with λ = 0,
    η_t = √2·radius/√(Σ_{s≤t} ‖∇ℓ_s‖²), by 2√2·radius·√(Σ ‖∇ℓ_t‖²).

    An example exactly on the margin, whose hinge loss is 0, takes no step. So `Pegasos` is this
    run, with λ > 0 and without a ball, on the examples that it draws.

    With more than two classes, one output for each class against the rest.

    Parameters
    ----------
    loss : certo.losses.Hinge, Logistic, Squared or None, default=None
        A convex loss of the score; None is `Hinge()`. `Squared` compares the score with ±1.
    lam : float, default=0.01
        λ ≥ 0, the weight of the penalty. 0 needs a radius.
    radius : float or None, default=None
        Keep the weights, intercept included, in the ball of this radius. `Squared`, whose slope
        has no limit, needs it.
    average : bool, default=True
        Answer with the average of w_1, …, w_T, to which bounds on new examples apply, or with the
        last weights.
    intercept : {"lifted", "none"}, default="lifted"
        "lifted" learns an intercept as the weight of an extra feature 1, which is penalised too.
    time_limit : float or None, default=None
        Seconds after which what was reached is returned.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    suffered_ : ndarray (n_outputs,)
        Σ ℓ_t(w_t) over all rounds, those of earlier calls of partial_fit included.
    regret_bound_ : ndarray (n_outputs,)
        How much more than any fixed weights (in the ball) that can be.
    rounds_ : ndarray (n_outputs,)
        T, over all calls.
    n_iter_ : int
        The same (of the output that went furthest).
    trace_ : certo.solvers.online_gradient.RegretTrace
        suffered and bound after 1, 2, 4, … rounds.
    status_ : str
        What was done, and what is known of it.
    certificate_ : certo.certificates.Composite
        Regret for each output, against its own answer as fixed weights, or why it is not claimed.

    Examples
    --------
    >>> from certo import OnlineGradientDescent
    >>> from certo.losses import Logistic
    >>> X, y = [[2, 1], [-1, -2], [1, 3], [-3, -1]], ["up", "down", "up", "down"]
    >>> model = OnlineGradientDescent(loss=Logistic(), lam=0.1).fit(X, y)
    >>> model.predict([[3, 3]]).tolist()
    ['up']
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    rounds_: np.ndarray
    trace_kind = RegretTrace

    def __init__(
        self,
        *,
        loss=None,
        lam=0.01,
        radius=None,
        average=True,
        intercept="lifted",
        time_limit=None,
    ):
        self.loss = loss
        self.lam = lam
        self.radius = radius
        self.average = average
        self.intercept = intercept
        self.time_limit = time_limit

    @with_callbacks
    def fit(self, X, y=None):
        """Go once over the examples X (dense or sparse) with labels y, in their order, from w = 0.

        C-ordered float32 or float64 arrays and CSR matrices are used as they are, not copied.
        A pyarrow dataset (y being the name of a column), a Dask collection or `certo.scale.Blocks`
        are read block by block, for the same answer.
        """
        if _in_blocks.is_in_blocks(X):
            return _streams_in_blocks.fit_online_gradient(self, X, y)
        run = self.run()
        return self._learn(run, _stream.whole(self, None, X, y))

    @with_callbacks
    def partial_fit(self, X, y, classes=None):
        """Go once over these examples, in their order, from where the last call ended.

        The first call must see all labels, in y or in `classes`; settings must stay the same.
        `suffered_`, `regret_bound_` and `rounds_` speak of all calls.
        """
        run = self.run()
        batch = _stream.batch(self, None, X, y, classes)
        if not batch.fresh and repr(run) != self._run:
            raise ValueError(f"the settings must stay those of the run, {self._run}, got {run}.")
        return self._learn(run, batch)

    def run(self) -> GradientRun:
        """The settings as a run, checked."""
        loss = Hinge() if self.loss is None else self.loss
        try:
            known = loss_named(repr(loss)) == loss
        except ValueError:
            known = False
        if not known:
            raise TypeError(
                "loss must be one of certo.losses that depend on a score, Hinge(), Logistic() or "
                f"Squared(), or None, got {loss!r}."
            )
        _input.check_settings(self, GRADIENT_SETTINGS)
        return GradientRun(
            loss=repr(loss),
            lam=float(self.lam),
            radius=None if self.radius is None else float(self.radius),
            lifted=self.intercept == "lifted",
            average=bool(self.average),
        )

    def _learn(self, run: GradientRun, batch: _stream.Batch):
        X, targets, fresh = batch
        square = _input.longest_example(self, X)
        before, outputs = 0 if fresh else int(self.rounds_[0]), len(targets.outputs)
        looks = sum(1 for _ in blocks(before, X.shape[0])) * outputs
        with running(self, X, "block of rounds", looks) as fit:
            learned = []
            for k, (labels, signs) in enumerate(zip(targets.outputs, targets.signs, strict=True)):
                start = None
                if not fresh:
                    u, a = self._sums[k]
                    start = Progress(u, a, int(self.rounds_[k]), *self._books[k].tolist())
                outcome = online_gradient(X, signs, run, before=start, after_block=fit.tell)
                sample = Sample(X, signs)
                learned.append(self._certified(sample, labels, run, outcome, fresh, square))
            self._store(targets, run, learned)
        return self

    def _certified(
        self,
        sample: Sample,
        labels: Labels,
        run: GradientRun,
        outcome: GradientOutcome,
        fresh: bool,
        square: float,
    ) -> _Learned:
        progress = outcome.progress
        w = progress.answer(run)
        bound = run.bound(progress.squares, progress.budget, progress.rounds)

        def claim() -> Certificate:
            if not fresh:
                raise CannotClaim("the run began on other examples, in an earlier call.")
            if outcome.stop is not Stop.MAX_ITER:
                raise CannotClaim("the run was stopped before its last example.")
            return issue_regret(
                sample,
                labels,
                replace(run, sparse=sparse.issparse(sample.X)),
                coef=w[:-1],
                intercept=float(w[-1]),
                suffered=progress.suffered,
                bound=bound,
                comparator=w[:-1],
                comparator_intercept=float(w[-1]),
                square=square,
            )

        return _Learned(outcome, bound, attempt(Regret, labels, claim))

    def _store(
        self, targets: _input.Targets, run: GradientRun, found: Iterable[tuple[Any, ...]]
    ) -> None:
        learned = [_Learned(*item) for item in found]
        progress = [item.outcome.progress for item in learned]
        answers = [each.answer(run) for each in progress]
        self.classes_, self._multilabel = targets.classes, False
        self.coef_ = np.array([w[:-1] for w in answers])
        self.intercept_ = np.array([w[-1] for w in answers])
        self.suffered_ = np.array([each.suffered for each in progress])
        self.regret_bound_ = np.array([item.bound for item in learned])
        self.rounds_ = np.array([each.rounds for each in progress])
        self.n_iter_ = int(self.rounds_.max())
        self.trace_ = RegretTrace.layer([item.outcome.trace for item in learned])
        self._run = repr(run)
        self._sums = np.array([(each.u, each.a) for each in progress])
        self._books = np.array([each[3:] for each in progress])
        self.certificate_ = composite(item.claim for item in learned)
        self._stop = joint_stop(item.outcome.stop for item in learned)
        regret = float(np.max(self.regret_bound_ / self.rounds_))
        in_ball = run.radius is not None
        self.status_ = status.rounds_status(self._stop, int(self.rounds_.min()), regret, in_ball)
        if self._stop is not Stop.MAX_ITER:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)

    def regret(self, X, y, coef=None, intercept=0.0, *, tol=1e-6) -> Composite:
        """The Regret of this fit against fixed weights of your choice, u = (coef, intercept).

        X and y are the examples of the fit, in the same order. coef has shape
        (n_outputs, n_features), or (n_features,) for one output. Without it, u is the best there is
        where `SVM` finds it (hinge loss, lam > 0, no radius), to a relative gap of tol, and its
        SoftMarginGap is among the claims.
        """
        check_is_fitted(self)
        X = _input.examples(self, X)
        best: tuple[Certificate, ...] = ()
        if coef is None:
            optimum = self._best_fixed(X, y, tol)
            coef, intercept, best = optimum.coef_, optimum.intercept_, optimum.certificate_.claims
        coef, intercept = self._comparators(coef, intercept)
        if self.intercept == "none" and np.any(intercept):
            raise ValueError("with intercept='none' the weights compared with can have none.")
        claims: list[Claim] = list(self.certificate_.not_claimed)
        for claim in self.certificate_.of_kind(Regret):
            k, sample = self.outputs_.index(claim.labels), Sample.of(X, y, claim.labels)
            claims.append(
                attempt(
                    Regret, claim.labels, partial(against, claim, sample, coef[k], intercept[k])
                )
            )
        return composite([*claims, *best])

    def _best_fixed(self, X, y, tol: float):
        from certo.estimators.svm import SVM

        run = self.run()
        if run.loss != repr(Hinge()) or not run.lam or run.radius is not None:
            raise ValueError(
                "the best fixed weights are found for the hinge loss with lam > 0 and no radius; "
                "here pass coef (and intercept)."
            )
        return SVM(lam=run.lam, intercept=self.intercept, tol=tol, random_state=0).fit(X, y)


def _are_same_steps(claim: Regret | AverageToBatch, machine: OnlineGradientDescent, y) -> bool:
    """The run is that of the settings; whether rows are sparse is the table's matter."""
    return replace(claim.run, sparse=False) == machine.run()


description.register(
    description.Description(
        kind=OnlineGradientDescent,
        learns="classes",
        summary="one gradient step for each example, in one pass",
        bounds=of_average,
        command="online-gradient-descent",
        # Rounds after the first call claim nothing.
        claims={Regret: _are_same_steps},
        may_claim={AverageToBatch: _are_same_steps},
        fitted=lambda machine: (
            description.LINEAR
            | {
                "suffered_": description.NUMBERS,
                "regret_bound_": description.NUMBERS,
                "rounds_": description.COUNTS,
                "_run": description.of_type(str),
                "_sums": description.array("outputs", 2, "lifted"),
                "_books": description.array("outputs", 4),
            }
        ),
        setting_kinds=(Hinge, Logistic, Squared),
    )
)
