"""Kernels and soft-margin objectives in exact arithmetic (the exponential to fifty digits), and a
solver that shares nothing with the library."""

from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import Any, NamedTuple

import clarabel
import numpy as np
from scipy import sparse

from certo.certificates import KernelSample, Labels, SoftMarginGap
from certo.certificates.margins.soft_margin_gap import costs_of
from certo.issue.margins.soft_margin_gap import issue_soft_margin_gap
from certo.kernels import Function, Gaussian, Kernel, Linear, Polynomial, Precomputed

LABELS = Labels(("a", "b"))


def shared_letters(a: str, b: str) -> int:
    return len(set(a) & set(b))


def rational(values) -> list[Fraction]:
    return [Fraction(float(v)) for v in np.ravel(values)]


def exponential(exponent: Fraction) -> Fraction:
    with decimal.localcontext() as context:
        context.prec, context.Emin, context.Emax = 50, -(10**9), 10**9
        value = decimal.Decimal(exponent.numerator) / decimal.Decimal(exponent.denominator)
        return Fraction(value.exp()) if value > -5000 else Fraction(0)


def true_value(kernel: Kernel, x, z) -> Fraction:
    if isinstance(kernel, Function):
        return Fraction(float(kernel.of(x, z)))
    x, z = rational(x), rational(z)
    if isinstance(kernel, Gaussian):
        square = sum((a - b) ** 2 for a, b in zip(x, z, strict=True))
        return exponential(-square / (2 * Fraction(kernel.variance)))
    inner = sum(a * b for a, b in zip(x, z, strict=True))
    if isinstance(kernel, Linear):
        return Fraction(inner)
    assert isinstance(kernel, Polynomial)
    return (Fraction(kernel.offset) + Fraction(kernel.scale) * inner) ** kernel.degree


def true_gram(kernel: Kernel, X, shift: float = 0.0) -> list[list[Fraction]]:
    if isinstance(kernel, Precomputed):
        gram = [rational(row) for row in X]
        for i, row in enumerate(gram):
            row[i] += Fraction(shift)
        return gram
    return [[true_value(kernel, x, z) for z in X] for x in X]


class Problem(NamedTuple):
    kernel: Kernel
    X: Any
    signs: np.ndarray
    treatment: str
    C: float = 1.0
    class_weight: tuple[float, float] = (1.0, 1.0)
    sample_weight: tuple[float, ...] | np.ndarray = ()

    @property
    def y(self):
        return np.where(self.signs > 0, "b", "a")

    @property
    def costs(self):
        return costs_of(self.C, self.class_weight, self.signs, self.sample_weight)

    @property
    def sample(self) -> KernelSample:
        return KernelSample.of(self.X, self.y, LABELS, self.kernel)

    def claim(self, b, alpha, **options) -> SoftMarginGap:
        rows = np.flatnonzero(alpha)
        return issue_soft_margin_gap(
            self.sample, LABELS, intercept=b, treatment=self.treatment, C=self.C,
            class_weight=self.class_weight, sample_weight=self.sample_weight,
            rows=rows, dual_coef=(alpha * self.signs)[rows], **options,
        )  # fmt: skip


KERNELS = [
    Gaussian(1.0), Gaussian(0.01), Polynomial(3), Linear(), Precomputed(), Function(shared_letters),
]  # fmt: skip
STORIES = ["plain", "integer", "repeated", "far", "unbalanced"]


def problem(kernel: Kernel, story: str, seed: int, treatment: str) -> Problem:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(4, 13)), int(rng.integers(1, 4))
    X = rng.standard_normal((m, d)).astype(np.float32).astype(float)
    if story in ("integer", "repeated"):
        X = rng.integers(-2, 3, (m, d)).astype(float)
    if story == "repeated":
        X = X[rng.integers(0, 3, m)]
    signs = np.where(X @ rng.standard_normal(d) + rng.standard_normal(m) > 0, 1, -1)
    if story == "far":
        X = X + 100
    if story == "unbalanced":
        signs[1:] = -1
    signs[:2] = 1, -1
    points: Any = X
    if isinstance(kernel, Precomputed):
        points = X @ X.T
        points = (points + points.T) / 2
    elif isinstance(kernel, Function):
        points = ["".join(rng.choice(list("abcdefg"), 4)) for _ in range(m)]
    C = float(rng.choice([0.1, 1.0, 100.0]))
    class_weight = (1.0, 1.0) if seed % 2 else (0.3, 2.0)
    sample_weight = rng.choice([0.0, 0.5, 1.0, 1.1, 3.0], m) if seed % 3 == 0 else ()
    return Problem(kernel, points, signs, treatment, C, class_weight, sample_weight)


