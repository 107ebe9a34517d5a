"""The numbers that the formulas give for the facts of a bound on the error rate."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, TypeVar

from certo import bounds
from certo.certificates.base import CannotClaim
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.online_to_batch import OnlineToBatch
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.risk.scheme import Scheme
from certo.certificates.risk.support_bound import SupportBound

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
