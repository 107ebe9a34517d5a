"""A look at what came out of a model file: is it a pipeline that could have been fitted?

Files may be forged with care. Whatever passes here can be used without surprises: the parts have
the right types and fit together. Whether the claims in it are true is for `verify` to find out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from certo.certificates.composite import Composite
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.data.encoder import TableEncoder, new_level_encoder
from certo.data.problem import Problem
from certo.data.regression_check import LOGISTIC, check_least_squares, check_logistic
from certo.data.soundness import (
    check_attributes,
    check_values,
    is_numbers,
    is_texts,
    of_type,
    refuse_overrides,
    require,
    require_attributes,
)
from certo.estimators import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    MinDisagreement,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
)
from certo.estimators._kernel import KernelClassifier, union_of
from certo.kernels.base import Kernel
from certo.losses.base import Loss
from certo.rates import Rate


def check_model(model) -> None:
    """Raise Problem unless the parts of a StoredModel have their types and fit together."""
    for name, kind in {
        "encoder": TableEncoder,
        "target": str,
        "missing": str,
        "na": list,
        "data_fingerprint": str,
        "rows": int,
        "notes": list,
        "test_fingerprint": str,
    }.items():
        require(type(getattr(model, name)) is kind, f"its {name} must be a {kind.__name__}.")
    require(is_texts(model.na) and is_texts(model.notes), "its na and notes must be texts.")
    require(model.missing in ("refuse", "drop"), "its missing must be 'refuse' or 'drop'.")
    features = _check_encoder(model.encoder)
    require(model.target not in model.encoder.column_names, "its target must be no feature.")
    _check_machine(model.machine, features)


def _check_encoder(encoder: TableEncoder) -> int:
    """How many features a sound encoder makes."""
    refuse_overrides(encoder)
    lists = ("number_names_", "category_names_", "text_names_", "notes_", "drop", "category")
    settings = {"scale", "drop", "category", "reference_levels"}
    check_attributes(encoder, settings, {"scaler_", "levels_", *lists} - settings)
    require(type(encoder.reference_levels) is bool, "its reference_levels must be yes or no.")
    for name in lists:
        require(is_texts(getattr(encoder, name)), f"its {name} must be texts.")
    require(encoder.scale in ("standard", "none"), "its scale must be 'standard' or 'none'.")
    names = encoder.column_names
    require(names and len(set(names)) == len(names), "its column names must differ.")
    numbers = len(encoder.number_names_)
    scaled = encoder.scale == "standard" and numbers > 0
    require((encoder.scaler_ is not None) == scaled, "its scaler and its scale disagree.")
    if encoder.scaler_ is not None:
        encoder.scaler_ = _same_scaler(encoder.scaler_, numbers)
    if encoder.levels_ is None:
        require(not encoder.category_names_, "its categories have no levels.")
        return numbers
    encoder.levels_ = _same_levels(encoder.levels_, len(encoder.category_names_))
    levels = encoder.levels_.categories_
    return numbers + sum(len(part) - encoder.reference_levels for part in levels)


def _same_scaler(stored: Any, numbers: int) -> StandardScaler:
    """A scaler with these means and scales, and else with our own settings."""
    require(type(stored) is StandardScaler, "its scaler is of another kind.")
    names = ("mean_", "scale_", "var_")
    require_attributes(stored, *names)
    for name in names:
        sound = is_numbers(getattr(stored, name), (numbers,))
        require(sound, "its scaler does not fit the columns.")
    require(np.all(stored.scale_ > 0), "its scales must be positive.")
    made = StandardScaler().fit(np.zeros((1, numbers)))
    for name in names:
        setattr(made, name, getattr(stored, name))
    return made


def _same_levels(stored: Any, categories: int) -> OneHotEncoder:
    """An encoder of these levels, and else with our own settings."""
    require(type(stored) is OneHotEncoder, "its levels are of another kind.")
    require_attributes(stored, "categories_")
    levels = stored.categories_
    require(
        isinstance(levels, list)
        and len(levels) == categories > 0
        and all(
            isinstance(part, np.ndarray) and len(part) > 0 and is_texts(part.tolist())
            for part in levels
        ),
        "its levels must be texts, a list for each category.",
    )
    longest = max(map(len, levels))
    columns = [part.tolist() + [part[0]] * (longest - len(part)) for part in levels]
    made = new_level_encoder().fit(np.array(columns, dtype=object).T)
    same = all(map(np.array_equal, made.categories_, levels))
    require(same, "its levels must differ, in order.")
    return made


def _check_machine(machine: Any, features: int) -> None:
    kind = type(machine)
    if kind is LeastSquares:
        _check_plain(machine, set(machine.get_params(deep=False)))
        check_least_squares(machine, features)
        return
    require(kind in _FITTED or kind in _FITTED_WITH_KERNEL, "its machine is none of Certo's.")
    refuse_overrides(machine)
    settings, kernel = set(machine.get_params(deep=False)), vars(machine).get("kernel_")
    left = _FITTED if kernel is None else _FITTED_WITH_KERNEL
    require(kind in left, f"its {kind.__name__} must have a kernel, or must not have one.")
    fitted = _EVERY | left[kind] | (_LINEAR if kernel is None else _WITH_KERNEL)
    averaged = kind is Perceptron and vars(machine).get("average") is True
    if averaged:
        fitted |= _AVERAGED
    if kernel is None and "kernel" in settings:
        fitted |= {"kernel_": of_type(type(None))}
    check_attributes(machine, settings, set(fitted))
    _check_settings(machine, settings)
    classes = machine.classes_
    require(isinstance(classes, np.ndarray) and classes.ndim == 1, "its classes are no list.")
    require(classes.dtype.kind in "biuU" and len(classes) > 1, "its classes are no labels.")
    require(np.array_equal(np.unique(classes), classes), "its classes must differ, in order.")
    outputs = 1 if len(classes) == 2 else len(classes)
    check_values(machine, fitted, outputs, features)
    require(type(machine.trace_) is machine.trace_kind, "its trace is of another kind.")
    if kernel is not None:
        _check_kernel(machine)
    if averaged:
        _check_average(machine)
    if kind is HardMarginSVM:
        _check_margins(machine)
    if kind is MinDisagreement:
        _check_answer(machine)
    if kind is SVM:
        _check_gap(machine)
    if kind is LogisticRegression:
        check_logistic(machine)


def _check_plain(machine: Any, settings: set[str]) -> None:
    for name in settings:
        value = getattr(machine, name)
        parts = [*value, *value.values()] if type(value) is dict else [value]
        plain = all(type(part) in _PLAIN or isinstance(part, _VALUES) for part in parts)
        require(plain, f"its setting {name} is no plain value.")


def _check_settings(machine: Any, settings: set[str]) -> None:
    _check_plain(machine, settings)
    try:
        machine.run() if hasattr(machine, "run") else machine._check_settings()
    except (TypeError, ValueError) as wrong:
        raise Problem(f"its settings cannot be: {wrong}") from wrong


def _check_kernel(machine: KernelClassifier) -> None:
    """The kernel is one of vectors, and there is a vector for each support."""
    kernel, rows = machine.kernel_, union_of(machine.support_)
    given = machine._kernel_to_fit
    same = given is not None and given.agrees(kernel)
    require(same, "its kernel is not the one of its settings.")
    require(
        kernel is not None and kernel.takes == "vectors", "its kernel takes no columns of numbers."
    )
    require(
        all(np.all(some >= 0) and np.all(np.diff(some) > 0) for some in machine.support_),
        "its supports are not in order.",
    )
    require(rows.size == machine.support_vectors_.shape[0], "its supports lack their vectors.")
    sizes = [some.size for some in machine.support_]
    require(sizes == machine.n_support_.tolist(), "its supports are other than their number.")
    for name in ("dual_coef_", "_updated", "_sums"):  # what a run needs to go on with
        if name in vars(machine):
            own = [np.shape(part)[-1] for part in getattr(machine, name)]
            require(own == sizes, f"its supports lack their {name}.")


def _check_average(machine: Perceptron) -> None:
    """The answer is the average of the weights that led to the last ones."""
    last = np.column_stack((machine.last_coef_, machine.last_intercept_))
    own = np.column_stack((machine.coef_, machine.intercept_))
    require(np.all(machine._looks >= 1), "its looks must be at least 1.")
    with np.errstate(all="ignore"):
        average = last - machine._weighted / machine._looks[:, None]
    require(np.array_equal(own, average), "its weights are not the average of its run.")


def _check_margins(machine: HardMarginSVM) -> None:
    """What follows from the weights and the certificate is as they say."""
    if machine.kernel_ is not None:
        with np.errstate(all="ignore"):
            sound = np.allclose(2 * machine.objective_ * machine.margin_**2, 1, rtol=1e-9, atol=0)
            last = machine.intercept_ if machine.intercept == "lifted" else 0.0
            lifted = 1 / np.hypot(1 / machine.geometric_margin_, last)
            sound = sound and np.allclose(machine.margin_, lifted, rtol=1e-9, atol=0)
        claims = machine.certificate_.of_kind(MaximumMargin)
        if len(claims) == len(machine.margin_):
            least, most = (
                np.array([getattr(c, end) for c in claims]) for end in ("lower", "upper")
            )
            near = (machine.margin_ >= least * (1 - 1e-6)) & (machine.margin_ <= most * (1 + 1e-6))
            sound = sound and bool(np.all(near))
        require(sound, "its margins are not those of its function.")
        _check_converged(machine, claims)
        return
    length = np.linalg.norm(machine.coef_, axis=1)
    last = machine.intercept_ if machine.intercept == "lifted" else 0.0
    with np.errstate(all="ignore"):
        same = (
            np.allclose(machine.margin_ * np.hypot(length, last), 1, rtol=1e-9, atol=0)
            and np.allclose(machine.geometric_margin_ * length, 1, rtol=1e-9, atol=0)
            and np.allclose(2 * machine.objective_ * machine.margin_**2, 1, rtol=1e-9, atol=0)
        )
    require(same, "its margins are not those of its weights.")
    _check_converged(machine, machine.certificate_.of_kind(MaximumMargin))


def _check_gap(machine: SVM) -> None:
    """The same for a soft margin."""
    m, claims = machine.n_samples_fit_, machine.certificate_.of_kind(SoftMarginGap)
    require(
        all(rows.size <= m and np.all((rows >= 0) & (rows < m)) for rows in machine.support_),
        "its supports are no examples.",
    )
    require(0 < machine.C_ < np.inf, "its C cannot be.")
    require(all(claim.examples == m for claim in claims), "its claims are about other examples.")
    if len(claims) == len(machine.intercept_):
        scale = 1.0 if machine.lam is None else float(machine.lam)
        values = [scale * claim.primal for claim in claims]
        same = np.allclose(machine.objective_, values, rtol=1e-6, atol=0)
        require(same, "its objective is not that of its certificate.")
    _check_converged(machine, claims)


def _check_converged(machine: HardMarginSVM | SVM, claims: tuple[Any, ...]) -> None:
    sizes = [rows.size for rows in machine.support_]
    require(sizes == machine.n_support_.tolist(), "its supports are other than their number.")
    require(sizes == [a.size for a in machine.dual_coef_], "its supports lack multipliers.")
    gaps = [claim.relative_gap for claim in claims] or [1.0]
    require(
        not machine.converged_ or (len(claims) == len(sizes) and max(gaps) <= machine.tol),
        "it is said to have converged, but its certificate does not say so.",
    )


def _check_answer(machine: MinDisagreement) -> None:
    """What follows from the two bounds is as they say."""
    errors, least, target = machine.errors_, machine.lower_bound_, machine.target
    require(0 <= least <= errors, "its bounds are not in order.")
    require(machine.optimal_ == (errors == least), "it is optimal if its bounds are equal.")
    answer = None
    if target is not None:
        answer = "yes" if errors <= target else "no" if least > target else "undecided"
    require(machine.answer_ == answer, "its answer does not follow from its bounds.")


def _for_each_output(kinds: str = "f"):
    return lambda value, outputs, features: is_numbers(value, (outputs,), kinds)


def _list_for_each_output(kinds: str):
    return lambda value, outputs, features: (
        type(value) is list
        and len(value) == outputs
        and all(is_numbers(part, (np.size(part),), kinds) for part in value)
    )


def _a_kernel(value: Any, outputs: int, features: int) -> bool:
    return isinstance(value, Kernel)


def _vectors(value: Any, outputs: int, features: int) -> bool:
    """Rows of features, in an array or a CSR matrix."""
    if not sparse.issparse(value):
        return isinstance(value, np.ndarray) and is_numbers(value, (len(value), features))
    try:
        value.check_format(full_check=True)
    except ValueError:
        return False
    return (
        value.format == "csr"
        and value.shape[1:] == (features,)
        and is_numbers(value.data, value.data.shape)
    )


def _sums(value: Any, outputs: int, features: int) -> bool:
    """Two vectors for each output, the intercept's entry last."""
    return is_numbers(value, (outputs, 2, features + 1))


