"""How good a machine is on rows: counts, rates and distances, and the rows where it is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import average_precision_score, confusion_matrix, roc_auc_score

from certo.certificates.encoding import counted
from certo.tables.examples import Examples, Rows, most_frequent

UNEQUAL_CLASSES = 2  # So many times the rarest class's rows make classes unequal.
MAX_WRONG_ROWS = 20  # Rows that are predicted wrong, or far off, under one heading.


def performance(machine, examples: Examples | Rows, test: Rows | None) -> dict[str, Any]:
    """The same numbers for the training rows and for the test rows, if there are any."""
    classes = hasattr(machine, "classes_")
    measure, usual = (_of_classes if classes else _of_numbers), _usual(examples.y, classes)
    rows = None if test is None or not len(test.y) else (test.X, test.y, test.places)
    return {
        "usual": usual,
        "training": measure(machine, examples.X, examples.y, examples.places, usual),
        "test": None if rows is None else measure(machine, *rows, usual),
    }


def _usual(y: np.ndarray, classes: bool) -> Any:
    """What is predicted without looking at a row: the most frequent class of the training rows, or
    their mean."""
    return most_frequent(y)[0] if classes else float(np.mean(y))


def _of_numbers(machine, X: Any, y: np.ndarray, places: np.ndarray, usual: float) -> dict[str, Any]:
    predicted = machine.predict(X)
    left = y - predicted
    spread = float(np.sum((y - y.mean()) ** 2))
    order = np.argsort(-np.abs(left), kind="stable")[:MAX_WRONG_ROWS]
    return {
        "rows": len(y),
        "root_mean_square_error": float(np.sqrt(np.mean(left**2))),
        "mean_absolute_error": float(np.mean(np.abs(left))),
        "median_absolute_error": float(np.median(np.abs(left))),
        "usual_error": float(np.sqrt(np.mean((y - usual) ** 2))),
        "usual_absolute_error": float(np.mean(np.abs(y - usual))),
        "r2": 1 - float(np.sum(left**2)) / spread if spread else None,
        "wrong": [
            {"row": int(places[t]), "label": float(y[t])}
            | {"predicted": float(predicted[t]), "residual": float(left[t])}
            for t in order
        ],
    }


def _of_classes(machine, X: Any, y: np.ndarray, places: np.ndarray, usual: Any) -> dict[str, Any]:
    predicted, classes = np.asarray(machine.predict(X)), machine.classes_
    labels = [*classes.tolist(), *sorted(set(y.tolist()) - set(classes.tolist()))]
    code = {label: k for k, label in enumerate(labels)}
    true, said = ([code[one] for one in part.tolist()] for part in (y, predicted))
    table = confusion_matrix(true, said, labels=range(len(labels)))
    right, rows, columns = np.diag(table), table.sum(axis=1), table.sum(axis=0)
    wrong = np.flatnonzero(np.not_equal(true, said))
    sizes = np.zeros(len(y))
    if has_scores := hasattr(machine, "decision_function"):
        of_classes = getattr(machine, "_class_scores", machine.decision_function)
        scores = np.asarray(of_classes(X)).reshape(len(y), -1)
        sizes = _sizes(scores, np.array(true), np.array(said), len(classes))
    furthest = wrong[np.argsort(-np.abs(sizes[wrong]), kind="stable")][:MAX_WRONG_ROWS]
    found = {
        "rows": len(y),
        "errors": len(wrong),
        "accuracy": 1 - len(wrong) / len(y),
        "usual_accuracy": float(np.mean(y == usual)),
        "labels": labels,
        "confusion": table.tolist(),
        "per_class": [
            {
                "label": label,
                "rows": int(rows[k]),
                "predicted": int(columns[k]),
                "precision": float(right[k] / columns[k]) if columns[k] else None,
                "recall": float(right[k] / rows[k]) if rows[k] else None,
            }
            for k, label in enumerate(labels)
        ],
        "roc_auc": None,
        "average_precision": None,
        "wrong": [
            {"row": int(places[t]), "label": labels[true[t]], "predicted": labels[said[t]]}
            | ({"score": float(sizes[t])} if has_scores else {})
            for t in furthest
        ],
    }
    if can_rank(machine, y):
        hit = np.asarray(y) == classes[1]
        found["roc_auc"] = float(roc_auc_score(hit, scores[:, 0]))
        found["average_precision"] = float(average_precision_score(hit, scores[:, 0]))
    return found


def rare_class_found(performance: dict[str, Any]) -> str:
    """How many rows of the rarest class are predicted as it, of the test rows if there are any;
    nothing, where classes are about equal in number, or numbers are predicted."""
    rows, which = performance["test"], "test"
    if rows is None:
        rows, which = performance["training"], "training"
    some = [k for k, one in enumerate(rows.get("per_class", ())) if one["rows"]]
    if not some:
        return ""
    each = rows["per_class"]
    rarest = min(some, key=lambda k: each[k]["rows"])
    many = each[rarest]["rows"]
    if len(some) < 2 or many * UNEQUAL_CLASSES > max(one["rows"] for one in each):
        return ""
    found = rows["confusion"][rarest][rarest]
    of, label = counted(many, f"{which} row"), str(each[rarest]["label"]).strip()
    return f"Of the {of} of class “{label}”, {found:,} {'is' if found == 1 else 'are'} found."


def can_rank(machine, y: np.ndarray) -> bool:
    """Whether there are rows of both of two classes, and scores to rank them."""
    classes = machine.classes_.tolist()
    if not hasattr(machine, "decision_function"):
        return False
    return len(classes) == 2 and set(y.tolist()) == set(classes)


def _sizes(scores: np.ndarray, true: np.ndarray, said: np.ndarray, classes: int) -> np.ndarray:
    """The score of two classes; of several, by how much that of the predicted class exceeds that of
    the true one, or of the next one where the machine does not know the true class."""
    if scores.shape[1] == 1:
        return scores[:, 0]
    rows = np.arange(len(scores))
    next_best = np.sort(scores, axis=1)[:, -2]
    known = true < classes
    other = np.where(known, scores[rows, np.where(known, true, 0)], next_best)
    return scores[rows, said] - other
