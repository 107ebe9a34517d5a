"""A Matplotlib figure as SVG inside a page that holds several of them."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
from typing import Any

import matplotlib
from matplotlib.backends.backend_svg import FigureCanvasSVG

from certo.visible import visible

# What no XML document may hold, and what changes the direction of the text around it.
_FORBIDDEN_IN_XML = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
    r"|[\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_MANY_DECIMALS = re.compile(r"(\.\d\d)\d+")
_HASH = re.compile(
    r"(?<=[#\d_mph])[0-9a-f]{10}\b|\b[0-9a-f]{10}\b"
)  # Of names that Matplotlib makes.
_SETTINGS: Any = {"svg.hashsalt": "certo", "svg.fonttype": "none", "font.family": "sans-serif"}


def inline_svg(figure, prefix: str) -> str:
    """The figure's SVG element. Every id in it starts with `prefix`: the figures of a page would
    otherwise share the names of their clipping paths. Without namespaces, metadata, or links: the
    address of a point is its title, which a browser shows beside the pointer."""
    buffer = io.StringIO()
    with matplotlib.rc_context(_SETTINGS), warnings.catch_warnings():
        # The browser has the letters that Matplotlib's font has not.
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        FigureCanvasSVG(figure)
        # The layout is made here, since savefig would draw everything twice for it.
        figure.get_layout_engine().execute(figure)
        figure.set_layout_engine("none")
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    root = ET.fromstring(_FORBIDDEN_IN_XML.sub(lambda found: visible(found[0]), buffer.getvalue()))
    short: dict[str, str] = {}
    for element in root.iter():
        element.tag = element.tag.partition("}")[2] or element.tag
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            name = name.partition("}")[2] or name
            value = _HASH.sub(lambda found: short.setdefault(found[0], f"{len(short)}"), value)
            if name in ("d", "x", "y"):
                value = _MANY_DECIMALS.sub(r"\1", value)
            element.set(name, _renamed(name, value, prefix))
        if element.tag not in ("text", "tspan", "style") and not (element.text or "").strip():
            element.text = None
        element.tail = None if not (element.tail or "").strip() else element.tail
    for metadata in root.findall("metadata"):
        root.remove(metadata)
    for parent in root.iter():
        _name_points(parent)
    for parent in root.iter("g"):
        _say_once(parent)
    return ET.tostring(root, encoding="unicode")


def _name_points(parent: ET.Element) -> None:
    """Points that stand for rows are links here: they become titles. Points that are clipped alike
    need no group each: the parent is clipped. (A point itself must not be: its clipping path would
    move with it.)"""
    titles = {}
    for place, child in enumerate(parent):
        if child.tag == "a":
            titles[place] = ET.Element("title")
            titles[place].text = child.get("href")
    places = [place for place, child in enumerate(parent) if child.tag != "defs"]
    groups = [parent[k][0] if k in titles and len(parent[k]) == 1 else parent[k] for k in places]
    clips = {group.get("clip-path") for group in groups}
    flat = len(clips) == 1 and "clip-path" not in parent.attrib and all(map(_is_point, groups))
    for place, group in zip(places, groups, strict=True):
        if flat:
            parent[place] = group[0]
        elif place in titles:
            parent[place].tag = "g"
            parent[place].attrib.clear()
        if place in titles:
            parent[place].insert(0, titles[place])
    if flat and (clip := clips.pop()):
        parent.set("clip-path", clip)


def _is_point(group: ET.Element) -> bool:
    points = [part.tag for part in group] == ["use"]
    return group.tag == "g" and points and set(group.attrib) <= {"clip-path"}


def _say_once(parent: ET.Element) -> None:
    """What all points, or all lines, of a group have in common is said of the group, since there
    may be thousands of them."""
    drawn = [child for child in parent if child.tag in ("use", "path")]
    if len(drawn) < 2 or any(child.tag not in ("use", "path", "defs") for child in parent):
        return
    for name in ("style", "clip-path"):
        values = {child.get(name) for child in drawn}
        if len(values) == 1 and None not in values and name not in parent.attrib:
            parent.set(name, str(values.pop()))
            for child in drawn:
                del child.attrib[name]


def _renamed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name.endswith("href"):
        return re.sub("^#", "#" + prefix, value)
    return value.replace("url(#", f"url(#{prefix}")
