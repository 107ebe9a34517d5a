"""What claims about solutions of margin problems share, whether margins are soft or hard."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from certo.certificates.fields import check_choice
from certo.certificates.sample.examples import rows_within
from certo.certificates.spaces.scores import Scores
from certo.certificates.spaces.space import MachineMargins, SpaceClaim

MARGIN_INTERCEPTS = ("free", "lifted", "none")


@dataclass(frozen=True, repr=False, eq=False)
class MarginSolution(SpaceClaim):
    """A machine near the best one of a margin problem, its intercept being treated so."""

    treatment: str

    _of_pairs: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.treatment, "treatment", MARGIN_INTERCEPTS)
        if self.treatment == "none" and self.intercept != 0:
            raise ValueError(f"without an intercept it must be 0, got {self.intercept!r}.")

    def within(self, sample: Any) -> Self:
        """The same, its rows counted among those of the sample: of a claim about two of several
        classes they are counted among all examples, and the sample has those of the two."""
        if sample.places is None:
            return self
        return replace(self, rows=rows_within(sample, self.rows))

    def _check(self, sample: Any) -> str:
        return self.within(sample)._check_within(sample)

    @abstractmethod
    def _check_within(self, sample: Any) -> str:
        """The check, where rows are those of the sample."""

    @property
    def weighted(self) -> bool:
        """Whether examples or classes have weights."""
        return False

    @property
    @abstractmethod
    def relative_gap(self) -> float:
        """(primal − dual)/primal, rounded up."""

    @abstractmethod
    def nearness(
        self, signs: np.ndarray, margins: MachineMargins, scores: Scores
    ) -> tuple[float, float]:
        """By what w is divided so that its margins have the scale of the problem, and how far it is
        then from the optimum at most: see `risk.support_bound`. The claim holds, and the scores are
        those of w without its intercept."""
