"""Where the kernel machines compute: the processor, or a device that PyTorch knows, such as a GPU.

PyTorch is an extra (`pip install 'certo[gpu]'`), and imported only where a device is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numpy as np

from certo.kernels.algebra import Normalised, Product, Scaled, Sum
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.linear import Linear
from certo.kernels.polynomial import Polynomial

KNOWN = Linear, Polynomial, Gaussian, Sum, Product, Scaled, Normalised
CPU, AUTO = "cpu", "auto"
AUTO_FROM_ROWS = 20_000  # Examples from which "auto" takes a GPU; below, the processor is as quick.
FREE_MEMORY_SHARE = 0.9  # Share of the free memory that is used at most.


class NoDevice(RuntimeError):
    """The device that was asked for is not there, or cannot be used."""


class DeviceLost(NoDevice):
    """The device failed in the middle of a computation."""


class DeviceMemory(MemoryError):
    """The device has not enough memory."""


def check_device(value: Any) -> str:
    """The setting `device`; ValueError for what cannot be one."""
    if isinstance(value, str):
        kind, _, number = value.partition(":")
        if value in (CPU, AUTO, "cuda", "torch") or (kind == "cuda" and number.isdecimal()):
            return value
    raise ValueError(f'device must be "cpu", "cuda", "cuda:NUMBER" or "auto", got {value!r}.')


def has_torch() -> bool:
    return find_spec("torch") is not None


def device_for(name: str, rows: int) -> Any | None:
    """The torch.device of this name for so many examples; None: the processor, by NumPy. "torch" is
    the processor by way of PyTorch, which shows on a computer without a GPU what one would do."""
    if name == CPU or (name == AUTO and (rows < AUTO_FROM_ROWS or not has_torch())):
        return None
    if not has_torch():
        raise NoDevice(
            f"device={name!r} needs PyTorch, which is not installed: pip install 'certo[gpu]'. "
            'Without it, device="cpu" gives the same answers.'
        )
    import torch

    if name == "torch":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        if name == AUTO:
            return None
        raise NoDevice(
            f"device={name!r} needs a GPU that PyTorch {torch.__version__} can use, and it finds "
            "none: torch.cuda.is_available() is False. Install a driver and a build of PyTorch "
            'for it, or use device="cpu".'
        )
    device = torch.device("cuda" if name == AUTO else name)
    if device.index is not None and device.index >= torch.cuda.device_count():
        raise NoDevice(
            f"device={name!r} is not there: PyTorch finds {torch.cuda.device_count()} GPUs, "
            "numbered from 0."
        )
    return device


def is_known(kernel: Kernel) -> bool:
    """Whether devices compute it."""
    parts = getattr(kernel, "parts_", ())
    return isinstance(kernel, KNOWN) and all(map(is_known, parts))


def require_known(kernel: Kernel) -> None:
    """NoDevice for kernels that devices do not compute."""
    if not is_known(kernel):
        raise NoDevice(
            f"{kernel!r} is not computed on a device: Linear, Polynomial and Gaussian are, and "
            'their sums, products, multiples and cosines. Use device="cpu".'
        )


def device_of_vectors(name: str, kernel: Kernel, m: int) -> Any | None:
    """As `device_for`, with this kernel: NoDevice, unless "auto" leaves the choice."""
    device = device_for(name, m)
    if device is not None and not (name == AUTO and not is_known(kernel)):
        require_known(kernel)
        return device
    return None


def device_there(name: str) -> Any | None:
    """As `device_for`, for what any device computes alike: None, where there is none."""
    try:
        return device_for(name, AUTO_FROM_ROWS)
    except NoDevice:
        return None


def told(device: Any | None) -> str:
    """What a fit says of where it was computed."""
    if device is None:
        return CPU
    import torch

    if device.type == "cuda":
        return f"cuda ({torch.cuda.get_device_name(device)})"
    return f"{CPU} by PyTorch"


def is_foreign(X: Any) -> bool:
    """Whether X is an array of a library of devices: a tensor of PyTorch, or one that offers the
    interface of CUDA or of DLPack and does not come from NumPy."""
    if isinstance(X, np.ndarray | np.generic | list | tuple) or not hasattr(X, "shape"):
        return False
    kind = type(X)
    return kind.__module__.partition(".")[0] == "torch" or any(
        hasattr(kind, name) for name in ("__cuda_array_interface__", "__dlpack__")
    )


def on_host(X: Any) -> Any:
    """X as NumPy has it, if it is such an array; all else as it is."""
    return as_tensor(X).cpu().numpy() if is_foreign(X) else X


def as_tensor(X: Any) -> Any:
    """Without a copy, where X and PyTorch agree on that."""
    kind = type(X)
    if kind.__module__.partition(".")[0] != "torch":
        if not has_torch():
            raise NoDevice(
                f"{kind.__module__}.{kind.__qualname__} is read by way of PyTorch, which is not "
                "installed: pip install 'certo[gpu]'. Or give a NumPy array."
            )
        import torch

        dlpack = hasattr(kind, "__dlpack__")
        X = torch.from_dlpack(X) if dlpack else torch.as_tensor(X, device="cuda")
    import torch

    X = X.detach().to_dense() if X.layout != torch.strided else X.detach()
    return X.float() if X.dtype == torch.bfloat16 else X


def require_memory(device: Any, needed: int, what: str) -> None:
    """DeviceMemory before a computation begins, if it would need more bytes than are free."""
    if device.type != "cuda":
        return
    import torch

    free, _ = torch.cuda.mem_get_info(device)
    free += torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    if needed > FREE_MEMORY_SHARE * free:
        raise DeviceMemory(
            f"{what} needs about {needed / 1e9:.1f} GB on {device}, of which "
            f"{free / 1e9:.1f} GB are free. Use fewer examples, free the memory of the device, or "
            'take device="cpu".'
        )


@contextmanager
def on_device(device: Any) -> Iterator[None]:
    """Around computations on a device: what goes wrong there is said in words."""
    import torch

    try:
        with torch.no_grad():
            yield
    except torch.OutOfMemoryError as wrong:
        torch.cuda.empty_cache()
        raise DeviceMemory(
            f"the memory of {device} is used up. Use fewer examples, free the memory of the "
            'device, or take device="cpu".'
        ) from wrong
    except RuntimeError as wrong:
        if device.type == "cuda" and "CUDA" in str(wrong):
            first = str(wrong).strip().splitlines()[0]
            raise DeviceLost(
                f"{device} failed: {first}. PyTorch cannot use it again in this process: start "
                'Python anew, or take device="cpu". Nothing was stored in the machine.'
            ) from wrong
        raise
