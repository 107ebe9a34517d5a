"""What every claim about functions of a kernel's space shares."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields

import numpy as np

from certo.certificates.base import Certificate, Verification
from certo.certificates.spaces.images import KernelSample, check_shift, readable
from certo.kernels.base import Kernel


@dataclass(frozen=True, repr=False, eq=False)
class KernelClaim(Certificate):
    """`shift` is added to the diagonal of a precomputed kernel, and 0 for others: see
    `KernelSample`."""

    kernel: Kernel
    shift: float

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, got {type(self.kernel).__name__}.")
        if self.shift < 0 or (self.shift and self.kernel.takes != "matrix"):
            raise ValueError(
                "shift must be 0, or for a precomputed kernel at least 0, "
                f"got {self.shift!r} for {self.kernel!r}."
            )

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return self.kernel, self.shift

    def _read(self, X):
        X = readable(X, self.kernel)
        check_shift(X, self.kernel, self.shift)
        return X

    def _sample(self, X, y) -> KernelSample:
        return KernelSample.labelled(X, y, self.labels, self.kernel, self.shift)

    def _verify(self, sample: KernelSample) -> Verification:
        try:
            return super()._verify(sample)
        except ValueError as wrong:  # of the kernel, about these examples
            return Verification(False, self.name, str(wrong))

    def __eq__(self, other: object) -> bool:
        """By value; not by JSON, which a Python function has none of."""
        return type(other) is type(self) and all(
            np.array_equal(getattr(self, f.name), getattr(other, f.name))
            if f.type == "np.ndarray"
            else getattr(self, f.name) == getattr(other, f.name)
            for f in fields(self)
        )

    __hash__ = Certificate.__hash__
