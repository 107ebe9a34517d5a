"""Kernel perceptrons run again on what they are made of: every decision certain, or no claim."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import bounds
from certo.certificates import CannotClaim, Certificate, KernelRun, KernelScheme
from certo.certificates.risk import kernel_scheme as module
from certo.certificates.runs import kernel_run
from certo.checks import check_certificate
from certo.issue.labels import all_labels
from certo.issue.risk import issue_compression_bound
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed

AT_ZERO = {"always": 0, "positive": 1, "negative": -1}


def perceptron(kernel, X, codes, run: KernelRun, outputs: int):
    """The box, on all examples: (support, counts) of each output."""
    gram = kernel.plain(kernel.points(X, slice(None)), kernel.take(X, slice(None))) + run.lifted
    support, coef = [], []
    for k in range(outputs):
        y = np.where(codes == (1 if outputs == 1 else k), 1, -1)
        counts, random = np.zeros(len(y)), np.random.default_rng([run.seed, k])
        for _ in range(run.epochs):
            order = np.arange(len(y))
            order = random.permutation(order) if run.order == "shuffled" else order
            before = counts.copy()
            for t in order:
                score = gram[t] @ counts
                at_zero = score == 0 and AT_ZERO[run.update_at_zero] * y[t] >= 0
                if y[t] * score < 0 or at_zero:
                    counts[t] += y[t]
            if np.array_equal(before, counts):
                break
        support.append(np.flatnonzero(counts))
        coef.append(counts[support[-1]])
    return support, coef


def bound(X, codes, classes, kernel, run, support, coef):
    """The bound of a function made of its supports, or of several."""
    union = np.unique(np.concatenate(support))
    table = np.zeros((len(support), union.size))
    for line, rows, counts in zip(table, support, coef, strict=True):
        line[np.searchsorted(union, rows)] = counts
    scheme, labels = KernelScheme(kernel, run, table), all_labels(classes)
    sample = scheme.sample(scheme.read(X), codes, labels)
    return issue_compression_bound(sample, labels, scheme, union)


def problem(classes=2, m=120, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, 2))
    codes = (
        (X[:, 0] * X[:, 1] > 0) * 1 if classes == 2 else np.argmax(X @ [[1, 0, -1], [0, 1, -1]], 1)
    )
    return X, codes


def issued(kernel, classes=2, points=None, **settings):
    X, codes = problem(classes)
    X = X if points is None else points(X)
    run = KernelRun(**{"epochs": 3} | settings)
    made = perceptron(kernel, X, codes, run, 1 if classes == 2 else classes)
    return X, codes, made, bound(X, codes, range(classes), kernel, run, *made)


@pytest.mark.parametrize(
    ("kernel", "classes", "settings"),
    [
        (Gaussian(0.5), 2, {}),
        (Gaussian(0.5), 3, {"lifted": True, "order": "shuffled", "seed": 4}),
        (Polynomial(2), 2, {"update_at_zero": "always"}),
        (Gaussian(0.5), 2, {"points": sparse.csr_array}),
        (Precomputed(), 2, {"points": lambda X: (X @ X.T) ** 2}),
    ],
    ids=["plain", "shuffled, three classes", "at zero", "sparse", "precomputed"],
)
def test_a_run_on_the_supports_alone_is_the_same_run(kernel, classes, settings):
    X, codes, (support, coef), claim = issued(kernel, classes, **settings)
    union = np.unique(np.concatenate(support))
    assert np.array_equal(claim.updated, union)
    for line, rows, counts in zip(claim.scheme.dual_coef, support, coef, strict=True):
        assert np.array_equal(line[np.searchsorted(union, rows)], counts)
    gram = kernel.plain(X, kernel.take(X, union)) + claim.scheme.run.lifted
    scores = gram @ claim.scheme.dual_coef.T
    answers = np.argmax(scores, axis=1) if classes > 2 else (scores[:, 0] > 0) * 1
    others = np.setdiff1d(np.arange(len(codes)), union)
    assert claim.errors == np.count_nonzero(answers[others] != codes[others])
    assert claim.tail == bounds.binomial_tail(len(codes), union.size, claim.errors, 0.05)
    check_certificate(claim, X, codes)
    assert claim.at(0.2).verify(X, codes)
    assert any("seed" in text for text in claim.assumes) == ("seed" in settings)
    assert any("matrix" in text for text in claim.assumes) == (kernel == Precomputed())


def test_attacks():
    X, codes, _, claim = issued(Gaussian(0.5))
    written, m, k = claim.to_dict(), 120, claim.updated.size
    scheme, coef = written["scheme"], claim.scheme.dual_coef

    def other(**change):
        return {"scheme": scheme | change}

    fewer = other(dual_coef=coef[:, 1:].tolist()) | {
        "updated": claim.updated[1:].tolist(),
        "tail": bounds.binomial_tail(m, k - 1, claim.errors, 0.05),
        "printed": bounds.perceptron_compression(m, k - 1, claim.errors, 0.05),
    }
    for change in (
        fewer,
        {"tail": 0.0},
        {"tail": claim.tail * 0.99},
        {"printed": claim.printed * 0.99},
        {"delta": 0.01},
        other(dual_coef=(2 * coef).tolist()),
        other(kernel=Gaussian(0.6).to_dict()),
        other(run=scheme["run"] | {"epochs": 1}),
        other(run=scheme["run"] | {"lifted": True}),
        {"examples": m + 1},
    ):
        assert not Certificate.from_dict(written | change).verify(X, codes), change
    X, codes, _, once = issued(Gaussian(0.5), epochs=1)
    facts = m, once.updated.size, once.errors - 1, 0.05
    fewer_errors = {"errors": once.errors - 1, "tail": bounds.binomial_tail(*facts),
                    "printed": bounds.perceptron_compression(*facts)}  # fmt: skip
    assert not Certificate.from_dict(once.to_dict() | fewer_errors).verify(X, codes)
    assert not claim.verify(X, 1 - codes)
    assert not claim.verify(X[::-1], codes[::-1])
    assert not claim.verify(X * 1.1, codes)
    assert not claim.verify(np.hstack((X, X)), codes)
    for hostile in (
        other(dual_coef=(coef / 2).tolist()), other(dual_coef=[[1.0]]),
        {"updated": [m]}, other(run=scheme["run"] | {"order": "misclassified"}),
        other(run=scheme["run"] | {"epochs": -1}), other(kernel=3), {"printed": None},
    ):  # fmt: skip
        with pytest.raises(ValueError, match=r".+"):
            Certificate.from_dict(written | hostile)


def test_decisions_within_rounding_are_not_claimed(monkeypatch):
    X, codes = np.eye(4), np.array([0, 1, 0, 1])
    run = KernelRun(2, update_at_zero="always")
    made = perceptron(Linear(), X, codes, run, 1)
    # x_1·x_0 = 0 is computed with an allowance for rounding, so its sign is open …
    with pytest.raises(CannotClaim, match="too close to a score of 0"):
        bound(X, codes, (0, 1), Linear(), run, *made)
    # … and the integers of a matrix have none
    claim = bound(np.eye(4), codes, (0, 1), Precomputed(), run, *made)
    assert claim.verify(np.eye(4), codes)
    X, codes = problem()
    run = KernelRun(3)
    made = perceptron(Gaussian(0.5), X, codes, run, 1)
    with pytest.raises(CannotClaim, match="makes other mistakes"):
        bound(X, codes, (0, 1), Gaussian(0.5), KernelRun(1), *made)
    monkeypatch.setattr(module, "MAX_RERUN_EXAMPLES", 3)
    with pytest.raises(CannotClaim, match="more than 3"):
        bound(X, codes, (0, 1), Gaussian(0.5), run, *made)
    monkeypatch.setattr(module, "MAX_RERUN_EXAMPLES", 10**4)
    monkeypatch.setattr(kernel_run, "MAX_RERUN_PRODUCTS", 10)
    with pytest.raises(CannotClaim, match="longer than"):
        bound(X, codes, (0, 1), Gaussian(0.5), run, *made)


def test_objects_and_nothing_learned():
    kernel = Function(lambda x, z: float(x @ z) ** 2 + 0.01)
    X, codes = problem(m=30)
    points, run = list(X), KernelRun(2)
    made = perceptron(kernel, points, codes, run, 1)
    claim = bound(points, codes, (0, 1), kernel, run, *made)
    assert claim == claim.at(0.05)
    assert claim.verify(points, codes)
    assert "always the same" in claim.assumes[-1]
    # with one class only, or at 0 nothing is learned, and all are ties
    nothing = bound(
        X, np.ones(30, int), (0, 1), Gaussian(1.0), KernelRun(1), [np.zeros(0, int)], [np.zeros(0)]
    )
    assert nothing.updated.size == 0
    assert nothing.errors == 30
    assert nothing.verify(X, np.ones(30, int))
