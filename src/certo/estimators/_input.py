"""Examples and labels as the solvers take them, or an error that says what is wrong where."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_feature_names,
    _check_sample_weight,
    check_array,
    column_or_1d,
    validate_data,
)

from certo.certificates.margins.solution import MARGIN_INTERCEPTS
from certo.certificates.sample.labels import Labels
from certo.containers import count, exact_input, exact_labels
from certo.facts import InputError, LabelTypeError
from certo.kernels.base import Kernel
from certo.scale.device import on_host
from certo.seen_rows import SeenRows
from certo.words import refusals

# Beyond these lengths products of examples and weights over- or underflow in float64.
LONGEST, SHORTEST = 1e140, 1e-140

_ACCEPTED: dict[str, Any] = {
    "accept_sparse": "csr",
    "accept_large_sparse": True,
    "dtype": [np.float64, np.float32],
    "order": "C",
}


# Arrays that scikit-learn's `validate_data` returns as they are need not wait for it: on a small
# table it takes longer than a fit.


def _is_plain(X: Any, order: str | None = "C") -> bool:
    return (
        type(X) is np.ndarray
        and X.dtype in _ACCEPTED["dtype"]
        and X.ndim == 2
        and X.size > 0
        and (order is None or X.flags.c_contiguous)
    )


def _are_plain_labels(y: Any, count: int) -> bool:
    return (
        type(y) is np.ndarray
        and y.shape == (count,)
        and (y.dtype.kind in "biuU" or (y.dtype == np.float64 and _is_finite(y)))
    )


def _is_finite(numbers: np.ndarray) -> bool:
    """True only if all are finite; False also where their sum overflows."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(numbers.sum()))


def _is_known(estimator, X: np.ndarray) -> bool:
    """Whether the estimator was fitted to as many features, and none had a name."""
    fitted = vars(estimator)
    return fitted.get("n_features_in_") == X.shape[1] and "feature_names_in_" not in fitted


def examples(estimator, X):
    """New examples for a fitted estimator, by scikit-learn's rules."""
    if _is_plain(X) and _is_known(estimator, X) and _is_finite(X):
        return X
    X = exact_input(on_host(X), type(estimator).__name__)
    return validate_data(estimator, X, reset=False, **_ACCEPTED)


def labelled_examples(estimator, X, y, *, reset: bool, order: str | None = "C"):
    """X and y by scikit-learn's rules, X in its own precision, and not copied if it is float32 or
    float64 in this order (None: any), or CSR. Whether X is finite is left to `longest_example`."""
    if _is_plain(X, order) and _are_plain_labels(y, len(X)) and (reset or _is_known(estimator, X)):
        if reset:
            estimator.n_features_in_ = X.shape[1]
            vars(estimator).pop("feature_names_in_", None)
            remember(estimator, X, fresh=True)
        return X, y
    X = exact_input(on_host(X), type(estimator).__name__)
    y = exact_labels(on_host(y), type(estimator).__name__)
    accepted = _ACCEPTED | {"order": order}
    X, y = validate_data(
        estimator, X, y, reset=reset, multi_output=True, ensure_all_finite=False, **accepted
    )
    if reset:
        remember(estimator, X, fresh=True)
    return X, y


def remember(estimator, X, *, fresh: bool) -> None:
    """Keep the keys of a sample of the rows of the fit, so that `certo.risk` knows them again."""
    before = None if fresh else getattr(estimator, "_seen_rows", None)
    if fresh or before is not None:
        estimator._seen_rows = SeenRows.of(X, before)


def points(estimator, kernel: Kernel, X):
    """New examples for an estimator fitted with a kernel: vectors, rows of a Gram matrix against
    the examples of the fit, or objects of any kind."""
    if kernel.takes == "vectors":
        return examples(estimator, X)
    if kernel.takes == "matrix":
        _check_feature_names(estimator, X, reset=False)
        X = exact_input(X, type(estimator).__name__)
        X = check_array(X, dtype=np.float64, order="C", ensure_all_finite=False)
        X, m = kernel.examples(X), estimator.n_features_in_
        if X.shape[1] != m:
            raise InputError(refusals.other_features, type(estimator).__name__, m, X.shape[1])
        return X
    return kernel.examples(X)


def labelled_points(estimator, kernel: Kernel | None, X, y, *, reset: bool):
    """X and y for a machine with this kernel. With one, vectors are found to be finite; whether a
    matrix is a Gram matrix is left to `check_gram`."""
    strings = isinstance(X, list | tuple) and X and isinstance(X[0], str)
    if strings and (kernel is None or kernel.takes == "vectors"):
        what = type(estimator).__name__ if kernel is None else repr(kernel)
        raise InputError(refusals.no_vectors, what, 0, X[0])
    if kernel is None:
        return labelled_examples(estimator, X, y, reset=reset)
    if kernel.takes == "vectors":
        X, y = labelled_examples(estimator, X, y, reset=reset)
        longest_example(estimator, X)
        return X, y
    y = exact_labels(y, type(estimator).__name__)
    if kernel.takes == "matrix":
        X, y = validate_data(
            estimator, exact_input(X, type(estimator).__name__), y, reset=reset,
            multi_output=True, dtype=np.float64, order="C", ensure_all_finite=False,
        )  # fmt: skip
        return kernel.examples(X), y  # The kernel names the entries that are not finite.
    X = kernel.examples(X)
    name, m = type(estimator).__name__, count(X)
    if m == 0:
        raise InputError(refusals.no_examples, name)
    if y is None:
        raise ValueError(f"{name} requires y to be passed, but the target y is None.")
    y = check_array(y, dtype=None, ensure_2d=False, ensure_all_finite=True)
    if len(y) != m:
        raise InputError(refusals.other_length, name, m, len(y))
    return X, y


