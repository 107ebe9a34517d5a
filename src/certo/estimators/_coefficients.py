"""The table of a regression: each coefficient with its error, its test and its interval."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, final

import numpy as np
from scipy import special


class CoefficientRow(NamedTuple):
    """One coefficient. What cannot be estimated is None."""

    group: str
    name: str
    estimate: float
    standard_error: float | None
    statistic: float | None
    p_value: float | None
    low: float | None
    high: float | None


@final
@dataclass(frozen=True, repr=False, eq=False)
class CoefficientTable:
    """Estimates, standard errors, tests of "this coefficient is 0", and confidence intervals.

    Shown by `print`, in a notebook, or as plain values by `to_dict`; a sequence of its rows.

    Parameters
    ----------
    names : sequence of str
        One for each row.
    estimates : array of float
    errors : array of float or None
        Standard errors, NaN where a coefficient cannot be estimated; None: none of them can.
    statistic : {"t", "z"}
        Estimate / error is Student's with `degrees` degrees of freedom, or standard normal.
    degrees : float, default=inf
    level : float, default=0.95
        Of the intervals.
    groups : sequence of str, default=()
        With several outputs or classes, the one that each row belongs to.
    title : str, default=""
    notes : sequence of str, default=()
        What a reader must know: why errors are missing, or what they assume.
    heading : str, default="estimate"
        What the numbers are called: they may be no estimate.
    """

    names: tuple[str, ...]
    estimates: np.ndarray
    errors: Any
    statistic: Literal["t", "z"] = "t"
    degrees: float = np.inf
    level: float = 0.95
    groups: tuple[str, ...] = ()
    title: str = ""
    notes: tuple[str, ...] = ()
    heading: str = "estimate"

    def __post_init__(self) -> None:
        check_level(self.level)
        estimates = np.array(self.estimates, dtype=np.float64)
        count = len(self.names)
        missing = np.full(count, np.nan)
        errors = missing if self.errors is None else np.array(self.errors, dtype=np.float64)
        groups = tuple(self.groups) or ("",) * count
        if not (estimates.shape == errors.shape == (count,) and len(groups) == count):
            raise ValueError(
                f"a table of {count} names needs as many estimates, errors and groups, got "
                f"{estimates.shape}, {errors.shape} and {len(groups)}."
            )
        for field, value in (
            ("names", tuple(str(name) for name in self.names)),
            ("estimates", estimates),
            ("errors", errors),
            ("groups", groups),
            ("notes", tuple(self.notes)),
        ):
            object.__setattr__(self, field, value)

    @property
    def statistics(self) -> np.ndarray:
        """Estimate / standard error."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.estimates / self.errors

    @property
    def p_values(self) -> np.ndarray:
        """The probability of a statistic at least as far from 0, if the coefficient were 0."""
        return 2 * _tail(-np.abs(self.statistics), self.degrees)

    @property
    def intervals(self) -> np.ndarray:
        """The ends (low, high) of the confidence intervals, one row for each coefficient."""
        reach = quantile(self.level, self.degrees) * self.errors
        return np.column_stack([self.estimates - reach, self.estimates + reach])

    @property
    def rows(self) -> tuple[CoefficientRow, ...]:
        numbers = np.column_stack(
            [self.estimates, self.errors, self.statistics, self.p_values, self.intervals]
        )
        return tuple(
            CoefficientRow(group, name, row[0], *(x if np.isfinite(x) else None for x in row[1:]))
            for group, name, row in zip(self.groups, self.names, numbers.tolist(), strict=True)
        )

    def __iter__(self):
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, name: int | str) -> CoefficientRow:
        """A row by its place, or the first of this name."""
        if not isinstance(name, str):
            return self.rows[name]
        if name not in self.names:
            raise KeyError(f"no coefficient is called {name!r}; there are {list(self.names)}.")
        return self.rows[self.names.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "title": self.title,
            "statistic": self.statistic,
            "degrees_of_freedom": float(self.degrees) if np.isfinite(self.degrees) else None,
            "level": float(self.level),
            "rows": [row._asdict() for row in self.rows],
            "notes": list(self.notes),
        }

    @property
    def _header(self) -> tuple[str, ...]:
        s, low = self.statistic, 50 * (1 - self.level)
        ends = (f"{low:.4g} %", f"{100 - low:.4g} %")
        return ("", self.heading, "std. error", s, f"P>|{s}|", *ends)

    def _cells(self, row: CoefficientRow) -> tuple[str, ...]:
        p = row.p_value
        shown = "" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"
        return (
            row.name,
            _number(row.estimate),
            _number(row.standard_error),
            "" if row.statistic is None else f"{row.statistic:.3f}",
            shown,
            _number(row.low),
            _number(row.high),
        )

    def __repr__(self) -> str:
        cells = [self._header, *(self._cells(row) for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = ["  ".join(map(_aligned, line, widths, range(7))).rstrip() for line in cells]
        body, group = [lines[0]], ""
        for row, line in zip(self.rows, lines[1:], strict=True):
            if row.group != group:
                body.append(f"[{row.group}]")
                group = row.group
            body.append(line)
        return "\n".join([*filter(None, [self.title]), *body, *self.notes])

    def _repr_html_(self) -> str:
        def line(cells, tag: str) -> str:
            return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

        body, group = [line(self._header, "th")], ""
        for row in self.rows:
            if row.group != group:
                body.append(f'<tr><th colspan="7">{html.escape(row.group)}</th></tr>')
                group = row.group
            body.append(line(self._cells(row), "td"))
        title = f"<p><strong>{html.escape(self.title)}</strong></p>" if self.title else ""
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        table = f'<table class="coefficients">{"".join(body)}</table>'
        return f"<div>{title}{table}{notes}</div>"


def check_level(level: Any) -> None:
    number = isinstance(level, float | int | np.number) and not isinstance(level, bool)
    if not (number and 0 < level < 1):
        raise ValueError(f"level must be a number between 0 and 1, got {level!r}.")


def quantile(level: float, degrees: float = np.inf) -> float:
    """How many standard errors an interval of this level reaches to each side."""
    if not degrees > 0:
        return np.nan
    if np.isinf(degrees):
        return float(-special.ndtri((1 - level) / 2))
    return float(-special.stdtrit(degrees, (1 - level) / 2))


def _tail(below: np.ndarray, degrees: float) -> np.ndarray:
    """The probability of a statistic below this."""
    if not degrees > 0:
        return np.full(np.shape(below), np.nan)
    return special.ndtr(below) if np.isinf(degrees) else special.stdtr(degrees, below)


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


def _aligned(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
