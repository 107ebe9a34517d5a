"""CompressionBound: from the few examples that determine a rule, by a scheme, to its risk."""

from __future__ import annotations

import abc
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import check_count, require
from certo.certificates.fields import IndexVector, Value
from certo.certificates.named import Named
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.sample.classes import check_classes
from certo.certificates.sample.examples import exact_matrix
from certo.certificates.sample.labels import Labels
from certo.numbers import tails
from certo.numbers.decimals import rounded_up
from certo.numbers.perceptron_compression import perceptron_compression


class Scheme(Named, Value, abc.ABC):
    """A frozen value that states a run and the rule that the run ends with, such that the examples
    `updated` alone determine the rule: running on them again ends with the same rule.

    X and `sample` are as `read` and `sample` give them.
    """

    modules: ClassVar[dict[str, str]] = {
        "KernelScheme": "certo.certificates.risk.kernel_scheme",
        "PerceptronScheme": "certo.certificates.risk.perceptron_scheme",
    }
    #: The kernel of the rule; None for a linear rule.
    kernel: Any
    #: The sign of a score of 0, where the rule is one output; None where a tie is wrong.
    zero_sign: int | None

    @property
    def averaged(self) -> bool:
        """Whether the rule also depends on the places of the examples among all looks."""
        return False

    @property
    @abc.abstractmethod
    def outputs(self) -> int:
        """The number of scores of the rule."""

    @property
    @abc.abstractmethod
    def seeded(self) -> bool:
        """Whether a random seed decides about the run."""

    @property
    def undetermined(self) -> str:
        """Why the updated examples alone do not determine the rule; empty if they may."""
        return ""

    def check_fits(self, labels: Labels, updated: int) -> None:
        """ValueError, unless the rule can be one for these labels, made of so many examples."""
        if self.zero_sign is None:
            check_classes(labels)
            if self.outputs != labels.outputs:
                raise ValueError("there must be one score for each class, for two classes one.")

    @property
    @abc.abstractmethod
    def reads(self) -> Hashable:
        """The same for two schemes that read X and y in the same way."""

    def read(self, X) -> Any:
        """X as the rule takes it, or SampleMismatch."""
        return exact_matrix(X)

    @abc.abstractmethod
    def sample(self, X, y, labels: Labels) -> Any:
        """X with the sign of every example (of one output), or the place of its class."""

    def why_places_tell(self, codes: np.ndarray) -> str:
        """Why the places of the updated examples say more than those of draws do; empty if they do
        not."""
        return ""

    def is_short(self, updated: int) -> bool:
        """Whether the re-run is short enough to be made for a vacuous bound too."""
        return True

    @abc.abstractmethod
    def wrong(self, sample: Any, updated: np.ndarray, room: float = 1.0) -> np.ndarray:
        """Which examples the rule is not shown to get right, with `room` times the allowance where
        there is one."""

    @abc.abstractmethod
    def rerun(self, sample: Any, updated: np.ndarray) -> None:
        """Refuted, unless running on the updated examples alone ends with this rule."""

    @abc.abstractmethod
    def described(self, updated: np.ndarray) -> dict[str, Any]:
        """The fitted attributes of an estimator that the scheme speaks of, and their values."""


PREPROCESSED = (
    "the features were computed by preprocessing (scaling, encoding) fitted on the same examples, "
    "so they are not independent draws. Fit the preprocessing on other data, or switch it off."
)


