"""The documentation: what it must have, as far as that can be seen without building it."""

from __future__ import annotations

import inspect
import io
import re
from pathlib import Path

import numpy as np
import pytest
from docs import page_pictures
from docs.extensions import reference, smaller, statements
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Ellipse

from certo import plots

DOCS = Path(__file__).parents[1] / "docs"
PAGES = [path for path in sorted(DOCS.rglob("*.md")) if "_build" not in path.parts]
PICTURE = re.compile(r"!\[(.*?)\]\(([^)]*)\)", re.DOTALL)


def test_every_public_name_has_one_page():
    names = reference.listed_names()
    assert reference.public_names() <= set(names)
    assert len(names) == len(set(names))
    for name in names:
        assert reference.found(name).__doc__, name


SECTION = re.compile(
    r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=\n\n\w[^\n]*\n-+\n|\Z)", re.DOTALL | re.M
)
ENTRY = re.compile(r"\*{0,2}\w+(?:, \*{0,2}\w+)*(?: : \S.*)?$")


@pytest.mark.parametrize("name", reference.listed_names())
def test_the_entries_of_parameters_and_attributes_are_names(name):
    """A sentence among them would be shown as a name with a type."""
    for section in SECTION.findall(inspect.getdoc(reference.found(name)) or ""):
        for line in section.splitlines():
            assert not line or line.startswith(" ") or ENTRY.match(line), line


def shown_pictures() -> dict[Path, list[Path]]:
    """The pictures that each page shows."""
    return {
        page: [(page.parent / link).resolve() for _, link in PICTURE.findall(page.read_text())]
        for page in PAGES
    }


def test_every_picture_of_a_page_exists_and_every_picture_is_on_a_page():
    shown = {picture for pictures in shown_pictures().values() for picture in pictures}
    there = {path.resolve() for path in (DOCS / "pictures").iterdir()}
    assert shown - there == set()
    assert there - shown == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_every_picture_has_a_text_for_those_who_do_not_see_it(page):
    for text, link in PICTURE.findall(page.read_text()):
        assert len(text.split()) >= 4, link


TABLE = statements.read()


@pytest.mark.parametrize("name", TABLE)
def test_every_statement_of_the_notes_has_its_object_test_page_and_picture(name):
    assert statements.holes(name, TABLE[name]) == []


def test_every_statement_is_listed_and_a_hole_is_seen():
    counts = [sum(name.startswith(f"S{note}-") for name in TABLE) for note in range(5)]
    assert counts == [30, 31, 25, 34, 38]
    whole = TABLE["S0-13"]
    broken = {
        "object": "certo.NoSuchMachine",
        "test": "tests/test_notes.py::test_nothing",
        "picture": "nothing.svg",
        "page": "course/index",
        "english": "",
    }
    for key, value in broken.items():
        assert statements.holes("S0-13", whole | {key: value}), key
    without = {key: value for key, value in whole.items() if key != "picture"}
    assert "S0-13 has no picture" in statements.holes("S0-13", without)[0]
    assert statements.holes("S0-13", without | {"none": "picture: nothing to see"}) == []


def test_a_picture_under_code_is_drawn_by_it():
    page = DOCS / "course" / "linear-classifiers.md"
    drawn = {path.name: name for _, name, path in page_pictures.drawn_by(page)}
    assert drawn["linear-projection.svg"] == "ax"
    assert drawn["linear-frames.svg"] == "figure"
    assert drawn["linear-run.gif"] == "animation"
    assert "coverage.svg" not in drawn
    assert page in page_pictures.pages()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_code_fits_the_width_of_a_page(page):
    """Wider lines are cut off on a screen of ordinary width, or scroll."""
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    typed = [
        line for block in blocks for line in block.splitlines() if line[:4] in (">>> ", "... ")
    ]
    assert [line for line in typed if len(line) > 100] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(DOCS).as_posix())
def test_norms_in_tables_are_not_written_with_bars(page):
    """In a table a backslash and a bar are a bar: the norm would be shown as an absolute value."""
    rows = [line for line in page.read_text().splitlines() if line.startswith("|")]
    formulas = [formula for row in rows for formula in re.findall(r"\$([^$]+)\$", row)]
    assert [formula for formula in formulas if r"\|" in formula] == []


