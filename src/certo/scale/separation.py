"""Separability by blocks: decided for some of the rows, and checked with all of them.

Rows that no hyperplane separates are a proof about all. A hyperplane that separates some is looked
at in a pass over all; the rows that it has on the wrong side join the others, and the question is
asked again. Each time at least one row is new, so that it ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from certo.certificates.blocks.sums import BlockSum, Sums, Top
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.vectors import Margins
from certo.issue.runs.by_blocks import issue_separable, least_margin
from certo.scale.blocks import Block, Blocks
from certo.solvers.interrupt import Watch

FIRST_ROWS = 20  # Rows that are looked at first, for each column, at least,
MIN_FIRST_ROWS = 2000  # and in all.
ADDED_ROWS = 64  # Rows of a block that join at most, those that are most wrong.
MAX_JOINED_NUMBERS = 2**24  # Numbers in the rows that are decided about together: 128 MB.

Decide = Callable[[Sample, Labels, str, Watch], Separable | Inseparable]


def wrong_rows(
    block: Block, labels: Labels, coef: np.ndarray, intercept: float, known: np.ndarray
) -> Sums:
    """The least margin in a block, as `least_margin` gives it; and rows that may be on the wrong
    side, other than those `known`, with their margins."""
    sample = Sample(exact_matrix(block.X), labels.signs(block.y))
    margins = Margins.of(sample, coef, intercept)
    doubtful = np.flatnonzero(~(margins.value > margins.slack))
    doubtful = doubtful[~np.isin(block.start + doubtful, known)]
    worst = doubtful[np.argsort(margins.value[doubtful], kind="stable")[:ADDED_ROWS]]
    found = [(block.start + worst, margins.value[worst])] if worst.size else []
    least = 0.0 if worst.size else least_margin(margins)
    return Sums([BlockSum(block.rows, 0, {"below": Top(-least), "wrong": found})])


def separable_or_not(
    blocks: Blocks, labels: Labels, intercept: str, rng: np.random.Generator, watch: Watch,
    decide: Decide,
) -> Separable | Inseparable:  # fmt: skip
    """The verdict about two classes of which both are there."""
    m, d = blocks.shape
    size = min(m, max(MIN_FIRST_ROWS, FIRST_ROWS * (d + 1)))
    rows = np.arange(m) if size == m else np.unique(rng.integers(0, m, size))
    while True:
        watch()
        X, y = blocks.pick(rows)
        verdict = decide(Sample(exact_matrix(X), labels.signs(y)), labels, intercept, watch)
        if isinstance(verdict, Inseparable):
            return replace(verdict, examples=m, vectors=rows[verdict.vectors])
        coef, bias = np.asarray(verdict.coef), float(np.asarray(verdict.intercept))
        with blocks.stopping(watch.stop):
            (total,) = blocks.total(wrong_rows, labels, coef, bias, rows)
        if not (wrong := total["wrong"]):
            return issue_separable(labels, m, coef, bias, -float(total["below"]))
        margins = np.concatenate([values for _, values in wrong])
        most = np.argsort(margins, kind="stable")[: max(ADDED_ROWS, rows.size)]
        rows = np.union1d(rows, np.concatenate([found for found, _ in wrong])[most])
        if rows.size * d > MAX_JOINED_NUMBERS:
            raise ArithmeticError(
                f"separability was not decided by {rows.size:,} rows, and more are not looked at "
                "together where examples come in blocks. The classes nearly touch: fit a machine, "
                "and take what it proves."
            )
