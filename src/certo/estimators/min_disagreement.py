"""`MinDisagreement`: the hyperplane with the fewest errors, and the proof that none has fewer."""

from __future__ import annotations

import math
import warnings
from fractions import Fraction

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from certo.certificates.composite import Composite
from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins
from certo.estimators import _input, description
from certo.estimators._keywords import answer_keywords
from certo.estimators._limits import Running, running
from certo.estimators._linear import LinearClassifier
from certo.estimators.new_examples import no_few_examples
from certo.facts import InputError
from certo.issue.errors import issue_error_count
from certo.solvers.min_disagreement import BoundTrace, Outcome, TooLarge, min_disagreement
from certo.words import refusals
from certo.words.status import fewest_errors_status

MIN_DISAGREEMENT_SETTINGS = {
    "intercept": _input.one_of("free", "none"),
    "time_limit": _input.SECONDS.or_none,
    "target": _input.Setting("a number of errors, from 0 on", _input.NOT_NEGATIVE.holds).or_none,
}


@answer_keywords
class MinDisagreement(CallbackSupportMixin, LinearClassifier, BaseEstimator):
    r"""The hyperplane with the fewest errors: the empirical risk under the 0-1 loss, minimised.

    An error is an example with y·score ≤ 0; a score of exactly zero is one, on either side. (The
    0-1 loss of the *predictions* is smaller where a positive example has score zero, since zero is
    predicted positive.) The problem is NP-hard, so this is an any-time method: it always holds a
    hyperplane, and a proof of how few errors any other could make; it ends when the two numbers
    meet, when the time is up, or on Ctrl-C.

    Up to about three features (rank 4 with the intercept) the proof is a look at every way in which
    hyperplanes can split the examples; beyond that it is a tree of cases, closed by packing
    subsets of examples that no hyperplane has all on their own sides. That succeeds when the fewest
    errors are few.

    Parameters
    ----------
    intercept : {"free", "none"}, default="free"
        Any hyperplane, or only those through the origin.
    time_limit : float or None, default=60
        Seconds after which the best so far is returned, with what is proved by then.
    target : float or None, default=None
        Only decide whether some hyperplane has at most so many errors (at most that weight of
        errors, with sample_weight): see `answer_`.
    random_state : int, RandomState instance or None, default=None
        Decides the course of the search, not what is proved.

    Attributes
    ----------
    coef_ : ndarray (1, n_features)
    intercept_ : ndarray (1,)
    classes_ : ndarray
        Two; or one, when y holds only one.
    errors_ : int, or float with sample_weight
        The errors of this hyperplane, or their weight.
    lower_bound_ : int, or float with sample_weight
        No hyperplane (without an intercept: none through the origin) has fewer: what
        `certificate_` proves.
    optimal_ : bool
        Whether the two are the same (to nine digits, with fractional sample_weight).
    answer_ : {"yes", "no", "undecided"} or None
        Whether some hyperplane has at most `target` errors.
    n_iter_ : int
        Cases that were split, or looks at all cells.
    trace_ : certo.solvers.min_disagreement.BoundTrace
        The two bounds against time.
    status_ : str
        Why it stopped, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        ErrorCount, and LeastErrorsByCells or LeastErrorsByTree.

    Examples
    --------
    >>> from certo import MinDisagreement
    >>> X, y = [[0, 0], [1, 1], [0, 1], [1, 0]], ["even", "even", "odd", "odd"]
    >>> model = MinDisagreement().fit(X, y)
    >>> model.errors_, model.lower_bound_
    (1, 1)
    >>> print(model.status_)
    Optimal: 1 error, and it is proved that no hyperplane makes fewer.
    >>> bool(model.certificate_.verify(X, y))
    True
    """

    errors_: float
    lower_bound_: float
    trace_kind = BoundTrace

    def __init__(self, *, intercept="free", time_limit=60, target=None, random_state=None):
        self.intercept = intercept
        self.time_limit = time_limit
        self.target = target
        self.random_state = random_state

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    @with_callbacks
    def fit(self, X, y, sample_weight=None):
        """Find the fewest errors on the examples X (dense or sparse) with labels y.

        sample_weight says what an error on each example costs; examples of weight zero do not
        count.
        """
        _input.check_settings(self, MIN_DISAGREEMENT_SETTINGS)
        X, y = _input.labelled_examples(self, X, y, reset=True)
        targets = _input.targets(self, y, fewest=1)
        if targets.multilabel or len(targets.classes) > 2:
            raise InputError(refusals.many_classes, "MinDisagreement", len(targets.classes))
        _input.longest_example(self, X)
        weights = self._weights(sample_weight, X)
        with running(self, X, "better bound") as run:
            self._search(run, Sample(X, targets.signs[0]), targets, weights)
        return self

    def _weights(self, sample_weight, X) -> np.ndarray:
        """The weights of the examples; empty if all are 1."""
        weights = _input.weights(self, sample_weight, X)
        with np.errstate(over="ignore"):
            total = float(weights.sum())
        if not np.isfinite(total):
            raise InputError(refusals.unusable_weights, total)
        return weights

    def _search(
        self, run: Running, sample: Sample, targets: _input.Targets, weights: np.ndarray
    ) -> None:
        def report(upper: float, lower: float, seconds: float) -> None:
            """Callbacks see the bounds known now as errors_ and lower_bound_."""
            self.errors_, self.lower_bound_ = upper, lower
            run.tell()

        try:
            outcome = min_disagreement(
                sample,
                targets.outputs[0],
                weights,
                self.intercept == "free",
                enough=None if self.target is None else Fraction(self.target),
                time_limit=math.inf if self.time_limit is None else float(self.time_limit),
                rng=np.random.default_rng(check_random_state(self.random_state).randint(2**31 - 1)),
                asked=run.asked,
                report=report,
            )
        except TooLarge:
            raise MemoryError(
                f"MinDisagreement found no hyperplane without errors on {sample.m:,} examples with "
                f"{sample.d:,} features, and to search for the fewest errors it would need a dense "
                "matrix of more than 2 GB. Use fewer features or examples."
            ) from None
        self._store(sample, targets, weights, outcome)

    def _store(self, sample: Sample, targets, weights: np.ndarray, outcome: Outcome) -> None:
        labels: Labels = targets.outputs[0]
        self.classes_, self._multilabel = targets.classes, False
        self.coef_ = outcome.coef[None]
        self.intercept_ = np.array([outcome.intercept])
        count = issue_error_count(sample, labels, outcome.coef, outcome.intercept, weights)
        self.certificate_ = Composite((count, outcome.proof))
        plain = float if weights.size else int
        self.errors_, self.lower_bound_ = plain(count.errors), plain(outcome.proof.at_least)
        self.optimal_ = outcome.optimal
        self.answer_ = None
        if self.target is not None:
            no = "no" if self.lower_bound_ > self.target else "undecided"
            self.answer_ = "yes" if self.errors_ <= self.target else no
        self.trace_, self.n_iter_ = outcome.trace, outcome.steps
        margins = Margins.of(sample, outcome.coef, outcome.intercept)
        at_zero = int(np.sum(margins.is_error(-1) & ~margins.is_error(+1)))  # All have y = +1.
        self.status_ = fewest_errors_status(
            self, outcome.stop, bool(weights.size), at_zero, outcome.rounded
        )
        self._stop = outcome.stop
        if not (self.optimal_ or self.answer_ in ("yes", "no")):
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=4)


