"""The likeliest Gaussian density by blocks: four passes, of which the last is for the claim."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from certo.certificates.base import CannotClaim
from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.facts import InputError
from certo.issue.by_blocks import gaussian_draft, issue_gaussian, totals_of
from certo.scale.blocks import MAX_SUMMED_COLUMNS, Block, Blocks
from certo.scale.first_look import BadRows, in_float64
from certo.words import blocks as sentences


class Ranges(NamedTuple):
    """Rows, sums of x − shift, and the least and greatest number of each column."""

    rows: int
    sums: np.ndarray
    low: np.ndarray
    high: np.ndarray

    def __add__(self, other: object) -> Ranges:
        assert isinstance(other, Ranges)
        return Ranges(
            self.rows + other.rows, self.sums + other.sums,
            np.minimum(self.low, other.low), np.maximum(self.high, other.high),
        )  # fmt: skip


def dense_rows(block: Block) -> np.ndarray:
    X = in_float64(block.X)
    if not isinstance(X, np.ndarray):
        raise BadRows(f"{block.place}: a Gaussian density takes dense examples.")
    return X


def ranges_of(block: Block, shift: np.ndarray) -> Ranges:
    X = dense_rows(block)
    if not np.all(np.isfinite(X)):
        raise BadRows(f"{block.place}: finite numbers are needed. Remove or impute such rows.")
    return Ranges(len(X), np.sum(X - shift, axis=0), X.min(axis=0), X.max(axis=0))


def products_of(block: Block, mean: np.ndarray, units: np.ndarray | None) -> np.ndarray:
    """Σ z zᵀ of z = x − mean, or of that in these units, and Σ z in a last row."""
    z = dense_rows(block) - mean
    z = z if units is None else z @ units
    return np.vstack([z.T @ z, z.sum(axis=0)])


class Moments(NamedTuple):
    mean: np.ndarray
    factor: np.ndarray
    covariance: np.ndarray


def fit(blocks: Blocks, kind: str) -> tuple[Moments, GaussianLikelihood]:
    """Mean, L and covariance as of a table in memory, and their claim; CannotClaim, where float64
    does not tell that the covariance is not singular."""
    m, d = blocks.shape
    if d > MAX_SUMMED_COLUMNS:
        raise InputError(sentences.too_many_columns, d, MAX_SUMMED_COLUMNS)
    shift = dense_rows(blocks.first())[0].copy()
    seen = blocks.total(ranges_of, shift)
    constant = np.flatnonzero(seen.low == seen.high).tolist()
    if constant:
        raise CannotClaim(f"column {constant[0]} (from 0) has the same value in all examples.")
    mean = shift + seen.sums / m
    first = blocks.total(products_of, mean, None)
    mean = mean + first[-1] / m  # What the rounding of the first sum has cost.
    second = first[:-1] / m
    if kind == "diagonal":
        variance = np.diag(second)
        found = Moments(mean, np.diag(1 / np.sqrt(variance)), np.diag(variance))
    else:
        found = _full(blocks, mean, second)
    draft = gaussian_draft(
        m, mean=found.mean, covariance=found.covariance, factor=found.factor, kind=kind
    )
    (total,) = totals_of(blocks, [draft])
    return found, issue_gaussian(draft, total)


def _full(blocks: Blocks, mean: np.ndarray, second: np.ndarray) -> Moments:
    """By Cholesky twice, the second time in the units of the first."""
    try:
        first = linalg.cholesky(second)
        units = linalg.solve_triangular(first, np.eye(len(first)))
        near = blocks.total(products_of, mean, units)[:-1] / len(blocks)
        triangle = linalg.cholesky(near) @ first
        factor = linalg.solve_triangular(triangle, np.eye(len(first)))
    except linalg.LinAlgError as wrong:
        raise CannotClaim("the covariance is singular in float64.") from wrong
    covariance = triangle.T @ triangle
    return Moments(mean, np.triu(factor), np.triu(covariance) + np.triu(covariance, 1).T)
