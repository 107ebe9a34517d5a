"""Numbers that float64 cannot hold, in every container: refused in a fit, and in a check."""

import datetime
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from sklearn.base import clone

from certo import risk, separability
from certo.containers import Inexact, canonical_csr, exact_input, inexact_integers
from certo.estimators import (
    SVM,
    GaussianDensity,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    MinDisagreement,
    Pegasos,
    Perceptron,
)
from certo.kernels import Gaussian, Linear, Polynomial, Precomputed

BIG = 2**53 + 1
IDS = [2**53, BIG, 2**53, BIG]  # in float64 all are the same
HALVES = [0.5, 0.5, 1.5, 1.5]
Y = [0, 1, 0, 1]  # the identifiers tell the classes apart
DAYS = [datetime.date(2020, 1, 1 + t) for t in range(4)]
DATES_ALONE = np.array(DAYS, "M8[D]")
ROUNDED = np.column_stack([IDS, HALVES])
TOO_FINE = {
    "list": [list(row) for row in zip(IDS, HALVES, strict=True)],
    "tuple": tuple(zip(IDS, HALVES, strict=True)),
    "deque": deque(zip(IDS, HALVES, strict=True)),
    "list of deques": [deque(row) for row in zip(IDS, HALVES, strict=True)],
    "NumPy scalars": [[np.int64(a), b] for a, b in zip(IDS, HALVES, strict=True)],
    "unsigned and signed": [[2**63 + a % 2, -1] for a in IDS],
    "fractions": [[Fraction(a, 3), b] for a, b in zip(IDS, HALVES, strict=True)],
    "integers": np.array([IDS, IDS]).T,
    "objects": np.array([[np.int64(a), b] for a, b in zip(IDS, HALVES, strict=True)], dtype=object),
    "pandas": pd.DataFrame({"id": IDS, "x": HALVES}),
    "pandas integers": pd.DataFrame({"id": IDS, "n": Y}),
    "pandas unsigned": pd.DataFrame({"id": IDS, "n": np.array(Y, np.uint64)}),
    "pandas nullable": pd.DataFrame({"id": pd.array(IDS, "Int64"), "x": HALVES}),
    "pandas decimals": pd.DataFrame({"id": [Decimal(a) / 10 for a in IDS], "x": HALVES}),
    "pandas sparse": pd.DataFrame({"id": pd.arrays.SparseArray(IDS), "x": HALVES}),
    "pandas of Arrow": pd.DataFrame({"id": pd.array(IDS, "int64[pyarrow]"), "x": HALVES}),
    "pandas categories": pd.DataFrame({"id": pd.Categorical(IDS), "x": HALVES}),
    "Arrow dictionary": pa.table({"id": pa.array(IDS).dictionary_encode(), "x": HALVES}),
    "polars": pl.DataFrame({"id": IDS, "x": HALVES}),
    "polars decimals": pl.DataFrame({"id": [Decimal(a) / 10 for a in IDS], "x": HALVES}),
    "Arrow": pa.table({"id": IDS, "x": HALVES}),
    "CSR": sparse.csr_array(np.array([IDS, IDS]).T),
    "COO": sparse.coo_matrix(np.array([IDS, IDS]).T),
}
if np.finfo(np.longdouble).nmant > 52:
    TOO_FINE["long double"] = np.array([IDS, HALVES], np.longdouble).T
DATES = {
    "datetime64": np.array([DAYS, DAYS], "M8[D]").T,
    "timedelta64": np.array([Y, Y], "m8[s]").T,
    "list": [[day, 1.0] for day in DAYS],
    "durations": [[np.timedelta64(n, "D"), 1.5] for n in Y],
    "pandas": pd.DataFrame({"id": pd.to_datetime(DAYS), "x": HALVES}),
    "pandas dates alone": pd.DataFrame({"id": pd.to_datetime(DAYS)}),
    "pandas durations": pd.DataFrame({"id": pd.to_timedelta(Y, "h"), "x": HALVES}),
    "pandas time zone": pd.DataFrame({"id": pd.to_datetime(DAYS, utc=True), "x": HALVES}),
    "pandas objects": pd.DataFrame({"id": pd.to_datetime(DAYS), "x": HALVES}).astype(object),
    "polars": pl.DataFrame({"id": DAYS, "x": HALVES}),
    "polars dates alone": pl.DataFrame({"id": DAYS}),
}
MACHINES = [Perceptron(), MinDisagreement(), KernelPerceptron(Gaussian(1.0)), LeastSquares()]


