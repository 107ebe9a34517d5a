"""Saying things in a terminal, or to whoever reads the output through a pipe."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence, Sized
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from certo.visible import visible

MAX_CLASSES_SHOWN = 8
MAX_ROWS_SHOWN, MAX_CELLS_SHOWN = 12, 8  # Rows of a proof, and cells of each.
PIPED_WIDTH = 100  # Letters of a line of a table that is not for a terminal.
Part = str | tuple[str, str]  # A text, or a text and its style.


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would end the process with exit code 1, which is a verdict here."""
        raise BrokenPipeError


class Voice:
    """Lines of styled text. The width of a terminal is kept to; piped text is never wrapped,
    so that it can be searched. Nothing in a text is taken as markup, and no control character
    of a file reaches the terminal."""

    def __init__(self, *, stderr: bool = False):
        self.console = _Console(stderr=stderr, highlight=False, emoji=False, markup=False)

    @property
    def is_terminal(self) -> bool:
        return self.console.is_terminal

    @property
    def width(self) -> int:
        """How many letters a line of a table may have."""
        return self.console.width if self.is_terminal else PIPED_WIDTH

    def say(self, *parts: Part, indent: int = 0) -> None:
        line = Text.assemble(*map(_text, parts))
        if self.is_terminal and parts:
            self.console.print(Padding(line, (0, 0, 0, indent), expand=False))
        else:
            self.console.print(" " * indent + line.plain, soft_wrap=True)

    def item(self, mark: Part, *parts: Part, indent: int = 0) -> None:
        """A line whose text, where it needs several, stays to the right of its mark."""
        if not self.is_terminal:
            self.say(mark, *parts, indent=indent)
            return
        grid = Table.grid()
        grid.add_column(no_wrap=True)
        grid.add_column()
        grid.add_row(_text(mark), Text.assemble(*map(_text, parts)))
        self.console.print(Padding(grid, (0, 0, 0, indent), expand=False))

    def table(self, head: Sequence[str], rows: Sequence[Sequence[Part]]) -> None:
        """Cells under each other; through a pipe each row is one line."""
        if not self.is_terminal:
            for row in rows:
                self.say("  ".join(_text(cell).plain for cell in row))
            return
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
        for name in head:
            table.add_column(name)
        for row in rows:
            table.add_row(*map(_text, row))
        self.console.print(table)

    def suggest(self, why: str, command: str) -> None:
        """A command on one line however long, so that it can be copied."""
        self.console.print(Text(visible(f"{why}: {command}")), soft_wrap=True)


def print_json(value: Any) -> None:
    # Letters that the terminal lacks are escaped as JSON has it, not as Python has it.
    is_utf8 = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "") == "utf8"
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=not is_utf8) + "\n")


def _text(part: Part) -> Text:
    text, style = (part, "") if isinstance(part, str) else part
    return Text(visible(text), style)


def shown_classes(said: dict[str, Any]) -> str:
    """The classes of the target, or the ends of its numbers."""
    from certo.numbers.digits import three_digits

    if said["classes"] is None:
        return "from {} to {}".format(*map(three_digits, said["target_range"]))
    classes = [str(label).strip() for label in said["classes"]]
    more = f", … ({len(classes)} classes)" if len(classes) > MAX_CLASSES_SHOWN else ""
    return ", ".join(classes[:MAX_CLASSES_SHOWN]) + more


def tell_examples(voice: Voice, said: dict[str, Any], what: str, link: str) -> None:
    """What the examples are: classes, columns, and what to know of them."""
    from certo.certificates.encoding import counted

    sizes = f"{counted(said['examples'], 'example')}, {counted(said['features'], 'feature')}"
    shown = shown_classes(said)
    voice.say((what, "bold"), f" {link} ", (said["target"], "bold"), f" ({shown}): {sizes}")
    tell_columns(voice, said)
    for note in said["notes"]:
        voice.item(("note ", "yellow"), note, indent=2)


def tell_columns(voice: Voice, said: dict[str, Any]) -> None:
    """What became of the columns of the table."""
    from certo.certificates.encoding import counted

    columns = said["columns"]
    if columns["numbers"]:
        numeric, scaled = len(columns["numbers"]), "scaled to mean 0 and variance 1"
        if said["scale"] != "standard":
            scaled = "as it is" if numeric == 1 else "as they are"
        voice.say(f"{counted(numeric, 'numeric column')}, {scaled} (--scale)", indent=2)
    if columns["categories"]:
        many = counted(len(columns["categories"]), "categorical column")
        but = " but the first" if said["references"] else ""
        voice.say(f"{many}, one 0/1 feature for each level{but}", indent=2)
    if columns["texts"]:
        voice.say(f"{counted(len(columns['texts']), 'column')} of text, words counted", indent=2)


def tell_rows(voice: Voice, rows: list[dict[str, Any]]) -> None:
    """Rows of the file with their labels, weights and values."""
    for item in rows[:MAX_ROWS_SHOWN]:
        cells = [f"{name} {value}" for name, value in item["values"].items()]
        more = f", … ({len(cells)} columns)" if len(cells) > MAX_CELLS_SHOWN else ""
        against = f" against {item['against']}" if "against" in item else ""
        voice.say(
            (f"row {item['row']}", "bold"),
            f" ({item['label']}{against}), weight {item['weight']}: ",
            ", ".join(cells[:MAX_CELLS_SHOWN]) + more,
            indent=2,
        )
    tell_more(voice, rows, MAX_ROWS_SHOWN)


def tell_more(
    voice: Voice, items: Sized, shown: int, indent: int = 2, where: str = "--report, --json"
) -> None:
    """How many were not shown, if any."""
    if len(items) > shown:
        text = f"… and {len(items) - shown} more ({where})"
        voice.say((text, "dim"), indent=indent)
