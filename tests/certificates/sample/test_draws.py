"""What shows that rows are not independent draws, and what must not be taken for it."""

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier

from certo import KernelPerceptron, OnlineGradientDescent, Perceptron, certify
from certo.certificates import Certified, LinearPredictor
from certo.certificates.base import CannotClaim
from certo.certificates.sample import copies, draws, equal_rows, label_order, shared_rows
from certo.issue.errors.counted_errors import issue_test_errors
from certo.issue.risk.online_to_batch import issue_online_to_batch
from certo.kernels import Gaussian
from certo.losses import Hinge


def tosses(random, m):
    y = np.where(random.random(m) < 0.5, "up", "down")
    y[:2] = "up", "down"
    return y


# --- equal rows -----------------------------------------------------------------------------------


def same_partition(one, other):
    pairs = set(zip(one.tolist(), other.tolist(), strict=True))
    return len(pairs) == len(set(one.tolist())) == len(set(other.tolist()))


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array, np.asfortranarray])
@pytest.mark.parametrize("levels", [2, 5, 1000])
def test_groups_are_those_of_equal_rows(form, levels):
    random = np.random.default_rng(levels)
    X = random.integers(-levels, levels, (700, 3)) / 4.0
    X[random.random(X.shape) < 0.3] *= -0.0  # −0 is 0
    expected = np.unique(X + 0.0, axis=0, return_inverse=True)[1].ravel()
    assert same_partition(equal_rows.equal_rows(form(X)), expected)
    assert same_partition(equal_rows.equal_rows(form(X[:300]), sparse.csr_array(X[300:])), expected)
    explicit = sparse.csr_array(np.ones_like(X))
    explicit.data = X.ravel().copy()  # zeros that are stored
    assert same_partition(equal_rows.equal_rows(explicit), expected)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rows_with_one_key_are_compared(form, monkeypatch):
    random = np.random.default_rng(0)
    X = random.integers(0, 3, (200, 3)).astype(float)
    monkeypatch.setattr(equal_rows, "row_keys", lambda X: np.zeros(X.shape[0], np.uint64))
    expected = np.unique(X, axis=0, return_inverse=True)[1].ravel()
    assert same_partition(equal_rows.equal_rows(form(X)), expected)
    assert same_partition(equal_rows.equal_rows(form(X[:70]), form(X[70:])), expected)


# --- repetitions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("g", [2, 3, 4, 5, 7, 10, 30])
def test_share_of_multiples_is_a_bound(g):
    rates = np.concatenate([np.linspace(0.01, 3 * g, 2000), np.linspace(3 * g, 60 * g, 200)])
    counts = np.arange(g, 120 * g, g)
    found = stats.poisson.pmf(counts[:, None], rates).sum(axis=0) / -np.expm1(-rates)
    assert found.max() <= copies._share_of_multiples(g) + 1e-12
    assert copies._share_of_multiples(g) <= 0.5


@pytest.mark.parametrize("times", [2, 3, 60])
def test_repeated_discrete_table_is_refused(times):
    random = np.random.default_rng(times)
    X, y = random.integers(0, 4, (200, 3)).astype(float), random.integers(0, 2, 200)
    order = random.permutation(np.tile(np.arange(200), times))
    assert not draws.why_copied(X, y)
    assert "as copies do" in draws.why_copied(X[order], y[order])
    assert not draws.why_copied(X[order], random.integers(0, 2, order.size))  # labels drawn anew


def test_a_discrete_table_as_its_own_test_is_refused():
    random = np.random.default_rng(4)
    X, y = random.integers(0, 2, (300, 6)).astype(float), random.integers(0, 2, 300)
    more = np.vstack([X, 1 - X[:1]]), np.append(y, 0)
    assert (
        shared_rows.known_rows(X, y, *more).why
        == "the test examples repeat the examples of the fit."
    )


