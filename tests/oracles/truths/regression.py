"""Claims about least squares (in rationals) and logistic regression (to sixty digits)."""

from __future__ import annotations

import contextlib

import numpy as np
from flint import arb, arb_mat, ctx, fmpq

from certo.certificates import Certificate
from tests.oracles.least_squares_truth import Truth
from tests.oracles.truths.arithmetic import (
    ONE,
    ZERO,
    approximate,
    dot,
    least_quadratic,
    pivots,
    rational,
    rationals,
)
from tests.oracles.truths.samples import codes_of, comparisons, lifted, require, rows_of
from tests.oracles.truths.separation import winnable

DIGITS = 250  # bits


def least_squares_excess(data, X, y) -> bool:
    y = np.asarray(y, dtype=float)
    Y = y[:, None] if y.ndim == 1 else y
    d, columns = len(data["coef"][0]), data["labels"]["columns"]
    rows_of(data, X, d)
    require(Y.shape == (data["examples"], columns or 1) and len(data["coef"]) == (columns or 1))
    free = data["treatment"] == "free"
    if not free and any(data["intercept"]):
        return False
    truth = Truth(
        np.asarray(X, dtype=float), Y, free, data["ridge"], np.array(data["sample_weight"])
    )
    F = truth.objective(data["coef"], data["intercept"])
    least = truth.minimum() if data["reach"] is None else _least_within(truth, data, F)
    claim = Certificate.from_dict(data)
    if data["risk"] < F or least < data["lower"] or F - least > data["excess"]:
        return False
    if claim.correlation is not None and claim.correlation < 1:
        whole = sum(truth.s)
        w, b = data["coef"][0], data["intercept"][0]
        residuals = [
            _fraction(t) - sum(_fraction(c) * v for c, v in zip(w, x, strict=False)) - _fraction(b)
            for t, x in zip(Y[:, 0], truth.rows, strict=True)
        ]
        mean = sum(s * r for s, r in zip(truth.s, residuals, strict=True)) / whole
        explained, spread = F - truth.minimum() - mean**2, F - mean**2
        if explained > _fraction(claim.correlation) ** 2 * spread:
            return False
    near = data["distance"]
    return near is None or truth.distance_squared(data["coef"]) <= _fraction(near) ** 2


def _fraction(value):
    from fractions import Fraction

    return Fraction(float(value))


def _least_within(truth: Truth, data, F):
    """The least objective where the coefficients of the columns that are not kept differ from these
    by at most `reach` in all: over those kept by projection, over the others by a quadratic
    program in v⁺, v⁻ ≥ 0 with Σ(v⁺ + v⁻) ≤ reach."""
    from fractions import Fraction

    d, lift = truth.X.shape[1], truth.lifted
    kept = data["kept"]
    rest = [j for j in range(d + lift) if j not in kept]
    whole = sum(truth.s)
    columns = [list(map(rational, c)) for c in zip(*truth.rows, strict=True)]
    s = [rational(v / whole) for v in truth.s]

    def inner(a, b):
        return sum((w * p * q for w, p, q in zip(s, a, b, strict=True)), ZERO)

    # an orthogonal basis of the columns kept
    basis = []
    for j in kept:
        v = columns[j]
        for b in basis:
            v = [p - inner(v, b) / inner(b, b) * q for p, q in zip(v, b, strict=True)]
        if inner(v, v):
            basis.append(v)

    def beside(v):
        for b in basis:
            v = [p - inner(v, b) / inner(b, b) * q for p, q in zip(v, b, strict=True)]
        return v

    others = [beside(columns[j]) for j in rest]
    q, n = truth.Y.shape[1], len(rest)
    size = 2 * n * q
    Q = [[ZERO] * size for _ in range(size)]
    p, constant = [ZERO] * size, ZERO
    for k in range(q):
        w = rationals(data["coef"][k]) + [rational(data["intercept"][k])] * lift
        residual = [
            rational(float(t)) - dot(w, [c[i] for c in columns])
            for i, t in enumerate(truth.Y[:, k].tolist())
        ]
        residual = beside(residual)
        constant += inner(residual, residual)
        for i in range(n):
            for half_i, sign_i in ((0, 1), (1, -1)):
                a = (2 * k + half_i) * n + i
                p[a] = -2 * sign_i * inner(residual, others[i])
                for j in range(n):
                    for half_j, sign_j in ((0, 1), (1, -1)):
                        b = (2 * k + half_j) * n + j
                        Q[a][b] = 2 * sign_i * sign_j * inner(others[i], others[j])
    found = least_quadratic(Q, p, [[-ONE] * size], [-rational(data["reach"])])
    assert found is not None
    value = constant + found[0]
    return Fraction(int(value.p), int(value.q))


