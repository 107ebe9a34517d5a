"""Pictures that a page draws itself: the code above a picture is the code that made it.

If the last statement of a block of code assigns `ax`, `figure` or `animation`, the picture that
follows the block on the page shows what was assigned. `make pictures` runs such pages and writes
their pictures; the tests run the same code as doctests.
"""

from __future__ import annotations

import collections
import contextlib
import doctest
import io
import itertools
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import pyplot
from PIL import Image

HERE = Path(__file__).parent
PICTURES = HERE / "pictures"
#: Text stays text, which every browser draws with its own fonts, and nothing depends on the date.
STYLE = {"svg.hashsalt": "certo", "svg.fonttype": "none", "font.family": "sans-serif"}
PIXELS_PER_INCH = 96  # of pictures that are no drawings
COLOURS = 128  # of these pictures, to keep them small
PARTS = re.compile(r"```python\n(?P<code>.*?)```|!\[.*?\]\((?P<link>[^)]*)\)", re.DOTALL)
COORDINATES = re.compile(r'\b(d|x|y|x1|x2|y1|y2|cx|cy|r|width|height|transform|points)="([^"]*)"')
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}(?:e-?\d+)?")
#: A point of a scatter, and what is around its style.
POINT = re.compile(r'(<use [^>]*?) style="([^"]*)"/>')
STYLED = re.compile(r' style="([^"]*)"')
NO_TURN = re.compile(r' transform="(?:rotate\(-?0 [^)]*\)|translate\(0 0\))"')
#: A closed path of eight cubic curves.
DISC = re.compile(r'<path d="M (?P<path>[-\d. ]+(?:C(?: -?[\d.]+){6} ){8})z"')
ASSIGNED = re.compile(r"^(ax|figure|animation)\s*=")


def pages() -> list[Path]:
    """Those that draw at least one picture."""
    found = (path for path in sorted(HERE.rglob("*.md")) if "_build" not in path.parts)
    return [path for path in found if any(True for _ in drawn_by(path))]


def drawn_by(page: Path) -> Iterator[tuple[list[doctest.Example], str, Path]]:
    """For each picture that the page draws: the examples to run before, the name of what is drawn
    (ax, figure or animation), and the file."""
    examples: list[doctest.Example] = []
    name = None
    for part in PARTS.finditer(page.read_text("utf-8")):
        if part["code"] is not None:
            block = doctest.DocTestParser().get_examples(part["code"])
            block = [one for one in block if not one.options.get(doctest.SKIP)]
            examples += block
            last = ASSIGNED.match(block[-1].source) if block else None
            name = last[1] if last else None
        elif name is not None:
            yield examples, name, (page.parent / part["link"]).resolve()
            examples, name = [], None


def draw_page(page: Path) -> list[Path]:
    """Run the page and write its pictures."""
    names: dict[str, Any] = {"__name__": "__main__"}
    written = []
    for examples, name, path in drawn_by(page):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for example in examples:
                _run(example, names)
        save(names[name], path)
        written.append(path)
        pyplot.close("all")
    return written


def _run(example: doctest.Example, names: dict[str, Any]) -> None:
    try:
        exec(compile(example.source, "<page>", "single"), names)
    except Exception:
        if example.exc_msg is None:  # Some examples show an error.
            raise


def save(drawn, path: Path) -> None:
    """Write what was drawn: axes or a figure as SVG or PNG, an animation as GIF. A picture against
    time, NAME-timed.svg, would be another one each time: it is written only where there is none."""
    if path.stem.endswith("-timed") and path.exists():
        return
    with matplotlib.rc_context(STYLE):
        if path.suffix == ".gif":
            drawn.save(path, writer="pillow", dpi=PIXELS_PER_INCH)
            return
        figure = getattr(drawn, "figure", drawn)
        if path.suffix == ".svg":
            file = io.StringIO()
            figure.savefig(file, format="svg", metadata={"Date": None})
            path.write_text(compact(file.getvalue()), "utf-8")
        else:
            file = io.BytesIO()
            figure.savefig(file, format="png", dpi=PIXELS_PER_INCH)
            few = Image.open(file).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
            few.save(path, optimize=True)


