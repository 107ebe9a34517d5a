"""`KernelPerceptron`: mistakes that add up to a function of a kernel's space."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import (
    CannotClaim,
    Certificate,
    NotClaimed,
    Refuted,
)
from certo.certificates.composite import Composite
from certo.certificates.encoding import counted
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.kernel_scheme import KernelScheme
from certo.certificates.runs.kernel_run import KernelRun
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import AT_ZERO
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.certificates.spaces.space import function
from certo.estimators import _input, _stream, description
from certo.estimators._callbacks import announcer
from certo.estimators._kernel import KernelClassifier, check_kernel, measured, union_of
from certo.estimators._kernel_stream import (
    KernelBatch,
    can_stream,
    quick_margins,
    streamed_batch,
)
from certo.estimators._keywords import answer_keywords
from certo.estimators._separation_words import equal_rows_words
from certo.estimators.new_examples import by_kernel_updates
from certo.issue.runs.mistake_bound import against, issue_mistake_bound
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.solvers.interrupt import ctrl_c_asks
from certo.solvers.kernel_hard_margin import kernel_hard_margin, value_work
from certo.solvers.kernel_perceptron import KernelPerceptronOutcome, Terms, kernel_perceptron
from certo.solvers.kernel_steps import GramRows
from certo.solvers.trace import Trace

MOST_COMPARED = 1000  # supports up to which the largest margin is looked for, too
# The search for a better comparison function may take so many times the work of the run itself, and
# so many multiplications (some tenths of a second), or values of a kernel of objects, in any case.
SEARCH_FACTOR, MIN_SEARCH_WORK, MIN_SEARCH_VALUES = 8.0, 1e9, 2000
CUT_SHORT = (
    " The mistake bound compares the run with the best function found with an effort like that of "
    "the run; mistake_bound(X, y, machine) compares it with that of any machine."
)


@answer_keywords
class KernelPerceptron(CallbackSupportMixin, KernelClassifier, BaseEstimator):
    r"""Kernel perceptron: where the sign of f(x) is not y, add y K(x, ·) to f.

    It starts with f = 0, whose sign, like that of every score of 0, is +1. One pass over the
    examples is the online algorithm of the notes; more passes count an example once for each
    mistake on it, and stop after an epoch without one. With more than two classes, one output for
    each class against the rest.

    Parameters
    ----------
    kernel : certo.kernels.Kernel or None, default=None
        K. None means Gaussian(variance=1.0).
    epochs : int, default=1
        The largest number of passes over the examples.
    order : {"cyclic", "shuffled"}, default="cyclic"
        Visit the examples as they come, or in a new random order each epoch.
    intercept : {"none", "lifted"}, default="none"
        "lifted" runs on the kernel K + 1, which gives f a constant term.
    update_at_zero : {"negative", "always", "positive"}, default="negative"
        Whether a score of exactly 0 is a mistake: only where y = −1, as its sign is +1; or always;
        or only where y = +1.
    budget : int or None, default=None
        The largest number of examples that f may be made of. Where a mistake would make it one
        more, the one leaves on which no mistake was made for longest. The mistake bounds say
        nothing of such runs.
    cache_mb : float, default=1000
        With several epochs and a kernel of objects, so many megabytes of its values may be kept.
    random_state : int, RandomState instance or None, default=None
        Decides random orders; not used where nothing is random.

    Attributes
    ----------
    kernel_ : certo.kernels.Kernel
    support_ : list of n_outputs integer arrays
        The examples f is made of, in increasing order; over calls of partial_fit they are numbered
        as they came.
    dual_coef_ : list of n_outputs arrays
        For each of them y times the number of mistakes on it.
    support_vectors_ : array, sparse matrix or list
        The examples that any output is made of (for a precomputed kernel, their numbers).
    n_support_ : ndarray (n_outputs,)
    intercept_ : ndarray (n_outputs,)
    classes_ : ndarray
    updates_ : ndarray (n_outputs,)
        How many mistakes were made.
    converged_ : bool
        Whether every output came to an epoch without a mistake.
    n_iter_ : int
        Epochs run (of the output that ran longest).
    trace_ : certo.solvers.trace.Trace
        What happened at the mistakes; there are no weights to copy.
    status_ : str
        Why it stopped.
    certificate_ : certo.certificates.Composite
        MistakeBound for each output, or why there is none.
    expansions_ : list of certo.rkhs.Expansion
        f of each output, without its constant term.

    Examples
    --------
    >>> from certo import KernelPerceptron
    >>> from certo.kernels import Polynomial
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["same", "other", "other", "same"]
    >>> model = KernelPerceptron(Polynomial(degree=2), epochs=100).fit(X, y)
    >>> model.predict(X).tolist()
    ['same', 'other', 'other', 'same']
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    kernel_: Kernel
    updates_: np.ndarray
    n_iter_: int
    trace_kind = Trace

    def __init__(
        self,
        kernel=None,
        *,
        epochs=1,
        order="cyclic",
        intercept="none",
        update_at_zero="negative",
        budget=None,
        cache_mb=1000,
        random_state=None,
    ):
        self.kernel = kernel
        self.epochs = epochs
        self.order = order
        self.intercept = intercept
        self.update_at_zero = update_at_zero
        self.budget = budget
        self.cache_mb = cache_mb
        self.random_state = random_state

    @property
    def _kernel_to_fit(self) -> Kernel:
        return Gaussian(variance=1.0) if self.kernel is None else self.kernel

    @with_callbacks
    def fit(self, X, y):
        """Learn from the examples X with labels y, from the start."""
        self._check_settings()
        kernel = self._kernel_to_fit
        X, y = _input.labelled_points(self, kernel, X, y, reset=True)
        targets = _stream.one_label_each(self, _input.targets(self, y))
        return self._learn(KernelBatch(kernel.fitted_to(X), X, targets), streamed=False)

    @available_if(can_stream)
    @with_callbacks
    def partial_fit(self, X, y, classes=None):
        """Go once over these examples, from the function reached so far, which keeps its own copy
        of those that it is made of.

        The first call must see all labels, in y or in `classes`. `trace_` and `certificate_` then
        speak of the last call alone; `updates_` and `n_iter_` of all.
        """
        self._check_settings()
        kernel = self._kernel_to_fit
        fresh = not hasattr(self, "support_")
        if not fresh and (self.intercept == "lifted") != self._lifted:
            raise ValueError("intercept must stay the same in a run.")
        return self._learn(streamed_batch(self, kernel, X, y, classes, fresh), streamed=True)

    def run(self) -> KernelRun:
        """The settings as a run, whatever the seed."""
        lifted = self.intercept == "lifted"
        return KernelRun(int(self.epochs), self.order, lifted, self.update_at_zero)

    def mistake_bound(self, X, y, machine) -> Composite:
        """The MistakeBound of this fit against the functions of another machine.

        X and y are the examples of this fit, and of that of `machine`: a fitted SVM, HardMarginSVM
        or other machine with this kernel (and an intercept only if "lifted" here). Where they do
        not separate the examples, the bound counts their hinge losses; where they do, the largest
        margin gives the strongest claim.
        """
        check_is_fitted(self)
        check_is_fitted(machine)
        if getattr(machine, "kernel_", None) != self.kernel_:
            raise ValueError(f"mistake_bound needs a machine fitted with {self.kernel_!r}.")
        if list(machine.outputs_) != list(self.outputs_):
            raise ValueError("mistake_bound needs a machine fitted to the same classes.")
        if not self._lifted and np.any(machine.intercept_):
            raise ValueError(
                "without an intercept here, that of the machine must be fitted with "
                "intercept='none', too."
            )
        claims = []
        for claim in self.certificate_.of_kind(MistakeBound):
            k = self.outputs_.index(claim.labels)
            sample = KernelSample.of(X, y, claim.labels, self.kernel_, claim.space.shift)
            b = float(machine.intercept_[k])
            u = function(machine.support_[k], machine.dual_coef_[k], b)
            claims.append(against(claim, sample, u, target=1.0))
        return Composite(tuple(claims))

    def _check_settings(self) -> None:
        check_kernel(self, optional=True)
        for name, least in (("epochs", 1), ("budget", 1)):
            value = getattr(self, name)
            whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
            if not (whole and int(value) >= least) and not (name == "budget" and value is None):
                none = " or None" if name == "budget" else ""
                raise ValueError(
                    f"{name} must be a whole number of at least {least}{none}, got {value!r}."
                )
        for name, allowed in (
            ("order", ("cyclic", "shuffled")),
            ("intercept", ("none", "lifted")),
            ("update_at_zero", tuple(AT_ZERO)),
        ):
            value = getattr(self, name)
            if not isinstance(value, str) or value not in allowed:
                raise ValueError(f"{name} must be one of {allowed}, got {value!r}.")
        if not (_input.is_number(self.cache_mb) and 0 <= self.cache_mb < np.inf):
            raise ValueError(
                f"cache_mb must be a number of megabytes of at least 0, got {self.cache_mb!r}."
            )

    def _learn(self, batch: KernelBatch, *, streamed: bool):
        with ctrl_c_asks() as asked:
            return self._learn_until(asked, batch, streamed)

    def _learn_until(self, asked, batch: KernelBatch, streamed: bool):
        kernel, targets = batch.kernel, batch.targets
        X, _, shift = measured(self, kernel, batch.X)
        batch = batch._replace(X=X)
        epochs = 1 if streamed else int(self.epochs)
        examples = batch.joint(shift)
        cache = float(self.cache_mb) if epochs > 1 and self.budget is None else 0.0
        rows = GramRows(kernel, examples, batch.old + batch.new, cache)
        random = check_random_state(self.random_state) if self.order == "shuffled" else None
        seed = random.randint(2**31 - 1) if random is not None else 0
        context = self._init_callback_context(max_subtasks=epochs * len(targets.outputs))
        context.call_on_fit_task_begin(estimator=self, X=X)
        learned = []
        for k, (labels, signs) in enumerate(zip(targets.outputs, targets.signs, strict=True)):
            outcome = kernel_perceptron(
                rows,
                batch.signs(k),
                epochs=epochs,
                visits=np.arange(batch.old, batch.old + batch.new),
                random=None if random is None else np.random.default_rng([seed, k]),
                lifted=self.intercept == "lifted",
                update_at_zero=self.update_at_zero,
                budget=None if self.budget is None else int(self.budget),
                start=None if batch.before is None else self._terms(batch, k),
                after_block=asked,
                after_epoch=announcer(self, context, X, "epoch", asked),
            )
            sample = KernelSample(kernel, X, signs, shift)
            learned.append((outcome, self._claim(sample, labels, outcome, batch, rows.X, asked)))
            if outcome.interrupted:  # the other outputs stay where they are
                epochs = 0
        self._store(batch, rows.X, learned, streamed)
        context.call_on_fit_task_end(estimator=self, X=X, reconstruction_attributes=dict)
        return self

    def _terms(self, batch: KernelBatch, output: int) -> Terms:
        """The function that an earlier call left."""
        terms, at = Terms.none(batch.old + batch.new), batch.places(output)
        terms.coef[at], terms.updated[at] = self.dual_coef_[output], self._updated[output]
        return terms._replace(updates=int(self.updates_[output]), norm2=float(self._norms2[output]))

    def _claim(
        self,
        sample: KernelSample,
        labels: Labels,
        outcome: KernelPerceptronOutcome,
        batch: KernelBatch,
        X: Any,
        asked: Callable[[], bool],
    ) -> _Claimed:
        """The mistake bound against f itself or, after a run that converged, against the largest
        margin, for which the theorem allows the fewest mistakes, or the best margin that can be
        found with about the effort of the run."""
        try:
            if self.budget is not None:
                raise CannotClaim(
                    "examples may have left the function for the sake of the budget, and the "
                    "theorem is about runs that keep all."
                )
            if batch.before is not None:
                raise CannotClaim(
                    "the run started from a function of examples that are not among these."
                )
            rows = np.flatnonzero(outcome.terms.coef)
            coef, lifted = outcome.terms.coef[rows], self.intercept == "lifted"
            f = function(rows, coef, float(coef.sum()) if lifted else 0.0)
            own = issue_mistake_bound(
                sample,
                labels,
                machine=f,
                comparator=f,
                lifted=lifted,
                margins=quick_margins(sample, X, f),
            )
        except (CannotClaim, Refuted) as reason:
            return _Claimed(NotClaimed(MistakeBound.__name__, f"{labels.shown}: {reason}"))
        if not outcome.converged or rows.size > MOST_COMPARED:
            return _Claimed(own)
        best = kernel_hard_margin(
            batch.kernel, X, sample.signs, self.intercept, tol=1e-3, max_iter=20,
            effort=_search_work(batch.kernel, X, outcome.epochs, sample.m, rows.size),
            cache_mb=float(self.cache_mb), asked=asked,
        )  # fmt: skip
        with suppress(CannotClaim):
            better = against(own, sample, function(best.rows, best.coef, best.b))
            # A bound for every run is worth more than one for this run, but not from a search that
            # was cut short: its margin may be so small that the bound says nothing.
            is_rival = own.separable or best.stopped
            if better.separable and not (is_rival and (own.bound or 0) <= (better.bound or 0)):
                return _Claimed(better, best.stopped)
        return _Claimed(own, best.stopped)

    def _store(self, batch: KernelBatch, examples: Any, learned: list[Any], streamed: bool) -> None:
        outcomes: list[KernelPerceptronOutcome] = [outcome for outcome, _ in learned]
        claims = [claimed.claim for _, claimed in learned]
        made = np.array([outcome.updates for outcome in outcomes])
        epochs = max(outcome.epochs for outcome in outcomes)
        fresh = batch.before is None
        self.classes_, self._multilabel = batch.targets.classes, False
        self.updates_ = made if fresh else self.updates_ + made
        self.n_iter_ = epochs if fresh else self.n_iter_ + epochs
        places = [np.flatnonzero(outcome.terms.updated) for outcome in outcomes]
        self.support_ = [batch.numbers[some] for some in places]
        self.dual_coef_ = [o.terms.coef[some] for o, some in zip(outcomes, places, strict=True)]
        self.n_support_ = np.array([some.size for some in places])
        self._lifted = self.intercept == "lifted"
        self.intercept_ = np.array([self._lifted * float(a.sum()) for a in self.dual_coef_])
        self.kernel_ = batch.kernel
        self.support_vectors_ = batch.kernel.take(examples, union_of(places))
        self._updated = [o.terms.updated[some] for o, some in zip(outcomes, places, strict=True)]
        self._norms2 = np.array([outcome.terms.norm2 for outcome in outcomes])
        self._seen = batch.seen + batch.new
        self.converged_ = all(outcome.converged for outcome in outcomes)
        self.trace_ = Trace.layer([outcome.trace for outcome in outcomes])
        self.certificate_ = Composite(
            tuple(claim for claim in claims if isinstance(claim, Certificate)),
            tuple(claim for claim in claims if isinstance(claim, NotClaimed)),
        )
        self.status_ = self._status(outcomes, batch.new)
        if not self.converged_ and fresh and not any(outcome.interrupted for outcome in outcomes):
            self.status_ += equal_rows_words(examples, batch.targets.signs)
        if any(claimed.cut_short for _, claimed in learned):
            self.status_ += CUT_SHORT
        if any(outcome.interrupted for outcome in outcomes):
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)

    def _status(self, outcomes: list[KernelPerceptronOutcome], m: int) -> str:
        if any(outcome.interrupted for outcome in outcomes):
            return "Stopped by hand. The function is the one reached so far."
        epochs = counted(max(outcome.epochs for outcome in outcomes), "epoch")
        if self.converged_:
            return f"Converged: after {epochs} no example leads to a mistake any more."
        last = sum(int(outcome.trace.epoch_updates[-1]) for outcome in outcomes)
        made = counted(sum(outcome.updates for outcome in outcomes), "mistake")
        ended = "" if epochs == "1 epoch" else f", {last:,} of them in the last"
        return f"{epochs} over {counted(m, 'example')} made {made}{ended}."


