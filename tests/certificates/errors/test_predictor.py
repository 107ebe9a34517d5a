"""Rules, what they get wrong by brute force in fractions, and their JSON forms."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import KernelPredictor, LinearPredictor, Predictor, StatedPredictions
from certo.certificates.base import Refuted
from certo.certificates.errors import kernel_predictor as module
from certo.certificates.sample.examples import SampleMismatch
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed, Spectrum
from certo.words.errors import of_rule

#: numbers among which sums cancel, round and tie
NUMBERS = st.sampled_from([0.0, 1.0, -1.0, 2.0, -2.0, 0.1, 0.3, -0.3, 1e16, -1e16, 1e-17, 3e-320])


def leads(scores: list[Fraction], code: int) -> int:
    """1 right, 0 a tie, −1 wrong."""
    if len(scores) == 1:
        lead = scores[0] if code else -scores[0]
    else:
        lead = min(scores[code] - s for k, s in enumerate(scores) if k != code)
    return (lead > 0) - (lead < 0)


def linear_leads(rule: LinearPredictor, X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    def score(w, b, x):
        return sum((Fraction(p) * Fraction(q) for p, q in zip(w, x, strict=True)), Fraction(b))

    pairs = list(zip(rule.coef.tolist(), rule.intercept.tolist(), strict=True))
    return np.array([
        leads([score(w, b, x) for w, b in pairs], code)
        for x, code in zip(X.tolist(), codes.tolist(), strict=True)
    ])  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(data=st.data(), classes=st.integers(2, 4), d=st.integers(1, 4), m=st.integers(1, 6))
def test_a_linear_rule_is_never_called_right_or_wrong_falsely(data, classes, d, m):
    outputs = 1 if classes == 2 else classes

    def table(rows, columns):
        lists = st.lists(NUMBERS, min_size=columns, max_size=columns)
        return np.array(data.draw(st.lists(lists, min_size=rows, max_size=rows)))

    X, rule = table(m, d), LinearPredictor(table(outputs, d), table(1, outputs)[0])
    codes = np.array(data.draw(st.lists(st.integers(0, classes - 1), min_size=m, max_size=m)))
    order = data.draw(st.permutations(range(d)))
    products = (X[:, None, :] * rule.coef)[..., order]
    computed = [X @ rule.coef.T, np.cumsum(products, axis=2)[..., -1], np.sum(products, axis=2)]
    every = [linear_leads(rule, X, codes)]
    for scores in computed:
        both = zip((scores + rule.intercept).tolist(), codes.tolist(), strict=True)
        every.append(np.array([leads(some, code) for some, code in both]))
    for given_as in (X, sparse.csr_array(X)):
        wrong = rule.wrong(rule.read(given_as), codes)
        for truth in every:
            assert np.all(truth[~wrong.errors] == 1)
            assert np.all(truth[wrong.errors & ~wrong.ties] == -1)


def test_integer_scores_are_decided_exactly():
    """Integers, and scores that a float sees apart."""
    random = np.random.default_rng(0)
    X, codes = random.integers(-9, 10, (300, 4)), random.integers(0, 3, 300)
    rule = LinearPredictor(random.integers(-9, 10, (3, 4)), [0, 1, -1])
    truth, wrong = linear_leads(rule, X, codes), rule.wrong(rule.read(X), codes, 4.0)
    assert np.array_equal(wrong.errors, truth <= 0)
    assert np.array_equal(wrong.ties, truth == 0)
    assert np.any(wrong.ties)
    near = LinearPredictor([[0.1, 0.2, 0.3]], [-0.6])
    assert near.wrong(np.ones((1, 3)), np.array([1])).ties.all()  # 0.1 + 0.2 + 0.3 is not 0.6
    assert not near.wrong(np.ones((1, 3)) + 1e-12, np.array([1])).errors.any()
    assert near.wrong(np.full((1, 3), 1e308), np.array([1])).ties.all()  # may overflow on the way


def test_many_rows_are_taken_in_turn(monkeypatch):
    monkeypatch.setattr("certo.containers.BLOCK_NUMBERS", 21)
    random = np.random.default_rng(0)
    X = random.integers(-2, 3, (40, 3)).astype(np.float32)
    codes = random.integers(0, 3, 40)
    rule = LinearPredictor(random.integers(-2, 3, (3, 3)), [0, 1, 0])
    truth = linear_leads(rule, X, codes)
    for given_as in (X, sparse.csr_array(X)):
        wrong = rule.wrong(given_as, codes)
        assert np.array_equal(wrong.errors, truth <= 0)
        assert np.array_equal(wrong.ties, truth == 0)
    with pytest.raises(Refuted, match="3 features"):
        rule.wrong(X[:, :2], codes)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), outputs=st.sampled_from([1, 3]), degree=st.integers(1, 3))
def test_a_kernel_rule_is_never_called_right_or_wrong_falsely(seed, outputs, degree):
    random = np.random.default_rng(seed)
    X, vectors = (random.integers(-3, 4, (n, 2)) / 4 for n in (12, 5))
    coef = random.integers(-2, 3, (outputs, 5)) / random.choice([1, 3])
    intercept = random.integers(-1, 2, outputs) / 3
    codes = random.integers(0, max(outputs, 2), 12)
    rule = KernelPredictor(Polynomial(degree, offset=0.5), vectors, coef, intercept)
    wrong = rule.wrong(rule.read(X), codes)

    def score(k, x):
        inner = (sum(Fraction(a) * Fraction(b) for a, b in zip(x, v, strict=True)) for v in vectors)
        values = ((Fraction(1, 2) + p) ** degree for p in inner)
        terms = (Fraction(c) * v for c, v in zip(coef[k], values, strict=True))
        return sum(terms, Fraction(intercept[k]))

    truth = np.array([
        leads([score(k, x) for k in range(outputs)], code)
        for x, code in zip(X.tolist(), codes.tolist(), strict=True)
    ])  # fmt: skip
    assert np.all(truth[~wrong.errors] == 1)
    assert np.all(truth[wrong.errors & ~wrong.ties] == -1)
    assert np.all(truth[wrong.ties] == 0)  # numbers as tame as these are decided, but for ties
    wider = rule.wrong(rule.read(X), codes, 1e20)
    assert np.all(wider.errors)
    assert np.all(wider.ties)


def test_a_kernel_rule_is_judged_as_predict_computes_it():
    """Scores of noise: the function is 0 at every example but for rounding."""
    random = np.random.default_rng(4)
    X, codes = random.standard_normal((40, 2)), random.integers(0, 2, 40)
    vectors, coef = np.repeat(X[:9], 2, axis=0), np.tile([0.3, -0.3], 9)
    intercept = 1e-17
    rule = KernelPredictor(Gaussian(1.0), vectors, [coef], [intercept])
    wrong = rule.wrong(X, codes)
    for order in (np.arange(18), random.permutation(18)):
        values = np.exp(-0.5 * np.sum((X[:, None] - vectors[order]) ** 2, axis=2)) * coef[order]
        computed = (np.cumsum(values, axis=1)[:, -1] + intercept > 0).astype(int)
        assert np.all((computed == codes)[~wrong.errors])
        assert np.all((computed != codes)[wrong.errors & ~wrong.ties])
    assert np.any(wrong.ties)


def test_kernels_in_all_their_forms():
    random = np.random.default_rng(1)
    X, Z = random.standard_normal((2, 9, 3))
    coef, intercept, codes = random.standard_normal((1, 9)), [0.25], random.integers(0, 2, 9)
    kernel = Gaussian(2.0)
    dense = KernelPredictor(kernel, Z, coef, intercept)
    expected = dense.wrong(X, codes)
    assert np.array_equal(expected.errors, ((kernel.plain(X, Z) @ coef[0] + 0.25) > 0) != codes)
    thin = KernelPredictor(kernel, sparse.csr_array(Z), coef, intercept)
    matrix = KernelPredictor(Precomputed(), np.arange(9), coef, intercept)
    function = KernelPredictor(
        Function(lambda x, z: float(kernel.plain(x[None], z[None])[0, 0])), list(Z), coef, intercept
    )
    for rule, points in (
        (thin, sparse.csr_array(X)),
        (matrix, kernel.plain(X, Z)),
        (function, list(X)),
    ):
        found = rule.wrong(rule.read(points), codes)
        assert np.array_equal(found.errors, expected.errors)
    assert thin.to_dict() == dense.to_dict()
    assert thin == dense
    assert "always the same" in of_rule(function).assumes[0]
    # a scaled matrix is rounded, and nothing is known of K(x, x): all may be either
    scaled = KernelPredictor(3.0 * Precomputed(), np.arange(9), coef, intercept)
    assert np.all(scaled.wrong(scaled.read(kernel.plain(X, Z)), codes).errors[expected.errors])
    nothing = KernelPredictor(kernel, np.zeros((0, 3)), np.zeros((1, 0)), [-1.0])
    assert np.array_equal(nothing.wrong(X, codes).errors, codes == 1)


def rules():
    random = np.random.default_rng(2)
    yield LinearPredictor(random.standard_normal((3, 2)), random.standard_normal(3))
    yield KernelPredictor(Gaussian(0.1), random.standard_normal((4, 2)), np.ones((1, 4)), [0.1])
    yield KernelPredictor(Linear(), random.standard_normal((4, 2)), np.ones((3, 4)), [0.0, 1, 2])
    yield KernelPredictor(Precomputed(), [3, 0], [[1.0, 2.0]], [0.0])
    yield StatedPredictions.of(["b", "a", "b"], ["a", "b"])


@pytest.mark.parametrize("rule", list(rules()), ids=lambda rule: type(rule).__name__)
def test_json_there_and_back(rule):
    written = json.loads(json.dumps(rule.to_dict()))
    again = Predictor.from_dict(written)
    assert again == rule
    assert again.to_dict() == written
    for name in written:
        for value in (None, "x", [[1.0], [1.0, 2.0]], [float("nan")], {}, 10**400, [["x"]]):
            if written[name] != value:
                with pytest.raises(ValueError, match=r".+"):
                    Predictor.from_dict(written | {name: value})
    with pytest.raises(ValueError, match="fields"):
        Predictor.from_dict(written | {"more": 1})
    with pytest.raises(ValueError, match="type"):
        Predictor.from_dict([])


def test_values_without_json_form_are_refused(monkeypatch):
    texts = KernelPredictor(Spectrum(2), ["abc", "bcd"], [[1.0, -1.0]], [0.0])
    assert not texts.wrong(texts.read(["abab"]), np.array([1])).errors.any()
    with pytest.raises(ValueError, match="objects has no JSON form"):
        texts.to_dict()
    monkeypatch.setattr(module, "MAX_JSON_NUMBERS", 5)
    with pytest.raises(ValueError, match="more than the 5"):
        KernelPredictor(Linear(), np.ones((2, 3)), np.ones((1, 2)), [0.0]).to_dict()


def test_stated_answers_are_compared_with_the_labels():
    rule = StatedPredictions.of(np.array([3, 1, 2]), [1, 2, 3])
    assert rule.answers.tolist() == [2, 0, 1]
    assert rule.wrong(None, np.array([2, 1, 1])).errors.tolist() == [False, True, False]
    with pytest.raises(Refuted, match="3 answers for 2"):
        rule.wrong(None, np.array([2, 1]))
    with pytest.raises(SampleMismatch, match="not one of the classes"):
        StatedPredictions.of([4], [1, 2, 3])
