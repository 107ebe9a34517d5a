"""`LeastSquares`: linear regression that says how well it is determined, and proves its risk."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from certo.blas import one_thread
from certo.certificates.composite import Composite
from certo.certificates.encoding import counted
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.sample.values import Values
from certo.containers import exact_input
from certo.estimators import _in_blocks, _input, _scores, description
from certo.estimators._coefficients import CoefficientTable, check_level, column_labels, quantile
from certo.estimators._goodness import goodness_of_squares, wald_test
from certo.estimators._input import NOT_NEGATIVE, check_settings, one_of
from certo.estimators._keywords import answer_keywords
from certo.estimators._least_squares import certified
from certo.estimators._linear import Proving, make_later
from certo.estimators._robust import (
    ROWS_PER_BLOCK,
    check_robust,
    covariance_of_squares,
    other_examples,
)
from certo.estimators.new_examples import unbounded_loss
from certo.facts import InputError
from certo.problems.shifted_gram import ShiftedGram
from certo.solvers.least_squares import Solution, from_triangle, least_squares
from certo.solvers.moments import Moments, Rows, Triangle, sums_of, triangle
from certo.stop import Stop
from certo.words import refusals
from certo.words.fitting_status import (
    MAX_NAMES_SHOWN,
    RIDGE_BIAS,
    exactly_fitted,
    least_squares_status,
)
from certo.words.goodness import HC3_OF_SQUARES

MAX_KEPT_FEATURES = 500  # Up to so many, a fit keeps what partial_fit can go on from.
MAX_RELATION_ERROR = 1e-7  # The mean is estimated at examples that miss no relation by more.
LEAST_SQUARES_SETTINGS = {"intercept": one_of("free", "none"), "ridge": NOT_NEGATIVE}


@answer_keywords
class LeastSquares(RegressorMixin, Proving, BaseEstimator):
    r"""Linear regression: min (1/S) Σ_i s_i ‖y_i − W x_i − b‖² + ridge·‖W‖², S = Σ_i s_i.

    The normal equations are solved by Cholesky's factor where that is safe, the rows themselves are
    factored (QR) where it is not. Where columns depend on each other, many coefficients are best:
    the shortest are taken, the intercept not counted, and the result says so. With the coefficients
    come what one expects of a regression: standard errors, tests, intervals.

    Parameters
    ----------
    intercept : {"free", "none"}, default="free"
        "free": b costs nothing, also with a ridge. "none": b = 0.
    ridge : float, default=0.0
        Added to the diagonal of the mean of x xᵀ. It is scikit-learn's `Ridge(alpha=ridge * S)`.

    Attributes
    ----------
    coef_ : ndarray (n_features,), or (n_outputs, n_features) if y has columns
    intercept_ : float, or ndarray (n_outputs,)
    rank_ : int or None
        Of X, up to rounding, centred if the intercept is free. None where it is not looked for:
        with a ridge, or by method "lsqr".
    condition_ : float
        An estimate of the condition number of the independent columns, centred if the intercept is
        free and scaled to the same length. The coefficients have about 16 − log10(condition)
        digits.
    method_ : {"cholesky", "qr", "dual", "lsqr"}
        "dual": a system as large as the number of rows, for a ridge and more columns than rows.
        "lsqr": iterations, for large sparse examples.
    risk_ : float
        The mean squared error (1/S) Σ_i s_i ‖y_i − W x_i − b‖².
    r2_ : float, or ndarray (n_outputs,)
        The part of the variation of y that is explained: around its mean with an intercept, around
        0 without. Where there is none, 1 if it is fitted exactly and else 0, like `score`.
    degrees_of_freedom_ : int or None
        Examples of positive weight, less the rank, less 1 for an intercept. None with a ridge.
    residual_variance_ : float, or ndarray (n_outputs,), or None
        Σ_i s_i r_i² over the degrees of freedom; NaN if there are none, or if the fit is exact up
        to rounding, which tells nothing about errors. None with a ridge.
    standard_errors_ : ndarray like `coef_`, or None
        NaN for a coefficient that the data do not determine, and where there is no residual
        variance. None with a ridge, which trades variance for a bias that nobody knows.
    intercept_standard_error_ : float, or ndarray (n_outputs,), or None
    status_ : str
        How it was solved, and what is proved about the answer.
    certificate_ : certo.certificates.Composite
        A LeastSquaresExcess: how far the risk is from the smallest, at most. Of a small table it is
        made when it is first read, from a copy of the examples that is kept until then.

    Examples
    --------
    >>> from certo import LeastSquares
    >>> X, y = [[0, 1], [1, 1], [2, 0], [3, 0], [4, 1]], [1, 3, 4, 6.5, 9]
    >>> model = LeastSquares().fit(X, y)
    >>> print(model.summary())
    LeastSquares: 5 examples, R² 0.997, residual standard error 0.2431 (2 degrees)
               estimate  std. error       t  P>|t|      2.5 %   97.5 %
    x0          2.02727   0.0802887  25.250  0.002    1.68182  2.37273
    x1         0.772727    0.231774   3.334  0.079  -0.224514  1.76997
    intercept  0.181818    0.264263   0.688  0.563  -0.955212  1.31885
    Adjusted R² 0.9939, F(2, 2) = 327.3 (P>F 0.003), AIC 1.46454, BIC 0.292854
    """

    # How the coefficients depend on y, None where that is not known: see Solution.
    _kept: Any
    _factor: Any
    _terms: Any
    _tied: Any
    _seen: Any  # What partial_fit goes on from, as plain values: a Triangle, or Moments.
    _seen_factored: bool
    _sums: Any  # What claims about the examples seen are made from.
    _weighted: bool = False  # Whether examples had weights; set only if they had.
    intercept_standard_error_: Any
    degrees_of_freedom_: Any
    residual_variance_: Any

    def __init__(self, *, intercept="free", ridge=0.0):
        self.intercept = intercept
        self.ridge = ridge

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X, y=None, sample_weight=None):
        """Find the coefficients for the examples X (dense or sparse) and the values y, (n_samples,)
        or (n_samples, n_outputs).

        sample_weight: for the coefficients weight k is as good as k copies of an example, weight
        zero as leaving it out. Standard errors take weights as precisions, σ²/s_i being the
        variance of y_i. Arrays of float32 or float64 and CSR matrices are used as they are, not
        copied.

        X may be a pyarrow dataset, y then being the name of its target, or `certo.scale.Blocks`:
        it is read block by block.
        """
        if _in_blocks.is_in_blocks(X):
            check_settings(self, LEAST_SQUARES_SETTINGS)
            return _in_blocks.fit_least_squares(self, X, y, sample_weight)
        X, Y, weights = self._problem(X, y, sample_weight, reset=True)
        with self._threads():
            return self._fit(X, Y, weights)

    def _threads(self):
        """Rows are shared out between the cores, and small systems are best left to one."""
        return one_thread() if self.n_features_in_ <= MAX_KEPT_FEATURES else nullcontext()

    def _fit(self, X, Y, weights):
        try:
            found = least_squares(
                X, Y, weights=weights, lifted=self._lifted, ridge=float(self.ridge)
            )
        except FloatingPointError:
            self._refuse(X, Y, weights)
        self._require_squares(X, Y, weights, found)
        self._note_weights(weights, True)
        self._store(found)
        known = found.moments
        self._seen = None
        if X.shape[1] <= MAX_KEPT_FEATURES and found.factor is not None:
            self._seen = (known.rows, known.weight, known.mean, known.products)
        self._seen_factored, self._sums = False, None
        given = () if weights is None else (weights,)
        self._prove(found, X, Y, *given)
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Add examples to those of earlier calls: the coefficients are those of all of them, in
        whatever portions they came. Memory is that of (n_features + n_outputs)² numbers.
        """
        first = not hasattr(self, "coef_")
        X, Y, weights = self._problem(X, y, sample_weight, reset=first)
        outputs = Y.shape[1] if first else len(np.atleast_2d(self.coef_))
        if Y.shape[1] != outputs:
            raise InputError(refusals.other_width, "y", outputs, Y.shape[1])
        with self._threads():
            return self._add(X, Y, weights, first)

    def _add(self, X, Y, weights, first: bool):
        rows = Rows(X, Y, None if weights is None else np.sqrt(weights))
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # The sums show it.
                known = triangle(rows, self._lifted)
                if not first:
                    known = self._before() + known
                found = from_triangle(known, X.shape[1], self._lifted, float(self.ridge))
                # A claim would have to hold weights, and a fit keeps no sums.
                sums = None
                if weights is None and (first or self._sums):
                    before = None if first else ShiftedGram(*self._sums)
                    sums = sums_of(rows, before, self._lifted)
        except FloatingPointError:
            self._refuse(X, Y, weights)
        self._require_squares(X, Y, weights, found)
        self._note_weights(weights, first)
        self._store(found)
        self._seen = (known.rows, known.weight, known.mean, known.factor)
        self._seen_factored, self._sums = True, sums and tuple(sums)
        self._prove(found._replace(moments=replace(found.moments, sums=sums)))
        return self

    def _before(self) -> Triangle:
        """What was kept of the examples so far."""
        if self._seen is None:
            raise InputError(refusals.nothing_kept, MAX_KEPT_FEATURES)
        if self._lifted != self._seen_lifted:
            raise ValueError(
                "intercept must stay as it was in the first call of partial_fit, but it is now "
                f"{self.intercept!r}."
            )
        return Triangle(*self._seen) if self._seen_factored else Triangle.of(Moments(*self._seen))

    @property
    def _values(self) -> Values:
        return Values(None if self._flat else len(self.coef_))

    @property
    def _lifted(self) -> bool:
        return self.intercept == "free"

    def _problem(self, X, y, sample_weight, *, reset: bool):
        """The examples, the values as columns of float64, and the weights."""
        check_settings(self, LEAST_SQUARES_SETTINGS)
        y = exact_input(y, "LeastSquares", "y")
        X, y = _input.labelled_examples(self, X, y, reset=reset, order=None)
        Y = _input.values(self, y)
        self._flat = y.ndim == 1
        if sample_weight is None:
            return X, Y, None
        weights = _input.weights(self, sample_weight, X)
        total = float(np.sum(weights))
        if not np.isfinite(total):
            raise InputError(refusals.unusable_weights, total)
        return X, Y, weights

    def _refuse(self, X, Y, weights) -> NoReturn:
        """Say which number made the sums overflow, or which column is so small that what is
        divided by its squares did."""
        _input.longest_example(self, X if sparse.issparse(X) else np.ascontiguousarray(X))
        for name, table in (("X", X), ("y", Y)):
            _input.refuse_tiny_columns(self, table, np.arange(table.shape[1]), name, weights)
        raise ValueError(
            "LeastSquares needs numbers whose squares float64 can add, but the sums of squares of "
            "X, y or sample_weight are not finite. Rescale them."
        )

    def _require_squares(self, X, Y, weights, found: Solution) -> None:
        """Refuse a column that is not 0, but so small that its squares are."""
        # LSQR and the dual have the squares of y alone.
        squares, q = np.diag(found.moments.products), Y.shape[1]
        for name, table, sums in (("X", X, squares[:-q]), ("y", Y, squares[-q:])):
            small = np.flatnonzero(sums < _input.SHORTEST**2)
            _input.refuse_tiny_columns(self, table, small, name, weights)

    def _note_weights(self, weights, first: bool) -> None:
        if first:
            self.__dict__.pop("_weighted", None)
        if weights is not None:
            self._weighted = True

    def _store(self, found: Solution) -> None:
        known, d, q = found.moments, found.coef.shape[1], len(found.coef)
        self.coef_ = self._shaped(found.coef.copy())  # The claims are about what was found.
        self.intercept_ = self._shaped(found.intercept.copy())
        self.rank_ = None if self.ridge else found.rank  # With a ridge, not that of X.
        self.condition_, self.method_ = found.condition, found.method
        self.n_samples_fit_ = known.rows
        self.risk_ = float(np.sum(found.squares) / known.weight)
        left = np.where(found.squares > 0, 1.0, 0.0)  # R² is 0 or 1 if y does not vary.
        np.divide(found.squares, found.spread, out=left, where=found.spread > 0)
        self.r2_ = self._shaped(1 - left)
        self._weight, self._mean, self._seen_lifted = known.weight, known.mean[:d], self._lifted
        self._kept, self._factor, self._terms = found.kept, found.factor, found.terms
        self._tied = found.tied
        self._scale = np.sqrt(np.diag(known.products)[:d] / known.weight)
        self.degrees_of_freedom_ = self.residual_variance_ = None
        self.standard_errors_ = self.intercept_standard_error_ = None
        if self.rank_ is not None:
            self.degrees_of_freedom_ = free = int(known.rows - self.rank_ - self._lifted)
            variance = found.squares / free if free > 0 else np.full(q, np.nan)
            variance[found.exact] = np.nan
            self.residual_variance_ = self._shaped(variance)
            errors = np.sqrt(variance)[:, None] * np.linalg.norm(self._spread(), axis=1)
            self.standard_errors_ = self._shaped(errors[:, :d])
            if self._lifted:
                self.intercept_standard_error_ = self._shaped(errors[:, d])

    def _prove(self, found: Solution, *data: Any) -> None:
        """Say what is proved of the solution for these examples, values and weights, if any; none
        are given where they are gone, and sums over them may be left."""
        labels, treatment, ridge = self._values, self.intercept, float(self.ridge)

        def certificate(machine: LeastSquares, *data: Any) -> Composite:
            with machine._threads():
                return certified(found, labels, *data, treatment=treatment, ridge=ridge)

        def status(machine: LeastSquares, *data: Any) -> str:
            return least_squares_status(machine, found.stop, machine._exact_outputs)

        self._stop = found.stop
        make_later(self, *data, certificate_=certificate, status_=status)
        if found.stop is not Stop.CONVERGED:
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=4)

    def _spread(self) -> np.ndarray:
        """V with VVᵀ = (X̃ᵀSX̃)⁻¹ for the coefficients that are decided, NaN for the others. In
        centred coordinates that is L/√S; the intercept is that of the centred ones less W·x̄."""
        V = np.full((len(self._tied), len(self._kept)), np.nan)
        V[self._kept] = self._factor / np.sqrt(self._weight)
        if self._lifted:
            V[-1] -= self._mean[self._kept[:-1]] @ V[self._kept[:-1]]
        V[self._tied] = np.nan
        return V

    @property
    def _exact(self) -> np.ndarray:
        """The outputs that are fitted exactly up to rounding, though there were examples left."""
        if not self.degrees_of_freedom_:
            return np.zeros(0, dtype=np.int64)
        return np.flatnonzero(np.isnan(self.residual_variance_))

    @property
    def _exact_outputs(self) -> np.ndarray | None:
        """The same; None where y had no columns and is fitted exactly."""
        return None if self._flat and self._exact.size else self._exact

    def _shaped(self, rows: np.ndarray) -> Any:
        """One entry for each output; the only one, if y had no columns."""
        if not self._flat:
            return rows
        return rows[0] if rows.ndim > 1 else float(rows[0])

    def predict(self, X):
        """W x + b: (n_samples,), or (n_samples, n_outputs) if y had columns."""
        check_is_fitted(self)
        if _in_blocks.is_in_blocks(X):
            return _in_blocks.by_blocks(X, self.predict)
        X = _input.examples(self, X)
        scores = _scores.of_layer(X, np.atleast_2d(self.coef_), self.intercept_, "numbers")
        return scores[:, 0] if self._flat else scores

    @property
    def covariance_(self) -> np.ndarray | None:
        """The covariance of the coefficients, (n_features + 1)² with that of a free intercept last,
        one matrix for each column of y if it had columns. NaN for what the data do not determine;
        None with a ridge."""
        check_is_fitted(self)
        if self.residual_variance_ is None:
            return None
        V = self._spread()
        return np.multiply.outer(self.residual_variance_, V @ V.T)

    def intervals(self, level=0.95) -> np.ndarray:
        """Confidence intervals of the coefficients, a row (low, high) for each, that of a free
        intercept last; for each column of y, if it had columns."""
        table = self.summary(level)
        return self._shaped(table.intervals.reshape(-1, len(self._names()), 2))

    def summary(
        self, level=0.95, *, robust=None, X=None, y=None, sample_weight=None
    ) -> CoefficientTable:
        """Estimates, standard errors, t tests and confidence intervals, as a table to look at; with
        R², F, AIC and BIC of the fit as a whole.

        robust="HC3": standard errors that stay valid, for large samples, where the variance of y
        differs from example to example. X, y and sample_weight must then be those of the fit,
        which keeps no data. F is then Wald's, from the same covariance.
        """
        check_is_fitted(self)
        covariance = None
        if check_robust(robust, X, y):
            covariance = self._robust_covariance(X, y, sample_weight)
        errors = None
        if covariance is not None:
            errors = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)).ravel()
        elif self.standard_errors_ is not None:
            errors = self._with_intercept(self.standard_errors_, self.intercept_standard_error_)
        names, outputs = self._names(), range(len(np.atleast_2d(self.coef_)))
        return CoefficientTable(
            tuple(names) * len(outputs),
            self._with_intercept(self.coef_, self.intercept_),
            errors,
            degrees=self.degrees_of_freedom_ or 0,
            level=level,
            groups=() if self._flat else tuple(f"y{k}" for k in outputs for _ in names),
            title=self._title(),
            notes=(*self._notes(), *([HC3_OF_SQUARES] if robust else [])),
            fit=self._goodness(covariance),
        )

    def _goodness(self, robust: np.ndarray | None) -> dict[str, Any]:
        """Numbers about the fit as a whole; of several outputs, a list of them."""
        every, variances = [], np.ravel(self.residual_variance_)
        for k, r2 in enumerate(np.atleast_1d(self.r2_).tolist()):
            found = goodness_of_squares(
                r2, None if self.residual_variance_ is None else float(variances[k]),
                examples=self.n_samples_fit_, rank=self.rank_, lifted=self._lifted,
                weighted=self._weighted,
            )  # fmt: skip
            if robust is not None and found["f_statistic"] is not None:
                slopes = np.atleast_2d(self.coef_)[k]
                found |= wald_test(slopes, robust[k], self.degrees_of_freedom_)
            every.append(found)
        return every[0] if self._flat else {"outputs": every}

    def _robust_covariance(self, X, y, sample_weight) -> np.ndarray:
        """HC3, (outputs, coefficients, coefficients)."""
        if self._kept is None or self.standard_errors_ is None or not self.degrees_of_freedom_:
            raise ValueError("robust='HC3' needs standard errors. " + " ".join(self._notes()))
        if len(np.shape(y)) != (1 if self._flat else 2):
            raise other_examples(self)
        predicted = self.predict(X)
        X, Y = _input.labelled_examples(self, X, exact_input(y, "LeastSquares", "y"), reset=False)
        Y = _input.values(self, Y)
        weights = None if sample_weight is None else _input.weights(self, sample_weight, X)
        left = Y - predicted.reshape(len(Y), -1)
        total = len(Y) if weights is None else float(np.sum(weights))
        many = len(Y) if weights is None else np.count_nonzero(weights)
        risk = float(np.sum(left**2 * (1 if weights is None else weights[:, None])) / total)
        if many != self.n_samples_fit_ or not np.isclose(risk, self.risk_, rtol=1e-6):
            raise other_examples(self)
        places = range(0, len(Y), ROWS_PER_BLOCK)
        parts = (left[start : start + ROWS_PER_BLOCK] for start in places)
        roots = self._roots(weights, len(Y))
        scaled = (part * root for part, root in zip(parts, roots, strict=True))
        return covariance_of_squares(
            self._spread(), zip(self._images(X, weights), scaled, strict=True)
        )

    def leverages(self, X, sample_weight=None) -> np.ndarray:
        """How much the prediction for each example of the fit changes with its own value of y, from
        0 to 1: s_i x̃_iᵀ (X̃ᵀSX̃)⁻¹ x̃_i, x̃ being x with a 1 for a free intercept. They add up to
        the number of coefficients that are determined."""
        check_is_fitted(self)
        if self.standard_errors_ is None:
            raise ValueError("leverages need the factor of the fit. " + " ".join(self._notes()))
        X = _input.examples(self, X)
        weights = None if sample_weight is None else _input.weights(self, sample_weight, X)
        found = [np.sum(image**2, axis=1) for image in self._images(X, weights)]
        return np.concatenate(found)

    def _images(self, X, weights) -> Iterator[np.ndarray]:
        """Blocks of rows √s_i Vᵀx̃_i, where VVᵀ = (X̃ᵀSX̃)⁻¹: their squares add up to leverages."""
        slopes = self._kept[: len(self._kept) - self._lifted]
        factor = self._factor / np.sqrt(self._weight)
        for start, root in zip(
            range(0, X.shape[0], ROWS_PER_BLOCK), self._roots(weights, X.shape[0]), strict=True
        ):
            part = X[start : start + ROWS_PER_BLOCK]
            away = (part.toarray() if sparse.issparse(part) else part)[:, slopes]
            away = away - self._mean[slopes]
            lifted = np.column_stack([away, np.ones((len(away), int(self._lifted)))])
            yield (lifted @ factor) * root

    @staticmethod
    def _roots(weights, rows: int) -> Iterator[Any]:
        """Roots of the weights, for blocks of rows."""
        for start in range(0, rows, ROWS_PER_BLOCK):
            some = slice(start, start + ROWS_PER_BLOCK)
            yield 1.0 if weights is None else np.sqrt(weights[some])[:, None]

    def _with_intercept(self, slopes, intercept) -> np.ndarray:
        """What belongs to the columns and then to a free intercept, output after output."""
        rows = np.atleast_2d(slopes)
        last = np.reshape(intercept, (-1, 1)) if self._lifted else np.zeros((len(rows), 0))
        return np.hstack([rows, last]).ravel()

    def _names(self) -> list[str]:
        return [*column_labels(self), *["intercept"] * self._lifted]

    def _title(self) -> str:
        r2 = ", ".join(f"{value:.4g}" for value in np.atleast_1d(self.r2_))
        text = f"LeastSquares: {counted(self.n_samples_fit_, 'example')}, R² {r2}"
        if not self.degrees_of_freedom_:
            return text
        errors = np.sqrt(np.atleast_1d(self.residual_variance_))
        shown = ", ".join(f"{value:.4g}" for value in errors)
        if self._exact.size:
            shown = shown.replace("nan", "0 up to rounding")
        degrees = counted(self.degrees_of_freedom_, "degree")
        return f"{text}, residual standard error {shown} ({degrees})"

    def _notes(self) -> tuple[str, ...]:
        if self.ridge:
            return (f"No standard errors: {RIDGE_BIAS}.",)
        if self.rank_ is None:
            return ("No standard errors: the rank of X was not found (method lsqr).",)
        if not self.degrees_of_freedom_:
            return ("No standard errors: there are no more examples than coefficients.",)
        exact = exactly_fitted(self._exact_outputs)
        if self._exact.size == np.size(self.residual_variance_) or not np.any(self._tied):
            return exact
        names = [name for name, tied in zip(self._names(), self._tied, strict=True) if tied]
        more = f", … ({len(names)} in all)" if len(names) > MAX_NAMES_SHOWN else ""
        return (
            f"No standard error for {', '.join(names[:MAX_NAMES_SHOWN])}{more}: these columns "
            "depend on each other, so the data determine sums of their coefficients only.",
            *exact,
        )

    def predict_interval(self, X, level=0.95, *, mean=False):
        """(low, high): where a new y at each x is with this probability, if errors are independent
        and normal with one variance (that of weight 1); with `mean`, where its mean is.

        Where x breaks a relation that all examples of the fit kept, so that the data say nothing
        about its mean, the interval is the whole line. Outputs that were fitted exactly up to
        rounding have none: NaN, or an error if there are no others.
        """
        check_is_fitted(self)
        check_level(level)
        if self.rank_ is not None and not self.degrees_of_freedom_:
            raise InputError(
                refusals.too_few_for_an_interval, self.n_samples_fit_, self.rank_, self._lifted
            )
        if self.residual_variance_ is None or self._exact.size == np.size(self.residual_variance_):
            raise ValueError("predict_interval needs standard errors. " + " ".join(self._notes()))
        centre = self.predict(X)
        X = _input.examples(self, X)
        away = (X.toarray() if sparse.issparse(X) else X) - self._mean
        slopes = self._kept[self._kept < away.shape[1]]
        rest = np.setdiff1d(np.arange(away.shape[1]), slopes)
        lifted = np.column_stack([away[:, slopes], np.ones((len(away), int(self._lifted)))])
        variance = np.sum((lifted @ self._factor) ** 2, axis=1) / self._weight + (not mean)
        missed = np.abs(away[:, rest] - away[:, slopes] @ self._terms.T)
        size = np.abs(away[:, rest]) + np.abs(away[:, slopes]) @ np.abs(self._terms.T)
        variance[np.any(missed > MAX_RELATION_ERROR * (size + self._scale[rest]), axis=1)] = np.inf
        reach = quantile(level, self.degrees_of_freedom_) * np.sqrt(
            np.multiply.outer(variance, self.residual_variance_)
        )
        return centre - reach, centre + reach


