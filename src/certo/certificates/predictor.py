"""Rules that give every example a class, as values that a claim can hold, and what they get wrong.

For two classes a rule has one score, that of the second class against the first; for K > 2 it has
K, and the highest wins. An example is right if its own score is the highest (for two classes: has
the sign of its class) and no other ties with it. Linear rules are decided in exact arithmetic. Of
kernel functions each score has an allowance; what is not shown to be right is counted as wrong.
"""

from __future__ import annotations

import abc
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any, NamedTuple, final

import numpy as np
from scipy import sparse

from certo.certificates import encoding
from certo.certificates.base import require
from certo.certificates.kernel_sample import Scores, functions_of
from certo.certificates.kernel_scores import scores_at
from certo.certificates.margins import Margins
from certo.certificates.sample import Labels, Sample, SampleMismatch, exact_matrix
from certo.certificates.weights import finite_vector, whole_vector
from certo.kernels import Kernel
from certo.kernels.base import count

ROWS = 2**15  # examples that are looked at together
MOST_WRITTEN = 10**7  # numbers of a rule that is written as JSON


class Wrong(NamedTuple):
    """What a rule gets wrong, a truth value for each example."""

    errors: np.ndarray  # not shown to be right
    ties: np.ndarray  # those of them not shown to be wrong either: exact ties, or too close to call


class Predictor(abc.ABC):
    """A rule that gives every example one of the classes."""

    @property
    @abc.abstractmethod
    def outputs(self) -> int | None:
        """How many scores there are; None: it has no scores."""

    @property
    @abc.abstractmethod
    def words(self) -> str:
        """What it is: 'this linear rule'."""

    @property
    def assumes(self) -> tuple[str, ...]:
        return ()

    @property
    def reads(self) -> Hashable:
        """The same for two rules that read X in the same way."""
        return None

    def read(self, X) -> Any:
        """X as the rule takes it, or SampleMismatch."""
        return exact_matrix(X)

    @abc.abstractmethod
    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        """What it gets wrong of X, as `read` gives it, where codes are the places of the true
        classes; with so many times the allowance, where there is one, in `room` for a checker."""

    def to_dict(self) -> dict[str, Any]:
        return {"type": type(self).__name__, **encoding.to_plain(self)}

    @staticmethod
    def from_dict(data: Any) -> Predictor:
        """The rule written by `to_dict`, or a ValueError saying what is wrong with it."""
        kinds = {kind.__name__: kind for kind in Predictor.__subclasses__()}
        name = data.get("type") if isinstance(data, dict) else None
        if type(name) is not str or name not in kinds:
            raise ValueError(f"a rule's 'type' must be one of {sorted(kinds)}.")
        return encoding.from_plain(kinds[name], {k: v for k, v in data.items() if k != "type"})

    def __eq__(self, other: object) -> bool:
        return same_values(self, other)

    __hash__ = None  # type: ignore[assignment]


@final
@dataclass(frozen=True, eq=False)
class LinearPredictor(Predictor):
    """Scores coef·x + intercept, coef having a row for each."""

    coef: np.ndarray
    intercept: np.ndarray

    def __post_init__(self) -> None:
        _set(self, coef=_table(self.coef, "coef"))
        _set(self, intercept=finite_vector(self.intercept, "intercept"))
        if self.intercept.size != len(self.coef):
            raise ValueError("intercept must hold one number for each row of coef.")

    @property
    def outputs(self) -> int:
        return len(self.coef)

    @property
    def words(self) -> str:
        return "this linear rule"

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        require(
            X.shape[1] == self.coef.shape[1],
            f"the rule has {self.coef.shape[1]:,} features, but X has {X.shape[1]:,} columns.",
        )
        m = X.shape[0]
        if m <= ROWS:
            return self._wrong(Sample(X, np.ones(m, np.int8)), codes)
        parts = [self.wrong(X[k : k + ROWS], codes[k : k + ROWS]) for k in range(0, m, ROWS)]
        return Wrong(*map(np.concatenate, zip(*parts, strict=True)))

    def _wrong(self, sample: Sample, codes: np.ndarray) -> Wrong:
        """Rounded scores first, then with their own allowances, then exactly: see `margins`."""
        outputs = [
            Margins.of(sample, coef, intercept)
            for coef, intercept in zip(self.coef, self.intercept.tolist(), strict=True)
        ]
        errors, ties = np.zeros(sample.m, bool), np.zeros(sample.m, bool)
        close = np.arange(sample.m)
        for tighten in (False, True):
            if tighten and close.size:
                for output in outputs:
                    output._tighten(close)
            scores = Scores(
                np.stack([output.value[close] for output in outputs], axis=1),
                np.stack([output.slack[close] for output in outputs], axis=1),
            )
            standing = _standing(scores, codes[close])
            errors[close], ties[close] = standing.errors, standing.ties
            close = close[standing.unsure]
        known: dict[tuple[int, bytes], int] = {}
        for t in close.tolist():
            key = (int(codes[t]), sample.key(t))
            if key not in known:
                exactly = [output.exactly(t) for output in outputs]
                known[key] = _standing_exactly(exactly, int(codes[t]))
            errors[t], ties[t] = known[key] <= 0, known[key] == 0
        return Wrong(errors, ties)