def test_coordinates_are_rounded_and_words_are_not():
    svg = '<path d="M 1.23456 -7.000123 L 12345.678 1e-05"/><text x="0.3333">0.33333</text>  \n'
    short = '<path d="M 1.23 -7 L 12345.678 1e-05"/><text x="0.33">0.33333</text>\n'
    assert page_pictures.compact(svg) == short


def test_points_of_one_style_share_it():
    dot = '<use xlink:href="#a" x="1" y="2" style="fill: red"/>\n'
    bare = '<use xlink:href="#a" x="1" y="2"/>\n'
    other = dot.replace("red", "blue")
    svg = f"<g>\n{dot}{dot}{other}</g>\n".replace("#a", "#n0")
    short = f'<g style="fill: red">\n{bare}{bare}</g>\n{other}'.replace("#a", "#n0")
    assert page_pictures.compact(svg) == short
    assert page_pictures.compact(short) == short


def test_a_style_of_several_elements_is_written_once():
    line = '<g id="line"><path id="m12" d="M 0 0" style="stroke: red"/></g>'
    use = '<use xlink:href="#m12" style="stroke: red"/>'
    svg = f'<style type="text/css">*{{}}</style>\n{line}\n{use}'
    short = (
        '<style type="text/css">*{}.s0{stroke: red}</style>\n'
        '<g><path id="n0" d="M 0 0" class="s0"/></g>\n<use xlink:href="#n0" class="s0"/>\n'
    )
    assert page_pictures.compact(svg) == short
    assert page_pictures.compact(short) == short


def test_a_disc_is_a_circle_and_other_round_shapes_stay():
    figure = Figure(figsize=(2, 2))
    ax = figure.add_axes((0, 0, 1, 1), xlim=(0, 144), ylim=(0, 144))
    ax.axis("off")
    ax.add_patch(Circle((72, 36), 18))
    ax.add_patch(Ellipse((72, 108), 40, 10))
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    svg = page_pictures.compact(file.getvalue())
    (middle,) = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', svg)
    np.testing.assert_allclose(np.array(middle, float), (72, 108, 18), atol=0.011)  # Rounded twice.
    assert len(re.findall(r'<path d="[^"]* C ', svg)) == 1


def test_groups_without_attributes_are_taken_away_with_their_own_ends():
    svg = '<g>\n<g class="a">\n<g>\n<path/>\n</g>\n</g>\n</g>\n'
    assert page_pictures.compact(svg) == '<g class="a">\n<path/>\n</g>\n'


def test_smaller_pages_keep_what_is_shown():
    sheet = (
        ".highlight { color: #111 }\n.highlight .n { color: #111 }\n.highlight .k { color: #222 }\n"
    )
    plain = smaller.plain_tokens(sheet)
    assert plain == {"n"}
    code = '<pre><span class="k">if</span>  <span class="n">x</span>:\n    y\n</pre>'
    icons = '<symbol id="sun">1</symbol>\n<symbol id="pen">2</symbol>\n<use href="#sun"></use>'
    page = f"<p>a\n\n   b</p>\n  {icons}\n  {code}"
    short = (
        '<p>a\nb</p>\n<symbol id="sun">1</symbol>\n<use href="#sun"></use>\n'
        '<pre><span class="k">if</span>  x:\n    y\n</pre>'
    )
    assert smaller.smaller(page, plain) == short
    assert smaller.smaller(short, plain) == short


def test_the_gallery_shows_every_picture_that_plots_draws():
    text = (DOCS / "gallery.md").read_text()
    functions = {name for name in plots.__all__ if not name.startswith("MAX_")}
    assert set(re.findall(r"^### (\w+)$", text, re.MULTILINE)) == functions
    for name in functions:
        assert f"plots.{name}(" in text, name


def test_every_page_of_the_course_and_of_a_machine_has_a_picture():
    bare = {"course/statements.md", "machines/index.md"}
    for page, pictures in shown_pictures().items():
        name = page.relative_to(DOCS).as_posix()
        if name.startswith(("course/", "machines/")) and name not in bare:
            assert pictures, name
