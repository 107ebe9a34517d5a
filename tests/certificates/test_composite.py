"""Several claims as one."""

from __future__ import annotations

import json

import pytest

from certo import SVM, Perceptron
from certo.certificates import Certified, Composite, NotClaimed, Sample, Separable
from tests.oracles.hard_tables import table


def test_a_sample_of_a_composite_is_made_once_for_each_meaning(monkeypatch):
    X, y = table("three classes")
    certificate = Perceptron(epochs=20).fit(X, y).certificate_
    seen = []
    of = Sample.of
    monkeypatch.setattr(Sample, "of", lambda X, y, labels: seen.append(labels) or of(X, y, labels))
    assert certificate.verify(X, y)
    assert len(seen) == 3
    wrong = certificate.verify(X[:-1], y)
    assert not wrong
    assert len(wrong.parts) == len(certificate)


def test_a_composite_says_what_it_holds_and_what_not(known):
    X, y, certificate = known
    less = certificate.without(Separable, "for a <reason>")
    assert not less.of_kind(Separable)
    assert NotClaimed("Separable", "for a <reason>") in less.not_claimed
    assert "&lt;reason&gt;" in less._repr_html_()
    assert "for a <reason>" in repr(less)
    assert less.verify(X, y)
    assert Composite(()).claim == "Nothing is claimed."
    nothing = Composite(()).verify([[1.0]], [1])
    assert (nothing.holds, nothing.why) == (False, "nothing is claimed, so nothing was proved.")
    assert not Certified("nothing", Composite(())).verify([[1.0]], [1])
    result = certificate.verify(X, y[::-1])
    assert not result
    assert "DOES NOT HOLD" in str(result)
    assert json.loads(json.dumps(result.to_dict()))["holds"] is False
    for claim in certificate:
        assert claim.claim[:20] in claim._repr_html_().replace("&#x27;", "'")


def test_claims_within_claims_are_refused_when_they_are_put_together():
    X, y = [[1.0, 2.0], [3.0, 4.0], [-1.0, -2.0], [-3.0, 0.0]], [1, 1, 0, 0]
    claims = SVM().fit(X, y).certificate_
    with pytest.raises(ValueError, match=r"got a Composite.*one\.claims \+ other\.claims"):
        Composite((claims, claims))
    assert Composite(claims.claims + claims.claims).verify(X, y)
