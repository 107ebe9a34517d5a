"""Pages about regressions: coefficients, pictures, a separation first, the same facts as JSON."""

from __future__ import annotations

import json
import re
import warnings
from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pytest

from certo.report import facts, html_report
from certo.tables.fit import fit_table
from certo.tables.settings import machine

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 120))
ZONE = np.array(list("uvw") * 40)
NASTY = "</script><b>$x$"


def page_of(target, name, settings=()):
    table = pa.table({"a": A, NASTY: B, "zone": ZONE, "y": target})
    with warnings.catch_warnings(action="ignore"):
        fitted = fit_table(table, "y", machine(name, list(settings)))
    said = facts(fitted) | {"model_fingerprint": "f00", "verify_with": "certo verify m t.csv"}
    return html_report(fitted, said), said


class Pages(dict):
    """Each is made when a test asks for it."""

    def __init__(self, undrawn):
        super().__init__()
        noise = RNG.normal(size=120)
        codes = np.digitize(A + noise, [-0.5, 0.5])
        many = np.array([f"k{k}" for k in RNG.integers(0, 9, 120)])
        separated = np.where((A + noise > 0) & (ZONE != "w"), "yes", "no")
        self.undrawn = undrawn
        self.made_of = {
            "exact": (np.full(120, 3.0), "least-squares"),
            "two": (np.where(A + noise > 0, "yes", "no"), "logistic"),
            "many": (many, "logistic", ["ridge=0.1"]),
            "squares": (2 * A - B + noise, "least-squares"),
            "three": (np.array(["low", "mid", "top"])[codes], "logistic"),
            "separated": (separated, "logistic"),
        }

    def __missing__(self, name):
        is_drawn = name in ("squares", "three", "separated")
        with nullcontext() if is_drawn else self.undrawn():
            self[name] = page_of(*self.made_of[name])
        return self[name]


@pytest.fixture(scope="module")
def pages(undrawn):
    return Pages(undrawn)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squares", "exact", "two", "three", "many", "separated"])
def test_the_page_is_whole_and_has_the_facts_in_it(pages, name):
    text, said = pages[name]
    assert "http" not in text
    assert "<b>$x$" not in text
    assert json.loads(re.search(r'id="facts">(.*?)</script>', text)[1]) == json.loads(
        json.dumps(said, allow_nan=False)
    )
    for claim in said["claims"]:
        assert str(claim["numbers"].popitem()[1]) in text
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.slow
def test_coefficients_are_listed_by_the_names_of_the_columns(pages):
    text, said = pages["squares"]
    names = [row["name"] for row in said["coefficients"]["rows"]]
    assert names == ["a", NASTY, "zone = v", "zone = w", "intercept"]
    for row in said["coefficients"]["rows"]:
        assert f"<td>{row['estimate']:.3g}</td>" in text
        assert f"<td>{row['standard_error']:.3g}</td>" in text
        assert row["low"] < row["estimate"] < row["high"]
        assert f"<td>{row['robust_error']:.3g}</td>" in text
    assert "HC3 error: a standard error that is right, for many rows, also where the var" in text
    assert "zone with “u”" in text
    assert "<th>Target</th><td>numbers from" in text
    assert text.count("<figure") == 4


def test_a_target_that_is_constant(pages):
    assert pages["exact"][1]["r2"] == 1


@pytest.mark.parametrize(("name", "contrasts"), [("two", 1), ("three", 2), ("many", 8)])
def test_pictures_of_logistic_regression(pages, name, contrasts):
    text, said = pages[name]
    groups = dict.fromkeys(row["group"] for row in said["coefficients"]["rows"])
    assert len(groups) == contrasts
    assert text.count("<figure") == 1 + (4 if name == "two" else 2) + min(contrasts, 6)
    assert "Calibration" in text
    assert "Newton's steps to the minimum" in text
    assert ("2 more classes" in text) == (name == "many")
    assert ("The first 6 of 8 contrasts are drawn" in text) == (name == "many")
    assert ("about all classes" in text) == (name != "two")


@pytest.mark.slow
def test_a_separation_comes_first_and_nothing_is_called_an_estimate(pages):
    text, said = pages["separated"]
    assert said["estimate_exists"] is False
    alert = text.index('role="alert"')
    assert alert < text.index('class="tiles"')
    assert "column &#39;zone = w&#39;" in text
    assert "Coefficients, which are not an estimate" in text
    assert "<th>estimate</th>" not in text
    assert "<th>coefficient</th>" in text
    assert "std. error" not in text.partition('id="facts"')[0]
    assert text.count("<figure") == 1 + 4
    (separated,) = said["listed"]
    assert separated["total"] == 40
    assert all(row["values"]["zone"] == "w" for row in separated["rows"])
    clean, _ = pages["two"]
    assert 'role="alert"' not in clean


@pytest.mark.slow
def test_a_limit_that_no_coefficients_reach(pages):
    """A page without an estimate speaks of a limit, and of no best fit, in one voice."""
    text, _ = pages["separated"]
    shown = text.partition('id="facts"')[0]
    assert "Does not exist" in shown
    assert "above a limit that no coefficients reach, proved" in shown
    assert "towards a limit that none reach" in shown
    assert "a limit that no coefficients go below" in shown
    assert "No other coefficients could lower" not in shown
    assert "an estimate exists" not in shown
    assert "see status_" not in shown
    clean, _ = pages["two"]
    assert "Exists" in clean
    assert "No other coefficients could lower" in clean


@pytest.mark.slow
def test_a_verdict_that_is_not_reached_is_told(undrawn):
    random = np.random.default_rng(2)
    y = np.arange(240) % 4
    X = 2.2 * random.standard_normal((4, 6))[y] + random.standard_normal((240, 6))
    table = pa.table({f"x{j}": X[:, j] for j in range(6)} | {"y": [f"k{k}" for k in y]})
    chosen = machine("logistic", ["existence_time_limit=1e-9"])
    fitted = fit_table(table, "y", chosen)
    said = facts(fitted) | {"model_fingerprint": "f00", "verify_with": "certo verify m t.csv"}
    with undrawn():
        text = html_report(fitted, said).partition('id="facts"')[0]
    assert said["estimate_exists"] is None
    assert "Not decided" in text
    assert "It is not decided whether a maximum-likelihood estimate exists." in text
