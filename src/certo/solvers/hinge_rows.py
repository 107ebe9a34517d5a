"""The examples of a soft-margin problem, and the passes over them that solvers make."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dsyrk

from certo.compiled.rows import rows_of
from certo.compiled.soft_margin import add_squares, lengths, pull, signed_products, slope_along
from certo.compiled.threads import in_pieces, pieces

SQUARED_ROWS_AT_A_TIME = 4096  # Dense rows whose squares are added at a time.


class Pull(NamedTuple):
    """The value of the smoothed weights (see `certo.compiled.soft_margin.pull`)."""

    v: np.ndarray  # Σ α_t y_t x̃_t
    hinge: float  # Σ c_t [r_t]₊
    product: float  # Σ α_t r_t
    total: float  # Σ α_t
    opened: np.ndarray  # Examples whose weights are strictly between the bounds.


class HingeRows:
    """Rows x̃_t with signs and costs; with `lift`, (x_t, 1) is meant."""

    def __init__(self, X, signs: np.ndarray, costs: np.ndarray, lift: bool):
        self.X, self.signs, self.costs = X, signs, costs
        self.m, d = X.shape
        self.lift, self.dimension = float(lift), d + int(lift)
        self.rows = rows_of(X)
        self.work = float(X.nnz if sparse.issparse(X) else X.size) + self.m
        self.total = float(costs.sum())
        self._pieces = pieces(self.m, self.work)
        self._opened = np.empty(self.m, np.int64)
        self._lengths: np.ndarray | None = None

    def take(self, chosen: np.ndarray, scale: float = 1.0) -> HingeRows:
        return HingeRows(
            self.X[chosen], self.signs[chosen], self.costs[chosen] * scale, bool(self.lift)
        )

    @property
    def lengths(self) -> np.ndarray:
        """‖x̃_t‖."""
        if self._lengths is None:
            self._lengths = np.empty(self.m)
            in_pieces(
                self._pieces,
                lambda k, start, stop: lengths(self.rows, self.lift, start, stop, self._lengths),
            )
        return self._lengths

    def products(self, w: np.ndarray, out: np.ndarray) -> np.ndarray:
        """out[t] = y_t w·x̃_t."""
        in_pieces(
            self._pieces,
            lambda k, start, stop: signed_products(
                self.rows, self.signs, w, self.lift, start, stop, out
            ),
        )
        return out

    def pull(self, beta: np.ndarray, tau: float, r: np.ndarray) -> Pull:
        v, sums = np.zeros((len(self._pieces), self.dimension)), np.zeros((len(self._pieces), 3))
        counts = in_pieces(
            self._pieces,
            lambda k, start, stop: pull(
                self.rows, self.signs, self.costs, beta, tau, r, self.lift, start, stop,
                v[k], sums[k], self._opened,
            ),
        )  # fmt: skip
        parts = zip(self._pieces, counts, strict=True)
        opened = np.concatenate([self._opened[start : start + n] for (start, _), n in parts])
        hinge, product, total = sums.sum(axis=0).tolist()
        return Pull(v.sum(axis=0), hinge, product, total, opened)

    def combination(self, alpha: np.ndarray) -> np.ndarray:
        """Σ α_t y_t x̃_t."""
        weights = np.divide(alpha, self.costs, out=np.zeros(self.m), where=self.costs > 0)
        return self.pull(weights, 0.0, np.zeros(self.m)).v

    def slope_along(self, beta, tau: float, r, q, step: float) -> float:
        parts = pieces(self.m, self.m)
        return sum(
            in_pieces(
                parts,
                lambda k, start, stop: slope_along(self.costs, beta, tau, r, q, step, start, stop),
            )
        )

    def squares(self, opened: np.ndarray, tau: float) -> np.ndarray:
        """The lower triangle of Σ τ c_t x̃_t x̃_tᵀ over the opened examples."""
        D, X = self.dimension, self.X
        if sparse.issparse(X):
            parts = pieces(opened.size, opened.size * (self.work / self.m) ** 2)
            sums = np.zeros((len(parts), D, D))
            in_pieces(
                parts,
                lambda k, start, stop: add_squares(
                    self.rows, self.costs, opened, tau, self.lift, start, stop, sums[k]
                ),
            )
            return sums.sum(axis=0)
        H = np.zeros((D, D), order="F")
        for start in range(0, opened.size, SQUARED_ROWS_AT_A_TIME):
            some = opened[start : start + SQUARED_ROWS_AT_A_TIME]
            part = np.ones((some.size, D))
            part[:, : X.shape[1]] = X[some]
            part *= np.sqrt(tau * self.costs[some])[:, None]
            H = dsyrk(1.0, part.T, beta=1.0, c=H, lower=True, overwrite_c=True)
        return H
