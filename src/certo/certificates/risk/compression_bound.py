"""CompressionBound: from the updates of a run to a risk, by Corollary 3 and by the exact tail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from certo import bounds
from certo.certificates.base import CannotClaim, Refuted, require
from certo.certificates.encoding import rounded_up
from certo.certificates.fields import finite_vector, index_vector
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.runs.perceptron_run import PerceptronRun, TooLong, replay
from certo.certificates.sample import label_order
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.vectors import Margins, check_weights

REPLAY_VISITS = 200_000  # a bound worse than tossing a coin is not worth a longer replay


@final
@dataclass(frozen=True, repr=False, eq=False)
class CompressionBound(RiskBound):
    """Claim: with probability at least 1 − δ over the draw of the m examples, er(h) ≤ `bounds[…]`,
    where k ≤ m/2 examples were ever updated on and `errors` of the m − k others are wrong, by exact
    scores or by computed ones:
    `bound`, errors/(m − k) + sqrt(((k + 1) ln m + ln(e/δ)) / m), as printed, and `tail`, the
    largest p with P[Bin(m − k, p) ≤ errors] ≥ δ/(m·C(m, k)).

    Proof: h is a function of the k examples alone, shown by re-running on them (bit for bit the
    same weights; an average of the weights of all looks also counts how many there were between
    updates, which the places of the k examples tell, and the theorem is about each choice of
    places); the errors on the others are counted in exact arithmetic, and where rounding may decide
    also as `predict` computes (`Margins.is_mispredicted`); the formulas are
    evaluated and rounded up (`certo.bounds`). A vacuous bound may be stated without the re-run,
    where that is long; then the claim does not speak of it, and nor is a tail claimed (it is 1)
    that would be no better than tossing a coin.
    """

    run: PerceptronRun
    coef: np.ndarray
    intercept: float
    zero_sign: int
    updated: np.ndarray
    examples: int
    errors: int
    bound: float
    tail: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "updated": "updated_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "coef", finite_vector(self.coef, "coef"))
        object.__setattr__(self, "updated", index_vector(self.updated, "updated"))
        if self.zero_sign not in (-1, 1):
            raise ValueError(f"zero_sign must be -1 or +1, got {self.zero_sign!r}.")

    def _why_not_drawn(self, sample: Sample) -> str:
        if self.vacuous:
            return ""
        return why_places_tell(self.run, sample.signs) or super()._why_not_drawn(sample)

    def _formulas(self, level: float) -> dict[str, Any]:
        return _formulas(self.run, self.examples, self.updated.size, self.errors, level)

    @property
    def bounds(self) -> dict[str, float]:
        return {"printed": self.bound, "exact tail": self.tail}

    @property
    def of_predictions(self) -> bool:
        """Not of one output among several."""
        return len(self.labels.classes) == 2 and self.labels.column is None

    @property
    def _is_replayed(self) -> bool:
        return not self.vacuous or _is_short(self.run, self.updated.size)

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "errors": self.errors,
            "delta": self.delta,
            "bound": self.bound,
            "tail": self.tail,
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
        wrong = Margins.of(sample, self.coef, self.intercept).is_mispredicted(self.zero_sign)
        wrong[self.updated] = False
        errors = int(np.count_nonzero(wrong))
        require(
            errors == self.errors,
            f"there are {errors:,} errors outside the updated examples, not {self.errors:,}.",
        )
        facts = (sample.m, self.updated.size, errors, self.level)
        bound = bounds.perceptron_compression(*facts)
        require(self.bound >= bound, f"the printed bound is {bound!r}, not {self.bound!r}.")
        require(
            bounds.shows_binomial_tail(self.tail, *facts),
            f"the exact tail does not show the bound {self.tail!r}.",
        )
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
            f"{errors:,} of the others are errors, and the formulas give {rounded_up(bound)} (as "
            f"printed) and {rounded_up(self.tail)} (exact tail)."
        )


PREPROCESSED = (
    "the features were computed by preprocessing (scaling, encoding) fitted on the same examples, "
    "so they are not independent draws. Fit the preprocessing on other data, or switch it off."
)


def _formulas(run: PerceptronRun, m: int, k: int, errors: int, delta: float) -> dict[str, Any]:
    bound = bounds.perceptron_compression(m, k, errors, delta)
    tail = bounds.binomial_tail(m, k, errors, delta)
    if bound >= 1 and tail >= 0.5 and not _is_short(run, k):
        tail = 1.0
    return {"bound": bound, "tail": tail}


def why_places_tell(run: PerceptronRun, codes: np.ndarray) -> str:
    """Why the places of the updated examples say more than those of draws do; nothing, if they do
    not. The last weights of a pass in the order of the rows depend on the order of the updated
    examples alone, which sorted rows share with draws. Their average also counts the looks between
    updates, and in sorted rows that tells how many examples each class has."""
    return label_order.why_ordered(codes) if run.average and run.order == "cyclic" else ""


def _is_short(run: PerceptronRun, updated: int) -> bool:
    return run.epochs * updated <= REPLAY_VISITS


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
