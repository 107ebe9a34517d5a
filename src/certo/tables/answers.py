"""What a fit says of new rows, in its own weights, and which rows it gets wrong: plain values."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.sample.shared_rows import known_examples
from certo.tables.fit import Fitted

MAX_WRONG_LISTED = 50  # Test rows that are listed because the machine is wrong there.
MAX_WEIGHTS_LISTED = 200  # Features whose weights are listed, the most influential first.


def answers(fitted: Fitted) -> dict[str, Any]:
    """What the test rows say, what is proved of new rows, the weights in the units of the table,
    and the test rows that are wrong, or farthest from a number that was predicted."""
    return {
        "test": _test(fitted),
        "bound": _bound(fitted),
        "weights": _weights(fitted),
        "support_rows": _supports(fitted),
        "wrong": _wrong(fitted),
    }


def _test(fitted: Fitted) -> dict[str, Any] | None:
    rows, model = fitted.test, fitted.model
    if rows is None:
        return None
    counts = ~_copies(fitted)
    found: dict[str, Any] = {"rows": int(counts.sum()), "copies": int((~counts).sum())}
    found["errors"] = found["ties"] = found["commonest"] = None
    if not fitted.examples.measured:
        y = rows.y[counts]
        found["errors"] = int(np.sum(model.machine.predict(rows.X)[counts] != y))
        found["ties"] = 0
        for claim in fitted.certified.test.of_kind(TestErrors):
            found |= {"errors": claim.errors, "ties": claim.ties}
        found["commonest"] = int(np.unique(y, return_counts=True)[1].max(initial=0))
    held_out = model.held_out
    found["share"] = None if held_out is None else held_out.share
    found["seed"] = None if held_out is None else held_out.seed
    return found


def _copies(fitted: Fitted) -> np.ndarray:
    """Which test rows do not count, since they are copies of rows of the fit."""
    rows, examples = fitted.test, fitted.examples
    assert rows is not None
    if not len(fitted.certified.test):
        return np.zeros(len(rows.y), dtype=bool)
    labels = fitted.certified.test[0].labels
    return known_examples(labels, examples.X, examples.y, *rows.pair).left_out


def _bound(fitted: Fitted) -> dict[str, Any] | None:
    """The sharpest bound on the error rate, with the choice among several paid for; of numbers, the
    share of new rows that are near their predictions."""
    page = fitted.certified
    for claim in page.of_kind(TestDistances):
        return {
            "error_rate": None,
            "confidence": 1 - page.delta,
            "claim": claim.name,
            "distance": claim.distance,
            "share": 1 - claim.beyond,
            "within": claim.within,
        }
    chosen = page.sharpest
    if chosen is None or chosen.claim.vacuous:
        return None
    return {
        "error_rate": chosen.claim.best,
        "confidence": 1 - page.delta,
        "claim": chosen.claim.name,
        "on_test": chosen.on_test,
        "among": chosen.among,
        "guessing": float(chosen.claim.majority_error),
        "weaker_than_guessing": not chosen.claim.informative,
    }


def _weights(fitted: Fitted) -> dict[str, Any] | None:
    """Of a linear machine: score = Σ weight · value + intercept, in the units of the table. First
    the features that move the score most: by |weight| times the standard deviation."""
    machine, examples = fitted.model.machine, fitted.examples
    coef = getattr(machine, "coef_", None)
    if coef is None:
        return None
    weights = np.atleast_2d(coef).astype(float)
    intercepts = np.broadcast_to(np.atleast_1d(machine.intercept_), len(weights)).astype(float)
    moves = np.abs(weights).max(axis=0) * _spread(examples.X)
    scaler = examples.encoder.scaler_
    if scaler is not None:
        scaled = len(scaler.scale_)
        weights[:, :scaled] /= scaler.scale_
        intercepts = intercepts - weights[:, :scaled] @ scaler.mean_
    names = examples.encoder.get_feature_names_out()
    first = np.argsort(-moves, kind="stable")[:MAX_WEIGHTS_LISTED]
    return {
        "outputs": _outputs(fitted, len(weights)),
        "intercepts": intercepts.tolist(),
        "features": len(names),
        "rows": [
            {"name": names[j], "weights": weights[:, j].tolist(), "influence": float(moves[j])}
            for j in first.tolist()
        ],
    }


def _supports(fitted: Fitted) -> int | None:
    """How many rows of the fit its rule is made of, where it is made of rows."""
    rows = getattr(fitted.model.machine, "support_", None)
    return None if rows is None else len(rows)


def _outputs(fitted: Fitted, scores: int) -> list[Any]:
    """What a high score speaks for: a class for each score, of two classes the second."""
    if fitted.examples.measured:
        return [fitted.examples.target]
    classes = fitted.model.machine.classes_.tolist()
    return classes[1:] if scores == 1 else classes


def _spread(X: Any) -> np.ndarray:
    """The standard deviation of each column."""
    if not sparse.issparse(X):
        return np.std(X, axis=0)
    mean = np.asarray(X.mean(axis=0)).ravel()
    square = np.asarray(X.multiply(X).mean(axis=0)).ravel()
    return np.sqrt(np.maximum(square - mean**2, 0))


def _wrong(fitted: Fitted) -> dict[str, Any] | None:
    rows, machine = fitted.test, fitted.model.machine
    if rows is None:
        return None
    said = machine.predict(rows.X)
    if fitted.examples.measured:
        order = np.argsort(-np.abs(rows.y - said), kind="stable")
    else:
        order = np.flatnonzero((said != rows.y) & ~_copies(fitted))
    return {
        "total": len(order),
        "rows": [
            {"row": int(rows.places[t]), "true": rows.y[t].item(), "predicted": said[t].item()}
            for t in order[:MAX_WRONG_LISTED].tolist()
        ],
    }
