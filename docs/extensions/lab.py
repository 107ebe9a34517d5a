"""Links to the laboratory: {lab}`Step through it <perceptron?preset=narrow&step=0>`.

A link leads to the laboratory on the reader's own computer, if `certo lab` runs there and a page of
it was opened; what follows # is a state, and one that the laboratory would refuse fails the build.
"""

from __future__ import annotations

import re

from docutils import nodes

from certo.data.problem import Problem
from certo.lab import USUAL_PORT
from certo.lab.state import State


def lab(name, rawtext, text, lineno, inliner, options=None, content=()):
    """The role: `STATE`, or `words <STATE>`."""
    found = re.fullmatch(r"(.*?)\s*<(.+)>", text, re.DOTALL)
    words, state = found.groups() if found else (f"certo lab '{text}'", text)
    try:
        State.of_link(state)
    except Problem as wrong:
        error = inliner.reporter.error(f"{{lab}}: {wrong}", line=lineno)
        return [inliner.problematic(rawtext, rawtext, error)], [error]
    link = nodes.reference(rawtext, words, refuri=f"http://127.0.0.1:{USUAL_PORT}/#{state}")
    link["classes"].append("lab")
    link["reftitle"] = f"certo lab '{state}'"
    return [link], []


def setup(app):
    app.add_role("lab", lab)
    return {"parallel_read_safe": True}
