"""What tests of the laboratory share."""

from __future__ import annotations

import json
import re
import warnings
from importlib.resources import files
from typing import Any

from certo.lab.experiment import Asked, Job, Run
from certo.lab.state import State

WORDS = json.loads(files("certo.lab").joinpath("page/words.json").read_text("utf-8"))


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


def filled(text: str, args: dict[str, str]) -> str:
    """What `t` of words.js makes of a text: {name}, or {name|one|many}."""

    def fill(found: re.Match) -> str:
        name, one, many = found.groups()
        if many is None:
            return args.get(name, found[0])
        return one if args[name] == "1" else many

    return re.sub(r"\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}", fill, text)


def sentence(frame: dict[str, Any], language: str = "en") -> str:
    """The sentence that the page says of a frame."""
    told = frame["verdict"]
    return filled(WORDS[language][f"verdict.{told['key']}"], told["args"])
