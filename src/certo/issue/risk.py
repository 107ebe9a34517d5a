"""How bounds on the error rate find their numbers: what their formulas give for the facts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import singledispatch
from typing import Any, TypeVar

import numpy as np

from certo import bounds
from certo.certificates.base import CannotClaim, require
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.predictor import LinearPredictor
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.risk.compression_bound import CompressionBound, Scheme, errors_outside
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.online_to_batch import OnlineToBatch, _no_pass
from certo.certificates.risk.risk_bound import RiskBound, majority
from certo.certificates.risk.support_bound import SupportBound, _all_classes, _objection
from certo.certificates.runs.gradient_run import GradientRun
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.sample.classes import class_sample
from certo.certificates.sample.draws import why_copied
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Values
from certo.issue.labels import all_labels
from certo.issue.slack import SLACK_FACTOR, or_cannot_claim
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.numbers.exact import norm
from certo.numbers.rounding import MAX_FLOAT, UNIT

Bound = TypeVar("Bound", bound=RiskBound)


def of_draws(claim: Bound, sample: Any) -> Bound:
    """The bound, or CannotClaim where its check would refuse the examples as draws."""
    if why := claim._why_not_drawn(sample):
        raise CannotClaim(why)
    return claim


@singledispatch
def formulas(claim: Any, level: float) -> dict[str, Any]:
    """The fields of a claim that hold what its formulas give, with this delta."""
    raise TypeError(f"{type(claim).__name__} is not a bound on an error rate.")


@formulas.register
def _(claim: AverageToBatch, level: float) -> dict[str, Any]:
    return {"bound": claim.formula(level)}


@formulas.register
def _(claim: OnlineToBatch, level: float) -> dict[str, Any]:
    return {"bound": bounds.online_to_batch(claim.examples, claim.mistakes, level)}


@formulas.register
def _(claim: SupportBound, level: float) -> dict[str, Any]:
    m, k = claim.examples, claim.supports
    return {
        "printed": bounds.support_vector_compression(m, k, 0, level),
        "tail": bounds.binomial_tail(m, k, 0, level),
        "bound": bounds.campi_garatti(m, k, level),
    }


@formulas.register
def _(claim: TestErrors, level: float) -> dict[str, Any]:
    return interval(claim.examples, claim.errors, claim.ties, level)


@formulas.register
def _(claim: CompressionBound, level: float) -> dict[str, Any]:
    return compression(claim.scheme, claim.examples, claim.updated.size, claim.errors, level)


def interval(n: int, errors: int, ties: int, delta: float) -> dict[str, Any]:
    """Both ends of Clopper and Pearson's interval, ties being no errors for the lower one."""
    return {
        "lower": bounds.clopper_pearson(n, errors - ties, delta).lower,
        "upper": bounds.clopper_pearson(n, errors, delta).upper,
    }


def compression(scheme: Scheme, m: int, k: int, errors: int, delta: float) -> dict[str, Any]:
    """Both bounds. Where the re-run is long, a tail that is no better than drawing one of the
    classes at random is not claimed, since it would need the re-run."""
    printed = bounds.perceptron_compression(m, k, errors, delta) if 2 * k <= m else None
    tail = bounds.binomial_tail(m, k, errors, delta)
    useless = tail >= 1 - 1 / max(2, scheme.outputs) and (printed is None or printed >= 1)
    return {"printed": printed, "tail": 1.0 if useless and not scheme.is_short(k) else tail}


# For a checker whose inner products round otherwise.
LOSS_SLACK_FACTOR = 1 + 2.0**-30


@or_cannot_claim
def issue_average_to_batch(
    X: Any,
    y: Any,
    classes: Sequence[Any],
    run: GradientRun,
    coef: Any,
    intercept: float,
    delta: float = 0.05,
) -> AverageToBatch:
    """The bound, the reach being the length of the longest example, to six digits; CannotClaim
    with the reason why none can be given."""
    labels = all_labels(classes)
    if len(labels.classes) != 2:
        raise CannotClaim(
            "with more than two classes an error may be due to any output, and the sum of all "
            "their losses bounds little: the claim is made for two."
        )
    if not run.average:
        raise CannotClaim(
            "the bound is about the average of the iterates, not the last. Use average=True."
        )
    sample = Sample.of(X, y, labels)
    square = sample.square_bound()
    if not square < math.inf:
        raise CannotClaim("the squares of the features overflow float64.")
    reach = float(rounded_up(exact.root_above(Fraction(square))))  # Rounded up to few digits.
    draft = AverageToBatch(
        labels, delta, run, coef, intercept, sample.m, reach, 0.0, 0.0, 1.0,
        majority=majority(sample.signs),
    )  # fmt: skip
    loss, off = draft._repeated(sample)
    loss, off = loss * LOSS_SLACK_FACTOR, off * 2 + 2.0**-40 * norm(np.append(coef, intercept))
    claim = replace(draft, loss=loss, off=off).at(delta)
    return of_draws(claim, sample)


