"""Likelihood-ratio tests: how much the likelihood falls without a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from scipy.special import chdtrc

from certo.estimators._coefficients import Table
from certo.estimators._logistic import Fitted, minimise
from certo.numbers.decimals import rounded_up
from certo.problems.logistic import LogisticProblem, Weights
from certo.solvers.least_squares import least_squares
from certo.solvers.newton import NewtonLimits
from certo.words.goodness import shown_p_value


class LikelihoodRatio(NamedTuple):
    """One column. Without degrees of freedom (other columns say the same) there is no p-value."""

    name: str
    statistic: float
    degrees: int
    p_value: float | None


@final
@dataclass(frozen=True, repr=False, eq=False)
class LikelihoodRatios(Table):
    """2·(log-likelihood with all columns − without this one), which is χ² distributed for large
    samples if the coefficients of the column are 0. A sequence of its rows.

    Parameters
    ----------
    rows : sequence of LikelihoodRatio
    within : float
        How far off a statistic may be, at most: proved by the certificates of the fits.
    """

    rows: tuple[LikelihoodRatio, ...]
    within: float

    row_kind = "column"
    css_class = "likelihood-ratios"
    _header = ("", "χ²", "df", "P>χ²")

    @property
    def notes(self) -> tuple[str, ...]:  # type: ignore[override]
        exact = f"Each χ² is proved to within {rounded_up(self.within, 2)}."
        return (exact,) if 0 < self.within < np.inf else ()

    def _cells(self, row: LikelihoodRatio) -> tuple[str, ...]:
        return row.name, f"{row.statistic:.6g}", str(row.degrees), shown_p_value(row.p_value)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "rows": [row._asdict() for row in self.rows],
            "within": self.within if np.isfinite(self.within) else None,
            "notes": list(self.notes),
        }


def likelihood_ratio_tests(machine, problem: LogisticProblem) -> LikelihoodRatios:
    """One test for each column of the problem that a machine was fitted to, and for its intercepts.

    Each problem without a column begins from the machine's weights for the others.
    """
    total, vectors = problem.total, len(problem.classes) - 1
    names = [*machine._names, *(["intercept"] if problem.lifted else [])]
    within, rows = 2 * total * machine.gap_, []
    # A column that is tied is a combination of the others.
    codes = problem.codes[:, None].astype(np.float64)
    tied = least_squares(problem.X, codes, weights=problem.weights, lifted=problem.lifted).tied
    for place, name in enumerate(names):
        if tied is not None and tied[place]:
            rows.append(LikelihoodRatio(name, 0.0, 0, None))
            continue
        risk, gap = _least_without(problem, place, machine)
        statistic = max(0.0, 2 * total * (risk - machine.risk_))
        rows.append(LikelihoodRatio(name, statistic, vectors, float(chdtrc(vectors, statistic))))
        within = max(within, 2 * total * gap)
    return LikelihoodRatios(tuple(rows), within)


def _least_without(problem: LogisticProblem, place: int, machine) -> tuple[float, float]:
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
    found = minimise(problem, NewtonLimits(float(machine.tol), int(machine.max_iter)), start=start)
    assert isinstance(found, Fitted)
    return problem.risk(found.weights), found.gap