def _are_same_squares(claim: LeastSquaresExcess, machine: LeastSquares, y) -> bool:
    settings = (machine.intercept, float(machine.ridge))
    return (claim.treatment, claim.ridge) == settings and not claim.sample_weight.size


def _can_go_on(value: Any, sizes: description.Sizes) -> bool:
    """What partial_fit goes on from: rows, weight, means and sums of products."""
    size = sizes.features + sizes.outputs
    return (
        type(value) is tuple
        and [type(part) for part in value] == [int, float, np.ndarray, np.ndarray]
        and description.array(size)(value[2], sizes)
        and description.array(size, size)(value[3], sizes)
    )


_LEAST_SQUARES_FITTED: dict[str, description.Check] = {
    "coef_": description.array("features"),
    "intercept_": lambda value, sizes: type(value) is float and np.isfinite(value),
    "n_features_in_": lambda value, sizes: type(value) is int and value == sizes.features,
    "n_samples_fit_": description.of_type(int),
    "rank_": description.of_type(int, type(None)),
    "condition_": description.MAYBE_NUMBER,
    "method_": lambda value, sizes: value in ("cholesky", "qr", "dual", "lsqr"),
    "risk_": description.FLOAT,
    "r2_": description.FLOAT,
    "degrees_of_freedom_": description.of_type(int, type(None)),
    "residual_variance_": description.MAYBE_NUMBER,
    # A coefficient that is not determined has NaN.
    "standard_errors_": description.optional(description.array("features", finite=False)),
    "intercept_standard_error_": description.MAYBE_NUMBER,
    "status_": description.of_type(str),
    "certificate_": description.of_type(Composite),
    "_flat": lambda value, sizes: value is True,
    "_seen": description.optional(_can_go_on),
    "_seen_factored": description.of_type(bool),
    "_seen_lifted": description.of_type(bool),
    "_sums": description.of_type(type(None)),
    "_weight": description.FLOAT,
    "_mean": description.array("features"),
    "_scale": description.array(None),
    "_kept": description.optional(description.array(None, kinds="iu")),
    "_tied": description.optional(description.array(None, kinds="b")),
    "_factor": description.optional(description.array(None, None)),
    "_terms": description.optional(description.array(None, None)),
}
_OF_WEIGHTS: dict[str, description.Check] = {"_weighted": description.of_type(bool)}


