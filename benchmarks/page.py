"""The page of all benchmarks, made of stored results: tables, ratios drawn, and the machine."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.harness import results_file

DOCS = Path(__file__).parents[1] / "docs"
MAX_ROWS_SHOWN = 40  # A longer table is shown by its geometric means.
INCHES_PER_ROW = 0.24
NO_BREAK_HYPHEN = "\u2011"  # 1e-05 stays on one line of a narrow cell.
COLOURS = ("#c2410c", "#1d4ed8", "#2a8a57", "#7c3aed")
LABEL_COLUMNS = ("data", "machine", "rival", "kernel", "intercept", "ridge", "C", "target", "k")

ALSO = "OneVsRest"  # A second rival for the same fit, which does not enter the means.

SECTIONS = {
    "everyday": "Small tables, every machine",
    "perceptron": "The Perceptron",
    "separability": "Separability",
    "hard_margin": "The largest margin",
    "svm": "The soft margin, linear",
    "kernel_svm": "The soft margin with a Gaussian kernel",
    "gpu": "Kernels on a GPU",
    "scale": "Larger than memory",
    "pairs": "Pairs of classes",
    "pegasos": "Pegasos",
    "least_squares": "Least squares",
    "logistic": "Logistic regression",
    "min_disagreement": "The fewest errors",
    "structured": "Kernels of sequences, trees and graphs",
    "gram_blocks": "Blocks of Gram matrices",
    "certify": "Certifying and checking",
    "limits": "Time limits and interrupts",
    "lab": "The laboratory",
    "coverage": "Bounds beside the true risk",
    "mutations": "Corrupted certificates",
    "fuzz": "Damaged files",
}

INTRODUCTION = """# Benchmarks

% Written by `python -m benchmarks docs` from benchmarks/results. Changes made here are lost.

How long Certo takes beside other programs, to the same or a better answer. Certo's times are those
of whole fits with their certificates. A ratio is the rival's time over Certo's: above 1 Certo is
faster. Runs of both sides alternate in one process, so that a slow minute slows both; what each
table measures is said under its title.

