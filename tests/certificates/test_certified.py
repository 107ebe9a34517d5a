"""A whole certificate is a claim like others."""

from __future__ import annotations


def test_a_whole_certificate_is_read_like_a_single_claim():
    from certo import Perceptron
    from certo.certificates import Certificate, Separable

    made = Perceptron().fit([[1.0], [-1.0]], [1, 0]).certificate_
    again = Certificate.from_dict(made.to_dict())
    assert again == made
    assert again[0] == again.of_kind("Separable")[0] == again.of_kind(Separable)[0]
