"""The room of certificates: which kinds there are, and how much there is to read for a check."""

from __future__ import annotations

import ast
import importlib
import io
import pkgutil
import tokenize
from functools import cache
from pathlib import Path

import pytest

import certo
from certo import certificates, kernels
from certo.certificates import Certificate
from certo.kernels import Kernel

SOURCE = Path(certo.__file__).parent
#: Code lines that importing a kind brings along, where they are more than `MOST_FOR_A_KIND`, and
#: those of all kinds, without and with every kernel. These limits may only fall.
MOST_FOR_A_KIND = 2000
MOST_FOR_ONE = {
    "AverageToBatch": 2633,
    "CompressionBound": 2101,
    "ErrorCount": 2255,
    "LeastErrorsByCells": 2255,
    "LeastErrorsByTree": 2255,
    "LogisticExcess": 2486,
    "OnlineToBatch": 2534,
    "SupportBound": 2521,
    "TestErrors": 2266,
    "TrainingErrors": 2266,
}
MOST_FOR_ALL, MOST_WITH_KERNELS = 10_234, 12_285
MOST_KINDS = 26
MOST_FILES = 12


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
    for package in (certificates, kernels):
        for name, module in package.WHERE.items():
            assert getattr(package, name).__module__ == f"{package.__name__}.{module}"
        with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
            package.nothing  # noqa: B018


# --- what a check needs ---------------------------------------------------------------------------


@cache
def path_of(module: str) -> Path | None:
    parts = module.split(".")
    if parts[0] != "certo":
        return None
    path = SOURCE.joinpath(*parts[1:])
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return file if file.is_file() else None


@cache
def code_lines(path: Path) -> int:
    """Lines other than comments, docstrings and blanks."""
    text = path.read_text(encoding="utf-8")
    documented = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            documented |= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    nothing = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    used = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in nothing and token.type != tokenize.ENDMARKER:
            used |= set(range(token.start[0], token.end[0] + 1))
    return len(used - documented)


@cache
def imported(module: str) -> frozenset[str]:
    """The modules of Certo that a module imports, inside functions too."""
    found: set[str] = set()

    def look(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
                continue
            if isinstance(child, ast.Import):
                found.update(alias.name for alias in child.names)
            if isinstance(child, ast.ImportFrom) and child.module:
                found.add(child.module)
                found.update(f"{child.module}.{alias.name}" for alias in child.names)
            look(child)

    path = path_of(module)
    look(ast.parse(path.read_text(encoding="utf-8")) if path else ast.Module([], []))
    return frozenset(name for name in found if path_of(name))


def closure(*modules: str) -> set[str]:
    seen: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module and module not in seen and path_of(module):
            seen.add(module)
            waiting += [*imported(module), module.rpartition(".")[0]]
    return seen


def size(modules: set[str]) -> int:
    return sum(code_lines(path) for path in map(path_of, modules) if path)


@pytest.mark.parametrize("kind", sorted(certificates.KINDS))
def test_one_kind_needs_no_more_code_than_this(kind):
    needed = closure(f"certo.certificates.{certificates.KINDS[kind]}")
    assert size(needed) <= MOST_FOR_ONE.get(kind, MOST_FOR_A_KIND)


@pytest.mark.slow
def test_all_kinds_and_kernels_need_no_more_code_than_this():
    kinds = [f"certo.certificates.{module}" for module in certificates.KINDS.values()]
    every = [f"certo.kernels.{module}" for module in kernels.KERNELS.values()]
    needed = closure("certo.verify", *kinds, *every)
    assert size(closure("certo.verify", *kinds)) <= MOST_FOR_ALL
    assert size(needed) <= MOST_WITH_KERNELS
    assert len(kinds) <= MOST_KINDS
    rooms = {module.removeprefix("certo.").split(".")[0] for module in needed}
    assert not rooms & {"bounds", "compiled", "estimators", "issue", "solvers", "words"}


def test_no_folder_holds_more_files_than_this():
    for folder in (SOURCE / "certificates").rglob("*"):
        if folder.is_dir() and folder.name != "__pycache__":
            assert len(list(folder.glob("*.py"))) <= MOST_FILES, folder
