"""Several claims as one."""

from __future__ import annotations

from certo import Perceptron
from certo.certificates import Sample
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
