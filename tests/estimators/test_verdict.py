"""separability and quasi_separability: the right verdict, proved, whatever the numbers."""

from __future__ import annotations

import itertools
import json
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import linprog

from certo import Inseparable, Separable, Undecided, quasi_separability, separability
from certo.certificates import (
    Certificate,
    ClassSeparability,
    Overlapping,
    QuasiSeparable,
    Sample,
)
from certo.solvers.interrupt import stopped_by
from certo.solvers.vectors import Comparisons
from certo.stop import Stop

MODES = ("free", "none")


def signed(X, y, mode):
    """y x, or y (x, 1), as fractions, the larger label being +1."""
    top = max(y)
    rows = [[Fraction(float(v)) for v in row] + [Fraction(1)] * (mode == "free") for row in X]
    return [[v if label == top else -v for v in row] for row, label in zip(rows, y, strict=True)]


def relation(vectors):
    """The one combination of the vectors that vanishes, or None: plain elimination."""
    n = len(vectors)
    equations = [list(column) for column in zip(*vectors, strict=True)]
    solved = []
    for k in range(n):
        row = next((e for e in equations if e[k] and all(e is not s for s, _ in solved)), None)
        if row is None:
            continue
        row[:] = [v / row[k] for v in row]
        for other in equations:
            if other is not row and other[k]:
                other[:] = [a - other[k] * b for a, b in zip(other, row, strict=True)]
        solved.append((row, k))
    free = sorted(set(range(n)) - {k for _, k in solved})
    if len(free) != 1:
        return None
    found = [Fraction(0)] * n
    found[free[0]] = Fraction(1)
    for row, k in solved:
        found[k] = -row[free[0]]
    return found


def is_separable(X, y, mode):
    """By Gordan and Carathéodory: unless some few vectors cancel with positive weights."""
    vectors = signed(X, y, mode)
    for count in range(1, len(vectors[0]) + 2):
        for some in itertools.combinations(vectors, count):
            weights = relation(some)
            if weights is not None and (min(weights) > 0 or max(weights) < 0):
                return False
    return True


@st.composite
def small_samples(draw, most=9):
    m, d = draw(st.integers(1, most)), draw(st.integers(1, 3))
    few = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.0, 1.0, 2.0, 0.1, 0.3])
    X = np.array(draw(st.lists(st.lists(few, min_size=d, max_size=d), min_size=m, max_size=m)))
    w = np.array(draw(st.lists(few, min_size=d + 1, max_size=d + 1)))
    y = np.where(X @ w[:d] + w[d] > 0, 1, 0)
    for t in draw(st.lists(st.integers(0, m - 1), max_size=2)):
        y[t] = 1 - y[t]
    return X, y


@settings(max_examples=80)
@given(small_samples(), st.sampled_from(MODES), st.sampled_from(["dense", "csr", "float32"]))
def test_the_verdict_is_that_of_brute_force(sample, mode, kind):
    X, y = sample
    given_X = {
        "dense": lambda: X,
        "csr": lambda: sparse.csr_array(X),
        "float32": lambda: X.astype(np.float32),
    }[kind]()
    true_X = np.asarray(given_X.toarray() if kind == "csr" else given_X, dtype=np.float64)
    verdict = separability(given_X, y, intercept=mode)
    true_y = y if len(set(y)) == 2 else np.ones_like(y)  # one label alone counts as +1
    assert isinstance(verdict, Separable) == is_separable(true_X, true_y, mode)
    assert verdict.verify(given_X, y)
    assert Certificate.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict
    if isinstance(verdict, Inseparable):
        rank = np.linalg.matrix_rank(np.array(signed(true_X, true_y, mode), dtype=float))
        assert verdict.rows.size <= rank + 1
        vectors = signed(true_X, true_y, mode)
        for j in range(len(vectors[0])):
            pairs = zip(verdict.rows, verdict.weights, strict=True)
            assert sum(a * vectors[t][j] for t, a in pairs) == 0
        for out in range(verdict.rows.size):  # no row can be left out
            some = [vectors[t] for t in np.delete(verdict.rows, out)]
            assert not some or relation(some) is None


