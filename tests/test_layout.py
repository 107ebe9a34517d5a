"""The tests mirror the package: `src/certo/ROOM/NAME.py` is tested by `tests/ROOM/test_NAME.py`.

A leading underscore is dropped, and what would make a long file may be several:
`tests/ROOM/test_NAME_ASPECT.py` is about NAME too. `test_laws.py` has the laws that all members of
a room obey. The rules below say which modules are tested in another place, and why.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from tests import allowed

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "certo"
#: Tests at the top of `tests` that are about the repository as a whole, not about one module.
ABOUT_THE_REPOSITORY = {
    "benchmarks", "constants", "coverage", "device_claims", "docs", "examples", "facts", "fuzz",
    "golden", "layout", "new_machine", "notes", "notes_kernels", "notes_risk", "package",
    "portable", "sentences",
}  # fmt: skip
#: Tests in a room that are about everything in it: laws that its members obey, attacks that none of
#: them may believe, and what the room may hold.
ABOUT_A_ROOM = {"attacks", "laws", "room"}
#: Rooms whose `test_laws.py` finds every class of this base, so that a new one is tested at once.
FAMILIES = {
    "certificates": "Certificate",
    "kernels": "Kernel",
    "losses": "Loss",
    "worlds": "World",
}


def source_modules() -> list[Path]:
    """Every module of the package that has a name of its own."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if not path.stem.startswith("__")]


def modules_of_tests() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


@cache
def source_names() -> dict[tuple[str, str], str]:
    """The module of each folder and name: ('solvers', 'pegasos') is 'solvers/pegasos.py'."""
    paths = [path.relative_to(SOURCE) for path in source_modules()]
    return {(path.parent.as_posix(), path.stem.lstrip("_")): path.as_posix() for path in paths}


def module_tested_by(path: Path) -> str | None:
    """The module with the longest name that the name of this test begins with, or None."""
    names = source_names()
    test = path.relative_to(TESTS)
    words = path.stem.removeprefix("test_").split("_")
    for length in range(len(words), 0, -1):
        module = names.get((test.parent.as_posix(), "_".join(words[:length])))
        if module is not None:
            return module
    return None


# --- modules that are tested in another place ---------------------------------------------------


def is_private(module: str) -> bool:
    """`_NAME.py` is tested through the public modules of its room, which share it."""
    return Path(module).stem.startswith("_")


def is_compiled(module: str) -> bool:
    """A compiled loop is tested through the solver, kernel or estimator that calls it, whose tests
    compare its results with a definition in plain Python."""
    return module.startswith("compiled/")


def issues_claims(module: str) -> bool:
    """What `issue` makes is what `certificates` checks: the tests of a check issue the claim, and
    `tests/issue/test_laws.py` holds for all."""
    return module.startswith("issue/")


def words_claims(module: str) -> bool:
    """The sentences about a group of claims are tested with these claims, and the laws of
    `certificates` read the words of every kind."""
    return module.startswith("words/") and (SOURCE / "certificates" / Path(module).stem).is_dir()


def is_member_of_a_family(module: str) -> bool:
    """The laws of a room find the classes that it exports, and test what these inherit."""
    room, _, rest = module.partition("/")
    return room in FAMILIES and rest in members(room)


@cache
def members(room: str) -> set[str]:
    """Modules with classes that the laws of this room find, or that these inherit from."""
    package = import_module(f"certo.{room}")
    base = getattr(package, FAMILIES[room])
    exported = [getattr(package, name) for name in package.__all__]
    kinds = [one for one in exported if isinstance(one, type) and issubclass(one, base)]
    names = {part.__module__ for kind in kinds for part in kind.__mro__}
    start = f"certo.{room}."
    return {n[len(start) :].replace(".", "/") + ".py" for n in names if n.startswith(start)}


def whole_of(module: str) -> str | None:
    """The only module that imports this one: the two are tested as one."""
    importers = imported_by()[module]
    return next(iter(importers)) if len(importers) == 1 else None


@cache
def imported_by() -> dict[str, set[str]]:
    """The modules that import each module; those that only name it (`__init__`) do not count."""
    there = {
        f"certo.{'.'.join(p.relative_to(SOURCE).with_suffix('').parts)}" for p in source_modules()
    }
    found = defaultdict(set)
    for path in source_modules():
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                for name in names & there:
                    module = name.removeprefix("certo.").replace(".", "/") + ".py"
                    found[module].add(path.relative_to(SOURCE).as_posix())
    return found


RULES = (is_private, is_compiled, issues_claims, words_claims, is_member_of_a_family)


def is_tested(module: str, tested: set[str]) -> bool:
    """Whether a test has its name, a rule covers it, or it is a part of one of which this holds."""
    if module in tested or any(rule(module) for rule in RULES):
        return True
    whole = whole_of(module)
    return whole is not None and is_tested(whole, tested)


# --- what is there ------------------------------------------------------------------------------


def untested_modules() -> list[str]:
    tested = {module_tested_by(path) for path in modules_of_tests()} - {None}
    modules = [path.relative_to(SOURCE).as_posix() for path in source_modules()]
    return [module for module in modules if not is_tested(module, tested)]


def unmatched_tests() -> list[str]:
    return [
        path.relative_to(TESTS).as_posix()
        for path in modules_of_tests()
        if module_tested_by(path) is None and not is_about_many(path)
    ]


def is_about_many(path: Path) -> bool:
    """Whether it is about a room or the repository: `test_laws.py`, `test_structured_laws.py`."""
    name = path.stem.removeprefix("test_")
    if path.parent == TESTS:
        return name in ABOUT_THE_REPOSITORY
    room = SOURCE / path.parent.relative_to(TESTS)
    return room.is_dir() and name.split("_")[-1] in ABOUT_A_ROOM


@pytest.mark.slow
def test_every_module_has_its_tests():
    remedy = "write tests/ROOM/test_NAME.py for"
    allowed.require_listed(untested_modules(), "untested_modules", remedy)


def test_every_test_module_has_its_module():
    remedy = "name the test after the module that it tests, or merge it into that one's"
    assert unmatched_tests() == [], remedy


def test_every_family_has_its_laws():
    for room in FAMILIES:
        assert (TESTS / room / "test_laws.py").exists()
        assert members(room)


def test_every_folder_of_tests_is_a_package():
    folders = {path.parent for path in TESTS.rglob("*.py")}
    missing = [str(folder) for folder in folders if not (folder / "__init__.py").exists()]
    assert missing == []


def test_every_list_of_exceptions_is_sorted():
    for path in allowed.FOLDER.glob("*.txt"):
        assert allowed.read(path.stem) == sorted(set(allowed.read(path.stem)))
