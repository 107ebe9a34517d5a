"""What several commands say to a person: what the examples are, and rows of the table."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

from certo.certificates.encoding import counted, readable
from certo.cli.console import Voice

MAX_CLASSES_SHOWN = 8
MAX_ROWS_SHOWN, MAX_CELLS_SHOWN = 12, 8  # Rows of a proof, and cells of each.


def tell_examples(voice: Voice, said: dict[str, Any], what: str, link: str) -> None:
    """What the examples are: classes, columns, and what to know of them."""
    if said["classes"] is None:
        shown = "from {} to {}".format(*map(readable, said["target_range"]))
    else:
        classes = [str(label).strip() for label in said["classes"]]
        more = f", … ({len(classes)} classes)" if len(classes) > MAX_CLASSES_SHOWN else ""
        shown = ", ".join(classes[:MAX_CLASSES_SHOWN]) + more
    sizes = f"{counted(said['examples'], 'example')}, {counted(said['features'], 'feature')}"
    voice.say((what, "bold"), f" {link} ", (said["target"], "bold"), f" ({shown}): {sizes}")
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
    for note in said["notes"]:
        voice.item(("note ", "yellow"), note, indent=2)


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


def tell_more(voice: Voice, items: Sized, shown: int, indent: int = 2) -> None:
    """How many were not shown, if any."""
    if len(items) > shown:
        text = f"… and {len(items) - shown} more (--report, --json)"
        voice.say((text, "dim"), indent=indent)