**To reproduce it**: `make bench` runs everything (some hours), `make bench ARGS=separability` one
problem, and `make bench ARGS="separability --quick"` the same on small data in a minute or two.
Each run writes its figures, the machine and the versions to `benchmarks/results`, and this page
anew. Real tables are read from the folder `CERTO_DATA`; without it only generated data is measured.
Small differences between runs mean nothing: ratios on a shared machine vary by a fifth.
"""


@dataclass(frozen=True)
class Ratio:
    """How many times as long a rival takes; at least so many times if it was stopped."""

    value: float
    bound: bool = False

    def __str__(self) -> str:
        return f"{'> ' if self.bound else ''}{self.value:.3g}"


@dataclass(frozen=True)
class Summary:
    """The ratios of a column."""

    name: str
    ratios: tuple[Ratio, ...]

    @property
    def mean(self) -> Ratio:
        """The geometric mean: a bound if any ratio is one."""
        logs = [math.log(ratio.value) for ratio in self.ratios]
        return Ratio(math.exp(sum(logs) / len(logs)), any(ratio.bound for ratio in self.ratios))

    @property
    def least(self) -> float:
        return min(ratio.value for ratio in self.ratios)

    @property
    def largest(self) -> float:
        return max(ratio.value for ratio in self.ratios)


def write() -> Path:
    """Write the page and its pictures; its path."""
    from docs import page_pictures

    found = results()
    for name, figure in pictures(found):
        page_pictures.save(figure, DOCS / "pictures" / f"{name}.svg")
    path = DOCS / "benchmarks.md"
    path.write_text(markdown(found), "utf-8")
    return path.relative_to(DOCS.parent)


def results() -> dict[str, dict[str, Any]]:
    """What was measured of each problem: by a whole run, or else by a quick one."""
    found = {}
    for problem in SECTIONS:
        for path in (results_file(problem, quick=False), results_file(problem, quick=True)):
            if path.exists() and problem not in found:
                found[problem] = json.loads(path.read_text("utf-8"))
    return found


def markdown(found: dict[str, dict[str, Any]]) -> str:
    return "\n".join([INTRODUCTION, *_overview(found), *_sections(found)]).rstrip() + "\n"


def summaries(tables: Iterable[dict[str, Any]]) -> list[Summary]:
    """One for each table, column of ratios and target, if there are several targets."""
    found = []
    for table in tables:
        for column in ratio_columns(table):
            groups: dict[Any, list[Ratio]] = {}
            for row, one in _ratios(table, column):
                if str(row.get("rival")).startswith(ALSO):
                    continue
                groups.setdefault(row.get("target"), []).append(one)
            for target, ratios in groups.items():
                to = "" if target is None else f", to {target}"
                name = f"{table['title'].rstrip('?')}{to}{_beside(column)}"
                found.append(Summary(name, tuple(ratios)))
    return found


def ratio_columns(table: dict[str, Any]) -> list[str]:
    names = dict.fromkeys(name for row in table["rows"] for name in row)
    return [name for name in names if name == "ratio" or name.endswith("/ certo")]


def ratio(value: Any) -> Ratio | None:
    """Of a number, or of text such as "> 12"; None of other text."""
    if isinstance(value, int | float):
        return Ratio(float(value))
    text = str(value)
    try:
        return Ratio(float(text.removeprefix(">")), text.startswith(">"))
    except ValueError:
        return None


def _ratios(table: dict[str, Any], column: str) -> Iterator[tuple[dict[str, Any], Ratio]]:
    """The rows that have one in this column, with it."""
    for row in table["rows"]:
        found = ratio(row.get(column, ""))
        if found is not None:
            yield row, found


def _beside(column: str) -> str:
    rival = column.removesuffix("/ certo").strip()
    return "" if column == "ratio" else f", beside {rival}"


def _overview(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    yield "## All ratios at a glance\n"
    yield (
        "![For each problem and rival the geometric mean of the ratios and their range, on a "
        "logarithmic scale](pictures/benchmarks.svg)\n"
    )
    yield "| what | cases | geometric mean | least | largest |"
    yield "|---|---|---|---|---|"
    for problem, content in found.items():
        for one in summaries(content["tables"]):
            cells = [f"{SECTIONS[problem]}: {one.name}", str(len(one.ratios)), str(one.mean)]
            yield _line([*cells, f"{one.least:.3g}", f"{one.largest:.3g}"])
    yield ""


def _sections(found: dict[str, dict[str, Any]]) -> Iterator[str]:
    for problem, content in found.items():
        yield f"## {SECTIONS[problem]}\n"
        yield f"{provenance(content['measured'])}\n"
        if any(_drawn(table) for table in content["tables"]):
            text = f"{SECTIONS[problem]}: each ratio as a point on a logarithmic scale, by its row"
            yield f"![{text}](pictures/benchmarks-{problem.replace('_', '-')}.svg)\n"
        for table in content["tables"]:
            yield f"**{_sentence(table['title'])}** {_sentence(table['about'])}\n"
            yield from _rows(table)
            yield ""


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "…")) else ".")


def provenance(measured: dict[str, Any]) -> str:
    """What was run, when, on which machine and with which versions."""
    said = [f"`{measured['command']}`, {measured['date']}"]
    said += [measured["processor"]] if measured.get("processor") else []
    said.append(f"{measured['cores']} cores")
    threads = measured.get("threads")
    if threads:
        said.append(", ".join(f"{name}={value}" for name, value in threads.items()))
    if measured.get("load"):
        said.append(f"load {measured['load']} before the run")
    versions = measured.get("versions") or {}
    if versions:
        said.append(", ".join(f"{name} {one}" for name, one in versions.items()))
    if measured.get("note"):
        said.append(measured["note"])
    size = "A short run (`--quick`). " if measured["quick"] else ""
    return f"*{size}Measured by {'; '.join(said)}.*"


def _rows(table: dict[str, Any]) -> Iterator[str]:
    rows = table["rows"]
    if len(rows) > MAX_ROWS_SHOWN and ratio_columns(table):
        rows = list(_grouped(table))
    names = list(dict.fromkeys(name for row in rows for name in row))
    yield _line(names)
    yield "|" + "---|" * len(names)
    for row in rows:
        yield _line([_cell(row.get(name, "")) for name in names])


def _grouped(table: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A row for each machine and rival: the geometric mean over all data, and the least."""
    column = ratio_columns(table)[0]
    groups: dict[tuple, list[tuple[dict[str, Any], Ratio]]] = {}
    for row, found in _ratios(table, column):
        groups.setdefault((row.get("machine"), row.get("rival")), []).append((row, found))
    for (machine, rival), members in groups.items():
        one = Summary("", tuple(found for _, found in members))
        worst = min(members, key=lambda member: member[1].value)[0]
        yield {
            "machine": machine,
            "rival": rival,
            "cases": len(members),
            "geometric mean": str(one.mean),
            "least": f"{one.least:.3g} ({worst['data']})",
            "largest": one.largest,
        }


