"""The room of certificates: which kinds there are, and how much there is to read for a check."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import certo
from certo import certificates, kernels
from certo.certificates import Certificate
from certo.check_files import lines_of, module_of, modules_needed
from certo.kernels import Kernel

SOURCE = Path(certo.__file__).parent
#: Code lines that importing a kind brings along, at most, and those of all kinds, without and with
#: every kernel. These limits may only fall.
MAX_LINES_OF_A_KIND = 2_000
MAX_LINES_OF_ALL, MAX_LINES_WITH_KERNELS = 9_800, 11_800
MAX_KINDS = 26
MAX_FILES = 12


def modules_of(package) -> list[str]:
    return [found.name for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]


def final_kinds(kind: type) -> set[str]:
    below = set().union(*(final_kinds(child) for child in kind.__subclasses__()))
    ours = kind.__module__.startswith("certo.")
    return below | ({kind.__name__} if ours and not kind.__abstractmethods__ else set())


@pytest.mark.parametrize(
    ("package", "base", "listed"),
    [(certificates, Certificate, "KINDS"), (kernels, Kernel, "KERNELS")],
)
def test_every_kind_is_listed(package, base, listed):
    for module in modules_of(package):
        importlib.import_module(module)
    assert final_kinds(base) == set(getattr(package, listed))


def test_names_are_where_the_package_says():
    for package, modules in (
        (certificates, certificates.CERTIFICATE_MODULES),
        (kernels, kernels.KERNEL_MODULES),
    ):
        for name, module in modules.items():
            assert getattr(package, name).__module__ == f"{package.__name__}.{module}"
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            package.nothing  # noqa: B018


# --- what a check needs ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", sorted(certificates.KINDS))
def test_code_lines_per_kind_stay_within_their_limit(kind):
    assert lines_of(modules_needed(module_of(kind))) <= MAX_LINES_OF_A_KIND


@pytest.mark.slow
def test_all_kinds_and_kernels_need_no_more_code_than_this():
    kinds = [module_of(kind) for kind in certificates.KINDS]
    every = [f"certo.kernels.{module}" for module in kernels.KERNELS.values()]
    needed = modules_needed("certo.verify", *kinds, *every)
    assert lines_of(modules_needed("certo.verify", *kinds)) <= MAX_LINES_OF_ALL
    assert lines_of(needed) <= MAX_LINES_WITH_KERNELS
    assert len(kinds) <= MAX_KINDS
    rooms = {module.removeprefix("certo.").split(".")[0] for module in needed}
    assert not rooms & {"bounds", "compiled", "estimators", "issue", "solvers", "words"}


def test_no_folder_holds_more_files_than_this():
    for folder in (SOURCE / "certificates").rglob("*"):
        if folder.is_dir() and folder.name != "__pycache__":
            assert len(list(folder.glob("*.py"))) <= MAX_FILES, folder


@pytest.mark.slow
def test_nothing_is_refused_by_an_assertion():
    """Python leaves assertions out with -O."""
    for room in ("certificates", "numbers"):
        for file in (SOURCE / room).rglob("*.py"):
            found = [
                node.lineno
                for node in ast.walk(ast.parse(file.read_text()))
                if isinstance(node, ast.Assert)
            ]
            assert not found, (file, found)


def test_an_auditor_needs_numpy_and_scipy_only():
    code = (
        "import sys, certo.certificates; "
        "heavy = {'numba', 'sklearn', 'skops', 'pyarrow', 'matplotlib', 'pandas', 'llvmlite', "
        "'certo.solvers', 'certo.compiled', 'certo.estimators', 'certo.data'}; "
        "print(*sorted(heavy & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == []
