"""Smaller built pages, which look the same: no indentation, no icons that are not shown, no marks
of code that have no colour of their own, no source maps."""

from __future__ import annotations

import re
from pathlib import Path

#: Elements in which white space counts.
VERBATIM = re.compile(r"(<(pre|script|style|textarea)\b.*?</\2>)", re.DOTALL)
INDENTATION = re.compile(r"\s*\n\s*")
ICON = re.compile(r'<symbol id="([^"]+)".*?</symbol>\n?', re.DOTALL)
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
#: A rule of the style sheet of code: the theme, the class of tokens (or none: all code), the look.
RULE = re.compile(r"^(.*?)\.highlight(?: \.(\w+))? \{(.*?)\}", re.MULTILINE)


def plain_tokens(sheet: str) -> set[str]:
    """The classes of tokens that look like other code in every theme."""
    rules = [
        (theme, name, {part.strip() for part in look.split(";")})
        for theme, name, look in RULE.findall(sheet)
    ]
    code = {theme: look for theme, name, look in rules if not name}
    coloured = {name for theme, name, look in rules if not look <= code.get(theme, set())}
    return {name for _, name, _ in rules} - coloured - {""}


def smaller(page: str, plain: set[str]) -> str:
    """The page with one line break for each run of white space that has any, the icons that it
    shows, and the tokens of code that are not plain. A browser draws both alike, since it takes
    any white space for one space."""

    def token(found: re.Match[str]) -> str:
        return found[2] if found[1] in plain else found[0]

    parts = VERBATIM.split(page)  # text, element, name of the element, text, ...
    parts[::3] = [INDENTATION.sub("\n", text) for text in parts[::3]]
    parts[1::3] = [
        TOKEN.sub(token, part) if name == "pre" else part
        for part, name in zip(parts[1::3], parts[2::3], strict=True)
    ]
    del parts[2::3]
    page = "".join(parts)
    shown = set(re.findall(r'href="#([^"]+)"', page))
    return ICON.sub(lambda icon: icon[0] if icon[1] in shown else "", page)


def write(app, exception) -> None:
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    plain = plain_tokens((folder / "_static" / "pygments.css").read_text("utf-8"))
    for path in folder.rglob("*.html"):
        if "mathjax" not in path.parts:
            path.write_text(smaller(path.read_text("utf-8"), plain), "utf-8")
    for path in folder.joinpath("_static").rglob("*.map"):  # Of use to the theme's developers.
        if "mathjax" not in path.parts:
            path.unlink()


def setup(app):
    app.connect("build-finished", write, priority=400)  # Before the size is measured.
    return {"parallel_read_safe": True}
