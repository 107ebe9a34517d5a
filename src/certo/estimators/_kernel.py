"""What every machine shares whose score is f(x) + intercept, f a function of a kernel's space."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from certo.certificates.margins.solution import MARGIN_INTERCEPTS
from certo.containers import count
from certo.estimators import _input, _scores
from certo.estimators._linear import Absent, LinearClassifier
from certo.kernels.base import Kernel
from certo.kernels.settings import WithKernel
from certo.rkhs import Expansion

KERNEL_KEY, CSR_KEY = "certo.kernels", "csr"  # Keys of stored values that are objects.
NAMED = {  # What to give instead of a name.
    "linear": "Linear()",
    "poly": "Polynomial(degree), as Polynomial(3)",
    "polynomial": "Polynomial(degree), as Polynomial(3)",
    "rbf": "Gaussian(variance), whose variance is 1/(2·gamma)",
    "gaussian": "Gaussian(), or Gaussian(variance)",
    "precomputed": "Precomputed()",
}


class KernelClassifier(WithKernel, LinearClassifier):
    """Scores, predictions and stored state of a layer of functions f = Σ dual_coef_i K(x_i, ·), one
    for each output; or of hyperplanes, where `kernel_` is None.

    With a kernel, a machine's fit sets `kernel_`, `support_` and `dual_coef_` (an array for each
    output, the first of them increasing), `support_vectors_` (what stands for the supports of all
    outputs on the right of the kernel, in increasing order, each once), and all that a
    LinearClassifier needs but `coef_`.
    """

    coef_: Any = Absent(
        ": with a kernel the weights are a function, not a vector. See expansions_, or "
        "support_vectors_, support_ and dual_coef_. Without one, fit sets it."
    )
    kernel: Kernel | None
    kernel_: Kernel | None
    support_: list[np.ndarray]
    dual_coef_: list[np.ndarray]
    n_support_: np.ndarray
    support_vectors_: Any

    @property
    def _kernel_to_fit(self) -> Kernel | None:
        """The kernel that the settings ask for; a machine without linear form may put its own in
        the place of None."""
        return self.kernel

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        kernel = self._kernel_to_fit
        takes = kernel.takes if isinstance(kernel, Kernel) else "vectors"
        tags.input_tags.sparse = takes == "vectors"
        tags.input_tags.pairwise = takes == "matrix"
        tags.input_tags.two_d_array = takes != "objects"
        return tags

    def decision_function(self, X):
        """Scores f(x) + intercept: (n_samples,) for two classes, else (n_samples, n_outputs)."""
        check_is_fitted(self)
        if self.kernel_ is None:
            return super().decision_function(X)
        X = _input.points(self, self.kernel_, X)
        union, coef = self._expansion()
        scores = np.tile(self.intercept_, (count(X), 1))
        if union.size:
            scores = _scores.of_expansion(
                self.kernel_, X, self.support_vectors_, coef, self.intercept_, self._use
            )
        return self._shaped_scores(scores)

    def _keep_supports(self, space, found, coef: list[Any]) -> None:
        """Set the `rows` and `dual_coef` found for each output, and what predictions need: the
        vectors `coef` of hyperplanes, or the examples that functions are made of."""
        self.support_ = [item.rows for item in found]
        self.dual_coef_ = [item.dual_coef for item in found]
        self.n_support_ = np.array([item.rows.size for item in found])
        if space.kernel is None:
            space.keep(coef)
        else:
            space.keep(self.support_, space.X)

    def _expansion(self) -> tuple[np.ndarray, np.ndarray]:
        """The examples that are supports of any output, and their coefficients in each of them:
        (n_supports,) and (n_supports, n_outputs)."""
        if len(self.support_) == 1:
            return self.support_[0], self.dual_coef_[0][:, None]
        union = union_of(self.support_)
        coef = np.zeros((union.size, len(self.support_)))
        for k, (rows, dual_coef) in enumerate(zip(self.support_, self.dual_coef_, strict=True)):
            coef[np.searchsorted(union, rows), k] = dual_coef
        return union, coef

    @property
    def expansions_(self) -> list[Expansion]:
        """The function of each output, intercept left out, as something to compute with."""
        check_is_fitted(self)
        if self.kernel_ is None:
            raise AttributeError(
                "expansions_ is there with a kernel; without one the weights are in coef_."
            )
        union, points = union_of(self.support_), self.kernel_.points
        return [
            Expansion(self.kernel_, points(self.support_vectors_, np.searchsorted(union, rows)), a)
            for rows, a in zip(self.support_, self.dual_coef_, strict=True)
        ]

    def __getstate__(self) -> dict[str, Any]:
        """Plain values and arrays, but for kernels and objects that only a pickle can hold."""
        state = dict(super().__getstate__())
        for name in ("kernel", "kernel_"):
            if isinstance(state.get(name), Kernel):
                with suppress(ValueError):
                    state[name] = {KERNEL_KEY: state[name].to_dict()}
        vectors: Any = state.get("support_vectors_")
        if sparse.issparse(vectors):
            parts = vectors.data, vectors.indices, vectors.indptr
            state["support_vectors_"] = {CSR_KEY: [*parts, list(vectors.shape)]}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        for name in ("kernel", "kernel_"):
            if _is_written(state.get(name), KERNEL_KEY):
                state[name] = Kernel.from_dict(state[name][KERNEL_KEY])
        if _is_written(state.get("support_vectors_"), CSR_KEY):
            *parts, shape = state["support_vectors_"][CSR_KEY]
            state["support_vectors_"] = sparse.csr_array(tuple(parts), shape=tuple(shape))
        super().__setstate__(state)


def check_kernel(estimator, *, optional: bool) -> None:
    """The setting `kernel` must be a kernel, or None where the machine has a linear form."""
    kernel = estimator.kernel
    if isinstance(kernel, Kernel) or (kernel is None and optional):
        return
    advice = "Function(f) makes one of any Python function of two objects"
    if isinstance(kernel, str) and kernel.lower() in NAMED:
        advice = f"for {kernel!r} give {NAMED[kernel.lower()]}"
    elif isinstance(kernel, str) and kernel in MARGIN_INTERCEPTS:
        advice = f"for the intercept give intercept={kernel!r}"
    elif _input.is_number(kernel):
        advice = f"for the price of slack give C={kernel!r}"
    elif isinstance(kernel, type) and issubclass(kernel, Kernel):
        advice = f"{kernel.__name__} is one once it is made: {kernel.__name__}(…)"
    raise ValueError(
        f"kernel must be an object of certo.kernels{' or None' * optional}, got {kernel!r}: "
        f"{advice}."
    )


def _is_written(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and set(value) == {kind}


def union_of(support: list[np.ndarray]) -> np.ndarray:
    return np.unique(np.concatenate(support)) if support else np.zeros(0, np.int64)
