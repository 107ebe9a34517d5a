"""Rows of the fit among those of the test."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from certo import certify
from certo.certificates.sample import shared_rows
from tests.oracles.coins import TOSSED, tosses


def test_a_discrete_table_as_its_own_test_is_refused():
    random = np.random.default_rng(4)
    X, y = random.integers(0, 2, (300, 6)).astype(float), random.integers(0, 2, 300)
    more = np.vstack([X, 1 - X[:1]]), np.append(y, 0)
    assert shared_rows.known_rows(X, y, *more).why == "the test rows repeat the training rows."


def test_one_row_of_the_fit_among_the_test_rows_is_left_out():
    random = np.random.default_rng(1)
    X, y = random.normal(size=(200, 3)), random.integers(0, 2, 200)
    X_test, y_test = random.normal(size=(100, 3)), random.integers(0, 2, 100)
    X_test[7], y_test[7] = X[11], y[11]
    known = shared_rows.known_rows(X, y, X_test, y_test)
    assert np.flatnonzero(known.left_out).tolist() == [7]
    y_test[7] = 1 - y[11]  # the features alone
    known = shared_rows.known_rows(X, y, X_test, y_test)
    assert np.flatnonzero(known.left_out).tolist() == [7]
    assert known.remark == "1 of the 100 test rows is a training row: it is not counted."


COARSE = {
    "bytes": lambda r, m: r.integers(0, 256, (m, 64)),
    "counts": lambda r, m: r.poisson(1, (m, 200)),
    "binary": lambda r, m: r.random((m, 50)) < 0.3,
    "two decimals": lambda r, m: r.normal(size=(m, 5)).round(2),
    "numbered": lambda r, m: np.column_stack([r.permutation(10**4)[:m], r.normal(size=(m, 2))]),
}


@pytest.mark.parametrize("name", COARSE)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_test_rows_taken_from_a_discrete_fit_are_refused(name, form):
    random = np.random.default_rng(len(name))
    X, y = COARSE[name](random, 700).astype(float), random.integers(0, 2, 700)
    honest = shared_rows.known_rows(form(X[:500]), y[:500], form(X[500:]), y[500:])
    assert not honest.why
    taken = random.permutation(500)[:60].tolist() + list(range(500, 560))
    known = shared_rows.known_rows(form(X[:500]), y[:500], form(X[taken]), y[taken])
    assert "training rows" in known.why
    labels = random.integers(0, 2, 120)  # whatever the labels are
    assert shared_rows.known_rows(form(X[:500]), y[:500], form(X[taken]), labels).why


@pytest.mark.parametrize(("m", "n", "pairs"), [(6, 6, 6), (10, 4, 4), (5, 9, 4), (20, 3, 3)])
def test_rows_in_both_are_at_least_as_frequent_as_that(m, n, pairs, monkeypatch):
    """All rows that occur twice are in both: 2^pairs·C(others, n − pairs) of C(m + n, n)."""
    others = m + n - 2 * pairs
    exactly = 2**pairs * math.comb(others, n - pairs) / math.comb(m + n, n)
    fit = np.arange(m)
    groups = np.concatenate([fit, fit[:pairs], np.arange(m + pairs, m + n)])
    monkeypatch.setattr(shared_rows, "COARSE_COLUMNS", 0)  # asked twice then
    monkeypatch.setattr(shared_rows, "SHARED_LEVEL", 2 * exactly * 0.99)
    assert not shared_rows._shared(groups, m)
    monkeypatch.setattr(shared_rows, "SHARED_LEVEL", 200 * exactly)
    assert shared_rows._shared(groups, m)


def test_what_is_frequent_in_the_population_is_not_left_out():
    """Goods with prices and weights of their own: draws repeat, and those that the fit has not seen
    are no sample of new ones."""
    random = np.random.default_rng(9)
    goods, is_back = random.lognormal(3, 1, (400, 2)), random.integers(0, 2, 400)
    p = 1 / np.arange(1, 401) ** 1.3
    p /= p.sum()
    for _ in range(5):
        kind = random.choice(400, 900, p=p)
        X, y = goods[kind], is_back[kind]
        model = KNeighborsClassifier(1).fit(X[:500], y[:500])
        rate = p @ (model.predict(goods) != is_back)
        page = certify(model, X[:500], y[:500], X_test=X[500:], y_test=y[500:])
        assert all(claim.lower <= rate <= claim.upper for claim in page.test)


def frames(random, m):
    """Rows of a fair coin, as no table of numbers."""
    numbers = random.normal(size=(m, 2))
    levels = random.choice(["u", "v", "w"], m)
    frame = pd.DataFrame({"a": numbers[:, 0], "b": numbers[:, 1], "c": levels})
    missing = numbers.copy()
    missing[::7, 0] = np.nan
    return {
        "levels": frame,
        "categories": frame.astype({"c": "category"}),
        "objects": frame.to_numpy(object),
        "missing": missing,
        "dates": frame.assign(c=pd.to_datetime(random.integers(0, 10**9, m), unit="s")),
        "texts": ["".join(random.choice(list("abcd"), 20)) for _ in range(m)],
    }


def rows_of(X, rows):
    return [X[t] for t in rows] if isinstance(X, list) else getattr(X, "iloc", X)[rows]


class Memory(ClassifierMixin, BaseEstimator):
    """It knows what it has seen, whatever that is."""

    def fit(self, X, y):
        self.classes_, self.known_ = np.unique(y), dict(zip(self.keys(X), y, strict=True))
        return self

    def keys(self, X):
        return [repr(row) for row in (X if isinstance(X, list) else np.asarray(X).tolist())]

    def predict(self, X):
        return np.array([self.known_.get(key, self.classes_[0]) for key in self.keys(X)])


@pytest.mark.parametrize("kind", ["levels", "categories", "objects", "missing", "dates", "texts"])
def test_examples_that_are_no_tables_of_numbers_are_compared(kind):
    random = np.random.default_rng(10)
    X, y = frames(random, 500)[kind], tosses(random, 500)
    fit = rows_of(X, np.arange(300)), y[:300]
    model = Memory().fit(*fit)
    for rows in (
        np.append(np.arange(100, 200), 400),  # of the fit
        np.repeat(300 + np.flatnonzero(model.predict(rows_of(X, np.arange(300, 340))) ==
                                       y[300:340]), 50),  # lucky ones, again and again
    ):  # fmt: skip
        test = rows_of(X, rows), y[rows]
        page = certify(model, *fit, X_test=test[0], y_test=test[1])
        assert all(claim.best >= 0.5 for claim in page.risks), TOSSED
        assert page.verify(*fit, *test)
    test = rows_of(X, np.arange(300, 500)), y[300:]
    page = certify(model, *fit, X_test=test[0], y_test=test[1])
    assert len(page.test) == 1
    assert page.verify(*fit, *test)
