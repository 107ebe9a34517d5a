"""KernelScheme: the examples that a kernel perceptron is made of determine its functions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.errors.kernel_predictor import KernelPredictor
from certo.certificates.fields import FiniteTable
from certo.certificates.risk.compression_bound import Scheme
from certo.certificates.runs.kernel_run import Gram, KernelRun, rerun
from certo.certificates.sample.classes import output_signs
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import KernelSample, readable
from certo.containers import count
from certo.kernels.base import Kernel

MAX_RERUN_EXAMPLES = 2**12  # Examples of a function whose kernel matrix has 134 MB.


@final
@dataclass(frozen=True, eq=False)
class KernelScheme(Scheme):
    """One function f_k = Σ_i dual_coef[k, i] K̃(x_i, ·) over the updated examples, or one for each
    of K > 2 classes, of which the highest score wins. K̃ is the kernel, `lifted` the kernel plus 1.

    The run is repeated on the updated examples alone, for each output, and must make these
    mistakes, every decision of it being certain: see `runs.kernel_run`. So the functions are
    determined by the updated examples, whatever rounding did. What is not shown to be right of the
    others is an error: see `predictor`. The kernel need not be positive semi-definite.
    """

    kernel: Kernel
    run: KernelRun
    dual_coef: FiniteTable

    zero_sign = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if not np.array_equal(self.dual_coef, np.rint(self.dual_coef)):
            raise ValueError("dual_coef must be a table of integers.")
        if not isinstance(self.kernel, Kernel):
            raise ValueError(f"kernel must be a kernel, got {type(self.kernel).__name__}.")

    @property
    def outputs(self) -> int:
        return len(self.dual_coef)

    @property
    def seeded(self) -> bool:
        return self.run.order == "shuffled"

    @property
    def intercept(self) -> np.ndarray:
        return self.dual_coef.sum(axis=1) * float(self.run.lifted)

    def check_fits(self, labels: Labels, updated: int) -> None:
        super().check_fits(labels, updated)
        if self.dual_coef.shape != (self.outputs, updated):
            raise ValueError(f"dual_coef must hold {updated} numbers for each output.")

    @property
    def reads(self) -> Hashable:
        return "places of classes", self.kernel, "among themselves"

    def read(self, X) -> Any:
        return readable(X, self.kernel)

    def sample(self, X, y, labels: Labels) -> KernelSample:
        codes = labels.places(y)
        if count(X) != codes.size:
            raise SampleMismatch(f"X has {count(X)} examples, but y has {codes.size} labels.")
        return KernelSample(self.kernel, X, codes)

    def wrong(self, sample: KernelSample, updated: np.ndarray, room: float = 1.0) -> np.ndarray:
        centres = self.kernel.take(sample.X, updated)
        rule = KernelPredictor(self.kernel, centres, self.dual_coef, self.intercept)
        return rule.wrong(sample.X, sample.signs, room).errors

    def rerun(self, sample: KernelSample, updated: np.ndarray) -> None:
        require(
            updated.size <= MAX_RERUN_EXAMPLES,
            f"the rule is made of {updated.size:,} examples, and re-running on more than "
            f"{MAX_RERUN_EXAMPLES:,} is not asked of a checker.",
        )
        gram = Gram(self.kernel, sample.X, updated, float(self.run.lifted))
        for k, claimed in enumerate(self.dual_coef):
            made = rerun(gram, self.run, output_signs(sample.signs, k, self.outputs), k)
            require(
                np.array_equal(made, claimed),
                f"re-running output {k} on {updated.size:,} examples alone makes other mistakes.",
            )

    def described(self, updated: np.ndarray) -> dict[str, Any]:
        return {
            "support_": [updated[line != 0] for line in self.dual_coef],
            "dual_coef_": [line[line != 0] for line in self.dual_coef],
            "intercept_": self.intercept,
        }
