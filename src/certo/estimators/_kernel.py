"""What every machine shares whose score is f(x) + intercept, f a function of a kernel's space."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from certo.certificates.margins.solution import MARGIN_INTERCEPTS
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.pairs import pair_labels, pairs_of
from certo.containers import count
from certo.estimators import _input
from certo.estimators._late import LateModule
from certo.estimators._linear import Absent, LinearClassifier, forget
from certo.estimators._pairs import (
    arranged,
    by_pair,
    line_of_pair,
    most_votes,
    scores_of_classes,
)
from certo.kernels.base import Kernel
from certo.kernels.settings import WithKernel
from certo.rkhs import Expansion
from certo.scale.device import CPU, device_there

if TYPE_CHECKING:
    from certo.estimators import _scores
else:  # Whoever reads a model from a file does not load the loops that score.
    _scores = LateModule("certo.estimators._scores")

DEVICE_VALUES = 2**22  # Kernel values for which a device is worth its while.
KERNEL_KEY, CSR_KEY = "certo.kernels", "csr"  # Keys of stored values that are objects.
NO_KERNEL = (
    "leave kernel out, or give None: without a kernel the machine is linear, and fit sets coef_"
)
NAMED = {  # What to give instead of a name.
    "linear": "Linear()",
    "poly": "Polynomial(degree), as Polynomial(3)",
    "polynomial": "Polynomial(degree), as Polynomial(3)",
    "rbf": "Gaussian(variance), whose variance is 1/(2·gamma)",
    "gaussian": "Gaussian(), or Gaussian(variance)",
    "precomputed": "Precomputed()",
}


class _SupportVectors(Absent):
    """`support_vectors_`, which a fit with a kernel sets. Those of hyperplanes are half of the
    examples, or more, and predictions do not need them: they are gathered when they are first read.
    """

    def __get__(self, machine: Any, owner: type) -> Any:
        X: Any = None if machine is None else vars(machine).get("_fit_examples")
        if X is None:
            return super().__get__(machine, owner)
        machine.support_vectors_ = X[machine.support_]
        forget(machine, "_fit_examples")
        return machine.support_vectors_


class KernelClassifier(WithKernel, LinearClassifier):
    """Scores, predictions and stored state of a layer of functions f = Σ dual_coef_i K(x_i, ·), one
    for each output; or of hyperplanes, where `kernel_` is None.

    With a kernel, a machine's fit sets `kernel_`, what `_set_supports` does, `support_vectors_`
    (what stands for the supports on the right of the kernel), and all that a LinearClassifier needs
    but `coef_`.
    """

    coef_: Any = Absent(
        ": with a kernel the weights are a function, not a vector. See expansions_, or "
        "support_vectors_, support_ and dual_coef_. Without one, fit sets it."
    )
    kernel: Kernel | None
    support_vectors_: Any = _SupportVectors(
        ": without a kernel it is gathered from the examples of the fit, which neither pickles nor "
        "model files hold. Where there is a support_, take X[model.support_] of the examples of "
        "the fit."
    )
    support_: Any = Absent(": fit sets it, but a Pegasos without a kernel has no supports.")
    kernel_: Kernel | None
    dual_coef_: np.ndarray
    _in_output: np.ndarray  # As dual_coef_: whether it is a support of the output
    _support_classes: np.ndarray  # places in classes_; -1, if an old file does not say
    _fit_examples: Any  # The examples of a fit of hyperplanes, until support_vectors_ is read.

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

    @property
    def _votes(self) -> str | None:
        """How the machines of pairs of classes settle ties (one of `certificates.model.VOTES`);
        None, where there is an output for each class."""
        if not vars(self).get("_paired", False):
            return None
        return "by confidence" if self.break_ties else "first"

    @property
    def outputs_(self) -> list[Labels]:
        """Which labels count as +1 and −1 for each output."""
        check_is_fitted(self)
        return pair_labels(tuple(self.classes_.tolist())) if self._votes else super().outputs_

    def decision_function(self, X):
        """Scores f(x) + intercept: (n_samples,) for two classes, else (n_samples, n_outputs). For
        pairs of classes (n_samples, n_classes), votes and what settles ties among them; or with
        `decision_function_shape="ovo"` the scores of the pairs, above 0 for the first of the two.
        """
        check_is_fitted(self)
        if self._votes is not None:
            of_pairs = self.decision_function_shape == "ovo"
            return self._pair_scores(X) if of_pairs else self._class_scores(X)
        if self.kernel_ is None:
            return super().decision_function(X)
        X = _input.points(self, self.kernel_, X)
        scores = np.tile(self.intercept_, (count(X), 1))
        if self.support_.size:
            coef = np.ascontiguousarray(self.dual_coef_.T)
            scores = _scores.of_expansion(
                self.kernel_, X, self.support_vectors_, coef, self.intercept_, self._use,
                self._device_for(X),
            )  # fmt: skip
        return self._shaped_scores(scores)

    def predict(self, X):
        """The class whose side, or for several classes whose highest score, an example is on; where
        pairs vote, the class with the most votes, of several the first (`break_ties`: the one with
        the highest score)."""
        check_is_fitted(self)
        if self._votes is None:
            return super().predict(X)
        if self._votes == "by confidence":
            return self.classes_[np.argmax(self._class_scores(X), axis=1)]
        return self.classes_[most_votes(self._pair_scores(X), len(self.classes_))]

    def _class_scores(self, X) -> np.ndarray:
        """As `decision_function`, for pairs always of the classes."""
        if self._votes is None:
            return self.decision_function(X)
        return scores_of_classes(self._pair_scores(X), len(self.classes_))

    def _pair_scores(self, X) -> np.ndarray:
        """(n_samples, n_pairs)"""
        if self.kernel_ is None:
            X = _input.examples(self, X)
            return _scores.of_layer(X, self.coef_, self.intercept_, "signs")
        X = _input.points(self, self.kernel_, X)
        return _scores.of_pairs(
            self.kernel_, X, self.support_vectors_, self._support_classes, self.dual_coef_,
            self.intercept_, self._device_for(X),
        )  # fmt: skip

    def _device_for(self, X) -> Any | None:
        """Where the scores of X are computed: on the device of the settings, if it is there and
        they are many."""
        name = vars(self).get("device", CPU)
        values = count(X) * count(self.support_vectors_)
        return None if name == CPU or values < DEVICE_VALUES else device_there(name)

    def _set_supports(self, rows: list[np.ndarray], dual_coef: list[np.ndarray]) -> None:
        """Set `support_`, `dual_coef_` and `_in_output` from the increasing rows of each output and
        their coefficients, of which some may be 0."""
        self.support_ = rows[0] if len(rows) == 1 else np.unique(np.concatenate(rows))
        self._in_output = np.zeros((len(rows), self.support_.size), dtype=bool)
        for line, part in zip(self._in_output, rows, strict=True):
            line[np.searchsorted(self.support_, part)] = True
        self.dual_coef_ = spread(dual_coef, self._in_output)

    def _keep_supports(self, space, targets: _input.Targets, found, coef: list[Any]) -> None:
        """Set the `rows` and `dual_coef` found for each output, and what predictions need: the
        vectors `coef` of hyperplanes, or the examples that functions are made of."""
        rows, dual_coef = [item.rows for item in found], [item.dual_coef for item in found]
        codes = targets.codes()
        if self._votes is None:
            self._set_supports(rows, dual_coef)
        else:
            parts = arranged(rows, dual_coef, codes, len(targets.classes))
            self.support_, self.dual_coef_, self._in_output = parts
        self._support_classes = codes[self.support_]
        if space.kernel is None:
            space.keep(coef)
            self._fit_examples = space.X
        else:
            space.keep(space.X, self.support_)

    def supports_of_output(self, output: int) -> tuple[np.ndarray, np.ndarray]:
        """The supports of one output, in increasing order, and their coefficients: those columns of
        `dual_coef_` that are not 0, and the examples of coefficient 0 that the output depends on.
        """
        rows = self.support_
        if self._votes is None:
            mine = self._in_output[output]
            return rows[mine], self.dual_coef_[output, mine]
        line = line_of_pair(self._support_classes, len(self.classes_), output)
        mine = np.flatnonzero((line >= 0) & self._in_output[line, np.arange(rows.size)])
        return rows[mine], self.dual_coef_[line[mine], mine]

    def _in_each_output(self) -> np.ndarray:
        """(n_outputs, n_supports): whether it is a support of the output."""
        if self._votes is None:
            return self._in_output
        return by_pair(self._in_output, self._support_classes, len(self.classes_))

    def _supports_per_output(self) -> np.ndarray:
        """(n_outputs,)"""
        if self._votes is None:
            return self._in_output.sum(axis=1)
        codes, K = self._support_classes, len(self.classes_)
        counts = np.array([self._in_output[:, codes == k].sum(axis=1) for k in range(K)])
        return np.array([counts[i, j - 1] + counts[j, i] for i, j in pairs_of(K)])

    @property
    def n_support_(self) -> np.ndarray:
        """How many supports each class has, in the order of `classes_`."""
        if self.support_.size and np.any(self._support_classes < 0):
            raise AttributeError(
                "n_support_ is not known of this machine: the format of its file is an earlier "
                "one, which does not say of which classes the supports are. Fit it again."
            )
        return np.bincount(self._support_classes, minlength=len(self.classes_))

    @property
    def expansions_(self) -> list[Expansion]:
        """The function of each output, intercept left out, as something to compute with."""
        check_is_fitted(self)
        if self.kernel_ is None:
            raise AttributeError(
                "expansions_ is there with a kernel; without one the weights are in coef_."
            )
        kernel, vectors, every = self.kernel_, self.support_vectors_, self._in_each_output()
        coefs = self.dual_coef_
        if self._votes is not None:
            coefs = by_pair(coefs, self._support_classes, len(self.classes_))
        return [
            Expansion(kernel, kernel.points(vectors, np.flatnonzero(mine)), coef[mine])
            for mine, coef in zip(every, coefs, strict=True)
        ]

    def __getstate__(self) -> dict[str, Any]:
        """Plain values and arrays, but for kernels and objects that only a pickle can hold."""
        state = dict(super().__getstate__())
        for name in ("kernel", "kernel_"):
            if isinstance(state.get(name), Kernel):
                with suppress(ValueError):
                    state[name] = {KERNEL_KEY: state[name].to_dict()}
        state.pop("_fit_examples", None)
        if state.get("kernel_") is None:
            state.pop("support_vectors_", None)
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
        has_linear_form = type(estimator)._kernel_to_fit is KernelClassifier._kernel_to_fit
        is_linear = kernel.lower() == "linear" and has_linear_form
        instead = NO_KERNEL if is_linear else f"give {NAMED[kernel.lower()]}"
        advice = f"for {kernel!r} {instead}"
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


def spread(parts: list[np.ndarray], in_output: np.ndarray) -> np.ndarray:
    """A table with what the supports of each output have, and 0 for the others: (n_outputs, …,
    n_supports), a part having a place for each of its own supports in its last dimension."""
    table = np.zeros((len(parts), *parts[0].shape[:-1], in_output.shape[1]), parts[0].dtype)
    for line, part, mine in zip(table, parts, in_output, strict=True):
        line[..., mine] = part
    return table
