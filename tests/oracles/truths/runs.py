"""Claims about runs: what the steps add up to, what a theorem allows, what a re-run gives."""

from __future__ import annotations

import decimal
import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

from certo.losses import Hinge, Logistic, Squared
from certo.rates import Rate
from tests.oracles.truths.arithmetic import ZERO, dot, rational, rationals
from tests.oracles.truths.hyperplanes import margins
from tests.oracles.truths.samples import require, rows_of, signs_of

NEAR = 2.5e-9  # a claim of regret holds up to a relative 1e-9, and the truth told here is rounded


def mistake_bound(data, X, y) -> bool:
    d = len(data["coef"])
    rows, signs = rows_of(data, X, d), signs_of(data, y)
    named, counts = data["rows"], counts_of(data)
    data = data | {"start": data["start"] or [0.0] * (d + 1)}
    require(len(data["comparator_coef"]) == d and len(data["start"]) == d + 1)
    require(not named or max(named) < len(rows))
    if any(c * signs[t] <= 0 for c, t in zip(data["dual_coef"], named, strict=True)):
        return False
    lift, bias = bool(data["lifted"]), data["comparator_intercept"]
    if not lift and any((bias, data["intercept"], data["start"][-1])):
        return False
    if sum(counts) != data["updates"] or min(counts, default=1) < 1:
        return False
    shares = shares_of(data)
    if shares is None or not _adds_up(data, rows, signs, shares):
        return False
    radius2, target = rational(data["radius2"]), rational(data["target"])
    if max(dot(x, x) for x in rows) + lift > radius2 or target <= 0:
        return False
    u, falls = rationals([*data["comparator_coef"], bias]), rational(data["shortfall"])
    own = margins(data, X, y, "comparator_coef", "comparator_intercept")
    if falls == 0:
        if min(own) < target:
            return False
    elif falls < sum(
        (s * max(target - own[t], ZERO) for s, t in zip(shares, named, strict=True)), ZERO
    ) * (1 - part(1, 2**40)):  # what a share is, is known up to its own rounding
        return False
    start = rationals(data["start"])
    if data["bound"] is None:
        return True
    if data["updates"] > data["bound"]:
        return False
    # some M ≤ bound + 1 breaks the inequality, so no run gets beyond it
    first, second = rate_sums(data, data["bound"] + 1)
    left = target * first - falls + dot(start, u)
    return left > 0 and left**2 > dot(u, u) * (dot(start, start) + radius2 * second)


def counts_of(data) -> list[int]:
    """How many updates were made on each row."""
    require(all(c == int(c) for c in data["dual_coef"]))
    return [abs(int(c)) for c in data["dual_coef"]]


def part(a: int, b: int):
    return rational(Fraction(a, b))


def rate_sums(data, n: int):
    """Σηᵢ and Σηᵢ² over the first n updates."""
    rate, before = data["sums"]["rate"], data["sums"]["before"]
    if rate["name"] == "Constant":
        eta, shards = rational(rate["value"]), data["sums"].get("shards", 1)
        return n * eta / shards, n * eta * eta / shards
    require(n < 2**20)
    etas = rationals(Rate.from_dict(rate)(before + np.arange(1, n + 1)).tolist())
    return sum(etas, ZERO), sum((e * e for e in etas), ZERO)


def shares_of(data) -> list | None:
    """Σ η of each row; None if no rates can give them."""
    rate, counts = data["sums"]["rate"], counts_of(data)
    if rate["name"] == "Constant":
        eta = rational(rate["value"]) / data["sums"].get("shards", 1)
        return [c * eta for c in counts] if not data["totals"] else None
    require(len(data["totals"]) == len(counts) and data["updates"] < 2**20)
    etas = Rate.from_dict(rate)(data["sums"]["before"] + np.arange(1, data["updates"] + 1))
    low, high = sorted(etas.tolist()), sorted(etas.tolist(), reverse=True)
    room = 1e-12
    for total, n in zip(data["totals"], counts, strict=True):
        # between n times the least and n times the greatest rate
        if not n * low[0] * (1 - room) <= total <= n * high[0] * (1 + room):
            return None
    if abs(math.fsum(data["totals"]) - math.fsum(low)) > room * math.fsum(low):
        return None
    return rationals(data["totals"])