def names_the_column(wrong, X) -> bool:
    return "'id'" in str(wrong) if hasattr(X, "columns") else "X[" in str(wrong)


class TestTooFine:
    @pytest.mark.parametrize("container", [*TOO_FINE])
    def test_it_is_refused_by_name_in_fits_and_predictions(self, container):
        X = TOO_FINE[container]
        fits = [clone(machine).fit for machine in MACHINES]
        fits += [separability, MinDisagreement().fit(ROUNDED, Y).score]
        for fit in fits:
            with pytest.raises(Inexact, match="float64 holds exactly") as wrong:
                fit(X, Y)
            assert names_the_column(wrong.value, X)

    @pytest.mark.parametrize("container", [*TOO_FINE])
    def test_no_claim_about_rounded_numbers_verifies(self, container):
        X = TOO_FINE[container]
        claims = [MinDisagreement().fit(ROUNDED, Y).certificate_, separability(ROUNDED, Y)]
        for claim in claims:
            assert claim.verify(ROUNDED, Y)
            said = claim.verify(X, Y)
            assert not said
            assert "float64 holds exactly" in str(said)

    def test_numbers_of_the_same_size_that_float64_holds_are_taken(self):
        ids = [2**53, 2**53 + 2, 2**53, 2**53 + 2]
        frame = pd.DataFrame({"id": ids, "x": HALVES, "n": np.array(Y, np.uint64)})
        half = Decimal("0.5")
        for X in (
            frame, pl.from_pandas(frame), pa.Table.from_pandas(frame), frame.to_numpy().tolist(),
            frame[["id", "n"]], [[i, half] for i in ids], [[i, Fraction(1, 2)] for i in ids],
        ):  # fmt: skip
            verdict = separability(X, Y)
            assert verdict.name == "Separable"
            assert verdict.verify(X, Y)
            machine = MinDisagreement().fit(X, Y)
            assert machine.certificate_.verify(X, Y)
            assert machine.score(X, Y) == 1

    def test_values_and_labels_in_a_list(self):
        X = np.arange(3.0)[:, None]
        with pytest.raises(Inexact, match=r"y\[1\] is 9007199254740993"):
            LeastSquares().fit(X, [0.5, BIG, 1.0])
        with pytest.raises(Inexact, match=r"y\[0\] is 9223372036854775809"):
            Perceptron().fit(X, [2**63 + 1, 2**63, -1])
        claim = Perceptron().fit(X, [2.0**63, 2.0**63, -1.0]).certificate_
        assert claim.verify(X, [2.0**63, 2.0**63, -1.0])
        assert not claim.verify(X, [2**63 + 1, 2**63, -1])

    @pytest.mark.parametrize("weights", [IDS, [Decimal("0.1")] * 4, ["1"] * 4, DATES_ALONE])
    def test_weights(self, weights):
        X = np.array([[0.0], [1.0], [2.0], [3.0]])
        machines = (LeastSquares(), LogisticRegression(ridge=1.0), MinDisagreement(), SVM())
        for fit in (*(machine.fit for machine in machines), GaussianDensity().fit):
            with pytest.raises(Inexact, match=r"but sample_weight\["):
                fit(X, Y, sample_weight=weights)

    def test_masked_entries_are_missing(self):
        X = np.ma.masked_array([[1.0, 2.0], [3.0, 4.0]], [[0, 0], [1, 0]])
        with pytest.raises(Inexact, match=r"X\[1, 0\] is missing"):
            Perceptron().fit(X, [0, 1])
        claim = separability(X.data, [0, 1])
        assert claim.verify(X.data, [0, 1])
        assert not claim.verify(X, [0, 1])
        assert separability(np.ma.masked_array(X.data), [0, 1]).verify(X.data, [0, 1])

    def test_column_types_without_numpy_equivalent_are_refused(self):
        frame = pl.DataFrame({"id": pl.Series(Y, dtype=pl.Int128)})
        with pytest.raises(ValueError, match="NumPy cannot hold column 'id' of X"):
            Perceptron().fit(frame, Y)
        assert not separability([[0], [1], [0], [1]], Y).verify(frame, Y)

    @given(
        hnp.arrays(st.sampled_from([np.int64, np.uint64]), st.integers(0, 9)), st.integers(0, 20)
    )
    def test_integers_are_told_apart_by_their_odd_part(self, values, zeros):
        values = values >> values.dtype.type(zeros) << values.dtype.type(zeros)
        truth = [int(float(v)) != v for v in values.tolist()]
        assert inexact_integers(values).tolist() == truth


