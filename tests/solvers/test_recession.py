"""Directions of recession: exact, all that there is, the same as an independent linear program."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from certo.compiled.rows import rows_of
from certo.compiled.scan import column_ranges
from certo.numbers.whole import PRIME
from certo.solvers.recession import column_recession, decide_recession
from certo.solvers.vectors import residues
from certo.words.separating_columns import separating_columns

STORES = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
}


@st.composite
def problems(draw):
    """Few values, so that some columns and directions separate in part; some labels are wrong."""
    m, d, K = draw(st.integers(1, 10)), draw(st.integers(1, 3)), draw(st.integers(2, 4))
    entries = st.sampled_from([0.0, 0.0, 0.0, 1.0, 1.0, -1.0, 2.0, 0.5])
    X = np.reshape(draw(st.lists(entries, min_size=m * d, max_size=m * d)), (m, d))
    few = st.lists(st.integers(-2, 2), min_size=K * (d + 1), max_size=K * (d + 1))
    W = np.reshape(draw(few), (d + 1, K))
    codes = np.argmax(np.c_[X, np.ones(m)] @ W, axis=1)
    for t in draw(st.lists(st.integers(0, m - 1), max_size=3)):
        codes[t] = draw(st.integers(0, K - 1))
    return X, codes, K, draw(st.booleans())


def comparisons(X, codes, K, lifted):
    """[t, k] → z_{t,k}, as rows of floats, stacked over the classes."""
    lift = np.c_[X, np.ones((len(X), int(lifted)))]
    vectors = {}
    for t, y in enumerate(codes):
        for k in set(range(K)) - {y}:
            z = np.zeros((K, lift.shape[1]))
            z[y] += lift[t]
            z[k] -= lift[t]
            vectors[t, k] = z.ravel()
    return vectors


def largest_part(vectors):
    """Those that some direction wins, none being lost: HiGHS."""
    Z = np.array(list(vectors.values()))
    n, size = Z.shape
    found = linprog(
        np.append(np.zeros(size), -np.ones(n)),
        A_ub=np.hstack([-Z, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1e5, 1e5)] * size + [(0, 1)] * n,
    )
    return {pair for pair, s in zip(vectors, found.x[size:], strict=True) if s > 0.5}


def checked(found, X, codes, K, lifted, rows=None):
    """The comparisons that the direction wins, by exact arithmetic, which must be what it says."""
    if found is None:
        return set()
    coef = found.coef if K > 2 else [[Fraction(0)] * len(found.coef[0]), found.coef[0]]
    won = set()
    for t, y in enumerate(codes):
        x = [Fraction(float(v)) for v in X[t]] + [Fraction(1)] * lifted
        for k in set(range(K)) - {y}:
            said = found.strict[t, k] if K > 2 else found.strict[t]
            if rows is not None and not rows[t]:
                assert not said
                continue
            value = sum((a - b) * v for a, b, v in zip(coef[y], coef[k], x, strict=True))
            assert value >= 1 if said else value == 0
            won |= {(t, k)} if said else set()
    assert won
    return won


@settings(max_examples=72)
@given(problems(), st.sampled_from(sorted(STORES)))
def test_the_largest_part_is_that_of_a_linear_program(problem, store):
    X, codes, K, lifted = problem
    expected = largest_part(comparisons(*problem))
    found = decide_recession(STORES[store](X), codes, K, lifted)[0]
    assert checked(found, *problem) == expected
    quick = column_recession(STORES[store](X), codes, K, lifted)
    assert checked(quick, *problem) <= expected
    if quick is not None:
        more = decide_recession(STORES[store](X), codes, K, lifted, known=quick)[0]
        assert checked(more, *problem) == expected


@settings(max_examples=60)
@given(problems(), st.data())
def test_rows_that_do_not_count_change_nothing(problem, data):
    X, codes, K, lifted = problem
    rows = np.array(data.draw(st.lists(st.booleans(), min_size=len(X), max_size=len(X))))
    if not rows.any():
        return
    found = decide_recession(X, codes, K, lifted, rows=rows)[0]
    alone = decide_recession(X[rows], codes[rows], K, lifted)[0]
    assert (found is None) == (alone is None)
    won = checked(found, X, codes, K, lifted, rows)
    places = np.flatnonzero(rows)
    assert won == {(places[t], k) for t, k in checked(alone, X[rows], codes[rows], K, lifted)}


@settings(max_examples=60)
@given(problems(), st.data())
def test_a_guess_may_be_anything(problem, data):
    """From a good guess or a bad one, what is found is a direction; from a direction, something."""
    X, codes, K, lifted = problem
    best = decide_recession(X, codes, K, lifted)[0]
    outputs, p = 1 if K == 2 else K, X.shape[1] + lifted
    guess = np.reshape(
        data.draw(st.lists(st.floats(-9, 9), min_size=outputs * p, max_size=outputs * p)),
        (outputs, p),
    )
    if best is not None and data.draw(st.booleans()):
        guess = np.array(best.coef, dtype=float) + 1e-3 * guess
    found = decide_recession(X, codes, K, lifted, guess=guess)[0]
    assert checked(found, *problem) <= checked(best, *problem)
    assert (found is None) == (best is None)


@pytest.mark.parametrize("K", [2, 3])
def test_weights_that_run_away_lead_to_the_direction(K):
    """No column shows it, and many columns depend on others; the guess is only nearly right."""
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (400, 5)).astype(float)
    codes = random.integers(0, K, 400)
    rare = (np.arange(400) < 9).astype(float)
    codes[:9] = 1
    X = np.c_[X, rare, X[:, 0] + X[:, 1]] @ np.array(
        [[1, 0, 0, 0, 0, 2, 0], [0, 1, 0, 0, 0, 1, 0], [0, 0, 1, 0, 0, 0, 1], [0, 0, 0, 1, 0, 3, 0],
         [0, 0, 0, 0, 1, 0, 0], [1, 2, 0, 0, 1, 1, 1], [0, 0, 0, 1, 0, 0, 1]]
    )  # fmt: skip
    assert column_recession(X, codes, K, True) is None
    truth = decide_recession(X, codes, K, True)[0]
    assert truth is not None
    won = truth.strict.any(axis=-1) if K == 3 else truth.strict
    assert np.flatnonzero(won).tolist() == list(range(9))
    away = np.array(truth.coef, dtype=float)
    away *= 20 / np.max(np.abs(away))
    found = decide_recession(
        X, codes, K, True, guess=away + 1e-2 * random.standard_normal(away.shape)
    )[0]
    assert np.array_equal(found.strict, truth.strict)
    checked(found, X, codes, K, True)


def test_columns_are_looked_at_again_on_what_is_left():
    """The second column separates only rows that the first does not settle."""
    X = np.array([[1, -5], [1, 9], [0, 0], [0, 0], [0, 2], [0, 0.0]])
    codes = np.array([1, 1, 0, 1, 1, 0])
    found = column_recession(X, codes, 2, True)
    assert found.strict.tolist() == [True, True, False, False, True, False]
    assert [cut.column for cut in found.cuts] == [0, 1]
    assert separating_columns(found, ["a", "b"], [0, 1]) == (
        "column 'a' is above 0 in class 1 only (rows 0, 1); "
        "column 'b', on what these leave, is above 0 in class 1 only (row 4)"
    )
    checked(found, X, codes, 2, True)


def test_a_gap_is_told_once():
    x = np.linspace(-1, 1, 30)
    found = column_recession(np.c_[x, -x], (x > 0).astype(int), 2, True)
    said = separating_columns(found, ["x", "y"], ["lo", "hi"])
    assert said.startswith(
        "column 'x' separates the classes completely: 'hi' from 0.0344828 up, 'lo' up to "
        "-0.0344828 (all 30 rows)"
    )
    assert said.count("column 'x'") == 1
    near = column_recession(np.array([[1.0], [np.nextafter(1, 2)]]), np.array([0, 1]), 2, True)
    assert "1 from 1.0000000000000002 up, 0 up to 1.0 (all 2 rows)" in separating_columns(
        near, ["x"], [0, 1]
    )


def test_many_classes_are_counted():
    codes = np.repeat(np.arange(10), 3)
    found = column_recession(codes[:, None] * 1.0, codes, 10, True)
    said = separating_columns(found, ["x"], [str(k) for k in range(10)])
    assert said.count("column 'x'") == 1
    assert " of 10 classes" in said
    assert said.endswith("more such cases")
    three = column_recession(np.array([[1.0], [2], [3]]), np.arange(3), 3, True)
    assert separating_columns(three, ["x"], list("abc")).endswith("; and 1 more such case")


def test_a_class_without_examples_is_left_out():
    X, codes = np.array([[1.0], [2.0], [1.5], [1.7]]), np.array([0, 0, 2, 0])
    found = column_recession(X, codes, 3, True)
    assert found.strict[:, 1].all()
    assert separating_columns(found, ["length"], ["a", "b", "c"]).startswith(
        "no example is of class 'b'"
    )
    assert checked(found, X, codes, 3, True) == {(t, 1) for t in range(4)}
    one = column_recession(X, np.ones(4, int), 2, True)
    assert one.strict.all()


def test_separating_columns_and_rows_are_named():
    X = np.zeros((12, 4))
    X[:, 0] = np.tile([0.0, 1.0, 2.0], 4)
    codes = np.array([0] * 6 + [1] * 6)
    X[[0, 2, 3, 5], 1] = 1.0
    X[8, 2] = 3.0
    X[:6, 3], X[6:, 3] = 1.0, 1.0
    found = column_recession(sparse.csr_array(X), codes, 2, True)
    said = separating_columns(found, ["age", "rural", "boat", "one"], ["no", "yes"])
    assert said == (
        "column 'rural' is above 0 in class 'no' only (rows 0, 2, 3, … 4 in all); "
        "column 'boat' is above 0 in class 'yes' only (row 8)"
    )
    X[:, 1] = 1 - X[:, 1]
    assert "'rural' is below 1 in class 'no' only" in separating_columns(
        column_recession(X, codes, 2, True), list("abcd"), ["no", "yes"]
    ).replace("'b'", "'rural'")


@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=3, max_size=3),
        min_size=1, max_size=5,
    ),
    st.lists(st.integers(-(10**40), 10**40), min_size=4, max_size=4),
    st.booleans(),
)  # fmt: skip
def test_every_float_has_a_value_modulo_a_prime(rows, w, lifted):
    X = np.array(rows)
    for store in (np.asarray, sparse.csr_array):
        found = residues(store(X), np.array(w[: 3 + lifted], dtype=object), lifted)
        for row, value in zip(X.tolist(), found.tolist(), strict=True):
            entries = [Fraction(v) for v in row] + [Fraction(1)] * lifted
            score = sum(a * b for a, b in zip(w, entries, strict=False))
            expected = score.numerator * pow(score.denominator, -1, PRIME) % PRIME
            assert value == expected


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_matrix])
def test_ranges_against_numpy(dtype, store):
    random = np.random.default_rng(0)
    X = np.where(random.random((50, 7)) < 0.5, random.standard_normal((50, 7)), 0.0).astype(dtype)
    group = random.integers(-1, 3, 50)
    low, high = np.full((3, 7), np.inf, dtype), np.full((3, 7), -np.inf, dtype)
    stored = store is not np.asarray
    seen = np.zeros((3, 7 if stored else 0), np.int64)
    column_ranges(rows_of(store(X)), group, 5, 45, low, high, seen)
    for g in range(3):
        part = X[5:45][group[5:45] == g]
        part = np.where(part == 0, np.nan, part) if stored else part
        np.testing.assert_array_equal(low[g], np.nanmin(part, axis=0))
        np.testing.assert_array_equal(high[g], np.nanmax(part, axis=0))
        if stored:
            np.testing.assert_array_equal(seen[g], np.sum(~np.isnan(part), axis=0))
