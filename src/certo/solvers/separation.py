"""Separable or not: a separator, or examples that cancel, whichever there is.

Problem     vectors z_i (two classes: y_t x_t, or y_t (x_t, 1) with an intercept); find w with
            w·z_i > 0 for all i, or a ≥ 0, a ≠ 0, with Σ a_i z_i = 0 (Gordan: just one exists)
Strategy    a cheap pass (vectors that are zero or opposite, a few epochs of the Perceptron; for
            several classes the largest margin); then a working set of hard vectors: max s s.t.
            w·z_i ≥ s on it, −1 ≤ w ≤ 1 (HiGHS); vectors that this w has on the wrong side join the
            set, until there are none, or until s = 0, when the multipliers are the weights that
            cancel
Exactness   a separator counts once every margin is proved positive, weights once they cancel as
            integers. Where floats cannot tell since columns nearly depend on each other, the
            same is asked in other coordinates, which are computed exactly; where they cannot tell
            in these either, the exact simplex method goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

from certo.blas import one_thread
from certo.compiled.nearest_combination import nearest_combination
from certo.compiled.rows import rows_of
from certo.numbers.farkas import whole_numbers
from certo.solvers.exact_simplex import ExactSimplex
from certo.solvers.farkas import certainly_cancel
from certo.solvers.interrupt import NEVER, Watch
from certo.solvers.linear_program import LinearProgram
from certo.solvers.vectors import (
    Cancelling,
    Examples,
    IntegerVectors,
    Vectors,
    unit_rows,
    working_set_step,
)

MAX_CONDITIONINGS = 4  # Changes of coordinates, each of which gains the digits of a float.
MIN_CONDITIONED_RATIO = 1e-3  # Columns are well conditioned if each adds this share of the first.
NEGLIGIBLE_RATIO = 1e-14  # A share that an orthogonal factorisation cannot tell from 0.
CONDITIONER_BITS = 40  # Binary digits of the entries of a change of coordinates.
EXACT_BLOCK_ROWS = 256  # Vectors that are transformed exactly between two looks at the watch.
TIGHT_MARGIN = 1e-8  # Margins up to this, of vectors of length about 1, may be rounding.
SUPPORT_MULTIPLIER = 1e-12  # Multipliers of vectors that matter are larger.
NEGLIGIBLE_WEIGHT = 1e-10  # The same in combinations of vectors of length 1.
MAX_LEAST_SQUARES_NUMBERS = 2**14  # Numbers with which least squares beat a linear program.
MAX_LENGTH = 1e100  # Of vectors whose products neither over- nor underflow.


class Separator(NamedTuple):
    w: np.ndarray  # w·z > 0 is proved for all vectors.


class FineSeparator(NamedTuple):
    w: list[int]  # w·z > 0 is proved for all vectors, but not when w is rounded to floats.


Verdict = Separator | Cancelling | FineSeparator


def separate(vectors: Vectors, watch: Watch = NEVER) -> Verdict:
    """A separator of all vectors, or some that cancel; proved either way. Stopped is raised if the
    watch asks for it."""
    found = vectors.easily_cancelling()
    if found is not None:
        return found
    watch()
    w = vectors.guess(watch)
    margins, _ = vectors.margins(w)
    if np.all(margins > 0) and vectors.wrong(w) is None:
        return Separator(w)
    return _by_working_set(vectors, margins, watch)


def separate_after(vectors: Examples, w: np.ndarray, counts: np.ndarray, watch: Watch) -> Verdict:
    """The same where a long search has ended with weights w that do not separate the vectors, after
    it updated on each as often as `counts` says: no other guess is made. Exact arithmetic that
    would outlast the watch is not begun, and weights that cancel are only shown to exist where that
    is quicker."""
    if np.any(vectors.lengths() == 0):
        found = vectors.easily_cancelling()
        if found is not None:
            return found
    quick = _by_nearest_point(vectors, counts, watch)
    if quick is None and _is_few(vectors):
        quick = vectors.easily_cancelling()
    return quick or _by_working_set(vectors, vectors.margins(w)[0], watch)


def largest_margin(vectors: Examples, counts: np.ndarray, tol: float) -> np.ndarray | None:
    """The w with the largest min_i w·z_i/‖w‖, within tol of it; None, if it is not found."""
    found = _by_nearest_point(vectors, counts, NEVER, tol)
    return found.w if isinstance(found, Separator) else None


def _first_count(vectors: Vectors) -> int:
    """The number of vectors whose nearest point is found first: a few times that of its support, or
    all if they are not many more."""
    some = 2 * vectors.size + 20
    return some if vectors.count > 1.5 * some else vectors.count


def _is_few(vectors: Vectors) -> bool:
    return (vectors.size + 1) * _first_count(vectors) <= MAX_LEAST_SQUARES_NUMBERS


def _by_nearest_point(
    vectors: Examples, counts: np.ndarray, watch: Watch, tol: float | None = None
) -> Verdict | None:
    """The point nearest to the origin among the convex combinations of the vectors, scaled to
    length 1: at the origin the vectors used cancel, elsewhere it separates all. With `tol` the
    vectors keep their proportions: the separator has the largest margin, within tol of it. The
    first vectors looked at are those updated on most often, since the counts of updates are nearly
    weights that cancel. None, if neither is proved."""
    if not _is_few(vectors):
        return None
    watch()
    lengths = vectors.lengths()
    if not 1 / MAX_LENGTH < lengths.min() <= lengths.max() < MAX_LENGTH:
        return None
    first = _first_count(vectors)
    if tol is not None:  # Few vectors matter, and those that the search left alone hardly do.
        first = min(first, max(int(np.count_nonzero(counts)), 1))
    w, weights = np.empty(vectors.size), np.empty(vectors.count)
    apart = nearest_combination(
        rows_of(vectors.sample.X), vectors.sample.signs, float(vectors.lifted),
        1 / lengths if tol is None else np.full(vectors.count, 1 / lengths.max()),
        np.argsort(-counts, kind="stable"), first, TIGHT_MARGIN, 0.0 if tol is None else 1 - tol,
        w, weights,
    )  # fmt: skip
    if 0 <= apart <= TIGHT_MARGIN:
        used = np.flatnonzero(weights > NEGLIGIBLE_WEIGHT)
        part = vectors.part(used)
        if certainly_cancel(part.toarray() if sparse.issparse(part) else part):
            return Cancelling(used.tolist(), [])
        return vectors.cancelling(used)
    margins, slack = vectors.margins(w)
    return Separator(w) if apart > 0 and np.all(margins > slack) else None


def _by_working_set(vectors: Vectors, margins: np.ndarray, watch: Watch) -> Verdict:
    """max s  s.t.  w·z_i ≥ s on a growing set of vectors, −1 ≤ w ≤ 1; columns are scaled."""
    lengths, exponents = vectors.lengths(), np.frexp(vectors.peaks())[1]
    step, ones = working_set_step(vectors.size), np.ones(vectors.size)
    inside, places, multipliers = np.zeros(vectors.count, dtype=bool), np.zeros(0, int), np.zeros(0)
    program = LinearProgram(
        np.append(-ones, -np.inf), np.append(ones, np.inf), np.append(0 * ones, -1.0),
        primal_feasibility_tolerance=1e-9, dual_feasibility_tolerance=1e-9,
    )  # fmt: skip
    # Hard vectors of one w alone are easy for −w: some of any kind go with them.
    some = np.random.default_rng(0).permutation(vectors.count)[:step]
    new = np.union1d(some, _hardest(margins / lengths, vectors.groups, inside, step))
    while new.size:
        watch()
        program.add_rows(_program_rows(vectors.part(new), exponents), 0.0, np.inf)
        inside[new], places = True, np.append(places, new)
        solution = program.solve_watched(watch)
        if solution is None:
            break
        multipliers = program.duals
        if solution[-1] <= TIGHT_MARGIN:
            support = places[multipliers > SUPPORT_MULTIPLIER]
            found = vectors.cancelling(support, watch)
            if found is not None:
                return found
            break
        # The weights for the columns as they were, with entries of at most about 1.
        used = solution[:-1] != 0
        shift = int(np.min(exponents[used], initial=2000))
        w = np.ldexp(solution[:-1], np.where(used, shift - exponents, 0))
        margins, _ = vectors.margins(w)
        short = np.where(margins > 0, np.inf, margins / lengths)
        new = _hardest(short, vectors.groups, inside, step)
        if not new.size:
            wrong = vectors.wrong(w)
            if wrong is None:
                return Separator(w)
            new = np.array([wrong] if not inside[wrong] else [], dtype=int)
    heaviest = np.argsort(-multipliers, kind="stable")[: vectors.size + 1]
    some = places[heaviest] if multipliers.size else places[: vectors.size + 1]
    nearby = np.union1d(some, places[:: places.size // 50 + 1])
    other = _in_other_coordinates(vectors, nearby, watch)
    return other or _by_exact_simplex(vectors, some, watch)


def _in_other_coordinates(vectors: Vectors, some: np.ndarray, watch: Watch) -> Verdict | None:
    """The answer in coordinates in which these vectors are well conditioned; None where they are
    so already, or if there is none that way. z' = zT is computed exactly, T being integers: what
    cancels there cancels, and a separator u there is the separator Tu."""
    if isinstance(vectors, IntegerVectors) and vectors.conditioned:
        return None
    T = np.diag(np.ones(vectors.size, dtype=object))
    while True:
        watch()
        whole = _exactly(vectors.whole(some), T, watch)
        for _ in range(MAX_CONDITIONINGS):
            step = conditioner(unit_rows(whole))
            if step is None:
                break
            T, whole = _exactly(T, step, watch), _exactly(whole, step, watch)
        else:
            return None
        if not np.any(np.diag(np.diag(T)) != T):
            return None
        found = separate(IntegerVectors(whole, conditioned=True), watch)
        if isinstance(found, Cancelling):
            return vectors.cancelling(some[np.array(found.places)], watch)
        w = T.dot(np.array(whole_numbers(np.array([found.w]))[0], dtype=object)).tolist()
        answer, wrong = _rounded(vectors, w)
        if answer is not None:
            return answer
        some = np.union1d(some, wrong[: working_set_step(vectors.size)])


def conditioner(rows: np.ndarray) -> np.ndarray | None:
    """Integers T with which the columns of rows·T are about orthogonal, and of about one length;
    None if they are nearly so: by an orthogonal factorisation of the rows, QR, and T ≈ R⁻¹."""
    with one_thread():
        lengths = np.sqrt(np.sum(rows**2, axis=0))
        if not np.all(lengths > 0):
            lengths = np.where(lengths > 0, lengths, 1.0)
        upper, order = linalg.qr(rows / lengths, mode="r", pivoting=True)
        upper = upper[: rows.shape[1]]
        sizes = np.abs(np.diag(upper))
        if sizes.size < rows.shape[1] or sizes[-1] > MIN_CONDITIONED_RATIO * sizes[0]:
            return None
        floor = sizes[0] * NEGLIGIBLE_RATIO  # Below, R is rounding, and the next step tells more.
        upper[np.diag_indices(sizes.size)] = np.where(sizes > floor, np.diag(upper), floor)
        inverse = linalg.solve_triangular(upper, np.eye(sizes.size))
    T = np.zeros_like(inverse)
    T[order] = inverse / lengths[order][:, None]
    scale = np.frexp(np.max(np.abs(T), axis=0))[1]
    digits = np.rint(np.ldexp(T, CONDITIONER_BITS - scale))
    # A column times a power of two keeps the columns' lengths as they come out.
    shift = (scale - np.min(scale)).tolist()
    return np.array(
        [[int(v) << e for v, e in zip(row, shift, strict=True)] for row in digits], dtype=object
    )


def _exactly(rows: np.ndarray, T: np.ndarray, watch: Watch) -> np.ndarray:
    """rows·T in integers, with looks at the watch."""
    parts = []
    for start in range(0, len(rows), EXACT_BLOCK_ROWS):
        watch()
        parts.append(rows[start : start + EXACT_BLOCK_ROWS].dot(T))
    return np.vstack(parts)


def _hardest(margins: np.ndarray, groups: np.ndarray, inside: np.ndarray, most: int) -> np.ndarray:
    """Up to `most` vectors outside the set with the least margins that are not infinite, as many
    from each group."""
    found = []
    names = np.unique(groups)
    for name in names:
        places = np.flatnonzero((groups == name) & ~inside & ~(margins == np.inf))
        count = -(-most // names.size)
        if places.size > count:
            places = places[np.argpartition(margins[places], count)[:count]]
        found.append(places)
    return np.sort(np.concatenate(found))


def _program_rows(part, exponents: np.ndarray) -> sparse.csr_array:
    """The rows, scaled, with −1 in a further column."""
    if sparse.issparse(part):
        return sparse.hstack([scaled(part, exponents), np.full((part.shape[0], 1), -1.0)], "csr")
    n, d = part.shape
    rows = np.full((n, d + 1), -1.0)
    rows[:, :d] = np.ldexp(part, -exponents)
    rows[:, :d] = np.ldexp(rows[:, :d], -np.frexp(np.abs(rows[:, :d]).max(axis=1))[1][:, None])
    filled = rows != 0
    ends = np.append(0, np.cumsum(np.count_nonzero(filled, axis=1)))
    return sparse.csr_array((rows[filled], np.nonzero(filled)[1], ends), shape=rows.shape)


def scaled(part, exponents: np.ndarray) -> sparse.csr_array:
    """Columns, then rows, times powers of two that bring their largest entries to about 1."""
    part = sparse.csr_array(part)
    data = np.ldexp(part.data, -exponents[part.indices])
    part = sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)
    peaks = np.frexp(abs(part).max(axis=1).toarray().ravel())[1]
    data = np.ldexp(data, -np.repeat(peaks, np.diff(part.indptr)))
    return sparse.csr_array((data, part.indices, part.indptr), shape=part.shape)


def _by_exact_simplex(vectors: Vectors, some: np.ndarray, watch: Watch) -> Verdict:
    """The same with the exact simplex method, from the vectors that HiGHS found to matter."""
    known = some.tolist()
    while True:
        simplex = ExactSimplex(vectors.whole(known), watch)
        cancelling = simplex.cancelling()
        if cancelling is not None:
            found = vectors.cancelling(np.array(known)[cancelling])
            assert found is not None, "the vectors of a vertex are independent but for one relation"
            return found
        answer, wrong = _rounded(vectors, simplex.separator())
        if answer is not None:
            return answer
        # The basic vectors come first: they make up the basis to start from.
        basic = [known[k] for k in simplex.basic_vectors()]
        known = [*dict.fromkeys([*basic, *known]), *wrong[: vectors.size].tolist()]


def _rounded(
    vectors: Vectors, w: Sequence[int]
) -> tuple[Separator | FineSeparator | None, np.ndarray]:
    """The answer, if w separates all vectors; else those that it does not, the hardest first."""
    rounded = _round_to_floats(w)
    if vectors.wrong(rounded) is None:
        return Separator(rounded), np.zeros(0, dtype=int)
    wrong = np.flatnonzero(vectors.signs(w) <= 0)
    if not wrong.size:
        return _round_some_multiple(vectors, w), wrong
    return None, wrong[np.argsort(vectors.margins(rounded)[0][wrong], kind="stable")]


def _round_to_floats(w: Sequence[int]) -> np.ndarray:
    """The nearest floats, after division by a power of two: the largest becomes about 1, or where
    the others would then underflow, large."""
    lengths = [abs(weight).bit_length() for weight in w if weight]
    shift = max(lengths) - max(0, min(1020, max(lengths) - min(lengths) - 960))
    scale = Fraction(2) ** -shift
    return np.array([float(weight * scale) for weight in w])


def _round_some_multiple(vectors: Vectors, w: Sequence[int]) -> Separator | FineSeparator:
    """Multiples of w round in other ways, and shorter weights have exact products: some of these
    may still separate."""
    top = max(abs(weight) for weight in w).bit_length()
    tries = [[factor * weight for weight in w] for factor in range(65, 129)]
    tries += [[weight >> (top - bits) for weight in w] for bits in range(2, min(top, 64))]
    for some in tries:
        if any(some):
            rounded = vectors.centred(_round_to_floats(some))
            if vectors.wrong(rounded) is None:
                return Separator(rounded)
    return FineSeparator(list(w))
