"""How a claim about a logistic risk finds its proof: what shows most, at reasonable cost."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from certo.certificates.base import Refuted
from certo.certificates.curvature import inverse_factor
from certo.certificates.logistic_idle import idle_coordinates
from certo.certificates.rounded import ABOVE

if TYPE_CHECKING:
    from certo.certificates.logistic_excess import LogisticExcess, Point

ROOM = 4  # allowances of the claim, in those of the checker, who may add in another order
ALIKE = 1 + 2.0**-16  # what else may differ: an inverse factor that was rounded in another way
LOSS = 2.0**-34  # of the bound, at most, where columns are nearly combinations of others
MOST = 1200  # coordinates for which curvature is looked at, if there is a ridge to fall back on,
MOST_EVER = 4000  # and if there is none
SHIFT = 1e-12  # of its diagonal, added to a matrix that rounding has made indefinite
NEAR_ONE = 0.5  # a Gram matrix that is so near the identity needs no better factor


class Basis(NamedTuple):
    """What is known beforehand of the columns, for a proof by curvature."""

    kept: np.ndarray
    combinations: tuple[tuple[Fraction, ...], ...]
    factor: np.ndarray | None
    reach: float | None


def best_proof(draft: LogisticExcess, point: Point, basis: Basis) -> tuple[LogisticExcess, float]:
    """The claim with the proof that shows most, and how far its point is above the infimum, with
    room for a checker; without a proof, if there is none."""
    found = (draft, math.inf)
    size, most = draft.vectors * basis.kept.size, MOST if draft.ridge else MOST_EVER
    if 0 < size <= most and np.any(point.problem.counts):
        found = _by_curvature(draft, point, basis)
    if draft.ridge and found[1] == math.inf:
        found = _by_ridge(draft, point)
    return found if found[1] < math.inf else (draft, 0.0)


def _by_ridge(draft: LogisticExcess, point: Point) -> tuple[LogisticExcess, float]:
    claim = replace(draft, proof="ridge")
    try:
        return claim, claim.excess(point, ROOM) * ALIKE
    except Refuted:
        return draft, math.inf


def _by_curvature(
    draft: LogisticExcess, point: Point, basis: Basis
) -> tuple[LogisticExcess, float]:
    fixed, ties = draft.fixed, draft.ties
    if not draft.ridge:  # with one, all coordinates have an effect
        fixed, ties = idle_coordinates(point.problem, basis.kept)
    claim = replace(
        draft,
        proof="curvature",
        kept=basis.kept,
        combinations=basis.combinations,
        reach=basis.reach,
        fixed=fixed,
        ties=ties,
        factors=_first_factors(draft.vectors, basis, fixed),
    )
    known = basis.factor is not None and not fixed.size
    look = claim.hessian(point, coupled=known)
    for _ in range(4):
        if known and all(np.linalg.norm(g - np.eye(len(g))) < NEAR_ONE for g in look.diagonal):
            break
        better = [_inverse_factor(gram) for gram in look.diagonal]
        pairs = zip(claim.factors, better, strict=True)
        whiter = tuple(np.triu(T @ L) for T, L in pairs if L is not None)
        if len(whiter) < len(better):
            return draft, math.inf
        claim = replace(claim, factors=whiter)
        look, known = claim.hessian(point), True
    else:
        return draft, math.inf
    shown = claim.decrement(point, look, ROOM)
    if not shown.shown:
        return draft, math.inf
    claim, missed = _reaching(claim, point)
    return claim, (shown.excess + missed) * ALIKE


def _reaching(claim: LogisticExcess, point: Point) -> tuple[LogisticExcess, float]:
    """The claim about all coefficients, or as far as that costs LOSS; and what it costs."""
    try:
        return claim, claim.missed(point)
    except Refuted:
        if not claim.combinations or claim.reach is not None:
            return claim, math.inf
    try:
        once = replace(claim, reach=1.0).missed(point)  # and so much for each further 1
        claim = replace(claim, reach=LOSS / max(once, 2.0**-200))
        return claim, LOSS * ABOVE
    except Refuted:
        return claim, math.inf


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
