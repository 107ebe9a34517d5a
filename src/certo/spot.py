r"""A look at some of the rows that a SoftMarginGap is about: a spot check, not a proof.

To check such a claim of a machine with a kernel takes a kernel value for every row and support. Let
β = α·y be its multipliers, f = Σ β_i K(x_i, ·), s = Σ β_t, and c_t what slack costs. The gap is a
sum over rows,

    P(f, b) − D(α)  =  Σ_t g_t + {½(b − s)² if lifted},
    g_t  =  c_t [1 − y_t (f(x_t) + b)]₊ + β_t (f(x_t) + b) − α_t ,

since ‖f‖² = Σ β_t f(x_t), and b·s is 0 where b is free or there is none. And every g_t is at least
0: c_t [1 − m]₊ ≥ α_t (1 − m) for any margin m, as 0 ≤ α_t ≤ c_t. So

- that the multipliers are feasible is checked for all rows, exactly;
- where the g_t of some rows, less what rounding may have added, already exceed the claimed gap, the
  claim is refuted, and that is a proof;
- m times the mean g_t of rows drawn at random estimates the gap without bias. The estimate says how
  likely the claim is true; it proves nothing.

Scores have the slack that `certificates.spaces.images` derives.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from certo.certificates.base import Refuted
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.spaces.images import Images, scores_at
from certo.facts import InputError
from certo.words import refusals

DOUBTFUL_ERRORS = 4.0  # So many standard errors above the claimed gap speak against a claim.


@final
@dataclass(frozen=True)
class SpotCheck:
    """What the rows that were looked at say of a claim.

    Attributes
    ----------
    rows : int
        How many rows were looked at.
    of : int
        How many there are.
    seed : int
        They were drawn with it.
    estimate, error : float
        The gap between primal and dual, estimated from these rows, and its standard error.
    gap : float
        That of the claim.
    reason : str
        Why the claim is refuted; empty, if it is not.
    seconds : float
    """

    rows: int
    of: int
    seed: int
    estimate: float
    error: float
    gap: float
    reason: str
    seconds: float

    @property
    def refuted(self) -> bool:
        """Whether the claim is shown to be false."""
        return bool(self.reason)

    @property
    def doubtful(self) -> bool:
        """Whether the estimate is far above the claimed gap."""
        return not self.refuted and self.estimate - DOUBTFUL_ERRORS * self.error > self.gap

    def __bool__(self) -> bool:
        raise TypeError(
            "a spot check proves nothing, so it is neither true nor false: read refuted and "
            "doubtful, or verify the claim."
        )

    def __str__(self) -> str:
        if self.refuted:
            return f"SoftMarginGap DOES NOT HOLD: {self.reason}"
        if self.rows == self.of:
            drawn, trust = "all", ""
        else:
            drawn = f"{self.rows:,} drawn at random (seed {self.seed})"
            trust = (
                f", with a standard error of {self.error:.2g}"
                if 0 < self.error < np.inf
                else "; they are too few or too alike for a standard error"
            )
        looked = (
            f"Spot check, not a proof: of {self.of:,} rows, {drawn} were scored anew. From them "
            f"the gap is estimated to be {self.estimate:.4g}{trust}. Claimed is at most "
            f"{self.gap:.4g}."
        )
        if self.doubtful:
            return f"{looked} That speaks against the claim: verify it on all rows."
        return (
            f"{looked} Nothing was found against the claim. That the multipliers are feasible was "
            "checked for all rows."
        )

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        numbers = {
            name: None if isinstance(value, float) and not np.isfinite(value) else value
            for name, value in vars(self).items()
        }
        return {**numbers, "refuted": self.refuted, "doubtful": self.doubtful}


def spot_check(
    claim: SoftMarginGap | Iterable[Any], X, y, *, rows: float = 10_000, seed: int = 0
) -> SpotCheck:
    """Look at some rows of a claim about a machine with a kernel, or of the one such claim of a
    certificate.

    Parameters
    ----------
    claim : SoftMarginGap, or a certificate with one
    X, y
        The examples of the fit, all of them.
    rows : int, or float below 1
        How many rows to draw, or which share of them.
    seed : int

    Returns
    -------
    SpotCheck

    Examples
    --------
    >>> import numpy as np
    >>> from certo import SVM, spot_check
    >>> from certo.kernels import Gaussian
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = (X**2).sum(axis=1) > 1.5
    >>> found = spot_check(SVM(Gaussian(1.0)).fit(X, y).certificate_, X, y, rows=100)
    >>> found.refuted, found.doubtful
    (False, False)
    """
    start = time.perf_counter()
    claim = _only(claim)
    sample = claim._sample(claim._read(X), y)
    claim = claim.within(sample)
    size = min(sample.m, _count(rows, sample.m))
    try:
        if sample.m != claim.examples:
            raise Refuted(f"it is about {claim.examples:,} examples, but X has {sample.m:,}.")
        costs = claim._costs(sample)
    except Refuted as wrong:
        return SpotCheck(0, sample.m, seed, np.nan, np.nan, claim.gap, str(wrong), _since(start))
    some = np.sort(np.random.default_rng(seed).choice(sample.m, size, replace=False))
    kernel, b = sample.kernel, claim.intercept
    centres = kernel.points(sample.X, claim.rows)
    found = scores_at(
        kernel, kernel.points(sample.X, some), centres, claim.dual_coef[None], np.array([b])
    )
    beta = np.zeros(sample.m)
    beta[claim.rows] = claim.dual_coef
    beta, c, signs = beta[some], costs[some], sample.signs[some]
    score, slack = found.value[:, 0], found.slack[:, 0]
    hinge = np.maximum(0.0, 1.0 - signs * score)
    parts = c * hinge + beta * score - np.abs(beta)
    off = (c + np.abs(beta)) * slack + 2.0**-49 * (c * (1 + np.abs(score)) + np.abs(beta * score))
    reason = ""
    if np.sum(np.maximum(parts - off, 0.0)) * (1 - 2.0**-40) > claim.gap:
        reason = (
            f"the shares of {size:,} rows alone add up to more than the claimed gap of "
            f"{claim.gap:.6g}."
        )
    left = np.sqrt(max(0.0, 1 - size / sample.m))
    error = sample.m * left * float(np.std(parts, ddof=1)) / np.sqrt(size) if size > 1 else np.inf
    extra = 0.5 * (b - float(np.sum(claim.dual_coef))) ** 2 if claim.treatment == "lifted" else 0.0
    estimate = sample.m * float(np.mean(parts)) + extra
    return SpotCheck(size, sample.m, seed, estimate, float(error), claim.gap, reason, _since(start))


def _only(claim: Any) -> SoftMarginGap:
    claims = [claim] if isinstance(claim, SoftMarginGap) else list(claim)
    fitting = [
        one for one in claims if isinstance(one, SoftMarginGap) and isinstance(one.space, Images)
    ]
    if len(fitting) != 1 or fitting[0].space.kernel.takes != "vectors":
        raise ValueError(
            "a spot check needs one claim SoftMarginGap of a machine with a kernel of vectors, got "
            f"{len(fitting)} of them among {len(claims)}. Others are quick to verify, or are "
            "given one by one."
        )
    return fitting[0]


def _count(rows: float, m: int) -> int:
    """How many rows: a share of m, or their number."""
    if isinstance(rows, bool) or not rows > 0 or (rows >= 1 and rows != int(rows)):
        raise InputError(refusals.no_row_count, rows)
    return max(1, round(rows * m)) if rows < 1 else int(rows)


def _since(start: float) -> float:
    return time.perf_counter() - start


__all__ = ["SampleMismatch", "SpotCheck", "spot_check"]
