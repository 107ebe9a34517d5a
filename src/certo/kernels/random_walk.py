from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
from scipy import sparse

from certo.kernels.base import compiled, number
from certo.kernels.graph import GraphKernel, Vertices, vertices
from certo.kernels.objects import Base, StructuredKernel
from certo.numbers.rounding import Rounding, gamma

RESIDUAL_SLACK = 16.0  # Residuals may be so many times as large as their rounding.
MAX_RELATIVE_ERROR = 1e-6  # Values that may be off by more are refused.
MAX_CG_RESTARTS = 20  # Conjugate gradients start again with the true residual.
CG_RESTART_STEPS = 1000  # Steps of conjugate gradients between two restarts.
MAX_DENSE_ROWS = 100  # Of smaller matrices all eigenvalues are computed.


@final
@dataclass(frozen=True)
class RandomWalk(GraphKernel):
    """The geometric random-walk kernel: walks with the same labels, long ones for less.

    Definition    K(G, H) = Σ_{k ≥ 0} decay^k·#{pairs of walks of k edges with the same labels}
    Formula       1ᵀ(I − decay·A)⁻¹1, A the adjacency matrix of pairs of vertices with equal labels
    Domain        graphs with labelled vertices: pairs (edges, labels), networkx graphs, `Graph`
    References    Gärtner, Flach, Wrobel, "On graph kernels: hardness results and efficient
                  alternatives", COLT 2003; Vishwanathan, Schraudolph, Kondor, Borgwardt, "Graph
                  kernels", JMLR 2010

    The sum is finite for two graphs if it is for each with itself, by Cauchy and Schwarz. Where
    that cannot be shown, graphs are refused, with the limit.

    Parameters
    ----------
    decay : float, above 0
        The weight of an edge; below `RandomWalk.limit(X)`.

    Examples
    --------
    >>> edge = [("a", "b")], {"a": "C", "b": "O"}
    >>> RandomWalk(decay=0.5)([edge])  # two walks of each length: 2 + 2/2 + 2/4 + …
    array([[4.]])
    >>> round(RandomWalk.limit([edge]), 6)
    1.0
    """

    decay: float = 0.01

    def __post_init__(self):
        object.__setattr__(self, "decay", number(self.decay, "decay"))

    @staticmethod
    def limit(X) -> float:
        """The decay at which the sum of one of the graphs X with itself becomes infinite."""
        X = StructuredKernel.examples(RandomWalk(), X)
        all_, rows = vertices(X.base), np.unique(X.rows)
        # Without labels the product graph has more edges, and the square of a graph's eigenvalue.
        bounds = np.array([_largest(_part(all_, g)) ** 2 for g in rows])
        largest = 0.0
        for k in np.argsort(-bounds):
            if bounds[k] > largest:
                largest = max(largest, _radius(all_, rows[k]))
        return 1.0 / largest if largest else math.inf

    def examples(self, X):
        X = super().examples(X)
        X.base.known((self, "selves"), self._selves)
        return X

    def _selves(self, base: Base) -> tuple[np.ndarray, float]:
        """K(G, G) of all graphs, and the largest entry of any x; or a ValueError."""
        largest, squares = 0.0, np.empty(len(base))
        for g in range(len(base)):
            x, _ = self._solve_products(base, g, np.array([g]))
            if x is None or self._error(base, float(np.max(x, initial=0.0))) > MAX_RELATIVE_ERROR:
                near = self._error(base, 0.0) / MAX_RELATIVE_ERROR  # Since x ≈ 1/(1 − decay/limit).
                raise ValueError(
                    f"decay must be below {RandomWalk.limit(base.items):.10g} for these graphs, "
                    f"got {self.decay!r}: the sum over walks of graph {g} with itself is infinite, "
                    f"or too nearly so to be computed, as within about {near:.0e} times the limit "
                    "below it. RandomWalk.limit(X) gives the limit."
                )
            squares[g], largest = np.sum(x), max(largest, float(np.max(x, initial=0.0)))
        return squares, largest

    def _squares(self, base):
        return base.known((self, "selves"), self._selves)[0]

    def _plain(self, base, rows, columns):
        distinct, place = np.unique(columns, return_inverse=True)
        block = np.empty((rows.size, distinct.size))
        for i, g in enumerate(rows):
            x, graph = self._solve_products(base, g, distinct)
            if x is None:
                raise _not_found()
            block[i] = np.bincount(graph, weights=x.sum(axis=0), minlength=distinct.size)
        return block[:, place]

    def _solve_products(self, base: Base, g: int, others: np.ndarray):
        """(x, graph): x[u, v] for the vertices u of graph g and v of the others, as `rounding`
        wants it, or None; and the place among the others of each v."""
        all_ = vertices(base)
        graph = np.repeat(np.arange(others.size), np.diff(all_.first)[others])
        own = slice(all_.first[g], all_.first[g + 1])
        right = np.flatnonzero(np.isin(all_.graph, others))
        A, B = all_.adjacency[own, own], all_.adjacency[right][:, right]
        alike = (all_.labels[own, None] == all_.labels[right]).astype(np.float64)

        def onward(x):
            """decay·A x in the product graph, whose matrix is never made."""
            return self.decay * alike * (A @ (B @ x.T).T)

        with np.errstate(over="ignore", invalid="ignore"):
            return _solution(onward, alike, RESIDUAL_SLACK * _gamma_q(base)), graph

    def _fast(self, base, rows, columns):
        all_ = vertices(base)
        A, same = all_.adjacency, columns is rows
        i, j = np.triu_indices(rows.size) if same else np.indices((rows.size, columns.size))
        i, j = i.ravel(), j.ravel()
        given = all_.first, all_.labels, A.indptr, A.indices, rows[i], columns[j]
        limits = RESIDUAL_SLACK * _gamma_q(base), MAX_CG_RESTARTS, CG_RESTART_STEPS
        sums = compiled("graphs").walks(*given, self.decay, *limits)
        if np.any(np.isnan(sums)):
            raise _not_found()
        block = np.empty((rows.size, columns.size))
        block[i, j] = sums
        if same:
            block[j, i] = sums
        return block

    def _error(self, base: Base, largest: float) -> float:
        """What a residual may be: see `rounding`."""
        return 1.01 * (RESIDUAL_SLACK + 2.0) * _gamma_q(base) * (1.0 + 1.01 * largest)

    def closeness(self, X, Z):
        """The error of `rounding` is relative to K itself."""
        return 1.01 * self.rounding(X, Z).relative

    def rounding(self, X, Z):
        r"""Let x* solve (I − decay·A)x = 1, and r = 1 − x + decay·A x be the residual of x ≥ 0.
        If |r| ≤ ρ < 1 everywhere, then decay·A x < x and x > 0, so that the series converges
        (Collatz and Wielandt), its sum (I − decay·A)⁻¹ is not negative, and
        |x* − x| = |(I − decay·A)⁻¹ r| ≤ ρ·x*: the sum of x is off by a factor within 1 ± ρ.

        The residual is computed from terms that are not negative, through at most q = d_G + d_H + 4
        roundings, d the largest degrees: within γ_q·(1 + x + decay·A x) ≤ γ_q·(2x + 1 + |r|). It is
        made smaller than s·γ_q·(1 + max x), s = RESIDUAL_SLACK, so that
        ρ ≤ 1.01·(s + 2)·γ_q·(1 + max x).
        And x*(u, v) ≤ √(x*(u, u)·x*(v, v)) by Cauchy and Schwarz over walks from u and from v: no
        x is larger than the largest of graphs with themselves. Its sum adds γ_n, of n entries.
        What underflows is below 2⁻¹⁰⁰⁰ of x ≥ 1.
        """
        bases = [self.examples(part).base for part in (X, Z)]
        largest = max(base.known((self, "selves"), self._selves)[1] for base in bases)
        many = max(int(np.max(np.diff(vertices(base).first), initial=0)) for base in bases)
        off = max(self._error(base, largest) for base in bases)
        return Rounding(1.01 * (off + gamma(many**2)), 0.0)


