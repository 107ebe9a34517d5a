"""Statements of the lecture notes, each run as literally as it can be.

`docs/course/statements.toml` lists all statements with their tests. Those that no other test runs
are here, in the order of the notes.
"""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from certo import HardMarginSVM, MinDisagreement, Perceptron, separability
from certo.certificates import Separable
from certo.geometry import Hyperplane
from certo.worlds import SplitCloud

law = settings(max_examples=15, deadline=None)
few = settings(max_examples=5, deadline=None)


# --- note 000: linear classifiers ---------------------------------------------------------------


def covering_examples(sets: list[set[int]], elements: int) -> tuple[np.ndarray, np.ndarray]:
    """The reduction of set cover: a set j is (e_j, +1), an element i is (Σ_{j ∋ i} e_j, −1)."""
    rows = [np.eye(len(sets))[j] for j in range(len(sets))]
    rows += [np.array([float(i in one) for one in sets]) for i in range(elements)]
    return np.array(rows), np.array([1] * len(sets) + [-1] * elements)


def smallest_cover(sets: list[set[int]], elements: int) -> int:
    """By trying all of them."""
    for size in range(len(sets) + 1):
        for some in itertools.combinations(sets, size):
            if len(set().union(*some)) == elements:
                return size
    raise ValueError("nothing covers all elements")


@few
@given(st.integers(0, 10**6), st.integers(3, 5))
def test_the_fewest_errors_are_the_smallest_vertex_cover(seed, vertices):
    """Theorem 1: the reduction from vertex cover, where an edge is in the sets of its two ends."""
    pairs = list(itertools.combinations(range(vertices), 2))
    count = min(len(pairs), vertices + 1)
    chosen = np.random.default_rng(seed).choice(len(pairs), count, replace=False)
    edges = [pairs[k] for k in chosen]
    sets = [{k for k, edge in enumerate(edges) if v in edge} for v in range(vertices)]
    X, y = covering_examples(sets, len(edges))
    assert set(np.unique(X)) <= {0.0, 1.0}
    model = MinDisagreement(intercept="none").fit(X, y)
    assert model.optimal_
    assert model.errors_ == smallest_cover(sets, len(edges))


@few
@given(st.integers(0, 10**6))
def test_the_fewest_errors_are_the_smallest_set_cover(seed):
    """Theorem 2 follows from the hardness of set cover by the same reduction; and a w with E errors
    gives a cover with at most E sets."""
    random = np.random.default_rng(seed)
    sets = [set(np.flatnonzero(random.random(6) < 0.5).tolist()) for _ in range(4)]
    for element in range(6):
        sets[random.integers(4)].add(element)
    X, y = covering_examples(sets, 6)
    model = MinDisagreement(intercept="none").fit(X, y)
    assert model.errors_ == smallest_cover(sets, 6)
    for w in (model.coef_[0], random.normal(size=4)):
        errors = int(np.sum(y * (X @ w) <= 0))
        wrong = [i for i in range(6) if -(X[4 + i] @ w) <= 0]
        cover = {j for j in range(4) if w[j] <= 0}
        cover |= {next(j for j in range(4) if i in sets[j]) for i in wrong}
        assert set().union(*(sets[j] for j in cover)) == set(range(6))
        assert len(cover) <= errors


def separable_sample(seed: int):
    X, y = SplitCloud(gap=0.2).draw(20, rng=seed)
    return (X, y) if len(set(y)) == 2 else separable_sample(seed + 1)


@law
@given(st.integers(0, 10**6))
def test_a_separator_can_be_scaled_to_a_margin_of_one(seed):
    X, y = separable_sample(seed)
    u = Hyperplane([1.0, 0.0])
    scaled = Hyperplane(u.v / u.margin(X, y))
    assert abs(scaled.margin(X, y) - 1) <= 1e-12
    assert np.array_equal(scaled.side(X), u.side(X))


@law
@given(st.integers(0, 10**6), st.floats(0, 1))
def test_the_linear_program_and_the_verdict_agree(seed, noise):
    """min 0 subject to y_t w·x_t ≥ 1 is feasible exactly if the examples are separable."""
    random = np.random.default_rng(seed)
    X = random.integers(-3, 4, (8, 2)).astype(float)
    y = np.where(X[:, 0] + noise * random.normal(size=8) > 0, 1, -1)
    program = optimize.linprog(np.zeros(2), -(y[:, None] * X), -np.ones(8), bounds=(None, None))
    if len(set(y)) == 2:
        assert (program.status == 0) == isinstance(separability(X, y, intercept="none"), Separable)


@law
@given(st.integers(0, 10**6))
def test_a_run_converges_within_the_bound_and_one_epoch(seed):
    X, y = separable_sample(seed)
    u = HardMarginSVM(intercept="none").fit(X, y).coef_[0]
    u = u / np.min(y * (X @ u)) * (1 + 1e-12)
    bound = int(u @ u * np.max(np.sum(X**2, axis=1)) * (1 + 1e-9))
    model = Perceptron(epochs=bound + 1, intercept="none").fit(X, y)
    assert model.converged_
    assert model.updates_[0] <= bound
    assert model.n_iter_ <= bound + 1
