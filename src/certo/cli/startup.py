"""A quick start: what other libraries import, and no command uses, is not loaded."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

#: What NumPy, SciPy or scikit-learn import, and most commands never use: distributions (a third of
#: a second), a compiler of Fortran, and of the preprocessing all but two of its modules (splines
#: import optimisation). Beside each: what is in a module of it that can be loaded alone.
DEFERRED: dict[str, dict[str, str]] = {
    "scipy.stats": {},
    "numpy.f2py": {},
    "sklearn.preprocessing": {"StandardScaler": "_data", "OneHotEncoder": "_encoders"},
}
HIDDEN = ("pandas", "cython")  # No command has data frames of pandas.


class Deferred(ModuleType):
    """In the place of a module, which is loaded when something in it is asked for; but for names
    that are in a module of it which can be loaded alone."""

    _alone: Mapping[str, str] = {}

    def __getattr__(self, name: str) -> Any:
        if name in self._alone:
            return getattr(importlib.import_module(f"{self.__name__}.{self._alone[name]}"), name)
        if self.__name__ not in sys.modules:  # It is just being made.
            raise AttributeError(name)
        if sys.modules[self.__name__] is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


class Deferring(MetaPathFinder, Loader):
    """Puts a Deferred in the place of modules that are imported for the first time."""

    def __init__(self, deferred: Mapping[str, Mapping[str, str]]):
        self.left = dict(deferred)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        alone = self.left.pop(name, None)
        if alone is None:
            return None
        spec = ModuleSpec(name, self)
        if alone:  # Its modules are found as those of the package are.
            spec.submodule_search_locations = [
                f"{place}/{name.rpartition('.')[2]}" for place in path
            ]
        spec.loader_state = alone
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return Deferred(spec.name)

    def exec_module(self, module: Any) -> None:
        module._alone = module.__spec__.loader_state


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
    sys.meta_path.insert(0, Deferring(DEFERRED))
