"""TestErrors: what the errors of a rule on examples kept out of its fit say of new ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.encoding import counted
from certo.certificates.errors.training_errors import ErrorClaim, Examples
from certo.certificates.risk.risk_bound import RiskBound, majority
from certo.numbers.clopper_pearson import shows_clopper_pearson


@final
@dataclass(frozen=True, repr=False, eq=False)
class TestErrors(RiskBound, ErrorClaim):
    """Claim: with probability at least 1 − delta over the draw of the examples, which had no part
    in making the rule, its error rate on new ones is at least `lower` and at most `upper`.

    Proof: the number of errors is binomial, and both ends are those of Clopper and Pearson, each
    failing with probability at most delta/2: `upper` for all errors that may be, `lower` for those
    that are sure. A tie may be settled in any way, and the claim stays true. Of the errors,
    `unknown` have labels that are none of the classes, which the rule cannot say.
    """

    lower: float
    upper: float
    unknown: int

    _unknown_allowed: ClassVar[bool] = True
    __test__: ClassVar[bool] = False  # pytest must not collect this class.

    shows: ClassVar[tuple[str, ...]] = (
        "examples", "errors", "ties", "delta", "lower", "upper", "unknown",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.lower <= self.upper <= 1:
            raise ValueError("0 ≤ lower ≤ upper ≤ 1 must hold.")
        if not 0 <= self.unknown <= self.surely:
            raise ValueError("0 ≤ unknown ≤ errors − ties must hold.")

    def _rows(self, sample: Examples) -> tuple[Any, np.ndarray]:
        return sample.table, sample.codes

    def _majority_of(self, sample: Examples) -> int:
        return majority(sample.codes[sample.codes >= 0])

    @property
    def interval(self) -> tuple[float, float]:
        return self.lower, self.upper

    @property
    def bounds(self) -> dict[str, float]:
        return {"test set": self.upper}

    def _check(self, sample: Examples) -> str:
        unknown = int(np.count_nonzero(sample.codes < 0))
        require(
            unknown == self.unknown,
            f"{counted(unknown, 'label')} of y are not one of the classes "
            f"{list(self.labels.classes)} of this claim, not {self.unknown:,}.",
        )
        why = self._check_counts(sample)
        self._check_formulas()
        return f"{why} Both ends of the interval follow."

    def _check_formulas(self) -> None:
        n, delta = self.examples, self.level
        require(
            shows_clopper_pearson(self.lower, 1.0, n, self.surely, delta),
            f"a rate as low as {self.lower!r} is not shown to be out of the question.",
        )
        require(
            shows_clopper_pearson(0.0, self.upper, n, self.errors, delta),
            f"a rate as high as {self.upper!r} is not shown to be out of the question.",
        )
