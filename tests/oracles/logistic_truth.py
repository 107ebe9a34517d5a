"""Logistic risks and their minima to more digits than float64 has, for small tables."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from certo.certificates import Labels, Sample
from certo.issue.regression.logistic_excess import issue_logistic_excess

STORES = [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist]
KINDS = ["plain", "integer", "scales", "shifted", "repeated", "collinear"]


class Problem(NamedTuple):
    X: np.ndarray
    codes: np.ndarray
    classes: int
    treatment: str = "free"
    ridge: float = 0.0
    sample_weight: np.ndarray | None = None

    @property
    def lifted(self):
        return self.treatment == "free"

    @property
    def outputs(self):
        return 1 if self.classes == 2 else self.classes

    @property
    def labels(self):
        return Labels(tuple("abcdefgh"[: self.classes]), self.classes - 1)

    @property
    def y(self):
        return np.array(self.labels.classes)[self.codes]

    @property
    def sample(self):
        return Sample(self.X, self.codes)

    @property
    def lift(self):
        return np.hstack([self.X, np.ones((len(self.X), int(self.lifted)))])

    @property
    def shares(self):
        s = np.ones(len(self.X)) if self.sample_weight is None else self.sample_weight
        return np.longdouble(s) / np.sum(np.longdouble(s))

    def scores(self, W):
        """(m, K) of the weights (outputs, p), the first class of two having 0."""
        f = np.longdouble(self.lift) @ np.longdouble(W).T
        return np.hstack([np.zeros_like(f), f]) if self.classes == 2 else f

    def losses(self, W, alive=None):
        f = self.scores(W)
        f = f - f[np.arange(len(f)), self.codes][:, None]
        if alive is not None:
            f = np.where(alive, f, -np.inf)
        top = np.maximum(f.max(axis=1), 0)
        return top + np.log(np.sum(np.exp(f - top[:, None]), axis=1))

    def risk(self, W):
        W = np.longdouble(W)
        return np.sum(self.shares * self.losses(W)) + np.longdouble(self.ridge) / 2 * np.sum(
            W[:, : self.X.shape[1]] ** 2
        )

    def gradient(self, W):
        f = self.scores(W)
        p = np.exp(f - f.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        apart = (p - (self.codes[:, None] == np.arange(self.classes)))[:, -self.outputs :]
        penalty = np.longdouble(self.ridge) * np.longdouble(W)
        penalty[:, self.X.shape[1] :] = 0
        return (self.shares[:, None] * apart).T @ np.longdouble(self.lift) + penalty, p

    def newton(self, W):
        """A step, with the Hessian in float64 and everything else to more digits."""
        g, p = self.gradient(W)
        p = p.astype(float)[:, -self.outputs :]
        weights = np.einsum("ik,kl->ikl", p, np.eye(self.outputs)) - np.einsum("ik,il->ikl", p, p)
        s, L = self.shares.astype(float), self.lift
        H = np.einsum("i,ikl,ia,ib->kalb", s, weights, L, L)
        size = self.outputs * L.shape[1]
        H = H.reshape(size, size) + np.diag(
            np.tile(np.r_[np.full(self.X.shape[1], self.ridge), [0.0] * self.lifted], self.outputs)
        )
        scale = np.sqrt(np.maximum(np.diag(H), 1e-300))
        step = np.linalg.lstsq(
            H / scale / scale[:, None], g.astype(float).ravel() / scale, rcond=1e-12
        )
        return (step[0] / scale).reshape(np.shape(W))

    def best(self, steps=60):
        """Weights of the least risk, by damped Newton steps."""
        W = np.zeros((self.outputs, self.lift.shape[1]), dtype=np.longdouble)
        for _ in range(steps):
            step, t, before = self.newton(W), 1.0, self.risk(W)
            while self.risk(W - t * step) > before and t > 1e-6:
                t /= 2
            if t <= 1e-6 or np.max(np.abs(step)) <= 1e-17 * np.max(np.abs(W)):
                break
            W = W - t * step
        return W

    def claim(self, W, X=None, **options):
        W = np.asarray(W, dtype=np.float64)
        d = self.X.shape[1]
        intercept = W[:, d] if self.lifted else np.zeros(self.outputs)
        return issue_logistic_excess(
            self.sample if X is None else Sample(X, self.codes), self.labels, coef=W[:, :d],
            intercept=intercept, treatment=self.treatment, ridge=self.ridge,
            sample_weight=self.sample_weight, **options,
        )  # fmt: skip

    def separated(self):
        """Which comparisons (t, k) some direction wins, none being lost; by a linear program."""
        m, p = self.lift.shape
        K = self.classes
        pairs = [(t, k) for t in range(m) for k in range(K) if k != self.codes[t]]
        rows = np.zeros((len(pairs), K * p))
        for i, (t, k) in enumerate(pairs):
            rows[i, self.codes[t] * p : self.codes[t] * p + p] = self.lift[t]
            rows[i, k * p : k * p + p] = -self.lift[t]
        n = len(pairs)
        found = linprog(
            np.r_[np.zeros(K * p), -np.ones(n)],
            A_ub=np.hstack([-rows, np.eye(n)]), b_ub=np.zeros(n),
            bounds=[(-1e4, 1e4)] * (K * p) + [(0, 1)] * n,
        )  # fmt: skip
        won = np.zeros((m, K), dtype=bool)
        for (t, k), value in zip(pairs, found.x[K * p :], strict=True):
            won[t, k] = value > 0.5
        return won, found.x[: K * p].reshape(K, p)


def problem(kind: str, seed: int, classes: int, treatment: str, ridge: float) -> Problem:
    rng = np.random.default_rng(seed)
    m, d = int(rng.integers(8, 40)), int(rng.integers(1, 4))
    X = rng.standard_normal((m, d)).astype(np.float32).astype(float)
    if kind in ("integer", "repeated"):
        X = rng.integers(-2, 3, (m, d)).astype(float)
    if kind == "repeated":
        X = X[rng.integers(0, 6, m)]
    if kind == "scales":
        X *= 2.0 ** rng.integers(-20, 20, d)
    if kind == "shifted":
        X += 1000
    if kind == "collinear" and not ridge:
        X = np.rint(4 * X)
        X = np.hstack([X, (X.sum(axis=1) - 3)[:, None]])
    centred = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    score = centred @ rng.standard_normal((X.shape[1], classes)) + 1.5 * rng.gumbel(
        size=(m, classes)
    )
    codes = np.argmax(score, axis=1)
    codes[:classes] = np.arange(classes)
    weight = rng.choice([0.0, 0.5, 1.0, 2.5], m) if seed % 3 == 0 else None
    if weight is not None:
        weight[:classes] = 1.0
    return Problem(X, codes, classes, treatment, ridge, weight)
