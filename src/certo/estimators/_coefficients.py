"""The tables of a regression: each coefficient with its error, its test and its interval."""

from __future__ import annotations

import abc
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, final

import numpy as np
from scipy import special

from certo.estimators import _input
from certo.words.goodness import goodness_lines, shown_p_value
from certo.words.reader import column_names

LATEX_SPECIAL = str.maketrans(
    {letter: f"\\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {"²": r"\textsuperscript{2}", "χ": r"$\chi$", "|": "$|$", "<": "$<$", ">": "$>$"}
    | {"−": "$-$", "→": r"$\to$", "\u202f": r"\,"}
)


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

    @property
    def _said(self) -> tuple[str, ...]:
        """The sentences below the table."""
        return self.notes

    def to_frame(self) -> Any:
        """A pandas data frame with a row for each row, by its name (and its group)."""
        import pandas  # type: ignore[import-untyped]

        named = [name for name in ("group", "name") if any(getattr(r, name, "") for r in self)]
        frame = pandas.DataFrame(self._records()).set_index(named)
        return frame if "group" in named else frame.drop(columns="group", errors="ignore")

    def _records(self) -> list[dict[str, Any]]:
        return [row._asdict() for row in self.rows]

    def to_latex(self) -> str:
        """A LaTeX table (`tabular`, with the rules of the package booktabs)."""
        header, *lines = self._lines()
        wide = len(header)
        text = [rf"\begin{{tabular}}{{l{'r' * (wide - 1)}}}", r"\toprule", _latex_row(header)]
        text.append(r"\midrule")
        for line in lines:
            one = rf"\multicolumn{{{wide}}}{{l}}{{\textit{{{_latex(line[0])}}}}} \\"
            text.append(_latex_row(line) if _is_row(line) else one)
        text.append(r"\midrule" if self.title or self._said else r"\bottomrule")
        text += [
            rf"\multicolumn{{{wide}}}{{l}}{{{_latex(said)}}} \\"
            for said in filter(None, (self.title, *self._said))
        ]
        if text[-1] != r"\bottomrule":
            text.append(r"\bottomrule")
        return "\n".join([*text, r"\end{tabular}", ""])

    def __repr__(self) -> str:
        lines = self._lines()
        widths = [max(map(len, column)) for column in zip(*filter(_is_row, lines), strict=True)]
        shown = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            if _is_row(line)
            else f"[{line[0]}]"
            for line in lines
        ]
        return "\n".join([*filter(None, [self.title]), *shown, *self._said])

    def _repr_html_(self) -> str:
        lines = self._lines()
        body = ""
        for line in lines:
            tag = "td" if _is_row(line) and line is not lines[0] else "th"
            span = "" if _is_row(line) else f' colspan="{len(lines[0])}"'
            cells = "".join(f"<{tag}{span}>{html.escape(cell)}</{tag}>" for cell in line)
            body += f"<tr>{cells}</tr>"
        title = f"<p><strong>{html.escape(self.title)}</strong></p>" if self.title else ""
        notes = "".join(f"<p>{html.escape(note)}</p>" for note in self._said)
        return f'<div>{title}<table class="{self.css_class}">{body}</table>{notes}</div>'


def _is_row(line: Sequence[str]) -> bool:
    return len(line) > 1


def _latex(text: str) -> str:
    return text.translate(LATEX_SPECIAL)


def _latex_row(cells: Sequence[str]) -> str:
    name, *numbers = cells
    numbers = [f"${cell}$" if cell[:1] == "-" else _latex(cell) for cell in numbers]
    return " & ".join([_latex(name), *numbers]) + r" \\"


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
    odds_ratio: float | None = None
    odds_ratio_low: float | None = None
    odds_ratio_high: float | None = None


@final
@dataclass(frozen=True, repr=False, eq=False)
class CoefficientTable(Table):
    """Estimates, standard errors, tests of "this coefficient is 0", and confidence intervals.

    Shown by `print` and in a notebook; as plain values by `to_dict`, as a pandas data frame by
    `to_frame`, for a paper by `to_latex`. A sequence of its rows.

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
    fit : mapping, default={}
        Numbers about the fit as a whole, by name: R², F, AIC, … (see `_goodness`).
    odds : sequence of bool, default=()
        Which of the coefficients are logarithms of odds ratios, if any are.
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
    fit: Mapping[str, Any] = field(default_factory=dict)
    odds: tuple[bool, ...] = ()

    row_kind = "coefficient"
    css_class = "coefficients"

    def __post_init__(self) -> None:
        check_level(self.level)
        count = len(self.names)
        errors = np.full(count, np.nan) if self.errors is None else self.errors
        for name, value in (
            ("names", tuple(map(str, self.names))),
            ("estimates", np.array(self.estimates, dtype=np.float64)),
            ("errors", np.array(errors, dtype=np.float64)),
            ("groups", tuple(self.groups) or ("",) * count),
            ("notes", tuple(self.notes)),
            ("odds", tuple(self.odds) or (False,) * count),
        ):
            object.__setattr__(self, name, value)
        shapes = self.estimates.shape, self.errors.shape, (len(self.groups),)
        if {*shapes, (len(self.odds),)} != {(count,)}:
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
    def odds_ratios(self) -> np.ndarray:
        """exp(estimate) and the ends of its interval, a row (ratio, low, high) for each
        coefficient; NaN where a coefficient is not the logarithm of an odds ratio."""
        ratios = np.full((len(self.names), 3), np.nan)
        some = np.array(self.odds, dtype=bool)
        with np.errstate(over="ignore"):
            ratios[some] = np.exp(np.column_stack([self.estimates, self.intervals])[some])
        return ratios

    @property
    def rows(self) -> tuple[CoefficientRow, ...]:
        numbers = np.column_stack(
            [self.estimates, self.errors, self.statistics, self.p_values, self.intervals,
             self.odds_ratios]
        )  # fmt: skip
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
            "rows": self._records(),
            "fit": dict(self.fit),
            "notes": list(self.notes),
        }

    def _records(self) -> list[dict[str, Any]]:
        every = [row._asdict() for row in self.rows]
        if any(self.odds):
            return every
        return [{k: x for k, x in row.items() if not k.startswith("odds")} for row in every]

    @property
    def _said(self) -> tuple[str, ...]:
        return (*goodness_lines(self.fit), *self.notes)

    @property
    def _header(self) -> tuple[str, ...]:  # type: ignore[override]
        s, low = self.statistic, 50 * (1 - self.level)
        ends = (f"{low:.4g} %", f"{100 - low:.4g} %")
        odds = ("odds ratio", *ends) if any(self.odds) else ()
        return ("", self.heading, "std. error", s, f"P>|{s}|", *ends, *odds)

    def _cells(self, row: CoefficientRow) -> tuple[str, ...]:
        statistic = "" if row.statistic is None else f"{row.statistic:.3f}"
        first = row.name, _number(row.estimate), _number(row.standard_error)
        cells = *first, statistic, shown_p_value(row.p_value), _number(row.low), _number(row.high)
        odds = row.odds_ratio, row.odds_ratio_low, row.odds_ratio_high
        return (*cells, *map(_number, odds)) if any(self.odds) else cells


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
