"""Packages whose names are imported when they are first used (PEP 562)."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Callable, Mapping
from typing import Any


def by_name(names: Mapping[str, str]) -> dict[str, str]:
    """The module of each name, from the names of each module."""
    return {name: module for module, some in names.items() for name in some.split()}


def by_room(names: Mapping[str, str]) -> dict[str, str]:
    """The same from the names in each folder, each in a module that is named like it."""
    return {
        name: f"{room}.{re.sub('(?!^)(?=[A-Z])', '_', name).lower()}"
        for room, some in names.items()
        for name in some.split()
    }


def names_of(
    package: str, where: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """`__getattr__` and `__dir__` of a package that has these names in these of its modules."""

    def find(name: str) -> Any:
        if name not in where:
            raise importlib.import_module("certo.instead").no_attribute(package, name)
        value = getattr(importlib.import_module(f"{package}.{where[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return find, lambda: sorted({*vars(sys.modules[package]), *where})