@final
@dataclass(frozen=True, eq=False)
class KernelPredictor(Predictor):
    """Scores f_k(x) + intercept_k, f_k = Σ_i dual_coef[k, i] K(vector_i, ·).

    The vectors are as the kernel takes centres: rows of an array or a CSR matrix, objects, or the
    numbers of columns of a precomputed matrix.
    """

    kernel: Kernel
    vectors: np.ndarray
    dual_coef: np.ndarray
    intercept: np.ndarray

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, got {type(self.kernel).__name__}.")
        _set(self, dual_coef=_table(self.dual_coef, "dual_coef"))
        _set(self, intercept=finite_vector(self.intercept, "intercept"))
        if count(self.vectors):
            _set(self, vectors=self.kernel.centres(self.vectors))
        if self.dual_coef.shape != (self.intercept.size, count(self.vectors)):
            raise ValueError(
                "dual_coef must hold one number for each vector in a row for each intercept."
            )

    @property
    def outputs(self) -> int:
        return self.intercept.size

    @property
    def words(self) -> str:
        return f"this rule made of functions of {self.kernel!r}"

    @property
    def assumes(self) -> tuple[str, ...]:
        return tuple(
            f"the function {part!r} is always the same" for part in functions_of(self.kernel)
        )

    @property
    def reads(self) -> Hashable:
        return self.kernel

    def read(self, X) -> Any:
        X = X if self.kernel.takes == "objects" else exact_matrix(X)
        try:
            return self.kernel.examples(X)
        except ValueError as wrong:
            raise SampleMismatch(str(wrong)) from wrong

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        value, slack = scores_at(self.kernel, X, self.vectors, self.dual_coef, self.intercept)
        return undecided_is_wrong(Scores(value, room * slack), codes)

    def to_dict(self) -> dict[str, Any]:
        vectors: Any = self.vectors
        if not sparse.issparse(vectors) and not isinstance(vectors, np.ndarray):
            raise ValueError(
                "a rule made of a kernel of objects has no JSON form: keep it in Python, or "
                "precompute the kernel."
            )
        if np.prod(vectors.shape) > MOST_WRITTEN:
            raise ValueError(
                f"the rule holds vectors of {np.prod(vectors.shape):,} numbers, more than the "
                f"{MOST_WRITTEN:,} that are written as JSON."
            )
        vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
        return super().to_dict() | {"vectors": vectors.tolist()}


@final
@dataclass(frozen=True, eq=False)
class StatedPredictions(Predictor):
    """Answers that were written down: the place of a class for each example."""

    answers: np.ndarray

    def __post_init__(self) -> None:
        _set(self, answers=whole_vector(self.answers, "answers"))

    @classmethod
    def of(cls, predictions, classes: Sequence[Any]) -> StatedPredictions:
        """From predicted labels."""
        return cls(Labels(tuple(classes), 0).places(predictions))

    @property
    def outputs(self) -> None:
        return None

    @property
    def words(self) -> str:
        return "the list of answers given here"

    @property
    def assumes(self) -> tuple[str, ...]:
        return ("the answers listed are those of the model",)

    @property
    def reads(self) -> Hashable:
        return "nothing of X"

    def read(self, X) -> Any:
        """X is not looked at."""
        return None

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        require(
            codes.size == self.answers.size,
            f"there are {self.answers.size:,} answers for {codes.size:,} examples.",
        )
        return Wrong(self.answers != codes, np.zeros(codes.size, bool))


def undecided_is_wrong(scores: Scores, codes: np.ndarray) -> Wrong:
    """Wrong, by scores that may be off by their slack."""
    standing = _standing(scores, codes)
    return Wrong(standing.errors | standing.unsure, standing.ties | standing.unsure)


class _Standing(NamedTuple):
    errors: np.ndarray
    ties: np.ndarray
    unsure: np.ndarray


def _standing(scores: Scores, codes: np.ndarray) -> _Standing:
    """How the examples' own scores stand against all others, as far as it is certain.

    A difference that is rounded to nearest and above a float is above it really (see `exact`).
    """
    value, slack = scores
    with np.errstate(over="ignore", invalid="ignore"):
        if value.shape[1] == 1:
            ahead = np.where(codes[:, None] == 1, value, -value)
            room = slack
        else:
            rows = np.arange(codes.size)
            ahead = value[rows, codes][:, None] - value
            room = slack[rows, codes][:, None] + slack
            room = np.where(room > 0, np.nextafter(room, np.inf), room)
            ahead[rows, codes] = np.inf  # an example's own class is no rival
            room[rows, codes] = 0.0
        lost = np.any(ahead < -room, axis=1)
        level = (ahead == 0) & (room == 0)  # nothing was rounded
        right = np.all((ahead > room) | level, axis=1)
        ties = right & np.any(level, axis=1)
    return _Standing(lost | ties, ties, ~(lost | right))


def _standing_exactly(scores: list[Fraction], code: int) -> int:
    """1: the own score is highest, 0: another ties with it, −1: another is higher."""
    if len(scores) == 1:
        ahead = scores[0] if code == 1 else -scores[0]
    else:
        ahead = scores[code] - max(score for k, score in enumerate(scores) if k != code)
    return (ahead > 0) - (ahead < 0)


def _table(values, name: str) -> np.ndarray:
    """A read-only float64 copy with two dimensions, or a ValueError."""
    table = np.array(values, dtype=np.float64)
    if table.ndim != 2 or not len(table) or not np.all(np.isfinite(table)):
        raise ValueError(f"{name} must be a table of finite numbers, a row for each output.")
    table.flags.writeable = False
    return table


def _set(predictor: Predictor, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(predictor, name, value)


def same_values(one: Any, other: Any) -> bool:
    """Whether two dataclasses are of one kind and have the same values."""
    return type(one) is type(other) and all(
        _same(getattr(one, f.name), getattr(other, f.name)) for f in fields(one)
    )


def _same(one: Any, other: Any) -> bool:
    if sparse.issparse(one) or sparse.issparse(other):
        if not (sparse.issparse(one) and sparse.issparse(other)):
            return False
        return one.shape == other.shape and not (one != other).nnz
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    return bool(one == other)
