"""What a fit says of new rows, and the rows it gets wrong."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import norm

import certo
from certo.kernels import Gaussian
from certo.tables.answers import answers
from certo.tables.fit import fit_table
from certo.tables.held_out import HeldOut

random = np.random.default_rng(0)
M = 200
A, B = random.normal(size=(2, M))
TABLE = pa.table(
    {
        "a": 100 * A + 7,
        "b": B,
        "c": np.where(random.normal(size=M) > 0, "u", "v"),
        "kind": np.where(A + 0.4 * random.normal(size=M) > 0, "yes", "no"),
        "many": np.array(["x", "y", "z"])[np.digitize(A, [-0.4, 0.4])],
        "size": 3 * A + B + random.normal(size=M),
    }
)
SPLIT = HeldOut(0.2, 1)


def fitted(target, machine=None, **choices):
    drop = tuple({"kind", "many", "size"} - {target})
    return fit_table(TABLE, target, machine or certo.SVM(), drop=drop, **choices)


@pytest.mark.parametrize("target", ["kind", "many"])
def test_errors_and_bound_are_those_of_the_claim(target):
    found = fitted(target, held_out=SPLIT)
    said = answers(found)
    (claim,) = found.certified.test
    assert (said["test"]["rows"], said["test"]["copies"]) == (40, 0)
    assert said["test"]["errors"] == claim.errors == said["wrong"]["total"]
    assert (said["test"]["share"], said["test"]["seed"]) == (0.2, 1)
    assert said["test"]["commonest"] == claim.majority
    assert said["bound"]["error_rate"] == found.certified.sharpest.claim.best
    assert said["bound"]["confidence"] == 0.95
    for item in said["wrong"]["rows"]:
        row = item["row"] - 1
        assert SPLIT.of(M)[row]
        assert TABLE.column(target)[row].as_py() == item["true"] != item["predicted"]


def test_a_regression_lists_the_rows_that_are_farthest_off():
    found = fitted("size", certo.LeastSquares(), held_out=SPLIT)
    said = answers(found)
    off = [abs(item["true"] - item["predicted"]) for item in said["wrong"]["rows"]]
    assert off == sorted(off, reverse=True)
    assert len(off) == said["test"]["rows"] == 40
    assert said["test"]["errors"] is None


def test_without_test_rows_and_with_a_kernel():
    found = fitted("kind", certo.SVM(Gaussian(1.0)))
    said = answers(found)
    assert said["test"] is said["wrong"] is said["bound"] is None
    assert said["support_rows"] == len(found.model.machine.support_)


def test_test_rows_that_are_copies_do_not_count():
    copies = TABLE.slice(0, 30)
    test = pa.concat_tables([copies, TABLE.slice(0, 100).set_column(0, "a", pa.array(A[:100]))])
    said = answers(fitted("kind", test=test))
    assert (said["test"]["rows"], said["test"]["copies"]) == (100, 30)


TRIALS = [pytest.param(1000, marks=pytest.mark.slow), 60]


def violations_allowed(trials: int, delta: float = 0.05) -> float:
    return delta + 3 * np.sqrt(delta * (1 - delta) / trials)


@pytest.mark.parametrize("trials", TRIALS)
def test_the_headline_of_a_default_split_fails_no_more_often_than_it_says(trials):
    """Tables of 120 draws from a distribution in which the risk of every rule is known."""
    places = np.linspace(-1, 1, 9)
    share = 0.05 + 0.8 * (places > 0.1)  # of "yes" in each place
    failed = 0
    for stream in np.random.default_rng(5).spawn(trials):
        k = stream.integers(0, len(places), 120)
        kinds = np.where(stream.random(120) < share[k], "yes", "no")
        table = pa.table({"a": places[k], "kind": kinds})
        seed = int(stream.integers(2**32))
        found = fit_table(table, "kind", certo.SVM(), held_out=HeldOut(0.2, seed))
        said = answers(found)["bound"]
        grid = found.model.encoder.transform(pa.table({"a": places}))
        is_yes = found.model.machine.predict(grid) == "yes"
        risk = np.mean(np.where(is_yes, 1 - share, share))
        failed += said is not None and risk > said["error_rate"]
    assert failed / trials <= violations_allowed(trials)


@pytest.mark.parametrize("trials", TRIALS)
def test_the_same_for_numbers(trials):
    """Of both sentences together: on the mean absolute error, and on the values that are near."""
    failed, steps = 0, np.linspace(0, 1, 400)
    for stream in np.random.default_rng(6).spawn(trials):
        a = stream.normal(size=120)
        table = pa.table({"a": a, "size": 2 * a + stream.normal(size=120)})
        seed = int(stream.integers(2**32))
        found = fit_table(table, "size", certo.LeastSquares(), held_out=HeldOut(0.2, seed))
        said = answers(found)["bound"]
        machine = found.model.machine
        # y − f(x) is normal: its mean is −b, its variance 1 + (2 − w)².
        scale = np.sqrt(1 + (2 - machine.coef_[0]) ** 2)

        def within(distance, scale=scale, b=float(machine.intercept_)):
            return norm.cdf((distance + b) / scale) - norm.cdf((b - distance) / scale)

        # The mean of min(|x|, cap) is the integral of the probability that |x| is above t.
        mean = np.trapezoid(1 - within(steps * said["cap"]), steps * said["cap"])
        failed += within(said["distance"]) < said["share"] or mean > said["mean"]
    assert failed / trials <= violations_allowed(trials)
