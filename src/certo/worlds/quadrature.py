"""Integrals over a line and over a plane: Gauss and Legendre's rule on panels.

Functions that are smooth between known points are integrated to the last digits, and that is
checked by halving every panel. The side of a rule changes at unknown points: these are found by
bisection, so that what is integrated is smooth between them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

Array = np.ndarray

AGREEMENT = 1e-11  # Largest difference between two rules whose result is taken for exact.
BISECTIONS = 48  # Halvings of an interval in which a rule changes its side.
MAX_HALVINGS = 40  # Halvings of a panel whose integral is not yet known well enough.
FIRST_PANELS = 16


def _on_unit_interval(n: int) -> tuple[Array, Array]:
    nodes, weights = np.polynomial.legendre.leggauss(n)
    return (nodes + 1) / 2, weights / 2


def _lobatto(n: int, last: int) -> tuple[Array, Array, Array]:
    """Nodes and weights on [0, 1], and the matrix that gives the `last` Legendre coefficients of
    the polynomial through n values."""
    inner = np.polynomial.Legendre.basis(n - 1).deriv().roots()
    nodes = np.concatenate([[-1.0], inner, [1.0]])
    values = np.polynomial.legendre.legvander(nodes, n - 1)
    weights = 1 / (n * (n - 1) * values[:, -1] ** 2)
    return (nodes + 1) / 2, weights, np.linalg.inv(values).T[:, -last:]


PANEL_RULE = _on_unit_interval(12)
SHORT_RULE = _on_unit_interval(4)  # For panels so short that it is exact but for rounding.
LOBATTO_NODES, LOBATTO_WEIGHTS, LAST_COEFFICIENTS = _lobatto(12, last=3)


def integral(f: Callable[[Array], Array], edges: Array) -> Array:
    """∫ f over the panels between these points, increasing along the last axis, between which f is
    smooth; the other axes are those of the result. f takes points (…, panels, nodes).

    Raises ArithmeticError if halving every panel changes a result by more than `AGREEMENT`: then f
    is not smooth where it was said to be.
    """
    edges = np.asarray(edges, dtype=np.float64)
    finer = np.sort(np.concatenate([edges, (edges[..., 1:] + edges[..., :-1]) / 2], axis=-1))
    coarse, fine = (
        panel_integrals(f, points[..., :-1], points[..., 1:]).sum(axis=-1)
        for points in (edges, finer)
    )
    if not np.all(np.abs(fine - coarse) <= AGREEMENT * np.maximum(1.0, np.abs(fine))):
        raise ArithmeticError(
            f"halving the {edges.shape[-1] - 1} panels changes the integral from {coarse!r} to "
            f"{fine!r}: the function is not smooth between the points given."
        )
    return fine


def panel_integrals(
    f: Callable[[Array], Array], left: Array, right: Array, rule=PANEL_RULE
) -> Array:
    """∫ f over each panel from `left` to `right`; f takes points (…, nodes)."""
    nodes, weights = rule
    width = (right - left)[..., None]
    return np.sum(weights * width * f(left[..., None] + nodes * width), axis=-1)


def adaptive_integral(
    f: Callable[[Array], Array],
    low: float,
    high: float,
    tol: float,
    *,
    breaks=(),
    panels: int = FIRST_PANELS,
) -> float:
    """∫ f from low to high, about to `tol`, for a function that may jump: ±inf or NaN where f is.

    Panels are halved, all that need it at once, until the last Legendre coefficients of f on a
    panel, which do not fall where f has a kink or jumps, make up a share of `tol`. The ends of a
    panel are nodes (Lobatto's rule), so that a jump beside an end is seen. What lies between two
    nodes of a first panel, at most a seventh of its length apart, is not seen; a caller who knows
    where f changes gives these places as `breaks`, at which panels end.
    """
    edges = np.union1d(np.linspace(low, high, panels + 1), np.clip(breaks, low, high))
    left, right = edges[:-1], edges[1:]
    total = 0.0
    for _ in range(MAX_HALVINGS):
        width = right - left
        values = f(left[:, None] + LOBATTO_NODES * width[:, None])
        whole = width * (values @ LOBATTO_WEIGHTS)
        if not np.all(np.isfinite(whole)):
            return total + float(np.sum(whole))
        tail = width * np.sum(np.abs(values @ LAST_COEFFICIENTS), axis=1)
        rough = tail > tol / 8  # A jump leaves a panel of every width rough: a geometric series.
        total += float(np.sum(whole[~rough]))
        if not rough.any():
            return total
        middle = (left + right)[rough] / 2
        left, right = np.append(left[rough], middle), np.append(middle, right[rough])
    return total + float(np.sum(whole[rough]))


class Changes(NamedTuple):
    """Where a rule changes its side on lines, found by bisection."""

    side: Array  # (lines, n), of the rule at the points
    where: tuple[Array, ...]  # the line, and the point before the change
    low: Array  # the last place of each change at which the side is that before it, to 2⁻⁴⁸
    before: Array  # the side before each change


def side_changes(rule: Callable[[Array, Array], Array], points: Array, line: Array) -> Changes:
    """The changes between neighbours among the points of each line, at most one for each pair."""
    side = rule(points, np.broadcast_to(line[:, None], points.shape))
    where = np.nonzero(side[:, 1:] != side[:, :-1])
    low, high = points[:, :-1][where], points[:, 1:][where]
    before, place = side[:, :-1][where], line[where[0]]
    for _ in range(BISECTIONS if low.size else 0):
        middle = (low + high) / 2
        same = rule(middle, place) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return Changes(side, where, low, before)


def sides_integral(
    f: Callable[[Array, Array, Array], Array],
    rule: Callable[[Array, Array], Array],
    points: Array,
    line: Array,
) -> Array:
    """For each line, ∫ f(x, side, line) dx, where `side` is the answer of the rule at x.

    Parameters
    ----------
    f : function of points x, of the side of the rule there, and of the line, elementwise
    rule : function of points and lines: True or False
    points : (lines, n) array, increasing in each row
        f is smooth between neighbours for either side, and the rule changes its side at most
        once there.
    line : (lines,) array, what tells one line from another
    """
    whole = np.broadcast_to(line[:, None], points.shape)
    side, changes, low, before = side_changes(rule, points, line)
    left, right = points[:, :-1], points[:, 1:]
    place = line[changes[0]]

    def piece(a: Array, b: Array, its_side: Array, its_line: Array) -> Array:
        return panel_integrals(
            lambda x: f(x, its_side[..., None], its_line[..., None]), a, b, SHORT_RULE
        )

    cut = right.copy()
    cut[changes] = low
    found = piece(left, cut, side[:, :-1], whole[:, 1:]).sum(axis=1)
    np.add.at(found, changes[0], piece(low, right[changes], ~before, place))
    return found
