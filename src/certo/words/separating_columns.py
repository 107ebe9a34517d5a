"""Which columns separate classes, where no finite estimate of a logistic regression exists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.encoding import counted
from certo.words.reader import row_numbers

MAX_SHOWN = 3  # Columns, classes, and rows of each, that a message names.


def separating_columns(found: Any, names: Sequence[str], classes: Sequence[Any]) -> str:
    """Which columns separate which classes, and where, by a `certo.solvers.recession.Recession`."""
    rows = np.flatnonzero(np.any(found.strict.reshape(len(found.strict), -1), axis=1))
    if not found.cuts:
        used = [any(row[j] for row in found.coef) for j in range(len(names))]
        return f"{counted(sum(used), 'column')} together separate some classes {_rows(rows)}"
    facts: dict[tuple[int, tuple[bool, ...], bool], list[Any]] = {}
    for cut in found.cuts:  # Two with the same classes above are the sides of one gap.
        facts.setdefault((cut.column, cut.above, cut.everywhere), []).append(cut)
    first: dict[int, list[Any]] = {}  # The first fact about each column is told.
    for cuts in facts.values():
        first.setdefault(cuts[0].column, cuts)
    told = list(first.values())[:MAX_SHOWN]
    said = [_of_cuts(cuts, names, classes, rows.size) for cuts in told]
    if len(facts) > len(told):
        said.append(f"and {counted(len(facts) - len(told), 'more such case')}")
    return "; ".join(said)


def _of_cuts(cuts: list[Any], names: Sequence[str], classes: Sequence[Any], rows: int) -> str:
    cut = cuts[0]
    above = [repr(label) for label, up in zip(classes, cut.above, strict=True) if up]
    below = [repr(label) for label, up in zip(classes, cut.above, strict=True) if not up]
    high, low = (_listed(side, len(classes)) for side in (above, below))
    if cut.column == len(names):
        return f"no example{'' if cut.everywhere else ' left'} is of {low}"
    column = f"column {names[cut.column]!r}{'' if cut.everywhere else ', on what these leave,'}"
    if len(cuts) > 1:  # A gap, with every row beside it.
        ends = [pick(cut.value for cut in cuts) for pick in (max, min)]
        top, bottom = (f"{end:g}" for end in ends)
        if top == bottom:
            top, bottom = map(repr, ends)
        which = "the classes" if len(classes) == 2 else "classes"
        where = f" (all {rows:,} rows)" if cut.everywhere else ""
        return (
            f"{column} separates {which} completely: {high.removeprefix('class ')} from {top} up, "
            f"{low.removeprefix('class ')} up to {bottom}{where}"
        )
    value, where = f"{cut.value:g}", _rows(cut.rows, cut.many)
    if cut.over == cut.many:
        return f"{column} is above {value} in {high} only {where}"
    if not cut.over:
        return f"{column} is below {value} in {low} only {where}"
    return f"{column} is at least {value} in {high} and at most {value} in {low} {where}"


def _listed(some: list[str], many: int) -> str:
    return (
        f"class {' or '.join(some)}" if len(some) <= MAX_SHOWN else f"{len(some)} of {many} classes"
    )


def _rows(rows: np.ndarray, many: int | None = None) -> str:
    many = rows.size if many is None else many
    shown = ", ".join(map(str, row_numbers(rows[:MAX_SHOWN].tolist())))
    if many > MAX_SHOWN:
        return f"(rows {shown}, … {many:,} in all)"
    return f"(row{'s' if many > 1 else ''} {shown})"
