"""Claims about functions of a kernel's space: from the Gram matrix in rationals (an exponential to
a hundred digits), and nothing of the package but the words of the kernel."""

from __future__ import annotations

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np

from tests.oracles.truths import hyperplanes, runs
from tests.oracles.truths.arithmetic import ZERO, dot, is_semidefinite, rational, rationals, table
from tests.oracles.truths.hyperplanes import greatest_margin2, soft_margin
from tests.oracles.truths.runs import pegasos_bound
from tests.oracles.truths.samples import require, signs_of


def exponential(value):
    with decimal.localcontext(decimal.Context(prec=100, Emin=-(10**9), Emax=10**9)):
        ratio = Decimal(int(value.p)) / Decimal(int(value.q))
        return rational(Fraction(ratio.exp())) if ratio > -5000 else ZERO


def value_of(kernel: dict, x, z):
    name = kernel["name"]
    if name == "Scaled":
        return rational(kernel["factor"]) * value_of(kernel["kernel"], x, z)
    if name == "Sum":
        return sum((value_of(part, x, z) for part in kernel["parts"]), ZERO)
    if name == "Product":
        found = rational(1)
        for part in kernel["parts"]:
            found *= value_of(part, x, z)
        return found
    if name == "Gaussian":
        square = sum(((a - b) ** 2 for a, b in zip(x, z, strict=True)), ZERO)
        return exponential(-square / (2 * rational(kernel["variance"])))
    if name == "Linear":
        return dot(x, z)
    require(name == "Polynomial")
    inner = rational(kernel["offset"]) + rational(kernel["scale"]) * dot(x, z)
    return inner ** kernel["degree"]


def gram_of(data, X) -> list:
    """The Gram matrix that is meant, which must be semidefinite for there to be a space."""
    kernel, shift = data["space"]["kernel"], data["space"]["shift"]
    if kernel["name"] != "Precomputed":
        rows = table(X)
        require(len(rows) == data["examples"] and shift == 0)
        return [[value_of(kernel, x, z) for z in rows] for x in rows]
    X = np.asarray(X, dtype=float)
    require(X.shape == (data["examples"], data["examples"]) and shift >= 0)
    gram = table(X if np.array_equal(X, X.T) else 0.5 * (X + X.T))
    for i, row in enumerate(gram):
        row[i] += rational(shift)
    require(is_semidefinite(gram))
    return gram


class Function:
    """f = Σ coef_i K(x_i, ·): its values and squared length."""

    def __init__(self, gram, rows, coef):
        require(not rows or max(rows) < len(gram))
        coef = rationals(coef)
        pairs = list(zip(coef, rows, strict=True))
        self.values = [sum((c * gram[s][t] for c, s in pairs), ZERO) for t in range(len(gram))]
        self.square = sum((c * self.values[s] for c, s in pairs), ZERO)

    def margins(self, signs, bias) -> list:
        return [s * (v + bias) for s, v in zip(signs, self.values, strict=True)]


def of_vectors(data) -> bool:
    """Whether a claim is about hyperplanes rather than functions of a kernel's space."""
    return data["space"]["name"] == "Vectors"


def soft_margin_gap(data, X, y) -> bool:
    if of_vectors(data):
        return hyperplanes.soft_margin_gap(data, X, y)
    gram, signs = gram_of(data, X), signs_of(data, y)
    require(len(signs) == len(gram))
    f = Function(gram, data["rows"], data["dual_coef"])
    return soft_margin(data, gram, signs, f.margins(signs, rational(data["intercept"])), f.square)


def maximum_margin(data, X, y) -> bool:
    if of_vectors(data):
        return hyperplanes.maximum_margin(data, X, y)
    gram, signs = gram_of(data, X), signs_of(data, y)
    require(len(signs) == len(gram))
    f, b = Function(gram, data["rows"], data["dual_coef"]), rational(data["intercept"])
    lift = data["treatment"] == "lifted"
    if data["treatment"] == "none" and b:
        return False
    least, length2 = min(f.margins(signs, b)), f.square + (b * b if lift else ZERO)
    if least <= 0 or length2 <= 0 or least**2 < rational(data["lower"]) ** 2 * length2:
        return False
    named = data["rows"]
    some = [[signs[s] * signs[t] * (gram[s][t] + lift) for t in named] for s in named]
    best2 = greatest_margin2(some, [signs[t] for t in named], data["treatment"] == "free")
    return best2 is not None and best2 <= rational(data["upper"]) ** 2


def mistake_bound(data, X, y) -> bool:
    if of_vectors(data):
        return runs.mistake_bound(data, X, y)
    gram, signs = gram_of(data, X), signs_of(data, y)
    require(len(signs) == len(gram))
    lift, counts = int(data["lifted"]), rationals(data["dual_coef"])
    require(not data["rows"] or max(data["rows"]) < len(gram))
    if any(c.q != 1 or c * signs[t] <= 0 for c, t in zip(counts, data["rows"], strict=True)):
        return False
    if sum(map(abs, counts), ZERO) != data["updates"] or any(data["start"]):
        return False
    if rational(data["intercept"]) != lift * sum(counts, ZERO):
        return False
    if data["sums"] != {"rate": {"name": "Constant", "value": 1.0}, "before": 0}:
        return False
    radius2, target = rational(data["radius2"]), rational(data["target"])
    if max(gram[t][t] for t in range(len(gram))) + lift > radius2 or target <= 0:
        return False
    b = rational(data["comparator_intercept"])
    if b and not lift:
        return False
    u = Function(gram, data["comparator_rows"], data["comparator_dual_coef"])
    length2, margins = u.square + b * b, u.margins(signs, b)
    norm2 = rational(data["comparator_norm"]) ** 2
    if length2 > norm2:
        return False
    missing = sum(
        (
            abs(c) * max(target - margins[t], ZERO)
            for c, t in zip(counts, data["rows"], strict=True)
        ),
        ZERO,
    )
    fall = rational(data["shortfall"])
    if (missing > fall) if fall else (min(margins) < target):
        return False
    if data["bound"] is None:
        return True
    # the claim's own numbers in the theorem: the largest M with ρM − H ≤ √(‖u‖²X²M)
    square = norm2 * radius2

    def allowed(M):
        left = target * M - fall
        return left <= 0 or left * left <= square * M

    return allowed(data["updates"]) and not allowed(data["bound"] + 1)


def expected_excess(data, X, y) -> bool:
    if of_vectors(data):
        return runs.expected_excess(data, X, y)
    gram, signs = gram_of(data, X), signs_of(data, y)
    require(len(signs) == len(gram))
    lift, lam, b = int(data["lifted"]), rational(data["lam"]), rational(data["intercept"])
    if b and not lift:
        return False
    f = Function(gram, data["rows"], data["dual_coef"])
    hinge = sum((max(1 - m, ZERO) for m in f.margins(signs, b)), ZERO)
    length2, radius2 = f.square + b * b, rational(data["radius2"])
    longest = max(gram[t][t] for t in range(len(gram))) + lift
    return (
        longest <= radius2
        and length2 * lam**2 <= radius2
        and hinge / len(gram) + lam / 2 * length2 <= rational(data["objective"])
        and pegasos_bound(data)
    )
