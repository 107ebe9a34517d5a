"""A fitted density as plain values, and as a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo import __version__, plots
from certo.estimators import GaussianDensity
from certo.report.claim_pages import page_of
from certo.report.face import new_axes
from certo.report.findings import _plain, about, versions
from certo.report.page import MAX_OPEN_CLAIMS, _inline, _page, grouped, plain_lines
from certo.tables.fit import Fitted
from certo.verify import page_facts

MAX_UNUSUAL_ROWS = 20  # Rows that are listed because the density is least there.
MAX_COLUMNS_DRAWN = 6  # Columns that are drawn one by one where there are more than two.
NOTHING_ABOUT_NEW_ROWS = (
    "Nothing is proved about new rows: −log p has no upper end, so that no number of test rows "
    "bounds its mean."
)


def density_facts(fitted: Fitted) -> dict[str, Any]:
    """What there is to say about a density, for a reader of its file."""
    examples, machine = fitted.examples, fitted.model.machine
    scores = machine.score_samples(examples.X)
    lowest = np.argsort(scores, kind="stable")[:MAX_UNUSUAL_ROWS].tolist()
    names = examples.feature_names
    with examples.reading():
        return {
            "certo": __version__,
            **about(examples),
            "machine": type(machine).__name__,
            "settings": {name: _plain(value) for name, value in machine.get_params().items()},
            "status": machine.status_,
            "mean_log_density": float(np.mean(scores)),
            "moments": [
                {"name": name, "mean": float(mean), "standard_deviation": float(deviation)}
                for name, mean, deviation in zip(
                    names, examples.X.mean(axis=0), examples.X.std(axis=0), strict=True
                )
            ],
            "unusual": [
                {"row": int(examples.places[t]), "log_density": float(scores[t])}
                | {"values": dict(zip(names, examples.X[t].tolist(), strict=True))}
                for t in lowest
            ],
            "new_rows": NOTHING_ABOUT_NEW_ROWS,
            "versions": versions(),
            **page_facts(fitted.certified, (), holds=True),
        }


def html_density(fitted: Fitted, said: dict[str, Any]) -> str:
    """One HTML file with everything in it; `said` are the facts, with what became of them."""
    return _page(
        "density.html",
        said,
        good=bool(said["claims"]),
        pictures=_inline(_pictures(fitted)),
        proved=plain_lines(said),
        page_of=page_of,
        claims=grouped(said["claims"], "type"),
        refusals=grouped(said["not_claimed"], "name"),
        risk=[],
        headline={"good": bool(said["claims"]), "bound": said["status"]},
        most_open=MAX_OPEN_CLAIMS,
        verify_with=said["verify_with"] if said["claims"] and said["model_fingerprint"] else None,
    )


def _pictures(fitted: Fitted) -> Iterator[Axes]:
    """The density among the rows; of more than two columns, that of each alone."""
    machine, X, names = fitted.model.machine, fitted.examples.X, fitted.examples.feature_names
    if X.shape[1] <= 2:
        yield plots.density(machine, X, ax=new_axes(), names=names)
        return
    for j in range(min(X.shape[1], MAX_COLUMNS_DRAWN)):  # Only a Gaussian has so many columns.
        alone = GaussianDensity().fit(X[:, [j]])
        yield plots.density(alone, X[:, [j]], ax=new_axes(), names=[names[j]])
