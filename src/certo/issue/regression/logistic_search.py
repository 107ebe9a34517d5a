"""How a claim about a logistic risk finds its proof: what shows most, at reasonable cost."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy import sparse

from certo.blas import one_thread
from certo.certificates.regression.curvature import kept_part
from certo.certificates.regression.dependence import exact_columns, others
from certo.certificates.regression.factors import inverse_factor, pieces
from certo.certificates.regression.logistic_curvature import decrement, partial_stride
from certo.certificates.regression.logistic_idle import moves_nothing
from certo.issue.regression.idle_coordinates import idle_coordinates
from certo.issue.slack import SLACK_FACTOR
from certo.numbers.rounded import ABOVE, NotShown

if TYPE_CHECKING:
    from certo.certificates.regression.logistic_excess import LogisticExcess
    from certo.certificates.regression.logistic_terms import Point

FACTOR_ROUND_UP = 1 + 2.0**-16  # Allows for an inverse factor that is rounded in another way.
MAX_BOUND_LOSS = 2.0**-34  # Largest share of the bound lost where columns are nearly dependent.
MAX_PIECES_LOOKED_AT = 32  # Pieces of the rows that tell which combinations are near.
MAX_RIDGE_CURVATURE_DIM = 1200  # Coordinates; above that the ridge alone gives the bound.
MAX_CURVATURE_DIM = 4000  # Coordinates for which curvature is used where there is no ridge.
SHIFT = 1e-12  # Share of the diagonal added to a matrix that rounding made indefinite.
MAX_PARTIAL_SHARE = 2.0**-6  # Of the rounding of the risk, added to the gap by fewer rows.
MAX_GRAM_ERROR = 0.5  # Distance of a Gram matrix from the identity that needs no better factor.


class Basis(NamedTuple):
    """What is known beforehand of the columns, for a proof by curvature."""

    kept: np.ndarray
    combinations: tuple[tuple[Fraction, ...], ...]
    factor: np.ndarray | None


def best_proof(
    draft: LogisticExcess, point: Point, basis: Basis, enough: float
) -> tuple[LogisticExcess, float]:
    """The claim with the proof that shows most, and how far its point is above the infimum, with
    room for a checker; without a proof, if there is none. The ridge's proof, which costs least, is
    taken where it shows `enough`."""
    found = _by_ridge(draft, point) if draft.ridge and enough else (draft, math.inf)
    size = draft.vectors * basis.kept.size
    most = MAX_RIDGE_CURVATURE_DIM if draft.ridge else MAX_CURVATURE_DIM
    if not found[1] <= enough and size <= most and np.any(point.problem.counts):
        found = min(_by_curvature(draft, point, basis), found, key=lambda proof: proof[1])
    if draft.ridge and found[1] == math.inf:
        found = _by_ridge(draft, point)
    return found if found[1] < math.inf else (draft, 0.0)


def _by_ridge(draft: LogisticExcess, point: Point) -> tuple[LogisticExcess, float]:
    claim = replace(draft, proof="ridge")
    try:
        return claim, claim.excess(point, SLACK_FACTOR) * FACTOR_ROUND_UP
    except NotShown:
        return draft, math.inf


def _by_curvature(
    draft: LogisticExcess, point: Point, basis: Basis
) -> tuple[LogisticExcess, float]:
    fixed, ties = draft.fixed, draft.ties
    if not draft.ridge:  # With a ridge all coordinates have an effect.
        fixed, ties = idle_coordinates(point.problem, basis.kept)
    claim = replace(
        draft,
        proof="curvature",
        kept=basis.kept,
        combinations=basis.combinations,
        fixed=fixed,
        ties=ties,
        factors=_first_factors(draft.vectors, basis, fixed),
    )
    if not claim.coordinates:  # No coordinate moves a remaining score.
        claim, missed = _reaching(claim, point)
        return claim, missed * FACTOR_ROUND_UP
    known = basis.factor is not None and not fixed.size
    stride = partial_stride(claim.examples, claim.coordinates)
    rounding = SLACK_FACTOR * float(point.problem.shares @ point.terms.left_off)
    for part in dict.fromkeys((stride, 1)) if known else ():
        look = claim.hessian(point, stride=part)
        shown = decrement(point, look, SLACK_FACTOR)
        if shown.shown and shown.excess <= MAX_PARTIAL_SHARE * rounding:
            claim, missed = _reaching(claim, point)
            return claim, (shown.excess + missed) * FACTOR_ROUND_UP
    if not known:
        look = claim.hessian(point, coupled=False)
    for _ in range(4):
        grams = [look.gram[part, part] for part in look.parts]
        if known and all(np.linalg.norm(g - np.eye(len(g))) < MAX_GRAM_ERROR for g in grams):
            break
        better = [_inverse_factor(gram) for gram in grams]
        pairs = zip(claim.factors, better, strict=True)
        whiter = tuple(np.triu(T @ L) for T, L in pairs if L is not None)
        if len(whiter) < len(better):
            return draft, math.inf
        claim = replace(claim, factors=whiter)
        look, known = claim.hessian(point), True
    else:
        return draft, math.inf
    shown = decrement(point, look, SLACK_FACTOR)
    if not shown.shown:
        return draft, math.inf
    claim, missed = _reaching(claim, point)
    return claim, (shown.excess + missed) * FACTOR_ROUND_UP


def _reaching(claim: LogisticExcess, point: Point) -> tuple[LogisticExcess, float]:
    """The claim about all coefficients, or about those that cost MAX_BOUND_LOSS; and the cost."""
    problem, kept = point.problem, claim.kept
    if kept.size == problem.columns and not claim.fixed.size:
        return claim, 0.0
    if not moves_nothing(problem, kept, claim.fixed, claim.ties):
        return claim, math.inf
    same = exact_columns(problem.sample, kept, claim.combinations, problem.lifted, problem.left)
    nearly = others(kept, problem.sample.d)[~same]
    if not nearly.size:
        return claim, 0.0
    claim = _nearer(replace(claim, nearly=nearly, reach=1.0), point)
    try:
        once = claim.lost(point, SLACK_FACTOR)
    except NotShown:
        return claim, math.inf
    return replace(claim, reach=MAX_BOUND_LOSS / max(once, 2.0**-200)), MAX_BOUND_LOSS * ABOVE**2


def _nearer(claim: LogisticExcess, point: Point) -> LogisticExcess:
    """The same with better combinations, where they are not exact: corrected by the least squares
    of what they miss, weighted so that the factor of the first class whitens the columns."""
    problem, terms = point.problem, point.terms
    if claim.fixed.size:
        return claim
    rest, T = others(claim.kept, problem.sample.d), claim.factors[0]
    weights = problem.shares * terms.shares[:, 0] * terms.others[:, 0]
    lines = np.array(claim.combinations, dtype=np.float64)
    gram, product = np.zeros_like(T), np.zeros((len(T), rest.size))
    looks = list(pieces(problem.sample.m, problem.sample.d))
    with one_thread():
        for start, stop in looks[:: 1 + len(looks) // MAX_PIECES_LOOKED_AT]:
            rows = kept_part(problem.sample, start, stop, claim.kept, problem.lifted, None)
            part = problem.sample.part(start, stop)[:, rest]
            missed = (part.toarray() if sparse.issparse(part) else part) - rows @ lines.T
            Z = rows @ T
            heavy = weights[start:stop, None] * Z
            gram += heavy.T @ Z
            product += heavy.T @ missed
    better = lines + (T @ np.linalg.lstsq(gram, product)[0]).T
    return replace(
        claim,
        combinations=tuple(
            tuple(map(Fraction, new.tolist())) if j in claim.nearly else old
            for j, old, new in zip(rest.tolist(), claim.combinations, better, strict=True)
        ),
    )


def _first_factors(vectors: int, basis: Basis, fixed: np.ndarray) -> tuple[np.ndarray, ...]:
    """Factors of the parts of the classes, from one of all of them."""
    r, factor = basis.kept.size, basis.factor
    if factor is None or fixed.size:
        free = np.setdiff1d(np.arange(vectors * r), fixed) // max(r, 1)
        return tuple(np.eye(int(np.count_nonzero(free == k))) for k in range(vectors))
    if vectors == 1:
        return (np.asarray(factor),)
    parts = np.split(np.linalg.inv(factor), vectors, axis=1)
    found = [_inverse_factor(part.T @ part) for part in parts]
    return tuple(np.eye(r) if L is None else L for L in found)


def _inverse_factor(gram: np.ndarray) -> np.ndarray | None:
    """L with LᵀGL = I, or, where G is positive but for rounding, nearly so."""
    if not len(gram):
        return gram
    found = inverse_factor(gram)
    return found if found is not None else inverse_factor(gram + np.diag(SHIFT * np.diag(gram)))