def _adds_up(data, rows, signs, shares) -> bool:
    """start + Σ η y x̃ is what the weights are, up to the rounding of that many additions."""
    named, one = data["rows"], rational(int(data["lifted"]))
    for j, weight in enumerate([*data["coef"], data["intercept"]]):
        steps = [
            share * signs[t] * (rows[t][j] if j < len(rows[t]) else one)
            for share, t in zip(shares, named, strict=True)
        ]
        begin = rational(data["start"][j])
        size = abs(begin) + sum(map(abs, steps), ZERO)
        shards = data["sums"].get("shards", 0)  # An average of S runs takes S roundings an epoch.
        n = data["updates"] + len(named) + 8 + shards * (data["updates"] + 1)
        room = 4 * n * size * part(1, 2**53) + part(1, 2**1000)
        if abs(rational(weight) - begin - sum(steps, ZERO)) > room:
            return False
    return True


def perceptron(run, X, signs, named) -> np.ndarray:
    """The box in float64 on some rows, its products added as `lane_scores` states."""
    m, d = X.shape
    lift, w = float(run["lifted"]), np.zeros(d + 1)
    random = [np.random.default_rng([run["seed"], run["output"], k]) for k in (0, 1)]
    if run["init"] == "random":
        w[: d + run["lifted"]] = random[0].standard_normal(d + run["lifted"])
    rate, updates = Rate.from_dict(run["rate"]), 0
    at_zero = {"always": (-1, 1), "positive": (1,), "negative": (-1,)}[run["update_at_zero"]]
    listed = set(named)
    for _ in range(min(run["epochs"], 3000)):
        before = updates
        visits = random[1].permutation(m) if run["order"] == "shuffled" else range(m)
        for t in (t for t in visits if t in listed):
            margin = signs[t] * (lanes(X[t], w[:-1], run["sparse"]) + lift * w[-1])
            if margin < 0 or (margin == 0 and signs[t] in at_zero) or margin != margin:
                updates += 1
                step = float(rate(np.array([updates]))[0]) * signs[t]
                w[:-1] += step * X[t]
                w[-1] += step * lift
        if updates == before:
            break
    return w


def lanes(x, w, of_entries: bool) -> float:
    """Eight lanes, position p in lane p mod 8, then halves added to halves."""
    if of_entries:
        x, w = x[x != 0], w[x != 0]
    sums = [0.0] * 8
    for p, (a, b) in enumerate(zip(x.tolist(), w.tolist(), strict=True)):
        sums[p % 8] += a * b
    while len(sums) > 1:
        half = len(sums) // 2
        sums = [a + b for a, b in zip(sums[:half], sums[half:], strict=True)]
    return sums[0]


def pegasos_bound(data) -> bool:
    with decimal.localcontext(decimal.Context(prec=60)):
        T = data["steps"]
        bound = 2 * Decimal(data["radius2"]) / Decimal(data["lam"]) / T * (1 + Decimal(T).ln())
        return Decimal(data["bound"]) >= bound * (1 - Decimal(10) ** -45)


def expected_excess(data, X, y) -> bool:
    w = rationals(data["coef"])
    rows = rows_of(data, X, len(w))
    lam, b, lift = rational(data["lam"]), rational(data["intercept"]), int(data["lifted"])
    if b and not lift:
        return False
    hinge = sum((max(1 - m, ZERO) for m in margins(data, X, y)), ZERO)
    length2, radius2 = dot(w, w) + b * b, rational(data["radius2"])
    return (
        max(dot(x, x) for x in rows) + lift <= radius2
        and length2 * lam**2 <= radius2
        and hinge / len(rows) + lam / 2 * length2 <= rational(data["objective"])
        and pegasos_bound(data)
    )


