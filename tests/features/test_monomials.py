"""Monomials: inner products are those of the polynomial kernel."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import PolynomialFeatures

from certo.features import Conic, GaussianTaylor, Monomials
from certo.kernels import Polynomial
from tests.features.comparing import points, same


@settings(max_examples=30)
@given(
    data=st.data(),
    d=st.integers(1, 4),
    degree=st.integers(1, 4),
    scale=st.sampled_from([1.0, 0.3]),
    offset=st.sampled_from([1.0, 0.0, 2.5]),
)
def test_both_maps_of_the_polynomial_give_its_kernel(data, d, degree, scale, offset):
    X = data.draw(points(d))
    kernel = Polynomial(degree, scale=scale, offset=offset)
    for ordered in (False, True):
        phi = Monomials(degree, scale=scale, offset=offset, ordered=ordered).fit(X)
        assert phi.kernel_ == kernel
        same(phi.transform(X), kernel(X))
        thin = phi.transform(sparse.csr_array(X))
        assert sparse.issparse(thin)
        np.testing.assert_allclose(thin.toarray(), phi.transform(X))
        assert len(set(phi.get_feature_names_out())) == phi.n_output_features_
        if offset:
            count = math.comb(degree + d, degree)
            if ordered:
                count = degree + 1 if d == 1 else (d ** (degree + 1) - 1) // (d - 1)
            assert thin.shape[1] == phi.n_output_features_ == count


def test_the_monomials_are_those_of_scikit_learn_weighted():
    X = np.random.default_rng(0).standard_normal((5, 3))
    ours, theirs = Monomials(3).fit(X), PolynomialFeatures(3).fit(X)
    names = ours.get_feature_names_out().tolist()
    assert names == theirs.get_feature_names_out().tolist()
    ratio = ours.transform(X) / theirs.transform(X)
    np.testing.assert_allclose(ratio, ratio[:1].repeat(5, axis=0))
    weight = dict(zip(names, ratio[0] ** 2, strict=True))
    assert weight["x0 x1 x2"] == pytest.approx(6)
    assert weight["x0^2"] == pytest.approx(3)
    ordered = Monomials(2, ordered=True).fit(X).get_feature_names_out()
    assert {"1", "x0 x1", "x1 x0", "x0 x0"} <= set(ordered)


@given(points(2))
def test_the_conic_map_is_as_in_the_textbook(X):
    F = Conic().fit_transform(X)
    root = math.sqrt(2)
    for row, (a, b) in zip(F, X, strict=True):
        np.testing.assert_allclose(row, [1, a * a, b * b, root * a, root * b, root * a * b])
    same(F, Polynomial(2)(X))
    np.testing.assert_allclose(Conic().fit_transform(sparse.csr_array(X)).toarray(), F)


def test_the_conic_map_in_more_dimensions_and_its_names():
    X = np.random.default_rng(1).standard_normal((4, 5))
    same(Conic().fit_transform(X), Polynomial(2)(X))
    frame = pd.DataFrame(X[:, :2], columns=["age", "dose"])
    names = Conic().fit(frame).get_feature_names_out().tolist()
    assert names == ["1", "age^2", "dose^2", "age", "dose", "age dose"]
    out = Monomials(2).set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["1", "age", "dose", "age^2", "age dose", "dose^2"]
    assert GaussianTaylor(1.0, 1).fit(frame).get_feature_names_out().tolist() == [
        "1",
        "age",
        "dose",
    ]
