"""Sphinx configuration."""

import re

from certo import __version__

project = "Certo"
author = "The Certo developers"
copyright = "2026, The Certo developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx-mathjax-offline",  # MathJax in the built pages: they read well without a network
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Certo"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_ivar = True  # Attributes of several classes may have one name.


def fact(line):
    """'Domain    vectors', and the lines below it, as a list of fields."""
    if re.match(r"[A-Z]\w* {3,}\S", line):
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


def setup(app):
    app.connect("autodoc-process-docstring", plain_text, priority=400)
