"""KernelPredictor: the rule made of functions of a kernel's space, and what it gets wrong."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
from scipy import sparse

from certo.certificates.errors.decided import Wrong, undecided_is_wrong
from certo.certificates.errors.predictor import Predictor
from certo.certificates.fields import FiniteTable, FiniteVector
from certo.certificates.sample.examples import SampleMismatch, exact_matrix
from certo.certificates.spaces.images import scores_at
from certo.containers import count
from certo.kernels.base import Kernel

MAX_JSON_NUMBERS = 10**7  # Numbers in a rule that is written as JSON.


@final
@dataclass(frozen=True, eq=False)
class KernelPredictor(Predictor):
    """Scores f_k(x) + intercept_k, f_k = Σ_i dual_coef[k, i] K(vector_i, ·).

    The vectors are as the kernel takes centres: rows of an array or a CSR matrix, objects, or the
    numbers of columns of a precomputed matrix.
    """

    kernel: Kernel
    vectors: np.ndarray
    dual_coef: FiniteTable
    intercept: FiniteVector

    def __post_init__(self) -> None:
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, got {type(self.kernel).__name__}.")
        super().__post_init__()
        if self.dual_coef.shape != (self.intercept.size, count(self.centres)) or not self.outputs:
            raise ValueError(
                "dual_coef must hold one number for each vector in a row for each intercept."
            )

    @cached_property
    def centres(self) -> Any:
        """The vectors as the kernel takes them."""
        return self.kernel.centres(self.vectors) if count(self.vectors) else self.vectors

    @property
    def outputs(self) -> int:
        return self.intercept.size

    @property
    def reads(self) -> Hashable:
        return self.kernel

    def read(self, X) -> Any:
        X = X if self.kernel.takes == "objects" else exact_matrix(X)
        try:
            return self.kernel.examples(X)
        except ValueError as wrong:
            raise SampleMismatch(str(wrong)) from wrong

    def wrong(self, X, codes: np.ndarray, room: float = 1.0) -> Wrong:
        value, slack = scores_at(self.kernel, X, self.centres, self.dual_coef, self.intercept)
        return undecided_is_wrong(value, 2 * room * slack, codes)

    def to_dict(self) -> dict[str, Any]:
        vectors = self.centres
        if not sparse.issparse(vectors) and not isinstance(vectors, np.ndarray):
            raise ValueError(
                "a rule made of a kernel of objects has no JSON form: keep it in Python, or "
                "precompute the kernel."
            )
        if np.prod(vectors.shape) > MAX_JSON_NUMBERS:
            raise ValueError(
                f"the rule holds vectors of {np.prod(vectors.shape):,} numbers, more than the "
                f"{MAX_JSON_NUMBERS:,} that are written as JSON."
            )
        vectors = vectors.toarray() if sparse.issparse(vectors) else vectors
        return super().to_dict() | {"vectors": vectors.tolist()}
