"""Names of scikit-learn's are answered by ours."""

from __future__ import annotations

import importlib

import pytest

from certo.instead import INSTEAD, no_attribute


@pytest.mark.parametrize(
    ("package", "name"), [(package, name) for package, names in INSTEAD.items() for name in names]
)
def test_what_a_package_does_not_have_is_answered(package, name):
    module = importlib.import_module(package)
    assert name not in dir(module)
    assert not hasattr(module, name)
    with pytest.raises(AttributeError, match=f"{package}' has no attribute '{name}': ") as wrong:
        getattr(module, name)
    assert str(wrong.value).endswith(f": {INSTEAD[package][name]}.")


def test_of_other_names_nothing_is_said():
    for package, name in (("certo", "Kaffee"), ("shop", "SVC")):
        said = str(no_attribute(package, name))
        assert said == f"module '{package}' has no attribute '{name}'"