# --- copies ---------------------------------------------------------------------------------------


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
    assert known.remark == "1 of the 100 test examples is a row of the fit: it is not counted."


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
    assert "rows of the fit" in known.why
    labels = random.integers(0, 2, 120)  # whatever the labels are
    assert shared_rows.known_rows(form(X[:500]), y[:500], form(X[taken]), labels).why


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
    assert "150 of 150 test examples are rows of the fit" in known.why
    assert "one column" in known.why


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


def test_frequent_rows_are_kept():
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


def test_people_of_one_place_are_no_copies():
    """All features say where somebody lives; labels are their own."""
    random = np.random.default_rng(2)
    places = random.normal(size=(40, 3))
    home = random.integers(0, 40, 3000)
    y = (random.random(3000) < 0.3).astype(int)
    X = places[home]
    assert not draws.why_copied(X[:2000], y[:2000])
    assert not shared_rows.known_rows(X[:2000], y[:2000], X[2000:], y[2000:]).left_out.any()


# --- order ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 5), (4, 4), (3, 6), (5, 4)])
def test_tails_of_runs_are_those_of_all_orders(a, b):
    runs = []
    for ups in itertools.combinations(range(a + b), a):
        y = np.isin(np.arange(a + b), ups)
        runs.append(1 + np.count_nonzero(y[1:] != y[:-1]))
    runs = np.array(runs)
    for r in range(1, a + b + 1):
        few, many = label_order._tails_of_runs(r, a, a + b)
        assert math.isclose(few, np.mean(runs <= r), abs_tol=1e-12)
        assert math.isclose(many, np.mean(runs >= r), abs_tol=1e-12)


