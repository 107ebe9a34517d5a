"""Where examples are points and machines are vectors: values with their allowances.

A space is imported when it is named, so that claims about hyperplanes need no kernels.
"""

from __future__ import annotations

import importlib
from typing import Any

#: every space, and the module that has it
SPACES = {"Vectors": "vectors", "Images": "images"}


def __getattr__(name: str) -> Any:
    if name not in SPACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{SPACES[name]}"), name)
