"""Errors of a rule, counted block by block: integers, which no addition rounds."""

from __future__ import annotations

import numpy as np

from certo.certificates.base import check_count, require
from certo.certificates.blocks.sums import BlockSum
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.training_errors import ErrorClaim, Examples


def terms(claim: ErrorClaim, sample: Examples, start: int, attempt: int) -> BlockSum:
    """How many are wrong, how many are ties, and how many there are of each class."""
    require(sample.X is not None, "answers that were written down are checked in memory.")
    wrong, ties = claim.predictor.wrong(sample.X, sample.codes)
    known = sample.codes[sample.codes >= 0]
    counts = {
        "errors": int(np.count_nonzero(wrong)),
        "ties": int(np.count_nonzero(ties)),
        "unknown": int(sample.codes.size - known.size),
        "classes": np.bincount(known, minlength=len(claim.labels.classes)),
    }
    return BlockSum(sample.codes.size, 0, counts)


def shown(claim: ErrorClaim, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    return claim._compared(total["errors"], total["ties"])


def shown_of_test(claim: TestErrors, total: BlockSum) -> str:
    """The same, and that the interval follows. Whether rows are copies of each other, or of rows of
    the fit, which would show that they are no independent draws, is not looked at: that needs all
    rows at once."""
    require(total["unknown"] == claim.unknown, f"{total['unknown']:,} labels are no class.")
    majority = int(np.max(total["classes"]))
    require(
        majority == claim.majority,
        f"{majority:,} examples are of the majority class, not {claim.majority:,}.",
    )
    why = shown(claim, total)
    claim._check_formulas()
    return f"{why} Both ends of the interval follow; copies of rows were not looked for."