def _pairs_for_each_output(value: Any, outputs: int, features: int) -> bool:
    return (
        type(value) is list
        and len(value) == outputs
        and all(is_numbers(part, (2, np.shape(part)[-1])) for part in value)
    )


# What a fit leaves in every machine, and in each: whether a value is sound, given the number of
# outputs and of features. Nothing else may be there.
_PLAIN = (int, float, str, bool, type(None))
_VALUES = (Rate, Loss, Kernel)
_LINEAR: dict[str, Any] = {
    "coef_": lambda value, outputs, features: is_numbers(value, (outputs, features)),
}
_EVERY: dict[str, Any] = {
    "intercept_": _for_each_output(),
    "classes_": of_type(np.ndarray),
    "n_features_in_": lambda value, outputs, features: type(value) is int and value == features,
    "_multilabel": lambda value, outputs, features: value is False,
    "n_iter_": of_type(int),
    "status_": of_type(str),
    "certificate_": of_type(Composite),
    "trace_": lambda value, outputs, features: True,
}
_FITTED: dict[type, dict[str, Any]] = {
    Perceptron: {
        "updates_": _for_each_output("iu"),
        "updated_": _list_for_each_output("iu"),
        "converged_": of_type(bool),
    },
    HardMarginSVM: {
        "support_": _list_for_each_output("iu"),
        "dual_coef_": _list_for_each_output("f"),
        "n_support_": _for_each_output("iu"),
        "margin_": _for_each_output(),
        "geometric_margin_": _for_each_output(),
        "objective_": _for_each_output(),
        "converged_": of_type(bool),
    },
    MinDisagreement: {
        "errors_": of_type(int),
        "lower_bound_": of_type(int),
        "optimal_": of_type(bool),
        "answer_": of_type(str, type(None)),
    },
    SVM: {
        "support_": _list_for_each_output("iu"),
        "dual_coef_": _list_for_each_output("f"),
        "n_support_": _for_each_output("iu"),
        "C_": of_type(float),
        "objective_": _for_each_output(),
        "converged_": of_type(bool),
        "n_samples_fit_": of_type(int),
    },
    Pegasos: {
        "objective_": _for_each_output(),
        "steps_": _for_each_output("iu"),
        "_lam": of_type(float),
        "_sums": _sums,
        "_harmonics": _for_each_output(),
    },
    LogisticRegression: LOGISTIC,
    OnlineGradientDescent: {
        "suffered_": _for_each_output(),
        "regret_bound_": _for_each_output(),
        "rounds_": _for_each_output("iu"),
        "_run": of_type(str),
        "_sums": _sums,
        "_books": lambda value, outputs, features: is_numbers(value, (outputs, 4)),
    },
}
# What a Perceptron that answers with the average of its weights leaves besides.
_AVERAGED: dict[str, Any] = {
    "last_coef_": lambda value, outputs, features: is_numbers(value, (outputs, features)),
    "last_intercept_": _for_each_output(),
    "_weighted": lambda value, outputs, features: is_numbers(value, (outputs, features + 1)),
    "_looks": _for_each_output("iu"),
}
_WITH_KERNEL: dict[str, Any] = {
    "kernel_": _a_kernel,
    "support_vectors_": _vectors,
    "support_": _list_for_each_output("iu"),
    "dual_coef_": _list_for_each_output("f"),
    "n_support_": _for_each_output("iu"),
}
_FITTED_WITH_KERNEL: dict[type, dict[str, Any]] = {
    HardMarginSVM: _FITTED[HardMarginSVM],
    SVM: _FITTED[SVM],
    Pegasos: _FITTED[Pegasos] | {"_sums": _pairs_for_each_output, "_seen": of_type(int)},
    KernelPerceptron: {
        "updates_": _for_each_output("iu"),
        "converged_": of_type(bool),
        "_lifted": of_type(bool),
        "_updated": _list_for_each_output("iu"),
        "_norms2": _for_each_output(),
        "_seen": of_type(int),
    },
}
