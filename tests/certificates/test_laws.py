"""Some of the corruptions of `benchmarks/mutations.py`, and laws that all certificates obey."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from scipy import sparse

from certo import LogisticRegression, SeparationWarning, certificates
from certo.certificates import Certificate, Labels, LeastErrorsByCells
from certo.certificates.risk.risk_bound import RiskBound
from certo.checks import check_certificate
from tests.oracles.campaign import (
    CORRUPTIONS,
    SOURCES,
    Case,
    cases,
    is_precomputed,
    judged,
    reread,
    verified,
)
from tests.oracles.truths import TRUTHS, is_true

KINDS = sorted(SOURCES)
CLAIMS = [kind for kind in KINDS if kind.partition(" ")[0] in certificates.KINDS]
QUICK = {"GaussianLikelihood", "LeastSquaresExcess", "MaximumMargin", "SoftMarginGap", "TestErrors"}
DENSE = {"GaussianLikelihood", "MomentMatching", "NoGaussianDensity", "NoLogLinearDensity"}


def test_every_kind_of_certificate_has_a_truth_and_is_attacked():
    assert set(certificates.KINDS) <= set(TRUTHS)
    assert set(certificates.KINDS) <= set(SOURCES)


@pytest.mark.parametrize("kind", KINDS)
def test_no_mutation_yields_an_accepted_false_claim(kind):
    random = np.random.default_rng([8, *map(ord, kind)])
    verdicts = []
    for corruption in CORRUPTIONS:
        if corruption == "edge" and kind not in QUICK:  # sixty looks at one claim
            continue
        outcome = judged(kind, corruption, random, 2)
        if outcome is not None:
            verdicts.append(outcome.verdict)
            assert outcome.verdict != "FALSE", (corruption, outcome.case)
    assert "rejected" in verdicts


@pytest.mark.parametrize("kind", KINDS)
def test_issued_claims_are_true_in_every_storage(kind):
    for case in cases(kind, 2):
        _check_every_storage(kind, case)


def _check_every_storage(kind: str, case: Case) -> None:
    assert is_true(*case)
    stores = [np.asfortranarray, np.longdouble, np.ndarray.tolist]
    if kind not in DENSE and not is_precomputed(case.data):
        stores += [sparse.csr_array, sparse.csc_matrix]
    if np.array_equal(case.X, np.rint(case.X)):
        stores += [np.int64, np.float32]
    if kind == "CompressionBound":
        stores.remove(sparse.csr_array)  # a run on rows in this storage adds in another order
        stores.remove(sparse.csc_matrix)
    for store in stores:
        claim = reread(case.data)
        found = claim.verify(store(case.X), case.y)
        assert found, (store, found)


@pytest.mark.parametrize("kind", KINDS)
def test_json_there_and_back_is_bit_for_bit(kind):
    for case in cases(kind, 2):
        text = json.dumps(case.data, allow_nan=False)
        again = reread(case.data)
        assert json.dumps(again.to_dict(), allow_nan=False) == text
        assert repr(again) == repr(reread(json.loads(text)))


@pytest.mark.parametrize("kind", CLAIMS)
def test_words_are_plain(kind):
    """No formulas, for someone who knows nothing of the subject: one sentence, and for bounds on
    the error rate what they come from and their objective value."""
    for case in cases(kind, 2):
        claim = reread(case.data)
        check_certificate(claim, case.X, case.y)
        assert claim.plain.count(". ") <= 2 * isinstance(claim, RiskBound)
        assert not set("‖Σ₊λ²½·") & set(claim.plain)
        if isinstance(claim, RiskBound) and not claim.vacuous:
            assert "% confidence, the error rate" in claim.plain  # the examples may mislead


@pytest.mark.parametrize("kind", ["Separable", "Inseparable", "QuasiSeparable", "Overlapping"])
def test_claims_about_all_classes_have_no_column(kind):
    data = next(case.data for case in cases(kind) if case.data["labels"]["positive"] is None)
    with pytest.raises(ValueError, match="column"):
        Certificate.from_dict(data | {"labels": data["labels"] | {"column": 0}})


def test_separation_that_leaves_only_the_origin_yields_a_claim():
    rows = [[1, 2], [-3, 2], [0, 0], [1, -1], [3, -3], [-2, -1], [0, -1], [-3, -3], [-3, -3]]
    X, y = np.array(rows, float), list("abcaacccc")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SeparationWarning)
        made = LogisticRegression(intercept="none").fit(X, y).certificate_
    assert made.verify(X, y)
    assert all(is_true(claim.to_dict(), X, y) for claim in made)
    assert verified(Case(made.to_dict(), X, y))


def test_quotients_that_overflow_are_no_warning():
    X = np.array([[3.0, 0.25], [-0.5, -0.25], [-0.75, -1], [-0.5, 0.5], [1.5, 0.5], [-0.5, 5e-324]])
    y = np.array(["up", "down", "up", "down", "up", "down"])
    for at_least in (1.0, 2.0, 3.0):
        claim = LeastErrorsByCells(Labels(("down", "up")), False, 6, np.zeros(0), at_least)
        assert bool(claim.verify(X, y)) == is_true(claim.to_dict(), X, y)
