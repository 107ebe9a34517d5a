"""Whether claims belong to a model: decided here for `certify` and for audits.

A true claim about other weights, other settings or fewer outputs proves nothing of a model. What
the claims must speak of, and which settings they depend on, is said by the machine's `Description`;
how numbers are compared is `certificates.model`, which the auditor's checker shares.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate
from certo.certificates.model import parts_of, strangers
from certo.certificates.sample.examples import exact_matrix
from certo.containers import count
from certo.estimators.description import describe
from certo.issue.model import model_of

OTHER_SETTINGS = "speaks of a fit with other settings than the model's."
OTHER_VECTORS = "The support vectors of the model are not the rows of the table."
OTHER_CLASSES = "The supports of the model are of other classes than the rows of the table."


def objections(
    claims: Iterable[Certificate], machine: Any, X: Any, y: np.ndarray | None
) -> list[str]:
    """How claims are not about this machine and these examples; none, if they are. Without the
    examples (None) a machine that is made of some of them is not theirs."""
    claims, known = list(claims), describe(machine)
    assert known is not None
    wrong = objections_to_fit(claims, machine, X, y)
    wrong += strangers(claims, model_of(claims, machine), X)
    wrong += [
        f"{claim.name} {OTHER_SETTINGS}"
        for claim in claims
        if known.may_be_claimed(claim) and not known.is_same_fit(claim, machine, y)
    ]
    wrong += [OTHER_VECTORS] * (not has_same_vectors(machine, X))
    return wrong + [OTHER_CLASSES] * (not has_same_classes(machine, y))


def objections_to_fit(
    claims: Iterable[Certificate], machine: Any, X: Any, y: np.ndarray | None
) -> list[str]:
    """How what a fit claims is not what this machine's would be: kinds, target, settings, values,
    outputs left out. (Some settings, like balanced weights, mean something for given labels only.)
    """
    known = describe(machine)
    assert known is not None
    parts = [part for claim in claims for part in parts_of(claim)]
    own = [part for part in parts if not known.may_be_claimed(part)]
    spoken_of = model_of(own, machine, known.spoken_of(machine))
    wrong = strangers(own, spoken_of, X, known.partly_claimed(machine))
    for claim in own:
        if type(claim) not in known.claims:
            wrong.append(f"{claim.name} is nothing that {known.kind.__name__} claims.")
        elif known.claims_all_outputs and claim.labels != known.target_of(machine):
            wrong.append(f"{claim.name} is about another target than the model's.")
        elif not known.is_same_fit(claim, machine, y):
            wrong.append(f"{claim.name} {OTHER_SETTINGS}")
    return wrong


def objections_to_one(
    claim: Certificate, machine: Any, X: Any, y: np.ndarray | None
) -> list[str]:  # fmt: skip
    """The same for one claim alone, which need not speak of all that the model holds."""
    known, spoken_of = describe(machine), model_of([claim], machine)
    assert known is not None
    wrong = strangers([claim], spoken_of, X, partly=spoken_of.numbers)
    return wrong + [f"{claim.name} {OTHER_SETTINGS}"] * (not known.is_same_fit(claim, machine, y))


def has_same_vectors(machine: Any, X: Any) -> bool:
    """Claims speak of rows of X; the vectors that predictions use must be these rows. Of objects,
    whatever they are, texts alone are compared."""
    kernel = getattr(machine, "kernel_", None)
    if kernel is None or kernel.takes == "matrix":
        return True
    if X is None:
        return False
    rows, vectors = machine.support_, machine.support_vectors_
    if rows.size != count(vectors) or (rows.size and rows[-1] >= count(X)):
        return False
    if kernel.takes == "objects":
        own = zip([X[row] for row in rows.tolist()], vectors, strict=True)
        return all(one == other for one, other in own if isinstance(one, str))
    return are_equal_rows(exact_matrix(X)[rows], vectors)


def has_same_classes(machine: Any, y: np.ndarray | None) -> bool:
    """Whether the supports are of the classes that the machine counts them in."""
    codes = getattr(machine, "_support_classes", None)
    if codes is None or not codes.size or y is None:
        return codes is None or not codes.size
    if machine.support_[-1] >= len(y):  # That is told elsewhere.
        return True
    known = codes >= 0
    return np.array_equal(machine.classes_[codes[known]], np.asarray(y)[machine.support_[known]])


def are_equal_rows(own: Any, vectors: Any) -> bool:
    """Whether two matrices, dense or sparse, hold the same numbers."""
    if sparse.issparse(own) or sparse.issparse(vectors):
        different = sparse.csr_array(own) != sparse.csr_array(vectors)
        return own.shape == vectors.shape and different.nnz == 0
    return np.array_equal(own, vectors)
