"""BLAS has one thread while anyone asks for it, and afterwards as many as before."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_info

from certo.blas import MAX_ONE_THREAD_ROWS, few_threads, one_thread


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
