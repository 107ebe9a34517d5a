"""CompressionBound: the notes' Corollary 3, from the updates of a run to a risk."""

from __future__ import annotations

import decimal
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates import exact
from certo.certificates.base import CannotClaim, Certificate, Refuted, Rigour, require
from certo.certificates.encoding import counted, rounded_up
from certo.certificates.margins import Margins
from certo.certificates.perceptron_run import PerceptronRun, TooLong, replay
from certo.certificates.sample import Labels, Sample
from certo.certificates.weights import check_weights, finite_vector, index_vector

REPLAY_VISITS = 200_000  # a vacuous claim is not worth a longer replay than this


@final
@dataclass(frozen=True, repr=False, eq=False)
class CompressionBound(Certificate):
    """Claim: with probability at least 1 − δ over the draw of the m examples,
    er(h) ≤ ẽr + sqrt(((M + 1) ln m + ln(e/δ)) / m), where M ≤ m/2 examples were ever updated
    on and ẽr is the rate of errors on the m − M others.

    Proof: h is a function of the M examples alone, shown by re-running on them (bit for bit the
    same weights); the errors on the others are counted in exact arithmetic; the formula is
    evaluated to 50 decimal digits and rounded up. A vacuous bound may be stated without the
    re-run, where that is long; then the claim does not speak of it.
    """

    run: PerceptronRun
    coef: np.ndarray
    intercept: float
    zero_sign: int
    updated: np.ndarray
    examples: int
    errors: int
    delta: float
    bound: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "updated": "updated_",
    }

    rigour: ClassVar[Rigour] = Rigour(
        exact=(
            "The run on the updated examples, bit for bit; the errors on the others; the formula, "
            "to fifty digits and rounded up."
        ),
        statistical=(
            "The bound fails with a chance of at most delta over the draw of the examples, which "
            "must be independent."
        ),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))
        object.__setattr__(self, "updated", index_vector(self.updated, "updated"))
        _check_delta(self.delta)
        if self.zero_sign not in (-1, 1):
            raise ValueError(f"zero_sign must be -1 or +1, got {self.zero_sign!r}.")

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Labels,
        run: PerceptronRun,
        coef,
        intercept: float,
        updated,
        *,
        zero_sign: int = 1,
        delta: float = 0.05,
        preprocessing_fitted_here: bool = False,
        margins: Margins | None = None,
    ) -> CompressionBound:
        """The bound, or CannotClaim with the reason why none can be given."""
        _check_delta(delta)
        _refuse(run, sample.m, len(updated))
        if preprocessing_fitted_here:
            raise CannotClaim(PREPROCESSED)
        margins = margins or Margins.of(sample, coef, intercept)
        wrong = margins.is_error(zero_sign)
        errors = int(np.count_nonzero(wrong)) - int(np.count_nonzero(wrong[updated]))
        bound = formula(sample.m, len(updated), errors, delta)
        return cls(labels, run, coef, intercept, zero_sign, updated, sample.m, errors, delta, bound)

    @property
    def vacuous(self) -> bool:
        """A risk is never above 1, so a bound of 1 or more says nothing."""
        return self.bound >= 1

    @property
    def _is_replayed(self) -> bool:
        return not self.vacuous or self.run.epochs * self.updated.size <= REPLAY_VISITS

    @property
    def claim(self) -> str:
        listed, others = self.updated.size, self.examples - self.updated.size
        words = f"{self.labels.shown} against {self.labels.rest}: "
        if self._is_replayed:
            words += (
                f"running on {listed:,} of {counted(self.examples, 'example')} alone gives "
                "these weights. "
            )
        words += (
            f"Leaving {counted(listed, 'example')} out, this one output (sign at score 0: "
            f"{self.zero_sign:+d}) gets {self.errors:,} of {others:,} wrong. "
        )
        if self.vacuous:
            return words + (
                "The bound on its error rate that follows is "
                f"{rounded_up(self.bound, 4)}: vacuous, since it is not below 1."
            )
        return words + (
            "If these are independent draws and nothing was fitted or tuned on them before, then "
            f"with probability at least 1 − {self.delta!r} it errs on at most "
            f"{rounded_up(self.bound, 4)} of new examples."
        )

    @property
    def plain(self) -> str:
        if self.vacuous:
            return (
                "Nothing is proved about new examples: the bound on the rate of errors is above 1."
            )
        return (
            f"If new examples come from where these {self.examples:,} came from, it is wrong about "
            f"at most {rounded_up(self.bound, 4)} of them, except with a chance of {self.delta!r}."
        )

    @property
    def assumes(self) -> tuple[str, ...]:
        seed = self.run.order == "shuffled" or self.run.init == "random"
        return (
            "the examples are independent draws from one distribution, and new ones are too",
            "nothing was fitted on them before (scaling, selection, tuning, choice of settings)",
            *(("the random seed was chosen without looking at the examples",) if seed else ()),
        )

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "errors": self.errors,
            "delta": self.delta,
            "bound": self.bound,
        }

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        require(
            not self.updated.size or self.updated[-1] < sample.m,
            "the updated examples are not all rows of X.",
        )
        try:
            _refuse(self.run, sample.m, self.updated.size)
        except CannotClaim as reason:
            raise Refuted(str(reason)) from reason
        wrong = Margins.of(sample, self.coef, self.intercept).is_error(self.zero_sign)
        wrong[self.updated] = False
        errors = int(np.count_nonzero(wrong))
        require(
            errors == self.errors,
            f"there are {errors:,} errors outside the updated examples, not {self.errors:,}.",
        )
        bound = formula(sample.m, self.updated.size, errors, self.delta)
        require(self.bound >= bound, f"the bound is {bound!r}, not {self.bound!r}.")
        if not self._is_replayed:
            return "vacuous: a risk is never above 1 (so the run was not replayed)."
        try:
            w, _ = replay(self.run, sample.X, sample.signs, self.updated)
        except TooLong as reason:
            raise Refuted(f"the re-run cannot be checked: {reason}") from reason
        require(
            np.array_equal(w[:-1], self.coef) and w[-1] == self.intercept,
            "re-running on the updated examples alone does not give these weights.",
        )
        return (
            f"re-running on the {self.updated.size:,} updated examples gives these weights, "
            f"{errors:,} of the others are errors, and the formula gives {bound:.6g}."
        )


