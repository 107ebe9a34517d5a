"""The facts of a fit as plain data, and the page made of them."""

from __future__ import annotations

import io
from importlib.resources import files
from typing import Any

import jinja2
import matplotlib

from certo import __version__, plots
from certo.certificates import Certificate
from certo.certificates.encoding import readable
from certo.workflow import Fitted

MOST_PICTURED = 6  # neurons drawn one by one


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
        "notes": list(model.notes),
        "status": machine.status_,
        "converged": bool(machine.converged_),
        "epochs": int(machine.n_iter_),
        "updates": machine.updates_.tolist(),
        "training_accuracy": float(correct.mean()),
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


def html_report(fitted: Fitted, model_name: str, data_name: str) -> str:
    """One HTML file with everything in it: style, pictures, certificates in words."""
    environment = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["readable"] = readable
    template = environment.from_string(files("certo.report").joinpath("page.html").read_text("utf-8"))
    return template.render(
        facts=facts(fitted), pictures=_pictures(fitted), model_name=model_name, data_name=data_name
    )


def _pictures(fitted: Fitted) -> list[dict[str, str]]:
    machine, X, y = fitted.model.machine, fitted.X, fitted.y
    names = fitted.model.encoder.get_feature_names_out()
    pictures = []
    for output in range(min(len(machine.coef_), MOST_PICTURED)):
        pictures.append(_picture(plots.boundary(machine, X, y, output, names=names)))
        pictures.append(_picture(plots.squared_norm(machine, output)))
    pictures.append(_picture(plots.mistakes(machine)))
    return pictures


def _picture(ax) -> dict[str, str]:
    buffer = io.StringIO()
    settings = {"svg.hashsalt": "certo", "svg.fonttype": "none", "font.family": "sans-serif"}
    with matplotlib.rc_context(settings):
        ax.figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    svg = buffer.getvalue()
    return {"title": ax.get_title(), "svg": svg[svg.index("<svg") :]}
