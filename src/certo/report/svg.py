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
    for element in root.iter():
        element.tag = element.tag.partition("}")[2] or element.tag
        for name, value in list(element.attrib.items()):
            del element.attrib[name]
            element.set(name.partition("}")[2] or name, _renamed(name, value, prefix))
        if element.tag not in ("text", "tspan", "style") and not (element.text or "").strip():
            element.text = None
        element.tail = None if not (element.tail or "").strip() else element.tail
    for metadata in root.findall("metadata"):
        root.remove(metadata)
    for parent in root.iter():
        _name_points(parent)
    return ET.tostring(root, encoding="unicode")


def _name_points(parent: ET.Element) -> None:
    """Points that stand for rows are links here: they become titles. What such points have in
    common is said once, since there may be thousands of them."""
    looks = set()
    for place, link in enumerate(parent):
        if link.tag != "a":
            continue
        title = ET.Element("title")
        title.text = link.attrib["href"]
        point = link.find("g/use")
        if point is None:
            link.tag = "g"
            link.attrib.clear()
            link.insert(0, title)
            continue
        looks.add((link[0].get("clip-path"), point.attrib.pop("style", "")))
        point.attrib |= {name: f"{float(point.attrib[name]):.2f}" for name in "xy"}
        point.append(title)
        parent[place] = point
    for clip, style in looks:
        assert len(looks) == 1  # Points of one call look alike.
        parent.attrib |= {"style": style} | ({"clip-path": clip} if clip else {})


def _renamed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return prefix + value
    if name.endswith("href"):
        return re.sub("^#", "#" + prefix, value)
    return value.replace("url(#", f"url(#{prefix}")
