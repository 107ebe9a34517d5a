"""Tables of copies are refused, and those that repeat by nature are not."""

import numpy as np
import pytest
from scipy import sparse, stats

from certo.certificates.sample import copies, draws, shared_rows


@pytest.mark.parametrize("g", [2, 3, 4, 5, 7, 10, 30])
def test_share_of_multiples_is_a_bound(g):
    rates = np.concatenate([np.linspace(0.01, 3 * g, 2000), np.linspace(3 * g, 60 * g, 200)])
    counts = np.arange(g, 120 * g, g)
    found = stats.poisson.pmf(counts[:, None], rates).sum(axis=0) / -np.expm1(-rates)
    assert found.max() <= copies._share_of_multiples(g) + 1e-12
    assert copies._share_of_multiples(g) <= 0.5


@pytest.mark.parametrize("times", [2, 3, 60])
def test_a_discrete_table_that_was_written_several_times_is_refused(times):
    random = np.random.default_rng(times)
    X, y = random.integers(0, 4, (200, 3)).astype(float), random.integers(0, 2, 200)
    order = random.permutation(np.tile(np.arange(200), times))
    assert not draws.why_copied(X, y)
    assert "as copies do" in draws.why_copied(X[order], y[order])
    assert not draws.why_copied(X[order], random.integers(0, 2, order.size))  # labels drawn anew


def continuous(random, m, d, how):
    X = random.standard_normal((m, d))
    return {
        "plain": X,
        "three digits": np.round(X, 3),
        "beside levels": np.column_stack([X, random.integers(0, 3, (m, 2))]),
        "float32": X.astype(np.float32).astype(float),
        "scaled": X * 1e-9 + 1e3,
    }[how]


@pytest.mark.parametrize("how", ["plain", "three digits", "beside levels", "float32", "scaled"])
@pytest.mark.parametrize("d", [1, 4])
def test_rows_drawn_from_few_rows_are_copies(how, d):
    random = np.random.default_rng(d)
    X, y = continuous(random, 30, d, how), random.integers(0, 2, 30)
    for chosen in (np.repeat(np.arange(30), 60), random.integers(0, 30, 900)):
        for form in (np.asarray, sparse.csr_array):
            assert "Remove the copies" in draws.why_copied(form(X[chosen]), y[chosen])
    assert not draws.why_copied(X, y)
    some = np.append(np.arange(30), [0, 1, 2])  # three rows may be frequent by nature
    assert not draws.why_copied(X[some], y[some])


def _standardised(X):
    return (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)


