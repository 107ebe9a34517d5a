"""What a fit says of new rows, in its own weights, and which rows it gets wrong: plain values."""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.sample.shared_rows import known_examples
from certo.tables.examples import most_frequent
from certo.tables.fit import Fitted

MAX_WRONG_TEST_ROWS = 50  # Test rows that are listed because the machine is wrong there.


def answers(fitted: Fitted) -> dict[str, Any]:
    """What the test rows say, what is proved of new rows, the weights in the units of the table,
    and the test rows that are wrong, or farthest from a number that was predicted."""
    return {
        "test": _test(fitted),
        "bound": _bound(fitted),
        "support_rows": _supports(fitted),
        "wrong": _wrong(fitted),
    }


def _test(fitted: Fitted) -> dict[str, Any] | None:
    rows, model = fitted.test, fitted.model
    if rows is None:
        return None
    counts = ~_copies(fitted)
    found: dict[str, Any] = {"rows": int(counts.sum()), "copies": int((~counts).sum())}
    found |= dict.fromkeys(("errors", "ties", "commonest", "majority", "usual_right"))
    if not fitted.examples.measured:
        y = rows.y[counts]
        found["errors"] = int(np.sum(model.machine.predict(rows.X)[counts] != y))
        found["ties"] = 0
        for claim in fitted.certified.test.of_kind(TestErrors):
            found |= {"errors": claim.errors, "ties": claim.ties}
        majority, found["commonest"] = most_frequent(y)
        found["majority"], usual = majority, most_frequent(fitted.examples.y)[0]
        found["usual_right"] = int(np.sum(y == usual))
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
        usual = _usual_distance(fitted, claim.cap or np.inf)
        return {
            "error_rate": None,
            "confidence": 1 - page.delta,
            "claim": claim.name,
            "distance": claim.distance,
            "share": 1 - claim.beyond,
            "within": claim.within,
            "mean": claim.mean if claim.cap else None,
            "cap": claim.cap if claim.cap else None,
            "guessing": usual,
            "weaker_than_guessing": bool(claim.cap and claim.mean >= usual),
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


def _usual_distance(fitted: Fitted, cap: float) -> float:
    """The mean absolute error on the test rows of always predicting the training rows' mean, each
    error being counted up to the cap, as in the bound."""
    assert fitted.test is not None
    off = np.abs(fitted.test.y[~_copies(fitted)] - np.mean(fitted.examples.y))
    return float(np.mean(np.minimum(off, cap)))


def _supports(fitted: Fitted) -> int | None:
    """How many rows of the fit its rule is made of, where it is made of rows."""
    rows = getattr(fitted.model.machine, "support_", None)
    return None if rows is None else len(rows)


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
            for t in order[:MAX_WRONG_TEST_ROWS].tolist()
        ],
    }
