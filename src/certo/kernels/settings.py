"""Settings of a kernel as settings of what uses it: how grid searches reach into kernels."""

from __future__ import annotations

from typing import Any

from certo.kernels.base import Kernel


class WithKernel:
    """For a scikit-learn estimator with a parameter `kernel`: kernel__variance and the like."""

    kernel: Any

    def get_params(self, deep=True):
        """Settings by name; deep: those of the kernel too, as kernel__variance."""
        params = super().get_params(deep)  # type: ignore[misc]
        if deep and isinstance(self.kernel, Kernel):
            params |= {f"kernel__{name}": value for name, value in self.kernel.settings.items()}
        return params

    def set_params(self, **params):
        """Set settings by name; with kernel__variance, say, put another kernel in its place."""
        inner = {name: params.pop(name) for name in [*params] if name.startswith("kernel__")}
        super().set_params(**params)  # type: ignore[misc]
        if inner:
            if not isinstance(self.kernel, Kernel):
                raise ValueError(f"there is not a kernel whose {next(iter(inner))!r} could be set.")
            changed = {name.removeprefix("kernel__"): value for name, value in inner.items()}
            self.kernel = self.kernel.with_settings(**changed)
        return self
