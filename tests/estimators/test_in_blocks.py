"""Fits of examples in blocks: the answers of a table in memory, whatever the blocks are."""

from __future__ import annotations

import numpy as np
import pyarrow.dataset as ds
import pytest

import certo
from certo import SVM, LeastSquares, LogisticRegression
from certo.kernels import Gaussian
from certo.scale import ArrayBlocks
from certo.solvers.interrupt import stopped_by
from tests.scale.scenes import cuts, table, write_parquet

X, TWO, THREE, V = table()
M = len(X)


@pytest.mark.parametrize("ends", cuts(M))
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_least_squares(ends, intercept, ridge):
    settings = {"intercept": intercept, "ridge": ridge}
    found = LeastSquares(**settings).fit(ArrayBlocks(X, V, ends=ends))
    usual = LeastSquares(**settings).fit(X, V)
    np.testing.assert_allclose(found.coef_, usual.coef_, rtol=1e-10)
    np.testing.assert_allclose(found.intercept_, usual.intercept_, rtol=1e-10)
    if not ridge:
        np.testing.assert_allclose(found.standard_errors_, usual.standard_errors_, rtol=1e-9)
    (claim,) = found.certificate_
    assert claim.excess <= 1e-12 * claim.risk
    for others in cuts(M, seed=1):
        assert found.certificate_.verify(ArrayBlocks(X, V, ends=others))
    assert found.certificate_.verify(X, V)


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("intercept", ["free", "none"])
@pytest.mark.parametrize("ridge", [0.0, 0.01])
def test_logistic_regression(y, intercept, ridge):
    settings = {"intercept": intercept, "ridge": ridge, "tol": 1e-11}
    for ends in cuts(M)[::2]:
        found = LogisticRegression(**settings).fit(ArrayBlocks(X, y, ends=ends))
        usual = LogisticRegression(**settings).fit(X, y)
        # Both gradients are below √tol·1e-1 at the end, the last step being quadratic.
        np.testing.assert_allclose(found.coef_, usual.coef_, rtol=1e-6, atol=1e-7)
        assert found.converged_
        assert found.estimate_exists_
        assert found.certificate_.verify(X, y)
        for others in cuts(M, seed=1):
            assert found.certificate_.verify(ArrayBlocks(X, y, ends=others))
    if not ridge:
        np.testing.assert_allclose(found.standard_errors_, usual.standard_errors_, rtol=1e-3)


@pytest.mark.parametrize("y", [TWO, THREE])
@pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
def test_svm(y, intercept):
    usual = SVM(intercept=intercept, tol=1e-6, multiclass="rest").fit(X, y)
    for ends in cuts(M)[::2]:
        found = SVM(intercept=intercept, multiclass="rest").fit(ArrayBlocks(X, y, ends=ends))
        assert found.converged_
        for claim, other in zip(found.certificate_, usual.certificate_, strict=True):
            assert claim.relative_gap <= found.tol
            assert claim.dual <= other.primal
            assert other.dual <= claim.primal
        assert found.certificate_.verify(X, y)
        for others in cuts(M, seed=1):
            assert found.certificate_.verify(ArrayBlocks(X, y, ends=others))


def test_pairs_of_classes_are_refused_in_words():
    with pytest.raises(ValueError, match='use SVM\\(multiclass="rest"\\)'):
        SVM().fit(ArrayBlocks(X, THREE))


@pytest.mark.parametrize("machine", [SVM(class_weight="balanced"), SVM(lam=1e-3), SVM(C=30.0)])
def test_settings_mean_the_same(machine):
    found, usual = machine.fit(ArrayBlocks(X, TWO)), SVM(**machine.get_params()).fit(X, TWO)
    np.testing.assert_allclose(found.objective_, usual.objective_, rtol=2e-4)


def test_datasets_and_model_files(tmp_path):
    write_parquet(tmp_path, X, TWO)
    data = ds.dataset(tmp_path)
    for machine in (SVM(), LogisticRegression()):
        found = machine.fit(data, "y")
        np.testing.assert_array_equal(found.predict(ArrayBlocks(X)), found.predict(X))
        certo.save(found, tmp_path / "m.certo")
        again = certo.load(tmp_path / "m.certo")
        assert again.certificate_.verify(X, TWO)
        np.testing.assert_array_equal(again.predict(X), found.predict(X))


def test_ctrl_c_keeps_what_was_reached():
    blocks = ArrayBlocks(X, TWO, ends=cuts(M)[3])
    with stopped_by(lambda: True), pytest.warns(match="Stopped by hand"):
        found = SVM(tol=1e-9).fit(blocks)
    assert found.certificate_.verify(X, TWO)
    assert not found.converged_


@pytest.mark.parametrize(
    ("machine", "settings", "message"),
    [
        (SVM(Gaussian()), {}, "takes no kernel"),
        (SVM(), {"sample_weight": np.ones(M)}, "takes no sample_weight"),
        (SVM(warm_start=True), {}, "warm_start"),
        (LogisticRegression(solver="newton"), {}, "solver='damped'"),
    ],
)
def test_what_needs_all_rows_is_refused(machine, settings, message):
    with pytest.raises(ValueError, match=message):
        machine.fit(ArrayBlocks(X, TWO), None, **settings)


def test_dependent_columns_are_said():
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])
    found = LeastSquares().fit(ArrayBlocks(twice, V))
    assert not found.certificate_.claims
    assert "depend on each other" in found.certificate_.not_claimed[0].reason
    assert LeastSquares(ridge=1.0).fit(ArrayBlocks(twice, V)).certificate_.verify(twice, V)


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="only one class: 'a'"):
        SVM().fit(ArrayBlocks(X, np.full(M, "a")))


def discrete_tables():
    """Tables of few different rows, of which a vertex solves the problem, and separable ones."""
    rng = np.random.default_rng(1)
    numbers = rng.normal(size=(20_000, 5))
    score = numbers @ [1, 2, 0, 0, 0.5]
    noisy = np.where(score + rng.normal(size=len(score)) > 0, 1, -1)
    levels = np.eye(6)[rng.integers(0, 6, len(score))]
    tossed = np.where(rng.random(len(score)) < levels @ np.linspace(0.1, 0.9, 6), 1, -1)
    return {
        "booleans": (np.where(numbers > 0, 1.0, 0.0), noisy),
        "levels": (levels, tossed),
        "separable": (100 * numbers, np.where(score > 0, 1, -1)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["booleans", "levels", "separable"])
def test_svm_of_rows_that_repeat_or_are_separable(kind):
    X, y = discrete_tables()[kind]
    found = SVM().fit(ArrayBlocks(X, y))
    assert found.converged_
    assert found.n_iter_ <= 15  # Passes.
    for others in cuts(len(X), seed=1):
        assert found.certificate_.verify(ArrayBlocks(X, y, ends=others))
    assert found.certificate_.verify(X, y)


def test_without_time_the_solution_of_a_sample_is_the_answer():
    with pytest.warns(match="Stopped at the time limit"):
        found = LogisticRegression(time_limit=1e-9).fit(ArrayBlocks(X, TWO))
    assert not found.converged_
    usual = LogisticRegression().fit(X, TWO)
    np.testing.assert_allclose(found.coef_, usual.coef_, rtol=0.1)
