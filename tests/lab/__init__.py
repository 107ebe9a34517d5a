"""What tests of the laboratory share."""

from __future__ import annotations

import warnings
from typing import Any

from certo.lab.experiment import Asked, Job, Run
from certo.lab.state import State


def run_of(link: str, job: Job | None = None, before: Run | None = None) -> Run:
    """The run of the state that a link describes."""
    state = State.of_link(link)
    asked = Asked(state.bench, state.chosen, state.world, job or Job())
    with warnings.catch_warnings(action="ignore"):  # As the server does.
        return state.experiment.run(asked, before)


def frame_of(run: Run, step: int | None = None) -> dict[str, Any]:
    """The frame that it opens at, or this one."""
    opens = run.steps if run.opens_at is None else run.opens_at
    with warnings.catch_warnings(action="ignore"):
        return run.frame(opens if step is None else step, Job())


def values(frame: dict[str, Any]) -> dict[str, Any]:
    """The numbers of the strip, by their keys."""
    return {number["key"]: number["value"] for number in frame["strip"]}


def bounds(frame: dict[str, Any]) -> dict[str, Any]:
    return {one["key"]: one["bound"]["value"] for one in frame["strip"] if "bound" in one}
