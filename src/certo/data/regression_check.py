"""The same look at regressions: do the parts that a fit leaves fit together?"""

from __future__ import annotations

from typing import Any

import numpy as np

from certo.certificates.composite import Composite
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.separation.quasi_separable import Overlapping
from certo.data.soundness import (
    check_attributes,
    check_values,
    is_numbers,
    of_type,
    refuse_overrides,
    require,
)
from certo.estimators import LeastSquares, LogisticRegression
from certo.problems.logistic import against


def check_least_squares(machine: LeastSquares, features: int) -> None:
    refuse_overrides(machine)
    check_attributes(machine, set(machine.get_params(deep=False)), set(_LEAST_SQUARES))
    require(machine.intercept in ("free", "none"), "its intercept must be 'free' or 'none'.")
    require(0 <= machine.ridge < np.inf, "its ridge cannot be.")
    check_values(machine, _LEAST_SQUARES, 1, features)
    lifted = int(machine.intercept == "free")
    if machine._factor is not None:
        kept, columns = machine._kept, features + lifted
        parts = (machine._factor, machine._terms, machine._tied, machine._scale)
        require(
            np.all((kept >= 0) & (kept < columns))
            and np.unique(kept).size == kept.size
            and [part.shape for part in parts]
            == [
                (kept.size, kept.size),
                (columns - kept.size, kept.size - lifted),
                (columns,),
                (features,),
            ],
            "its factor is not one of its columns.",
        )
    errors = machine.standard_errors_ is not None
    has = [
        getattr(machine, name) is not None
        for name in ("residual_variance_", "degrees_of_freedom_", "intercept_standard_error_")
    ]
    require(has == [errors, errors, errors and lifted == 1], "some of its errors are missing.")
    for claim in machine.certificate_.of_kind(LeastSquaresExcess):
        require(claim.examples == machine.n_samples_fit_, "its claim is about other examples.")
        objective = machine.risk_ + machine.ridge * float(machine.coef_ @ machine.coef_)
        better = objective < claim.lower * (1 - 1e-6)
        require(not better, "its risk is less than its certificate allows.")


def check_logistic(machine: LogisticRegression) -> None:
    """What follows from the weights and the certificate is as they say."""
    classes = machine.classes_.tolist()
    require(machine.reference_ in classes, "its reference is none of its classes.")
    place = classes.index(machine.reference_)
    require(
        np.array_equal(machine.contrasts_, against(machine.coef_, place))
        and np.array_equal(machine.contrast_intercepts_, against(machine.intercept_, place)),
        "its contrasts are not those of its weights.",
    )
    excess = machine.certificate_.of_kind(LogisticExcess)
    none = machine.certificate_.of_kind(NoEstimate)
    overlap = machine.certificate_.of_kind(Overlapping)
    values = (machine.objective_, machine.infimum_)
    require(
        all((claim.risk, claim.lower) == values for claim in excess)
        and all(claim.examples == machine.n_samples_fit_ for claim in (*excess, *none, *overlap)),
        "its risk is not that of its certificate.",
    )
    require(
        machine.gap_ >= 0.0 and (bool(excess) or machine.infimum_ == -np.inf), "its gap cannot be."
    )
    near = np.isclose(machine.objective_ - machine.infimum_, machine.gap_, rtol=1e-6, atol=1e-15)
    require(not excess or near, "its gap is not that of its certificate.")
    require(
        not machine.converged_ or (excess and machine.gap_ <= machine.tol),
        "it is said to have converged, but its certificate does not say so.",
    )
    proved = machine.ridge_ > 0 or any(claim.exists for claim in excess) or bool(overlap)
    exists = {True: proved, False: bool(none), None: True}[machine.estimate_exists_]
    require(exists, "whether an estimate exists is not what its certificate says.")
    require(
        machine.standard_errors_ is None
        or (machine.estimate_exists_ and machine.converged_ and not machine.ridge_ and not none),
        "it has standard errors of what is no estimate.",
    )


def _vector(value: Any, outputs: int, features: int) -> bool:
    return is_numbers(value, (features,))