@settings(max_examples=60)
@given(small_samples(14), st.sampled_from(MODES))
def test_the_verdict_is_that_of_an_independent_solver(sample, mode):
    X, y = np.round(4 * sample[0]), sample[1]
    Z = np.array(signed(X, y if len(set(y)) == 2 else np.ones_like(y), mode), dtype=float)
    found = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None))
    assert isinstance(separability(X, y, mode), Separable) == (found.status == 0)


@st.composite
def hard_samples(draw):
    """Near-degenerate on purpose: decimals, numbers next to each other, collinear, huge, tiny."""
    m, d = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    whole = st.integers(-3, 3)
    X = np.array(draw(st.lists(st.lists(whole, min_size=d, max_size=d), min_size=m, max_size=m)))
    X = X.astype(float)
    powers = draw(st.lists(st.integers(-160, 150), min_size=m, max_size=m))
    kind = draw(st.sampled_from(["decimal", "neighbours", "collinear", "long", "columns", "tiny"]))
    X = {
        "decimal": lambda: X / 10,
        "neighbours": lambda: 1 + X * 2.0**-52,
        "collinear": lambda: np.hstack([X / 10, np.sum(X / 10, axis=1, keepdims=True)]),
        "long": lambda: X * 10.0 ** np.array(powers)[:, None],
        "columns": lambda: X * 10.0 ** np.resize(powers, d),
        "tiny": lambda: X * 5e-324,
    }[kind]()
    return X, np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=m, max_size=m)))


@settings(max_examples=60)
@given(hard_samples(), st.sampled_from(MODES))
@example(
    (np.array([[0, 0], [0, 0], [5e-324, 5e-324], [-5e-324, -1e-323]]), -np.ones(4, int)), "none"
)
def test_floats_that_cannot_tell_are_told_apart_exactly(sample, mode):
    X, y = sample
    true_y = y if len(set(y)) == 2 else np.ones_like(y)
    expected = is_separable(X, true_y, mode)
    exact = quasi_separability(X, y, mode)
    assert (isinstance(exact, QuasiSeparable) and not exact.ties.size) == expected
    assert exact.verify(X, y)
    try:
        verdict = separability(X, y, mode)
    except ArithmeticError:
        assert expected  # separable, but not with weights that are floats
    else:
        assert isinstance(verdict, Separable) == expected
        assert verdict.verify(X, y)


def test_a_separator_too_fine_for_floats_is_refused_in_words():
    # w = (1, −1 − δ) needs ε − ε² < δ < ε, about: there is no such float
    e = 2.0**-52
    X, y = [[1 + 2 * e, 1 + e], [1 + e, 1]], [0, 1]
    with pytest.raises(ArithmeticError, match="the examples are separable"):
        separability(X, y, "none")
    exact = quasi_separability(X, y, "none")
    assert exact.strict.tolist() == [0, 1]
    assert exact.verify(X, y)


def largest_part(X, y, mode):
    """The examples that some w with y·score ≥ 0 everywhere has strictly on their side."""
    Z = np.array(signed(X, y, mode), dtype=float)
    m, size = Z.shape
    found = linprog(
        np.append(np.zeros(size), -np.ones(m)),
        A_ub=np.hstack([-Z, np.eye(m)]),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * size + [(0, 1)] * m,
    )
    return np.flatnonzero(found.x[size:] > 0.5)


@settings(max_examples=80)
@given(small_samples(12), st.sampled_from(MODES), st.booleans())
def test_quasi_separation_separates_all_that_can_be(sample, mode, csr):
    X, y = np.round(4 * sample[0]), sample[1]
    true_y = y if len(set(y)) == 2 else np.ones_like(y)
    given_X = sparse.csr_array(X) if csr else X
    verdict = quasi_separability(given_X, y, mode)
    check = verdict.verify(given_X, y)
    assert check, check
    assert Certificate.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict
    strict = largest_part(X, true_y, mode)
    if isinstance(verdict, Overlapping):
        assert not strict.size
    else:
        assert verdict.strict.tolist() == strict.tolist()


