"""`Perceptron`: a layer of neurons trained by error correction, with what it proves."""

from __future__ import annotations

import numbers
import time
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from certo.certificates.composite import Composite
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.online_to_batch import OnlineToBatch
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.separable import Separable
from certo.estimators import _in_blocks, _input, _stream, _streams_in_blocks, description
from certo.estimators._keywords import answer_keywords
from certo.estimators._limits import joint_stop, running
from certo.estimators._linear import LinearClassifier, forget, make_later
from certo.estimators._perceptron_claims import Learned, certificate, status_of
from certo.estimators.new_examples import by_updates
from certo.geometry import Neuron
from certo.issue.machines import hyperplane
from certo.issue.runs.mistake_bound import against
from certo.rates import Constant, Geometric, Power, Rate
from certo.solvers.mixed_perceptron import mixed_perceptron
from certo.solvers.perceptron import perceptron
from certo.solvers.trace import Trace
from certo.stop import Stop
from certo.words.status import still_mistaken

NUMBERS_AT_ONCE = 2**22  # Numbers of X that are read, in milliseconds, before Ctrl-C is heard.


@answer_keywords
class Perceptron(CallbackSupportMixin, LinearClassifier, BaseEstimator):
    r"""Perceptron: on every mistake y·score ≤ 0, move the weights by η y x.

    With two classes it is one neuron; with more, a layer of them, each telling one class from the
    rest; with a 0/1 matrix as y, one neuron for each column. Stops after an epoch without an
    update. On examples that a hyperplane separates this happens after at most (‖u‖X/γ(u))² updates
    for every separator u; on others never, and all epochs are run.

    Parameters
    ----------
    learning_rate : float or certo.rates.Rate, default=1.0
        η, constant or a schedule η(n) with n = 1, 2, … counting the updates.
    epochs : int, default=100
        The largest number of passes over the examples.
    order : {"cyclic", "shuffled", "misclassified"}, default="cyclic"
        Visit the examples as they come; in a new random order each epoch; or take at random one of
        those misclassified now (then an epoch is as many looks as there are examples).
    init : {"zeros", "random"}, default="zeros"
        The first weights: zero, or standard normal.
    intercept : {"lifted", "none"}, default="lifted"
        "lifted" learns an intercept as the weight of an extra feature 1.
    update_at_zero : {"always", "positive", "negative"}, default="always"
        Whether a score of exactly 0 is a mistake: always, or only where y = +1, or y = −1.
    zero_sign : {+1, -1}, default=+1
        The side predicted at a score of exactly 0. It concerns predictions only.
    average : bool, default=False
        Answer with the average of the weights before every look at an example (Freund and Schapire,
        1999), rather than with the last ones. On examples that no hyperplane separates the last
        weights are those of one more mistake; their average is steadier, and CompressionBound is
        about it just as well.
    shards : int, default=1
        Above 1 the examples are cut into so many consecutive parts, each epoch goes through every
        part from the same weights, and the average of the results is where the next one starts
        (iterative parameter mixing; McDonald, Hall and Mann, 2010). That is how the Perceptron runs
        on a cluster. The mistake bound then holds of the updates divided by the number of shards.
        Needs order="cyclic", a constant rate and average=False.
    time_limit : float or None, default=None
        Seconds after which what was reached is returned.
    random_state : int, RandomState instance or None, default=None
        Decides random weights and orders; not used where nothing is random.

    Attributes
    ----------
    coef_ : ndarray (n_outputs, n_features), float64 for float32 examples too
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    updates_ : ndarray (n_outputs,)
        How many updates were made.
    updated_ : list of n_outputs integer arrays
        The distinct examples updated on, in increasing order.
    converged_ : bool
        Whether every neuron came to an epoch without an update.
    n_iter_ : int
        Epochs run (of the neuron that ran longest).
    trace_ : certo.solvers.trace.Trace
        What happened at the updates.
    last_coef_, last_intercept_ : ndarrays of the same shapes, with average=True only
        The last weights, from which partial_fit goes on. MistakeBound is about them.
    status_ : str
        Why it stopped, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        What the fit proves: Separable where the weights separate the classes, MistakeBound, and
        CompressionBound, or why there is none. Of a small table it is made when it is first
        read, from a copy of the examples that is kept until then.

    Examples
    --------
    >>> from certo import Perceptron
    >>> X, y = [[2, 1], [1, 3], [-1, -2], [-3, -1]], ["up", "up", "down", "down"]
    >>> model = Perceptron().fit(X, y)
    >>> model.predict([[3, 3]]).tolist()
    ['up']
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    updates_: np.ndarray
    n_iter_: int
    trace_kind = Trace

    def __init__(
        self,
        *,
        learning_rate=1.0,
        epochs=100,
        order="cyclic",
        init="zeros",
        intercept="lifted",
        update_at_zero="always",
        zero_sign=+1,
        average=False,
        shards=1,
        time_limit=None,
        random_state=None,
    ):
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.order = order
        self.init = init
        self.intercept = intercept
        self.update_at_zero = update_at_zero
        self.zero_sign = zero_sign
        self.average = average
        self.shards = shards
        self.time_limit = time_limit
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags

    @with_callbacks
    def fit(self, X, y=None):
        """Learn from the examples X (dense or sparse) with labels y, from the start.

        C-ordered float32 or float64 arrays and CSR matrices are used as they are, not copied.
        A pyarrow dataset (y being the name of a column), a Dask collection or `certo.scale.Blocks`
        are read block by block, an epoch in a pass, for the same answer.
        """
        if _in_blocks.is_in_blocks(X):
            return _streams_in_blocks.fit_perceptron(self, X, y)
        X, y = _input.labelled_examples(self, X, y, reset=True)
        return self._learn(X, _input.targets(self, y), self.run())

    @with_callbacks
    def partial_fit(self, X, y, classes=None):
        """Go once over these examples, from the weights reached so far.

        The first call must see all labels, in y or in `classes`. `updated_`, `trace_` and
        `certificate_` then speak of the last call alone; `updates_` and `n_iter_` of all.
        """
        if hasattr(self, "coef_") and hasattr(self, "last_coef_") != bool(self.average):
            raise ValueError(f"average must stay {not self.average} after the first call.")
        X, targets, fresh = _stream.batch(self, None, X, y, classes, multilabel=True)
        return self._learn(X, targets, self.run(1), fresh=fresh, streamed=True)

    def run(self, epochs=None) -> PerceptronRun:
        """The settings as a run, checked; `epochs` if other than those set."""
        epochs = self.epochs if epochs is None else epochs
        rate = self.learning_rate
        if isinstance(rate, numbers.Real) and not isinstance(rate, bool):
            rate = Constant(float(rate))
        if not isinstance(rate, Rate):
            raise TypeError(
                "learning_rate must be a positive number or a schedule of certo.rates, which can "
                f"be stored in a model file, got {rate!r}."
            )
        if not (isinstance(epochs, numbers.Integral) and int(epochs) >= 1):
            raise ValueError(f"epochs must be an integer of at least 1, got {epochs!r}.")
        _input.check_choice(self, "intercept", "lifted", "none")
        if self.zero_sign not in (-1, 1):
            raise ValueError(f"zero_sign must be +1 or -1, got {self.zero_sign!r}.")
        _input.check_flag(self, "average")
        _input.SECONDS.or_none.check("time_limit", self.time_limit)
        self._check_shards(rate)
        is_random = self.order != "cyclic" or self.init == "random"
        random = check_random_state(self.random_state) if is_random else None
        return PerceptronRun(
            epochs=int(epochs),
            order=self.order,
            init=self.init,
            lifted=self.intercept == "lifted",
            update_at_zero=self.update_at_zero,
            rate=rate,
            seed=int(random.randint(2**31 - 1)) if random is not None else 0,
            average=bool(self.average),
        )

    def _check_shards(self, rate: Rate) -> None:
        if not (isinstance(self.shards, numbers.Integral) and int(self.shards) >= 1):
            raise ValueError(f"shards must be an integer of at least 1, got {self.shards!r}.")
        if int(self.shards) > 1 and (
            self.order != "cyclic" or self.average or not isinstance(rate, Constant)
        ):
            raise ValueError(
                'shards above 1 need order="cyclic", average=False and a constant learning_rate.'
            )

    def _learn(self, X, targets: _input.Targets, run: PerceptronRun, *, fresh=True, streamed=False):
        square, began = _input.longest_example(self, X), time.perf_counter()
        count = len(targets.outputs)
        now = {"classes_": targets.classes, "_multilabel": targets.multilabel}
        with running(self, X, "epoch", run.epochs * count) as fit:

            def after_epoch(w: np.ndarray) -> Stop | None:
                model = {"coef_": w[None, :-1].copy(), "intercept_": w[-1:].copy()}
                return fit.tell(now=model | now if count == 1 else None)

            numbers = X.nnz if sparse.issparse(X) else X.size
            at_once = 1 if fit.is_heard else max(1, NUMBERS_AT_ONCE // max(numbers, 1))
            learned = []
            for output, signs in enumerate(targets.signs):
                own = replace(run, output=output, sparse=sparse.issparse(X))
                reached = {} if fresh else self._reached(output)
                if self.shards > 1:
                    start = reached.get("start")
                    outcome = mixed_perceptron(
                        X, signs, own, self.shards, start=start, after_epoch=after_epoch
                    )
                else:
                    outcome = perceptron(
                        X, signs, own, **reached, epochs_at_once=at_once, after_epoch=after_epoch
                    )
                before = 0 if fresh else int(self.updates_[output])
                shards = int(self.shards)
                learned.append(
                    Learned(targets.outputs[output], signs, own, outcome, before, shards)
                )
                if outcome.stop not in (Stop.CONVERGED, Stop.MAX_ITER):
                    run = replace(run, epochs=0)  # The other neurons stay where they are.
            self._store(targets, learned, fresh=fresh)
            seconds, sign = time.perf_counter() - began, int(self.zero_sign)
            make_later(
                self, X,
                certificate_=lambda _, X: certificate(X, learned, square, sign, fresh=fresh),
                status_=lambda _, X: status_of(X, learned, seconds, streamed=streamed),
            )  # fmt: skip
            if self._stop is Stop.MAX_ITER and not streamed and run.epochs > 1:
                text = still_mistaken("Perceptron", run.epochs)
                warnings.warn(text, ConvergenceWarning, stacklevel=4)
            elif self._stop not in (Stop.CONVERGED, Stop.MAX_ITER):
                warnings.warn(self.status_, ConvergenceWarning, stacklevel=4)
        return self

    def _reached(self, output: int) -> dict[str, Any]:
        """Where a neuron stands, for the solver to go on from."""
        before = int(self.updates_[output])
        if not self.average:
            start = np.append(self.coef_[output], self.intercept_[output])
            return {"start": start, "before": before}
        start = np.append(self.last_coef_[output], self.last_intercept_[output])
        sums = {"weighted": self._weighted[output], "looks": int(self._looks[output])}
        return {"start": start, "before": before} | sums

    def _store(self, targets: _input.Targets, learned: list[Learned], *, fresh: bool) -> None:
        outcomes = [neuron.outcome for neuron in learned]
        made = np.array([outcome.updates for outcome in outcomes])
        epochs = max(outcome.epochs for outcome in outcomes)
        if fresh:
            self.classes_, self._multilabel = targets.classes, targets.multilabel
        self.updates_ = made if fresh else self.updates_ + made
        self.n_iter_ = epochs if fresh else self.n_iter_ + epochs
        self.coef_ = np.array([outcome.answer[:-1] for outcome in outcomes])
        self.intercept_ = np.array([outcome.answer[-1] for outcome in outcomes])
        if self.average:  # What partial_fit goes on from is not the answer.
            self.last_coef_ = np.array([outcome.w[:-1] for outcome in outcomes])
            self.last_intercept_ = np.array([outcome.w[-1] for outcome in outcomes])
            self._weighted = np.array([outcome.weighted for outcome in outcomes])
            self._looks = np.array([outcome.looks for outcome in outcomes])
        else:
            forget(self, "last_coef_", "last_intercept_", "_weighted", "_looks")
        self.updated_ = [outcome.updated for outcome in outcomes]
        self.converged_ = all(outcome.converged for outcome in outcomes)
        self.trace_ = Trace.layer([outcome.trace for outcome in outcomes])
        self._stop = joint_stop(outcome.stop for outcome in outcomes)

    @property
    def neurons_(self) -> list[Neuron]:
        """The neurons of the layer, to look at."""
        check_is_fitted(self)
        return [
            Neuron(weights, bias, self.zero_sign)
            for weights, bias in zip(self.coef_, self.intercept_.tolist(), strict=True)
        ]

    def mistake_bound(self, X, y, coef, intercept=0.0) -> Composite:
        """The MistakeBound of this fit for comparators of your choice, u = (coef, intercept).

        X and y are the examples of the fit. coef has shape (n_outputs, n_features), or
        (n_features,) for one output; the hard-margin separator gives the strongest claim.
        """
        check_is_fitted(self)
        coef, intercept = self._comparators(coef, intercept)
        claims = []
        for claim in self.certificate_.of_kind(MistakeBound):
            k = self.outputs_.index(claim.labels)
            u = hyperplane(coef[k], float(intercept[k]))
            claims.append(against(claim, Sample.of(X, y, claim.labels), u))
        return Composite(tuple(claims))


def _fitted(machine: Perceptron) -> dict[str, description.Check]:
    left = description.LINEAR | {
        "updates_": description.COUNTS,
        "updated_": description.for_each_output(description.array(None, kinds="iu")),
        "converged_": description.of_type(bool),
    }
    if vars(machine).get("average") is True:
        left |= {
            "last_coef_": description.array("outputs", "features"),
            "last_intercept_": description.NUMBERS,
            "_weighted": description.array("outputs", "lifted"),
            "_looks": description.COUNTS,
        }
    return left


def _check_fitted(machine: Perceptron) -> None:
    """With average=True, the answer is the average of the weights that led to the last ones."""
    if not machine.average:
        return
    last = np.column_stack((machine.last_coef_, machine.last_intercept_))
    own = np.column_stack((machine.coef_, machine.intercept_))
    description.require(np.all(machine._looks >= 1), "its looks must be at least 1.")
    with np.errstate(all="ignore"):
        average = last - machine._weighted / machine._looks[:, None]
    description.require(np.array_equal(own, average), "its weights are not the average of its run.")


def _is_same_run(claim: PerceptronScheme | OnlineToBatch, machine: Perceptron, y=None) -> bool:
    """The runs are those of the settings. Seed and output differ between neurons, and whether rows
    are sparse is the table's matter."""
    own = machine.run()
    return machine.shards == 1 and all(
        replace(run, seed=own.seed, output=own.output, sparse=own.sparse) == own
        for run in claim.runs
    )


