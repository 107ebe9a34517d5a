"""`KernelPerceptron`: mistakes that add up to a function of a kernel's space."""

from __future__ import annotations

import warnings
from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import CannotClaim, Refuted
from certo.certificates.composite import Composite
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.kernel_scheme import KernelScheme
from certo.certificates.runs.kernel_run import KernelRun
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import AT_ZERO
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample
from certo.estimators import _input, _stream, description
from certo.estimators._claims import Claim, composite, refuse
from certo.estimators._kernel import KernelClassifier, check_kernel
from certo.estimators._keywords import answer_keywords
from certo.estimators._limits import joint_stop, running
from certo.estimators._separation_words import equal_rows_words
from certo.estimators._spaces import Functions, space_for
from certo.estimators.new_examples import by_kernel_updates
from certo.issue.machines import function
from certo.issue.runs.mistake_bound import against, issue_mistake_bound
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.solvers.kernel_hard_margin import kernel_hard_margin, value_work
from certo.solvers.kernel_perceptron import KernelPerceptronOutcome, Terms, kernel_perceptron
from certo.solvers.trace import Trace
from certo.stop import Asked, Stop
from certo.words import status

MAX_COMPARED_SUPPORTS = 1000  # With more, no larger margin than that of f is looked for.
# The search for a better comparison function may take so many times the work of the run itself, and
# so many multiplications (some tenths of a second), or values of a kernel of objects, in any case.
SEARCH_FACTOR, MIN_SEARCH_WORK, MIN_SEARCH_VALUES = 8.0, 1e9, 2000


