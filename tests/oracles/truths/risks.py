"""Claims about new examples: what is counted on those given, and the formulas. (That such a formula
bounds the risk of most samples is a theorem; the simulation of the benchmarks looks at it.)"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from certo.certificates import Certificate
from certo.rates import Rate
from tests.oracles.truths import formulas
from tests.oracles.truths.arithmetic import (
    ONE,
    ZERO,
    dot,
    least_quadratic,
    rational,
    rationals,
    table,
)
from tests.oracles.truths.hyperplanes import costs_of, margins
from tests.oracles.truths.kernels import (
    gram_of,
    maximum_margin,
    of_vectors,
    soft_margin_gap,
    value_of,
)
from tests.oracles.truths.pairs import (
    alone,
    multipliers_of_pairs,
    pairs,
    standing_of_votes,
)
from tests.oracles.truths.runs import descent, lanes, loss_of, perceptron
from tests.oracles.truths.samples import codes_of, require, rows_of, signs_of


def standing(scores, code: int) -> int:
    """1: right, 0: a tie, −1: wrong."""
    if code < 0:
        return -1
    if len(scores) == 1:
        ahead = scores[0] if code == 1 else -scores[0]
    else:
        ahead = scores[code] - max(s for k, s in enumerate(scores) if k != code)
    return (ahead > 0) - (ahead < 0)


def scores_of(predictor, X) -> list:
    rows = table(X)
    if predictor["type"] in LINEAR:
        W = [rationals(w) for w in predictor["coef"]]
        require(all(len(w) == len(row) for w in W for row in rows))
        return [
            [dot(w, x) + rational(b) for w, b in zip(W, predictor["intercept"], strict=True)]
            for x in rows
        ]
    kernel, centres = predictor["kernel"], predictor["vectors"]
    if kernel["name"] == "Precomputed":
        values = [[row[j] for j in centres] for row in rows]
    else:
        places = [rationals(z) for z in centres]
        values = [[value_of(kernel, x, z) for z in places] for x in rows]
    coefs = predictor["dual_coef"]
    if predictor["type"] == "KernelVotes":
        coefs = multipliers_of_pairs(predictor, classes_of(predictor))
    parts = [
        (rationals(a), rational(b)) for a, b in zip(coefs, predictor["intercept"], strict=True)
    ]
    return [[dot(a, v) + b for a, b in parts] for v in values]


LINEAR = ("LinearPredictor", "LinearVotes")


def classes_of(predictor) -> int:
    """How many classes have so many pairs."""
    found = [k for k in range(3, 99) if k * (k - 1) == 2 * len(predictor["intercept"])]
    require(len(found) == 1)
    return found[0]


def evaluations(predictor, X) -> list:
    """Scores in rationals; of a linear rule, also in float64, in several orders."""
    every = [scores_of(predictor, X)]
    if predictor["type"] in LINEAR:
        X, W = np.asarray(X, dtype=float), np.array(predictor["coef"], dtype=float)
        b = np.array(predictor["intercept"], dtype=float)
        products = X[:, None, :] * W
        every += [
            (X @ W.T + b).tolist(),
            (np.cumsum(products, axis=2)[..., -1] + b).tolist(),
            (np.cumsum(products[..., ::-1], axis=2)[..., -1] + b).tolist(),
        ]
    return every


def standings(every, codes) -> list[tuple[int, int]]:
    """The worst and the best standing of each example."""
    found = [[standing(s, c) for s, c in zip(scores, codes, strict=True)] for scores in every]
    return [(min(some), max(some)) for some in zip(*found, strict=True)]


def count_errors(data, X, y) -> tuple[int, int]:
    """Those that are surely wrong, and with the ties."""
    codes, predictor = codes_of(data, y), data["predictor"]
    require(len(codes) == data["examples"])
    if predictor["type"] == "StatedPredictions":
        require(len(predictor["answers"]) == len(codes))
        wrong = sum(a != c for a, c in zip(predictor["answers"], codes, strict=True))
        return wrong, wrong
    every = evaluations(predictor, X)
    require(len(every[0]) == len(codes))
    if predictor["type"].endswith("Votes"):
        K, open_ties = classes_of(predictor), predictor["by_confidence"]
        require(len(data["labels"]["classes"]) == K)
        found = [
            [standing_of_votes(s, c, K, open_ties) for s, c in zip(scores, codes, strict=True)]
            for scores in every
        ]
        stand = [(min(some), max(some)) for some in zip(*found, strict=True)]
    else:
        stand = standings(every, codes)
    return sum(best < 0 for _, best in stand), sum(worst <= 0 for worst, _ in stand)


def training_errors(data, X, y) -> bool:
    surely, most = count_errors(data, X, y)
    return most <= data["errors"] and data["errors"] - data["ties"] <= surely


def test_errors(data, X, y) -> bool:
    return training_errors(data, X, y) and formulas.clopper_pearson_holds(
        data["lower"], data["upper"], data["examples"], data["errors"] - data["ties"],
        data["errors"], data["delta"],
    )  # fmt: skip


def test_distances(data, X, y) -> bool:
    """Distances in rationals, of predictions in rationals and in float64; the tail; the mean."""
    rows_of(data, X, len(data["coef"]))
    numbers, n = np.asarray(y, dtype=float), data["examples"]
    require(numbers.shape in ((n,), (n, 1)) and data["labels"]["columns"] in (None, 1))
    rule = {
        "type": "LinearPredictor",
        "coef": [data["coef"]],
        "intercept": [data["intercept"]],
    }
    most, values = rational(data["distance"]), rationals(numbers.ravel())
    needed = math.ceil(Fraction(9, 10) * n)
    cap, mean = rational(data.get("cap", 0.0)), rational(data.get("mean", 0.0))
    delta = Fraction(data["delta"]) / (2 if cap else 1)
    for scores in evaluations(rule, X):
        far = [abs(rational(s) - v) for (s,), v in zip(scores, values, strict=True)]
        if sum(one <= most for one in far) < needed:
            return False
        if cap and mean < cap and _wealth(far, cap, mean) * rational(data["delta"]) < 2:
            return False
    return formulas.is_upper_end(data["beyond"], n, n - needed, delta)


def _wealth(losses, cap, mean):
    """What eight bets that losses are below the mean have made of 1, on average."""
    steps = [(mean - min(loss, cap)) / cap for loss in losses]
    return sum(math.prod(1 + step / 2**k for step in steps) for k in range(8)) / 8


def compression_bound(data, X, y) -> bool:
    """The re-run of the scheme, the errors outside of the set, and the formulas."""
    of_kernel = data["scheme"]["name"] == "KernelScheme"
    return (kernel_scheme if of_kernel else perceptron_scheme)(data, X, y)


def set_bound(data, wrong: list[bool]) -> bool:
    """Errors outside of the set, from what is wrong of all, and the formulas."""
    m, named = len(wrong), set(data["updated"])
    require(m == data["examples"] and all(t < m for t in named))
    if sum(bad for t, bad in enumerate(wrong) if t not in named) > data["errors"]:
        return False
    facts = m, len(named), data["errors"], data["delta"]
    if data["printed"] is not None and not formulas.perceptron_holds(data["printed"], *facts):
        return False
    return formulas.binomial_tail_holds(data["tail"], *facts)


def perceptron_scheme(data, X, y) -> bool:
    """One neuron, by exact margins and its sign at 0, or a layer, in which ties are wrong."""
    scheme, K = data["scheme"], len(data["scheme"]["runs"])
    rows_of(data, X, len(scheme["coef"][0]))
    if any(run["order"] == "misclassified" for run in scheme["runs"]):
        return False
    if K == 1:
        own = {"coef": scheme["coef"][0], "intercept": scheme["intercept"][0]}
        outputs = [signs_of(data, y)]
        wrong = [
            margin < 0 or (margin == 0 and sign != scheme["zero_sign"])
            for margin, sign in zip(margins(data | own, X, y), outputs[0], strict=True)
        ]
    else:
        codes = codes_of(data, y)
        outputs = [[1 if c == k else -1 for c in codes] for k in range(K)]
        every = evaluations(scheme | {"type": "LinearPredictor"}, X)
        wrong = [worst <= 0 for worst, _ in standings(every, codes)]
    if not set_bound(data, wrong):
        return False
    if "gives these weights" not in Certificate.from_dict(data).claim:
        return data["tail"] >= 1 and (data["printed"] is None or data["printed"] >= 1)
    X = np.asarray(X, dtype=float)
    parts = zip(scheme["runs"], outputs, scheme["coef"], scheme["intercept"], strict=True)
    return all(
        perceptron(run, X, signs, data["updated"]).tolist() == [*w, b] for run, signs, w, b in parts
    )


def kernel_scheme(data, X, y) -> bool:
    """The kernel perceptron on the examples named alone, in real numbers."""
    codes, K, m = codes_of(data, y), len(data["labels"]["classes"]), data["examples"]
    scheme, named = data["scheme"], data["updated"]
    kernel, run = scheme["kernel"], scheme["run"]
    require(len(codes) == m and all(t < m for t in named))
    if kernel["name"] == "Precomputed":
        X = np.asarray(X, dtype=float)
        require(X.shape == (m, m))
        gram = table(X if np.array_equal(X, X.T) else 0.5 * (X + X.T))
    else:
        rows = table(X)
        require(len(rows) == m)
        gram = [[value_of(kernel, x, z) for z in rows] for x in rows]
    lift = rational(int(run["lifted"]))
    at_zero = {"always": (-1, 1), "positive": (1,), "negative": (-1,)}[run["update_at_zero"]]
    scores: list[list] = [[] for _ in range(m)]
    for k, claimed in enumerate(scheme["dual_coef"]):
        signs = [1 if c == (1 if K == 2 else k) else -1 for c in codes]
        made, random = dict.fromkeys(named, 0), np.random.default_rng([run["seed"], k])
        for _ in range(min(run["epochs"], 500)):
            before = dict(made)
            shuffled = run["order"] == "shuffled"
            visits = random.permutation(np.arange(m)).tolist() if shuffled else range(m)
            for t in (t for t in visits if t in made):
                value = sum((n * (gram[s][t] + lift) for s, n in made.items() if n), ZERO)
                if signs[t] * value < 0 or (value == 0 and signs[t] in at_zero):
                    made[t] += signs[t]
            if made == before:
                break
        if [made[t] for t in named] != [int(n) for n in claimed]:
            return False
        for t in range(m):
            value = sum((n * (gram[s][t] + lift) for s, n in made.items() if n), ZERO)
            scores[t].append(value)
    return set_bound(data, [standing(s, c) <= 0 for s, c in zip(scores, codes, strict=True)])


def online_to_batch(data, X, y) -> bool:
    codes, K = codes_of(data, y), len(data["labels"]["classes"])
    rows = rows_of(data, X, len(data["coef"][0]))
    X, m, runs = np.asarray(X, dtype=float), len(codes), data["runs"]
    if any(run["epochs"] != 1 or run["order"] == "misclassified" for run in runs):
        return False
    if len(runs) > 1 and any(run["order"] == "shuffled" for run in runs):
        return False
    seed = [runs[0]["seed"], runs[0]["output"], 1]
    shuffled = runs[0]["order"] == "shuffled"
    order = np.random.default_rng(seed).permutation(m) if shuffled else range(m)
    start = {**runs[0], "epochs": 0}
    W = [perceptron({**start, **run, "epochs": 0}, X, [1] * m, []) for run in runs]
    updates, wrong = [0] * len(runs), 0
    for t in order:
        exact = [
            dot(rationals(w[:-1].tolist()), rows[t]) + rational(float(w[-1])) * int(run["lifted"])
            for w, run in zip(W, runs, strict=True)
        ]
        wrong += standing(exact, codes[t]) <= 0
        for k, (w, run) in enumerate(zip(W, runs, strict=True)):
            sign = 1 if codes[t] == (1 if K == 2 else k) else -1
            lift = float(run["lifted"])
            margin = sign * (lanes(X[t], w[:-1], run["sparse"]) + lift * w[-1])
            at_zero = {"always": (-1, 1), "positive": (1,), "negative": (-1,)}
            if margin < 0 or (margin == 0 and sign in at_zero[run["update_at_zero"]]):
                updates[k] += 1
                step = float(Rate.from_dict(run["rate"])(np.array([updates[k]]))[0]) * sign
                w[:-1] += step * X[t]
                w[-1] += step * lift
    ends = [[*coef, b] for coef, b in zip(data["coef"], data["intercept"], strict=True)]
    return (
        [w.tolist() for w in W] == ends
        and wrong <= data["mistakes"]
        and formulas.online_to_batch_holds(data["bound"], m, data["mistakes"], data["delta"])
    )


CLOSE = 1e-12  # the iterates of a run in float64 are known up to this


def average_to_batch(data, X, y) -> bool:
    run, d = data["run"], len(data["coef"])
    rows, codes = rows_of(data, X, d), codes_of(data, y)
    require(len(codes) == len(rows) and len(data["labels"]["classes"]) == 2)
    if not run["average"] or max(dot(x, x) for x in rows) > rational(data["reach"]) ** 2:
        return False
    signs = np.array([1 if c == 1 else -1 for c in codes])
    lifted, iterates, _ = descent(run, np.asarray(X, float), signs)
    used, kind = iterates[:-1], loss_of(run["loss"])
    losses = kind.of(signs, np.sum(lifted * used, axis=1))
    far = math.hypot(data["reach"], float(run["lifted"]))
    longest = run["radius"]
    if longest is None:
        longest = -float(kind.slope(-math.inf)) * far / run["lam"]
    off = np.linalg.norm(np.mean(used, axis=0) - [*data["coef"], data["intercept"]])
    if np.max(np.linalg.norm(used, axis=1)) > longest * (1 + 1e-5):
        return False
    if not run["lifted"] and data["intercept"] != 0 and abs(data["intercept"]) > data["off"]:
        return False
    if float(np.sum(losses)) > data["loss"] * (1 + CLOSE) or off > data["off"] + CLOSE * longest:
        return False
    span = float(kind.of(1.0, -longest * far)) * (1 - CLOSE)
    least = float(kind.of(1.0, data["off"] * far)) * (1 + CLOSE)
    return least > 0 and formulas.online_to_batch_holds(
        data["bound"] * least, len(rows), data["loss"], data["delta"], span
    )


class Optimum:
    """(w*, b*) of a margin machine by its scores and products, from the Gram matrix, exactly."""

    def __init__(self, data, gram, signs):
        self.gram, self.signs, self.treatment = gram, signs, data["treatment"]
        self.free, self.lift = self.treatment == "free", self.treatment == "lifted"
        m = len(signs)
        Q = [[signs[s] * signs[t] * (gram[s][t] + self.lift) for t in range(m)] for s in range(m)]
        balance = [rational(s) for s in signs]
        A, b = [], []
        if self.free:
            A, b = [balance, [-v for v in balance]], [ZERO, ZERO]
        if "C" in data:
            box = [[-ONE if i == j else ZERO for j in range(m)] for i in range(m)]
            costs = costs_of(data, signs)
            found = least_quadratic(Q, [-ONE] * m, [*box, *A], [*(-c for c in costs), *b])
        else:  # hard: no upper ends
            found = least_quadratic(Q, [-ONE] * m, A, b)
        require(found is not None)
        self.coef = [a * s for a, s in zip(found[1], signs, strict=True)]
        self.scores = [dot(self.coef, row) for row in gram]
        self.bias = sum(self.coef, ZERO) if self.lift else ZERO
        if self.free:
            kinks = sorted(s - v for s, v in zip(signs, self.scores, strict=True))
            self.bias = kinks[sum(s > 0 for s in signs) - 1]
        self.margins = [s * (v + self.bias) for s, v in zip(signs, self.scores, strict=True)]


def is_near(optimum: Optimum, coef, scores, square, bias, longest2) -> bool:
    """Whether some multiple of (f, b) has no margin off by more than 1, on examples up to the
    longest: ‖f − w*‖·longest + |b − b*| ≤ 1, lifted ‖(f, b) − (w*, b*)‖·longest ≤ 1."""
    star2 = dot(optimum.coef, optimum.scores)
    inner = dot(optimum.coef, scores)
    for scale in (ONE, *_scales(optimum, inner, square)):
        apart2 = scale**2 * square - 2 * scale * inner + star2
        shift = abs(scale * bias - optimum.bias)
        if optimum.lift:
            if (apart2 + shift**2) * (longest2 + 1) <= 1:
                return True
        elif shift <= 1 and apart2 * longest2 <= (1 - shift) ** 2:
            return True
    return False


def _scales(optimum: Optimum, inner, square) -> list:
    return [inner / square] if square and inner > 0 else []


def support_bound(data, X, y) -> bool:
    m, supports = data["examples"], set()
    classes = data["labels"]["classes"]
    wanted = [(1, None)] if len(classes) == 2 else [(k, None) for k in range(len(classes))]
    asked = [(s["labels"]["positive"], s["labels"].get("against")) for s in data["solutions"]]
    of_pairs = len(classes) > 2 and asked == pairs(len(classes))
    if asked != wanted and not of_pairs:
        return False
    whole_X, whole_y, whole_m = X, y, m
    every = [1] * m
    kinds = {"SoftMarginGap": soft_margin_gap, "MaximumMargin": maximum_margin}
    for solution in data["solutions"]:
        if solution["labels"]["classes"] != classes:
            return False
        places = list(range(whole_m))
        if of_pairs:
            codes = codes_of(data, whole_y)
            require(len(codes) == whole_m)
            pair = solution["labels"]["positive"], solution["labels"]["against"]
            places = [t for t in places if codes[t] in pair]
            if not of_vectors(solution):
                whole = {**solution, "examples": whole_m}
                every = [row[t] for t, row in enumerate(gram_of(whole, whole_X))]
            else:
                every = [dot(row, row) for row in rows_of(data, whole_X)]
            solution, X, y = alone(solution, whole_X, whole_y)
            m = len(places)
        if solution["examples"] != m:
            return False
        if not kinds[solution["type"]](solution, X, y):
            return False
        if set(solution.get("class_weight", [1.0])) != {1.0} or solution.get("sample_weight"):
            return False
        codes = codes_of(solution, y)
        signs = [1 if c == solution["labels"]["positive"] else -1 for c in codes]
        if len(set(signs)) < 2 or solution["space"].get("shift"):
            return False
        if not of_vectors(solution):
            gram = gram_of(solution, X)
            coef = [ZERO] * m
            for t, a in zip(solution["rows"], solution["dual_coef"], strict=True):
                coef[t] = rational(a)
            scores = [dot(coef, row) for row in gram]
            square = dot(coef, scores)
        else:
            rows, coef = rows_of(solution, X), rationals(solution["coef"])
            gram = [[dot(a, b) for b in rows] for a in rows]
            scores, square = [dot(coef, x) for x in rows], dot(coef, coef)
        optimum = Optimum(solution, gram, signs)
        longest2 = max(every) if of_pairs else max(gram[t][t] for t in range(m))
        bias = rational(solution["intercept"])
        if not is_near(optimum, coef, scores, square, bias, longest2):
            return False
        supports |= {places[t] for t, margin in enumerate(optimum.margins) if margin <= 1}
        longest = max(range(m), key=lambda t: gram[t][t])
        if of_pairs:
            longest = max(range(whole_m), key=lambda t: every[t])
    if len(supports | {longest}) > data["supports"]:
        return False
    m = whole_m
    facts = m, data["supports"], data["delta"]
    return (
        formulas.campi_garatti_holds(data["bound"], *facts)
        and formulas.binomial_tail_holds(data["tail"], m, data["supports"], 0, data["delta"])
        and formulas.support_vector_holds(data["printed"], m, data["supports"], 0, data["delta"])
    )
