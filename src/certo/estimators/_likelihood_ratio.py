"""Likelihood-ratio tests: how much the likelihood falls without a column."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from scipy.special import chdtrc

from certo.certificates.encoding import rounded_up
from certo.estimators._logistic import Fitted, Limits, minimised
from certo.estimators._logistic_problem import Problem, Weights
from certo.solvers.least_squares import least_squares


class LikelihoodRatio(NamedTuple):
    """One column. Without degrees of freedom (other columns say the same) there is no p-value."""

    name: str
    statistic: float
    degrees: int
    p_value: float | None


@final
@dataclass(frozen=True, repr=False, eq=False)
class LikelihoodRatios:
    """2·(log-likelihood with all columns − without this one), which is χ² distributed for large
    samples if the coefficients of the column are 0. A sequence of its rows.

    Parameters
    ----------
    rows : sequence of LikelihoodRatio
    within : float
        How far off a statistic may be, at most: proved by the certificates of the fits.
    notes : sequence of str
    """

    rows: tuple[LikelihoodRatio, ...]
    within: float
    notes: tuple[str, ...] = ()

    def __iter__(self):
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, name: int | str) -> LikelihoodRatio:
        if not isinstance(name, str):
            return self.rows[name]
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(f"no column is called {name!r}; there are {[r.name for r in self.rows]}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "rows": [row._asdict() for row in self.rows],
            "within": self.within if np.isfinite(self.within) else None,
            "notes": list(self.notes),
        }

    @property
    def _lines(self) -> list[tuple[str, ...]]:
        return [("", "χ²", "df", "P>χ²"), *map(_cells, self.rows)]

    @property
    def _below(self) -> list[str]:
        exact = f"Each χ² is proved to within {rounded_up(self.within, 2)}."
        return [*([exact] if 0 < self.within < np.inf else []), *self.notes]

    def __repr__(self) -> str:
        widths = [max(map(len, column)) for column in zip(*self._lines, strict=True)]
        lines = [
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
            for line in self._lines
        ]
        return "\n".join([*lines, *self._below])

    def _repr_html_(self) -> str:
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in line) + "</tr>"
            for line in self._lines
        )
        below = "".join(f"<p>{html.escape(note)}</p>" for note in self._below)
        return f'<div><table class="likelihood-ratios">{body}</table>{below}</div>'


def _cells(row: LikelihoodRatio) -> tuple[str, ...]:
    p = row.p_value
    shown = "" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"
    return row.name, f"{row.statistic:.6g}", str(row.degrees), shown


def likelihood_ratio_tests(machine, problem: Problem) -> LikelihoodRatios:
    """One test for each column of the problem that a machine was fitted to, and for its intercepts.

    Each problem without a column begins from the machine's weights for the others.
    """
    total, vectors = problem.total, len(problem.classes) - 1
    names = [*machine._names, *(["intercept"] if problem.lifted else [])]
    within, rows = 2 * total * machine.gap_, []
    for place, (name, new) in enumerate(zip(names, _new(problem).tolist(), strict=True)):
        if not new:
            rows.append(LikelihoodRatio(name, 0.0, 0, None))
            continue
        risk, gap = _least_without(problem, place, machine)
        statistic = max(0.0, 2 * total * (risk - machine.risk_))
        rows.append(LikelihoodRatio(name, statistic, vectors, float(chdtrc(vectors, statistic))))
        within = max(within, 2 * total * gap)
    return LikelihoodRatios(tuple(rows), within)


def _new(problem: Problem) -> np.ndarray:
    """For each column of x̃, whether it is no combination of the others."""
    codes = problem.codes[:, None].astype(np.float64)
    found = least_squares(problem.X, codes, weights=problem.weights, lifted=problem.lifted)
    return np.ones(problem.columns, dtype=bool) if found.tied is None else ~found.tied


def _least_without(problem: Problem, place: int, machine) -> tuple[float, float]:
    """The least risk without a column, or without intercepts, and how far off it may be."""
    d, weights = problem.X.shape[1], Weights(machine.coef_, machine.intercept_)
    if place == d:
        problem = problem._replace(intercept="none")
        weights = weights._replace(intercept=np.zeros_like(weights.intercept))
    elif d == 1:
        return -problem.null_log_likelihood / problem.total, 0.0
    else:
        others = np.delete(np.arange(d), place)
        problem = problem._replace(X=problem.X[:, others])
        weights = weights._replace(coef=weights.coef[:, others])
    start = weights if machine.estimate_exists_ else None
    found = minimised(problem, Limits(float(machine.tol), int(machine.max_iter)), start=start)
    assert isinstance(found, Fitted)
    return problem.risk(found.weights), found.gap
