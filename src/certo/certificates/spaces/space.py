r"""What `Vectors` and `Images` have in common: all that a claim needs to know of its space.

Examples x_t are points φ(x_t) of a space with an inner product, and a machine is a vector w of it
with a number b: its margin on an example is y_t (⟨w, φ(x_t)⟩ + b). Multipliers a_t of some examples
combine to v = Σ a_t φ(x_t).
"""

from __future__ import annotations

import abc
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple

import numpy as np

from certo.certificates.base import Certificate, check_count, require
from certo.certificates.fields import FiniteVector, IndexVector
from certo.certificates.named import Named
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces import SPACES
from certo.numbers.rounded import Rounded


class Machine(NamedTuple):
    """w and b as a claim gives them: w by its entries `coef`, where the space has coordinates, and
    else as the combination Σ dual_coef_i φ(x_rows_i)."""

    coef: FiniteVector
    rows: IndexVector
    dual_coef: FiniteVector
    intercept: float


class MachineMargins(abc.ABC):
    """The margins of a machine on the examples: value[t] is within slack[t] of the true one.

    An `effort` is how many products may be added exactly; 0 asks for a quick answer. `room`
    multiplies allowances, for a checker who adds in another order; what is exact needs none.
    """

    value: np.ndarray
    slack: np.ndarray

    @property
    @abc.abstractmethod
    def efforts(self) -> tuple[int, ...]:
        """What may be tried in turn, at more and more cost."""

    @abc.abstractmethod
    def square(self, effort: int = 1) -> Rounded:
        """‖w‖²."""

    @abc.abstractmethod
    def least(self, room: int = 1) -> tuple[Fraction, int]:
        """(γ, t): no margin is below γ, and that of t is about γ."""

    @abc.abstractmethod
    def below(self, limit: Fraction) -> int | None:
        """An example whose margin is not shown to reach the limit, or None if there is none."""

    @abc.abstractmethod
    def hinge_losses(self, costs: np.ndarray, effort: int = 1) -> Rounded:
        """Σ c_t [1 − margin_t]₊."""

    @abc.abstractmethod
    def shortfall(self, target: float, rows, weights, roundings: int, room: int = 1) -> float:
        """A float that Σ_k w_k·[target − margin_k]₊ over `rows` does not exceed, where each w_k
        differs from weights_k by at most `roundings` roundings; +inf if there is none."""

    def falls_short_by_at_most(self, claimed, target: float, rows, weights, roundings: int) -> bool:
        """Whether Σ_k w_k·[target − margin_k]₊ ≤ claimed can be shown."""
        return self.shortfall(target, rows, weights, roundings) <= claimed


class Space(Named, abc.ABC):
    """A frozen value that says where the examples of a claim are."""

    modules: ClassVar[dict[str, str]] = {
        name: f"certo.certificates.spaces.{module}" for name, module in SPACES.items()
    }

    #: Fitted attributes of an estimator that hold w, by the fields of a claim.
    describes: ClassVar[dict[str, str]]
    #: The kernel whose space it is, and what is added to its diagonal; None: the examples are
    #: vectors themselves.
    kernel: Any
    shift: float

    @property
    def functions(self) -> Sequence[Any]:
        """The Python functions that are assumed to be kernels."""
        return ()

    @property
    def reads(self) -> Hashable:
        """The same for spaces that read X in the same way."""
        return None

    @abc.abstractmethod
    def read(self, X) -> Any:
        """X as the check takes it, or SampleMismatch."""

    @abc.abstractmethod
    def check_values(self, X) -> None:
        """SampleMismatch, unless X, as `read` gives it, tells inner products to the last digit."""

    @abc.abstractmethod
    def sample(self, X, y, labels: Labels) -> Any:
        """X as `read` gives it, with one sign for each example."""

    @abc.abstractmethod
    def coordinates(self, sample) -> int:
        """How many entries `coef` has; 0 in a space without coordinates."""

    @abc.abstractmethod
    def looks(self, sample, machine: Machine, known=None) -> Iterator[Any]:
        """The `MachineMargins`: from what is known of the examples, if that may be of use,
        and from the examples alone."""

    @abc.abstractmethod
    def combined(self, margins, machine: Machine, effort: int = 1) -> Rounded:
        """‖v‖² for v = Σ dual_coef_i φ(x_rows_i), given the margins of that machine."""

    @abc.abstractmethod
    def longer_than(self, sample, square: Fraction) -> int | None:
        """An example that is not shown to have ‖φ(x_t)‖² ≤ square, or None if there is none."""

    @abc.abstractmethod
    def longest2(self, sample, known: float | None = None, room: int = 1) -> Fraction:
        """A number that no ‖φ(x_t)‖² exceeds, nor is shown to exceed by a checker who rounds
        otherwise; `known` is such a number that may be of use."""

    @abc.abstractmethod
    def check_sum(self, sample, machine: Machine, start, steps, lifted: bool, updates: int) -> None:
        """(w, b) is the start plus Σ steps_i (φ(x_rows_i), 1 if lifted), up to the rounding of so
        many updates."""

    @abc.abstractmethod
    def lengths(self, sample) -> np.ndarray:
        """Numbers that the ‖φ(x_t)‖ do not exceed."""

    @abc.abstractmethod
    def computed(self, sample, machine: Machine, margins, lengths: np.ndarray) -> float:
        """What a computed score is off by at most, for examples that are no longer than these."""

    def margins(self, sample, machine: Machine) -> Any:
        """The `MachineMargins`, from the examples alone."""
        return next(self.looks(sample, machine))


@dataclass(frozen=True, repr=False, eq=False)
class SpaceClaim(Certificate):
    """What every claim about a machine in a space shares: the machine on so many examples."""

    space: Space
    examples: int
    coef: FiniteVector
    intercept: float
    rows: IndexVector
    dual_coef: FiniteVector

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.space, Space):
            raise ValueError(f"space must be a space, got {type(self.space).__name__}.")
        if self.dual_coef.shape != self.rows.shape:
            raise ValueError("dual_coef must hold one number for each of the rows.")

    @property
    def describes(self) -> dict[str, str]:  # type: ignore[override]
        shared = {"intercept": "intercept_", "rows": "support_", "dual_coef": "dual_coef_"}
        return self.space.describes | shared

    @property
    def machine(self) -> Machine:
        return Machine(self.coef, self.rows, self.dual_coef, self.intercept)

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return self.space.reads

    def _read(self, X) -> Any:
        return self.space.read(X)

    def _sample(self, X, y) -> Any:
        return self.space.sample(X, y, self.labels)

    def _check_size(self, sample, *others: Machine) -> None:
        """The machines are about so many examples and features, and about rows that there are."""
        check_count(self.examples, sample.m)
        features = self.space.coordinates(sample)
        for coef, rows, *_ in (self.machine, *others):
            require(
                coef.size == features,
                f"the claim has {coef.size:,} weights, but there are {features:,} to give.",
            )
            require(not rows.size or rows[-1] < sample.m, "rows must be rows of X.")
