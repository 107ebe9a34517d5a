"""Separable and Inseparable by blocks.

Separable says something of every example by itself: the check of a block is that of a table in
memory which has these rows alone. Inseparable is about few rows: those of a block are put aside,
and at the end the check is that of a table in memory which has them alone. Which they are is told
by their numbers among all rows, so that blocks must come in the order of the rows.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from certo.certificates.base import check_count, require
from certo.certificates.blocks.sums import BlockSum
from certo.certificates.encoding import counted
from certo.certificates.sample.examples import Sample
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.certificates.separation.separation import slots_of

MAX_KEPT_ROWS = 2**16  # Rows of a witness; there are hardly more than features.


def require_form(claim: Separable | Inseparable) -> None:
    against = getattr(claim.labels, "against", None)
    require(against is None, "of blocks, a claim about all classes is needed, not about a pair.")


def terms(claim: Separable, sample: Sample, start: int, attempt: int) -> BlockSum:
    require_form(claim)
    replace(claim, examples=sample.m)._check(sample)
    return BlockSum(sample.m, 0, {})


def shown(claim: Separable, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    return f"all {counted(total.rows, 'example')} are strictly on their own side."


def terms_of_witness(claim: Inseparable, sample: Sample, start: int, attempt: int) -> BlockSum:
    require_form(claim)
    require(sample.d == claim.features, f"the claim is about {claim.features:,} features.")
    rows = np.unique(claim.rows)
    require(rows.size <= MAX_KEPT_ROWS, f"a witness of {rows.size:,} rows is checked in memory.")
    here = rows[np.searchsorted(rows, start) : np.searchsorted(rows, start + sample.m)]
    kept = [(start, sample.X[here - start], sample.signs[here - start])] if here.size else []
    return BlockSum(sample.m, 0, {"kept": kept})


def shown_of_witness(claim: Inseparable, total: BlockSum) -> str:
    check_count(claim.examples, total.rows)
    rows, kept = np.unique(claim.rows), total["kept"]
    parts = [X for _, X, _ in kept]
    require(sum(X.shape[0] for X in parts) == rows.size, "a row is named that is not there.")
    X = sparse.vstack(parts, format="csr") if sparse.issparse(parts[0]) else np.vstack(parts)
    signs = np.concatenate([signs for *_, signs in kept])
    slots = slots_of(claim.labels)
    vectors = np.searchsorted(rows, claim.rows) * slots + claim.vectors % slots
    return replace(claim, examples=rows.size, vectors=vectors)._check(Sample(X, signs))
