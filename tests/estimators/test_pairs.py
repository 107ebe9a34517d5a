"""Pairs of classes: arranged, scored and voted on as by scikit-learn's `SVC`."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

import certo
from certo import SVM, HardMarginSVM
from certo.certificates import Labels, SoftMarginGap
from certo.estimators import _pairs, _soft_margin
from certo.kernels import Gaussian, Polynomial, Precomputed, Spectrum
from certo.stop import Stop

TIGHT = 1e-10


def clouds(seed=0, m=60, classes=4, spread=1.0):
    random = np.random.default_rng(seed)
    y = np.resize(np.arange(classes), m)
    centres = 3 * random.standard_normal((classes, 3))
    X = centres[y] + spread * random.standard_normal((m, 3))
    return X, np.array(["a", "b", "c", "d", "e"])[y]


KERNELS = [(None, {"kernel": "linear"}), (Gaussian(2.0), {"gamma": 0.25})]


@pytest.mark.parametrize(("kernel", "settings"), KERNELS)
def test_all_numbers_are_those_of_svc(kernel, settings):
    X, y = clouds()
    weight = {"a": 2.0, "b": 0.5, "c": 1.0, "d": 1.0}
    ours = SVM(kernel, C=0.7, class_weight=weight, tol=TIGHT).fit(X, y)
    theirs = SVC(C=0.7, class_weight=weight, tol=1e-9, **settings).fit(X, y)
    # A gap g leaves weights within √(2g): about 1e-5 here, and SVC stops at about 1e-9 in a slope.
    near = {"rtol": 0, "atol": 1e-4}
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, **near)
    order = np.argsort(theirs.support_)
    np.testing.assert_array_equal(ours.support_, theirs.support_[order])
    np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
    np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_[:, order], **near)
    new = np.random.default_rng(1).standard_normal((200, 3)) * 4
    np.testing.assert_allclose(ours.decision_function(new), theirs.decision_function(new), **near)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    theirs.decision_function_shape = ours.decision_function_shape = "ovo"
    np.testing.assert_allclose(ours.decision_function(new), theirs.decision_function(new), **near)
    if kernel is None:
        np.testing.assert_allclose(ours.coef_, theirs.coef_, **near)
    else:
        scores = np.column_stack([f(new) for f in ours.expansions_]) + ours.intercept_
        np.testing.assert_allclose(scores, ours.decision_function(new), atol=1e-9)


@pytest.mark.parametrize("mode", ["free", "lifted", "none"])
def test_each_pair_is_the_machine_of_its_two_classes(mode):
    X, y = clouds(3)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = SVM(C=0.5, intercept=mode, tol=TIGHT).fit(X, y, weight)
    assert len(model.certificate_) == len(model.outputs_) == 6
    for k, labels in enumerate(model.outputs_):
        own, other = labels.classes[labels.positive], labels.classes[labels.against]
        rows = np.flatnonzero((y == own) | (y == other))
        alone = SVM(C=0.5, intercept=mode, tol=TIGHT).fit(X[rows], y[rows] == own, weight[rows])
        np.testing.assert_allclose(model.coef_[k], alone.coef_[0], atol=1e-4)
        np.testing.assert_allclose(model.objective_[k], alone.objective_[0], rtol=1e-9)
        claim = model.certificate_[k]
        assert claim.labels == labels
        assert claim.examples == len(rows)
        mine, dual_coef = model.supports_of_output(k)
        np.testing.assert_array_equal(claim.rows, mine)
        np.testing.assert_array_equal(claim.dual_coef, dual_coef)
        assert set(mine.tolist()) <= set(rows.tolist())
        np.testing.assert_allclose(dual_coef @ X[mine], model.coef_[k], atol=1e-4)


def test_claims_are_about_the_examples_of_two_classes_only():
    X, y = clouds()
    claim = SVM().fit(X, y).certificate_[0]
    assert claim.verify(X, y)
    others = ~np.isin(y, [claim.labels.classes[k] for k in (0, 1)])
    moved = X.copy()
    moved[others] += 1
    assert claim.verify(moved, y)
    moved[~others] *= 1.01
    assert not claim.verify(moved, y)
    strange = y.copy()
    strange[others] = "z"
    assert "not one of the classes" in claim.verify(X, strange).why


@pytest.mark.parametrize("corrupt", ["permuted", "left out", "swapped", "rows", "turned", "rest"])
def test_claims_of_other_pairs_are_not_about_the_model(corrupt):
    from certo.guarantees.belonging import objections

    X, y = clouds()
    model = SVM().fit(X, y)
    claims, classes = list(model.certificate_), ("a", "b", "c", "d")
    assert objections(claims, model, X, y) == []
    if corrupt == "permuted":
        data = [claim.to_dict() for claim in claims]
        data[0]["labels"], data[1]["labels"] = data[1]["labels"], data[0]["labels"]
        claims = [SoftMarginGap.from_dict(one) for one in data]
        assert not all(claim.verify(X, y) for claim in claims[:2])
    elif corrupt == "left out":
        claims.pop(2)
    elif corrupt == "swapped":
        claims = SVM().fit(X, np.array(classes)[::-1][np.searchsorted(classes, y)]).certificate_
    elif corrupt == "rows":
        data = claims[0].to_dict()
        inside = set(np.flatnonzero(np.isin(y, ["c", "d"])).tolist())
        data["rows"] = sorted(inside)[: len(data["rows"])]
        claims[0] = SoftMarginGap.from_dict(data)
        assert not claims[0].verify(X, y)
    elif corrupt == "turned":
        data = claims[0].to_dict()
        data["labels"] = data["labels"] | {"positive": 1, "against": 0}
        claims[0] = SoftMarginGap.from_dict(data)
        assert not claims[0].verify(X, y)
    else:
        claims = list(SVM(multiclass="rest").fit(X, y).certificate_)
    assert objections(claims, model, X, y) != []


@pytest.mark.slow
def test_votes_and_ties_are_those_of_svc():
    """A ring of three pairs has one vote for each class: the first is taken, or the clearest."""
    random = np.random.default_rng(0)
    X = random.standard_normal((90, 2))
    y = random.integers(0, 3, 90)
    # Its scores are then right to 3e-5; with a tolerance of 1e-9 it takes a thousand times as long.
    theirs = SVC(kernel="linear", C=10.0, tol=1e-5).fit(X, y)
    ours = SVM(C=10.0, tol=TIGHT).fit(X, y)
    grid = np.stack(np.meshgrid(*[np.linspace(-4, 4, 90)] * 2), -1).reshape(-1, 2)
    scores = clone(ours).set_params(decision_function_shape="ovo").fit(X, y).decision_function(grid)
    clear = np.all(np.abs(scores) > 1e-3, axis=1)
    votes = np.floor(ours.decision_function(grid) + 0.5)
    tied = np.sum(votes == votes.max(axis=1, keepdims=True), axis=1) > 1
    assert np.any(tied & clear)
    np.testing.assert_array_equal(ours.predict(grid[clear]), theirs.predict(grid[clear]))
    theirs.break_ties = ours.break_ties = True
    np.testing.assert_array_equal(ours.predict(grid[clear]), theirs.predict(grid[clear]))
    assert np.any(ours.predict(grid[clear & tied]) != 0)


def test_a_score_of_0_is_a_vote_for_the_second():
    assert _pairs.most_votes(np.zeros((1, 3)), 3).tolist() == [2]
    assert _pairs.most_votes(np.array([[1.0, -1.0, 1.0]]), 3).tolist() == [0]


@pytest.mark.parametrize("classes", [3, 4, 7])
def test_what_is_arranged_by_class_is_found_again_by_pair(classes):
    random = np.random.default_rng(classes)
    codes = random.integers(0, classes, 40)
    rows, coefs = [], []
    for i, j in _pairs.pairs_of(classes):
        there = np.flatnonzero((codes == i) | (codes == j))
        rows.append(np.sort(random.choice(there, min(4, there.size), replace=False)))
        coefs.append(random.standard_normal(rows[-1].size))
    support, table, belongs = _pairs.arranged(rows, coefs, codes, classes)
    every = _pairs.by_pair(table, codes[support], classes)
    mine = _pairs.by_pair(belongs, codes[support], classes)
    for line, here, some, coef in zip(every, mine, rows, coefs, strict=True):
        np.testing.assert_array_equal(support[here], some)
        np.testing.assert_array_equal(line[here], coef)
        assert not np.any(line[~here])


@pytest.mark.parametrize("kernel", [None, Gaussian(3.0), Polynomial(2)])
def test_claims_can_wait_until_they_are_read(kernel):
    X, y = clouds()
    model, given = SVM(kernel), X.copy()
    model.fit(given, y)
    expected = SVM(kernel).fit(X, y).certificate_
    given[:] = 0  # The fit kept what it needs.
    model.set_params(tol=1e-1)
    assert model.certificate_ == expected
    assert model.converged_
    assert "Converged" in model.status_
    assert len(model.slack_) == len(model.objective_) == 6
    assert model.certificate_.verify(X, y)
    again = pickle.loads(pickle.dumps(SVM(kernel).fit(X, y)))
    assert again.certificate_ == expected
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_where_rounding_matters_claims_are_made_at_once():
    X, y = clouds()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SVM(tol=1e-16).fit(X, y)
    assert "certificate_" in vars(model)


@pytest.mark.slow
def test_slacks_and_leave_one_out_of_pairs():
    X, y = clouds(m=40, spread=2.0)
    model = SVM(C=1.0, tol=TIGHT).fit(X, y)
    slacks = model.slacks(X, y)
    assert slacks.shape == (40, 6)
    for k, labels in enumerate(model.outputs_):
        mine = labels.signs(y) != 0
        np.testing.assert_allclose(model.slack_[k], slacks[mine, k], atol=1e-12)
        assert not np.any(slacks[~mine, k])
    exact = model.leave_one_out(X, y, exact=True)
    wrong = sum(
        SVC(kernel="linear", tol=1e-9).fit(np.delete(X, t, 0), np.delete(y, t)).predict(X[[t]])[0]
        != y[t]
        for t in range(40)
    )
    assert exact.errors == wrong
    assert model.leave_one_out(X, y).errors >= wrong


def test_warm_starts_and_paths_of_pairs():
    X, y = clouds(m=200)
    cold = SVM(C=1.1).fit(X, y)
    warm = SVM(C=1.0, warm_start=True).fit(X, y).set_params(C=1.1).fit(X, y)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-2)
    assert warm.certificate_.verify(X, y)
    path = SVM.path(X, y, [0.1, 1.0], tol=1e-8)
    assert path.coefs.shape == (2, 6, 3)
    assert path.supports.shape == (2, 6)
    assert np.all(path.gaps <= 1e-8)
    sizes = [model.supports_of_output(4)[0].size for model in path.models]
    assert path.supports[:, 4].tolist() == sizes


def test_precomputed_matrices_texts_and_callbacks():
    X, y = clouds()
    K = Polynomial(2)(X)
    K = (K + K.T) / 2
    new = Polynomial(2)(X[:7], X)
    one, other = SVM(Precomputed()).fit(K, y), SVM(Polynomial(2)).fit(X, y)
    assert one.certificate_.verify(K, y)
    np.testing.assert_array_equal(one.predict(new), other.predict(X[:7]))
    texts = ["aab", "aba", "abb", "ccd", "cdc", "ddc", "eef", "efe", "fef"]
    names = ["x"] * 3 + ["y"] * 3 + ["z"] * 3
    model = SVM(Spectrum(1)).fit(texts, names)
    assert model.predict(texts).tolist() == names
    assert model.certificate_.verify(texts, names)


def test_a_large_gap_is_said_of_the_pairs():
    X, y = clouds(m=400, spread=3.0)
    with pytest.warns(ConvergenceWarning, match="max_iter = 1"):
        model = SVM(Gaussian(1.0), C=100.0, max_iter=1, tol=1e-9).fit(X, y)
    assert model._stop is Stop.MAX_ITER
    assert not model.converged_


@pytest.mark.parametrize("kernel", [None, Gaussian(2.0)])
@pytest.mark.parametrize("multiclass", ["pairs", "rest"])
def test_what_was_not_begun_is_said_of_its_classes(multiclass, kernel, monkeypatch):
    """A wish to stop after two outputs: they are as good as ever, the others have weights of 0."""
    from certo.estimators._limits import Running

    X, y = clouds(m=80)
    asked = Running.asked
    begun = []

    def after_two(self):
        stop = asked(self)
        return stop or (Stop.BY_HAND if len(begun) > 2 else None)

    original = _soft_margin.machine_for

    def counted(*args, **settings):
        begun.append(1)
        return original(*args, **settings)

    monkeypatch.setattr(Running, "asked", after_two)
    monkeypatch.setattr(_soft_margin, "machine_for", counted)
    with pytest.warns(ConvergenceWarning):
        model = SVM(kernel, multiclass=multiclass).fit(X, y)
    outputs = len(model.outputs_)
    assert len(model.certificate_) == 2
    assert model.certificate_.verify(X, y)
    reasons = [one.reason for one in model.certificate_.not_claimed]
    assert len(reasons) == outputs - 2
    assert all("stopped before it came" in reason for reason in reasons)
    sizes = [model.supports_of_output(k)[0].size for k in range(outputs)]
    assert [size > 1 for size in sizes] == [True] * 2 + [False] * (outputs - 2)


class TestHardMargin:
    def test_each_pair_has_the_largest_margin(self):
        X, y = clouds(5, m=24, spread=0.2)
        model = HardMarginSVM().fit(X, y)
        assert [claim.name for claim in model.certificate_] == ["Separable", "MaximumMargin"] * 6
        assert model.certificate_.verify(X, y)
        for k, labels in enumerate(model.outputs_):
            mine = labels.signs(y) != 0
            alone = HardMarginSVM().fit(X[mine], labels.signs(y)[mine])
            np.testing.assert_allclose(model.margin_[k], alone.margin_[0], rtol=1e-5)
        assert model.predict(X).tolist() == y.tolist()

    def test_the_proof_names_rows_of_the_whole_table(self):
        X, y = load_iris(return_X_y=True)
        with pytest.raises(certo.NotSeparable, match="1 from 2") as caught:
            HardMarginSVM().fit(X, y)
        proof = caught.value.proof
        assert set(y[caught.value.rows]) == {1, 2}
        assert proof.labels == Labels((0, 1, 2), 1, None, 2)
        assert proof.verify(X, y)
        moved = X.copy()
        moved[y == 0] = 0
        assert proof.verify(moved, y)
        moved[caught.value.rows[0]] += 1
        assert not proof.verify(moved, y)


class TestSettings:
    @pytest.mark.parametrize("kind", [SVM, HardMarginSVM])
    def test_wrong_ones_are_refused(self, kind):
        X, y = load_wine(return_X_y=True)
        with pytest.raises(ValueError, match="multiclass must be 'pairs' or 'rest'"):
            kind(multiclass="ovo").fit(X, y)
        with pytest.raises(ValueError, match="'ovr' or 'ovo'"):
            kind(decision_function_shape="ova").fit(X, y)
        with pytest.raises(ValueError, match="there are none"):
            kind(multiclass="rest", decision_function_shape="ovo").fit(X, y)
        with pytest.raises(ValueError, match="settles ties"):
            kind(break_ties=True, decision_function_shape="ovo").fit(X, y)

    def test_two_classes_are_as_before(self):
        X, y = clouds(classes=2)
        pairs, rest = SVM().fit(X, y), SVM(multiclass="rest").fit(X, y)
        np.testing.assert_array_equal(pairs.coef_, rest.coef_)
        assert pairs.decision_function(X).shape == (60,)
        assert pairs.certificate_[0].labels == Labels(("a", "b"), 1)


@pytest.mark.parametrize("kernel", [None, Gaussian(2.0)])
def test_claims_of_a_stopped_fit_do_not_take_longer_than_the_fit(kernel, monkeypatch):
    """All pairs are solved, and then somebody waits: claims that would take long are not made."""
    X, y = clouds(m=80)
    usual = SVM(kernel).fit(X, y)
    slack = usual.slack_
    monkeypatch.setattr(_soft_margin, "can_wait", lambda *anything: False)
    monkeypatch.setattr(_soft_margin, "CLAIM_SECONDS", 0.0)
    made = _soft_margin.with_claims

    def asked_by_now(space, tasks, found, asked):
        return made(space, tasks, found, lambda: Stop.TIME_LIMIT)

    monkeypatch.setattr(_soft_margin, "with_claims", asked_by_now)
    with pytest.warns(ConvergenceWarning, match="nothing is proved"):
        model = SVM(kernel, time_limit=1.0).fit(X, y)
    assert model._stop is Stop.TIME_LIMIT
    assert not model.converged_
    assert not len(model.certificate_)
    assert len(model.certificate_.not_claimed) == 6
    np.testing.assert_array_equal(model.intercept_, usual.intercept_)
    np.testing.assert_array_equal(model.predict(X), usual.predict(X))
    for own, other in zip(model.slack_, slack, strict=True):
        np.testing.assert_allclose(own, other, atol=1e-9)
