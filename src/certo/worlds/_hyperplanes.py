"""Worlds in which the margins of a hyperplane have a distribution that is known."""

from __future__ import annotations

import abc

import numpy as np

from certo.worlds.base import Axis, ContinuousClassWorld


def standard_normal() -> Axis:
    return Axis(lambda x: np.exp(-0.5 * x**2) / np.sqrt(2 * np.pi), -9.0, 9.0)


class HyperplaneWorld(ContinuousClassWorld):
    """Classes for which the risk of a hyperplane has a formula, in any dimension."""

    @abc.abstractmethod
    def short_margins(self, coef, intercept: float = 0.0, margin: float = 1.0) -> float:
        """Pr(y·(w·x + b) < margin), for a hyperplane with w = `coef` and b = `intercept`."""

    def hyperplane_risk(self, coef, intercept: float = 0.0) -> float:
        w, b = self._weights(coef, intercept)
        if not np.any(w):
            always = 1.0 if b >= 0 else -1.0
            return self.short_margins(w, always, 0.0)  # one answer everywhere
        return self.short_margins(w, b, 0.0)

    hyperplane_risk.__doc__ = ContinuousClassWorld.hyperplane_risk.__doc__

    def risk(self, model) -> float:
        coef = np.asarray(getattr(model, "coef_", np.empty((0, 0))))
        linear = coef.shape == (1, self.n_features)
        if linear and np.array_equal(getattr(model, "classes_", ()), (-1, 1)):
            found = self.hyperplane_risk(coef[0], float(model.intercept_[0]))
            return max(found, self.bayes_risk)  # They differ in the last digits at the optimum.
        return super().risk(model)

    risk.__doc__ = ContinuousClassWorld.risk.__doc__
