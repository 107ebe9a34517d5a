"""What every machine shares whose score is coef·x + intercept."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from certo.blas import one_thread
from certo.certificates.composite import Composite
from certo.certificates.sample.labels import Labels
from certo.estimators import _input
from certo.estimators._late import LateModule
from certo.facts import InputError
from certo.scale.opening import as_blocks, is_in_blocks
from certo.stop import Stop
from certo.words import refusals

if TYPE_CHECKING:
    from certo.estimators import _scores
else:  # Whoever reads a model from a file does not load the loops that score.
    _scores = LateModule("certo.estimators._scores")


class Absent:
    """An attribute that some fits do not set. Until one does, to read it is an AttributeError that
    says why."""

    def __init__(self, why: str):
        self.why = why

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, machine: Any, owner: type) -> Any:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}{self.why}")


class Later(Absent):
    """An attribute that a fit may leave to be made when it is first read, by the function that
    `make_later` has kept for it."""

    def __get__(self, machine: Any, owner: type) -> Any:
        later = {} if machine is None else vars(machine).get("_later", {})
        if self.name not in later:
            return super().__get__(machine, owner)
        try:
            with one_thread():  # The examples are few.
                made = later[self.name](machine)
        except AttributeError as wrong:  # It would be taken for an attribute that is not there.
            raise RuntimeError(f"{self.name} could not be made: {wrong}") from wrong
        setattr(machine, self.name, made)
        del later[self.name]
        if not later:
            forget(machine, "_later")
        return made


MAX_LATER_NUMBERS = 2**17  # Numbers that a fit may keep: a megabyte.


def make_later(
    machine: Any,
    *data: Any,
    at_once_above: int | None = None,
    **makers: Callable[..., Any],
) -> None:
    """Set attributes of a fit to what a function for each makes of the machine and the data,
    arrays or sparse matrices: now; or, if these are small, when the attribute is first read or
    stored, from copies that nobody changes. In a search over settings hardly anybody reads them,
    and they take longer than the fit."""
    forget(machine, "_later", *makers)
    at_once_above = MAX_LATER_NUMBERS if at_once_above is None else at_once_above
    if sum(part.nnz if sparse.issparse(part) else part.size for part in data) > at_once_above:
        for name, make in makers.items():
            setattr(machine, name, make(machine, *data))
        return
    kept = [part.copy() for part in data]
    machine._later = {name: _with_data(make, kept) for name, make in makers.items()}


def _with_data(make: Callable[..., Any], data: list[Any]) -> Callable[[Any], Any]:
    return lambda machine: make(machine, *data)


def forget(machine: Any, *names: str) -> None:
    """Delete what an earlier fit with other settings may have left."""
    for name in names:
        if name in vars(machine):
            delattr(machine, name)


class Proving:
    """A machine whose stored state is plain values, with its `certificate_`, a Composite, and, if
    it has one, `trace_` of its `trace_kind`, a dataclass of plain values."""

    certificate_: Any = Later(": fit sets it.")
    status_: Any = Later(": fit sets it.")
    _stop: Stop  # Why the last fit ended.
    trace_kind: ClassVar[type | None] = None

    def __getstate__(self) -> dict[str, Any]:
        """Plain values only, so that a model file can hold them."""
        for name in tuple(vars(self).get("_later", ())):
            getattr(self, name)
        state = dict(super().__getstate__())  # type: ignore[call-overload]
        for name in ("_seen_rows", "_stop"):  # Files hold neither of them.
            state.pop(name, None)
        if "certificate_" in state:
            with suppress(ValueError):  # A kernel that is a function can only be pickled.
                state["certificate_"] = json.dumps(state["certificate_"].to_dict())
        if self.trace_kind is not None and "trace_" in state:
            state["trace_"] = dict(vars(state["trace_"]))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if isinstance(state.get("certificate_"), str):
            state["certificate_"] = Composite.from_dict(json.loads(state["certificate_"]))
        if self.trace_kind is not None and "trace_" in state:
            state["trace_"] = self.trace_kind(**state["trace_"])
        super().__setstate__(state)  # type: ignore[misc]


NO_PROBABILITIES = (
    ": its scores are no probabilities. scikit-learn's CalibratedClassifierCV makes some of them, "
    "and LogisticRegression has its own."
)


class LinearClassifier(Proving, ClassifierMixin):
    """Scores and predictions of a layer of hyperplanes, one for each output.

    A machine's fit sets `coef_` (n_outputs, n_features), `intercept_` (n_outputs,), `classes_`,
    `_multilabel` (whether y was a 0/1 matrix), and what `Proving` names. Its parameter
    `zero_sign`, if it has one, is the side predicted at a score of exactly 0; else that is +1.
    """

    coef_: Any
    intercept_: np.ndarray
    classes_: np.ndarray
    _multilabel: bool
    predict_proba: Any = Absent(NO_PROBABILITIES)
    predict_log_proba: Any = Absent(NO_PROBABILITIES)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def decision_function(self, X):
        """Scores coef·x + intercept: (n_samples,) for two classes, else (n_samples, n_outputs)."""
        check_is_fitted(self)
        if is_in_blocks(X):
            return np.concatenate([self.decision_function(block.X) for block in as_blocks(X)])
        X = _input.examples(self, X)
        return self._shaped_scores(_scores.of_layer(X, self.coef_, self.intercept_, self._use))

    @property
    def _use(self) -> _scores.Use:
        """The class of the highest score is predicted, or the side of each."""
        return "signs" if self._multilabel or len(self.classes_) <= 2 else "highest"

    def _shaped_scores(self, scores: np.ndarray) -> np.ndarray:
        return scores if self._multilabel or self._use == "highest" else scores[:, 0]

    def predict(self, X):
        """The class whose side, or for several classes whose highest score, an example is on."""
        scores = self.decision_function(X)
        if self._use == "highest":
            return self.classes_[np.argmax(scores, axis=1)]
        if len(self.classes_) == 1:
            return np.full(len(scores), self.classes_[0])
        positive = scores >= 0 if getattr(self, "zero_sign", 1) == 1 else scores > 0
        return positive.astype(int) if self._multilabel else self.classes_[positive.astype(int)]

    def _comparators(self, coef, intercept) -> tuple[np.ndarray, np.ndarray]:
        """Weights to compare the machine with: (n_outputs, n_features), or (n_features,) for one
        output, and their intercepts."""
        coef = np.atleast_2d(np.asarray(coef, dtype=np.float64))
        if coef.shape != self.coef_.shape or not np.all(np.isfinite(coef)):
            raise InputError(refusals.other_coef, self.coef_.shape, coef.shape)
        return coef, np.broadcast_to(np.asarray(intercept, dtype=np.float64), len(coef))

    @property
    def outputs_(self) -> list[Labels]:
        """Which labels count as +1 and −1 for each output."""
        check_is_fitted(self)
        if self._multilabel:
            return _input.columns(len(self.classes_))
        return _input.one_against_rest(self.classes_)
