"""One page for each public object.

`reference/contents.toml` lists the public names by page and heading. At the start of a build every
object gets a file in `reference/objects`, which git ignores, and every page its tables.
"""

from __future__ import annotations

import importlib
import inspect
import re
import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parents[1] / "reference"
OBJECTS = HERE / "objects"


class Group(NamedTuple):
    """Names of a module that a page of the reference lists, under a heading."""

    page: str
    heading: str
    module: str
    names: str

    def objects(self) -> list[str]:
        """The full name of each."""
        return [f"{self.module}.{name}" for name in self.names.split()]


with (HERE / "contents.toml").open("rb") as contents:
    GROUPS = [Group(**group) for group in tomllib.load(contents)["group"]]

#: Packages all of whose public names have a page.
PUBLIC = (
    "certo", "certo.bounds", "certo.certificates", "certo.data", "certo.exercises",
    "certo.features",
    "certo.geometry", "certo.kernels", "certo.losses", "certo.plots", "certo.worlds",
)  # fmt: skip
#: Public names that are documented with another one.
ELSEWHERE = {
    "certo.__version__", "certo.Inseparable", "certo.Neuron", "certo.Separable",
    "certo.exercises.CannotClaim",
}  # fmt: skip


def public_names() -> set[str]:
    """Everything that a user may import, but for constants."""
    names = {
        f"{module}.{name}" for module in PUBLIC for name in importlib.import_module(module).__all__
    }
    return {name for name in names - ELSEWHERE if "MAX_" not in name}


def listed_names() -> list[str]:
    return [name for group in GROUPS for name in group.objects()]


def found(name: str):
    """The object of a full name."""
    module, _, short = name.rpartition(".")
    return getattr(importlib.import_module(module), short)


def object_page(name: str, back: str) -> str:
    """The file of one object."""
    module, _, short = name.rpartition(".")
    thing = found(name)
    kind = "class" if inspect.isclass(thing) else "function"
    if kind == "class" and issubclass(thing, BaseException):
        kind = "exception"
    options = "   :members:\n   :inherited-members:\n" if kind == "class" else ""
    return (
        f":orphan:\n\n{short}\n{'=' * len(short)}\n\n"
        f":doc:`← Reference: {back} </reference/{back}>`\n\n"
        f".. currentmodule:: {module}\n\n.. auto{kind}:: {short}\n{options}"
    )


def tables(page: str) -> str:
    """The groups of a page, as Markdown: a heading and a table with one line for each object."""
    lines, heading = [], None
    for group in GROUPS:
        if group.page != page:
            continue
        if group.heading != heading:
            heading = group.heading
            lines += ["", f"## {heading}", "", "| | |", "|---|---|"]
        for name in group.objects():
            short = name.rpartition(".")[2]
            link = f"{{doc}}`{short} </reference/objects/{name}>`"
            lines.append(f"| {link} | {summary(found(name))} |")
    return "\n".join(lines) + "\n"


def summary(thing) -> str:
    """The first sentence of a docstring."""
    first = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[a-z0-9)`])[.:](?=\s|$)", first)[0].rstrip(".:")
    for character in "|*_$<":
        sentence = sentence.replace(character, "\\" + character)
    return sentence + "."


def write_pages(app=None) -> None:
    """Every object's file, written only if it changed, so that Sphinx reads it only then."""
    missing = sorted(public_names() - set(listed_names()))
    if missing:
        raise ValueError(f"docs/reference/contents.toml does not list {missing}.")
    OBJECTS.mkdir(exist_ok=True)
    wanted = {}
    for group in GROUPS:
        for name in group.objects():
            wanted[OBJECTS / f"{name}.rst"] = object_page(name, group.page)
    for page in {group.page for group in GROUPS}:
        wanted[OBJECTS / f"{page}.inc"] = tables(page)
    for path in set(OBJECTS.iterdir()) - set(wanted):
        path.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def setup(app):
    app.connect("builder-inited", write_pages)
    return {"parallel_read_safe": True}
