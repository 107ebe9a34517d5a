"""Sentences say what is proved: the error rate, its confidence, and what it is worth."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_iris

from certo import SVM, KernelPerceptron, Perceptron, certify
from certo.certificates import Certificate, Certified, Composite, StatedPredictions
from certo.issue.errors import issue_test_errors
from certo.kernels import Polynomial
from certo.numbers.digits import confidence
from certo.words.risk import rate_sentence

ROOT = Path(__file__).parents[1]
# Words that were false, or that contradicted others on the same page.
FALSE = re.compile(
    r"come from where|except with a chance|of 100 new|will be wrong|errs? on at most|"
    r"at most [^.]{0,20}% of them|promise[sd]? about new",
)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def weak(iris):
    """Pages whose sharpest bound is weaker than always answering the majority class."""
    rest = SVM(multiclass="rest")
    machines = rest, Perceptron(), KernelPerceptron(kernel=Polynomial(2), epochs=20)
    return [certify(machine.fit(*iris), *iris) for machine in machines]


def words_of_the_package():
    files = [*ROOT.glob("src/**/*.py"), *ROOT.glob("src/**/*.html"), *ROOT.glob("docs/**/*.md")]
    for path in (*files, ROOT / "README.md", *ROOT.glob("examples/*")):
        if path.is_file():
            yield path, " ".join(re.sub(r'"\s*\n\s*f?"', "", path.read_text("utf-8")).split())


def test_no_text_has_words_that_were_false():
    found = {
        str(path.relative_to(ROOT)): found
        for path, words in words_of_the_package()
        if (found := FALSE.findall(words))
    }
    assert found == {}


def test_the_sentence_is_that_of_the_theorem():
    sentence = (
        "With 95 % confidence, the error rate on new data from the same population is at most"
    )
    assert rate_sentence(0.05, 0.1105) == f"{sentence} 11.1 %"
    assert rate_sentence(0.05, 0.5, least=0.12349) == f"{sentence} 50 %, and at least 12.3 %"
    rounded = {
        0.05: "95",
        0.05 / 3: "98.33",
        0.3: "70",
        1e-6: "99.9999",
        0.123456: "87.6",
        0.9999: "0",
    }
    assert {delta: confidence(delta) for delta in rounded} == rounded
    assert float(confidence(1e-300)) < 100


def test_a_bound_that_the_majority_class_beats_is_marked_and_not_quoted(iris, weak):
    for page in weak:
        (claim,) = [claim for claim in page.risks if claim.of_predictions]
        assert (claim.majority, claim.examples) == (50, 150)
        assert 2 / 3 <= claim.best < 1
        assert not claim.informative
        marked = "weaker than always answering the majority class, which is wrong on 66.7 %"
        assert marked in claim.plain
        assert page.best is None
        assert marked in page.in_words()[0]
        told = rf"( <strong>)? ?{claim.name}(</strong>)?: {re.escape(claim.plain)}"
        for text in (repr(page), page._repr_html_()):
            assert re.search(f"○{told}", text)
            assert not re.search(f"✓{told}", text)
        assert page.verify(*iris)


def test_the_size_of_the_majority_class_is_counted_by_the_check(iris, weak):
    X, y = iris
    tested = issue_test_errors(
        X, y, ("setosa", "versicolor", "virginica"), StatedPredictions(np.zeros(150, int))
    )
    for claim in [claim for page in weak for claim in page.risks] + [tested]:
        assert claim.verify(X, y)
        for forged in (1, claim.majority - 1, claim.majority + 1):
            false = Certificate.from_dict(claim.to_dict() | {"majority": forged})
            assert "majority class" in false.verify(X, y).why
            assert not false.verify(X, y)
        for refused in (0, -1, 151):
            with pytest.raises(ValueError, match="majority must be from 1 to 150"):
                Certificate.from_dict(claim.to_dict() | {"majority": refused})
    page = weak[0]
    assert Certified.from_dict(json.loads(json.dumps(page.to_dict()))).in_words() == page.in_words()


def test_stated_answers_are_not_called_a_rule(iris):
    """They are checked without a look at X, so nothing is said of a rule for X."""
    X, y = iris
    classes = ("setosa", "versicolor", "virginica")
    claim = issue_test_errors(X, y, classes, StatedPredictions.of(y, classes))
    found = claim.verify(np.zeros((150, 7)), y)
    assert found
    assert found.why.startswith("0 of the 150 stated answers are wrong, whatever X is.")
    page = Certified("anything", Composite(()), Composite((claim,)))
    assert "of the model that gave the stated answers" in page.in_words()[0]
    for words in (claim.plain, claim.claim, *claim.assumes):
        assert "stated answers" in words or words in claim.assumes
        assert "rule" not in words
    assert "of the model that gave the stated answers" in claim.plain