def _matrix(value: Any, outputs: int, features: int) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and is_numbers(value, value.shape)


def _list(kinds: str):
    return lambda value, outputs, features: is_numbers(value, (np.size(value),), kinds)


def _or_nothing(sound):
    return lambda value, outputs, features: value is None or sound(value, outputs, features)


def _seen(value: Any, outputs: int, features: int) -> bool:
    """What partial_fit goes on from: rows, weight, means and sums of products."""
    if value is None:
        return True
    size = features + outputs
    return (
        type(value) is tuple
        and [type(part) for part in value] == [int, float, np.ndarray, np.ndarray]
        and is_numbers(value[2], (size,))
        and is_numbers(value[3], (size, size))
    )


def _errors(value: Any, outputs: int, features: int) -> bool:
    """NaN where a coefficient is not determined."""
    return value is None or (
        isinstance(value, np.ndarray) and value.shape == (features,) and value.dtype.kind == "f"
    )


def _contrasts(value: Any, outputs: int, features: int) -> bool:
    return is_numbers(value, (_vectors(outputs), features))


def _vectors(outputs: int) -> int:
    """How many classes are compared with the reference."""
    return max(1, outputs - 1)


def _contrast_errors(columns: bool):
    """NaN where a coefficient is not determined."""

    def sound(value: Any, outputs: int, features: int) -> bool:
        shape = (_vectors(outputs), features) if columns else (_vectors(outputs),)
        return value is None or (
            isinstance(value, np.ndarray) and value.shape == shape and value.dtype.kind == "f"
        )

    return sound


def _covariance(value: Any, outputs: int, features: int) -> bool:
    sizes = [_vectors(outputs) * p for p in (features, features + 1)]
    return value is None or (
        isinstance(value, np.ndarray)
        and value.dtype.kind == "f"
        and value.shape in [(size, size) for size in sizes]
    )


_NUMBER = of_type(float, np.float64)
_MAYBE = of_type(float, np.float64, type(None))
_LEAST_SQUARES: dict[str, Any] = {
    "coef_": _vector,
    "intercept_": lambda value, outputs, features: type(value) is float and np.isfinite(value),
    "n_features_in_": lambda value, outputs, features: type(value) is int and value == features,
    "n_samples_fit_": of_type(int),
    "rank_": of_type(int, type(None)),
    "condition_": _MAYBE,
    "method_": lambda value, outputs, features: value in ("cholesky", "qr", "dual", "lsqr"),
    "risk_": _NUMBER,
    "r2_": _NUMBER,
    "degrees_of_freedom_": of_type(int, type(None)),
    "residual_variance_": _MAYBE,
    "standard_errors_": _errors,
    "intercept_standard_error_": _MAYBE,
    "status_": of_type(str),
    "certificate_": of_type(Composite),
    "_flat": lambda value, outputs, features: value is True,
    "_seen": _seen,
    "_seen_factored": of_type(bool),
    "_seen_lifted": of_type(bool),
    "_sums": of_type(type(None)),
    "_weight": _NUMBER,
    "_mean": _vector,
    "_scale": _list("f"),
    "_kept": _or_nothing(_list("iu")),
    "_tied": _or_nothing(_list("b")),
    "_factor": _or_nothing(_matrix),
    "_terms": _or_nothing(_matrix),
}
LOGISTIC: dict[str, Any] = {
    "reference_": of_type(int, str, bool),
    "contrasts_": _contrasts,
    "contrast_intercepts_": lambda value, outputs, features: is_numbers(
        value, (_vectors(outputs),)
    ),
    "covariance_": _covariance,
    "standard_errors_": _contrast_errors(columns=True),
    "intercept_standard_errors_": _contrast_errors(columns=False),
    "estimate_exists_": of_type(bool, type(None)),
    "converged_": of_type(bool),
    "ridge_": of_type(float),
    "risk_": of_type(float),
    "objective_": of_type(float),
    "infimum_": of_type(float),
    "gap_": of_type(float),
    "log_likelihood_": of_type(float),
    "null_log_likelihood_": of_type(float),
    "rank_": of_type(int, type(None)),
    "n_samples_fit_": of_type(int),
}