PREPROCESSED = (
    "the features were computed by preprocessing (scaling, encoding) fitted on the same examples, "
    "so they are not independent draws. Fit the preprocessing on other data, or switch it off."
)


def formula(m: int, updated: int, errors: int, delta: float) -> float:
    """The right side of Corollary 3, rounded up.

    In decimal arithmetic, whose logarithm and root are correctly rounded everywhere alike: nine
    operations on positive numbers, each with a relative error below 10⁻⁴⁹.
    """
    with decimal.localcontext(decimal.Context(prec=50)):
        inside = (updated + 1) * Decimal(m).ln() + (1 - Decimal(delta).ln())  # ln(e/δ) = 1 − ln δ
        value = Decimal(errors) / (m - updated) + (inside / m).sqrt()
    return exact.above(Fraction(value) * (1 + Fraction(1, 10**40)))


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ValueError(f"delta must be between 0 and 1, got {delta!r}.")


def _refuse(run: PerceptronRun, m: int, updated: int) -> None:
    if run.order == "misclassified":
        raise CannotClaim(
            "the visiting order depends on the data (order='misclassified'), so the weights are "
            "not a function of the updated examples alone. Use order='cyclic' or 'shuffled'."
        )
    if 2 * updated > m:
        raise CannotClaim(
            f"the bound needs at most half of the examples to be updated on, but {updated:,} of "
            f"{m:,} were."
        )