@or_cannot_claim
def issue_online_to_batch(
    X: Any,
    y: Any,
    classes: Sequence[Any],
    runs: Sequence[PerceptronRun],
    coef: Any,
    intercept: Any,
    delta: float = 0.05,
) -> OnlineToBatch:
    """The bound for a pass that ended with these weights; CannotClaim with the reason why none
    can be given."""
    labels = all_labels(classes)
    if reason := _no_pass(runs):
        raise CannotClaim(reason)
    sample = class_sample(X, y, labels.classes)
    m, rule = sample.m, LinearPredictor(coef, intercept)
    draft = OnlineToBatch(
        labels, delta, tuple(runs), rule.coef, rule.intercept, m, m, 1.0,
        majority=majority(sample.signs),
    )  # fmt: skip
    mistakes = draft._mistakes(sample)
    return of_draws(replace(draft, mistakes=mistakes).at(delta), sample)


@or_cannot_claim
def issue_compression_bound(
    sample: Any,
    labels: Labels,
    scheme: Scheme,
    updated: np.ndarray,
    delta: float = 0.05,
    *,
    wrong: np.ndarray | None = None,
    rerun: bool = True,
) -> CompressionBound:
    """The bound, or CannotClaim with the reason why none can be given.

    `sample` is as the scheme gives it. `wrong` tells what the rule gets wrong of it, where that is
    known. Without `rerun`, the caller knows that the rule is that of the run.
    """
    require(not scheme.undetermined, scheme.undetermined)
    if wrong is None:
        wrong = scheme.wrong(sample, updated, SLACK_FACTOR)
    errors = errors_outside(wrong, updated)
    claim = CompressionBound(
        labels=labels, delta=delta, majority=majority(sample.signs), scheme=scheme,
        updated=updated, examples=sample.m, errors=errors,
        **compression(scheme, sample.m, len(updated), errors, delta),
    )  # fmt: skip
    if rerun and claim.is_rerun:
        scheme.rerun(sample, claim.updated)
    return of_draws(claim, sample)


@or_cannot_claim
def issue_support_bound(
    X: Any, y: Any, solutions: Iterable[Any], delta: float = 0.05
) -> SupportBound:
    """The bound for the machine of these solutions, each a `SoftMarginGap` or
    `MaximumMargin`: one for two classes, else one for each class against the rest, in their order.
    CannotClaim, if there is none or the solutions do not hold of X, y."""
    solutions = tuple(solutions)
    objection = _objection(solutions)
    if objection:
        raise CannotClaim(objection)
    labels, m = _all_classes(solutions), solutions[0].examples
    if solutions[0].labels.against is not None:  # Each example is part of K − 1 pairs.
        m = sum(solution.examples for solution in solutions) // (len(labels.classes) - 1)
    draft = SupportBound(labels, delta, solutions, m, m, MAX_FLOAT, 1.0, 1.0, majority=m)
    samples = draft._sample(draft._read(X), y)
    supports = draft._count(samples, SLACK_FACTOR)
    claim = replace(draft, supports=supports, majority=draft._majority_of(samples)).at(delta)
    return of_draws(claim, samples)


def error_cap(errors: np.ndarray, times: float = 4.0) -> float:
    """Some times the root mean square of errors on the examples of a fit, rounded up to two digits:
    errors on new ones are rarely larger, and all that are count as this. It is known before any
    test example is seen. 0, if there is none."""
    with np.errstate(over="ignore"):
        error = times * float(np.sqrt(np.mean(errors**2)))
    return float(rounded_up(error, 2)) if 0 < error < math.inf else 0.0


def issue_test_distances(
    X: Any, y: Any, coef: np.ndarray, intercept: float, delta: float = 0.05, cap: float = 0.0
) -> TestDistances:
    """The claim; CannotClaim with the reason if there is none, ValueError for other data. With a
    cap, which was fixed before these examples were seen, it is about the mean distance, too."""
    if delta >= 0.5:
        raise CannotClaim(f"its delta must be below 1/2, got {delta!r}.")
    sample = Sample.of(X, y, Values())
    draft = TestDistances(Values(), coef, float(intercept), sample.m, 0.0, delta, 1.0, cap, cap)
    if why := why_copied(sample.X, draft.labels.places(sample.signs)):
        raise CannotClaim(why)
    far = draft.distances(sample, SLACK_FACTOR)
    distance = np.sort(far)[draft.within - 1]
    if not np.isfinite(distance):
        raise CannotClaim("the predictions are too large for their rounding to be bounded.")
    n, k = draft.examples, draft.within
    beyond = bounds.clopper_pearson(n, n - k, 2 * draft.level).upper
    mean = bounds.capped_mean(far, cap, draft.level) if cap else 0.0
    # For a checker that adds up n logarithms in another order.
    mean = min(cap, mean * (LOSS_SLACK_FACTOR + 16 * n * UNIT))
    return replace(draft, distance=float(distance), beyond=beyond, mean=mean)
