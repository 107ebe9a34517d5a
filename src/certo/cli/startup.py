"""A quick start: what other libraries import, and no command uses, is not loaded."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

#: scikit-learn imports both: a third of a second for distributions, a fifth for data frames. No
#: command has data frames of pandas; what needs a distribution loads them.
DEFERRED, HIDDEN = ("scipy.stats",), ("pandas",)


class Deferred(ModuleType):
    """In the place of a module, which is loaded when something in it is asked for."""

    def __init__(self, name: str):
        super().__init__(name)
        self.__spec__ = ModuleSpec(name, None)

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


class Hidden(MetaPathFinder):
    """Modules that are as if they were not installed."""

    def __init__(self, names: Sequence[str]):
        self.names = names

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        if name in self.names:
            raise ModuleNotFoundError(f"{name} is of no use here.", name=name)


def start_quickly() -> None:
    """To be called before anything else is imported, in a process of the command line."""
    sys.meta_path.insert(0, Hidden([name for name in HIDDEN if name not in sys.modules]))
    for name in DEFERRED:
        if name not in sys.modules:
            sys.modules[name] = Deferred(name)
