"""PerceptronScheme: the examples that a layer of perceptrons updated on determine its weights."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from certo.certificates.base import Refuted, check_count, require
from certo.certificates.errors.predictor import LinearPredictor
from certo.certificates.fields import FiniteTable, FiniteVector
from certo.certificates.risk.compression_bound import Scheme
from certo.certificates.runs.perceptron_run import PerceptronRun, TooLong, replay
from certo.certificates.runs.quick_replay import quick_replay
from certo.certificates.sample import label_order
from certo.certificates.sample.classes import class_sample, output_signs
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.vectors import Margins

REPLAY_VISITS = 200_000  # Visits of examples in the re-run of a vacuous bound.


@final
@dataclass(frozen=True, eq=False)
class PerceptronScheme(Scheme):
    """One perceptron, with the sign `zero_sign` at a score of 0, or a layer with one for each of
    K > 2 classes, of which the highest score wins.

    Each neuron is run again on the updated examples, and must end with the same weights bit for
    bit. Examples that it never updated on change nothing, so that one set determines a whole layer.
    An average of the weights of all looks also counts how many there were between updates, which
    the places of the updated examples tell, and the theorem is about each choice of places.

    The errors of one output are counted in exact arithmetic, and where rounding may decide also as
    `predict` computes (`Margins.is_mispredicted`). Of a layer, what is not shown to be right is an
    error, ties included: see `predictor`.
    """

    runs: tuple[PerceptronRun, ...]
    coef: FiniteTable
    intercept: FiniteVector
    zero_sign: int | None = None

    kernel = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not len(self.runs) == len(self.coef) == self.intercept.size > 0:
            raise ValueError("there must be one run, and one intercept, for each row of coef.")
        if self.zero_sign not in ((-1, 1) if self.outputs == 1 else (None,)):
            raise ValueError(
                "zero_sign must be -1 or +1 for one output and None for several, "
                f"got {self.zero_sign!r}."
            )

    @property
    def averaged(self) -> bool:
        return any(run.average for run in self.runs)

    @property
    def outputs(self) -> int:
        return len(self.runs)

    @property
    def seeded(self) -> bool:
        return any(run.seeded for run in self.runs)

    @property
    def undetermined(self) -> str:
        if all(run.order != "misclassified" for run in self.runs):
            return ""
        return (
            "the visiting order depends on the data (order='misclassified'), so the weights are "
            "not a function of the updated examples alone. Use order='cyclic' or 'shuffled'."
        )

    @property
    def reads(self) -> Hashable:
        return None if self.outputs == 1 else "places of classes"

    def sample(self, X, y, labels: Labels) -> Sample:
        if self.outputs == 1:
            return Sample.of(X, y, labels)
        return class_sample(X, y, labels.classes)

    def why_places_tell(self, codes: np.ndarray) -> str:
        """The last weights of a pass in the order of the rows depend on the order of the updated
        examples alone, which sorted rows share with draws. Their average also counts the looks
        between updates, and in sorted rows that tells how many examples each class has."""
        tells = any(run.average and run.order == "cyclic" for run in self.runs)
        return label_order.why_ordered(codes) if tells else ""

    def is_short(self, updated: int) -> bool:
        return updated * sum(run.epochs for run in self.runs) <= REPLAY_VISITS

    def wrong(self, sample: Sample, updated: np.ndarray, room: float = 1.0) -> np.ndarray:
        check_count(self.coef.shape[1], sample.d, "features")
        if self.zero_sign is None:
            rule = LinearPredictor(self.coef, self.intercept)
            return rule.wrong(sample.X, sample.signs, room).errors
        margins = Margins.of(sample, self.coef[0], float(self.intercept[0]))
        return margins.is_mispredicted(self.zero_sign)

    def rerun(self, sample: Sample, updated: np.ndarray) -> None:
        for k, run in enumerate(self.runs):
            signs = output_signs(sample.signs, k, self.outputs)
            try:
                found = quick_replay(run, sample.X, signs, updated)
                w, _ = found or replay(run, sample.X, signs, updated)
            except TooLong as reason:
                raise Refuted(f"the re-run cannot be checked: {reason}") from reason
            require(
                np.array_equal(w, np.append(self.coef[k], self.intercept[k])),
                f"re-running neuron {run.output} on {updated.size:,} examples gives other weights.",
            )

    def described(self, updated: np.ndarray) -> dict[str, Any]:
        if self.outputs > 1:
            return {"coef_": self.coef, "intercept_": self.intercept}
        own = {"coef_": self.coef[0], "intercept_": float(self.intercept[0])}
        return own | {"updated_": updated}
