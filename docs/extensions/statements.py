"""The page "The notes and Certo": every statement of the notes, from `course/statements.toml`.

The build fails if a statement lacks an object, a test, an anchor on its page or a picture, or if
one that is named does not exist.
"""

from __future__ import annotations

import ast
import importlib
import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
TABLE = DOCS / "course" / "statements.toml"
WRITTEN = DOCS / "course" / "statements.inc"  # git ignores it
#: The five notes: their files, what they are about, and the chapter that teaches each.
NOTES = (
    ("000", "Linear classifiers", "linear-classifiers"),
    ("001", "Support vector machines", "support-vector-machines"),
    ("002", "The Perceptron as a neuron", "neurons"),
    ("003", "Learning as risk minimisation", "risk"),
    ("004", "Kernels", "kernels"),
)
FIELDS = ("object", "test", "picture")


def read() -> dict[str, dict[str, str]]:
    """The statements by their names."""
    with TABLE.open("rb") as file:
        return tomllib.load(file)


def page_of(name: str, statement: dict[str, str]) -> str:
    return statement.get("page", f"course/{NOTES[int(name[1])][2]}")


def holes(name: str, statement: dict[str, str]) -> list[str]:
    """What is missing of one statement, in sentences."""
    found = [
        f"{name} has no {key}." for key in ("lines", "quote", "english") if not statement.get(key)
    ]
    excused = statement.get("none", "")
    found += [
        f"{name} has no {key}, and `none` does not say why."
        for key in FIELDS
        if not statement.get(key) and key not in excused
    ]
    objects = _listed(statement, "object")
    found += [f"{name}: there is no {thing}." for thing in objects if not _exists(thing)]
    for test in _listed(statement, "test"):
        file, _, function = test.partition("::")
        if function not in _functions(file):
            found += [f"{name}: there is no test {test}."]
    page = DOCS / f"{page_of(name, statement)}.md"
    text = page.read_text("utf-8") if page.is_file() else ""
    if not re.search(rf"^\({name.lower()}\)=$", text, re.MULTILINE):
        found += [f"{name}: {page.relative_to(ROOT)} has no anchor ({name.lower()})= for it."]
    for picture in _listed(statement, "picture"):
        if not (DOCS / "pictures" / picture).is_file() or f"pictures/{picture})" not in text:
            found += [f"{name}: {page.relative_to(ROOT)} does not show the picture {picture}."]
    return found


def _listed(statement: dict[str, str], key: str) -> list[str]:
    return [part.strip() for part in statement.get(key, "").split(",") if part.strip()]


@cache
def _functions(file: str) -> frozenset[str]:
    path = ROOT / file
    if not path.is_file():
        return frozenset()
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return frozenset(node.name for node in nodes if isinstance(node, ast.FunctionDef))


def _exists(name: str) -> bool:
    """Whether a dotted name of certo can be reached."""
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for part in parts[cut:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


def as_markdown() -> str:
    """The tables of the page, one for each note."""
    table, lines = read(), []
    for number, (file, title, chapter) in enumerate(NOTES):
        mine = {name: one for name, one in table.items() if name.startswith(f"S{number}-")}
        lines += [f"## Note {file}: {title}", "", f"Chapter: {{doc}}`{chapter}`.", ""]
        lines += ["{.statements}", "| | the notes say | in Certo |", "|---|---|---|"]
        lines += [_row(name, one) for name, one in mine.items()]
        lines += [""]
    return "\n".join(lines)


def _row(name: str, one: dict[str, str]) -> str:
    said = f"“{one['quote']}” (line {one['lines']})<br>{one['english']}"
    tests = [test.removeprefix("tests/").replace("::", "` `") for test in _listed(one, "test")]
    parts = {
        "object": ", ".join(f"`{_short(thing)}`" for thing in _listed(one, "object")),
        "test": ", ".join(f"`{test}`" for test in tests),
        "picture": ", ".join(f"`{picture}`" for picture in _listed(one, "picture")),
        "not": one.get("none", ""),
    }
    has = "<br>".join(f"{what}: {text}" for what, text in parts.items() if text)
    anchor = f"[{name}](/{page_of(name, one)}.md#{name.lower()})"
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (anchor, said, has)) + " |"


def _short(name: str) -> str:
    return name.removeprefix("certo.")


def write_page(app=None) -> None:
    found = [hole for name, one in read().items() for hole in holes(name, one)]
    if found:
        raise ValueError("docs/course/statements.toml:\n  " + "\n  ".join(found))
    text = as_markdown()
    if not WRITTEN.exists() or WRITTEN.read_text("utf-8") != text:
        WRITTEN.write_text(text, "utf-8")


def setup(app):
    app.connect("builder-inited", write_page)
    return {"parallel_read_safe": True}
