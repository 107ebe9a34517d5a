"""What slack costs, example by example."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.class_weight import compute_class_weight

from certo.certificates.margins.soft_margin_gap import costs_of
from certo.estimators import _input
from certo.estimators._pairs import Pair
from certo.facts import InputError
from certo.words import refusals

MIN_COST = 1e-280  # What slack can cost, at least: less would vanish in products.


class Prices(NamedTuple):
    """c_t = (C·class_weight)·sample_weight_t."""

    C: float
    class_weight: tuple[float, float]  # The weights of the classes −1 and +1.
    sample_weight: np.ndarray  # Empty if all are 1.

    def of(self, signs: np.ndarray) -> np.ndarray:
        negative, positive = self.class_weight
        if negative == positive and not self.sample_weight.size:  # The same numbers, sooner.
            return np.full(signs.size, float(self.C) * float(positive))
        return costs_of(self.C, self.class_weight, signs, self.sample_weight)

    def total(self, examples: int) -> float:
        """What the sum of the costs of so many examples does not exceed."""
        total = float(np.sum(self.sample_weight)) if self.sample_weight.size else examples
        return 1.001 * self.C * max(self.class_weight) * total


def check_class_weight(by_class: Any) -> None:
    if isinstance(by_class, dict):
        known = all(_input.is_number(v) and 0 < v < np.inf for v in by_class.values())
    else:
        known = by_class is None or (isinstance(by_class, str) and by_class == "balanced")
    if not known:
        raise InputError(refusals.unusable_class_weight, by_class)


def prices_of(machine, y: np.ndarray, classes: np.ndarray, sample_weight) -> Prices:
    """From the settings C, lam and class_weight of a machine, and the weights of its examples."""
    weights, total = np.zeros(0), float(y.size)
    if sample_weight is not None:
        weights = _input.weights(machine, sample_weight, y)
        with np.errstate(over="ignore"):
            total = float(np.sum(weights))
        missing = [c for c in classes if not np.any(weights[y == c])]
        if missing:
            raise InputError(
                refusals.class_without_weight, missing[0].item(), np.flatnonzero(y == missing[0])
            )
    C = float(machine.C)
    if machine.lam is not None:
        with np.errstate(over="ignore", divide="ignore"):
            C = float(1 / np.float64(machine.lam * total))
    by_class = _weights_of_classes(machine, y, classes, weights)
    pair = (1.0, 1.0)
    if len(classes) == 2:
        pair = (float(by_class[0]), float(by_class[1]))
    elif machine.class_weight is not None:  # The rest is not a single class.
        own = by_class[np.searchsorted(classes, y)]
        weights = own * weights if weights.size else own
    prices = Prices(C, pair, weights)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        costs = prices.of(np.where(y == classes[-1], 1, -1))
        least, total = np.min(costs[weights > 0] if weights.size else costs), np.sum(costs)
    if not (least > MIN_COST and total < np.inf):
        raise ValueError(
            "the costs C·class_weight·sample_weight of slack must be within float64, but they "
            f"are from {least:g} on, with a sum of {total:g}. Choose numbers of moderate size."
        )
    return prices


def prices_of_pairs(
    machine, y: np.ndarray, classes: np.ndarray, sample_weight, pairs: Iterable[Pair]
) -> list[Prices]:
    """The same for the examples of each pair of classes; C is one number for all."""
    C = prices_of(machine, y, classes, sample_weight).C
    weights = _input.weights(machine, sample_weight, y)
    by_class = _weights_of_classes(machine, y, classes, weights).tolist()
    return [
        Prices(
            C,
            (by_class[pair.labels.against], by_class[pair.labels.positive]),
            weights[pair.rows] if weights.size else weights,
        )
        for pair in pairs
    ]


def _weights_of_classes(
    machine, y: np.ndarray, classes: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    if machine.class_weight is None:
        return np.ones(len(classes))
    return compute_class_weight(
        machine.class_weight, classes=classes, y=y, sample_weight=weights if weights.size else None
    )