def test_a_rare_feature_is_separated_and_the_rest_is_not():
    random = np.random.default_rng(0)
    X = random.standard_normal((400, 5))
    y = random.integers(0, 2, 400)
    X = np.hstack([X, (np.arange(400) < 7)[:, None], X[:, :1] * 2])
    y[:7] = 1
    verdict = quasi_separability(X, y)
    assert verdict.strict.tolist() == list(range(7))
    assert verdict.coef[5] > 0
    assert verdict.verify(X, y)
    assert isinstance(quasi_separability(X[7:], y[7:]), Overlapping)


@settings(max_examples=40)
@given(small_samples(10), st.sampled_from(MODES), st.data())
def test_several_classes(sample, mode, data):
    X = np.round(4 * sample[0])
    y = np.array([data.draw(st.sampled_from("abc")) for _ in X])
    if len(set(y)) < 3:
        return
    verdict = separability(X, y, mode)
    check = verdict.verify(X, y)
    assert check, check
    again = ClassSeparability.from_dict(json.loads(json.dumps(verdict.to_dict())))
    assert again == verdict
    for k, one in enumerate("abc"):
        expected = is_separable(X, y == one, mode)
        assert isinstance(verdict.one_against_rest[k], Separable) == expected
    for one, other in itertools.combinations("abc", 2):
        both = (y == one) | (y == other)
        expected = is_separable(X[both], y[both], mode)
        assert isinstance(verdict.pair(other, one), Separable) == expected
    stacked = []
    for x, label in zip(X, y, strict=True):
        x = np.append(x, 1) if mode == "free" else x
        for k in set("abc") - {label}:
            z = np.zeros((3, x.size))
            z["abc".index(label)] += x
            z["abc".index(k)] -= x
            stacked.append(z.ravel())
    Z = np.array(stacked)
    found = linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=(None, None))
    assert isinstance(verdict.joint, Separable) == (found.status == 0)
    assert isinstance(verdict.joint, Separable | Inseparable)
    assert "3 pairs" in repr(verdict)


def test_all_pairs_can_be_apart_without_all_classes_being_so_from_the_rest():
    X, y = np.array([[0.0], [1], [2], [3], [4], [5]]), list("aabbcc")
    verdict = separability(X, y)
    kinds = [type(claim).__name__ for claim in verdict.one_against_rest]
    assert kinds == ["Separable", "Inseparable", "Separable"]
    assert all(isinstance(claim, Separable) for claim in verdict.pairwise)
    assert isinstance(verdict.joint, Separable)  # the middle class with a flat score
    assert verdict.joint.coef.shape == (3, 1)
    with pytest.raises(KeyError, match="no pair"):
        verdict.pair("a", "z")


