"""Compiled loops, reached for by name when a Gram block is asked for by the fastest way.

No check asks: certificates compute blocks by `Kernel.plain`, in NumPy and SciPy alone.
"""

from __future__ import annotations

import importlib
from typing import Any


def compiled(module: str) -> Any:
    """The module of this name in `certo.compiled`."""
    return importlib.import_module(f"certo.compiled.{module}")