def _is_same_count(claim: ErrorCount, machine: MinDisagreement, y) -> bool:
    """Errors are counted on all rows alike (weights could leave some out), where it was allowed to
    look for the hyperplane."""
    return not claim.sample_weight.size and (machine.intercept == "free" or not claim.intercept)


def _is_same_least(claim: LeastErrorsByCells | LeastErrorsByTree, machine, y) -> bool:
    return not claim.sample_weight.size and claim.lifted == (machine.intercept == "free")


def _check_fitted(machine: MinDisagreement) -> None:
    """What follows from the two bounds is as they say."""
    errors, least, target = machine.errors_, machine.lower_bound_, machine.target
    require = description.require
    require(0 <= least <= errors, "its bounds are not in order.")
    require(machine.optimal_ == (errors == least), "it is optimal if its bounds are equal.")
    answer = None
    if target is not None:
        answer = "yes" if errors <= target else "no" if least > target else "undecided"
    require(machine.answer_ == answer, "its answer does not follow from its bounds.")


description.register(
    description.Description(
        kind=MinDisagreement,
        command="min-disagreement",
        learns="classes",
        summary="the hyperplane with the fewest errors, for two classes and few rows",
        bounds=no_few_examples,
        claims={
            ErrorCount: _is_same_count,
            LeastErrorsByCells: _is_same_least,
            LeastErrorsByTree: _is_same_least,
        },
        spoken_of=lambda machine: ("coef_", "intercept_", "errors_", "lower_bound_"),
        fitted=lambda machine: (
            description.LINEAR
            | {
                "errors_": description.of_type(int),
                "lower_bound_": description.of_type(int),
                "optimal_": description.of_type(bool),
                "answer_": description.of_type(str, type(None)),
            }
        ),
        check_fitted=_check_fitted,
        ignores_scale=lambda machine: True,
        progress=lambda machine: f"{machine.lower_bound_:g} ≤ fewest errors ≤ {machine.errors_:g}",
    )
)
