"""Fits and verdicts as plain JSON values: all that commands print and pages show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from certo import __version__
from certo.certificates.base import (
    Certificate,
    NotClaimed,
)
from certo.certificates.certified import Certified
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.report.classifier_faces import has_kernel
from certo.report.faces import face_of
from certo.verify import together
from certo.workflow import CannotSeparate, Compared, Decided, Examples, Fitted, of_the_file

MOST_LISTED = 50  # rows of the table, where there may be very many
LONGEST = 12  # digits of a fraction that is still read as one


def facts(fitted: Fitted) -> dict[str, Any]:
    """What there is to say about a fit."""
    examples, machine, page = fitted.examples, fitted.model.machine, fitted.certified
    face = face_of(machine)
    return {
        "certo": __version__,
        "machine": type(machine).__name__,
        "kernel": repr(machine.kernel_) if has_kernel(machine) else None,
        "settings": {name: _plain(value) for name, value in machine.get_params().items()},
        **_about(examples),
        "status": of_the_file(machine.status_, examples.places),
        "warning": face.warning(machine),
        **face.numbers(machine),
        **_success(machine, examples),
        "test_examples": None if fitted.test is None else len(fitted.test.y),
        "test_error": _test_error(fitted),
        "test_fingerprint": fitted.model.test_fingerprint,
        "coefficients": face.coefficients(machine, examples),
        "certified": _certified(page),
        "claims": [_claim(claim, examples) for claim in page],
        "not_claimed": [_refusal(refusal, examples) for refusal in page.not_claimed],
        "listed": [
            {"what": what, "total": len(rows)} | _shown(machine, examples, rows[:MOST_LISTED])
            for what, rows in face.rows(machine, examples.X, examples.y)
        ],
    }


def _shown(machine, examples: Examples, rows: np.ndarray) -> dict[str, Any]:
    """Rows of the table, with what a regression predicts of them."""
    items = listed(examples, rows)
    if examples.measured:
        for item, value in zip(items, machine.predict(examples.X[rows]).tolist(), strict=True):
            item["predicted"] = value
    return {"rows": items}


def _success(machine, examples: Examples) -> dict[str, float]:
    """How good the machine is on its own examples, and what is reached without looking at them."""
    y, predicted = examples.y, machine.predict(examples.X)
    if examples.measured:
        return {
            "training_error": float(np.sqrt(np.mean((y - predicted) ** 2))),
            "deviation": float(np.std(y)),
        }
    return {
        "training_accuracy": float(np.mean(predicted == y)),
        "commonest": max(Counter(y.tolist()).values()) / len(y),
    }


def _test_error(fitted: Fitted) -> float | None:
    """Root of the mean square, of a regression; what is wrong of classes is counted by a claim."""
    if fitted.test is None or not fitted.examples.measured:
        return None
    X, y = fitted.test.pair
    return float(np.sqrt(np.mean((y - fitted.model.machine.predict(X)) ** 2)))


def curve_facts(compared: Compared) -> dict[str, Any]:
    """What there is to say about kernels beside each other."""
    curve, near = compared.curve, compared.curve.neighbours
    columns = (
        curve.training_error, curve.validation_error, curve.standard_error, curve.supports,
    )  # fmt: skip
    names = "training_error", "validation_error", "standard_error", "supports"
    return {
        "certo": __version__,
        **_about(compared.examples),
        "rows": [
            {"kernel": repr(kernel), "best": k == curve.best_index}
            | {
                name: float(column[k]) if curve.separable[k] else None
                for name, column in zip(names, columns, strict=True)
            }
            for k, kernel in enumerate(curve.kernels)
        ],
        "best_is_at_end": curve.best_is_at_end,
        "neighbours": None
        if near is None
        else {
            "best": near.best,
            "name": near.name,
            "tried": list(near.ks),
            "training_error": near.training_error,
            "validation_error": near.validation_error,
        },
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
        **_about(examples),
        "intercept": decided.intercept,
        "separable": answers[0]["separable"],
        "answers": answers,
        "certificate": verdict.to_dict(),
    }


def refusal_facts(wrong: CannotSeparate) -> dict[str, Any]:
    """Why a machine that needs separable classes has no answer."""
    answer = _answer(wrong.proof, "classes", wrong.examples)
    return {"error": str(wrong), "proof": answer["proof"], "meeting": answer["meeting"]}


def _about(examples: Examples) -> dict[str, Any]:
    encoder, y = examples.encoder, examples.y
    ends = [float(y.min()), float(y.max())] if examples.measured else None
    return {
        "target": examples.target,
        "classes": None if examples.measured else np.unique(y).tolist(),
        "target_range": ends,
        "examples": len(examples.y),
        "features": int(examples.X.shape[1]),
        "columns": {
            "numbers": list(encoder.number_names_),
            "categories": list(encoder.category_names_),
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


def _certified(page: Certified) -> dict[str, Any]:
    """What is said of all claims together."""
    said = together(page, holds=True)
    more = {"remarks": list(page.remarks), "assumes": list(page.assumes)}
    return {"model": page.model, "delta": page.delta, **said, **more}


def _claim(claim: Certificate, examples: Examples) -> dict[str, Any]:
    about = examples.target if examples.measured else claim.labels.name()
    if _of_all_classes(claim) and len(claim.labels.classes) > 2:
        about = "all classes"
    found: dict[str, Any] = {
        "type": claim.name,
        "about": about,
        "plain": of_the_file(claim.plain, examples.places),
        "claim": of_the_file(claim.claim, examples.places),
        "assumes": list(claim.assumes),
        "numbers": claim.numbers,
        "rigour": {how: text for how, text in claim.rigour._asdict().items() if text},
    }
    found["vacuous"] = isinstance(claim, RiskBound) and claim.vacuous
    found["informative"] = claim.informative
    if isinstance(claim, RiskBound):
        found["bounds"] = claim.bounds
    return found


def _refusal(refusal: NotClaimed, examples: Examples) -> dict[str, Any]:
    said = refusal.to_dict()
    return said | {"reason": of_the_file(said["reason"], examples.places)}


def _of_all_classes(claim: Certificate) -> bool:
    if isinstance(claim, RiskBound):
        return not isinstance(claim, CompressionBound) or claim.of_predictions
    return isinstance(claim, LogisticExcess | NoEstimate | TrainingErrors)


def _answer(
    verdict: Any, question: str, examples: Examples, some: np.ndarray | None = None
) -> dict[str, Any]:
    """One verdict with its witness, in the words of the table. `some`: it is about these alone."""
    labels = verdict.labels
    alone = question == "from the rest"
    answer: dict[str, Any] = {
        "question": question,
        "about": [labels.classes[labels.positive]] if alone else list(labels.classes),
        "separable": isinstance(verdict, Separable),
        "claim": verdict.claim,
    }
    names, several = examples.feature_names, labels.positive is None
    if isinstance(verdict, Separable) and not several:
        answer["margin"] = verdict.margin
        answer["positive"] = labels.name()
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
    columns = examples.encoder.column_names
    cells = examples.table.select(columns).take(rows).to_pylist()
    found = []
    for row, values in zip(rows.tolist(), cells, strict=True):
        shown = {name: _plain(value) for name, value in values.items()}
        label = examples.y[row].item()
        found.append({"row": int(examples.places[row]), "label": label, "values": shown})
    for item, weight in zip(found, weights, strict=False):
        item["weight"] = shown_weight(weight)
    return found


def shown_weight(weight: Fraction) -> str:
    """A fraction to read: exactly if it is short."""
    if weight.denominator < 10**LONGEST:
        return str(weight)
    return f"about {float(weight):.6g}" if float(weight) else "nearly 0"
