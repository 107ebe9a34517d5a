"""The shipped laws: what breaks one of them is told which."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from certo import SVM
from certo.certificates import SoftMarginGap
from certo.checks import check_certificate, check_kernel, check_loss
from certo.kernels import Function, Kernel
from certo.losses import Hinge, Squared
from certo.numbers.rounding import Rounding


@dataclass(frozen=True)
class Own(Kernel):
    """A kernel of numbers that someone wrote, with a mistake."""

    mistake: str = ""

    def plain(self, X, Z):
        block = np.array([[x * z for z in Z] for x in X], dtype=float).reshape(len(X), len(Z))
        return block + (self.mistake == "plain") * 1e-3

    def _block(self, X, Z):
        block = self.plain(X, Z)
        if self.mistake == "blocks":
            block += 1e-3 * (len(X) != len(Z))
        if self.mistake == "asymmetric":
            block[:, :1] += 1e-3
        return block if self.mistake != "plain" else block - 1e-3

    def diagonal(self, X):
        return np.array([x * x for x in X]) + (self.mistake == "diagonal")

    def rounding(self, X, Z):
        return Rounding(1e-15, 0.0)


def test_a_kernel_of_ones_own_passes():
    check_kernel(Own(), [1.0, -2.0, 3.0])
    check_kernel(Own() + Own().normalised(), [1.0, -2.0, 3.0])


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        (Own("asymmetric"), r"K\(x, z\) is not K\(z, x\)"),
        (Own("diagonal"), "is not the diagonal of the Gram matrix"),
        (Own("blocks"), "a block computed by itself differs"),
        (Own("plain"), "by more than rounding"),
        (Function(lambda x, z: -x * z), "not positive semi-definite"),
    ],
    ids=repr,
)
def test_a_kernel_that_breaks_a_law(kernel, says):
    with pytest.raises(AssertionError, match=says):
        check_kernel(kernel, [1.0, -2.0, 3.0])


@pytest.mark.parametrize(
    ("method", "mistake", "says"),
    [
        ("conjugate", lambda s: np.asarray(s) - 1.0, "against Fenchel and Young"),
        ("conjugate", lambda s: np.asarray(s) + 1.0, "is not s·z where s is the slope"),
        ("slope", lambda z: np.full(np.shape(z), -2.0), "conjugate is infinite at a slope"),
        ("value", lambda z: np.full(np.shape(z), -2.0), "a value is below"),
    ],
)
def test_a_loss_that_breaks_a_law(method, mistake, says, monkeypatch):
    check_loss(Hinge(), [-1.0, 2.0], [-1.0, 0.0])
    monkeypatch.setattr(Hinge, method, lambda loss, z: mistake(z))
    with pytest.raises(AssertionError, match=says):
        check_loss(Hinge(), [-1.0, 2.0], [-1.0, 0.0])


def test_a_curvature_that_is_too_large(monkeypatch):
    monkeypatch.setattr(Squared, "curvature", lambda loss, z: np.full(np.shape(z), math.pi))
    with pytest.raises(AssertionError, match="curvature is not the slope's derivative"):
        check_loss(Squared(), [0.0], [0.0])


def test_a_certificate_that_breaks_a_law(monkeypatch):
    X, y = np.array([[0.0], [1.0], [2.0], [4.0]]), ["no", "yes", "no", "yes"]
    certificate = SVM().fit(X, y).certificate_
    check_certificate(certificate, X, y)
    claim = certificate.of_kind(SoftMarginGap)[0]
    check_certificate(claim, X, y)
    with pytest.raises(AssertionError, match="does not hold of its own data"):
        check_certificate(claim, -X, y)
    monkeypatch.setattr(SoftMarginGap, "plain", "It is good")
    with pytest.raises(AssertionError, match="is no sentence"):
        check_certificate(claim, X, y)
