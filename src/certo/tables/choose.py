"""A machine chosen by cross-validation among a few, on the rows that are not held out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from sklearn.base import clone

from certo.data import columns
from certo.data.encoder import advice_in_fit
from certo.data.problem import Problem
from certo.estimators import SVM, LeastSquares, LogisticRegression
from certo.estimators.description import describe
from certo.kernels.gaussian import Gaussian
from certo.stop import Stop
from certo.tables.examples import Examples, Rows, encode_rows, encode_table
from certo.tables.held_out import HeldOut
from certo.tables.task import Learns

FOLDS = 5
MAX_ROWS_COMPARED = 5000  # Rows drawn for the comparison: it must not take longer than the fit.
MAX_KERNEL_ROWS = 100_000  # With more rows, a fit with a kernel takes too long to be tried.

#: What is compared.
CANDIDATES: dict[Learns, dict[str, Any]] = {
    "classes": {
        "svm, C = 0.1": SVM(C=0.1),
        "svm, C = 1": SVM(C=1.0),
        "svm, C = 10": SVM(C=10.0),
        "svm, Gaussian kernel": SVM(Gaussian()),
        "logistic, ridge = 0.01": LogisticRegression(ridge=0.01),
    },
    "numbers": {
        "least-squares": LeastSquares(),
        "least-squares, ridge = 0.01": LeastSquares(ridge=0.01),
        "least-squares, ridge = 1": LeastSquares(ridge=1.0),
    },
}


@dataclass(frozen=True)
class Choice:
    """Candidates by name with their cross-validated errors: the share that is wrong, or the root
    mean square error of a number. None: a candidate that has no answer for some fold."""

    learns: Learns
    errors: dict[str, float | None]
    rows: int  # How many rows were compared on.
    folds: int

    @property
    def best(self) -> str:
        """The first of those with the least error."""
        found = {name: error for name, error in self.errors.items() if error is not None}
        if not found:
            raise Problem("none of the machines that were compared has an answer for this table.")
        return min(found, key=found.__getitem__)

    def machine(self) -> Any:
        return clone(CANDIDATES[self.learns][self.best])

    def to_dict(self) -> dict[str, Any]:
        return {
            "best": self.best,
            "rows": self.rows,
            "folds": self.folds,
            "errors": [{"machine": name, "error": error} for name, error in self.errors.items()],
        }


def choose(
    table: Any,
    target: str,
    learns: Learns,
    held_out: HeldOut | None,
    seed: int,
    report: Callable[[int, int], None] = lambda done, total: None,
    *,
    scale: str | None = None,
    **choices: Any,
) -> Choice:
    """Compare the candidates on a table without its rows that are held out. Encodings, as scales
    and levels, are learnt in every fold anew; `choices` are those of `encode_table`."""
    table = columns.as_table(table)
    rows = np.arange(table.num_rows)
    if held_out is not None:
        rows = rows[~held_out.of(table.num_rows)]
    if choices.get("missing") == "drop":
        marked = columns.with_missing(table, choices.get("na", ()), choices.get("category", ()))
        marked = marked.drop_columns(list(choices.get("drop", ())))
        whole = np.logical_and.reduce([column.is_valid().to_numpy() for column in marked.columns])
        rows = rows[whole[rows]]
    drawn = np.random.RandomState(seed).permutation(rows)[:MAX_ROWS_COMPARED]
    if len(drawn) < 2 * FOLDS:
        raise Problem(
            f"to choose a machine by cross-validation, at least {2 * FOLDS} rows are needed, got "
            f"{len(drawn)}. Name a machine."
        )
    given: dict[str, Any] = {"missing": "refuse", "na": (), **choices, "scale": scale}
    # An error in any row is found in the whole table, where rows have their numbers.
    encode_table(table, target, measured=learns == "numbers", **given | {"scale": "none"})
    candidates = {
        name: one
        for name, one in CANDIDATES[learns].items()
        if len(rows) <= MAX_KERNEL_ROWS or getattr(one, "kernel", None) is None
    }
    losses: dict[str, list[float] | None] = {name: [] for name in candidates}
    parts = np.array_split(drawn, FOLDS)
    for k, part in enumerate(parts):
        rest = np.concatenate(parts[:k] + parts[k + 1 :])
        fold = _Fold(table.take(pa.array(rest)), table.take(pa.array(part)), target, given)
        for i, (name, candidate) in enumerate(candidates.items()):
            some = losses[name]
            if some is not None:
                found = fold.losses(candidate)
                losses[name] = None if found is None else [*some, *found]
            report(k * len(candidates) + i + 1, FOLDS * len(candidates))
    errors = {name: None if some is None else _mean(some, learns) for name, some in losses.items()}
    return Choice(learns, errors, len(drawn), FOLDS)


def _mean(losses: list[float], learns: Learns) -> float:
    mean = float(np.mean(losses))
    return mean if learns == "classes" else float(np.sqrt(mean))


class _Fold:
    """Rows to fit to and others to try the fit on, encoded once for all machines that take them in
    the same way."""

    def __init__(self, seen: pa.Table, unseen: pa.Table, target: str, choices: dict[str, Any]):
        self.seen, self.unseen = seen, unseen
        self.target, self.choices = target, choices
        self.encoded: dict[Any, tuple[Examples, Rows]] = {}

    def losses(self, candidate: Any) -> list[float] | None:
        """The loss on each unseen row, after a fit to those seen; None, where there is no
        answer."""
        known = describe(candidate)
        assert known is not None
        measured = known.learns == "numbers"
        scale = self.choices["scale"]
        if scale is None:
            scale = "none" if known.ignores_scale(candidate) else "standard"
        key = scale, known.needs_reference_levels(candidate), measured
        if key not in self.encoded:
            self.encoded[key] = self._encode(*key)
        examples, others = self.encoded[key]
        machine = clone(candidate)
        try:
            said = machine.fit(examples.X, examples.y).predict(others.X)
        except (ArithmeticError, RuntimeError, ValueError):
            return None
        if getattr(machine, "_stop", None) is Stop.BY_HAND:  # The machine has caught a Ctrl-C.
            raise KeyboardInterrupt
        losses = (said - others.y) ** 2 if measured else said != others.y
        return np.asarray(losses, dtype=float).tolist()

    def _encode(self, scale: str, references: bool, measured: bool) -> tuple[Examples, Rows]:
        given = self.choices | {"scale": scale}
        examples = encode_table(
            self.seen, self.target, measured=measured, reference_levels=references, **given
        )
        others = encode_rows(
            self.unseen, examples.encoder, self.target, given["missing"], given["na"], measured,
            advice_in_fit,
        )  # fmt: skip
        return examples, others
