"""ClassCompressionBound: the risk of a layer of perceptrons from the examples it updated on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import CannotClaim, Refuted, require
from certo.certificates.errors.counted_errors import scores_needed
from certo.certificates.errors.predictor import LinearPredictor
from certo.certificates.risk.compression_bound import why_places_tell
from certo.certificates.risk.set_bound import SetBound
from certo.certificates.runs.perceptron_run import PerceptronRun, TooLong, replay
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import class_sample

REPLAY_VISITS = 200_000  # a vacuous claim is not worth a longer replay than this


@final
@dataclass(frozen=True, repr=False, eq=False)
class ClassCompressionBound(SetBound):
    """Claim: with probability at least 1 − δ over the draw of the m examples, the layer of
    perceptrons (for K > 2 classes one for each, the highest score wins) has an error
    rate of at most `bounds[…]` on new examples: k were ever updated on by any of them, and `errors`
    of the m − k others are wrong, ties included, and what is too close to call.

    Proof: each neuron is run again on the union of the updated examples, and must end with the same
    weights bit for bit. Examples that it never updated on change nothing, so one set of k examples
    determines all of them: a compression scheme, one for the whole layer, and δ need not be
    divided. What is not shown to be right of the others is an error: see `predictor`. A vacuous
    bound may be stated without the runs, where these are long; then the claim does not speak of
    them.
    """

    runs: tuple[PerceptronRun, ...]
    coef: np.ndarray
    intercept: np.ndarray

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    _reads: ClassVar[str] = "places of classes"

    def __post_init__(self) -> None:
        super().__post_init__()
        rule = LinearPredictor(self.coef, self.intercept)
        object.__setattr__(self, "coef", rule.coef)
        object.__setattr__(self, "intercept", rule.intercept)
        if not len(self.runs) == rule.outputs == scores_needed(self.labels):
            raise ValueError("there must be one run and one score for each class, for two one.")

    def _why_not_drawn(self, sample: Sample) -> str:
        if self.vacuous:
            return ""
        tells = (why_places_tell(run, sample.signs) for run in self.runs)
        return next(filter(None, tells), "") or super()._why_not_drawn(sample)

    @property
    def _is_replayed(self) -> bool:
        visits = self.updated.size * sum(run.epochs for run in self.runs)
        return not self.vacuous or visits <= REPLAY_VISITS

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)

    def _check(self, sample: Sample) -> str:
        try:
            refuse_orders(self.runs)
        except CannotClaim as reason:
            raise Refuted(str(reason)) from reason
        rule = LinearPredictor(self.coef, self.intercept)
        errors = self._check_bounds(sample.m, rule.wrong(sample.X, sample.signs).errors)
        if not self._is_replayed:
            return "vacuous: a risk is never above 1 (so the runs were not replayed)."
        for k, run in enumerate(self.runs):
            signs = output_signs(sample.signs, k, len(self.runs))
            try:
                w, _ = replay(run, sample.X, signs, self.updated)
            except TooLong as reason:
                raise Refuted(f"the re-run cannot be checked: {reason}") from reason
            require(
                np.array_equal(w, np.append(self.coef[k], self.intercept[k])),
                f"re-running neuron {k} on the updated examples alone gives other weights.",
            )
        return (
            f"re-running on the {self.updated.size:,} updated examples gives these weights, and "
            f"{errors:,} of the others are errors."
        )


def refuse_orders(runs: Sequence[PerceptronRun]) -> None:
    """CannotClaim, where the order of visits depends on the data."""
    if any(run.order == "misclassified" for run in runs):
        raise CannotClaim(
            "the visiting order depends on the data (order='misclassified'), so the weights are "
            "not a function of the updated examples alone. Use order='cyclic' or 'shuffled'."
        )


def output_signs(codes: np.ndarray, output: int, outputs: int) -> np.ndarray:
    """+1 for the class of an output (of one alone: the second), −1 for all others."""
    own = 1 if outputs == 1 else output
    return np.where(codes == own, 1, -1).astype(np.int8)
