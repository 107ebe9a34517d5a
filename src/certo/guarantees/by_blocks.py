"""certify, where examples come in blocks: the claims of the fit, checked again, and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from certo.certificates.base import Certificate
from certo.certificates.certified import Certified
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.errors.predictor import Predictor, StatedPredictions
from certo.estimators.description import describe
from certo.facts import InputError
from certo.guarantees.predicting import has_own_methods, predictor_of
from certo.guarantees.unwrapping import Wrapped, title_of
from certo.issue.by_blocks import issue_errors
from certo.scale.blocks import Blocks
from certo.scale.opening import as_blocks
from certo.words import blocks as sentences

NO_RULE = "by blocks, errors are counted of linear rules alone."
NO_DISTANCES = "by blocks, how far predictions are off on test rows is not claimed."
NOT_TESTED = "no test examples were given."
COPIES = (
    "Whether test rows are rows of the fit is not looked for where examples come in blocks: that "
    "they had no part in it is assumed."
)


def page_of_blocks(
    wrapped: Wrapped, model: Any, X: Any, y: Any, delta: float, X_test: Any, y_test: Any
) -> Certified:
    """The page; ValueError, where a claim of the fit does not hold of these blocks."""
    machine = wrapped.machine
    if wrapped.steps:
        raise ValueError(
            "certify takes no pipeline where examples come in blocks: encode the blocks, and "
            "certify the machine alone."
        )
    blocks = as_blocks(X, y)
    own = Composite(())
    if describe(machine) is not None and not has_own_methods(machine):
        own = machine.certificate_
        failed = [part for part in own.verify(blocks).parts if not part]
        if failed:
            raise InputError(sentences.other_examples, failed[0].name, failed[0].why)
    claims: list[Certificate] = [*own]
    refused, tested, not_tested = [*own.not_claimed], [], []
    asked = 0
    if is_classifier(machine):
        classes, rule = tuple(np.asarray(machine.classes_).tolist()), _rule(machine, blocks)
        if rule is None:
            refused.append(NotClaimed("TrainingErrors", NO_RULE))
        else:
            claims.append(issue_errors(blocks, classes, rule))
        if X_test is None:
            not_tested.append(NotClaimed("TestErrors", NOT_TESTED))
        elif rule is not None:
            asked = 1
            tested.append(issue_errors(as_blocks(X_test, y_test), classes, rule, delta))
    elif X_test is not None:
        not_tested.append(NotClaimed("TestDistances", NO_DISTANCES))
    return Certified(
        title_of(model), Composite(tuple(claims), tuple(refused)),
        Composite(tuple(tested), tuple(not_tested)), tuple(blocks.columns or ()), delta,
        wrapped.tried, None, (COPIES,) * bool(tested), asked,
    )  # fmt: skip


def _rule(machine: Any, blocks: Blocks) -> Predictor | None:
    rule = predictor_of(machine, np.zeros((1, blocks.shape[1])))
    return None if isinstance(rule, StatedPredictions) else rule