def loss_of(text: str):
    name, _, rest = text.partition("(")
    if rest.startswith("base="):
        return Logistic(base=float(rest[5:-1]))
    return {"Hinge": Hinge, "Logistic": Logistic, "Squared": Squared}[name]()


def descent(run, X, signs):
    """Online gradient descent, once over the examples: iterates and gradients. At a kink the last
    bit decides the step, so rounding is part of the definition. Without a ball u = −Σ s_t x_t is
    kept, w_{t+1} = u/(λt), and a score is that of u, divided. With one, (1 − 1/t)·w comes first,
    then x."""
    loss, lam, radius = loss_of(run["loss"]), run["lam"], run["radius"]
    rows = np.c_[X, np.full(len(X), float(run["lifted"]))]
    u, squares = np.zeros(rows.shape[1]), 0.0
    iterates, gradients = [u], []
    for t, (x, s) in enumerate(zip(rows, signs, strict=True), start=1):
        w = iterates[-1]
        score = lanes(x[:-1], u[:-1], bool(run["sparse"])) + x[-1] * u[-1]
        if radius is None:
            score = score / (lam * (t - 1)) if t > 1 else 0.0
        slope = float(loss.gradient(float(s), score))
        gradient = lam * w + slope * x
        squares += float(gradient @ gradient)
        if radius is None:
            u = u - slope * x
            w = u / (lam * t)
        else:
            if lam:
                w = w * (1 - 1 / t) + -(1 / (lam * t)) * slope * x
            elif squares:
                w = w + -(math.sqrt(2) * radius / math.sqrt(squares)) * slope * x
            length = math.sqrt(float(w @ w))
            u = w = w * (radius / length) if length > radius else w
        iterates.append(w)
        gradients.append(gradient)
    return rows, np.array(iterates), np.array(gradients)


def regret(data, X, y) -> bool:
    """From the words of the claim, which hold up to rounding."""
    run, d, m = data["run"], len(data["coef"]), len(y)
    rows_of(data, X, d)
    require(len(data["comparator"]) == d)
    if not run["lifted"] and (data["intercept"] or data["comparator_intercept"]):
        return False
    signs = np.array(signs_of(data, y))
    loss, lam, radius = loss_of(run["loss"]), run["lam"], run["radius"]
    with np.errstate(all="ignore"):
        rows, iterates, gradients = descent(run, np.asarray(X, float), signs)
        used, u = iterates[:-1], np.array([*data["comparator"], data["comparator_intercept"]])
        suffered = np.sum(
            loss.of(signs, np.sum(rows * used, axis=1)) + lam / 2 * np.sum(used**2, axis=1)
        )
        fixed = np.sum(loss.of(signs, rows @ u)) + m * lam / 2 * (u @ u)
        squares = np.sum(gradients**2, axis=1)
        if lam:
            bound = np.sum(squares / (2 * lam * np.arange(1, m + 1)))
        else:
            bound = 2 * np.sqrt(2) * radius * np.sqrt(np.sum(squares))
        if radius is not None and np.linalg.norm(u) > radius * (1 + NEAR):
            return False
        answer = np.mean(used, axis=0) if run["average"] else iterates[-1]
        w = np.array([*data["coef"], data["intercept"]])
        return bool(
            np.max(np.abs(answer - w)) <= NEAR * np.max(np.abs(answer))
            and abs(suffered - data["suffered"]) <= NEAR * suffered
            and abs(fixed - data["comparator_loss"]) <= NEAR * fixed
            and data["bound"] >= bound * (1 - NEAR)
            and suffered - fixed <= data["bound"] + NEAR * (suffered + fixed + bound)
        )