class TestDates:
    @pytest.mark.parametrize("container", [*DATES])
    def test_they_are_refused_in_a_fit(self, container):
        X = DATES[container]
        for fit in (*(clone(machine).fit for machine in MACHINES), separability):
            with pytest.raises(Inexact, match="Turn dates and durations into numbers") as wrong:
                fit(X, Y)
            assert names_the_column(wrong.value, X)

    def test_they_are_refused_by_densities(self):
        with pytest.raises(Inexact, match="Turn dates"):
            GaussianDensity().fit(DATES["datetime64"])


def with_stale_flags(X):
    """A matrix whose flags say what was true before its arrays were changed."""
    X.has_canonical_format = True
    return X


def stored_badly(kind):
    """[[3, 0], [0, 1], [1, 2], [2, 1]], stored with a duplicate or in disorder, or both."""
    X = kind(np.array([[1.0, 2.0], [0.0, 1.0], [1.0, 2.0], [2.0, 1.0]]))
    assert X.has_canonical_format
    if X.format == "csr":
        X.indices[1] = 0  # the first row is 1 + 2 and 0 now
        X.indices[3:5], X.data[3:5] = [1, 0], [2.0, 1.0]
    else:
        X.indices[1], X.data[[0, 1]] = 0, [1.0, 2.0]
    return with_stale_flags(X)


class TestSparseFlags:
    @pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_matrix])
    def test_the_entries_are_looked_at(self, kind):
        X, y = stored_badly(kind), [0, 1, 0, 1]
        dense = X.toarray()
        before = X.data.copy(), X.indices.copy(), X.indptr.copy()
        for machine in MACHINES:
            for stored in (X, dense):
                fitted = clone(machine).fit(stored, y)
                assert fitted.certificate_.verify(X, y)
                assert fitted.certificate_.verify(dense, y)
                assert np.array_equal(fitted.predict(X), fitted.predict(dense))
        for verdict in (separability(X, y), separability(dense, y)):
            assert verdict.verify(X, y)
            assert verdict.verify(dense, y)
        for old, new in zip(before, (X.data, X.indices, X.indptr), strict=True):
            assert np.array_equal(old, new)

    def test_duplicates_are_added_as_they_are_stored(self):
        rng = np.random.default_rng(0)
        columns = np.repeat(rng.permutation(40), 5)
        X = sparse.csr_array((rng.standard_normal(200), columns, [0, 200]), shape=(1, 40))
        dense = X.toarray()
        assert np.array_equal(canonical_csr(with_stale_flags(X)).toarray(), dense)

    def test_stored_zeros_make_no_difference(self):
        rng = np.random.default_rng(84)  # where the sums of stored zeros round otherwise
        dense = rng.integers(0, 3, (40, 12)) * 0.1
        scores = dense @ rng.standard_normal(12) + 0.1 * rng.standard_normal(40)
        y = np.where(scores > 0.3, 1, 0)
        zeros = sparse.csr_array(np.ones_like(dense))
        zeros.data = dense.ravel().copy()
        for X in (dense, sparse.csr_array(dense), zeros):
            machine = Perceptron(epochs=7).fit(X, y)
            for Z in (dense, sparse.csr_array(dense), sparse.csc_array(dense), zeros):
                assert machine.certificate_.verify(Z, y)
        assert zeros.nnz == dense.size

    def test_an_index_outside_is_refused(self):
        X = sparse.csr_array(np.eye(2))
        X.indices[1] = 7
        with pytest.raises(ValueError, match="ind"):
            exact_input(X, "this")
        assert not separability(np.eye(2), [0, 1]).verify(X, [0, 1])


