"""Sphinx configuration."""

import re
import sys
from functools import cached_property
from pathlib import Path

from docutils import nodes
from sphinx.domains.python import PyObject

from certo import __version__

sys.path.insert(0, str(Path(__file__).parents[1]))  # docs.extensions

project = "Certo"
author = "The Certo developers"
copyright = "2026, The Certo developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx-mathjax-offline",  # MathJax in the built pages: they read well without a network
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "sphinx_design",
    "docs.extensions.smaller",
    "docs.extensions.built",
    "docs.extensions.reference",
    "docs.extensions.lab",
    "docs.extensions.statements",
]
myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "extensions"]
html_theme = "furo"
pygments_dark_style = "github-dark"
html_title = "Certo"
html_static_path = ["_static"]
templates_path = ["_templates"]
# The tree of all pages would be most of the page of an object.
html_sidebars = {
    "reference/objects/**": ["sidebar/brand.html", "sidebar/search.html", "sidebar/objects.html"]
}
html_css_files = ["certo.css"]
html_js_files = ["wide-formulas.js"]
html_copy_source = False
html_use_index = False  # The search finds more.
html_domain_indices = False
html_show_sourcelink = False
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True  # Attributes of several classes may have one name.
napoleon_use_rtype = False  # What is returned is described in words, not by a type.


def fact(line):
    """'Domain    vectors', and the lines below it, as a list of fields."""
    if re.match(r"[^\W\d_]\w* {3,}\S", line):
        name, text = line.split(maxsplit=1)
        return f":{name}: {text}"
    return re.sub(r"^ {10,}", "    ", line)


def plain_text(app, what, name, obj, options, lines):
    """Our docstrings are written to be read in the code: bars are norms, and paragraphs with
    aligned columns are tables. Show them so."""
    if any(line.startswith("---") for line in lines):  # numpydoc sections: already markup
        lines[:] = [fact(line.replace("|", "\\|")) for line in lines]
        return
    shown: list[str] = []
    for paragraph in "\n".join(lines).split("\n\n"):
        part = paragraph.splitlines()
        aligned = any("  " in line.strip() or line.startswith(" ") for line in part)
        if aligned and not paragraph.lstrip().startswith((">>>", ".. ")):
            shown += ["::", "", *("    " + line for line in part), ""]
        else:
            shown += [*(line.replace("|", "\\|") for line in part), ""]
    lines[:] = shown


def types_as_text(app, what, name, obj, options, lines):
    """Types of parameters are described in words, and no word of them is to become a link: Sphinx
    leaves a type alone that has markup of its own."""
    lines[:] = [re.sub(r"^(:(?:var)?(?:param|type|ivar) \w+)_:", r"\1\\_:", line) for line in lines]
    plain = r"^(:(?:var)?type [^:]+:) ([^`*\\|]+)$"
    lines[:] = [re.sub(plain, r"\1 *\2*", line) for line in lines]


def only_ours(app, what, name, obj, skip, options):
    """scikit-learn documents what its base classes have; here they would be on every page."""
    function = obj.func if isinstance(obj, cached_property) else getattr(obj, "fget", obj)
    defined = getattr(function, "__module__", None)
    if defined is not None and not str(defined).startswith("certo"):
        return True
    return None


for field in PyObject.doc_field_types:
    if field.name == "variable":
        field.label = "Attributes"  # scikit-learn's word


def without_last_blank_line(app, doctree):
    """A doctest needs a blank line after its output, and a reader does not."""
    for block in doctree.findall(nodes.literal_block):
        stripped = block.astext().rstrip()
        block.rawsource, block[:] = stripped, [nodes.Text(stripped)]


def setup(app):
    app.connect("doctree-read", without_last_blank_line)
    app.connect("autodoc-skip-member", only_ours)
    app.connect("autodoc-process-docstring", plain_text, priority=400)
    app.connect("autodoc-process-docstring", types_as_text, priority=600)  # after napoleon
