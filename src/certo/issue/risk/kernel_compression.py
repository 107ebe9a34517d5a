"""How KernelCompressionBound finds its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from certo.certificates.base import CannotClaim
from certo.certificates.errors.counted_errors import all_labels
from certo.certificates.risk.kernel_compression import (
    KernelCompressionBound,
    KernelRun,
    _examples,
    _readable,
)
from certo.certificates.risk.risk_bound import majority
from certo.certificates.risk.set_bound import set_bounds
from certo.issue.slack import SLACK_FACTOR
from certo.kernels.base import Kernel
from certo.numbers.rounded import NotShown


def issue_kernel_compression_bound(
    X,
    y,
    classes: Sequence[Any],
    kernel: Kernel,
    run: KernelRun,
    support: Sequence[np.ndarray],
    dual_coef: Sequence[np.ndarray],
    delta: float = 0.05,
) -> KernelCompressionBound:
    """The bound, from the examples and counts of each output; CannotClaim with the reason why
    none can be given."""
    labels, rows = all_labels(classes), [np.asarray(some, np.int64) for some in support]
    union = np.unique(np.concatenate(rows))
    table = np.zeros((len(rows), union.size))
    for line, some, coef in zip(table, rows, dual_coef, strict=True):
        line[np.searchsorted(union, some)] = coef
    sample = _examples(_readable(X, kernel), y, labels)
    m = sample.codes.size
    draft = KernelCompressionBound(
        labels=labels, delta=delta, majority=majority(sample.codes), updated=union, examples=m,
        errors=m - union.size, **set_bounds(m, union.size, m - union.size, delta),
        kernel=kernel, run=run, dual_coef=table,
    )  # fmt: skip
    try:
        draft._check_rerun(sample)
        wrong = draft._rule(sample.X).wrong(sample.X, sample.codes, SLACK_FACTOR).errors
    except NotShown as reason:
        raise CannotClaim(str(reason)) from reason
    errors = int(np.count_nonzero(wrong)) - int(np.count_nonzero(wrong[union]))
    bounds = set_bounds(m, union.size, errors, delta)
    return replace(draft, errors=errors, **bounds).of_draws(sample)