def _not_found() -> ArithmeticError:
    return ArithmeticError("the sum over walks of two graphs could not be computed: lower decay.")


def _gamma_q(base: Base) -> float:
    """γ_q: see `RandomWalk.rounding`."""
    degrees = np.diff(vertices(base).adjacency.indptr)
    return gamma(2 * int(np.max(degrees, initial=0)) + 4)


def _solution(onward, b: np.ndarray, unit: float) -> np.ndarray | None:
    """x ≥ 0 with b − x + onward(x) of at most unit·(1 + max x), or None if none was found.

    By conjugate gradients, started again with the true residual until that is small.
    """
    x = b.copy()
    for _ in range(MAX_CG_RESTARTS):
        r = b - x + onward(x)
        enough = unit * (1.0 + np.max(x, initial=0.0))
        if np.max(np.abs(r), initial=0.0) <= enough:
            return x if np.min(x, initial=0.0) >= 0 else None
        p, square = r.copy(), _inner(r, r)
        for _ in range(CG_RESTART_STEPS):
            q = p - onward(p)
            curvature = _inner(p, q)
            if not curvature > 0:  # I − decay·A has an eigenvalue of 0 or below
                return None
            step, before = square / curvature, square
            x += step * p
            r -= step * q
            square = _inner(r, r)
            if square <= (enough / 4) ** 2:
                break
            p = r + square / before * p
    return None


def _inner(a: np.ndarray, b: np.ndarray) -> float:
    """Σ a·b, without the threads of BLAS, which take longer to start than this takes."""
    return float(np.einsum("ij,ij->", a, b))


def _part(all_: Vertices, g: int) -> sparse.csr_array:
    own = slice(all_.first[g], all_.first[g + 1])
    return all_.adjacency[own, own]


def _radius(all_: Vertices, g: int) -> float:
    """The largest eigenvalue of the product graph of a graph with itself."""
    A, labels = _part(all_, g), all_.labels[all_.first[g] : all_.first[g + 1]]
    alike = np.equal.outer(labels, labels).astype(np.float64)
    if alike.size <= MAX_DENSE_ROWS:
        return _largest(sparse.kron(A, A).toarray() * np.outer(alike, alike))
    from scipy.sparse.linalg import LinearOperator  # Not needed for more than this.

    def onward(x):
        return (alike * (A @ (A @ (alike * x.reshape(alike.shape))).T)).ravel()

    return _largest(LinearOperator((alike.size,) * 2, matvec=onward, dtype=np.float64))


def _largest(A) -> float:
    """The largest eigenvalue of a symmetric matrix of numbers that are not negative."""
    if A.shape[0] <= MAX_DENSE_ROWS:
        dense = A.toarray() if sparse.issparse(A) else A
        return float(np.max(np.linalg.eigvalsh(dense), initial=0.0))
    if sparse.issparse(A) and not A.nnz:
        return 0.0  # Arnoldi's iteration has nothing to start from.
    from scipy.sparse.linalg import eigsh

    start = np.ones(A.shape[0])
    return float(eigsh(A, k=1, which="LA", v0=start, tol=1e-9, return_eigenvectors=False)[0])
