"""Functions of a kernel's space whose problems a device solves, by way of PyTorch."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from certo.certificates.spaces.images import KernelSample
from certo.estimators._limits import Limits
from certo.estimators._spaces import Functions, with_signs
from certo.kernels.base import Kernel
from certo.scale.device import (
    AUTO,
    CPU,
    NoDevice,
    device_of_vectors,
    is_foreign,
    on_device,
    require_memory,
    told,
)
from certo.solvers.kernel_soft_margin import KernelOutcome


def device_of_fit(machine: Any, kernel: Kernel | None, m: int) -> Any | None:
    """The torch.device that a fit of m examples is computed on; None: the processor."""
    if kernel is not None:
        return device_of_vectors(machine.device, kernel, m)
    if machine.device not in (CPU, AUTO):
        raise NoDevice(
            f"device={machine.device!r} needs a kernel, such as Linear(): hyperplanes of a fit "
            'without a kernel are found on the processor. Use device="cpu".'
        )
    return None


class DeviceFunctions(Functions):
    """The same functions as `Functions`, where `device` solves and computes the scores of claims.

    `given` are the examples as they came: where they are on the device, they are not sent again.
    """

    def __init__(self, machine, kernel: Kernel, X, given: Any, device: Any):
        super().__init__(machine, kernel, X)
        from certo.scale.device_kernels import tensor
        from certo.scale.device_soft_margin import bytes_needed

        self.device = device
        require_memory(device, bytes_needed(*X.shape), f"An SVM of {X.shape[0]:,} examples")
        with on_device(device):
            self.tensor = tensor(given if is_foreign(given) else self.X, device)

    def part(self, rows: np.ndarray) -> DeviceFunctions:
        """Some of the examples."""
        some = copy(self)
        some.X, some.m, some._last_sample = self.X[rows], rows.size, None
        with on_device(self.device):
            import torch

            some.tensor = self.tensor[torch.tensor(rows, device=self.device)]
        return some

    @property
    def told(self) -> str:
        return told(self.device)

    def soft_margin(self, signs, costs, start, limits: Limits) -> KernelOutcome:
        from certo.scale.device_soft_margin import device_soft_margin

        return device_soft_margin(
            self.kernel, self.tensor, signs, costs, self.intercept, self.device, start=start,
            **limits._asdict(),
        )  # fmt: skip

    def sample(self, signs: np.ndarray) -> KernelSample:
        if self._last_sample is None:
            self._last_sample = DeviceSample(self.kernel, self.X, signs).on(self.tensor)
        else:
            self._last_sample = with_signs(self._last_sample, signs)
        return self._last_sample


class DeviceSample(KernelSample):
    """A sample whose sums over all examples a device computes."""

    _tensor: Any

    def on(self, tensor: Any) -> DeviceSample:
        vars(self)["_tensor"] = tensor
        return self

    def _sums(self, points, rows: np.ndarray, coef: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if points is not self.X:
            return super()._sums(points, rows, coef)
        from certo.scale.device_scores import sums_and_sizes

        return sums_and_sizes(self.kernel, self._tensor, rows, coef)