def _line(cells: Iterable[str]) -> str:
    cells = (re.sub(r"(?<=\de)-(?=\d)", NO_BREAK_HYPHEN, cell) for cell in cells)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _drawn(table: dict[str, Any]) -> bool:
    return bool(ratio_columns(table)) and len(table["rows"]) > 1


def pictures(found: dict[str, dict[str, Any]]) -> Iterator[tuple[str, Figure]]:
    """Names of files, and what is drawn in them."""
    every = [
        (f"{SECTIONS[problem]}: {one.name}", one)
        for problem, content in found.items()
        for one in summaries(content["tables"])
    ]
    yield "benchmarks", _ranges(every)
    for problem, content in found.items():
        tables = [table for table in content["tables"] if _drawn(table)]
        if tables:
            yield f"benchmarks-{problem.replace('_', '-')}", _points(tables)


def _ranges(every: list[tuple[str, Summary]]) -> Figure:
    figure = Figure(figsize=(9.6, 1.2 + INCHES_PER_ROW * len(every)), layout="constrained")
    ax = figure.add_subplot()
    for place, (_, one) in enumerate(every):
        ax.plot([one.least, one.largest], [place, place], color=COLOURS[1], lw=1.2)
        ax.plot([one.mean.value], [place], "o", color=COLOURS[0], ms=5)
    _finish(ax, [name for name, _ in every], "rival's time / Certo's: mean (point) and range")
    return figure


def _points(tables: list[dict[str, Any]]) -> Figure:
    """One part for each table, one line for each row, one colour for each rival."""
    lines = [list(_grouped_ratios(table)) for table in tables]
    heights = [max(len(rows), 2) for rows in lines]
    figure = Figure(
        figsize=(9.6, 1.1 * len(tables) + INCHES_PER_ROW * sum(heights)), layout="constrained"
    )
    axes = figure.subplots(len(tables), 1, squeeze=False, height_ratios=heights)[:, 0]
    for ax, table, rows in zip(axes, tables, lines, strict=True):
        names = list(dict.fromkeys(name for _, found in rows for name in found))
        for colour, name in zip(COLOURS * len(names), names, strict=False):
            shown = [(found[name], place) for place, (_, found) in enumerate(rows) if name in found]
            for bound, marker in ((False, "o"), (True, ">")):
                some = [(one.value, place) for one, place in shown if one.bound == bound]
                if some:
                    label = f"{name}, at least" if bound else name
                    ax.plot(*zip(*some, strict=True), marker, color=colour, ms=5, label=label)
        _finish(ax, [label for label, _ in rows], "rival's time / Certo's")
        ax.set_title(table["title"], fontsize=10)
        if len(names) > 1 or any(one.bound for _, found in rows for one in found.values()):
            ax.legend(fontsize=7, loc="best")
    return figure


def _grouped_ratios(table: dict[str, Any]) -> Iterator[tuple[str, dict[str, Ratio]]]:
    """Of each row that is shown its name and its ratios."""
    columns = ratio_columns(table)
    if len(table["rows"]) > MAX_ROWS_SHOWN:
        for row in _grouped(table):
            found = ratio(row["geometric mean"])
            if found is not None:
                yield f"{row['machine']} beside {row['rival']}", {"geometric mean": found}
        return
    for row in table["rows"]:
        found = {name: one for name in columns if (one := ratio(row.get(name, ""))) is not None}
        if found:
            yield " · ".join(_label(row)), found


def _label(row: dict[str, Any]) -> Iterator[str]:
    for name in LABEL_COLUMNS:
        if name in row and row[name] != "":
            bare = name in ("data", "machine", "rival", "kernel", "intercept")
            yield _cell(row[name]) if bare else f"{name} {_cell(row[name])}"


def _finish(ax: Axes, names: list[str], axis: str) -> None:
    ax.axvline(1, color="#1f2937", lw=0.8, ls="--")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_yticks(range(len(names)), names, fontsize=7)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.grid(axis="x", color="#9ca3af", lw=0.4, alpha=0.6)
    ax.set_xlabel(axis, fontsize=8)
    ax.tick_params(axis="x", labelsize=8)


if __name__ == "__main__":
    print(write())
