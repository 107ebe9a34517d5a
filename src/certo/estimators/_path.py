"""Soft-margin machines for several C, each begun from the one before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from certo.certificates.encoding import counted
from certo.estimators import _input

if TYPE_CHECKING:
    from certo.estimators._soft_margin import Task
    from certo.estimators.svm import SVM


def starts_from(
    machine: SVM, targets: _input.Targets, tasks: list[Task]
) -> list[np.ndarray] | None:
    """The multipliers of a fitted machine, for another C in proportion, so that what was at its
    bound is there again; None if the problem is of another shape."""
    m, paired = machine.n_samples_fit_, tasks[0].rows is not None
    if m != len(targets.signs[0]) or not np.array_equal(machine.classes_, targets.classes):
        return None
    if paired != (machine._votes is not None):
        return None
    starts = []
    for k, task in enumerate(tasks):
        alpha = np.zeros(m)
        rows, dual_coef = machine.supports_of_output(k)
        alpha[rows] = np.abs(dual_coef) * (task.prices.C / machine.C_)
        starts.append(alpha if task.rows is None else alpha[task.rows])
    return starts


@dataclass(frozen=True, repr=False)
class Path:
    """Machines for several C.

    Attributes
    ----------
    Cs : ndarray (n_Cs,)
    models : tuple of SVM
        Fitted, each with its certificate.
    """

    Cs: np.ndarray
    models: tuple[SVM, ...]

    @property
    def coefs(self) -> np.ndarray:
        """(n_Cs, n_outputs, n_features); not with a kernel."""
        return np.array([model.coef_ for model in self.models])

    @property
    def intercepts(self) -> np.ndarray:
        """(n_Cs, n_outputs)"""
        return np.array([model.intercept_ for model in self.models])

    @property
    def objectives(self) -> np.ndarray:
        """(n_Cs, n_outputs)"""
        return np.array([model.objective_ for model in self.models])

    @property
    def gaps(self) -> np.ndarray:
        """(n_Cs,): the relative gap that is proved, of the worst output; inf where none is."""
        return np.array(
            [
                max((claim.relative_gap for claim in model.certificate_), default=np.inf)
                if len(model.certificate_) == len(model.intercept_)
                else np.inf
                for model in self.models
            ]
        )

    @property
    def supports(self) -> np.ndarray:
        """(n_Cs, n_outputs): how many supports."""
        return np.array([model._supports_per_output() for model in self.models])

    def __len__(self) -> int:
        return len(self.models)

    def __getitem__(self, index: int) -> SVM:
        return self.models[index]

    def __repr__(self) -> str:
        return f"Path({counted(len(self), 'C')})"
