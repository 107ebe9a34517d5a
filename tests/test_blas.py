"""BLAS has one thread while anyone asks for it, and afterwards as many as before."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from certo import SVM, HardMarginSVM, LogisticRegression
from certo.blas import MAX_ONE_THREAD_ROWS, few_threads, one_thread
from certo.estimators import _spaces, hard_margin
from certo.kernels import Gaussian


@pytest.fixture(autouse=True)
def two_threads():
    """Also where the environment or the computer has one: else no limit could be seen."""
    with threadpool_limits(2, "blas"):
        yield


def threads() -> set[int]:
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


def test_the_last_to_go_lifts_the_limit():
    np.ones((2, 2)) @ np.ones((2, 2))
    before = threads()
    with one_thread():
        assert threads() == {1}
        with one_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == before


def test_only_large_matrices_are_shared_out():
    before = threads()
    with few_threads(10):
        assert threads() == {1}
    with few_threads(MAX_ONE_THREAD_ROWS + 1):
        assert threads() == before


@pytest.mark.parametrize(
    ("machine", "place", "name"),
    [
        (SVM(), _spaces, "space_for"),
        (SVM(Gaussian()), _spaces, "space_for"),
        (HardMarginSVM(), hard_margin, "space_for"),
        (LogisticRegression(ridge=1.0), LogisticRegression, "_minimise"),
    ],
)
@pytest.mark.parametrize("m", [10, MAX_ONE_THREAD_ROWS + 1])
def test_fits_to_small_tables_have_one_thread(monkeypatch, machine, place, name, m):
    seen, before, made = [], threads(), getattr(place, name)
    monkeypatch.setattr(place, name, lambda *args: seen.append(threads()) or made(*args))
    X = np.linspace(-1, 1, m)[:, None]
    machine.fit(X, X[:, 0] > 0)
    assert seen == [{1} if m <= MAX_ONE_THREAD_ROWS else before]
    assert threads() == before
