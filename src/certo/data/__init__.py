"""Tables and graphs in, models in and out: what lies in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from certo.data.tu_files import read_tu

__all__ = ["read_tu"]


def __getattr__(name: str) -> Any:
    if name == "read_tu":  # when it is asked for: tables need no kernels
        from certo.data.tu_files import read_tu

        return read_tu
    raise AttributeError(f"module 'certo.data' has no attribute {name!r}")