def test_orders_that_no_draws_come_in():
    random = np.random.default_rng(3)
    for classes in (2, 3, 8):
        y = random.integers(0, classes, 600)
        assert not label_order.why_ordered(y)
        assert "sorted by their labels" in label_order.why_ordered(np.sort(y))
        assert "sorted" in label_order.why_ordered(
            np.concatenate([np.sort(y[k::3]) for k in range(3)])
        )
    assert "arranged by their labels (400 runs" in label_order.why_ordered(np.tile([0, 1], 200))
    assert not label_order.why_ordered(np.arange(8) // 4)  # too few to tell
    assert not label_order.why_ordered(np.zeros(50, int))


@pytest.mark.slow
def test_random_orders_are_seldom_refused():
    random = np.random.default_rng(4)
    refused = sum(
        bool(label_order.why_ordered(random.integers(0, classes, 200)))
        for classes in (2, 5)
        for _ in range(2000)
    )
    assert refused <= 5


# --- claims ---------------------------------------------------------------------------------------

TOSSED = "the error rate of every rule about a fair coin is one half"


def attacks(random):
    """Machines and rows of a fair coin that are not draws, with test rows or without."""
    X, y = random.normal(size=(3000, 200)), tosses(random, 3000)
    fit = X[:100], y[:100]
    more = X[:102], y[:102]
    yield Perceptron(epochs=200), (*fit, *more)
    some = random.permutation(np.repeat(np.arange(30), 60))
    for machine in (
        Perceptron(epochs=20),
        Perceptron(epochs=20, order="shuffled", random_state=0),
        KernelPerceptron(Gaussian(100.0), epochs=20),
    ):
        yield machine, (X[some], y[some])
    lucky = np.flatnonzero(Perceptron().fit(*fit).predict(X[100:160]) == y[100:160])
    chosen = np.repeat(100 + lucky, 500)
    yield Perceptron(), (*fit, X[chosen], y[chosen])
    twice = np.concatenate([part[np.argsort(y[part])] for part in np.split(np.arange(3000), 2)])
    machine = OnlineGradientDescent(loss=Hinge(), lam=0, radius=3.0)
    yield machine, (0.1 * np.tanh(X[twice, :1]), y[twice])


@pytest.mark.parametrize("place", range(6))
def test_fair_coin_yields_no_false_claim(place, monkeypatch):
    random = np.random.default_rng(5)
    machine, data = next(itertools.islice(attacks(random), place, None))
    model = machine.fit(*data[:2])
    X, y, X_test, y_test = (*data, None, None)[:4]
    settings = {"delta": 1e-6, "X_test": X_test, "y_test": y_test}
    page = certify(model, X, y, **settings)
    assert all(claim.best >= 0.5 for claim in page.risks), TOSSED
    assert page.verify(X, y, X_test, y_test)
    # Whoever issues the claims all the same does not get them past the checker.
    none = shared_rows.Known(np.zeros(np.size(y_test), bool), np.zeros(np.size(y_test), bool))
    with monkeypatch.context() as blind:
        blind.setattr(draws, "why_copied", lambda *data: "")
        blind.setattr(label_order, "why_ordered", lambda *data: "")
        blind.setattr("certo.guarantees.certifying.known_examples", lambda *data: none)
        page = certify(machine.fit(X, y), X, y, **settings)
    assert any(claim.best < 0.5 for claim in page.risks)
    assert not page.verify(X, y, X_test, y_test)
    page = Certified.from_dict(json.loads(json.dumps(page.to_dict())))
    assert not page.verify(X, y, X_test, y_test)


def test_shuffled_visits_of_sorted_rows_are_draws_in_order():
    random = np.random.default_rng(6)
    X = random.normal(size=(400, 2))
    y = np.where(X[:, 0] > 0, "up", "down")
    order = np.argsort(y)
    X, y = X[order], y[order]

    def of(**settings):
        model = Perceptron(epochs=1, **settings).fit(X, y)
        runs = [claim.scheme.runs[0] for claim in model.certificate_.of_kind("CompressionBound")]
        return issue_online_to_batch(X, y, ["down", "up"], runs, model.coef_, model.intercept_)

    with pytest.raises(CannotClaim, match=r"sorted by their labels \(2 runs"):
        of()
    assert of(order="shuffled", random_state=1).verify(X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_the_average_of_a_pass_over_sorted_rows_is_not_bounded(classes):
    """The looks between updates tell how many examples each class has."""
    random = np.random.default_rng(6)
    X = random.normal(size=(600, 2))
    X[:, 0] = np.where(X[:, 0] > 0, 1, -1) * (1 + np.abs(X[:, 0]))
    y = (X[:, 0] > 0).astype(int) + (X[:, 0] > 0) * (X[:, 1] > 0) * (classes == 3)
    for order, bounded in ((np.arange(600), True), (np.argsort(y), False)):
        rows = X[order], y[order]
        model = Perceptron(epochs=1, average=True).fit(*rows)
        assert bool([c for c in certify(model, *rows).risks if not c.vacuous]) == bounded
        assert certify(Perceptron(epochs=1).fit(*rows), *rows).risks


def test_issuing_refuses_what_checking_would():
    random = np.random.default_rng(7)
    X, y = random.normal(size=(20, 3)), random.integers(0, 2, 20)
    rows = np.repeat(np.arange(20), 30)
    rule = LinearPredictor(random.normal(size=(1, 3)), [0.0])
    with pytest.raises(CannotClaim, match="Remove the copies"):
        issue_test_errors(X[rows], y[rows], (0, 1), rule)
    assert issue_test_errors(X, y, (0, 1), rule).verify(X, y)


def test_steady_gaps_do_not_excuse_copies():
    """Among six rows every column determines all others, and one of many looks regular."""
    random = np.random.default_rng(8)
    X, y = np.round(random.normal(size=(6, 20)), 3), np.arange(6) % 2
    steady = np.array([-1.343, -0.558, -0.104, 0.263, 0.662, 1.032])
    rows = random.permutation(np.repeat(np.arange(6), 500))
    assert draws.why_copied(np.column_stack([steady, X])[rows], y[rows])
    codes = np.arange(101.0, 107.0)  # of six kinds, which say all about a row
    assert not draws.why_copied(np.column_stack([codes, X])[rows], y[rows])