class _Claimed(NamedTuple):
    claim: Certificate | NotClaimed
    cut_short: bool = False  # the search for a better comparison function


def _search_work(kernel: Kernel, X: Any, epochs: int, m: int, supports: int) -> float:
    """The work that the search for a better comparison function may take. It is counted, not timed,
    so that the same fit makes the same claim on every machine."""
    each, values = value_work(kernel, X), float(epochs * m * max(supports, 1))
    least = MIN_SEARCH_WORK
    if kernel.takes not in ("vectors", "matrix"):  # what a value takes is not known
        least = MIN_SEARCH_VALUES * each
    return max(least, SEARCH_FACTOR * values * each)


def _are_same_mistakes(claim: MistakeBound, machine: KernelPerceptron, y) -> bool:
    lifted = claim.lifted == (machine.intercept == "lifted")
    return machine.budget is None and lifted and description.is_same_space(claim, machine)


def _is_same_scheme(claim: CompressionBound, machine: KernelPerceptron, y) -> bool:
    scheme = claim.scheme
    return (
        isinstance(scheme, KernelScheme)
        and machine.budget is None
        and replace(scheme.run, seed=0) == machine.run()
    )


DESCRIPTION = description.register(
    description.Description(
        kind=KernelPerceptron,
        command="kernel-perceptron",
        learns="classes",
        summary="the perceptron in the space of a kernel: curved boundaries",
        bounds=by_kernel_updates,
        claims={MistakeBound: _are_same_mistakes},  # with a budget there is none
        may_claim={CompressionBound: _is_same_scheme},
        fitted=lambda machine: (
            description.EXPANSIONS
            | {
                "updates_": description.COUNTS,
                "converged_": description.of_type(bool),
                "_lifted": description.of_type(bool),
                "_updated": description.for_each_output(description.array(None, kinds="iu")),
                "_norms2": description.NUMBERS,
                "_seen": description.of_type(int),
            }
        ),
        check_fitted=description.check_supports,
    )
)
