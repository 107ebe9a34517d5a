"""The truth about densities in exact rational and rigorous interval arithmetic (Arb), without the
code under test."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import acb, arb, arb_mat, ctx, fmpq

ctx.prec = 200


def real(value) -> arb:
    fraction = Fraction(value)
    return arb(fmpq(fraction.numerator, fraction.denominator))


def shares(weights, m: int) -> list[Fraction]:
    weights = [Fraction(w) for w in weights] if len(weights) else [Fraction(1)] * m
    return [w / sum(weights) for w in weights]


def determinant(matrix: list[list[Fraction]]) -> Fraction:
    rows, result = [list(row) for row in matrix], Fraction(1)
    while rows:
        at = next((i for i, row in enumerate(rows) if row[0]), None)
        if at is None:
            return Fraction(0)
        own = rows.pop(at)
        result *= own[0] * (-1) ** at
        rows = [
            [a - row[0] / own[0] * b for a, b in zip(row[1:], own[1:], strict=True)] for row in rows
        ]
    return result


class Moments:
    """Mean and covariance of examples, exactly."""

    def __init__(self, X, weights=()):
        self.rows = [[Fraction(float(v)) for v in row] for row in np.asarray(X)]
        self.p = shares(weights, len(self.rows))
        self.d = len(self.rows[0])
        self.mean = [self.of(lambda x, j=j: x[j]) for j in range(self.d)]
        m = self.mean
        self.covariance = [
            [self.of(lambda x, j=j, k=k: (x[j] - m[j]) * (x[k] - m[k])) for k in range(self.d)]
            for j in range(self.d)
        ]

    def of(self, function) -> Fraction:
        return sum((p * function(x) for p, x in zip(self.p, self.rows, strict=True)), Fraction(0))


def gaussian_risk(moments: Moments, mean, factor) -> arb:
    """−mean log p of the density with that mean and factor L."""
    d = moments.d
    L = [[Fraction(float(v)) for v in row] for row in factor]
    centre = [Fraction(float(v)) for v in mean]

    def square(x):
        return sum(
            sum((x[k] - centre[k]) * L[k][j] for k in range(d)) ** 2 for j in range(d)
        )  # fmt: skip

    logs = sum((real(L[j][j]).log() for j in range(d)), arb(0))
    return arb(d) / 2 * (2 * arb.pi()).log() - logs + real(moments.of(square)) / 2


def least_gaussian_risk(moments: Moments, kind: str) -> arb | None:
    """None, if there is no least."""
    d = moments.d
    if kind == "diagonal":
        size = Fraction(1)
        for j in range(d):
            size *= moments.covariance[j][j]
    else:
        size = determinant(moments.covariance)
    if size <= 0:
        return None
    return arb(d) / 2 * ((2 * arb.pi()).log() + 1) + real(size).log() / 2


def density_covariance(factor) -> list[list[Fraction]]:
    """(LLᵀ)⁻¹ for an upper triangular L, by the columns of L⁻¹."""
    d, inverse = len(factor), []
    for j in range(d):
        column = [Fraction(0)] * d
        for i in reversed(range(j + 1)):
            known = sum((Fraction(factor[i][k]) * column[k] for k in range(i + 1, d)), Fraction(0))
            column[i] = ((i == j) - known) / Fraction(factor[i][i])
        inverse.append(column)
    return [[sum(a * b for a, b in zip(u, v, strict=True)) for v in inverse] for u in inverse]


def gaussian_is_true(data: dict, X) -> bool:
    moments = Moments(X, data["sample_weight"])
    d, diagonal = moments.d, data["kind"] == "diagonal"
    if len(X) != data["examples"] or d != len(data["mean"]):
        return False
    least = least_gaussian_risk(moments, data["kind"])
    if least is None or not least >= real(data["lower"]):
        return False
    if not gaussian_risk(moments, data["mean"], data["factor"]) <= real(data["risk"]):
        return False
    mean_error, covariance_error = Fraction(data["mean_error"]), Fraction(data["covariance_error"])
    of_density = density_covariance(data["factor"])
    for j in range(d):
        off = abs(Fraction(data["mean"][j]) - moments.mean[j])
        if off**2 > mean_error**2 * moments.covariance[j][j]:
            return False
        for k in [j] if diagonal else range(d):
            own = moments.covariance[j][j] * moments.covariance[k][k]
            for entry in (Fraction(data["covariance"][j][k]), of_density[j][k]):
                if (entry - moments.covariance[j][k]) ** 2 > covariance_error**2 * own:
                    return False
    return True


class LogLinear:
    """exp(w·φ) on an interval, φ_k = T_k(2τ − 1) or cos(πkτ), by rigorous integration."""

    def __init__(self, family: str, degree: int, low: float, high: float, X, weights=()):
        self.family, self.degree = family, degree
        self.width = real(Fraction(high) - Fraction(low))
        self.p = shares(weights, len(X))
        places = [
            (Fraction(float(x[0])) - Fraction(low)) / (Fraction(high) - Fraction(low)) for x in X
        ]
        self.inside = all(0 <= tau <= 1 for tau in places)
        values = [self.features(acb(real(tau))) for tau in places]
        self.means = [
            sum((real(p) * v[k].real for p, v in zip(self.p, values, strict=True)), arb(0))
            for k in range(degree)
        ]

    def features(self, tau: acb) -> list[acb]:
        if self.family == "cosines":
            return [(acb.pi() * k * tau).cos() for k in range(1, self.degree + 1)]
        t = 2 * tau - 1
        values = [acb(1), t]
        for _ in range(self.degree - 1):
            values.append(2 * t * values[-1] - values[-2])
        return values[1:]

    def integral(self, w: list[arb], *which: int) -> arb:
        """∫ e^(w·φ) Π φ_which dτ."""

        def value(tau, _):
            phi = self.features(tau)
            s = sum((c * f for c, f in zip(w, phi, strict=True)), acb(0))
            result = s.exp()
            for k in which:
                result *= phi[k]
            return result

        return acb.integral(value, 0, 1, rel_tol=arb(2) ** -130, abs_tol=arb(2) ** -130).real

    def risk(self, w: list[arb]) -> arb:
        linear = sum((c * m for c, m in zip(w, self.means, strict=True)), arb(0))
        return self.integral(w).log() + self.width.log() - linear

    def gradient(self, w: list[arb]) -> list[arb]:
        mass = self.integral(w)
        return [self.integral(w, k) / mass - self.means[k] for k in range(self.degree)]

    def least(self, w) -> arb:
        """A risk within about 1e-30 of the least, from w near the minimiser, by Newton's steps."""
        w = [real(c) for c in w]
        for _ in range(3):
            mass = self.integral(w)
            mean = [self.integral(w, k) / mass for k in range(self.degree)]
            H = [
                [self.integral(w, j, k) / mass - mean[j] * mean[k] for k in range(self.degree)]
                for j in range(self.degree)
            ]
            g = arb_mat([[m - own] for m, own in zip(mean, self.means, strict=True)])
            step = arb_mat(H).solve(g)
            w = [(c - step[k, 0]).mid() for k, c in enumerate(w)]
        return self.risk(w)


