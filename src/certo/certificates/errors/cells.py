r"""The least weight of errors over all hyperplanes, by looking at every cell, in low dimension.

The hyperplanes {w : w·z_g = 0} of the groups (see `least_errors`) cut the space of the w into open
cells, and one cell is as good as another w of it; a w on a boundary may be moved into a cell
without a new error. Let the z have rank r ≥ 2, in r coordinates. Then a cell is a cone without
lines, so it has a facet, on the hyperplane of some z_p. On both sides of that facet lie cells that
differ in p alone; the better one has p right. So, with A^p the vectors other than z_p, restricted
to z_p^⊥,

    least(A) = min_p least(A^p),        least(A) = 0 for r = 1 (one group: one line).

In A^p some vectors may have come to lie on one line; they are grouped again. At r = 2 the w are the
angles of a circle: sort the lines by angle, and running sums of the weights give all cells.

Of the facets of a cell take the one with the smallest p. The facets of that facet are on lines of
A^p with some member beyond p: only those need a look there, which halves the work at every level.
So for rank r and n groups about n^{r−1}/(r−2)! numbers are sorted.

Arithmetic. Where the vectors are small integers all of it is exact, ties too. Otherwise each
rounded coordinate comes with a bound on its error, lines whose order or side is not certain are
taken to be right, or ordered in the most favourable way (so that the sum is a lower bound), and
where that is not enough to exclude fewer errors than known, integers of any size decide.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from certo.numbers.exact import UNIT

MAX_SORTED_NUMBERS = 3e9  # Numbers to sort, which takes some ten minutes.
SORT_BLOCK_NUMBERS = 2**16  # Numbers sorted at a time, so that they stay in the cache.


class Found(NamedTuple):
    """The least weight of errors, and the vectors that are right in a cell that attains it (None:
    no cell was found to be better than the value known before)."""

    value: int
    right: list[int] | None


def work(groups: int, rank: int) -> int:
    """About how many numbers are sorted: an integer, since it may be beyond float64."""
    return groups ** max(rank - 1, 0) // math.factorial(max(rank - 2, 0))


def coarse(weights: list[int]) -> tuple[list[int], int]:
    """Weights in units so large that their sums are exact in float64, rounded down, and the unit.
    Errors weigh at least the unit times what they weigh then."""
    unit = 1 << max(0, sum(weights).bit_length() - 50)
    return [weight // unit for weight in weights], unit


def independent_columns(vectors: list[list[int]]) -> list[int]:
    """Columns that are independent and of which all others are combinations: the pivots of an
    exact elimination. Scores with the other coordinates of w zero are all the scores there are."""
    basis: dict[int, list[int]] = {}
    for vector in vectors:
        if len(basis) == len(vector):
            break
        rest = vector
        for pivot, row in sorted(basis.items()):
            if rest[pivot]:
                rest = [row[pivot] * a - rest[pivot] * b for a, b in zip(rest, row, strict=True)]
        divisor = math.gcd(*rest)
        if divisor:
            rest = [entry // divisor for entry in rest]
            basis[next(j for j, entry in enumerate(rest) if entry)] = rest
    return sorted(basis)


def coordinates(vectors: list[list[int]]) -> list[list[int]]:
    """The same problem in as few and as small coordinates: scores stay what they can be when a
    column is moved by a multiple of the last (the intercept's, if there is one: the data are
    shifted), divided by a number, or left out as a combination of others."""
    if not vectors or not vectors[0]:
        return []
    columns = [list(column) for column in zip(*vectors, strict=True)]
    last = columns[-1]
    if last[0] and len(set(map(abs, last))) == 1:
        for j, column in enumerate(columns[:-1]):
            middle = sorted(a // b for a, b in zip(column, last, strict=True))[len(last) // 2]
            columns[j] = [a - middle * b for a, b in zip(column, last, strict=True)]
    divisors = [math.gcd(*column) for column in columns]
    columns = [[a // g for a in column] for column, g in zip(columns, divisors, strict=True) if g]
    kept = independent_columns([list(row) for row in zip(*columns, strict=True)])
    return [list(row) for row in zip(*(columns[j] for j in kept), strict=True)]


class Stopped(Exception):
    """The caller's `tick` asked to stop."""


