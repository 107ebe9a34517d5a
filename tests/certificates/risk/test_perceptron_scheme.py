"""Layers of perceptrons: one set of examples determines all, and attempts to shrink it."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse

from certo import bounds
from certo.certificates import CannotClaim, Certificate, PerceptronRun, PerceptronScheme
from certo.certificates.risk import perceptron_scheme as module
from certo.checks import check_certificate
from certo.issue.labels import all_labels
from certo.issue.risk import issue_compression_bound
from certo.solvers.perceptron import perceptron


def trained(classes=3, m=300, epochs=4, gap=0.6, points=None, **settings):
    """Three neurons, or one, run on all examples."""
    random = np.random.default_rng(1)
    X = random.standard_normal((m, 2))
    angle = 2 * np.pi * np.arange(classes) / classes
    centres = np.stack((np.cos(angle), np.sin(angle)), axis=1)
    codes = np.argmax(X @ centres.T, axis=1)
    X += gap * centres[codes]
    X = sparse.csr_array(X) if points == "csr" else X
    outputs = 1 if classes == 2 else classes
    runs, outcomes = [], []
    for k in range(outputs):
        runs.append(PerceptronRun(epochs, output=k, sparse=points == "csr", **settings))
        signs = np.where(codes == (1 if outputs == 1 else k), 1, -1).astype(np.int8)
        outcomes.append(perceptron(X, signs, runs[k]))
    w = np.array([outcome.w for outcome in outcomes])
    updated = [outcome.updated for outcome in outcomes]
    return X, np.array(list("xyz"))[codes], runs, w[:, :-1], w[:, -1], updated


def issued(X, y, classes, runs, coef, intercept, updated, **options):
    """The bound of the layer; of two classes, that of the one output."""
    scheme = PerceptronScheme(tuple(runs), coef, intercept, 1 if len(runs) == 1 else None)
    labels, union = all_labels(classes), np.unique(np.concatenate(updated))
    return issue_compression_bound(
        scheme.sample(scheme.read(X), y, labels), labels, scheme, union, **options
    )


@pytest.mark.parametrize(
    ("classes", "settings"),
    [
        (2, {}),
        (3, {}),
        (3, {"order": "shuffled", "seed": 5, "init": "random"}),
        (3, {"points": "csr"}),
    ],
    ids=str,
)
def test_one_bound_for_the_layer(classes, settings):
    X, y, runs, coef, intercept, updated = trained(classes, **settings)
    claim = issued(X, y, "xyz"[:classes], runs, coef, intercept, updated)
    union = np.unique(np.concatenate(updated))
    assert np.array_equal(claim.updated, union)
    scores = X @ coef.T + intercept
    answers = np.argmax(scores, axis=1) if classes > 2 else (scores[:, 0] > 0) * 1
    others = np.setdiff1d(np.arange(300), union)
    assert claim.errors == np.count_nonzero(np.array(list("xyz"))[answers[others]] != y[others])
    facts = 300, union.size, claim.errors, 0.05
    assert claim.bounds == {
        "printed": bounds.perceptron_compression(*facts),
        "exact tail": bounds.binomial_tail(*facts),
    }
    assert claim.best == claim.tail
    check_certificate(claim, X, y)
    assert claim.at(0.01).verify(X, y)
    assert claim.at(0.01).tail > claim.tail
    assert any("seed" in text for text in claim.assumes) == ("seed" in settings)
    assert "the error rate on new data" in claim.plain


def test_attacks():
    X, y, runs, coef, intercept, updated = trained()
    claim = issued(X, y, "xyz", runs, coef, intercept, updated)
    written = claim.to_dict()
    scheme, misclassified = written["scheme"], {"order": "misclassified"}
    k = claim.updated.size
    fewer = {"printed": bounds.perceptron_compression(300, k - 1, claim.errors, 0.05),
             "tail": bounds.binomial_tail(300, k - 1, claim.errors, 0.05)}  # fmt: skip
    for change in (
        {"updated": claim.updated[1:].tolist()} | fewer,
        {"updated": claim.updated[:-1].tolist()} | fewer,
        {"tail": claim.tail * 0.999},
        {"printed": math.nextafter(claim.printed, 0)},
        {"delta": 0.04},
        {"scheme": scheme | {"coef": coef[::-1].tolist()}},
        {"scheme": scheme | {"intercept": (intercept + 1).tolist()}},
        {"scheme": scheme | {"runs": [run | {"epochs": 1} for run in scheme["runs"]]}},
        {"scheme": scheme | {"runs": [run | misclassified for run in scheme["runs"]]}},
        {"examples": 299},
        {"labels": written["labels"] | {"classes": ["y", "x", "z"]}},
    ):
        assert not Certificate.from_dict(written | change).verify(X, y), change
    # one example more in the set, or an error more, is a weaker claim, and true
    other = int(np.setdiff1d(np.arange(300), claim.updated)[0])
    more = np.sort(np.append(claim.updated, other)).tolist()
    facts = 300, k + 1, claim.errors, 0.05
    weaker = {"updated": more, "printed": bounds.perceptron_compression(*facts),
              "tail": bounds.binomial_tail(*facts)}  # fmt: skip
    assert Certificate.from_dict(written | weaker).verify(X, y)
    assert not claim.verify(X, y[::-1])
    assert not claim.verify(X[::-1], y[::-1])
    assert not claim.verify(X[:, :1], y)
    for hostile in (
        {"updated": [300]}, {"updated": [1, 1]}, {"errors": -1}, {"errors": 301}, {"printed": None},
        {"delta": 1.0}, {"examples": 0}, {"labels": written["labels"] | {"column": 1}},
        {"scheme": scheme | {"runs": []}}, {"scheme": scheme | {"coef": [[1.0, 2.0]]}},
        {"scheme": scheme | {"zero_sign": 1}}, {"scheme": scheme | {"name": "Scheme"}},
        {"scheme": {key: scheme[key][:2] for key in ("runs", "coef", "intercept")}
         | {"name": "PerceptronScheme", "zero_sign": None}},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r".+"):
            Certificate.from_dict(written | hostile)


def test_more_than_half_and_vacuous_and_long(monkeypatch):
    X, y, runs, coef, intercept, updated = trained(m=60, gap=0.0)
    many = [np.arange(40)] * 3
    claim = issued(X, y, "xyz", runs, coef, intercept, many, rerun=False)
    assert claim.printed is None
    assert list(claim.bounds) == ["exact tail"]
    assert Certificate.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim
    every = issued(X, y, "xyz", runs, coef, intercept, [np.arange(60)] * 3)
    assert every.vacuous
    assert every.tail == 1.0
    assert every.verify(X, y)
    assert "alone gives these weights" in every.claim
    with pytest.raises(CannotClaim, match=r"re-running neuron 0 .* gives other weights"):
        issued(X, y, "xyz", runs, coef + 1, intercept, [np.arange(60)] * 3)
    monkeypatch.setattr(module, "REPLAY_VISITS", 0)
    long = issued(X, y, "xyz", runs, coef, intercept, many, rerun=False)
    assert claim.tail >= 2 / 3  # no better than drawing one of three classes, and so not claimed
    assert long.tail == 1.0
    assert "not replayed" in every.verify(X, y).why
    assert "alone gives these weights" not in every.claim
    with pytest.raises(CannotClaim, match="depends on the data"):
        issued(X, y, "xyz", [PerceptronRun(4, "misclassified")] * 3, coef, intercept, updated)


@pytest.mark.slow
def test_a_check_of_perceptrons_imports_no_kernel():
    look = (
        "import sys; from certo.certificates import CompressionBound, PerceptronScheme;"
        "sys.exit(any(name.startswith('certo.kernels') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", look], check=False).returncode == 0
