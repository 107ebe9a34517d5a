"""Laws that kernels, losses and certificates obey, as functions to call in the tests of new ones.

Each raises an AssertionError that says which law is broken; see `docs/contribute/extend.md`.
"""

from __future__ import annotations

import json
import pickle
from dataclasses import fields
from typing import Any

import numpy as np

from certo import kernels
from certo.certificates.base import Certificate
from certo.certificates.composite import Composite
from certo.containers import count
from certo.kernels.base import Kernel
from certo.losses.base import ConvexLoss, Loss, SmoothLoss

KERNEL_TOLERANCE = 1e-12  # Relative to the largest value of the Gram matrix.
LOSS_TOLERANCE = 1e-10  # Inequalities between values of a loss may fail by this much.
YOUNG_TOLERANCE = (
    1e-14  # The equality of Fenchel and Young may fail by this, relative to its terms.
)
DIFFERENCE_STEP = 1e-5  # The curvature is compared with slopes at this distance on either side.


def _require(condition: Any, message: str) -> None:
    """As `assert`, which python -O leaves out."""
    if not condition:
        raise AssertionError(message)


def check_kernel(kernel: Kernel, inputs: Any) -> None:
    """Check that a kernel behaves as a positive semi-definite function on these points.

    The Gram matrix is symmetric and positive semi-definite, and has the diagonal of
    `kernel.diagonal`; any block that is computed by itself is a part of it; `plain`, which
    certificates use, agrees within what `rounding` allows; the kernel survives pickle and, where it
    has one, its JSON form.

    Parameters
    ----------
    kernel : certo.kernels.Kernel
        A kernel whose open parameters, if it has any, are fitted to the inputs first.
    inputs
        At least one point, as the kernel takes them; for `Precomputed`, a Gram matrix.

    Raises
    ------
    AssertionError
        If a law is broken.

    Examples
    --------
    >>> from certo.checks import check_kernel
    >>> from certo.kernels import Function, Gaussian
    >>> check_kernel(Gaussian(variance=2.0), [[0.0, 1.0], [2.0, 3.0], [-1.0, 0.5]])
    >>> check_kernel(Function(lambda a, b: abs(a - b)), [1.0, 2.0])
    Traceback (most recent call last):
    ...
    AssertionError: the least eigenvalue of the Gram matrix is -1: it is not positive semi-definite
    """
    X = kernel.examples(inputs)
    kernel = kernel.fitted_to(X)
    K, centres = kernel(X), kernel.take(X, slice(None))
    m = count(X)
    _require(K.shape == (m, m), f"the Gram matrix of {m} points has shape {K.shape}")
    _require(np.all(np.isfinite(K)), "the Gram matrix holds NaN or infinity")
    off = KERNEL_TOLERANCE * max(1.0, float(np.max(np.abs(K))))
    np.testing.assert_allclose(K, K.T, atol=off, err_msg="K(x, z) is not K(z, x)")
    diagonal = kernel.diagonal(X)
    np.testing.assert_allclose(
        diagonal, np.diag(K), atol=off, err_msg="diagonal(X) is not the diagonal of the Gram matrix"
    )
    least = float(np.linalg.eigvalsh((K + K.T) / 2)[0])
    _require(
        least >= -10 * off,
        f"the least eigenvalue of the Gram matrix is {least:.3g}: it is not positive semi-definite",
    )
    odd = np.arange(1, m, 2)
    for rows, columns in [(odd, np.arange(0, m, 2)), (np.array([0, 0]), odd), (odd[:0], odd)]:
        block = kernel(kernel.points(X, rows), kernel.take(X, columns))
        np.testing.assert_allclose(
            block, K[np.ix_(rows, columns)], atol=off,
            err_msg="a block computed by itself differs from that part of the Gram matrix",
        )  # fmt: skip
    relative, absolute = kernel.rounding(X, centres)
    lengths = np.sqrt(np.maximum(diagonal, 0.0))
    allowed = 2.0 * (relative * np.outer(lengths, lengths) + absolute) + off
    _require(
        np.all(np.abs(kernel.plain(X, centres) - K) <= allowed),
        "plain(X, Z) differs from kernel(X, Z) by more than rounding(X, Z) allows",
    )
    _check_kernel_is_a_value(kernel)


def _check_kernel_is_a_value(kernel: Kernel) -> None:
    try:
        data = kernel.to_dict()
    except ValueError:  # A Python function has no JSON form, and perhaps no pickle.
        return
    again = pickle.loads(pickle.dumps(kernel))
    _require(again == kernel and hash(again) == hash(kernel), "pickle changes the kernel")
    data = json.loads(json.dumps(data, allow_nan=False))
    if _can_be_read(kernel):
        _require(Kernel.from_dict(data) == kernel, "the JSON form is that of another kernel")


def _can_be_read(kernel: Kernel) -> bool:
    """Whether it is made of kernels of `certo.kernels` alone, which files may name."""
    values = [getattr(kernel, f.name) for f in fields(kernel)]  # type: ignore[arg-type]
    parts = [part for value in values for part in (value if type(value) is tuple else (value,))]
    return type(kernel).__name__ in kernels.KERNELS and all(
        _can_be_read(part) for part in parts if isinstance(part, Kernel)
    )