def least(
    vectors: list[list[int]],
    weights: list[int],
    known: int,
    tick: Callable[[float], bool] | None = None,
) -> Found:
    """The least weight of errors if it is less than `known`; else `known`.

    The vectors are of full rank, on different lines, the weights `coarse`. `tick` is told what part
    has been done; if it returns True, `Stopped` is raised.
    """
    best = Found(known, None)
    lines = [
        _Line(v, weight, {g}) for g, (v, weight) in enumerate(zip(vectors, weights, strict=True))
    ]
    done = 0.0
    for path, bound, done in _bounds(_Level.first(vectors, weights), 1.0, 0.0):
        if bound < best.value:
            value, w = _exactly(lines, path)
            if value < best.value:
                best = Found(int(value), [g for g, z in enumerate(vectors) if _dot(w, z) > 0])
        if tick is not None and tick(done):
            raise Stopped
    return best


class _Level(NamedTuple):
    """Vectors on different lines with their weights, restricted to some z_p^⊥."""

    vectors: np.ndarray  # Of shape (n, r), integers if exact.
    errors: np.ndarray  # Bounds on the coordinates' errors, for each vector.
    weights: np.ndarray
    rows: np.ndarray  # The vector of the first level that each comes from.
    look: np.ndarray  # The vectors whose facets must be checked.
    constant: float  # Errors made at the levels above.
    pivot: float  # The pivot of the level above, which divides what follows (Bareiss).
    exact: bool

    @classmethod
    def first(cls, vectors: list[list[int]], weights: list[int]) -> _Level:
        n, r = len(vectors), len(vectors[0])
        largest = [max(abs(z[j]) for z in vectors) for j in range(r)]
        # A minor of order r − 1 has (r − 1)! terms, each a product of entries of r − 1 columns.
        minor = math.factorial(r - 1) * math.prod(sorted(largest)[1:])
        exact = minor <= 2**25
        if exact:
            floats, errors = np.array(vectors, dtype=np.float64), np.zeros(n)
        else:  # Columns are divided by a power of two, then rounded.
            scales = [2 ** max(size.bit_length() - 1, 0) for size in largest]
            floats = np.array(
                [[z / scale for z, scale in zip(row, scales, strict=True)] for row in vectors]
            )
            errors = np.full(n, 2 * UNIT)  # Entries are below 2 and correctly rounded.
        costs, look = np.array(weights, dtype=np.float64), np.ones(n, dtype=bool)
        return cls(floats, errors, costs, np.arange(n), look, 0.0, 1.0, exact)

    def under(self, p: int) -> _Level:
        """The level below: restricted to z_p^⊥."""
        others = np.delete(np.arange(len(self.vectors)), p)
        vectors, errors = _restricted(self, np.array([p]))
        vectors, errors = vectors[0, others], errors[0, others]
        weights, rows, look = self.weights[others], self.rows[others], others > p
        constant, pivot = self.constant, float(np.max(np.abs(self.vectors[p])))
        if self.exact:
            kept, weights, look, paid = _one_a_line(vectors, weights, look)
            vectors, errors, rows = vectors[kept], errors[kept], rows[kept]
            constant += paid
        return _Level(vectors, errors, weights, rows, look, constant, pivot, self.exact)