def compact(svg: str) -> str:
    """The same drawing in fewer bytes: coordinates to a hundredth of a point, discs as circles, no
    indentation, no groups and names that nothing refers to, and each style once. It is also the
    same on machines that differ in the last digits of what is drawn."""

    def rounded(found: re.Match[str]) -> str:
        return f"{round(float(found[0]), 2):g}" if abs(float(found[0])) < 1e4 else found[0]

    def attribute(found: re.Match[str]) -> str:
        return f'{found[1]}="{" ".join(LONG_NUMBER.sub(rounded, found[2]).split())}"'

    svg = COORDINATES.sub(attribute, re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL))
    svg = DISC.sub(_circle, NO_TURN.sub("", svg))
    lines = [line.strip() for line in _without_names(svg).splitlines()]
    lines = _without_bare_groups([line for line in lines if line])
    return "\n".join(_styles_once(list(_points_of_one_style(lines)))) + "\n"


def _circle(disc: re.Match[str]) -> str:
    """A disc, which matplotlib draws by eight cubic curves, as a circle; other shapes unchanged."""
    corners = np.array(disc["path"].replace("C", "").split(), dtype=float).reshape(-1, 2)[::3]
    low, high = corners.min(axis=0), corners.max(axis=0)
    middle, r = (low + high) / 2, (high - low).max() / 2
    away = np.hypot(*(corners - middle).T)
    if len(corners) != 9 or np.max(np.abs(away - r)) > 0.02:  # What rounding to 0.01 may move.
        return disc[0]
    return f'<circle cx="{middle[0]:.2f}" cy="{middle[1]:.2f}" r="{r:.2f}"'


def _without_names(svg: str) -> str:
    """Short names for what is referred to, and none for the rest."""
    used = dict.fromkeys(re.findall(r'(?:url\(#|href="#)([^)"]+)', svg))
    short = {name: f"{number:x}" for number, name in enumerate(used)}
    svg = re.sub(r'(url\(#|href="#)([^)"]+)', lambda found: found[1] + "n" + short[found[2]], svg)

    def named(found: re.Match[str]) -> str:
        return f' id="n{short[found[1]]}"' if found[1] in short else ""

    return re.sub(r' id="([^"]*)"', named, svg)


def _without_bare_groups(lines: list[str]) -> list[str]:
    """Groups without attributes are taken away, and their contents stay."""
    kept, bare = [], []
    for line in lines:
        if re.fullmatch(r"<g(?: [^>]*)?>", line):
            bare.append(line == "<g>")
            if bare[-1]:
                continue
        elif line == "</g>" and bare.pop():
            continue
        kept.append(line)
    return kept


def _styles_once(lines: list[str]) -> Iterator[str]:
    """A style that several elements have becomes a class, in the sheet at the top."""
    count = collections.Counter(style for line in lines for style in STYLED.findall(line))
    often = [style for style, times in count.items() if times > 1]
    names = {style: f"s{number}" for number, style in enumerate(often)}
    sheet = "".join(f".{name}{{{style}}}" for style, name in names.items())

    def classed(found: re.Match[str]) -> str:
        return f' class="{names[found[1]]}"' if found[1] in names else found[0]

    for line in lines:
        yield STYLED.sub(classed, line).replace("</style>", sheet + "</style>")


def _points_of_one_style(lines: list[str]) -> Iterator[str]:
    """Points that follow each other and look the same are put into a group, which has the style."""

    def style(line: str) -> str | None:
        found = POINT.fullmatch(line)
        return found[2] if found else None

    for look, run in itertools.groupby(lines, style):
        same = list(run)
        if look is None or len(same) == 1:
            yield from same
        else:
            yield f'<g style="{look}">'
            yield from (POINT.sub(r"\1/>", line) for line in same)
            yield "</g>"