def check_loss(loss: Loss, margins: Any, slopes: Any) -> None:
    """Check that the value, slope, conjugate and curvature of a loss are those of one function.

    Of any loss: values are at least `loss.least`, and `of` is the value at `argument`. Of a convex
    one: Fenchel and Young's ℓ(z) + ℓ*(s) ≥ s·z, with equality where s is the slope at z; tangents
    lie below, and slopes rise. Of a smooth one: the curvature is the derivative of the slope and
    is not negative.

    Parameters
    ----------
    loss : certo.losses.Loss
    margins : array of shape (n,)
        Finite numbers z at which to look.
    slopes : array of shape (k,)
        Finite numbers s at which to look at the conjugate, inside its domain or outside.

    Raises
    ------
    AssertionError
        If a law is broken.

    Examples
    --------
    >>> from certo.checks import check_loss
    >>> from certo.losses import Hinge, Logistic
    >>> for loss in (Hinge(), Logistic()):
    ...     check_loss(loss, margins=[-2.0, 0.0, 0.5, 1.0, 3.0], slopes=[-1.0, -0.5, 0.0])
    """
    z, s = np.asarray(margins, dtype=np.float64), np.asarray(slopes, dtype=np.float64)
    value = loss.value(z)
    _require(np.all(value >= loss.least), f"a value is below `least`, which is {loss.least}")
    for y in (-1.0, 1.0):
        same = np.array_equal(loss.of(y, z), loss.value(loss.argument(y, z)), equal_nan=True)
        _require(same, "of is not value of argument")
    if isinstance(loss, ConvexLoss):
        _check_convex(loss, z, s, value)
    if isinstance(loss, SmoothLoss):
        curvature, h = loss.curvature(z), DIFFERENCE_STEP
        difference = (loss.slope(z + h) - loss.slope(z - h)) / (2 * h)
        np.testing.assert_allclose(
            curvature, difference, atol=1e-6, err_msg="the curvature is not the slope's derivative"
        )
        _require(np.all(curvature >= 0), "the curvature is negative, so the loss is not convex")


def _check_convex(loss: ConvexLoss, z: np.ndarray, s: np.ndarray, value: np.ndarray) -> None:
    excess = value[:, None] + loss.conjugate(s) - np.multiply.outer(z, s)
    _require(np.all(excess >= -LOSS_TOLERANCE), "ℓ(z) + ℓ*(s) < s·z, against Fenchel and Young")
    slope = loss.slope(z)
    conjugate = loss.conjugate(slope)
    _require(np.all(np.isfinite(conjugate)), "the conjugate is infinite at a slope of the loss")
    size = np.abs(value) + np.abs(conjugate) + np.abs(z * slope)
    equal = np.abs(value + conjugate - z * slope) <= YOUNG_TOLERANCE * size + 1e-300
    _require(np.all(equal), "ℓ(z) + ℓ*(s) is not s·z where s is the slope at z")
    step = z - z[:, None]
    tangent = value[:, None] + slope[:, None] * step
    _require(np.all(value >= tangent - LOSS_TOLERANCE), "a tangent does not lie below the loss")
    _require(np.all((slope - slope[:, None]) * step >= 0), "the slopes do not rise")


def check_certificate(certificate: Certificate | Composite, X: Any, y: Any = None) -> None:
    """Check that a certificate holds of its data, can be written and read, and can be rejected.

    It verifies; it has a JSON form without NaN, from which it comes back bit for bit, and verifies
    again; it says its claim, what that means in plain words, and what it assumes; and examples of
    which y is too long are rejected, rather than raising an error.

    Parameters
    ----------
    certificate : certo.certificates.Certificate or Composite
    X, y
        The examples that the certificate is about, in the user's own labels; y is None where the
        claim is about X alone.

    Raises
    ------
    AssertionError
        If a law is broken.

    Notes
    -----
    Of which other data a claim is false depends on the claim: assert `not certificate.verify(...)`
    for examples and labels of your own that break it.

    Examples
    --------
    >>> from certo import SVM
    >>> from certo.checks import check_certificate
    >>> X, y = [[0.0], [1.0], [2.0], [4.0]], ["no", "yes", "no", "yes"]
    >>> check_certificate(SVM(C=1.0).fit(X, y).certificate_, X, y)
    """
    verdict = certificate.verify(X, y)
    _require(verdict, f"it does not hold of its own data: {verdict}")
    text = json.dumps(certificate.to_dict(), allow_nan=False)
    again = type(certificate).from_dict(json.loads(text))
    _require(json.dumps(again.to_dict(), allow_nan=False) == text, "JSON and back changes it")
    _require(again == certificate, "JSON and back gives another certificate")
    _require(repr(again) == repr(certificate), "JSON and back changes what it says")
    verdict = again.verify(X, y)
    _require(verdict, f"after JSON and back it does not hold of its own data: {verdict}")
    for claim in certificate if isinstance(certificate, Composite) else [certificate]:
        _require(hash(claim) == hash(Certificate.from_dict(claim.to_dict())), "its hash changes")
        _require(claim.claim.strip(), f"{claim.name} says no claim")
        _require(claim.plain.endswith("."), f"{claim.name}.plain is no sentence: {claim.plain!r}")
        _require(claim.plain != claim.claim, f"{claim.name}.plain only repeats the claim")
        _require(
            all(isinstance(text, str) and text for text in claim.assumes),
            f"{claim.name}.assumes must hold sentences, got {claim.assumes!r}",
        )
        _require(any(claim.rigour), f"{claim.name} does not say how firmly it stands")
    if y is not None and count(X) > 1:
        _require(not certificate.verify(X[1:], y), "it holds of X with a row less than y")
