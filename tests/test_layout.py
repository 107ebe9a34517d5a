"""The tests mirror the package: `src/certo/ROOM/NAME.py` is tested by `tests/ROOM/test_NAME.py`.

A sub-folder of a room may be mirrored or left out, and a leading underscore is dropped:
`certificates/margins/maximum_margin.py` is tested by `tests/certificates/test_maximum_margin.py`
or by `tests/certificates/margins/test_maximum_margin.py`.
"""

from __future__ import annotations

from pathlib import Path

from tests import allowed

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src" / "certo"
#: Tests at the top of `tests` that are about the repository as a whole, not about one module.
ABOUT_THE_REPOSITORY = {
    "constants", "coverage", "examples", "fuzz", "golden", "layout", "package", "portable",
    "sentences",
}  # fmt: skip
#: Tests in a room that are about everything in it: laws that all obey, and what the room may hold.
ABOUT_A_ROOM = {"laws", "room"}


def room_and_name(path: Path, root: Path) -> tuple[str, str]:
    """('solvers', 'pegasos') for root/solvers/pegasos.py; the room of root/rates.py is ''."""
    *folders, file = path.relative_to(root).parts
    return folders[0] if folders else "", Path(file).stem.removeprefix("test_").lstrip("_")


def source_modules() -> list[Path]:
    """Every module of the package that has a name of its own."""
    return [path for path in sorted(SOURCE.rglob("*.py")) if not path.stem.startswith("__")]


def modules_of_tests() -> list[Path]:
    return sorted(TESTS.rglob("test_*.py"))


def untested_modules() -> list[str]:
    tested = {room_and_name(path, TESTS) for path in modules_of_tests()}
    return [
        path.relative_to(SOURCE).as_posix()
        for path in source_modules()
        if room_and_name(path, SOURCE) not in tested
    ]


def unmatched_tests() -> list[str]:
    there = {room_and_name(path, SOURCE) for path in source_modules()}
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir()}
    there |= {("", name) for name in rooms | ABOUT_THE_REPOSITORY}
    there |= {(room, name) for room in rooms for name in ABOUT_A_ROOM}
    return [
        path.relative_to(TESTS).as_posix()
        for path in modules_of_tests()
        if room_and_name(path, TESTS) not in there
    ]


def test_every_module_has_its_tests():
    remedy = "write tests/ROOM/test_NAME.py for"
    allowed.require_listed(untested_modules(), "untested_modules", remedy)


def test_every_test_module_has_its_module():
    remedy = "name the test after the module that it tests, or merge it into that one's"
    allowed.require_listed(unmatched_tests(), "unmatched_tests", remedy)


def test_every_folder_of_tests_is_a_package():
    folders = {path.parent for path in TESTS.rglob("*.py")}
    missing = [str(folder) for folder in folders if not (folder / "__init__.py").exists()]
    assert missing == []


def test_every_list_of_exceptions_is_sorted():
    for path in allowed.FOLDER.glob("*.txt"):
        assert allowed.read(path.stem) == sorted(set(allowed.read(path.stem)))
