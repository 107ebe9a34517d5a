"""Claims about what hyperplanes, or scores of several classes, can separate at all."""

from __future__ import annotations

from rays import least

from truths.arithmetic import all_positive, can_be_positive, dot, rational, rationals
from truths.hyperplanes import separable
from truths.samples import codes_of, comparisons, lifted, require, rows_of, signed, signs_of


def vectors(data, X, y) -> list:
    """z_t = y_t (x_t, 1), or y_t x_t."""
    rows = lifted(rows_of(data, X, data["features"]), data["intercept"] == "free")
    return signed(rows, signs_of(data, y))


def inseparable(data, X, y) -> bool:
    """Nobody has all of `rows` strictly on their own side, and with these weights they cancel."""
    z = vectors(data, X, y)
    require(data["rows"] and max(data["rows"]) < len(z))
    core, weights = [z[t] for t in data["rows"]], rationals(data["weights"])
    cancels = not any(dot(weights, column) for column in zip(*core, strict=True))
    return cancels and min(weights) > 0 and not all_positive(core)


def quasi_separable(data, X, y) -> bool:
    z = vectors(data, X, y)
    w = rationals(data["coef"]) + [rational(data["bias"])] * (data["intercept"] == "free")
    scores = [dot(w, v) for v in z]
    ties = {t for t, s in enumerate(scores) if s == 0}
    if min(scores) < 0 or ties != set(data["ties"]) or len(ties) == len(z):
        return False
    best = can_be_positive(z)
    return not any(best[t] for t in ties)


def overlapping(data, X, y) -> bool:
    """… and what is named cancels, and spans the rest, which the words say too."""
    z = vectors(data, X, y)
    return not any(can_be_positive(z)) and _cancel(data, [z[t] for t in _named(data, z)])


def _named(data, z) -> list:
    require(not data["rows"] or max(data["rows"]) < len(z))
    return data["rows"]


def _cancel(data, core) -> bool:
    weights = rationals(data["weights"])
    require(len(weights) == len(core))
    return all(w > 0 for w in weights) and not any(
        dot(weights, column) for column in zip(*core, strict=True)
    )


def all_comparisons(data, X, y) -> dict:
    classes = len(data["labels"]["classes"])
    rows = lifted(rows_of(data, X, data["features"]), data["intercept"] == "free")
    return comparisons(rows, codes_of(data, y), classes)


def jointly_separable(data, X, y) -> bool:
    W = [rationals(w) for w in data["weights"]]
    rows, codes = rows_of(data, X, len(W[0])), codes_of(data, y)
    for x, own in zip(rows, codes, strict=True):
        scores = [dot(w, x) + rational(b) for w, b in zip(W, data["intercept"], strict=True)]
        if any(scores[own] <= s for k, s in enumerate(scores) if k != own):
            return False
    return True


def jointly_inseparable(data, X, y) -> bool:
    z = all_comparisons(data, X, y)
    pairs = list(zip(data["rows"], data["against"], strict=True))
    require(pairs and all(pair in z for pair in pairs))
    core = [z[pair] for pair in pairs]
    return _cancel(data, core) and not all_positive(core)


def winnable(z: dict) -> set:
    """The comparisons that some direction wins, losing none."""
    return {pair for pair, able in zip(z, can_be_positive(list(z.values())), strict=True) if able}


def jointly_quasi_separable(data, X, y) -> bool:
    z, K = all_comparisons(data, X, y), len(data["labels"]["classes"])
    u = [v for row in data["direction"] for v in rationals(row)]
    scores = {pair: dot(u, v) for pair, v in z.items()}
    won = {pair for pair, s in scores.items() if s > 0}
    if min(scores.values()) < 0 or not won:
        return False
    return {t * K + k for t, k in won} == set(data["won"]) and won == winnable(z)


def jointly_overlapping(data, X, y) -> bool:
    z = all_comparisons(data, X, y)
    pairs = list(zip(data["rows"], data["against"], strict=True))
    require(all(pair in z for pair in pairs))
    return not winnable(z) and _cancel(data, [z[pair] for pair in pairs])


def no_estimate(data, X, y) -> bool:
    """Along the direction nothing that counts falls, and exactly so many comparisons rise; so
    indeed some comparison can be won for ever."""
    z, K = all_comparisons(data, X, y), len(data["labels"]["classes"])
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
    joint = {"JointlySeparable": jointly_separable, "JointlyInseparable": jointly_inseparable}
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
    return joint[data["joint"]["type"]](data["joint"], X, y)


def _parts(data) -> list:
    return [*data["one_against_rest"], *data["pairwise"], data["joint"]]


def _has_intercept(claim) -> bool:
    value = claim["intercept"]
    return any(value) if isinstance(value, list) else bool(value)
