"""What is done to X and y before a fit: plain arrays as scikit-learn's `validate_data` does it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.utils.validation import validate_data

from certo import LeastSquares, Perceptron
from certo.estimators import _input

X = np.arange(12.0).reshape(6, 2) % 5
y = np.array([0, 1, 0, 1, 1, 0])
HUGE = np.full((6, 2), 1e308)  # Its sum overflows.

TABLES = {
    "float64": X, "float32": X.astype(np.float32), "integers": X.astype(int), "list": X.tolist(),
    "Fortran": np.asfortranarray(X), "part": np.arange(24.0).reshape(6, 4)[:, ::2], "CSR":
    sparse.csr_array(X), "CSC": sparse.csc_array(X), "frame": pd.DataFrame(X, columns=["a", "b"]),
    "read-only": np.frombuffer(X.tobytes()).reshape(6, 2), "subclass": X.view(np.ma.MaskedArray),
    "huge": HUGE, "swapped": X.astype(">f8"), "long double": X.astype(np.longdouble),
}  # fmt: skip
LABELS = {
    "integers": y, "floats": y.astype(float), "text": y.astype(str), "bool": y.astype(bool), "list":
    y.tolist(), "objects": y.astype(str).astype(object), "column": y[:, None], "series":
    pd.Series(y), "float32": y.astype(np.float32), "matrix": np.eye(2, dtype=int)[y],
}  # fmt: skip
WRONG = {
    "one dimension": (X[0], y), "three": (X[None], y), "no rows": (X[:0], y[:0]), "no columns":
    (X[:, :0], y), "more labels": (X, y[:-1]), "no labels": (X, None), "NaN in y":
    (X, np.where(y > 0, np.nan, 0.0)), "infinite y": (X, np.where(y > 0, np.inf, 0.0)), "complex":
    (X * 1j, y), "text": (X.astype(str), y),
}  # fmt: skip


def outcome(call):
    """What it returns, or the error."""
    try:
        return call()
    except Exception as wrong:
        return type(wrong), str(wrong)


def checked(estimator, X, y):
    return validate_data(
        estimator, X, y, multi_output=True, ensure_all_finite=False, **_input._ACCEPTED
    )


@pytest.mark.parametrize("labels", LABELS)
@pytest.mark.parametrize("table", TABLES)
def test_the_same_as_validate_data(table, labels):
    ours, theirs = Perceptron(), Perceptron()
    ours.feature_names_in_ = np.array(["old"], dtype=object)
    for made, expected in zip(
        _input.labelled_examples(ours, TABLES[table], LABELS[labels], reset=True),
        checked(theirs, TABLES[table], LABELS[labels]), strict=True,
    ):  # fmt: skip
        assert type(made) is type(expected)
        assert made.dtype == expected.dtype
        assert made.shape == expected.shape
        assert sparse.issparse(made) or np.array_equal(made, expected)
        assert sparse.issparse(made) or made.flags.c_contiguous
    del ours._seen_rows
    assert vars(ours).keys() == vars(theirs).keys()
    assert ours.n_features_in_ == theirs.n_features_in_ == 2


@pytest.mark.parametrize("case", [case for case in WRONG if case not in ("text", "complex")])
def test_the_same_errors(case):
    given = WRONG[case]
    expected = outcome(lambda: checked(Perceptron(), *given))
    assert isinstance(expected, tuple)
    assert outcome(lambda: Perceptron().fit(*given)) == expected


@pytest.mark.parametrize("case", WRONG)
def test_nothing_wrong_passes(case):
    with pytest.raises((ValueError, TypeError)):
        Perceptron().fit(*WRONG[case])


def test_plain_arrays_are_not_copied():
    for order in ("C", None):
        made, labels = _input.labelled_examples(Perceptron(), X, y, reset=True, order=order)
        assert made is X
        assert labels is y


def test_new_examples():
    model = LeastSquares().fit(X, y)
    assert _input.examples(model, X) is X
    for wrong in (X[:, :1], np.where(X == 0, np.nan, X), X[0], X[:0]):
        expected = outcome(lambda: validate_data(model, wrong, reset=False, **_input._ACCEPTED))  # noqa: B023
        assert outcome(lambda: _input.examples(model, wrong)) == expected  # noqa: B023
    assert np.array_equal(_input.examples(model, HUGE), HUGE)
    named = LeastSquares().fit(TABLES["frame"], y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        named.predict(X)
