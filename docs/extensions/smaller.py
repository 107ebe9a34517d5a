"""Smaller built pages: the same elements without indentation, unused icons and source maps."""

from __future__ import annotations

import re
from pathlib import Path

#: Elements in which white space counts.
VERBATIM = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
INDENTATION = re.compile(r"\s*\n\s*")
ICON = re.compile(r'<symbol id="([^"]+)".*?</symbol>\n?', re.DOTALL)


def smaller(page: str) -> str:
    """The page with one line break for each run of white space that has any, and the icons that it
    shows. A browser draws both alike, since it takes any white space for one space."""
    parts = VERBATIM.split(page)  # text, element, name of the element, text, ...
    parts[::3] = [INDENTATION.sub("\n", text) for text in parts[::3]]
    del parts[2::3]
    page = "".join(parts)
    shown = set(re.findall(r'href="#([^"]+)"', page))
    return ICON.sub(lambda icon: icon[0] if icon[1] in shown else "", page)


def write(app, exception) -> None:
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    for path in folder.rglob("*.html"):
        if "mathjax" not in path.parts:
            whole = path.read_text("utf-8")
            path.write_text(smaller(whole), "utf-8")
    for path in folder.joinpath("_static").rglob("*.map"):  # Of use to the theme's developers.
        if "mathjax" not in path.parts:
            path.unlink()


def setup(app):
    app.connect("build-finished", write, priority=400)  # Before the size is measured.
    return {"parallel_read_safe": True}