@final
@dataclass(frozen=True, repr=False, eq=False)
class CompressionBound(RiskBound):
    """Claim: with probability at least 1 − δ over the draw of the m examples, er(h) ≤ `bounds[…]`,
    where the rule h is determined by the k examples `updated`, and at most `errors` of the m − k
    others are wrong, by exact scores or by scores computed as `predict` does:
    `printed`, errors/(m − k) + sqrt(((k + 1) ln m + ln(e/δ)) / m), for k ≤ m/2, and `tail`, the
    largest p with P[Bin(m − k, p) ≤ errors] ≥ δ/(m·C(m, k)). The tail is never above the printed
    bound: see the pages of both.

    Proof: h is a function of the k examples alone, shown by running on them again, as the scheme
    says: bit for bit the same weights for perceptrons, certain decisions for a kernel perceptron.
    One set of k examples determines all outputs, so that δ is not divided among them. The errors
    on the others are counted as the scheme says, and the formulas are evaluated and rounded up
    (`certo.numbers.tails`). A vacuous bound may be stated without the re-run, where that is long;
    then the claim does not speak of it, and nor is a tail claimed (it is 1) that would be no better
    than guessing.
    """

    scheme: Scheme
    updated: IndexVector
    examples: int
    errors: int
    printed: float | None
    tail: float

    shows: ClassVar[tuple[str, ...]] = ("examples", "errors", "delta", "printed", "tail")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.scheme, Scheme):
            raise ValueError(f"scheme must be a Scheme, got {type(self.scheme).__name__}.")
        k = self.updated.size
        self.scheme.check_fits(self.labels, k)
        if not (0 <= self.errors <= self.examples - k and self.examples):
            raise ValueError("errors must be from 0 to the number of examples not updated on.")
        if k and self.updated[-1] >= self.examples:
            raise ValueError("updated must be places of examples.")
        if (self.printed is None) != (2 * k > self.examples):
            raise ValueError("the printed bound is there for at most half of the examples.")

    @property
    def bounds(self) -> dict[str, float]:
        printed = {} if self.printed is None else {"printed": self.printed}
        return printed | {"exact tail": self.tail}

    @property
    def of_predictions(self) -> bool:
        """Not of one output among several."""
        classes = max(2, self.scheme.outputs)
        return len(self.labels.classes) == classes and self.labels.column is None

    @property
    def is_rerun(self) -> bool:
        """Whether the claim says that running on the updated examples again gives the rule."""
        return not self.vacuous or self.scheme.is_short(self.updated.size)

    def described(self) -> dict[str, Any]:
        return self.scheme.described(self.updated)

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return self.scheme.reads

    def _read(self, X) -> Any:
        return self.scheme.read(X)

    def _sample(self, X, y) -> Any:
        return self.scheme.sample(X, y, self.labels)

    def _why_not_drawn(self, sample: Any) -> str:
        tells = "" if self.vacuous else self.scheme.why_places_tell(sample.signs)
        return tells or super()._why_not_drawn(sample)

    def _check_formulas(self) -> None:
        facts = self.examples, self.updated.size, self.errors, self.level
        if self.printed is not None:
            bound = perceptron_compression(*facts)
            require(self.printed >= bound, f"the printed bound is {bound!r}, not {self.printed!r}.")
        require(
            tails.shows_binomial_tail(self.tail, *facts),
            f"the exact tail is not shown to be at most {self.tail!r}.",
        )

    def _check(self, sample: Any) -> str:
        m, k = sample.m, self.updated.size
        check_count(self.examples, m)
        require(not self.scheme.undetermined, self.scheme.undetermined)
        errors = errors_outside(self.scheme.wrong(sample, self.updated), self.updated)
        require(
            errors <= self.errors,
            f"{errors:,} examples not updated on are not shown to be right, not {self.errors:,}.",
        )
        self._check_formulas()
        if not self.is_rerun:
            return "vacuous: a risk is never above 1 (so the run was not replayed)."
        self.scheme.rerun(sample, self.updated)
        return (
            f"re-running on {k:,} of {m:,} examples alone, at their places, gives this rule, "
            f"{errors:,} of the others are not shown to be right, and the exact tail gives "
            f"{rounded_up(self.tail)}."
        )


def errors_outside(wrong: np.ndarray, updated: np.ndarray) -> int:
    """The number of examples not updated on that are wrong, from what is wrong of all."""
    return int(np.count_nonzero(wrong)) - int(np.count_nonzero(wrong[updated]))
