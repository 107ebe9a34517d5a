"""What is shown of regressions: coefficients, what they leave over, probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo import plots
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.sample.classes import class_sample
from certo.certificates.spaces.directions import comparison_signs, whole_direction
from certo.estimators import LeastSquares, LogisticRegression
from certo.numbers.decimals import readable
from certo.numbers.digits import three_digits
from certo.report.face import MAX_OUTPUTS_DRAWN, Face, Tile, new_axes, shows, small_axes
from certo.report.weights import Output
from certo.tables.examples import Examples, Rows
from certo.words.reader import example

MAX_FAR_ROWS = 20  # Examples with large residuals that are listed.
# Up to so many columns, and numbers in all, each column is tested by a fit without it.
MAX_TESTED_COLUMNS, MAX_TESTED_NUMBERS = 30, 1_000_000
MAX_ROBUST_PRODUCTS = 4e9  # Robust standard errors take rows × columns² multiplications.


@shows(LeastSquares)
class LeastSquaresFace(Face):
    drawn = "outputs"

    def outputs(self, machine) -> int:
        return 1  # A table has one target.

    def numbers(self, machine) -> dict[str, Any]:
        return {
            "r2": machine.r2_ if np.isfinite(machine.r2_) else None,
            "risk": machine.risk_,
            "residual_variance": _finite(machine.residual_variance_),
            "degrees_of_freedom": machine.degrees_of_freedom_,
            "rank": machine.rank_,
            "condition": _finite(machine.condition_),
            "method": machine.method_,
        }

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        r2, rank = said["r2"], said["rank"]
        tiles = [
            Tile("?" if r2 is None else three_digits(r2), "R²: share of the variation explained")
        ]
        if rank is not None and rank < said["features"]:
            tiles.append(Tile(readable(rank), "rank: linearly independent columns"))
        return tiles

    def coefficients(self, machine, examples: Examples) -> dict[str, Any]:
        return _coefficients(machine, examples) | {"is_estimate": True}

    def weights(self, machine, examples: Examples) -> list[Output]:
        return [("", machine.coef_, float(machine.intercept_))]

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        left = np.abs(y - machine.predict(X))
        order = np.argsort(-left, kind="stable")[:MAX_FAR_ROWS]
        return [(f"{example()}s with the largest residuals, the largest first", order)]

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        X, y, names = examples.X, examples.y, examples.feature_names
        places = examples.places
        yield plots.residuals(machine, X, y, ax=new_axes(), places=places)
        yield plots.normal_quantiles(machine, X, y, ax=new_axes(), places=places)
        if _finite(machine.residual_variance_):
            yield plots.leverage(machine, X, y, ax=new_axes(), places=places)
        yield plots.coefficients(machine, X, ax=_tall_axes(machine), names=names)


@shows(LogisticRegression)
class LogisticFace(Face):
    drawn = "contrasts"

    def outputs(self, machine) -> int:
        """None is drawn of coefficients that are not an estimate."""
        return len(machine.contrasts_) if machine.ridge_ or machine.separation_ is None else 0

    def numbers(self, machine) -> dict[str, Any]:
        return {
            "converged": bool(machine.converged_),
            "estimate_exists": machine.estimate_exists_,
            "infimum_nearby": any(
                claim.reach is not None for claim in machine.certificate_.of_kind(LogisticExcess)
            ),
            "risk": machine.risk_,
            "infimum": _finite(machine.infimum_),
            "gap": _finite(machine.gap_),
            "log_likelihood": machine.log_likelihood_,
            "null_log_likelihood": machine.null_log_likelihood_,
            "ridge": machine.ridge_,
            "rank": machine.rank_,
            "steps": int(machine.n_iter_),
            "reference": machine.reference_,
        }

    def tiles(self, said: dict[str, Any]) -> list[Tile]:
        exists, least = {
            True: ("Exists", "its minimum"),
            False: ("Does not exist", "a limit that no coefficients reach"),
            None: ("Not decided", "its infimum" + " nearby" * said["infimum_nearby"]),
        }[said["estimate_exists"]]
        likelihood = [] if said["ridge"] else [Tile(exists, "the maximum-likelihood estimate")]
        return [
            *likelihood,
            Tile(three_digits(said["risk"]), "mean loss −log p(y|x)"),
            Tile.at_most(said["gap"], f"above {least}, proved"),
        ]

    def warning(self, machine) -> str | None:
        if machine.estimate_exists_ is None:
            return "It is not decided whether a maximum-likelihood estimate exists."
        if machine.separation_ is None:
            return None
        if machine.ridge_:
            return "There is no maximum-likelihood estimate; a fit with a ridge replaces it."
        return "There is no maximum-likelihood estimate, and these coefficients are not one."

    def coefficients(self, machine, examples: Examples) -> dict[str, Any]:
        exists = machine.ridge_ > 0 or machine.estimate_exists_
        none = machine.separation_ is not None and not machine.ridge_
        doubt = "not" if none else "not proved to be"
        return _coefficients(machine, examples) | {
            "is_estimate": bool(exists and machine.converged_),
            "doubt": f"which are {doubt} an estimate",
        }

    def weights(self, machine, examples: Examples) -> list[Output]:
        compared = [c for c in machine.classes_.tolist() if c != machine.reference_]
        parts = zip(compared, machine.contrasts_, machine.contrast_intercepts_, strict=True)
        return [(f"{c} against {machine.reference_}", coef, float(b)) for c, coef, b in parts]

    def tests(self, machine, examples: Examples) -> dict[str, Any] | None:
        """Likelihood-ratio tests, each of which is a fit without a column."""
        numbers = machine.n_features_in_ * len(examples.y) * len(machine.contrasts_)
        if machine.ridge_ or machine.class_weight is not None:
            return None
        if machine.n_features_in_ > MAX_TESTED_COLUMNS or numbers > MAX_TESTED_NUMBERS:
            return None
        return machine.likelihood_ratio_tests(examples.X, examples.y).to_dict()

    def checks(self, machine, rows: Rows) -> Iterator[Axes]:
        known = np.isin(rows.y, machine.classes_)
        if known.all():
            yield plots.calibration(machine, rows.X, rows.y, ax=small_axes())

    def rows(self, machine, X, y) -> list[tuple[str, np.ndarray]]:
        proof = machine.separation_
        if proof is None:
            return []
        direction = whole_direction(proof.direction)
        assert direction is not None  # Without a direction it would not have been proved.
        sample = class_sample(X, y, proof.labels.classes)
        rises = comparison_signs(sample, direction, proof.lifted) > 0
        rows = np.flatnonzero(np.any(rises.reshape(len(rises), -1), axis=1))
        return [(f"{example()}s that are separated, at least from some class", rows)]

    def pictures(self, machine, examples: Examples) -> Iterator[Axes]:
        X, names = examples.X, examples.feature_names
        yield plots.convergence(machine, ax=new_axes())
        for group in range(min(self.outputs(machine), MAX_OUTPUTS_DRAWN)):
            yield plots.coefficients(machine, X, group, ax=_tall_axes(machine), names=names)


def _coefficients(machine, examples: Examples) -> dict[str, Any]:
    """The summary of a machine, with robust standard errors beside the usual ones where both can be
    computed."""
    table = machine.summary().to_dict()
    columns = len(table["rows"])
    robust: list[Any] = [None] * columns
    if len(examples.y) * columns**2 <= MAX_ROBUST_PRODUCTS:
        with suppress(ValueError):  # As of columns that depend on each other.
            found = machine.summary(robust="HC3", X=examples.X, y=examples.y)
            robust = [row.standard_error for row in found]
    for row, error in zip(table["rows"], robust, strict=True):
        row["robust_error"] = error
    return table


def _tall_axes(machine) -> Axes:
    """Room for a line for each coefficient."""
    lines = min(machine.n_features_in_, plots.MAX_COEFFICIENTS_DRAWN)
    return new_axes(max(4.2, 1.4 + 0.22 * lines))


def _finite(value: float | None) -> float | None:
    return float(value) if value is not None and np.isfinite(value) else None
