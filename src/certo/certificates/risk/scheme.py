"""Compression schemes: how a few of the examples determine a rule."""

from __future__ import annotations

import abc
import importlib
from collections.abc import Hashable
from typing import Any

import numpy as np

from certo.certificates import encoding
from certo.certificates.fields import Value
from certo.certificates.sample.classes import check_classes
from certo.certificates.sample.examples import exact_matrix
from certo.certificates.sample.labels import Labels

#: Every scheme, and the module of this room that defines it; it is imported when it is named.
SCHEMES = {"KernelScheme": "kernel_scheme", "PerceptronScheme": "perceptron_scheme"}


class Scheme(Value, abc.ABC):
    """A frozen value that states a run and the rule that the run ends with, such that the examples
    `updated` alone determine the rule: running on them again ends with the same rule.

    X and `sample` are as `read` and `sample` give them.
    """

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

    def to_dict(self) -> dict[str, Any]:
        return {"name": type(self).__name__, **encoding.to_plain(self)}

    @staticmethod
    def from_dict(data: Any) -> Scheme:
        """The scheme written by `to_dict`, or a ValueError saying what is wrong with it."""
        name = data.get("name") if isinstance(data, dict) else None
        if type(name) is not str or name not in SCHEMES:
            raise ValueError(f"a scheme must be one of {sorted(SCHEMES)}.")
        kind = getattr(importlib.import_module(f"certo.certificates.risk.{SCHEMES[name]}"), name)
        return encoding.from_plain(kind, {k: v for k, v in data.items() if k != "name"})
