"""Kernels and learning rates as text: what is written is what comes; nothing is run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.data.problem import Problem
from certo.kernels import Gaussian, Linear, Polynomial
from certo.rates import Power
from certo.tables import settings as written

numbers = st.floats(1e-3, 1e3)
atoms = st.one_of(
    st.just(Linear()),
    numbers.map(Gaussian),
    st.builds(Polynomial, st.integers(1, 9), numbers, st.floats(0, 5)),
)
kernels = st.recursive(
    atoms,
    lambda inner: st.one_of(
        st.builds(lambda a, b: a + b, inner, inner),
        st.builds(lambda a, b: a * b, inner, inner),
        st.builds(lambda c, a: c * a, numbers, inner),
        inner.map(lambda a: a.normalised()),
    ),
    max_leaves=6,
)


@given(kernels)
@settings(deadline=None)
def test_printed_kernels_are_parsed_back(kernel):
    assert written.read_kernel(repr(kernel)) == eval(repr(kernel), written.NUMERIC_KERNELS.copy())


def test_numbers_by_place_or_by_name():
    assert (
        written.read_kernel("Gaussian(2)")
        == written.read_kernel(" Gaussian(variance=2.0) ")
        == Gaussian(2)
    )
    assert written.read_kernel("Polynomial(3, offset=0)") == Polynomial(3, offset=0)
    assert written.read_rate("Power(exponent=1)") == Power(exponent=1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Gaussian(", "never closed"),
        ("Gaussian(variance=-1)", "above 0, got -1"),
        ("Gaussian(gamma=1)", "pass variance = 1/(2·gamma)"),
        ("Gaussian", "'Gaussian' is not a kernel: give Gaussian()"),
        ("rbf", "whose variance is 1/(2·gamma)"),
        ("Gaussian(1) + 2", "unsupported"),
        ("Gaussian(1) - Linear()", "is not a kernel"),
        ("-1 * Linear()", "is not a kernel"),
        ("0 * Linear()", "above 0"),
        ("3", "it is a number"),
        ("2.5.normalised()", "is not a kernel"),
        ("Polynomial()", "degree"),
        ("Polynomial(degree=10**9)", "malformed"),
        ("Function(len)", "a function is code"),
        ("Precomputed()", "not a Gram matrix"),
        ("open('x', 'w')", "there is no open"),
        ("Linear().__class__()", "there is no Linear"),
        ("Gaussian(variance=__import__('os').getpid())", "malformed"),
        ("(lambda: 1)()", "there is no"),
        ("(" * 300 + "Linear()" + ")" * 300, "a kernel must be"),
        ("Linear()" + " + Linear()" * 1000, "deep"),
        ("", "a kernel must be"),
    ],
)
def test_anything_else_is_refused_in_words(text, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Problem, match="a kernel must be one of Gaussian, Linear, Polynomial") as no:
        written.read_kernel(text)
    assert expected in str(no.value)
    assert len(str(no.value)) < 500
    assert not list(tmp_path.iterdir())
