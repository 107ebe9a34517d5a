"""The state of a tab: everything that a picture depends on, in JSON and in a link.

A link is `EXPERIMENT?name=value&…`, what follows # in an address:

    perceptron?preset=narrow&m=40&seed_of_points=3&eta=2&step=7
    margin?points=AAAA…&C=10

`preset`, `m` and `seed_of_points` name points; `points` has them, in base 64 (URL): for each point
x and y as little-endian int16, in units of 1/1024, then one bit for each label, 1 for +1. `world`
is that of whose points some were moved. `step` is a frame; without it the frame that the run opens
at. All other names are settings, which have their default values where they are not named.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, quote

import numpy as np

from certo.data.problem import Problem
from certo.lab.bench import MAX_POINTS, Bench
from certo.lab.experiment import Experiment
from certo.lab.experiments import EXPERIMENTS
from certo.lab.presets import WORLDS, preset
from certo.lab.settings import read_settings

MAX_LINK_LENGTH = 8_000
OF_POINTS = ("preset", "m", "seed_of_points", "points", "world", "step")  # No settings.
MAX_STEP = 10**6


@dataclass(frozen=True, eq=False)
class State:
    experiment: Experiment
    bench: Bench
    chosen: dict[str, Any]
    source: dict[str, Any]  # {"preset", "m", "seed"} while the points are those of a preset.
    world: str = ""
    step: int | None = None

    @classmethod
    def read(cls, said: Any) -> State:
        """From JSON, as the page sends it."""
        if type(said) is not dict:
            raise Problem("a state must be a JSON object.")
        known = {"experiment", "points", "settings", "source", "world", "step"}
        if strange := set(said) - known:
            raise Problem(f"a state has no {sorted(strange)[0][:40]!r}.")
        given, source = said.get("settings", {}), said.get("source") or {}
        if type(given) is not dict or type(source) is not dict:
            raise Problem("settings and source must be JSON objects.")
        experiment = experiment_named(said.get("experiment"))
        return cls(
            experiment,
            Bench.read(said.get("points", [])),
            read_settings(experiment.settings, given),
            source if set(source) == {"preset", "m", "seed"} else {},
            _world(said.get("world") or ""),
            _step(said.get("step")),
        )

    def write(self) -> dict[str, Any]:
        """As JSON, for `read`."""
        return {
            "experiment": self.experiment.name,
            "points": self.bench.write(),
            "settings": self.chosen,
            "source": self.source,
            "world": self.world,
            "step": self.step,
        }

    @classmethod
    def of_link(cls, link: str) -> State:
        """The state that a link describes, or a Problem that says what is wrong with it."""
        if len(link) > MAX_LINK_LENGTH:
            raise Problem(f"a link has at most {MAX_LINK_LENGTH:,} characters, got {len(link):,}.")
        name, _, query = link.lstrip("#").partition("?")
        experiment = experiment_named(name or next(iter(EXPERIMENTS)))
        pairs = parse_qsl(query, keep_blank_values=True)
        given = dict(pairs)
        if len(given) < len(pairs):
            raise Problem("a link must name each setting once.")
        of_points = ("step",) if experiment.draws else OF_POINTS
        own = {key: given.pop(key) for key in of_points if key in given}
        chosen = read_settings(experiment.settings, given)
        step = _step(_whole("step", own["step"])) if "step" in own else None
        if "points" in own:
            if {"preset", "m", "seed_of_points"} & set(own):
                raise Problem("a link must name either points or a preset.")
            world = _world(own.get("world", ""))
            return cls(experiment, decoded(own["points"]), chosen, {}, world, step)
        which = own.get("preset", experiment.preset)
        m = _whole("m", own["m"]) if "m" in own else None
        seed = _whole("seed_of_points", own.get("seed_of_points", "0"))
        bench = preset(which, m, seed)
        source = {"preset": which, "m": len(bench), "seed": seed}
        return cls(experiment, bench, chosen, source, which if which in WORLDS else "", step)

    def link(self) -> str:
        """A link for `of_link`."""
        said: dict[str, Any] = {}
        if self.experiment.draws:
            pass  # The points are those that it draws.
        elif self.source:
            said["preset"], said["m"] = self.source["preset"], self.source["m"]
            if self.source["seed"]:
                said["seed_of_points"] = self.source["seed"]
        else:
            said["points"] = encoded(self.bench)
            if self.world:
                said["world"] = self.world
        for setting in self.experiment.settings:
            if (value := self.chosen[setting.name]) != setting.default:
                said[setting.name] = int(value) if isinstance(value, bool) else value
        if self.step is not None:
            said["step"] = self.step
        pairs = "&".join(f"{name}={quote(str(value), safe='-_.~')}" for name, value in said.items())
        return self.experiment.name + ("?" if pairs else "") + pairs


def experiment_named(name: Any) -> Experiment:
    if type(name) is not str or name not in EXPERIMENTS:
        known = ", ".join(EXPERIMENTS)
        raise Problem(f"there is no experiment {str(name)[:40]!r}. There are: {known}.")
    return EXPERIMENTS[name]


def encoded(bench: Bench) -> str:
    """Points as text; see above."""
    bits = np.packbits(bench.signs > 0)
    content = bench.places.astype("<i2").tobytes() + bits.tobytes()
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decoded(text: str) -> Bench:
    """What `encoded` wrote, or a Problem."""
    try:
        content = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (ValueError, binascii.Error):
        raise Problem("the points of a link must be base 64 for URLs: is it cut off?") from None
    m = max(0, 8 * len(content) // 33)  # A point takes 4 bytes and a bit.
    m = next((k for k in (m, m - 1) if k >= 0 and 4 * k + -(-k // 8) == len(content)), -1)
    if not 0 <= m <= MAX_POINTS:
        raise Problem(f"the points of a link are damaged: {len(content):,} bytes are no points.")
    places = np.frombuffer(content[: 4 * m], dtype="<i2").reshape(-1, 2).astype(np.int64)
    ones = np.unpackbits(np.frombuffer(content[4 * m :], dtype=np.uint8))[:m]
    return Bench(places, np.where(ones == 1, 1, -1))


def _world(name: Any) -> str:
    if type(name) is not str or (name and name not in WORLDS):
        raise Problem(f"there is no world {str(name)[:40]!r}. There are: {', '.join(WORLDS)}.")
    return name


def _step(step: Any) -> int | None:
    if step is None or (type(step) is int and 0 <= step <= MAX_STEP):
        return step
    raise Problem(f"step must be a whole number from 0 to {MAX_STEP:,}, got {str(step)[:40]!r}.")


def _whole(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        raise Problem(f"{name} must be a whole number, got {text[:40]!r}.")
    return int(text)
