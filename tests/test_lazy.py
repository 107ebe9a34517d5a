"""Names are imported when they are used, and only then."""

from __future__ import annotations

import subprocess
import sys
import types

import pytest

from certo.lazy import by_name, names_of


def test_names_of_modules_become_modules_of_names():
    assert by_name({"a": "X Y", "b.c": "Z"}) == {"X": "a", "Y": "a", "Z": "b.c"}


def test_a_name_is_found_once_and_then_known(monkeypatch):
    package, module = types.ModuleType("shop"), types.ModuleType("shop.shelf")
    module.Tea = object()
    monkeypatch.setitem(sys.modules, "shop", package)
    monkeypatch.setitem(sys.modules, "shop.shelf", module)
    find, names = names_of("shop", {"Tea": "shelf"})
    assert "Tea" in names()
    assert find("Tea") is module.Tea
    assert vars(package)["Tea"] is module.Tea
    with pytest.raises(AttributeError, match="module 'shop' has no attribute 'Milk'"):
        find("Milk")


@pytest.mark.slow
def test_certo_alone_imports_nothing_heavy():
    code = "import sys, certo; print(*{'numpy', 'scipy', 'sklearn', 'numba'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == []
