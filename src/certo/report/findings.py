"""Fits and verdicts as plain JSON values: all that commands print and pages show."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from importlib import metadata
from typing import Any

import numpy as np

from certo import __version__
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.estimators.description import has_kernel
from certo.report.face import face_of
from certo.report.performance import performance
from certo.report.weights import weights
from certo.tables.certify import CertifiedTable
from certo.tables.curve import Compared
from certo.tables.examples import Examples, Rows, most_frequent
from certo.tables.fit import CannotSeparate, Fitted
from certo.tables.separable import Decided
from certo.verify import page_facts
from certo.words.labels import name_of

MAX_ROWS_LISTED = 50  # Rows of the table that are listed under one heading.
MAX_FRACTION_DIGITS = 12  # Digits of a denominator that is still read as one.


def facts(fitted: Fitted) -> dict[str, Any]:
    """What there is to say about a fit, for a reader of its file."""
    examples, machine, test = fitted.examples, fitted.model.machine, fitted.test
    with examples.reading():
        face, page = face_of(machine), page_facts(fitted.certified, (), holds=True)
        outputs, held_out = face.weights(machine, examples), fitted.model.held_out
        found = performance(machine, examples, test)
        if found["test"] is not None:
            _add_values(found["test"]["wrong"], test, examples.encoder.column_names)
        return {
            "certo": __version__,
            "machine": type(machine).__name__,
            "kernel": repr(machine.kernel_) if has_kernel(machine) else None,
            "settings": {name: _plain(value) for name, value in machine.get_params().items()},
            "device": getattr(machine, "device_", "cpu"),
            **about(examples),
            "status": machine.status_,
            "warning": face.warning(machine),
            **face.numbers(machine),
            **_success(found, examples),
            "test_examples": None if test is None else len(test.y),
            # What is wrong of classes is counted by a claim.
            "test_error": (found["test"] or {}).get("root_mean_square_error"),
            "test_fingerprint": fitted.model.test_fingerprint,
            "held_out": held_out and {"share": held_out.share, "seed": held_out.seed},
            "performance": found,
            "weights": None if outputs is None else weights(outputs, examples),
            "coefficients": face.coefficients(machine, examples),
            "tests": face.tests(machine, examples),
            "versions": versions(),
            **page,
            "listed": [
                {"what": what, "total": len(rows)}
                | {"rows": _shown(machine, examples, rows[:MAX_ROWS_LISTED])}
                for what, rows in face.rows(machine, examples.X, examples.y)
            ],
        }


def _add_values(items: list[dict[str, Any]], rows: Rows | None, names: list[str]) -> None:
    """To rows that are told by their numbers in the file, the values of the columns used."""
    assert rows is not None
    if not items or rows.table is None:
        return
    order = {int(place): t for t, place in enumerate(rows.places)}
    cells = rows.table.select(names).take([order[item["row"]] for item in items]).to_pylist()
    for item, values in zip(items, cells, strict=True):
        item["values"] = {name: _plain(value) for name, value in values.items()}


def versions() -> dict[str, str]:
    """Of what the numbers of a fit depend on."""
    import platform

    packages = ("numpy", "scipy", "scikit-learn", "numba")
    return {"certo": __version__, "python": platform.python_version()} | {
        name: metadata.version(name) for name in packages
    }


def _shown(machine, examples: Examples, rows: np.ndarray) -> list[dict[str, Any]]:
    """Rows of the table, with what a regression predicts of them."""
    items = listed(examples, rows)
    if examples.measured:
        for item, value in zip(items, machine.predict(examples.X[rows]).tolist(), strict=True):
            item["predicted"] = value
    return items


def _success(found: dict[str, Any], examples: Examples) -> dict[str, float]:
    """How good the machine is on its own examples, and what is reached without looking at them."""
    if examples.measured:
        error = found["training"]["root_mean_square_error"]
        return {"training_error": error, "deviation": float(np.std(examples.y))}
    return {
        "training_accuracy": found["training"]["accuracy"],
        "commonest": most_frequent(examples.y)[1] / len(examples.y),
    }


def certified_facts(found: CertifiedTable, model: Any) -> dict[str, Any]:
    """What a report says of a model of scikit-learn besides the claims about it."""
    X, y = found.pair
    test = None if found.test_pair is None else Rows.of(*found.test_pair)
    classes = np.unique(y).tolist() if hasattr(model, "classes_") else None
    return {
        "certo": __version__,
        "machine": _name(model),
        "kernel": None,
        "classes": classes,
        "target_range": None if classes else [float(y.min()), float(y.max())],
        "commonest": most_frequent(y)[1] / len(y) if classes else None,
        "examples": len(y),
        "features": int(X.shape[1]),
        "columns": {"numbers": found.columns, "categories": [], "texts": [], "dropped": []},
        "references": {},
        "scale": "none",
        "missing": "refuse",
        "na": [],
        "held_out": None,
        "performance": performance(model, Rows.of(X, y), test),
        "versions": versions(),
    }


def _name(model: Any) -> str:
    """Its type; of a pipeline, those of its steps."""
    steps = [step for _, step in getattr(model, "steps", [])] or [model]
    return " → ".join(type(step).__name__ for step in steps)


def curve_facts(compared: Compared) -> dict[str, Any]:
    """What there is to say about kernels beside each other."""
    curve, near = compared.curve, compared.curve.neighbours
    names = "training_error", "validation_error", "standard_error", "supports"
    rows: list[dict[str, Any]] = []
    for k, kernel in enumerate(curve.kernels):
        found = {
            name: float(getattr(curve, name)[k]) if curve.separable[k] else None for name in names
        }
        rows.append({"kernel": repr(kernel), "best": k == curve.best_index} | found)
    neighbours = None
    if near is not None:
        neighbours = {
            "best": near.best,
            "name": near.name,
            "tried": list(near.ks),
            "training_error": near.training_error,
            "validation_error": near.validation_error,
        }
    return {
        "certo": __version__,
        **about(compared.examples),
        "rows": rows,
        "best_is_at_end": curve.best_is_at_end,
        "neighbours": neighbours,
        "curve": curve.to_dict(),
    }


def verdict_facts(decided: Decided) -> dict[str, Any]:
    """What there is to say about whether classes are separable: a list of questions answered.

    `separable` is the answer as a whole: for more than two classes, whether one score for each
    class can always be highest in the right one.
    """
    verdict, examples = decided.verdict, decided.examples
    if not isinstance(verdict, ClassSeparability):
        answers = [_answer(verdict, "classes", examples)]
    else:
        answers = [_answer(verdict.joint, "jointly", examples)]
        answers += [_answer(one, "from the rest", examples) for one in verdict.one_against_rest]
        for pair, one in zip(verdict.pairs, verdict.pairwise, strict=True):
            answers.append(_answer(one, "pair", examples, np.isin(examples.y, pair)))
    return {
        "certo": __version__,
        **about(examples),
        "intercept": decided.intercept,
        "separable": answers[0]["separable"],
        "answers": answers,
        "certificate": verdict.to_dict(),
    }


def refusal_facts(wrong: CannotSeparate) -> dict[str, Any]:
    """Why a machine that needs separable classes has no answer."""
    answer = _answer(wrong.proof, "classes", wrong.examples)
    return {"error": str(wrong), "proof": answer["proof"], "meeting": answer["meeting"]}


def about(examples: Examples) -> dict[str, Any]:
    encoder, y = examples.encoder, examples.y
    ends = [float(y.min()), float(y.max())] if examples.measured else None
    are_labels = examples.target is not None and not examples.measured
    return {
        "target": examples.target,
        "classes": np.unique(y).tolist() if are_labels else None,
        "target_range": ends,
        "examples": len(examples.y),
        "features": int(examples.X.shape[1]),
        "columns": {
            "numbers": list(encoder.number_names_),
            "categories": list(encoder.category_names_),
            "texts": list(encoder.prose_names_),
            "dropped": list(encoder.drop),
        },
        "references": encoder.references(),
        "scale": encoder.scale,
        "missing": examples.missing,
        "na": list(examples.na),
        "notes": list(examples.notes),
        "data_fingerprint": examples.data_fingerprint,
    }


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool | None) else repr(value)


def _answer(
    verdict: Any, question: str, examples: Examples, some: np.ndarray | None = None
) -> dict[str, Any]:
    """One verdict with its witness, in the words of the table. `some`: it is about these alone."""
    labels, names, several = verdict.labels, examples.feature_names, verdict.labels.positive is None
    alone = question == "from the rest"
    with examples.reading(slice(None) if some is None else some):
        answer: dict[str, Any] = {
            "question": question,
            "about": [labels.classes[labels.positive]] if alone else list(labels.classes),
            "separable": isinstance(verdict, Separable),
            "claim": verdict.claim,
        }
    if isinstance(verdict, Separable) and not several:
        answer["margin"] = verdict.margin
        answer["positive"] = name_of(labels)
        answer["intercept"] = verdict.intercept
        answer["coefficients"] = dict(zip(names, verdict.coef.tolist(), strict=True))
    elif isinstance(verdict, Separable):
        answer["intercept"] = np.asarray(verdict.intercept).tolist()
        answer["coefficients"] = [
            dict(zip(names, weights.tolist(), strict=True)) for weights in verdict.coef
        ]
    else:
        rows = verdict.rows if some is None else np.flatnonzero(some)[verdict.rows]
        answer["proof"] = listed(examples, rows, verdict.weights)
        if several:
            for item, other in zip(answer["proof"], verdict.against.tolist(), strict=True):
                item["against"] = labels.classes[other]
        answer["meeting"] = _meeting(verdict, examples, rows)
    return answer


def _meeting(verdict: Inseparable, examples: Examples, rows: np.ndarray) -> dict[str, float] | None:
    """The point that is a weighted mean of the rows of either class (rounded), if there is one."""
    if verdict.labels.positive is None or verdict.intercept != "free":
        return None
    weights = np.array([float(weight) for weight in verdict.weights])
    positive = examples.y[rows] == verdict.labels.classes[verdict.labels.positive]
    point = (weights * positive) @ examples.X[rows] / (weights @ positive)
    return dict(zip(examples.feature_names, point.tolist(), strict=True))


def listed(
    examples: Examples, rows: np.ndarray, weights: Sequence[Fraction] = ()
) -> list[dict[str, Any]]:
    """Examples as rows of the file: number, label, values of the columns used, and a weight."""
    rows = np.asarray(rows, dtype=np.int64)
    cells = examples.table.select(examples.encoder.column_names).take(rows).to_pylist()
    found: list[dict[str, Any]] = [
        {
            "row": int(examples.places[row]),
            "label": examples.y[row].item(),
            "values": {name: _plain(value) for name, value in values.items()},
        }
        for row, values in zip(rows.tolist(), cells, strict=True)
    ]
    for item, weight in zip(found, weights, strict=False):
        item["weight"] = shown_weight(weight)
    return found


def shown_weight(weight: Fraction) -> str:
    """A fraction to read: exactly if it is short."""
    if weight.denominator < 10**MAX_FRACTION_DIGITS:
        return str(weight)
    return f"about {float(weight):.6g}" if float(weight) else "nearly 0"
