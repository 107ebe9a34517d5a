"""The parts of the search: keys of directions, the exact simplex method, the working set."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from certo.certificates import Sample
from certo.compiled.directions import directions
from certo.compiled.rows import rows_of
from certo.numbers.farkas import cancels
from certo.solvers import separation
from certo.solvers.exact_simplex import ExactSimplex
from certo.solvers.farkas import cancelling_weights
from certo.solvers.hard_margin import hard_margin
from certo.solvers.linear_program import LinearProgram
from certo.solvers.separation import Cancelling, Separator, largest_margin, separate
from certo.solvers.vectors import Examples


def keys_of(X, proportional):
    keys, turn = np.empty(X.shape[0], np.uint64), np.empty(X.shape[0], np.int8)
    directions(rows_of(X), proportional, keys, turn)
    return keys, turn


ENTRIES = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 3.0, 7e-310, 1e300, -2.5])


@given(
    st.lists(st.lists(ENTRIES, min_size=3, max_size=3), min_size=2, max_size=8),
    st.sampled_from([1.0, -1.0, 3.0, -0.5, 4096.0]),
)
def test_equal_directions_have_equal_keys(rows, factor):
    X = np.array(rows)
    X = np.vstack([X, X[:1] * (factor if np.all(np.isfinite(X[:1] * factor)) else 1.0)])
    for matrix in (X, sparse.csr_array(X)):
        keys, _ = keys_of(matrix, False)
        for a, b in itertools.combinations(range(len(X)), 2):
            assert (keys[a] == keys[b]) == np.array_equal(X[a], X[b])
    keys, turn = keys_of(X, True)
    assert np.array_equal(turn == 0, ~np.any(X, axis=1))
    exact = [[Fraction(v) for v in row] for row in X]
    for a, b in itertools.combinations(range(len(X)), 2):
        p, q = exact[a], exact[b]
        parallel = all(p[i] * q[j] == p[j] * q[i] for i in range(3) for j in range(3))
        if parallel and any(p) and any(q):
            assert keys[a] == keys[b]
            opposite = any(u * v < 0 for u, v in zip(p, q, strict=True))
            assert (turn[a] != turn[b]) == opposite


@settings(max_examples=80)
@given(
    st.lists(
        st.lists(st.integers(-4, 4), min_size=3, max_size=3).filter(any), min_size=1, max_size=9
    ),
)
def test_the_exact_simplex_method_reaches_the_optimum(rows):
    simplex = ExactSimplex(np.array(rows, dtype=object))
    found = linprog(
        [0, 0, 0, -1],
        A_ub=np.hstack([-np.array(rows), np.ones((len(rows), 1))]),
        b_ub=np.zeros(len(rows)),
        bounds=[(-1, 1)] * 3 + [(None, None)],
    )
    cancelling = simplex.cancelling()
    if cancelling is None:
        assert found.fun < -1e-7
        w = simplex.separator()
        assert all(sum(a * b for a, b in zip(w, row, strict=True)) > 0 for row in rows)
    else:
        assert found.fun == pytest.approx(0, abs=1e-9)
        assert cancelling_weights([rows[k] for k in cancelling]) is not None


@pytest.mark.parametrize("lifted", [True, False])
@pytest.mark.parametrize("noise", [0.0, 3.0])
def test_without_floats_the_verdict_is_the_same(monkeypatch, lifted, noise):
    """HiGHS that never answers: the exact method must do all of it."""
    random = np.random.default_rng(3)
    X = np.round(random.standard_normal((60, 4)), 2)
    signs = np.where(X[:, 0] + noise * random.standard_normal(60) > 0, 1, -1).astype(np.int8)
    vectors = Examples(Sample(X, signs), lifted)
    monkeypatch.setattr(Examples, "guess", lambda self, watch: np.zeros(self.size))
    expected = separate(vectors)
    monkeypatch.setattr(LinearProgram, "solve_watched", lambda self, watch: None)
    found = separate(vectors)
    assert type(found) is type(expected) is (Cancelling if noise else Separator)
    if noise:
        assert cancels(vectors.whole(found.places).tolist(), found.weights)
    else:
        assert vectors.wrong(found.w) is None


def test_a_working_set_grows_until_nothing_is_wrong(monkeypatch):
    random = np.random.default_rng(0)
    X = random.standard_normal((4000, 6))
    signs = np.where(X @ random.standard_normal(6) > 0, 1, -1).astype(np.int8)
    monkeypatch.setattr(Examples, "guess", lambda self, watch: np.zeros(self.size))
    monkeypatch.setattr(separation, "working_set_step", lambda size: 8)
    vectors = Examples(Sample(X, signs), True)
    found = separate(vectors)
    assert isinstance(found, Separator)
    assert vectors.wrong(found.w) is None


@pytest.mark.parametrize("intercept", ["lifted", "none"])
@pytest.mark.parametrize("seed", range(4))
def test_largest_margin_is_that_of_the_hard_margin_or_none(intercept, seed):
    random = np.random.default_rng(seed)
    signs = np.where(np.arange(200) % 3 > 0, 1, -1).astype(np.int8)
    X = random.standard_normal((200, 3)) + 4.0 * signs[:, None]
    vectors = Examples(Sample(X, signs), intercept == "lifted")
    counts = random.integers(0, 2, 200)
    w = largest_margin(vectors, counts, 1e-6)
    best = hard_margin(X, signs, intercept, float(np.max(np.linalg.norm(X, axis=1))), tol=1e-9)
    u = np.append(best.w, best.b)[: vectors.size]
    margin, widest = (vectors.margins(v)[0].min() / np.linalg.norm(v) for v in (w, u))
    assert margin == pytest.approx(widest, rel=1e-5)
    mixed = Examples(Sample(X, random.permutation(signs)), intercept == "lifted")
    assert largest_margin(mixed, counts, 1e-6) is None
