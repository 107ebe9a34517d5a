"""The tables of a regression: each coefficient with its error, its test and its interval."""

from __future__ import annotations

import abc
import html
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple, final

import numpy as np
from scipy import special

from certo.estimators import _input
from certo.words.reader import column_names


class Table(abc.ABC):
    """A sequence of named rows that is shown by `print` and in a notebook, rows of one `group` (if
    they have one) under its name."""

    rows: Any
    title: str = ""
    notes: tuple[str, ...] = ()
    row_kind: ClassVar[str]  # The name of what a row is about.
    css_class: ClassVar[str]  # The CSS class of the HTML table.
    _header: tuple[str, ...]

    @abc.abstractmethod
    def _cells(self, row: Any) -> tuple[str, ...]:
        """The cells of one row, as text."""

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: int | str) -> Any:
        """A row by its place, or the first of this name."""
        if not isinstance(name, str):
            return self.rows[name]
        names = [row.name for row in self.rows]
        if name not in names:
            raise KeyError(f"no {self.row_kind} is called {name!r}; there are {names}.")
        return self.rows[names.index(name)]

    def _lines(self) -> list[tuple[str, ...]]:
        """The cells of all lines; a line of one cell begins a group."""
        lines, group = [self._header], ""
        for row in self.rows:
            if getattr(row, "group", "") != group:
                group = row.group
                lines.append((group,))
            lines.append(self._cells(row))
        return lines

    def __repr__(self) -> str:
        lines = self._lines()
        widths = [max(map(len, column)) for column in zip(*filter(_is_row, lines), strict=True)]
        shown = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            if _is_row(line)
            else f"[{line[0]}]"
            for line in lines
        ]
        return "\n".join([*filter(None, [self.title]), *shown, *self.notes])

    def _repr_html_(self) -> str:
        lines = self._lines()
        body = ""
        for line in lines:
            tag = "td" if _is_row(line) and line is not lines[0] else "th"
            span = "" if _is_row(line) else f' colspan="{len(lines[0])}"'
            cells = "".join(f"<{tag}{span}>{html.escape(cell)}</{tag}>" for cell in line)
            body += f"<tr>{cells}</tr>"
        title = f"<p><strong>{html.escape(self.title)}</strong></p>" if self.title else ""
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self.notes)
        return f'<div>{title}<table class="{self.css_class}">{body}</table>{notes}</div>'


def _is_row(line: Sequence[str]) -> bool:
    return len(line) > 1


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
class CoefficientTable(Table):
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

    row_kind = "coefficient"
    css_class = "coefficients"

    def __post_init__(self) -> None:
        check_level(self.level)
        count = len(self.names)
        errors = np.full(count, np.nan) if self.errors is None else self.errors
        for field, value in (
            ("names", tuple(map(str, self.names))),
            ("estimates", np.array(self.estimates, dtype=np.float64)),
            ("errors", np.array(errors, dtype=np.float64)),
            ("groups", tuple(self.groups) or ("",) * count),
            ("notes", tuple(self.notes)),
        ):
            object.__setattr__(self, field, value)
        shapes = self.estimates.shape, self.errors.shape, (len(self.groups),)
        if set(shapes) != {(count,)}:
            raise ValueError(
                f"a table of {count} names needs as many estimates, errors and groups, got "
                f"{shapes[0]}, {shapes[1]} and {len(self.groups)}."
            )

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
    def _header(self) -> tuple[str, ...]:  # type: ignore[override]
        s, low = self.statistic, 50 * (1 - self.level)
        ends = (f"{low:.4g} %", f"{100 - low:.4g} %")
        return ("", self.heading, "std. error", s, f"P>|{s}|", *ends)

    def _cells(self, row: CoefficientRow) -> tuple[str, ...]:
        statistic = "" if row.statistic is None else f"{row.statistic:.3f}"
        first = row.name, _number(row.estimate), _number(row.standard_error)
        return *first, statistic, p_value_shown(row.p_value), _number(row.low), _number(row.high)


def p_value_shown(p: float | None) -> str:
    return "" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def column_labels(machine: Any) -> list[str]:
    """The names of the columns of a machine, as the reader knows them, or x0, x1, …"""
    plain = [f"x{j}" for j in range(machine.n_features_in_)]
    return column_names(getattr(machine, "feature_names_in_", plain))


def check_level(level: Any) -> None:
    if not (_input.is_number(level) and 0 < level < 1):
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