def is_number(value: Any) -> bool:
    """Whether a setting is a real number: not NaN, and no truth value."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool) and value == value


class Setting(NamedTuple):
    """What a parameter of an estimator must be, in words, and whether a value is that."""

    wanted: str
    holds: Callable[[Any], bool]

    @property
    def or_none(self) -> Setting:
        return Setting(f"{self.wanted}, or None", lambda value: value is None or self.holds(value))

    def check(self, name: str, value: Any) -> None:
        if not self.holds(value):
            raise ValueError(f"{name} must be {self.wanted}, got {value!r}.")


def one_of(*choices: str) -> Setting:
    *first, last = map(repr, choices)
    return Setting(
        f"{', '.join(first)} or {last}", lambda value: isinstance(value, str) and value in choices
    )


NOT_NEGATIVE = Setting("a number of at least 0", lambda v: is_number(v) and 0 <= v < np.inf)
POSITIVE_NUMBER = Setting("a positive number", lambda v: is_number(v) and 0 < v < np.inf)
COUNT = Setting(
    "an integer of at least 1",
    lambda v: isinstance(v, numbers.Integral) and not isinstance(v, bool) and int(v) >= 1,
)
FLAG = Setting("True or False", lambda v: isinstance(v, bool | np.bool))
SECONDS = Setting("a positive number of seconds", lambda v: is_number(v) and v > 0)
MEGABYTES = Setting("a positive number of megabytes", POSITIVE_NUMBER.holds)
MEGABYTES_OR_ZERO = Setting("a number of megabytes of at least 0", NOT_NEGATIVE.holds)
LIFTED_OR_NONE = one_of("lifted", "none")
#: Those that the hard and the soft margin share.
MARGIN_SETTINGS = {
    "intercept": one_of(*MARGIN_INTERCEPTS),
    "tol": Setting("a number from 0 to below 1", lambda v: is_number(v) and 0 <= v < 1),
    "max_iter": COUNT,
    "time_limit": SECONDS.or_none,
    "cache_mb": MEGABYTES,
}


def check_settings(machine: Any, settings: Mapping[str, Setting]) -> None:
    for name, setting in settings.items():
        setting.check(name, getattr(machine, name))


def check_choice(machine, name: str, *allowed: str) -> None:
    check_settings(machine, {name: one_of(*allowed)})


def check_flag(machine, name: str) -> None:
    check_settings(machine, {name: FLAG})


def check_positive(machine, name: str, *, optional: bool = False) -> None:
    check_settings(machine, {name: POSITIVE_NUMBER.or_none if optional else POSITIVE_NUMBER})


def check_margin_settings(machine) -> None:
    check_settings(machine, MARGIN_SETTINGS)


def longest_example(estimator, X) -> float:
    """max_t ‖x_t‖², refusing NaN, infinities, and lengths for which float64 is too small."""
    from certo.compiled.rows import rows_of
    from certo.compiled.scan import greatest_square

    square, bad = greatest_square(rows_of(X), X.shape[0])
    name = type(estimator).__name__
    if bad >= 0:
        row = X[[bad]].toarray()[0] if sparse.issparse(X) else X[bad]
        column = int(np.argmax(np.where(np.isfinite(row), np.abs(row), np.inf)))
        raise InputError(refusals.unusable_entry, name, int(bad), column, float(row[column]))
    length = float(np.sqrt(square))
    entries = X.data if sparse.issparse(X) else X
    if length > LONGEST or (length < SHORTEST and np.any(entries)):
        size = np.max(np.abs(entries))  # Numbers divided by it have squares within float64.
        row = int(np.argmax(np.ravel(((abs(X) / size) ** 2).sum(axis=1))))
        raise InputError(refusals.unusable_length, name, row, length, (SHORTEST, LONGEST))
    return float(square)


def refuse_tiny_columns(estimator, table, columns, name: str = "X", weights=None) -> None:
    """Refuse one of these columns of a table that is not 0, but so small that its squares, with the
    weights of the rows, are."""
    if not len(columns):
        return
    part = abs(table[:, columns])
    if weights is not None:
        part = sparse.diags_array(np.sqrt(weights)) @ part
    largest: Any = part.max(axis=0) if part.shape[1] else np.zeros(0)
    largest = largest.toarray().ravel() if sparse.issparse(largest) else largest
    tiny = np.flatnonzero((largest > 0) & (largest < SHORTEST))
    if tiny.size:
        column, size = int(columns[tiny[0]]), float(largest[tiny[0]])
        who, weighted = type(estimator).__name__, weights is not None
        raise InputError(refusals.tiny_column, who, column, size, SHORTEST, name, weighted)


def values(estimator, y) -> np.ndarray:
    """y, whose numbers float64 can hold, as columns of finite numbers in float64."""
    name = type(estimator).__name__
    if sparse.issparse(y):
        y = y.toarray()
    try:
        values = y.astype(np.float64, copy=False)
    except (TypeError, ValueError) as wrong:
        raise ValueError(f"{name} learns numbers, but y is not: {wrong}.") from wrong
    return values[:, None] if values.ndim == 1 else values


def weights(estimator, sample_weight, X) -> np.ndarray:
    """The weights of the examples X, by scikit-learn's rules, as float64 holds them; empty, if none
    are given."""
    if sample_weight is None:
        return np.zeros(0)
    given = exact_input(on_host(sample_weight), type(estimator).__name__, "sample_weight")
    return _check_sample_weight(given, X, dtype=np.float64, ensure_non_negative=True)


class Targets(NamedTuple):
    """Labels as signs: one int8 vector of ±1 for each output."""

    classes: np.ndarray
    outputs: list[Labels]
    signs: list[np.ndarray]
    multilabel: bool

    def codes(self, rows: Any = slice(None)) -> np.ndarray:
        """The places in `classes` of the labels of these rows; not of a matrix of labels."""
        signs = np.array([part[rows] for part in self.signs])
        if len(self.signs) == 1:  # There are two classes, or there is one alone.
            return (signs[0] > 0) * np.int64(len(self.classes) - 1)
        return np.argmax(signs, axis=0)


def as_column(y) -> np.ndarray:
    """y as an array of one dimension."""
    return y if isinstance(y, np.ndarray) and y.ndim == 1 else column_or_1d(y, warn=True)


def targets(estimator, y, classes=None, *, fewest: int = 2) -> Targets:
    """Two classes: one output. More: one against the rest for each. Multi-label: one a column.
    With `fewest` = 1, one class alone is +1."""
    name = type(estimator).__name__
    if sparse.issparse(y) or (y.ndim == 2 and y.shape[1] > 1):
        if type_of_target(y) != "multilabel-indicator":
            raise InputError(refusals.label_matrix, name, y.shape, indicators=True)
        y = y.toarray() if sparse.issparse(y) else np.asarray(y)
        strange = np.argwhere((y != 0) & (y != 1))
        if strange.size:
            i, k = strange[0].tolist()
            raise InputError(refusals.no_indicator, name, i, k, y[i, k].item())
        signs = [np.where(column == 1, 1, -1).astype(np.int8) for column in np.asarray(y).T]
        return Targets(np.arange(y.shape[1]), columns(y.shape[1]), signs, True)
    y = as_column(y)
    found = _two_values(y)
    if found is None:
        if y.dtype.kind not in "iubU":  # Integers and texts may be classes.
            check_classification_targets(y)
        found = np.unique(y)
    if classes is None:
        classes = found
    else:
        classes = np.unique(np.asarray(classes))
        strangers = np.setdiff1d(found, classes)
        if strangers.size:
            rows, known_to = np.flatnonzero(y == strangers[0]), "the first call of partial_fit"
            raise InputError(
                refusals.unknown_label, strangers.tolist()[0], rows, classes.tolist(), known_to
            )
    if len(classes) < fewest:
        raise InputError(refusals.one_class, name, classes.tolist()[0])
    require_plain_labels(classes.tolist(), name)
    outputs = one_against_rest(classes)
    signs = [np.where(y == classes[labels.positive], 1, -1).astype(np.int8) for labels in outputs]
    return Targets(classes, outputs, signs, False)


def require_plain_labels(classes: Iterable[Any], who: str) -> None:
    for label in classes:
        if not isinstance(label, str | int | float | bool):
            raise LabelTypeError(refusals.unusable_label, who, label)


def one_against_rest(classes: np.ndarray) -> list[Labels]:
    """One output for each class, or one alone for two: the second class is +1."""
    plain = tuple(classes.tolist())
    return [Labels(plain, k) for k in ([1] if len(plain) == 2 else range(len(plain)))]


def columns(count: int) -> list[Labels]:
    """One output for each column of a 0/1 matrix."""
    return [Labels((0, 1), 1, column) for column in range(count)]


def _two_values(y: np.ndarray) -> np.ndarray | None:
    """The two values of a numeric y that has just two (whole) ones; a sort is not needed then."""
    if y.dtype.kind not in "iubf":
        return None
    low, high = y.min(), y.max()
    if low == high or not (float(low).is_integer() and float(high).is_integer()):
        return None
    return np.array([low, high]) if np.all((y == low) | (y == high)) else None
