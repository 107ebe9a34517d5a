"""What every machine shares whose score is f(x) + intercept, f a function of a kernel's space."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from certo.certificates.spaces.images import functions_of, needed_shift
from certo.containers import count
from certo.estimators import _input, _scores
from certo.estimators._errors import RowError
from certo.estimators._linear import LinearClassifier
from certo.kernels.base import Kernel
from certo.kernels.precomputed import Precomputed
from certo.kernels.semidefinite import IF_ROUNDING, NotPositive, check_gram, symmetrised
from certo.kernels.settings import WithKernel
from certo.kernels.strips import gram_in_strips
from certo.rkhs import Expansion
from certo.words.reader import examples_at

KERNEL, CSR = "certo.kernels", "csr"  # what a value stands for that is written down
NAMED = {  # what to give in the place of a name
    "linear": "Linear()",
    "poly": "Polynomial(degree), as Polynomial(3)",
    "polynomial": "Polynomial(degree), as Polynomial(3)",
    "rbf": "Gaussian(variance), whose variance is 1/(2·gamma)",
    "gaussian": "Gaussian(), or Gaussian(variance)",
    "precomputed": "Precomputed()",
}
SOME = 100  # examples on which a function is looked at before it is trusted


class KernelClassifier(WithKernel, LinearClassifier):
    """Scores, predictions and stored state of a layer of functions f = Σ dual_coef_i K(x_i, ·), one
    for each output; or of hyperplanes, where `kernel_` is None.

    With a kernel, a machine's fit sets `kernel_`, `support_` and `dual_coef_` (an array for each
    output, the first of them increasing), `support_vectors_` (what stands for the supports of all
    outputs on the right of the kernel, in increasing order, each once), and all that a
    LinearClassifier needs but `coef_`; `_keep` helps.
    """

    kernel: Kernel | None
    kernel_: Kernel | None
    support_: list[np.ndarray]
    dual_coef_: list[np.ndarray]
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

    def _keep(self, X, coef: list[Any]) -> None:
        """Set what predictions need, support_ being set; an earlier fit may have left the other."""
        kernel = self._kernel_to_fit
        self.kernel_ = None if kernel is None else kernel.fitted_to(X)
        for name in ("coef_", "support_vectors_"):
            self.__dict__.pop(name, None)
        if self.kernel_ is None:
            self.coef_ = np.array(coef)
        else:
            self.support_vectors_ = self.kernel_.take(X, union_of(self.support_))

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
        union = union_of(self.support_)
        places = [np.searchsorted(union, rows) for rows in self.support_]
        return [
            Expansion(self.kernel_, self.kernel_.points(self.support_vectors_, some), dual_coef)
            for some, dual_coef in zip(places, self.dual_coef_, strict=True)
        ]

    def __getstate__(self) -> dict[str, Any]:
        """Plain values and arrays, but for kernels and objects that only a pickle can hold."""
        state = dict(super().__getstate__())
        for name in ("kernel", "kernel_"):
            if isinstance(state.get(name), Kernel):
                with suppress(ValueError):
                    state[name] = {KERNEL: state[name].to_dict()}
        vectors: Any = state.get("support_vectors_")
        if sparse.issparse(vectors):
            parts = vectors.data, vectors.indices, vectors.indptr
            state["support_vectors_"] = {CSR: [*parts, list(vectors.shape)]}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        for name in ("kernel", "kernel_"):
            if _is_written(state.get(name), KERNEL):
                state[name] = Kernel.from_dict(state[name][KERNEL])
        if _is_written(state.get("support_vectors_"), CSR):
            *parts, shape = state["support_vectors_"][CSR]
            state["support_vectors_"] = sparse.csr_array(tuple(parts), shape=tuple(shape))
        super().__setstate__(state)

    def __getattr__(self, name: str):
        for kind in type(self).__mro__:
            found: Any = vars(kind).get(name)
            if hasattr(found, "__get__"):  # it raised an AttributeError with words of its own
                return found.__get__(self, type(self))
        advice = ""
        if name == "coef_" and vars(self).get("kernel_") is not None:
            advice = (
                ": with a kernel the weights are a function, not a vector. See expansions_, or "
                "support_vectors_, support_ and dual_coef_"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{advice}.")


def check_kernel(estimator, *, optional: bool) -> None:
    """The setting `kernel` must be a kernel, or None where the machine has a linear form."""
    kernel = estimator.kernel
    if isinstance(kernel, Kernel) or (kernel is None and optional):
        return
    advice = "Function(f) makes one of any Python function of two objects"
    if isinstance(kernel, str) and kernel.lower() in NAMED:
        advice = f"for {kernel!r} give {NAMED[kernel.lower()]}"
    elif isinstance(kernel, str) and kernel in _input.INTERCEPTS:
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


class Measured(NamedTuple):
    """Examples, and what is known of a kernel on them."""

    X: Any  # a precomputed matrix is made symmetric to the last digit
    square: float  # max K(x, x)
    shift: float  # K + shift·I is shown to be positive semi-definite, where K is precomputed


def measured(estimator, kernel: Kernel, X) -> Measured:
    """Refuses numbers beyond float64, and what is seen to be no kernel on these examples."""
    name = type(estimator).__name__
    shift = 0.0
    if kernel.takes == "matrix":
        shift, X = check_gram(X), symmetrised(X)
        shift = shift if isinstance(kernel, Precomputed) else needed_shift(X, kernel)
    with np.errstate(over="ignore", invalid="ignore"):
        diagonal = kernel.diagonal(X)
    below = np.flatnonzero(diagonal < 0)
    if below.size:
        raise NotPositive(np.eye(1, count(X), below[0])[0], float(diagonal[below[0]]))
    most = _input.LONGEST**2
    bad = np.flatnonzero(~(diagonal <= most))
    if bad.size:
        raise RowError(
            f"{name} needs K(x, x) of at most {most:g}, but with {kernel!r} it is "
            f"{diagonal[bad[0]]:g} for {examples_at(bad[:1])}. Rescale the features, or choose "
            "another kernel.",
            [int(bad[0])],
        )
    if kernel.takes == "objects" and not np.any(diagonal):
        warnings.warn(
            f"{kernel!r} is 0 on all examples, so {name} can tell none from another. Choose "
            "another kernel, or other settings of it.",
            UserWarning,
            stacklevel=2,
        )
    if functions_of(kernel):
        _check_some(kernel, X)
    return Measured(X, float(diagonal.max()), shift)


def posed(
    kernel: Kernel, X, cache_mb: float, asked: Callable[[], bool] = lambda: False
) -> tuple[Kernel, Any]:
    """The kernel and the examples as solvers take them: of objects the Gram matrix, if there is
    room for it and nobody asks to stop before it is made, since no one knows how long one value
    takes. Half of it is computed: whether it is symmetric was asked of some."""
    m = count(X)
    if kernel.takes != "objects" or 8 * m**2 > cache_mb * 1e6:
        return kernel, X
    matrix = gram_in_strips(kernel, X, lambda made, of: asked())
    if matrix is None:
        return kernel, X
    if functions_of(kernel):
        matrix = _checked(kernel, matrix, np.arange(m), m)
    return Precomputed(), symmetrised(matrix)


def _check_some(kernel: Kernel, X) -> None:
    """A function may be asymmetric or indefinite: some of the examples show it, most likely."""
    m = count(X)
    rows = np.unique(np.linspace(0, m - 1, min(m, SOME)).astype(np.intp))
    _checked(kernel, kernel.plain(kernel.points(X, rows), kernel.take(X, rows)), rows, m)


def _checked(kernel: Kernel, block: np.ndarray, rows: np.ndarray, m: int) -> np.ndarray:
    """The Gram matrix of these of m examples, if it is one."""
    try:
        check_gram(block)
    except NotPositive as indefinite:
        witness = np.zeros(m)
        witness[rows] = indefinite.witness
        raise NotPositive(witness, indefinite.value) from None
    except ValueError as wrong:
        raise RowError(
            f"{kernel!r} is no kernel: its matrix K of {examples_at(rows)} is no kernel's, since "
            f"{str(wrong).removesuffix(IF_ROUNDING)} A function f becomes symmetric as "
            "(f(x, z) + f(z, x)) / 2.",
            rows.tolist(),
        ) from None
    return block
