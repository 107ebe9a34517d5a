"""The report: one page, everything inside, the same facts as everywhere."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pyarrow as pa
import pytest

from certo.certificates import Certified, Composite
from certo.report import (
    curve_facts,
    facts,
    html_curve,
    html_report,
    html_verdict,
    verdict_facts,
)
from certo.tables.curve import compare_kernels, kernels_to_try
from certo.tables.fit import fit_table
from certo.tables.separable import separate_table
from certo.tables.settings import machine


def page_of(table, target="y", name="perceptron", settings=("epochs=5",), **choices):
    fitted = fit_table(table, target, machine(name, settings), **choices)
    said = facts(fitted) | {"model_fingerprint": "f00", "verify_with": "certo verify m 'a b.csv'"}
    return html_report(fitted, said), said


@pytest.fixture(scope="module")
def three():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 40)
    columns = {"a": labels + rng.normal(size=40), "b": rng.normal(size=40), "c": list("uvwu" * 10)}
    return page_of(pa.table(columns | {"y": [f"kind {k}" for k in labels]}))


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.text = [], [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href"):
                self.links.append(value)
            self.links += re.findall(r"url\((.*?)\)", value or "")

    def handle_data(self, data):
        self.text += data


def test_nothing_is_fetched_and_every_reference_is_inside(three):
    text, _ = three
    page = Page(text)
    assert "http" not in text
    assert "<link" not in text
    assert page.links
    assert all(link.startswith("#") for link in page.links)
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)


def test_pictures_and_claims_are_there(three):
    text, said = three
    page = Page(text)
    assert page.tags.count("figure") == 1 + 2 * 3 + 1
    for claim in said["claims"]:
        assert claim["claim"] in page.text
        assert all(str(value) in page.text for value in claim["numbers"].values())
    for refusal in said["not_claimed"]:
        assert refusal["reason"] in page.text
    for words in (said["status"], said["data_fingerprint"], "f00", "certo verify m 'a b.csv'"):
        assert words in page.text
    assert "Mistakes in each epoch" in page.text
    assert "Squared norm between its bounds: kind 2" in page.text


@pytest.mark.slow
def test_what_is_proved_is_told_in_plain_words(others):
    text, said = others["svm"]
    words = Page(text).text
    assert words.index(said["in_words"][0]) < words.index("How good")
    assert text.index('id="proved"') < text.index("Error rate") < text.index('id="reproduce"')
    for claim in said["claims"]:
        assert words.index(claim["plain"]) < words.index(claim["claim"])
        assert all(why in words for why in claim["rigour"].values())
    weak = [claim["type"] for claim in said["claims"] if not claim["informative"]]
    assert weak == ["SupportBound", "TestErrors"]
    vacuous = [claim["type"] for claim in said["claims"] if claim.get("vacuous")]
    assert vacuous == re.findall(r"○</b>.*<small>vacuous, by (\w+)", text) == ["SupportBound"]
    assert text.count("<b>✓</b>") == len(said["claims"]) - len(weak)
    certified = said
    assert certified["in_words"]
    assert certified["assumes"]
    for sentence in [*certified["in_words"], *certified["assumes"]]:
        assert sentence in words
    assert certified["best"] is None  # a weak bound is no headline, and not green
    assert "weaker than always answering the majority class" in certified["in_words"][0]
    assert text.count('<section class="claim weak">') == len(weak)


def test_where_nothing_is_claimed_the_page_says_so(undrawn):
    fitted = fit_table(pa.table({"x": [1.0, 2.0], "y": list("ab")}), "y", machine("svm", []))
    fitted = replace(fitted, certified=Certified("SVM()", Composite(())))
    said = facts(fitted) | {"model_fingerprint": "f00", "verify_with": "certo verify"}
    assert said["claims"] == said["in_words"] == []
    assert said["best"] is None
    with undrawn():
        text = html_report(fitted, said)
    assert "Nothing is claimed." in text
    for words in ("Error rate", "certo verify<", "not claimed, and", "Assuming", "Each claim"):
        assert words not in text


def test_the_facts_are_in_it_as_json(three):
    text, said = three
    assert json.loads(re.search(r'id="facts">(.*?)</script>', text)[1]) == json.loads(
        json.dumps(said)
    )


@pytest.mark.slow
def test_many_classes_fold_and_not_all_are_drawn(undrawn):
    table = pa.table(
        {"x": [float(k) for k in range(26)] * 2, "y": list("abcdefghijklmnopqrstuvwxyz") * 2}
    )
    with undrawn():
        text, _ = page_of(table, name="svm", settings=[])
    assert Page(text).tags.count("figure") == 1 + 6 + 1
    drawn = "6 of 325 hyperplanes are drawn: those of the pairs of classes with the most rows."
    assert drawn in text
    seen = text.partition("<script")[0]
    assert seen.count("could lower what the fit minimises") == 1  # said once, not 325 times
    assert "for each of the other 324 pairs of classes)" in text


@pytest.mark.slow
def test_names_cannot_break_the_page():
    nasty = '</script><img src=x onerror="alert(1)">$\\frac{a}$ _'
    table = pa.table({nasty: [1, 2, 3, 4], "_b": [4.0, 3, 1, 7], "y": [nasty, "数", nasty, "数"]})
    text, said = page_of(table)
    assert "<img" not in text
    assert said["classes"] == sorted([nasty, "数"])
    assert Page(text).tags.count("script") == 1


@pytest.mark.slow
def test_the_same_fit_gives_the_same_page():
    table = pa.table({"x": [1.0, 2.0, 3.0], "y": list("aab")})
    assert page_of(table) == page_of(table)


@pytest.fixture(scope="module")
def others(undrawn):
    """Pages about the other machines and about separability, with their facts. Of three classes
    there are many pictures, all like those of two."""
    rng = np.random.default_rng(0)
    X = rng.integers(-4, 5, (30, 2))
    apart = np.where(X[:, 0] + X[:, 1] > 0, "up", "down")
    table = pa.table({"a": X[:, 0], "<b>": X[:, 1], "y": apart})
    mixed = table.set_column(2, "y", pa.array(rng.choice(["u", "v", "w"], 30)))
    noisy = table.set_column(2, "y", pa.array(rng.choice(["down", "up"], 30)))
    pages = {
        "hard-margin": page_of(table, name="hard-margin", settings=[]),
        "min-disagreement": page_of(noisy, name="min-disagreement", settings=["random_state=0"]),
        "svm": page_of(noisy, name="svm", settings=[], scale="none", test=table[:20]),
        "pegasos": page_of(noisy, name="pegasos", settings=["random_state=0", "max_iter=100"]),
    }
    gaussian = "kernel=Gaussian(variance=1.5)"
    for name, *settings in (
        ("svm", gaussian),
        ("hard-margin", "kernel=Gaussian(0.05)"),
        ("pegasos", gaussian, "random_state=0", "max_iter=100"),
    ):
        pages[f"kernel {name}"] = page_of(table, name=name, settings=settings)
    for name, data in (("yes", table), ("no", noisy)):
        pages[name] = verdict_of(data)
    with undrawn():
        name = "kernel-perceptron"
        pages[name] = page_of(mixed, name=name, settings=[gaussian, "epochs=3"])
        pages["several"] = verdict_of(mixed)
    return pages


def verdict_of(table):
    decided = separate_table(table, "y")
    said = verdict_facts(decided)
    return html_verdict(decided, said), said


KERNEL_PAGES = {  # with their pictures
    "kernel svm": 6,
    "kernel hard-margin": 5,
    "kernel pegasos": 6,
    "kernel-perceptron": 9,
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["hard-margin", "min-disagreement", "svm", "pegasos", "yes", "no", "several", *KERNEL_PAGES],
)
def test_every_page_is_whole(others, name):
    text, said = others[name]
    page = Page(text)
    assert "http" not in text
    links = [link for link in page.links if not link.startswith("data:image/png;base64,")]
    assert all(link.startswith("#") for link in links)
    assert {link[1:] for link in links} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert "<b>," not in text
    assert "nan" not in page.text.replace("dominant", "")
    inside = re.search(r'id="facts">(.*?)</script>', text)[1]
    assert json.loads(inside) == json.loads(json.dumps(said))
    if name in KERNEL_PAGES:
        assert page.tags.count("figure") == KERNEL_PAGES[name]
    elif name != "several":
        drawn = {"min-disagreement": 5, "svm": 5, "pegasos": 5, "hard-margin": 4}
        assert page.tags.count("figure") == drawn.get(name, 1)


@pytest.mark.slow
def test_rows_are_listed_from_the_table(others):
    text, said = others["min-disagreement"]
    (errors,) = said["listed"]
    assert errors["total"] == said["errors"] == len(errors["rows"])
    assert f"Errors, zero scores included: {said['errors']}." in text
    assert "proved to be the fewest" in text
    text, said = others["no"]
    for item in said["answers"][0]["proof"]:
        assert f"<td>{item['row']}</td><td>{item['label']}</td><td>{item['weight']}</td>" in text
    text, said = others["svm"]
    (wrong,) = said["listed"]
    assert wrong["total"] >= (1 - said["training_accuracy"]) * 30 - 1e-9
    assert "Examples on the wrong side between" in text
    text, said = others["hard-margin"]
    assert f"supports ({said['supports'][0]})" in text
    assert "no example within" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNEL_PAGES)
def test_a_kernel_machine_shows_its_kernel_and_supports_and_no_weights(others, name):
    text, said = others[name]
    assert f"with the kernel <code>{said['kernel']}</code>" in text
    assert f"Regions: {said['kernel']}" in text
    assert "Scores: " in text
    assert "/".join(map(str, said["supports"])) in text
    for words in ("Boundary: ", "hyperplane", "coef_", "Margin: "):
        assert words not in Page(text).text
    assert said["coefficients"] is None


@pytest.mark.slow
def test_a_page_about_kernels_beside_each_other():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    table = pa.table({"a": X[:, 0], "<b>": X[:, 1], "y": (X**2).sum(axis=1) > 1})
    compared = compare_kernels(
        table, "y", machine("svm", []), kernels_to_try(["gaussian"], "0.1,1"),
        curve_settings={"cv": 3, "random_state": 0},
    )  # fmt: skip
    said = curve_facts(compared) | {"fit_with": "certo fit 'a b.csv'"}
    text = html_curve(compared, said)
    page = Page(text)
    assert "http" not in text
    assert all(link.startswith("#") for link in page.links)
    assert page.tags.count("svg") == 1
    for row in said["rows"]:
        assert row["kernel"] in page.text
        assert f"{100 * row['validation_error']:.2f}" in page.text
    assert "certo fit 'a b.csv'" in page.text
    inside = re.search(r'id="facts">(.*?)</script>', text)[1]
    assert json.loads(inside) == json.loads(json.dumps(said))


@pytest.mark.slow
def test_several_classes_are_answered_one_by_one(others):
    text, said = others["several"]
    assert len(said["answers"]) == 1 + 3 + 3
    assert text.count('<td class="no">no</td>') == sum(not a["separable"] for a in said["answers"])


def test_the_perceptron_is_shown_beside_the_limit_of_the_theorem(undrawn):
    table = pa.table({"x": [1.0, 2.0, 3.0, 8.0], "y": list("aaab")})
    with undrawn():
        text, said = page_of(table, settings=["epochs=500"])
    (limit,) = said["updates_allowed"]
    assert limit >= said["updates"][0]
    assert f"≤ {limit:,}" in text


@pytest.mark.slow
def test_a_page_says_no_more_than_there_is(undrawn):
    X = np.random.default_rng(0).normal(size=(20, 40)) / 3
    columns = {f"c{k}": column for k, column in enumerate(X.T)}
    table = pa.table(columns | {"y": np.where(X[:, 0] > 0, "a", "b")})
    fitted = fit_table(table, "y", machine("svm", ["C=1000"]))
    with undrawn():
        said = facts(fitted) | {"model_fingerprint": None, "verify_with": "check"}
        text = html_report(fitted, said)
    assert "<p>No examples on the wrong side between" in text
    assert "more columns are not shown" not in text
    assert "<code>check" not in text
    with undrawn():
        text, said = page_of(table, name="hard-margin", settings=[])
    assert "10 more columns are not shown" in text
    first = said["listed"][0]["rows"][0]
    assert f"<td>{first['values']['c0']:.6g}</td>" in text