def _is_same_scheme(claim: CompressionBound, machine: Perceptron, y) -> bool:
    scheme = claim.scheme
    return (
        isinstance(scheme, PerceptronScheme)
        and _is_same_run(scheme, machine)
        and scheme.zero_sign in (None, machine.zero_sign)
    )


def _are_same_updates(claim: MistakeBound, machine: Perceptron, y) -> bool:
    run = machine.run()
    started = run.init == "random" or not np.any(claim.start)
    same = (claim.lifted, claim.averaged) == (run.lifted, run.average)
    shards = int(machine.shards) if machine.shards > 1 else None
    is_same = started and same and claim.sums == UpdateSums(run.rate, shards=shards)
    return is_same and description.is_same_space(claim, machine)


def _spoken_of(machine: Perceptron) -> tuple[str, ...]:
    """The updates lead to the last weights, of which the answer may be an average."""
    weights = ("last_coef_", "last_intercept_") if machine.average else ("coef_", "intercept_")
    return (*weights, "updates_", "updated_")


description.register(
    description.Description(
        kind=Perceptron,
        command="perceptron",
        learns="classes",
        summary="hyperplanes, corrected on every mistake until there is none",
        bounds=by_updates,
        claims={
            Separable: description.always,
            MistakeBound: _are_same_updates,
            CompressionBound: _is_same_scheme,
        },
        may_claim={OnlineToBatch: _is_same_run},
        spoken_of=_spoken_of,
        partly_claimed=lambda machine: ("coef_", "intercept_") if machine.average else (),
        fitted=_fitted,
        check_fitted=_check_fitted,
        setting_kinds=(Constant, Geometric, Power),
    )
)
