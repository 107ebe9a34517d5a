"""TrainingErrors: how many errors a rule makes on given examples."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from certo.certificates.base import Certificate, check_count, require
from certo.certificates.errors.predictor import Predictor
from certo.certificates.sample.classes import check_classes
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.sample.labels import Labels
from certo.containers import count


class Examples(NamedTuple):
    """X as a rule takes it, the places of the true classes, and X as a table, if it is one."""

    X: Any
    codes: np.ndarray
    table: Any = None


@dataclass(frozen=True, repr=False, eq=False)
class ErrorClaim(Certificate):
    """Of so many `examples` the rule gets at most `errors` wrong, and at least `errors − ties`,
    whether its scores are computed exactly or in float64.

    A tie, for which a rule needs a rule of its own, or what is too close to call may be either.
    `labels` are all the classes, the last positive; with a `column`, the two of that column of y.
    """

    predictor: Predictor
    examples: int
    errors: int
    ties: int

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.predictor, Predictor):
            raise ValueError(f"predictor must be a rule, got {type(self.predictor).__name__}.")
        check_classes(self.labels, of_column=True)
        outputs, needed = self.predictor.outputs, self.labels.outputs
        if outputs not in (None, needed):
            raise ValueError(
                f"a rule for {len(self.labels.classes)} classes must have {needed} scores, but "
                f"this one has {outputs}."
            )
        if not 0 <= self.ties <= self.errors <= self.examples or not self.examples:
            raise ValueError("0 ≤ ties ≤ errors ≤ examples must hold, and examples ≥ 1.")

    #: Whether an example may have a label that the rule does not know, which is then wrong.
    _unknown_allowed: ClassVar[bool] = False

    @property
    def surely(self) -> int:
        """How many are wrong, ties left out."""
        return self.errors - self.ties

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return "places of classes", self._unknown_allowed, self.predictor.reads

    def _read(self, X) -> tuple[Any, int | None, Any]:
        """X as the rule takes it, how many examples it has, if it was given, and X as a table."""
        taken = self.predictor.read(X)
        # In a test, what a rule does not look at is still looked at for copies.
        rows = X if taken is None and self._unknown_allowed else taken
        return taken, None if X is None else count(X), rows

    def _sample(self, X: tuple[Any, int | None, Any], y) -> Examples:
        return self._examples(X, self.labels, y)

    @classmethod
    def _examples(cls, X: tuple[Any, int | None, Any], labels: Labels, y) -> Examples:
        (taken, size, table), codes = X, labels.places(y, cls._unknown_allowed)
        if size not in (None, codes.size):
            raise SampleMismatch(f"X has {size} examples, but y has {codes.size} labels.")
        if not codes.size:
            raise SampleMismatch("X has no examples: there is nothing to check.")
        return Examples(taken, codes, table)

    def _check_counts(self, sample: Examples) -> str:
        check_count(self.examples, sample.codes.size)
        found = self.predictor.wrong(sample.X, sample.codes)
        return self._compared(*(int(np.count_nonzero(which)) for which in found))

    def _compared(self, errors: int, ties: int) -> str:
        """What is said of so many errors, if the claim allows them."""
        require(
            errors <= self.errors,
            f"{errors:,} examples are not shown to be right, more than {self.errors:,}.",
        )
        require(
            errors - ties >= self.surely,
            f"{errors - ties:,} examples are shown to be wrong, fewer than {self.surely:,}.",
        )
        return self.predictor.counted(errors, ties, self.examples)


@final
@dataclass(frozen=True, repr=False, eq=False)
class TrainingErrors(ErrorClaim):
    """Claim: of the examples, this rule gets at most `errors` wrong, and at least `errors − ties`.

    Proof: every example is looked at; see `predictor` for the allowance of its scores.
    """

    shows: ClassVar[tuple[str, ...]] = ("examples", "errors", "ties")

    def _check(self, sample: Examples) -> str:
        return self._check_counts(sample)