def test_float64_arrays_are_not_copied():
    X = np.ones((3, 2))
    frame = pd.DataFrame(X)
    assert exact_input(X, "this") is X
    assert exact_input(frame, "this") is frame
    S = sparse.csr_array(X)
    assert np.shares_memory(exact_input(S, "this").data, S.data)


class TestPredictions:
    """Rows where scores tie, or nearly, in every container: multiples of 0.1 and 0 make many."""

    rng = np.random.default_rng(1)
    X = rng.integers(-2, 3, (60, 20)) * 0.1 * (rng.random((60, 20)) < 0.5)
    two = np.where(rng.random(60) < 0.5, "up", "down")
    three = rng.choice(["a", "b", "c"], 60)
    stored = (
        X, np.asfortranarray(X), sparse.csr_array(X), sparse.csc_array(X), sparse.coo_array(X),
        pd.DataFrame(X), X.tolist(),
    )  # fmt: skip

    @pytest.mark.parametrize(
        "machine",
        [Perceptron(epochs=3), SVM(C=0.1), LogisticRegression(ridge=1.0), Pegasos(max_iter=50)],
    )
    def test_scores_of_hyperplanes_are_the_same_bits(self, machine):
        for y in (self.two, self.three):
            fitted = clone(machine).fit(self.X, y)
            first, *others = (fitted.decision_function(X) for X in self.stored)
            assert all(np.array_equal(first, other) for other in others)
        fitted = LeastSquares().fit(self.X, self.X @ np.arange(20.0))
        first, *others = (fitted.predict(X) for X in self.stored)
        assert all(np.array_equal(first, other) for other in others)

    @pytest.mark.slow
    @pytest.mark.parametrize(
        "kernel", [Linear() * Polynomial(2), Linear() + Gaussian(1.0), Linear().normalised()]
    )
    def test_predictions_with_kernels_are_the_same(self, kernel):
        for y in (self.two, self.three):
            for first_form in self.stored[::2]:
                fitted = KernelPerceptron(kernel, epochs=2).fit(first_form, y)
                first, *others = (fitted.predict(X) for X in self.stored)
                assert all(np.array_equal(first, other) for other in others)
                assert all(fitted.certificate_.verify(X, y) for X in self.stored)


@pytest.mark.parametrize(
    "y",
    [[1, "1", 1, "1"], ["a", "a\0", "a", "b"], [b"a", "a", "b", "b"], ["1", 1.5, "1", 1.5],
     np.ma.masked_array([0, 1, 0, 1], mask=[False, True, False, False])],
)  # fmt: skip
def test_labels_that_numpy_makes_others_of_are_refused(y):
    X = np.arange(4.0)[:, None]
    for model in (Perceptron(), SVM(), SVM(kernel=Precomputed()), LogisticRegression()):
        with pytest.raises(Inexact, match=r"label|text"):
            model.fit(X @ X.T, y)
    with pytest.raises(Inexact, match=r"label|text"):
        separability(X, y)
    with pytest.raises(Inexact, match=r"label|text"):
        risk(np.array(["a", "a", "b", "b"]), None, y)


def test_lists_of_labels_of_one_kind_are_taken():
    X = np.arange(4.0)[:, None]
    for y in (["a", "a", "b", "b"], ("a", "a", "b", "b"), [np.str_("a")] * 2 + ["b"] * 2):
        assert separability(X, y).verify(X, y)
