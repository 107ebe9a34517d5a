"""Claims about what hyperplanes, or scores of several classes, can separate at all."""

from __future__ import annotations

from tests.oracles.rays import least
from tests.oracles.truths.arithmetic import all_positive, can_be_positive, dot, rational, rationals
from tests.oracles.truths.hyperplanes import keeps, margins
from tests.oracles.truths.samples import (
    codes_of,
    comparisons,
    lifted,
    require,
    rows_of,
    signed,
    signs_of,
)


def vectors(data, X, y) -> dict:
    """z_t = y_t (x_t, 1), or y_t x_t; for several classes the comparisons; by their indices."""
    rows = lifted(rows_of(data, X, data["features"]), data["intercept"] == "free")
    if data["labels"]["positive"] is not None:
        return dict(enumerate(signed(rows, signs_of(data, y))))
    K = len(data["labels"]["classes"])
    return {t * K + k: z for (t, k), z in comparisons(rows, codes_of(data, y), K).items()}


def separable(data, X, y) -> bool:
    if data["labels"]["positive"] is not None:
        least = min(margins(data, X, y))
        away = keeps(least, rational(data["margin"]), data["coef"])
    else:
        least, away = least_difference(data, X, y), data["margin"] <= 0
    return least > 0 and least >= rational(data["functional_margin"]) and away


def least_difference(data, X, y):
    """By how much the score of the own class is above that of another one at least."""
    W = [rationals(w) for w in data["coef"]]
    rows, codes = rows_of(data, X, len(W[0])), codes_of(data, y)
    found = []
    for x, own in zip(rows, codes, strict=True):
        scores = [dot(w, x) + rational(b) for w, b in zip(W, data["intercept"], strict=True)]
        found += [scores[own] - score for k, score in enumerate(scores) if k != own]
    return min(found)


def core_of(data, z: dict) -> list | None:
    """The vectors named, if with the weights given they cancel."""
    named, weights = data["vectors"], rationals(data["weights"])
    require(all(i in z for i in named) and len(weights) == len(named))
    core = [z[i] for i in named]
    cancel = not any(dot(weights, column) for column in zip(*core, strict=True))
    return core if cancel and all(w > 0 for w in weights) else None


def inseparable(data, X, y) -> bool:
    """Nobody has all that is named strictly on its own side, and with these weights it cancels."""
    core = core_of(data, vectors(data, X, y))
    return bool(core) and not all_positive(core)


def winnable(z: dict) -> set:
    """The vectors that some direction wins, losing none."""
    return {i for i, able in zip(z, can_be_positive(list(z.values())), strict=True) if able}


def quasi_separable(data, X, y) -> bool:
    z, w = vectors(data, X, y), [v for row in data["direction"] for v in rationals(row)]
    products = {i: dot(w, v) for i, v in z.items()}
    won = {i for i, product in products.items() if product > 0}
    if min(products.values()) < 0 or not won:
        return False
    return won == set(data["won"]) and won == winnable(z)


def overlapping(data, X, y) -> bool:
    """… and what is named cancels, which the words say too."""
    z = vectors(data, X, y)
    return not winnable(z) and core_of(data, z) is not None


def no_estimate(data, X, y) -> bool:
    """Along the direction nothing that counts falls, and exactly so many comparisons rise; so
    indeed some comparison can be won for ever."""
    K = len(data["labels"]["classes"])
    examples = lifted(rows_of(data, X, data["features"]), data["intercept"] == "free")
    z = comparisons(examples, codes_of(data, y), K)
    rows = [rationals(row) for row in data["direction"]]
    if K == 2:
        rows = [[rational(0)] * len(rows[0]), rows[0]]
    u = [v for row in rows for v in row]
    counted = {pair: dot(u, v) for pair, v in z.items() if pair[0] not in set(data["ignored"])}
    require(max(data["ignored"], default=0) < data["examples"])
    rising = sum(s > 0 for s in counted.values())
    fine = bool(counted) and min(counted.values()) >= 0 and rising == data["rising"] > 0
    return fine and bool(winnable({pair: z[pair] for pair in counted}))


def least_errors(data, X, y) -> bool:
    """By brute force over the extreme rays of all cells."""
    rows = lifted(rows_of(data, X), data["lifted"])
    costs = rationals(data["sample_weight"] or [1.0] * len(rows))
    require(len(costs) == len(rows))
    z, whole = signed(rows, signs_of(data, y)), 1
    for row in z:
        for v in row:
            whole *= int(v.q) // _divisor(whole, int(v.q))
    integers = [[int((v * whole).p) for v in row] for row in z]
    return least(integers, costs) >= rational(data["at_least"])


def _divisor(a: int, b: int) -> int:
    while b:
        a, b = b, a % b
    return a


def class_separability(data, X, y) -> bool:
    classes, labels = data["classes"], list(y)
    pairs = [(a, b) for i, a in enumerate(classes) for b in classes[i + 1 :]]
    modes = {c["intercept"] for c in _parts(data) if isinstance(c["intercept"], str)}
    if len(modes) > 1:
        return False
    if modes == {"none"} and any(
        _has_intercept(c) for c in _parts(data) if not isinstance(c["intercept"], str)
    ):
        return False
    verdict = {"Separable": separable, "Inseparable": inseparable}
    require(len(data["one_against_rest"]) == len(classes) and len(data["pairwise"]) == len(pairs))
    for k, claim in enumerate(data["one_against_rest"]):
        meant = claim["labels"]["classes"][claim["labels"]["positive"]]
        if meant != classes[k] or not verdict[claim["type"]](claim, X, y):
            return False
    for (one, other), claim in zip(pairs, data["pairwise"], strict=True):
        both = [t for t, label in enumerate(labels) if label in (one, other)]
        some = [labels[t] for t in both]
        if not verdict[claim["type"]](claim, X[both], some):
            return False
    return verdict[data["joint"]["type"]](data["joint"], X, y)


def _parts(data) -> list:
    return [*data["one_against_rest"], *data["pairwise"], data["joint"]]


def _has_intercept(claim) -> bool:
    value = claim["intercept"]
    return any(value) if isinstance(value, list) else bool(value)
