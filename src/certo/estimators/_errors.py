"""Errors that carry what they speak of: rows, columns, labels, values. `words` says it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from certo.certificates.base import Certificate
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.words import refusals as words


class _Facts(Exception):
    """An error whose fields are facts, from which `says` writes its sentence for whoever reads
    when it is raised.

    Attributes
    ----------
    rows : list of int
        The examples that it speaks of, counting from 0.
    columns : list of int
        The columns of X that it speaks of, counting from 0.
    """

    rows: Sequence[int]
    columns: Sequence[int]
    says: ClassVar[Callable[..., str]]

    def __post_init__(self) -> None:
        super().__init__(type(self).says(*self._facts))
        for name in ("row", "column"):
            one = [getattr(self, name)] if hasattr(self, name) else []
            setattr(self, f"{name}s", [int(k) for k in getattr(self, f"{name}s", one)])
        if getattr(self, "table", "X") != "X":
            self.columns = []

    @property
    def _facts(self) -> tuple[Any, ...]:
        facts: Any = self
        return tuple(getattr(self, f.name) for f in fields(facts))

    def __reduce__(self):
        return type(self), self._facts, {"args": self.args}


class InputError(_Facts, ValueError):
    """Examples, labels or weights that a machine cannot use. `who` is the machine."""


# --- numbers ---


@dataclass(eq=False)
class UnusableEntry(InputError):
    """NaN, an infinity, or a number whose square float64 cannot hold."""

    who: str
    row: int
    column: int
    value: float

    says = words.unusable_entry


@dataclass(eq=False)
class UnusableLength(InputError):
    """The longest example, whose length is outside these limits."""

    who: str
    row: int
    length: float
    limits: tuple[float, float]

    says = words.unusable_length


@dataclass(eq=False)
class TinyColumn(InputError):
    """A column of X or y whose squares, times the weights of the rows, are lost in float64."""

    who: str
    column: int
    largest: float
    least: float
    table: str = "X"
    weighted: bool = False

    says = words.tiny_column


@dataclass(eq=False)
class UnusableSpread(InputError):
    """Columns whose greatest and least values differ too much, or too little; the first one's."""

    who: str
    columns: Sequence[int]
    spread: float
    limits: tuple[float, float]

    says = words.unusable_spread


@dataclass(eq=False)
class OutsideBox(InputError):
    """Examples outside of a density's box; the first is so in this column."""

    rows: Sequence[int]
    column: int
    value: float
    box: tuple[float, float]

    says = words.outside_box


@dataclass(eq=False)
class LargeKernelValue(InputError):
    """K(x, x) of an example above the limit."""

    who: str
    kernel: Any
    row: int
    value: float
    limit: float

    says = words.large_kernel_value


@dataclass(eq=False)
class NoKernel(InputError):
    """A function whose matrix of these examples is no Gram matrix."""

    kernel: Any
    rows: Sequence[int]
    why: str

    says = words.no_kernel


@dataclass(eq=False)
class FullLeverage(InputError):
    """Examples that the fit goes through whatever their values are, so that HC3 divides by 0."""

    rows: Sequence[int]

    says = words.full_leverage


# --- shapes ---


@dataclass(eq=False)
class OtherLength(InputError):
    """Other numbers of examples and of labels. `labels` is None where there are no labels."""

    who: str
    examples: int
    labels: int | None
    names: tuple[str, str] = ("X", "y")

    says = words.other_length


@dataclass(eq=False)
class OtherWidth(InputError):
    """X or y with another number of columns than that of the fit, or of its first call."""

    table: str
    expected: int
    came: int

    says = words.other_width


# --- labels ---


@dataclass(eq=False)
class OneClass(InputError):
    """All examples have the same label."""

    who: str
    label: Any

    says = words.one_class


@dataclass(eq=False)
class ManyClasses(InputError):
    """More than two classes, for a machine that tells two apart."""

    who: str
    classes: int

    says = words.many_classes


@dataclass(eq=False)
class UnknownLabel(InputError):
    """Examples with a label that is none of the classes, and who knows these."""

    label: Any
    rows: Sequence[int]
    classes: Sequence[Any]
    known_to: str

    says = words.unknown_label


@dataclass(eq=False)
class LabelMatrix(InputError):
    """A matrix as y, for a machine that takes one label for each example, or a matrix of 0 and 1
    (`indicators`)."""

    who: str
    shape: tuple[int, ...]
    indicators: bool = False

    says = words.label_matrix


@dataclass(eq=False)
class NoIndicator(InputError):
    """An entry of a matrix of labels that is neither 0 nor 1."""

    who: str
    row: int
    output: int
    value: Any

    says = words.no_indicator


@dataclass(eq=False)
class UnusableLabel(_Facts, TypeError):
    """A label that a certificate cannot name."""

    who: str
    label: Any

    says = words.unusable_label


# --- weights ---


@dataclass(eq=False)
class ClassWithoutWeight(InputError):
    """A class all of whose examples (`rows`) have weight 0."""

    label: Any
    rows: Sequence[int]

    says = words.class_without_weight


@dataclass(eq=False)
class UnusableWeights(InputError):
    """Weights whose sum is too large for float64."""

    total: float

    says = words.unusable_weights


# --- answers that do not exist ---


class NotSeparable(ValueError):
    """No hyperplane separates the examples; `proof` is an `Inseparable` certificate of it.

    With a kernel `proof` is None: no function was found that separates them, and the message says
    how small a margin one could have at most.

    Attributes
    ----------
    proof : certo.certificates.Inseparable or None
    labels : certo.certificates.Labels or None
        Which classes were to be told apart.
    rows : list of int
        The examples that cannot all be on their own side, counting from 0.
    through_origin : bool
        Whether only hyperplanes through the origin were allowed.
    kernel : certo.kernels.Kernel or None
    margin, length : float
        With a kernel: how large the margin is at most, about, and how long examples are.
    equal_rows : pair of int or None
        Two examples of different classes that are equal, counting from 0.
    """

    def __init__(
        self,
        message: str = "",
        proof: Inseparable | None = None,
        *,
        labels: Labels | None = None,
        rows: Sequence[int] = (),
        through_origin: bool = False,
        kernel: Any = None,
        margin: float = 0.0,
        length: float = 0.0,
        equal_rows: tuple[int, int] | None = None,
    ):
        self.proof, self.labels, self.rows = proof, labels, list(rows)
        self.through_origin, self.kernel, self.equal_rows = through_origin, kernel, equal_rows
        self.margin, self.length = margin, length
        super().__init__(message or words.not_separable(self))


class ProofError(ValueError):
    """What was asked for does not exist; `proof` is a certificate of it, or None."""

    def __init__(self, message: str, proof: Certificate | None):
        super().__init__(message)
        self.proof = proof

    def __reduce__(self):
        return type(self), (str(self), self.proof)