def _restricted(level: _Level, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All vectors in the coordinates of z_p^⊥, for some p: an array of shape (p, n, r − 1), and a
    bound on the errors of each vector's coordinates.

    w ∈ z_p^⊥ is determined by its coordinates other than k, where |z_pk| is largest; then, times
    |z_pk| > 0, w·z = Σ_{j≠k} w_j (|z_pk| z_j − sgn(z_pk) z_k z_pj). In integers the
    parentheses are minors of the level's vectors, hence multiples of the pivot of the level above.
    """
    V, n, r = level.vectors, *level.vectors.shape
    P = V[which]
    k = np.argmax(np.abs(P), axis=1)
    size = np.take_along_axis(P, k[:, None], axis=1)[:, 0]
    sign = np.sign(size)
    others = np.arange(r - 1)[None, :] + (np.arange(r - 1)[None, :] >= k[:, None])
    own = np.take_along_axis(P, others, axis=1) * sign[:, None]
    result = np.empty((len(which), n, r - 1))
    for i in range(len(which)):
        result[i] = V[:, others[i]] * abs(size[i]) - V[:, k[i], None] * own[i]
    if level.exact:
        result /= level.pivot
        return result, np.zeros((len(which), n))
    # Products of numbers of size a and b with errors e and f: a·f + b·e + e·f each, two of them,
    # and three roundings of results of size up to 2(a + e)(b + f).
    sizes = np.max(np.abs(V), axis=1)
    a, e = sizes[which][:, None], level.errors[which][:, None]
    b, f = sizes[None, :], level.errors[None, :]
    errors = 1.01 * (2 * (a * f + b * e + e * f) + 6 * UNIT * (a + e) * (b + f))
    errors[np.abs(size) <= level.errors[which]] = np.inf  # z_p may be zero, so nothing is certain.
    # To stay in the range of floats: powers of two, which are exact.
    with np.errstate(divide="ignore"):
        scale = np.exp2(-np.ceil(np.log2(np.maximum(np.max(np.abs(result), axis=2), errors))))
    scale = np.where(np.isfinite(errors) & np.isfinite(scale), scale, 1.0)
    return result * scale[..., None], errors * scale


def _one_a_line(vectors: np.ndarray, weights: np.ndarray, look: np.ndarray):
    """Group whole vectors by line: one of each, weights left, whether to look, and what is paid.

    Entries are at most 2²⁵ in size. So different quotients a/b and c/d differ by at least 2⁻⁵⁰
    relatively to a/b, namely |bc − ad|/|ad|, and round to different floats: same quotients, same
    line.
    """
    at = np.argmax(np.abs(vectors), axis=1)[:, None]
    largest = np.take_along_axis(vectors, at, axis=1)
    _, first, line = np.unique(vectors / largest, axis=0, return_index=True, return_inverse=True)
    line, side, count = line.ravel(), largest[:, 0] > 0, len(first)
    plus = np.bincount(line[side], weights[side], minlength=count)
    minus = np.bincount(line[~side], weights[~side], minlength=count)
    on = np.empty((2, count), dtype=np.int64)
    on[side.astype(int), line] = np.arange(len(vectors))  # One vector of each side, if any.
    left = np.flatnonzero(plus != minus)
    kept = on[(plus > minus)[left].astype(int), left]
    seen = np.bincount(line, look, minlength=count)[left] > 0
    return kept, np.abs(plus - minus)[left], seen, float(np.minimum(plus, minus).sum())


def _bounds(level: _Level, part: float, done: float) -> Iterator[tuple[list[int], float, float]]:
    """Lower bounds on the errors of all cells: (path, bound, how much is done), the path naming the
    facets passed, by rows of the first level. Exact levels give the least errors of each path.

    Only the least of a block of paths is given if it is exact, since then no other is better.
    """
    n, r = level.vectors.shape
    if r == 1 or not n:
        yield [], level.constant, done + part
        return
    if r == 2:
        alone = _least_of_circle(level, level.vectors[None], level.errors[None], np.array([-1]))
        yield [], level.constant + float(alone[0]), done + part
        return
    look = np.flatnonzero(level.look)
    if r == 3:
        step = max(1, SORT_BLOCK_NUMBERS // n)
        for start in range(0, len(look), step):
            some = look[start : start + step]
            bounds = _least_of_circle(level, *_restricted(level, some), some)
            now = done + part * (start + len(some)) / len(look)
            for k in [int(np.argmin(bounds))] if level.exact else range(len(some)):
                yield [int(level.rows[some[k]])], level.constant + float(bounds[k]), now
        return
    for i, p in enumerate(look.tolist()):
        # The p-th of n has n − p lines left to look at.
        share = part * ((1 - i / len(look)) ** (r - 2) - (1 - (i + 1) / len(look)) ** (r - 2))
        for path, bound, now in _bounds(level.under(p), share, done):
            yield [int(level.rows[p]), *path], bound, now
        done += share


def _least_of_circle(level: _Level, vectors, errors, own: np.ndarray) -> np.ndarray:
    """A lower bound on the errors of all angles w, exact if the level is, for several
    arrangements (k, n, 2) of the level's vectors in the plane, without the vector `own` of each.

    Turn every vector into the upper half plane, noting its side. As w goes half around, they
    change from positive to negative in the order of their quotients; the other half is opposite.
    """
    A, B = vectors[..., 0], vectors[..., 1]
    weights = np.broadcast_to(level.weights, A.shape).copy()
    k = np.flatnonzero(own >= 0)
    A[k, own[k]], B[k, own[k]], weights[k, own[k]] = 1.0, 0.0, 0.0
    flip = (B < 0) | ((B == 0) & (A < 0))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        quotient = A / B
    if level.exact:
        quotient[B == 0] = np.inf
        return _sweep(weights, flip, quotient)
    errors = errors.copy()
    errors[k, own[k]] = 0.0
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        size = np.abs(quotient)
        slack = 1.01 * (errors * (1 + size) / (np.abs(B) - errors) + 2 * UNIT * size)
    unsure = ~((np.abs(B) > errors) & np.isfinite(slack) & (size < 2.0**900))
    weights[unsure] = 0.0  # These are right for every w.
    quotient[unsure] = slack[unsure] = 0.0
    return _careful_sweep(weights, flip, quotient, slack)


def _sweep(weights: np.ndarray, flip: np.ndarray, quotient: np.ndarray) -> np.ndarray:
    order = np.argsort(quotient, axis=1)
    steps = np.take_along_axis(np.where(flip, -weights, weights), order, axis=1)
    sorted_quotients = np.take_along_axis(quotient, order, axis=1)
    start = np.where(flip, weights, 0.0).sum(axis=1)
    errors = np.cumsum(steps, axis=1) + start[:, None]
    inside = sorted_quotients[:, 1:] == sorted_quotients[:, :-1]  # On a line, not in a cell.
    first = errors[:, -1:]  # All have changed sides.
    low = np.where(inside, first, errors[:, :-1]).min(axis=1, initial=np.inf)
    high = np.where(inside, first, errors[:, :-1]).max(axis=1, initial=-np.inf)
    low = np.minimum(np.minimum(low, errors[:, -1]), start)
    high = np.maximum(np.maximum(high, errors[:, -1]), start)
    return np.minimum(low, weights.sum(axis=1) - high)


def _careful_sweep(weights, flip, quotient, slack) -> np.ndarray:
    """The same where quotients are within their slack of the given: those whose order is not
    certain may change sides in any order."""
    order = np.argsort(quotient - slack, axis=1)
    low_end = np.take_along_axis(quotient - slack, order, axis=1)
    high_end = np.take_along_axis(quotient + slack, order, axis=1)
    steps = np.take_along_axis(np.where(flip, -weights, weights), order, axis=1)
    start = np.where(flip, weights, 0.0).sum(axis=1)[:, None]
    errors = np.cumsum(steps, axis=1) + start
    falls = np.cumsum(np.minimum(steps, 0.0), axis=1)
    # Position k begins a run if it is certainly after all before it.
    begins = np.ones(steps.shape, dtype=bool)
    begins[:, 1:] = low_end[:, 1:] > np.maximum.accumulate(high_end, axis=1)[:, :-1]
    first = np.maximum.accumulate(np.where(begins, np.arange(steps.shape[1]), 0), axis=1)
    before = np.take_along_axis(errors - steps, first, axis=1)
    fallen = falls - np.take_along_axis(falls - np.minimum(steps, 0.0), first, axis=1)
    low = np.minimum((before + fallen).min(axis=1), start[:, 0])
    # A rise is a step that is no fall.
    rise = (errors - start - falls) - np.take_along_axis(
        errors - start - falls - np.maximum(steps, 0.0), first, axis=1
    )
    high = np.maximum((before + rise).max(axis=1), start[:, 0])
    return np.minimum(low, weights.sum(axis=1) - high)


def _dot(a, b):
    return sum(x * y for x, y in zip(a, b, strict=True))


class _Line(NamedTuple):
    """A vector in integers of any size, its weight, and which rows it stands for."""

    vector: list[int]
    weight: int
    rows: set[int]


def _exactly(lines: list[_Line], path: list[int]) -> tuple[float, list[Fraction]]:
    """The least errors on a path, and a w strictly off every line that attains it. The value is
    infinite where the path is none: where it names two rows that lie on one line."""
    if len(lines[0].vector) == 1:
        return 0, [Fraction(lines[0].vector[0])]
    if not path:  # The path is a circle, or no line has a weight left.
        return _exact_circle(lines) if len(lines[0].vector) == 2 else (0, _off_all(lines))
    on_path = [line for line in lines if path[0] in line.rows]
    if not on_path:
        return math.inf, []
    own, others = on_path[0].vector, [line for line in lines if line is not on_path[0]]
    k = max(range(len(own)), key=lambda j: abs(own[j]))
    paid, below = _under(own, k, others)
    value, w = _exactly(below, path[1:])
    if value == math.inf:
        return value, w
    lifted = [*w[:k], Fraction(0), *w[k:]]
    lifted[k] = -_dot(lifted, own) / Fraction(own[k])
    # Move towards z_p, so little that no other vector changes sides.
    sizes = [(abs(_dot(lifted, v)), abs(_dot(own, v))) for v, _, _ in others]
    step = min((score / Fraction(move) for score, move in sizes if move), default=Fraction(1))
    return paid + value, [x + step / 2 * o for x, o in zip(lifted, own, strict=True)]


def _under(own: list[int], k: int, others: list[_Line]) -> tuple[int, list[_Line]]:
    """The lines restricted to own^⊥ (see `_restricted`), grouped again, and what is paid for it.
    Lines whose two sides weigh the same stay, without a weight: w must be off them too."""
    sign, size = (1 if own[k] > 0 else -1), abs(own[k])
    sides: dict[tuple[int, ...], dict[int, tuple[int, set[int]]]] = {}
    for vector, weight, rows in others:
        v = [size * vector[j] - sign * vector[k] * own[j] for j in range(len(own)) if j != k]
        side = 1 if next(entry for entry in v if entry) > 0 else -1
        divisor = side * math.gcd(*v)
        both = sides.setdefault(
            tuple(entry // divisor for entry in v), {1: (0, set()), -1: (0, set())}
        )
        both[side] = (both[side][0] + weight, both[side][1] | rows)
    paid, lines = 0, []
    for direction, both in sides.items():
        (plus, some), (minus, more) = both[1], both[-1]
        paid += min(plus, minus)
        heavy = 1 if plus >= minus else -1
        lines.append(_Line([heavy * entry for entry in direction], abs(plus - minus), some | more))
    return paid, lines


def _off_all(lines: list[_Line]) -> list[Fraction]:
    """Some w that is on none of the lines: powers of a number that is not a root of any of them."""
    for base in itertools.count(1):
        w = [Fraction(base) ** j for j in range(len(lines[0].vector))]
        if all(_dot(w, line.vector) for line in lines):
            return w
    raise AssertionError


def _exact_circle(lines: list[_Line]) -> tuple[int, list[Fraction]]:
    """The least errors over all angles, and a w between two lines that attains it."""
    # The direction w = ±(1, −c) is positive (negative) on (a, b) with b > 0 where a/b > c.
    cost: dict[Fraction | None, list[int]] = {None: [0, 0]}
    for (a, b), weight, _ in lines:
        flip = b < 0 or (b == 0 and a < 0)
        cost.setdefault(Fraction(a, b) if b else None, [0, 0])[flip] += weight
    finite = sorted(quotient for quotient in cost if quotient is not None)
    gaps = [Fraction(0)]  # One c in each gap.
    if finite:
        between = [(p + q) / 2 for p, q in itertools.pairwise(finite)]
        gaps = [finite[0] - 1, *between, finite[-1] + 1]
    total = sum(weight for _, weight, _ in lines)
    # Below all quotients every turned vector is positive: the flipped ones are errors.
    errors = sum(both[True] for both in cost.values())
    cells = []
    for i, c in enumerate(gaps):
        if i:
            errors += cost[finite[i - 1]][False] - cost[finite[i - 1]][True]
        cells += [(errors, [Fraction(1), -c]), (total - errors, [Fraction(-1), c])]
    return min(cells, key=lambda cell: cell[0])