class Logistic:
    """inf F, on few examples: comparisons that can be won for ever are left out (exactly decided),
    and what is left is minimised by Newton's steps to many digits over independent coordinates."""

    def __init__(self, data, X, y):
        classes = data["labels"]["classes"]
        self.K, self.free = len(classes), data["treatment"] == "free"
        self.outputs = 1 if self.K == 2 else self.K
        d = len(data["coef"][0])
        rows, codes = rows_of(data, X, d), codes_of(data, y)
        require(len(codes) == len(rows) and len(data["coef"]) == self.outputs)
        of_class = data["class_weight"] or [1.0] * self.K
        of_row = data["sample_weight"] or [1.0] * len(rows)
        require(len(of_class) == self.K and len(of_row) == len(rows))
        weights = rationals(
            float(of_class[k]) * float(s) for k, s in zip(codes, of_row, strict=True)
        )
        whole = sum(weights, ZERO)
        require(whole > 0)
        self.rows, self.codes, self.p = lifted(rows, self.free), codes, d + self.free
        self.shares = [w / whole for w in weights]
        self.d, self.ridge = d, rational(data["ridge"])
        self.some = [t for t, share in enumerate(self.shares) if share > 0]

    def stacked(self, data) -> list[fmpq]:
        W = [
            rationals(w) + [rational(b)] * self.free
            for w, b in zip(data["coef"], data["intercept"], strict=True)
        ]
        return [v for w in ([[ZERO] * self.p, *W] if self.K == 2 else W) for v in w]

    @property
    def penalties(self) -> list[fmpq]:
        """What (ridge/2)‖w‖² is for each coordinate; for two classes the first has no weights."""
        return [
            self.ridge if j % self.p < self.d and not (self.K == 2 and j < self.p) else ZERO
            for j in range(self.K * self.p)
        ]

    def compared(self) -> dict:
        z = comparisons(self.rows, self.codes, self.K)
        return {pair: v for pair, v in z.items() if self.shares[pair[0]] > 0}

    def attained(self) -> bool:
        """Whether nothing can be won for ever: with a ridge, by intercepts alone."""
        return not self._winnable(self.compared())

    def _winnable(self, z: dict) -> set:
        if not self.ridge:
            return winnable(z)
        if not self.free:
            return set()
        return winnable({pair: v[self.d :: self.p] for pair, v in z.items()})

    def risk(self, v, z=None, penalties=None):
        """At stacked weights (arb), over these comparisons (all by default)."""
        z = self.compared() if z is None else z
        sums = {t: arb(1) for t in self.some}
        for (t, _), vector in z.items():
            sums[t] += (-_score(vector, v)).exp()
        total = sum((_real(self.shares[t]) * sums[t].log() for t in self.some), arb(0))
        penalties = self.penalties if penalties is None else penalties
        return total + sum((_real(c) / 2 * x**2 for c, x in zip(penalties, v, strict=True)), arb(0))

    def infimum(self):
        z = self.compared()
        won = self._winnable(z)
        z = {pair: v for pair, v in z.items() if pair not in won}
        free = self._coordinates(z)
        size = self.K * self.p
        # in units in which the comparisons are of moderate size: the least value is the same
        units = [_unit([v[j] for v in z.values()]) for j in range(size)]
        z = {pair: [a / c for a, c in zip(v, units, strict=True)] for pair, v in z.items()}
        penalties = [c / u**2 for c, u in zip(self.penalties, units, strict=True)]
        v = [arb(0)] * size
        if not free:
            return self.risk(v, z, penalties)
        with contextlib.suppress(OverflowError):  # a ridge beyond float64 keeps v near 0
            if ctx.prec == DIGITS:
                for j, x in zip(free, _float_newton(self, z, free, penalties), strict=True):
                    v[j] = arb(x)
        for _ in range(1000):
            g, H = self._slopes(v, z, free, penalties)
            step = arb_mat(H).solve(arb_mat([[x] for x in g]))
            before, part = self.risk(v, z, penalties), arb(1)
            while part > 1e-9:
                there = list(v)
                for i, j in enumerate(free):
                    there[j] = (v[j] - part * step[i, 0]).mid()
                if not self.risk(there, z, penalties) > before:
                    break
                part /= 2
            v = there
            longest = max(abs(float(step[i, 0].mid())) for i in range(len(free)))
            if longest < 1e-40 * max(1.0, *(abs(float(x)) for x in v)):
                return self.risk(v, z, penalties)
        raise AssertionError("Newton's steps did not settle")

    def _coordinates(self, z: dict) -> list[int]:
        """Independent ones, on which the scores of these comparisons depend."""
        rows = [list(v) for v in z.values()]
        size = self.K * self.p
        if self.ridge:
            slopes = [k * self.p + j for k in range(self.K) for j in range(self.d)]
            rows += [[ONE if i == place else ZERO for i in range(size)] for place in slopes]
        if self.K == 2:  # the first class has 0
            rows = [[ZERO] * self.p + row[self.p :] for row in rows]
        return pivots(rows)

    def _slopes(self, v, z: dict, free, penalties):
        n = len(free)
        g, H = [arb(0)] * n, [[arb(0)] * n for _ in range(n)]
        terms: dict[int, list] = {t: [] for t in self.some}
        for (t, _), vector in z.items():
            terms[t].append(((-_score(vector, v)).exp(), [_real(vector[j]) for j in free]))
        for t, parts in terms.items():
            whole, share = sum((e for e, _ in parts), arb(1)), _real(self.shares[t])
            mean = [sum((e * x[i] for e, x in parts), arb(0)) / whole for i in range(n)]
            for i in range(n):
                g[i] -= share * mean[i]
                for j in range(i + 1):
                    second = sum((e * x[i] * x[j] for e, x in parts), arb(0)) / whole
                    H[i][j] += share * (second - mean[i] * mean[j])
        for i, place in enumerate(free):
            g[i] += _real(penalties[place]) * v[place]
            H[i][i] += _real(penalties[place])
            for j in range(i):
                H[j][i] = H[i][j]
        return g, H


