"""Modules that a fit needs and a check of what was fitted does not."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


class LateModule(ModuleType):
    """A module that is imported when something in it is first asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self.__name__), name)