def _check_fitted(machine: LeastSquares) -> None:
    """Factor, errors and risk fit together."""
    require, features = description.require, machine.n_features_in_
    require(machine.intercept in ("free", "none"), "its intercept must be 'free' or 'none'.")
    require(0 <= machine.ridge < np.inf, "its ridge must be finite, and at least 0.")
    lifted = int(machine.intercept == "free")
    if machine._factor is not None:
        kept, columns = machine._kept, features + lifted
        parts = (machine._factor, machine._terms, machine._tied, machine._scale)
        shapes = [
            (kept.size, kept.size),
            (columns - kept.size, kept.size - lifted),
            (columns,),
            (features,),
        ]
        require(
            np.all((kept >= 0) & (kept < columns))
            and np.unique(kept).size == kept.size
            and [part.shape for part in parts] == shapes,
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


description.register(
    description.Description(
        kind=LeastSquares,
        command="least-squares",
        learns="numbers",
        summary="linear regression, for a target that is a number",
        bounds=unbounded_loss,
        claims={LeastSquaresExcess: _are_same_squares},
        claims_all_outputs=True,
        spoken_of=lambda machine: ("coef_", "intercept_"),
        fitted=lambda machine: _LEAST_SQUARES_FITTED | (_OF_WEIGHTS if machine._weighted else {}),
        check_fitted=_check_fitted,
        ignores_scale=lambda machine: not machine.ridge,
        needs_reference_levels=lambda machine: not machine.ridge and machine.intercept == "free",
    )
)
