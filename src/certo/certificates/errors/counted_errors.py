"""How many errors a rule makes on given examples, and what that says of new ones."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from certo.certificates.base import CannotClaim, Certificate, Verification, require
from certo.certificates.encoding import counted
from certo.certificates.errors.predictor import Predictor
from certo.certificates.fields import same_values
from certo.certificates.risk.risk_bound import RiskBound, majority
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.sample.labels import Labels
from certo.containers import count
from certo.numbers import tails

ALLOWED = "Scores that are level but for rounding, by a proved allowance, may be either."
COMPUTED = ", whether computed exactly or in float64"
DRAWN = "the test examples are independent draws from one distribution, and new ones are too"
UNUSED = "the test examples were not used to fit, to scale, or to choose anything"


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
        check_places(self.labels)
        outputs, needed = self.predictor.outputs, self.labels.outputs
        if outputs not in (None, needed):
            raise ValueError(
                f"a rule for {len(self.labels.classes)} classes must have {needed} scores, but "
                f"this one has {outputs}."
            )
        if not 0 <= self.ties <= self.errors <= self.examples or not self.examples:
            raise ValueError("0 ≤ ties ≤ errors ≤ examples must hold, and examples ≥ 1.")

    #: whether an example may have a label that the rule does not know, which is then wrong
    _unknown_allowed: ClassVar[bool] = False

    @property
    def surely(self) -> int:
        """How many are wrong, ties left out."""
        return self.errors - self.ties

    @property
    def rate(self) -> float:
        return self.errors / self.examples

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return "places of classes", self._unknown_allowed, self.predictor.reads

    def _read(self, X) -> Any:
        taken = self.predictor.read(X)
        # what a rule does not look at is still looked at for copies, in a test
        rows = X if taken is None and self._unknown_allowed else taken
        return _Counted(taken, None if X is None else count(X), rows)

    def _sample(self, X: _Counted, y) -> Examples:
        return self._examples(X, self.labels, y)

    @classmethod
    def _examples(cls, X: _Counted, labels: Labels, y) -> Examples:
        codes = labels.places(y, cls._unknown_allowed)
        if X.rows not in (None, codes.size):
            raise SampleMismatch(f"X has {X.rows} examples, but y has {codes.size} labels.")
        if not codes.size:
            raise SampleMismatch("X has no examples: there is nothing to check.")
        return Examples(X.taken, codes, X.table)

    def _verify(self, sample: Examples) -> Verification:
        try:
            return super()._verify(sample)
        except ValueError as wrong:  # of a kernel, about these examples
            return Verification(False, self.name, str(wrong))

    def _check_counts(self, sample: Examples) -> str:
        require(
            sample.codes.size == self.examples,
            f"the claim is about {self.examples:,} examples, but there are {sample.codes.size:,}.",
        )
        found = self.predictor.wrong(sample.X, sample.codes)
        errors, ties = (int(np.count_nonzero(which)) for which in found)
        require(
            errors <= self.errors,
            f"{errors:,} examples are not shown to be right, more than {self.errors:,}.",
        )
        require(
            errors - ties >= self.surely,
            f"{errors - ties:,} examples are shown to be wrong, fewer than {self.surely:,}.",
        )
        return self.predictor.counted(errors, ties, self.examples)

    def __eq__(self, other: object) -> bool:
        """By value; not by JSON, which some rules have none of."""
        return same_values(self, other)

    __hash__ = Certificate.__hash__


class _Counted(NamedTuple):
    """X as a rule takes it, and how many examples it has, if it was given."""

    taken: Any
    rows: int | None
    table: Any


@final
@dataclass(frozen=True, repr=False, eq=False)
class TrainingErrors(ErrorClaim):
    """Claim: of the examples, this rule gets at most `errors` wrong, and at least `errors − ties`.

    Proof: every example is looked at; see `predictor` for the allowance of its scores.
    """

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples, "errors": self.errors, "ties": self.ties}

    def _check(self, sample: Examples) -> str:
        return self._check_counts(sample)


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
    __test__: ClassVar[bool] = False  # it is none of pytest's

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

    @property
    def whose(self) -> str:
        return f" of {self.predictor.author}" if self.predictor.outputs is None else ""

    @property
    def numbers(self) -> dict[str, Any]:
        return {
            "examples": self.examples,
            "errors": self.errors,
            "ties": self.ties,
            "delta": self.delta,
            "lower": self.lower,
            "upper": self.upper,
            "unknown": self.unknown,
        }

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
            tails.shows_clopper_pearson(self.lower, 1.0, n, self.surely, delta),
            f"a rate as low as {self.lower!r} is not shown to be out of the question.",
        )
        require(
            tails.shows_clopper_pearson(0.0, self.upper, n, self.errors, delta),
            f"a rate as high as {self.upper!r} is not shown to be out of the question.",
        )


def all_labels(classes: Sequence[Any], column: int | None = None) -> Labels:
    """All classes, in plain Python values."""
    plain = tuple(c.item() if isinstance(c, np.generic) else c for c in classes)
    if len(plain) < 2:
        raise CannotClaim(f"a rule tells at least two classes apart, but there is {len(plain)}.")
    return Labels(plain, len(plain) - 1, column)


def check_places(labels: Labels) -> None:
    """ValueError, unless these are two classes, or more without a column, the last positive."""
    K = len(labels.classes)
    if K < 2 or labels.positive != K - 1 or (labels.column is not None and K > 2):
        raise ValueError("labels must have two classes or more, the last positive.")
