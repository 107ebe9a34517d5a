"""What the page offers to download: the Python that reproduces a picture, and the points."""

from __future__ import annotations

import textwrap

from certo.lab.bench import UNITS, Bench
from certo.lab.experiment import Run
from certo.lab.state import State

POINTS_PER_LINE = 6


def python_of(state: State, run: Run) -> str:
    """A script that needs Certo alone."""
    code = run.code(run.step_of(state.step))
    lines = [
        f'"""{state.experiment.name}: what certo lab {state.link()!r} shows."""'
        if len(state.link()) < 70
        else f'"""{state.experiment.name}: what was seen in certo lab."""',
        "",
        "import warnings",
        "",
        "import numpy as np",
        *(line for line in code if _is_import(line)),
        "",
        'warnings.simplefilter("ignore")  # What they say is in status_.',
    ]
    if not state.experiment.draws:
        lines += _points(state.bench)
    return "\n".join([*lines, *(line for line in code if not _is_import(line)), ""])


def _is_import(line: str) -> bool:
    return line.startswith(("from ", "import "))


def _points(bench: Bench) -> list[str]:
    """X and y: places are whole numbers of 1/1024, so that nothing is rounded."""
    places = [f"[{x}, {y}]" for x, y in bench.places.tolist()]
    rows = [places[k : k + POINTS_PER_LINE] for k in range(0, len(places), POINTS_PER_LINE)]
    signs = textwrap.wrap(", ".join(map(str, bench.signs.tolist())), 92)
    return [
        "X = np.array([",
        *(f"    {', '.join(row)}," for row in rows),
        f"]) / {UNITS}",
        "y = np.array([",
        *(f"    {line}" for line in signs),
        "])",
    ]


def csv_of(bench: Bench) -> str:
    """x1, x2 and the label, exactly."""
    rows = [f"{x!r},{y!r},{s}" for (x, y), s in zip(bench.X.tolist(), bench.signs, strict=True)]
    return "\n".join(["x1,x2,label", *rows, ""])