def _score(vector, v) -> arb:
    return sum((_real(a) * b for a, b in zip(vector, v, strict=True) if a), arb(0))


def _unit(entries) -> fmpq:
    """A power of two near the largest, or 1."""
    largest = max(map(abs, entries), default=ZERO)
    if not largest:
        return ONE
    power = int(largest.p).bit_length() - int(largest.q).bit_length()
    return fmpq(2) ** power


def _real(value: fmpq) -> arb:
    return arb(value)


def _float_newton(problem: Logistic, z: dict, free, penalties) -> list[float]:
    """Damped steps in float64 from 0, to begin with."""
    Z = np.array([[approximate(v[j]) for j in free] for v in z.values()]).reshape(-1, len(free))
    of = np.array([pair[0] for pair in z], dtype=int)
    shares = np.array([approximate(s) for s in problem.shares])
    ridge = np.array([approximate(penalties[j]) for j in free])

    def value(v):
        e = np.exp(-np.clip(Z @ v, -500, 500))
        return shares @ np.log1p(np.bincount(of, e, len(shares))) + ridge @ v**2 / 2

    v = np.zeros(len(free))
    for _ in range(200):
        e = np.exp(-np.clip(Z @ v, -500, 500))
        whole = 1 + np.bincount(of, e, len(shares))
        q = e / whole[of]
        M = np.zeros((len(shares), len(free)))
        np.add.at(M, of, q[:, None] * Z)
        g = -shares @ M + ridge * v
        H = (Z * (shares[of] * q)[:, None]).T @ Z - (M * shares[:, None]).T @ M + np.diag(ridge)
        step, t = np.linalg.lstsq(H, g, rcond=None)[0], 1.0
        while value(v - t * step) > value(v) and t > 1e-9:
            t /= 2
        v = v - t * step
        if np.max(np.abs(step)) < 1e-9 * max(1.0, np.max(np.abs(v))):
            break
    return v.tolist()


def logistic_excess(data, X, y) -> bool:
    before, ctx.prec = ctx.prec, DIGITS
    try:
        truth = Logistic(data, X, y)
        if data["treatment"] != "free" and any(data["intercept"]):
            return False
        at = [_real(v) for v in truth.stacked(data)]
        if not truth.risk(at) <= _real(rational(data["risk"])):
            return False
        if Certificate.from_dict(data).exists and not truth.attained():
            return False
        return _nowhere_below(truth, _real(rational(data["lower"])), data["reach"])
    finally:
        ctx.prec = before


def _nowhere_below(truth: Logistic, lower: arb, reach) -> bool:
    """Whether inf F ≥ lower. A penalty only adds, and a small one leads far: first without."""
    if not lower > 0:
        return True
    ridge, near = truth.ridge, arb(2) ** -200
    if ridge and ridge < rational(1e-6):
        truth.ridge = ZERO
        if truth.infimum() + near >= lower:
            return True
        truth.ridge = ridge
    try:
        least = truth.infimum()
    except (ZeroDivisionError, AssertionError):  # too far for so few digits
        ctx.prec = 16 * DIGITS
        least = truth.infimum()
    if least + near >= lower:
        return True
    if reach is not None:  # nothing smaller within reach? then it is true as well
        raise NotImplementedError("a claim about coefficients within reach")
    return False