def rectangle(family: str, orders, coef, n: int = 150) -> tuple[arb, list[arb], list[list[arb]]]:
    """Mean of e^s over the unit square, means and second means of the features under the density,
    by Gauss and Legendre in 200 bits: their error is far below float64's rounding."""
    roots = [arb.legendre_p_root(n, k, weight=True) for k in range(n)]
    truth = LogLinear(family, int(np.max(orders)), 0.0, 1.0, [[0.5]])
    tables = [[arb(1), *(v.real for v in truth.features(acb((t + 1) / 2)))] for t, _ in roots]
    w = np.zeros((len(tables[0]), len(tables[0])), dtype=object)
    for (j, k), c in zip(orders, coef, strict=True):
        w[j, k] = real(c)
    T = np.array(tables, dtype=object)
    s = T @ w @ T.T
    p = np.array([[v.exp() for v in row] for row in s], dtype=object)
    weights = np.array([weight / 2 for _, weight in roots], dtype=object)
    p = p * weights[:, None] * weights[None, :]
    mass = p.sum()
    phi = [(T[:, j], T[:, k]) for j, k in orders]
    means = [(a @ p @ b) / mass for a, b in phi]
    second = [[((a * c) @ p @ (b * d)) / mass for c, d in phi] for a, b in phi]
    return mass, means, second
