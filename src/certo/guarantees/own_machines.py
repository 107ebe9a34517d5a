"""What is proved about the machines of Certo, as each describes itself."""

from __future__ import annotations

from typing import Any

from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.model import strangers
from certo.certificates.risk.compression_bound import CompressionBound
from certo.containers import count
from certo.estimators.description import describe
from certo.guarantees.belonging import has_same_vectors
from certo.guarantees.page import OtherExamples, Page
from certo.guarantees.predicting import errors_and_margins
from certo.issue.model import model_of

OTHER_SUPPORTS = (
    "certify needs the very examples of the fit, and the model as it was after it, but its support "
    "vectors are not those examples of X."
)


def claims(page: Page, machine: Any, X: Any, y: Any) -> None:
    """What the fit proved, how many of its examples are errors, and bounds for new ones."""
    known = describe(machine)
    assert known is not None
    _claims_of_fit(page, machine, X, y)
    counted = known.claims.keys() & {ErrorCount, TrainingErrors}  # By the fit itself.
    if known.learns == "classes" and not counted:
        if getattr(machine, "_multilabel", False):
            several = "an example has several labels: each output has its claims."
            page.refuse("TrainingErrors", several)
        else:
            errors_and_margins(page, machine, X, y)
    known.bounds(page, machine, X, y)


def _claims_of_fit(page: Page, machine: Any, X: Any, y: Any) -> None:
    """What the fit itself proved, which must be true of these examples. Its CompressionBound has a
    delta of its own: the machine's `bounds` make it again."""
    claims = machine.certificate_
    own = [claim for claim in claims if not isinstance(claim, CompressionBound)]
    page.refusals += claims.not_claimed
    verdict = claims.verify(X, y)
    wrong = next((f"{part.name}: {part.why}" for part in verdict.parts if not part), "")
    if wrong or not has_same_vectors(machine, X):
        error = OtherExamples(
            "certify needs the very examples of the fit, but a claim of the fit does not hold of X "
            f"and y: {wrong}"
            if wrong
            else OTHER_SUPPORTS
        )
        m = count(X)
        if any(getattr(claim, "examples", m) != m for claim in claims):
            raise error  # The pipeline's steps are not the reason.
        page.refuse_others(dict.fromkeys(claim.name for claim in own), error)
        return
    known = describe(machine)
    assert known is not None
    try:
        model = model_of(claims, machine)
    except ValueError:  # Its kernel is a Python function, which has no form to be compared in.
        model = None
    if model and (strange := strangers(claims, model, X, known.partly_claimed(machine))):
        raise ValueError(f"the model was changed after its fit. {strange[0]}")
    page.claims += own