def gram(p: Problem) -> np.ndarray:
    return np.array([[float(v) for v in row] for row in true_gram(p.kernel, p.X)])


def solved(p: Problem) -> tuple[float, np.ndarray]:
    """(b, α): min ½α'Qα − Σα, 0 ≤ α ≤ c, by an interior-point method; b by trying them all."""
    y, some = p.signs.astype(float), np.flatnonzero(p.costs)  # a point between 0 and 0 is no inside
    m, K = some.size, gram(p) + float(p.treatment == "lifted")
    Q = sparse.csc_matrix(np.triu(y[:, None] * K * y)[np.ix_(some, some)])
    rows = [sparse.eye(m), -sparse.eye(m)]
    bounds, cones = [p.costs[some], np.zeros(m)], [clarabel.NonnegativeConeT(2 * m)]
    if p.treatment == "free":
        rows, bounds = [sparse.csc_matrix(y[None, some]), *rows], [np.zeros(1), *bounds]
        cones = [clarabel.ZeroConeT(1), *cones]
    quiet = clarabel.DefaultSettings()
    quiet.verbose = False
    quiet.tol_gap_abs = quiet.tol_gap_rel = quiet.tol_feas = 1e-11
    A = sparse.csc_matrix(sparse.vstack(rows))
    found = clarabel.DefaultSolver(Q, -np.ones(m), A, np.concatenate(bounds), cones, quiet).solve()
    alpha = np.zeros(y.size)
    alpha[some] = found.x
    alpha = feasible(alpha, p)
    b = 0.0 if p.treatment == "none" else float(alpha @ y)
    if p.treatment == "free":
        scores = gram(p) @ (alpha * y)
        losses = [p.costs @ np.maximum(1 - y * (scores + b), 0) for b in y - scores]
        b = float((y - scores)[np.argmin(losses)])
    return b, alpha


def feasible(alpha: np.ndarray, p: Problem) -> np.ndarray:
    """Near alpha: in the box, and for a free intercept on a grid where the classes balance."""
    alpha = np.clip(np.nan_to_num(alpha), 0, p.costs)
    if p.treatment != "free" or not p.costs.any():
        return alpha
    grid = 2.0 ** (math.ceil(math.log2(p.costs.max())) - 40)
    units = np.floor(alpha / grid).astype(int)
    surplus = int(units @ p.signs)
    for t in np.flatnonzero(p.signs == np.sign(surplus)):
        taken = min(units[t], abs(surplus))
        units[t] -= taken
        surplus -= taken * p.signs[t]
    return units * grid


def true_scores(gram: list[list[Fraction]], coef) -> list[Fraction]:
    coef = rational(coef)
    return [sum((a * k for a, k in zip(coef, row, strict=True)), Fraction(0)) for row in gram]


def true_square(gram: list[list[Fraction]], coef) -> Fraction:
    scores = true_scores(gram, coef)
    return sum((a * s for a, s in zip(rational(coef), scores, strict=True)), Fraction(0))


def true_values(p: Problem, b: float, alpha, shift: float = 0.0) -> tuple[Fraction, Fraction]:
    """P(f, b) and D(α)."""
    K, signed = true_gram(p.kernel, p.X, shift), alpha * p.signs
    square = true_square(K, signed)
    margins = [
        int(y) * (s + Fraction(b)) for y, s in zip(p.signs, true_scores(K, signed), strict=True)
    ]
    losses = sum(
        c * max(1 - margin, Fraction(0))
        for c, margin in zip(rational(p.costs), margins, strict=True)
    )
    lifted = p.treatment == "lifted"
    primal = (square + lifted * Fraction(b) ** 2) / 2 + losses
    dual = sum(rational(alpha)) - (square + lifted * sum(rational(signed)) ** 2) / 2
    return primal, dual


def stopped_early(p: Problem, seed: int) -> tuple[float, np.ndarray]:
    """A pair on the way from nothing to the best one, more or less far."""
    rng = np.random.default_rng(seed)
    b, alpha = solved(p)
    part, noise = rng.choice([0.0, 0.5, 0.99, 1.0, 1.0]), rng.choice([0.0, 0.0, 1e-9, 1e-4, 0.1])
    return part * b, feasible(part * alpha * (1 + noise * rng.standard_normal(alpha.size)), p)