def test_what_can_be_seen_at_once():
    X = np.array([[1.0, 2], [3, 4], [1, 2], [-2, -4], [0, 0]])
    twins = separability(X[:3], [0, 0, 1])
    assert twins.rows.tolist() == [0, 2]
    assert twins.weights == (Fraction(1, 2), Fraction(1, 2))
    opposite = separability(X[[0, 1, 3]], [1, 1, 1], "none")
    assert opposite.rows.tolist() == [0, 2]
    assert opposite.weights == (Fraction(2, 3), Fraction(1, 3))
    zero = separability(X, [1, 1, 1, 0, 0], "none")
    assert zero.rows.tolist() == [4]
    assert "origin" in zero.claim
    negative_zero = separability([[0.0, 1], [-0.0, 1]], [0, 1])
    assert negative_zero.rows.tolist() == [0, 1]
    stored = sparse.csr_array(([0.0, 1.0, 1.0], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert separability(stored, [0, 1]).rows.tolist() == [0, 1]


def test_one_class_is_separable_trivially_and_says_so():
    X = [[1.0, 2], [-1, -2], [5, 0]]
    verdict = separability(X, ["only"] * 3)
    assert isinstance(verdict, Separable)
    assert "one class" in verdict.claim
    assert verdict.coef.tolist() == [0, 0]
    assert verdict.margin == 0.0
    assert verdict.verify(X, ["only"] * 3)
    through = separability(X, ["only"] * 3, "none")  # 0 lies between the first two
    assert through.rows.tolist() == [0, 1]
    assert "on one side" in through.claim
    assert isinstance(separability(X[:1] + X[2:], [7, 7], "none"), Separable)
    assert isinstance(separability([[3.0]], [1]), Separable)


def test_labels_of_any_kind_and_the_larger_is_positive():
    X = np.array([[0.0], [1], [2], [3]])
    for y in (["a", "a", "b", "b"], [False, False, True, True], [-3, -3, 8, 8], [0.0, 0, 1, 1]):
        verdict = separability(X, y)
        assert verdict.coef[0] > 0
        assert verdict.verify(X, y)
        assert not verdict.verify(X, y[::-1])


def test_constant_columns_integers_and_frames():
    pandas = pytest.importorskip("pandas")
    X = np.array([[1, 5, 0], [1, 5, 1], [1, 5, 3], [1, 5, 4]], dtype=np.int8)
    y = [0, 0, 1, 1]
    assert separability(X, y).verify(X, y)
    frame = pandas.DataFrame(X, columns=list("abc"))
    assert separability(frame, pandas.Series(y)).verify(frame, y)
    assert isinstance(separability(X[:, :2], y), Inseparable)


@pytest.mark.parametrize("ask", [separability, quasi_separability])
def test_bad_input_is_refused_in_words(ask):
    with pytest.raises(ValueError, match="NaN"):
        ask([[1.0], [np.nan]], [0, 1])
    with pytest.raises(ValueError, match="exactly"):
        ask(np.array([[2**60 + 1], [1]]), [0, 1])
    with pytest.raises(ValueError, match="'free' or 'none'"):
        ask([[1.0], [2.0]], [0, 1], intercept="lifted")
    with pytest.raises(ValueError, match="inconsistent"):
        ask([[1.0], [2.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="continuous"):
        ask([[1.0], [2.0]], [0.5, 1.25])
    with pytest.raises(ValueError, match="numbers"):
        ask([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match="minimum of 1"):
        ask(np.zeros((0, 2)), [])


@pytest.mark.parametrize(
    ("entry", "dtype", "remedy"),
    [
        ("a", None, "Turn text into numbers"),
        (2**60 + 1, None, "astype"),
        (np.longdouble(1) / 3, np.longdouble, "astype"),
        (10**5000, object, "larger unit"),
        (None, object, "is missing. Remove or impute"),
    ],
    ids=["text", "whole", "long", "huge", "missing"],
)
def test_an_entry_that_is_no_float_is_named_with_what_to_do(entry, dtype, remedy):
    X = np.array([[entry] if t == 1 else [1] for t in range(3)], dtype=dtype or type(entry))
    if np.finfo(np.longdouble).nmant == 52 and dtype is np.longdouble:
        pytest.skip("long double is double here")
    place = 0 if X.dtype.kind == "U" else 1  # among text, "1" is text as well
    with pytest.raises(ValueError, match=rf"X\[{place}, 0\].*{remedy}"):
        separability(X, [0, 1, 1])


def test_an_entry_of_a_sparse_matrix_is_named():
    X = sparse.csr_array(np.array([[0, 3, 0], [0, 0, 2**60 + 1]]))
    with pytest.raises(ValueError, match=r"X\[1, 2\] is 1152921504606846977"):
        separability(X, [0, 1])


def test_claims_without_an_intercept_speak_of_the_origin():
    X, y = [[0.0], [1], [1], [2]], [0, 0, 1, 1]
    assert "origin" not in quasi_separability(X, y).claim
    through = quasi_separability(X, y, "none")  # x = 1 with both labels
    assert isinstance(through, Overlapping)
    assert through.claim.startswith("No hyperplane through the origin separates 1 from 0")
    apart = quasi_separability([[1.0, 0], [0, 1], [0, 1]], [1, 0, 1], "none")
    assert isinstance(apart, QuasiSeparable)
    assert apart.claim.startswith("A hyperplane through the origin has 1 example of 3")
    X, y = [[1.0], [2], [3]], list("abc")
    free, none = separability(X, y), separability(X, y, "none")
    assert (free.intercept, none.intercept) == ("free", "none")
    assert "origin" not in repr(free)
    assert repr(none).count("by hyperplanes through the origin") == 2
    assert "No linear scores without intercepts" in none.joint.claim
    turned = separability([[0.0, 1], [1, 0], [-1, -1]], y, "none")
    assert "One linear score without intercept for each" in turned.joint.claim


def test_one_class_alone_is_told_from_nothing():
    for X, mode in itertools.product(([[1.0], [2]], [[1.0], [-2]], [[0.0], [-2]], [[0.0]]), MODES):
        verdict = quasi_separability(X, ["p"] * len(X), mode)
        assert verdict.verify(X, ["p"] * len(X))
        assert "'p'" in verdict.claim
        assert "rest" not in verdict.claim
        assert "wrong" not in verdict.claim
    assert "all are the origin itself" in quasi_separability([[0.0], [0]], [0, 1], "none").claim


def test_wide_data_with_twins_and_columns_that_depend_on_others():
    random = np.random.default_rng(0)
    X, y = random.standard_normal((41, 300)), random.integers(0, 2, 41)
    X[1], y[0], y[1] = X[0], 0, 1
    verdict = quasi_separability(X, y)
    assert verdict.ties.tolist() == [0, 1]
    assert verdict.verify(X, y)
    X, y = random.standard_normal((300, 12)), random.integers(0, 2, 300)
    X = np.hstack([X, 2 * X[:, :3], np.full((300, 1), 2.0**31 - 1)])
    verdict = quasi_separability(X, y)
    assert isinstance(verdict, Overlapping)
    assert verdict.verify(X, y)
    assert verdict.rows.size < 300
    X[np.setdiff1d(np.arange(300), verdict.rows)[0], 12] += 1  # no longer in the span
    assert "span" in str(verdict.verify(X, y))


@settings(max_examples=60)
@given(small_samples(9), st.sampled_from(MODES), st.booleans(), st.data())
def test_quasi_separation_of_several_classes(sample, mode, csr, data):
    X = np.round(4 * sample[0])
    K, m, p = data.draw(st.integers(3, 4)), len(X), X.shape[1] + (mode == "free")
    draw_w = st.lists(st.integers(-2, 2), min_size=K * p, max_size=K * p)
    lifted = np.hstack([X, np.ones((m, p - X.shape[1]))])
    codes = np.argmax(lifted @ np.reshape(data.draw(draw_w), (p, K)), axis=1)
    for t in data.draw(st.lists(st.integers(0, m - 1), max_size=3)):
        codes[t] = data.draw(st.integers(0, K - 1))
    classes, codes = np.unique(codes, return_inverse=True)
    if len(classes) < 3:
        return
    y, K = np.array(list("abcd"))[codes], len(classes)
    given_X = sparse.csr_array(X) if csr else X
    verdict = quasi_separability(given_X, y, mode)
    check = verdict.verify(given_X, y)
    assert check, check
    assert Certificate.from_dict(json.loads(json.dumps(verdict.to_dict()))) == verdict
    pairs = [(t, k) for t in range(m) for k in range(K) if k != codes[t]]
    Z = np.zeros((len(pairs), K, p))
    for z, (t, k) in zip(Z, pairs, strict=True):
        z[codes[t]] += lifted[t]
        z[k] -= lifted[t]
    Z, n = Z.reshape(len(pairs), -1), len(pairs)
    found = linprog(
        np.append(np.zeros(K * p), -np.ones(n)),
        A_ub=np.hstack([-Z, np.eye(n)]),
        b_ub=np.zeros(n),
        bounds=[(-1e5, 1e5)] * (K * p) + [(0, 1)] * n,
    )
    expected = [pair for pair, s in zip(pairs, found.x[K * p :], strict=True) if s > 0.5]
    if isinstance(verdict, Overlapping):
        assert not expected
    else:
        assert np.argwhere(verdict.strict).tolist() == [list(pair) for pair in expected]


@pytest.mark.parametrize("flip", [False, True])
def test_many_examples_and_a_small_margin(flip):
    random = np.random.default_rng(1)
    X = random.standard_normal((20_000, 12))
    score = X @ random.standard_normal(12)
    y = score > 0
    if flip:
        y[np.argsort(-np.abs(score))[:2]] ^= True  # on their wrong sides, far out
    verdict = separability(X, y)
    assert isinstance(verdict, Inseparable if flip else Separable)
    assert verdict.verify(X, y)
    if not flip:
        true = np.min(np.abs(X @ verdict.coef + verdict.intercept)) / np.linalg.norm(verdict.coef)
        assert 0 < verdict.margin <= true
        assert verdict.margin == pytest.approx(true)


def nearly_dependent(m, d, seed, size=1e-9):
    """Columns of which the last is a combination of the others, but for what the labels are."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d))
    y = (X[:, -1] > 0).astype(int)
    return np.column_stack([X[:, :-1], X[:, :-1] @ rng.standard_normal(d - 1) + size * X[:, -1]]), y


@pytest.mark.parametrize("size", [1e-6, 1e-9, 1e-11])
def test_nearly_dependent_columns_need_no_exact_simplex(size, monkeypatch):
    from certo.solvers import separation

    monkeypatch.setattr(separation, "ExactSimplex", None)
    X, y = nearly_dependent(150, 6, 1, size)
    verdict = separability(X, y)
    assert isinstance(verdict, Separable)
    assert verdict.verify(X, y)
    assert 0 < verdict.margin < size
    X, y = np.vstack([X, X[:1]]), np.append(y, 1 - y[0])
    assert isinstance(separability(X, y), Inseparable)


@pytest.mark.parametrize("ask", [separability, quasi_separability])
def test_a_time_limit_ends_in_an_error_that_says_so(ask):
    X, y = nearly_dependent(400, 12, 0)
    with pytest.raises(Undecided, match="was not decided within the limit of 1e-09 s") as caught:
        ask(X, y, time_limit=1e-9)
    assert (caught.value.stop, caught.value.verdicts) == (Stop.TIME_LIMIT, ())
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), again.stop) == (str(caught.value), caught.value.stop)
    with pytest.raises(ValueError, match="time_limit must be"):
        ask(X, y, time_limit=0)


@pytest.mark.parametrize("ask", [separability, quasi_separability])
def test_who_wishes_to_stop_is_heard(ask):
    X, y = nearly_dependent(400, 12, 0)
    with stopped_by(lambda: True), pytest.raises(Undecided, match="at Ctrl-C"):
        ask(X, y)


def test_verdicts_that_were_found_before_the_limit_are_kept(monkeypatch):
    """Each is a claim that can be checked without the others."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 2)), rng.integers(0, 4, 60)
    seen = itertools.count()
    with stopped_by(lambda: next(seen) > 12), pytest.raises(Undecided, match="they are in") as why:
        separability(X, y)
    found = why.value.verdicts
    assert found
    assert all(verdict.labels.positive == k for k, verdict in enumerate(found))
    assert all(verdict.verify(X, y) for verdict in found)
    whole = separability(X, y).one_against_rest[: len(found)]
    assert [type(verdict) for verdict in found] == [type(verdict) for verdict in whole]


def test_several_classes_are_told_apart_by_the_largest_margin(monkeypatch):
    """No linear program is needed where scores of classes separate well."""
    from certo.solvers import separation

    rng = np.random.default_rng(0)
    centres = rng.standard_normal((5, 4))
    centres[4] = 0  # In the middle of the others: no hyperplane has it alone on one side.
    y = np.arange(100) % 5
    X = 3 * centres[y] + 0.01 * rng.standard_normal((100, 4))
    X = np.vstack([X, -X[y != 4] @ np.eye(4)])
    y = np.append(y, y[y != 4] + 5)
    monkeypatch.setattr(separation, "_by_working_set", forbidden)
    sample = Sample(X, y)
    vectors = Comparisons(sample, np.arange(9) != y[:, None], True)
    found = separation.separate(vectors)
    assert vectors.wrong(found.w) is None


def forbidden(*_):
    raise AssertionError("not to be asked")