KERNEL_PERCEPTRON_SETTINGS = {
    "epochs": _input.COUNT,
    "budget": _input.COUNT.or_none,
    "order": _input.one_of("cyclic", "shuffled"),
    "intercept": _input.LIFTED_OR_NONE,
    "update_at_zero": _input.one_of(*AT_ZERO),
    "cache_mb": _input.MEGABYTES_OR_ZERO,
    "time_limit": _input.SECONDS.or_none,
}


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
    time_limit : float or None, default=None
        Seconds after which what was reached is returned.
    random_state : int, RandomState instance or None, default=None
        Decides random orders; not used where nothing is random.

    Attributes
    ----------
    kernel_ : certo.kernels.Kernel
    support_ : integer array (n_supports,)
        The examples that any output is made of, in increasing order; over calls of partial_fit
        they are numbered as they came.
    dual_coef_ : ndarray (n_outputs, n_supports)
        For each of them y times the number of mistakes on it.
    support_vectors_ : array, sparse matrix or list
        `X[support_]`; for a precomputed kernel `support_` itself.
    n_support_ : integer array (n_classes,)
        How many supports each class has, in the order of `classes_`.
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
        time_limit=None,
        random_state=None,
    ):
        self.kernel = kernel
        self.epochs = epochs
        self.order = order
        self.intercept = intercept
        self.update_at_zero = update_at_zero
        self.budget = budget
        self.cache_mb = cache_mb
        self.time_limit = time_limit
        self.random_state = random_state

    @property
    def _kernel_to_fit(self) -> Kernel:
        return Gaussian(variance=1.0) if self.kernel is None else self.kernel

    @with_callbacks
    def fit(self, X, y):
        """Learn from the examples X with labels y, from the start."""
        self._check_settings()
        return self._learn(_stream.whole(self, self._kernel_to_fit, X, y), streamed=False)

    @available_if(_stream.can_stream)
    @with_callbacks
    def partial_fit(self, X, y, classes=None):
        """Go once over these examples, from the function reached so far, which keeps its own copy
        of those that it is made of.

        The first call must see all labels, in y or in `classes`. `trace_` and `certificate_` then
        speak of the last call alone; `updates_` and `n_iter_` of all.
        """
        self._check_settings()
        if hasattr(self, "support_") and (self.intercept == "lifted") != self._lifted:
            raise ValueError("intercept must stay the same in a run.")
        batch = _stream.batch(self, self._kernel_to_fit, X, y, classes)
        return self._learn(batch, streamed=True)

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
            rows, coef = machine.supports_of_output(k)
            u = function(rows, coef, float(machine.intercept_[k]))
            claims.append(against(claim, sample, u, target=1.0))
        return Composite(tuple(claims))

    def _check_settings(self) -> None:
        check_kernel(self, optional=True)
        _input.check_settings(self, KERNEL_PERCEPTRON_SETTINGS)

    def _learn(self, batch: _stream.Batch, *, streamed: bool):
        X, targets, fresh = batch
        epochs = 1 if streamed else int(self.epochs)
        random = check_random_state(self.random_state) if self.order == "shuffled" else None
        seed = random.randint(2**31 - 1) if random is not None else 0
        with running(self, X, "epoch", epochs * len(targets.outputs)) as run:
            space = cast(Functions, space_for(self, X, fresh=fresh))
            rows = space.gram_rows(cached=epochs > 1 and self.budget is None)
            learned = []
            for k, (labels, signs) in enumerate(zip(targets.outputs, targets.signs, strict=True)):
                outcome = kernel_perceptron(
                    rows,
                    space.all_signs(signs),
                    epochs=epochs,
                    visits=space.new_rows,
                    random=None if random is None else np.random.default_rng([seed, k]),
                    lifted=self.intercept == "lifted",
                    update_at_zero=self.update_at_zero,
                    budget=None if self.budget is None else int(self.budget),
                    start=None if fresh else self._terms(space, k),
                    after_block=run.asked,
                    after_epoch=run.tell,
                )
                learned.append((outcome, *self._claim(space, labels, signs, outcome, run.asked)))
                if outcome.stop not in (Stop.CONVERGED, Stop.MAX_ITER):
                    epochs = 0  # The other outputs stay where they are.
            self._store(space, targets, learned, streamed)
        return self

    def _terms(self, space: Functions, output: int) -> Terms:
        """The function that an earlier call left."""
        terms, old = Terms.none(space.old + space.m), space.old
        terms.coef[:old], terms.updated[:old] = self.dual_coef_[output], self._updated[output]
        return terms._replace(updates=int(self.updates_[output]), norm2=float(self._norms2[output]))

    def _claim(
        self,
        space: Functions,
        labels: Labels,
        signs: np.ndarray,
        outcome: KernelPerceptronOutcome,
        asked: Asked,
    ) -> tuple[Claim, bool]:
        """The mistake bound against f itself or, after a run that converged, against the largest
        margin, for which the theorem allows the fewest mistakes, or the best margin that can be
        found with about the effort of the run; and whether the search for it was cut short."""
        if self.budget is not None:
            reason = (
                "examples may have left the function for the sake of the budget, and the theorem "
                "is about runs that keep all."
            )
            return refuse(MistakeBound, labels, reason), False
        if not space.fresh:
            reason = "the run started from a function of examples that are not among these."
            return refuse(MistakeBound, labels, reason), False
        sample, lifted = space.sample(signs), self.intercept == "lifted"
        rows = np.flatnonzero(outcome.terms.coef)
        coef = outcome.terms.coef[rows]
        f = function(rows, coef, float(coef.sum()) if lifted else 0.0)
        try:
            own = issue_mistake_bound(
                sample, labels, machine=f, comparator=f, lifted=lifted,
                margins=space.margins(sample, f),
            )  # fmt: skip
        except (CannotClaim, Refuted) as reason:
            return refuse(MistakeBound, labels, reason), False
        if not outcome.converged or rows.size > MAX_COMPARED_SUPPORTS:
            return own, False
        kernel, X = space.kernel, space.examples
        best = kernel_hard_margin(
            kernel, X, sample.signs, self.intercept, tol=1e-3, max_iter=20,
            effort=_search_work(kernel, X, outcome.epochs, sample.m, rows.size),
            cache_mb=float(self.cache_mb), asked=asked,
        )  # fmt: skip
        cut_short = best.stop not in (Stop.CONVERGED, Stop.NO_PROGRESS)
        with suppress(CannotClaim):
            better = against(own, sample, function(best.rows, best.coef, best.b))
            # A bound for every run is worth more than one for this run, but not from a search that
            # was cut short: its margin may be so small that the bound says nothing.
            is_rival = own.separable or cut_short
            if better.separable and not (is_rival and (own.bound or 0) <= (better.bound or 0)):
                return better, cut_short
        return own, cut_short

    def _store(
        self, space: Functions, targets: _input.Targets, learned: list[Any], streamed: bool
    ) -> None:
        outcomes: list[KernelPerceptronOutcome] = [outcome for outcome, _, _ in learned]
        made = np.array([outcome.updates for outcome in outcomes])
        epochs = max(outcome.epochs for outcome in outcomes)
        self.classes_, self._multilabel = targets.classes, False
        self.updates_ = made if space.fresh else self.updates_ + made
        self.n_iter_ = epochs if space.fresh else self.n_iter_ + epochs
        terms = [outcome.terms for outcome in outcomes]
        rows = [np.flatnonzero(one.updated) for one in terms]
        coef = [one.coef[some] for one, some in zip(terms, rows, strict=True)]
        union = space.keep_stream(targets, rows, coef)
        self._lifted = self.intercept == "lifted"
        self.intercept_ = np.array([self._lifted * float(a.sum()) for a in self.dual_coef_])
        self._updated = np.array([one.updated[union] for one in terms])
        self._norms2 = np.array([one.norm2 for one in terms])
        self.converged_ = all(outcome.converged for outcome in outcomes)
        self.trace_ = Trace.layer([outcome.trace for outcome in outcomes])
        self.certificate_ = composite(claim for _, claim, _ in learned)
        self._stop = joint_stop(outcome.stop for outcome in outcomes)
        self.status_ = status.mistakes_status(self._stop, outcomes, space.m)
        if self._stop is Stop.MAX_ITER and space.fresh:
            self.status_ += equal_rows_words(space.examples, targets.signs)
        if any(cut_short for _, _, cut_short in learned):
            self.status_ += status.SEARCH_CUT_SHORT
        if self._stop is Stop.MAX_ITER and not streamed and self.epochs > 1:
            text = status.still_mistaken("KernelPerceptron", int(self.epochs))
            warnings.warn(text, ConvergenceWarning, stacklevel=5)
        elif self._stop not in (Stop.CONVERGED, Stop.MAX_ITER):
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=5)


def _search_work(kernel: Kernel, X: Any, epochs: int, m: int, supports: int) -> float:
    """The work that the search for a better comparison function may take. It is counted, not timed,
    so that the same fit makes the same claim on every machine."""
    each, values = value_work(kernel, X), float(epochs * m * max(supports, 1))
    least = MIN_SEARCH_WORK
    if kernel.takes not in ("vectors", "matrix"):  # The work of one value is not known.
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
        and description.kernel_was_given(machine)
    )


description.register(
    description.Description(
        kind=KernelPerceptron,
        command="kernel-perceptron",
        learns="classes",
        summary="the perceptron in the space of a kernel: curved boundaries",
        bounds=by_kernel_updates,
        # With a budget there is no claim.
        claims={MistakeBound: _are_same_mistakes},
        may_claim={CompressionBound: _is_same_scheme},
        fitted=lambda machine: (
            description.EXPANSIONS
            | {
                "updates_": description.COUNTS,
                "converged_": description.of_type(bool),
                "_lifted": description.of_type(bool),
                "_updated": description.array("outputs", None, kinds="iu"),
                "_norms2": description.NUMBERS,
                "_seen": description.of_type(int),
            }
        ),
        check_fitted=description.check_supports,
    )
)
