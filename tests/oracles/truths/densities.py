"""Claims about densities, in rational and rigorous interval arithmetic."""

from __future__ import annotations

import math

import numpy as np

from tests.oracles.density_truth import (
    LogLinear,
    Moments,
    gaussian_is_true,
    least_gaussian_risk,
    real,
)
from tests.oracles.truths.arithmetic import dot, rational, rationals, table
from tests.oracles.truths.samples import require


def gaussian_likelihood(data, X, y) -> bool:
    X = np.asarray(X, dtype=float)
    require(X.shape == (data["examples"], len(data["mean"])))
    return gaussian_is_true(data, X)


def counting(data, X) -> np.ndarray:
    X = np.asarray(X, dtype=float)
    require(len(X) == data["examples"])
    weights = np.array(data["sample_weight"])
    require(weights.size in (0, len(X)))
    return X[weights > 0] if weights.size else X


def no_gaussian_density(data, X, y) -> bool:
    some = counting(data, X)
    require(some.shape[1] == data["features"])
    weights = [w for w in data["sample_weight"] if w > 0]
    if least_gaussian_risk(Moments(some, weights), data["kind"]) is not None:
        return False
    if data["coef"]:
        w, level = rationals(data["coef"]), rational(data["level"])
        if data["kind"] == "diagonal" and sum(map(bool, w)) > 1:
            return False
        return any(w) and all(dot(w, x) == level for x in table(some))
    most = data["features"] if data["kind"] == "full" else 1
    return len({tuple(x) for x in some.tolist()}) <= most


def moment_matching(data, X, y) -> bool:
    X = np.asarray(X, dtype=float)
    require(X.shape == (data["examples"], 1) and len(data["low"]) == 1)
    truth = LogLinear(
        data["family"], data["degree"], data["low"][0], data["high"][0], X, data["sample_weight"]
    )
    w = [real(c) for c in data["coef"]]
    return bool(
        truth.inside
        and truth.risk(w) <= real(data["risk"])
        and all(abs(g) <= real(data["moment_error"]) for g in truth.gradient(w))
        and real(data["lower"]) <= truth.least(data["coef"]) + real(1e-25)
    )


def no_log_linear_density(data, X, y) -> bool:
    """On an interval the moments are on the border of what densities have exactly if the examples,
    those inside counted twice, are at most `degree` many. On a rectangle: what the words say."""
    some, low, high = counting(data, X), np.array(data["low"]), np.array(data["high"])
    require(some.shape[1] == low.size)
    if np.any(np.asarray(X) < low) or np.any(np.asarray(X) > high):
        return False

    def weight(axis):
        values = set(some[:, axis].tolist())
        return sum(2 if low[axis] < v < high[axis] else 1 for v in values)

    few = len({tuple(x) for x in some.tolist()}) < math.comb(
        data["degree"] // 2 + low.size, low.size
    )
    if data["coef"]:
        w, level = rationals(data["coef"]), rational(data["level"])
        flat = any(w) and all(dot(w, x) == level for x in table(some))
        if not flat or data["family"] != "polynomials" or data["degree"] < 2:
            return False
    elif (data["axis"] is not None and not weight(data["axis"]) <= data["degree"]) or (
        data["axis"] is None and not few
    ):
        return False
    return low.size > 1 or weight(0) <= data["degree"]
