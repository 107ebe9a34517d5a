"""Examples of one call for a machine with a kernel, beside those that its function is made of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.spaces.images import ImageMargins, KernelSample
from certo.certificates.spaces.space import Machine
from certo.containers import count
from certo.estimators import _input, _stream
from certo.estimators._kernel import union_of
from certo.kernels.base import Kernel
from certo.kernels.precomputed import Precomputed
from certo.solvers import gram


class KernelBatch(NamedTuple):
    kernel: Kernel
    X: Any
    targets: _input.Targets
    before: Any = None  # the machine, as an earlier call left it

    @property
    def new(self) -> int:
        return count(self.X)

    @property
    def old(self) -> int:
        return 0 if self.before is None else count(self.before.support_vectors_)

    @property
    def seen(self) -> int:
        """Examples of all earlier calls."""
        return 0 if self.before is None else self.before._seen

    @property
    def numbers(self) -> np.ndarray:
        """The numbers of the old examples and the new, as they came."""
        new = self.seen + np.arange(self.new)
        return new if self.before is None else np.append(union_of(self.before.support_), new)

    def places(self, output: int) -> np.ndarray:
        """Where the supports of an output are among the old examples."""
        return np.searchsorted(union_of(self.before.support_), self.before.support_[output])

    def signs(self, output: int) -> np.ndarray:
        """Those of the new examples; 0 for the old, which are not visited again."""
        return np.append(np.zeros(self.old, np.int8), self.targets.signs[output])

    def joint(self, shift: float) -> Any:
        """Old and new examples in one, in float64, so that the signs of scores can be trusted; for
        a precomputed kernel the matrix that claims are about, with the shift on its diagonal."""
        X = self.X
        if self.kernel.takes == "matrix":
            if shift and isinstance(self.kernel, Precomputed):
                X = X.copy()
                X.flat[:: self.new + 1] += shift
            return X
        if self.kernel.takes == "vectors":
            X = X.astype(np.float64, copy=False)
        if not self.old:
            return X
        old = self.before.support_vectors_
        if sparse.issparse(X) or sparse.issparse(old):
            return sparse.csr_array(sparse.vstack([sparse.csr_array(old), sparse.csr_array(X)]))
        if isinstance(X, np.ndarray) and isinstance(old, np.ndarray):
            return np.concatenate([old, X])
        return self.kernel.examples([*old, *X])


def can_stream(estimator) -> bool:
    """Whether there is a partial_fit."""
    kernel = estimator._kernel_to_fit
    if isinstance(kernel, Kernel) and kernel.takes == "matrix":
        raise AttributeError(
            "partial_fit needs a kernel that can be computed between old and new examples, but "
            f"{kernel!r} is a matrix among those of one call. Use fit."
        )
    return True


def streamed_batch(estimator, kernel: Kernel, X, y, classes, fresh: bool) -> KernelBatch:
    """One call's examples. The first call must see all labels, in y or in `classes`."""
    if not fresh and not kernel.agrees(estimator.kernel_):
        raise ValueError(f"kernel must stay {estimator.kernel_!r} in a run, got {kernel!r}.")
    X, y = _input.labelled_points(estimator, kernel, X, y, reset=fresh)
    targets = _stream.targets(estimator, y, classes, fresh)
    if fresh:
        return KernelBatch(kernel.fitted_to(X), X, targets)
    return KernelBatch(estimator.kernel_, X, targets, estimator)


def quick_margins(sample: KernelSample, X, machine: Machine) -> ImageMargins:
    """Margins for a claim, with kernel values from the fast way where there is one; X are the
    examples of the sample in float64."""
    kernel, known = sample.kernel, None
    if kernel.takes == "vectors" and machine.rows.size:
        known = gram.scores(kernel, X, kernel.take(X, machine.rows), machine.dual_coef)
    return next(sample.space.looks(sample, machine, known))
