"""The facts of a fit as plain data, and the page made of them."""

from __future__ import annotations

import json
from collections import Counter
from importlib.resources import files
from typing import Any

import jinja2
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from certo import __version__, plots
from certo.certificates import Certificate
from certo.certificates.encoding import readable
from certo.report.svg import inline_svg
from certo.workflow import Fitted

MOST_PICTURED = 6  # neurons drawn one by one
MOST_OPEN = 6  # claims of a kind that are seen before the rest is unfolded


def facts(fitted: Fitted) -> dict[str, Any]:
    """What there is to say about a fit, as plain JSON values."""
    model, machine = fitted.model, fitted.model.machine
    correct = machine.predict(fitted.X) == fitted.y
    return {
        "certo": __version__,
        "machine": type(machine).__name__,
        "settings": {name: _plain(value) for name, value in machine.get_params().items()},
        "target": model.target,
        "classes": [label.item() for label in machine.classes_],
        "examples": model.rows,
        "features": int(fitted.X.shape[1]),
        "columns": {
            "numbers": list(model.encoder.number_names_),
            "categories": list(model.encoder.category_names_),
            "dropped": list(model.encoder.drop),
        },
        "scale": model.encoder.scale,
        "missing": model.missing,
        "na": list(model.na),
        "notes": list(model.notes),
        "status": machine.status_,
        "converged": bool(machine.converged_),
        "epochs": int(machine.n_iter_),
        "updates": machine.updates_.tolist(),
        "training_accuracy": float(correct.mean()),
        "commonest": max(Counter(fitted.y.tolist()).values()) / len(fitted.y),
        "claims": [_claim(claim) for claim in machine.certificate_],
        "not_claimed": [refusal.to_dict() for refusal in machine.certificate_.not_claimed],
        "data_fingerprint": model.data_fingerprint,
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else repr(value)


def _claim(claim: Certificate) -> dict[str, Any]:
    return {
        "type": claim.name,
        "about": claim.labels.name(),
        "claim": claim.claim,
        "assumes": list(claim.assumes),
        "numbers": claim.numbers,
    }


def html_report(fitted: Fitted, said: dict[str, Any]) -> str:
    """One HTML file with everything in it: style, pictures, certificates in words.

    `said` are the facts of the fit, with what became of them (`model_fingerprint`, `verify_with`);
    the page holds them as JSON too, in its last element.
    """
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["readable"] = readable
    template = environment.from_string(
        files("certo.report").joinpath("page.html").read_text("utf-8")
    )
    return template.render(
        facts=said,
        claims=_grouped(said["claims"], "type"),
        refusals=_grouped(said["not_claimed"], "name"),
        pictures=_pictures(fitted),
        most_pictured=MOST_PICTURED,
        most_open=MOST_OPEN,
        as_json=json.dumps(said).replace("<", "\\u003c"),  # no tag can end the script early
    )


def _grouped(items: list[dict[str, Any]], key: str) -> dict[str, list[dict[str, Any]]]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for item in items:
        groups.setdefault(item[key], []).append(item)
    return groups


def _axes() -> Axes:
    """Axes of a figure that no window knows of."""
    return Figure(figsize=(5.2, 4.2), layout="constrained").add_subplot()


def _pictures(fitted: Fitted) -> list[dict[str, str]]:
    machine, X, y = fitted.model.machine, fitted.X, fitted.y
    encoder = fitted.model.encoder
    names = list(encoder.get_feature_names_out())
    if encoder.scaler_ is not None:
        names[: len(encoder.number_names_)] = [f"{name} (scaled)" for name in encoder.number_names_]
    drawn = []
    for output in range(min(len(machine.coef_), MOST_PICTURED)):
        drawn.append(plots.boundary(machine, X, y, output, ax=_axes(), names=names))
        drawn.append(plots.squared_norm(machine, output, ax=_axes()))
    drawn.append(plots.mistakes(machine, ax=_axes()))
    return [
        {"title": ax.get_title().replace(r"\$", "$"), "svg": inline_svg(ax.figure, f"picture{k}-")}
        for k, ax in enumerate(drawn)
    ]
