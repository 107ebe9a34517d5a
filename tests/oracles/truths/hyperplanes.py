"""Claims about one hyperplane: its margins, its errors, how near it is to the best."""

from __future__ import annotations

import math

from tests.oracles.truths.arithmetic import ONE, ZERO, dot, least_quadratic, rational, rationals
from tests.oracles.truths.samples import lifted, require, rows_of, signed, signs_of


def margins(data, X, y, coef="coef", bias="intercept") -> list:
    w = rationals(data[coef])
    rows = rows_of(data, X, len(w))
    signs = signs_of(data, y)
    require(len(signs) == len(rows))
    return [s * (dot(w, x) + rational(data[bias])) for s, x in zip(signs, rows, strict=True)]


def keeps(least, distance, coef) -> bool:
    """Whether the nearest example is at least that far away."""
    w = rationals(coef)
    return distance <= 0 or (any(w) and least > 0 and least**2 >= distance**2 * dot(w, w))


def error_count(data, X, y) -> bool:
    """The exact weight of the errors, rounded up to a float and no further."""
    weights = rationals(data["sample_weight"] or [1.0] * data["examples"])
    require(len(weights) == data["examples"])
    found = sum((w for w, m in zip(weights, margins(data, X, y), strict=True) if m <= 0), ZERO)
    claimed = data["errors"]
    if not data["sample_weight"]:
        return rational(claimed) == found
    return rational(claimed) >= found > rational(math.nextafter(claimed, -math.inf)) or (
        rational(claimed) == found
    )


def signed_gram(z) -> list:
    return [[dot(a, b) for b in z] for a in z]


def greatest_margin2(gram, signs, free: bool):
    """γ*², the least ‖Σ a_t y_t x_t‖² over convex weights (free: of equal sums for both signs),
    from the inner products of the y_t x_t; None if no weights are allowed: no margin is largest."""
    n = len(gram)
    ones, balance = [ONE] * n, [rational(int(s)) for s in signs]
    A, b = [ones, [-v for v in ones]], [ONE, -ONE]
    if free:
        A, b = [*A, balance, [-v for v in balance]], [*b, ZERO, ZERO]
    found = least_quadratic([[2 * v for v in row] for row in gram], [ZERO] * n, A, b)
    return None if found is None else found[0]


def maximum_margin(data, X, y) -> bool:
    """lower: by this hyperplane, on all; upper: on the rows named, whatever the multipliers."""
    lift, w = data["treatment"] == "lifted", rationals(data["coef"])
    b = rational(data["intercept"])
    if data["treatment"] == "none" and b:
        return False
    length2 = dot(w, w) + (b * b if lift else ZERO)
    least = min(margins(data, X, y))
    lower, upper = rational(data["lower"]), rational(data["upper"])
    if least <= 0 or length2 == 0 or least**2 < lower**2 * length2:
        return False
    named = data["rows"]
    require(named and max(named) < data["examples"])
    signs = [signs_of(data, y)[t] for t in named]
    rows = lifted(rows_of(data, X), lift)
    gram = signed_gram(signed([rows[t] for t in named], signs))
    best2 = greatest_margin2(gram, signs, data["treatment"] == "free")
    return best2 is not None and best2 <= upper**2


def costs_of(data, signs) -> list:
    """C·class_weight·sample_weight, two float64 products in this order."""
    given = data["sample_weight"] or [1.0] * len(signs)
    require(len(given) == len(signs))
    negative, positive = (float(data["C"]) * w for w in data["class_weight"])
    whole = [positive if s > 0 else negative for s in signs]
    costs = [
        c * float(w) if data["sample_weight"] else c for c, w in zip(whole, given, strict=True)
    ]
    return rationals(costs)


def least_soft_margin(gram, signs, costs, treatment: str):
    """min P, by duality: −min ½α·Qα − Σα over 0 ≤ α ≤ c (free: Σ α y = 0), Q the signed Gram."""
    some = [t for t, c in enumerate(costs) if c > 0]
    n = len(some)
    if not n:
        return ZERO
    extra = treatment == "lifted"
    Q = [[signs[s] * signs[t] * (gram[s][t] + extra) for t in some] for s in some]
    A = [[-ONE if i == j else ZERO for j in range(n)] for i in range(n)]
    b = [-costs[t] for t in some]
    if treatment == "free":
        balance = [rational(int(signs[t])) for t in some]
        A, b = [*A, balance, [-v for v in balance]], [*b, ZERO, ZERO]
    found = least_quadratic(Q, [-ONE] * n, A, b)
    assert found is not None  # α = 0 is feasible, and the box is bounded
    return -found[0]


def soft_margin(data, gram, signs, margins, square) -> bool:
    """primal, dual and allowance, from the Gram matrix, the margins, and ‖w‖² of the function."""
    costs = costs_of(data, signs)
    extra = data["treatment"] == "lifted"
    b = rational(data["intercept"])
    if data["treatment"] == "none" and b:
        return False
    losses = [c * max(1 - m, ZERO) for c, m in zip(costs, margins, strict=True)]
    primal = (square + (b * b if extra else ZERO)) / 2 + sum(losses, ZERO)
    if primal > rational(data["primal"]):
        return False
    if least_soft_margin(gram, signs, costs, data["treatment"]) < rational(data["dual"]):
        return False
    if data.get("width") is not None:  # The multipliers, and so the allowance, are the checker's.
        return True
    named, signed_alpha = data["rows"], rationals(data["dual_coef"])
    require(not named or max(named) < len(signs))
    v2 = sum(
        (
            a * c * (gram[s][t] + extra)
            for a, s in zip(signed_alpha, named, strict=True)
            for c, t in zip(signed_alpha, named, strict=True)
        ),
        ZERO,
    )
    value = sum(map(abs, signed_alpha), ZERO) - v2 / 2
    gap = rational(data["primal"]) - rational(data["dual"])
    return primal - value >= gap - rational(data["allowance"])


def soft_margin_gap(data, X, y) -> bool:
    w = rationals(data["coef"])
    rows, signs = rows_of(data, X, len(w)), signs_of(data, y)
    gram = [[dot(a, b) for b in rows] for a in rows]
    return soft_margin(data, gram, signs, margins(data, X, y), dot(w, w))