DISCRETE = {
    "grid": lambda r, m: r.integers(-2, 3, (m, 2)),
    "integers": lambda r, m: r.integers(0, 10, (m, 1)),
    "ages": lambda r, m: np.clip(np.round(r.normal(40, 12, (m, 1))), 17, 90),
    "scaled ages": lambda r, m: _standardised(np.round(r.normal(40, 12, (m, 1)))),
    "money": lambda r, m: r.integers(0, 10**5, (m, 1)),
    "two digits": lambda r, m: np.round(r.normal(size=(m, 1)), 2),
    "three digits": lambda r, m: np.round(r.normal(size=(m, 1)), 3),
    "one digit each": lambda r, m: np.round(r.normal(size=(m, 4)), 1),
    "levels": lambda r, m: np.eye(7)[r.integers(0, 7, m)],
    "scaled levels": lambda r, m: _standardised(
        np.hstack([np.eye(7)[r.integers(0, 7, m)], np.eye(3)[r.integers(0, 3, m)]])
    ),
    "binary": lambda r, m: r.random((m, 12)) < 0.3,
    "many zeros": lambda r, m: np.maximum(r.normal(size=(m, 3)) - 0.5, 0),
    "zero together": lambda r, m: r.normal(size=(m, 3)) * (r.random((m, 1)) < 0.5),
    "powers": lambda r, m: r.integers(-5, 6, (m, 1)) ** np.arange(1, 4),
    "words": lambda r, m: r.random((m, 100)) < 0.5 / np.arange(1, 101) ** 1.2,
    "prices": lambda r, m: np.column_stack(
        [np.round(r.lognormal(3, 1, m), 2), r.integers(0, 2, m)]
    ),
    "doses": lambda r, m: np.array([0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25])[r.integers(0, 8, (m, 1))],
    "logarithms": lambda r, m: np.log1p(r.poisson(5, (m, 2))),
    "one logarithm": lambda r, m: np.log1p(r.poisson(20, (m, 1))),
    "roots": lambda r, m: np.sqrt(r.poisson(10, (m, 1))),
    "powers of two": lambda r, m: 2.0 ** r.integers(-3, 8, (m, 1)),
    "shares of one": lambda r, m: 1 / (1 + np.exp(-r.integers(-8, 9, (m, 1)))),
    "two digits each": lambda r, m: np.array(
        [[float(f"{v:.2g}")] for v in np.exp(r.normal(8, 2, m))]
    ),
}


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_discrete_tables_repeat_by_nature(name, noise):
    random = np.random.default_rng(len(name))
    for m in (60, 300, 1200):
        X = DISCRETE[name](random, 2 * m).astype(float)
        score = X @ random.normal(size=X.shape[1])
        y = ((score > np.median(score)) ^ (random.random(2 * m) < noise)).astype(int)
        assert not draws.why_copied(X[:m], y[:m])
        known = shared_rows.known_rows(X[:m], y[:m], X[m:], y[m:])
        assert (
            np.count_nonzero(known.left_out) <= 3
        )  # of money a few, being as fine as rows are few
        assert not known.why


@pytest.mark.parametrize(
    "written", [np.float32, lambda X: np.round(X, 6), lambda X: X * (1 + 1e-9)]
)
def test_copies_with_other_last_digits(written):
    random = np.random.default_rng(8)
    X, y = random.normal(size=(400, 5)), random.integers(0, 2, 400)
    test = written(X[250:])
    assert not shared_rows.known_rows(X[:250], y[:250], test, y[250:]).why
    known = shared_rows.known_rows(X, y, test, y[250:])
    assert "up to their last digits" in known.why


def test_copies_that_were_numbered_anew():
    random = np.random.default_rng(8)
    X, y = random.normal(size=(400, 3)).round(2), random.integers(0, 2, 400)
    numbered = np.column_stack([np.arange(400), X])
    again = np.column_stack([np.arange(1000, 1150), X[250:]])
    assert not shared_rows.known_rows(numbered[:250], y[:250], again, y[250:]).why
    known = shared_rows.known_rows(numbered, y, again, y[250:])
    assert "150 of 150 test rows are training rows" in known.why
    assert "one column" in known.why


def test_people_of_one_place_are_no_copies():
    """All features say where somebody lives; labels are their own."""
    random = np.random.default_rng(2)
    places = random.normal(size=(40, 3))
    home = random.integers(0, 40, 3000)
    y = (random.random(3000) < 0.3).astype(int)
    X = places[home]
    assert not draws.why_copied(X[:2000], y[:2000])
    assert not shared_rows.known_rows(X[:2000], y[:2000], X[2000:], y[2000:]).left_out.any()


def test_a_column_whose_gaps_are_steady_by_chance_excuses_no_copies():
    """Among six rows every column determines all others, and one of many looks regular."""
    random = np.random.default_rng(8)
    X, y = np.round(random.normal(size=(6, 20)), 3), np.arange(6) % 2
    steady = np.array([-1.343, -0.558, -0.104, 0.263, 0.662, 1.032])
    rows = random.permutation(np.repeat(np.arange(6), 500))
    assert draws.why_copied(np.column_stack([steady, X])[rows], y[rows])
    codes = np.arange(101.0, 107.0)  # of six kinds, which say all about a row
    assert not draws.why_copied(np.column_stack([codes, X])[rows], y[rows])
