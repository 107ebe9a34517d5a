"""What all experiments have: words for whatever they say, frames, proofs, and an end."""

from __future__ import annotations

import json
import re
import warnings
from importlib.resources import files

import numpy as np
import pytest

from certo.lab.bench import Bench
from certo.lab.experiment import Asked, Cancelled, Job, Wanting
from certo.lab.experiments import EXPERIMENTS
from certo.lab.presets import PRESETS, WORLDS
from certo.lab.settings import Choice
from tests.lab import WORDS, filled, frame_of, run_of, sentence

LINKS = [
    "perceptron", "perceptron?preset=xor", "perceptron?epochs=1", "perceptron?preset=separable",
    "perceptron?rate=geometric&epochs=3&start=random", "perceptron?order=misclassified",
    "separability", "separability?preset=xor", "separability?preset=xor&intercept=none",
    "separability?widest=0", "margin", "margin?machine=hard&preset=separable",
    "margin?machine=hard&preset=xor", "margin?intercept=lifted&C=100", "errors",
    "errors?preset=separable", "descent", "descent?algorithm=ogd", "kernels",
    "kernels?machine=perceptron", "kernels?variance=0.01&C=1000", "kernels?kernel=polynomial",
    "kernels?machine=perceptron&preset=noise", "conics", "conics?preset=xor", "least-squares",
    "least-squares?ridge=1", "logistic", "logistic?preset=separable", "logistic?ridge=0.1",
    "logistic?preset=separable&ridge=0.1", "bounds?draws=10&m=20",
    "bounds?draws=10&m=20&machine=perceptron&world=split&delta=0.5",
]  # fmt: skip


def keys_of(frame, charts):
    """The keys of every word that the page needs for these."""
    yield f"verdict.{frame['verdict']['key']}"
    yield from (f"number.{one['key']}" for one in frame["strip"])
    for chart in [*charts, *frame.get("charts", [])]:
        yield f"chart.{chart['key']}"
        yield f"chart.{chart['key']}.x"
        yield from (f"series.{line['key']}" for line in chart["series"])
    yield from (f"vector.{one['kind']}" for one in frame["scene"].get("vectors", []))
    yield from (one["name"] for one in frame["scene"]["lines"] if "name" in one)


@pytest.mark.parametrize("link", LINKS)
def test_frames_are_json_with_words_for_everything_and_claims_hold(link):
    run = run_of(link)
    charts = [*run.charts(), *run.more(Job()).get("charts", [])]
    first = run.begins_at
    for step in sorted({first, min(first + 1, run.steps), (first + run.steps) // 2, run.steps}):
        frame = frame_of(run, step)
        json.dumps([frame, charts], allow_nan=False)
        for language in WORDS.values():
            missing = set(keys_of(frame, charts)) - set(language)
            assert not missing
        for name in WORDS:
            assert not re.search(r"[{}|]", sentence(frame, name))
    proof = run.proof(Job())
    assert proof.claims.claims
    assert proof.claims.verify(proof.X, proof.y)


def frame_args(text):
    return [re.split("[|}]", part)[0] for part in text.split("{")[1:]]


def test_a_text_may_depend_on_whether_a_number_is_one():
    text = "{n} point{n||s} of {m}, {k}"
    assert filled(text, {"n": "1", "m": "2"}) == "1 point of 2, {k}"
    assert filled(text, {"n": "0", "m": "1"}) == "0 points of 1, {k}"


ORIGIN = ["perceptron?preset=narrow&epochs=2", "separability", "margin?machine=hard&preset=narrow",
          "margin?machine=hard&preset=separable", "errors?m=16", "least-squares"]  # fmt: skip


@pytest.mark.parametrize("link", ORIGIN)
def test_what_is_true_of_lines_through_the_origin_alone_is_said_of_them(link):
    """A proof about lines through the origin says nothing about others."""
    through = link + ("&" if "?" in link else "?") + "intercept=none"
    for language, origin in (("en", "origin"), ("it", "origine")):
        assert origin in sentence(frame_of(run_of(through)), language)
        assert origin not in sentence(frame_of(run_of(link)), language)


def test_both_languages_have_the_same_words():
    en, it = WORDS["en"], WORDS["it"]
    assert {key for key in en if not key.endswith(".term")} == {
        key for key in it if not key.startswith("claim.")
    }
    for key, text in it.items():
        assert text.strip(), key
        if key in en:
            assert set(frame_args(text)) == set(frame_args(en[key])), key


def test_no_word_is_left_that_nobody_says():
    """Of those that are named in full where they are used."""
    package = files("certo.lab")
    folders = [package, package.joinpath("page"), package.joinpath("experiments")]
    sources = [one for folder in folders for one in folder.iterdir()]
    kept = [one for one in sources if one.name.endswith((".py", ".js", ".html"))]
    said = "".join(one.read_text("utf-8") for one in kept)
    kinds = ("ui.", "plane.", "proof.", "table.", "help.", "line.", "wanting.")
    assert [key for key in WORDS["en"] if key.startswith(kinds) and key not in said] == []


@pytest.mark.parametrize("link", LINKS)
def test_the_first_step_of_a_run_shows_something_new(link):
    """Else a student who presses Reset and then Step wonders whether the button works."""
    run = run_of(link)
    if run.steps > run.begins_at:
        first, second = frame_of(run, run.begins_at), frame_of(run, run.begins_at + 1)
        assert json.dumps(first["scene"]) != json.dumps(second["scene"])


def test_settings_presets_and_experiments_have_words():
    wanted = [f"preset.{name}" for name in (*PRESETS, *WORLDS)]
    for experiment in EXPERIMENTS.values():
        wanted += [f"experiment.{experiment.name}.{part}" for part in ("name", "intro", "try.1")]
        for setting in experiment.settings:
            wanted.append(f"setting.{setting.name}")
            if isinstance(setting, Choice):
                wanted += [f"setting.{setting.name}.{option}" for option in setting.options]
    for language in WORDS.values():
        assert not set(wanted) - set(language)
    assert json.dumps([experiment.describe() for experiment in EXPERIMENTS.values()])


@pytest.mark.parametrize("name", EXPERIMENTS)
@pytest.mark.parametrize("points", [[], [[0, 0, 1]], [[0, 0, 1], [1024, 0, 1]]])
def test_too_few_points_are_asked_for_in_words(name, points):
    experiment, bench = EXPERIMENTS[name], Bench.read(points)
    chosen = {setting.name: setting.default for setting in experiment.settings}
    asked = Asked(bench, chosen, "", Job())
    enough = experiment.draws or len(points) >= experiment.fewest
    if experiment.draws:
        return
    if enough and not experiment.needs_both:
        assert frame_of(experiment.run(asked))["verdict"]
        return
    with pytest.raises(Wanting) as wanting:
        experiment.run(asked)
    assert wanting.value.key in WORDS["it"]


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "bounds"])
@pytest.mark.parametrize("kind", ["equal", "line", "far", "two"])
def test_ugly_points_are_shown_all_the_same(name, kind):
    """Equal points of both labels, points on one line, at the edge, and two alone."""
    grid = {
        "equal": [[0, 0, 1], [0, 0, -1], [0, 0, 1], [1024, 0, -1]],
        "line": [[0, k * 512, 1 if k % 2 else -1] for k in range(8)],
        "far": [[16384, 16384, 1], [-16384, -16384, -1], [16384, -16384, 1], [-16384, 16384, -1]],
        "two": [[512, 0, 1], [-512, 0, -1]],
    }
    experiment = EXPERIMENTS[name]
    chosen = {setting.name: setting.default for setting in experiment.settings}
    with warnings.catch_warnings(action="ignore"):
        run = experiment.run(Asked(Bench.read(grid[kind]), chosen, "", Job()))
    for step in {run.begins_at, (run.begins_at + run.steps) // 2, run.steps}:
        json.dumps(frame_of(run, step), allow_nan=False)
    json.dumps([run.charts(), run.more(Job())], allow_nan=False)
    proof = run.proof(Job())
    assert all(proof.claims.verify(proof.X, proof.y).parts)


def test_a_job_that_nobody_waits_for_ends():
    job = Job()
    job.cancelled = True
    with pytest.raises(Cancelled):
        run_of("kernels", job)
    with pytest.raises(Cancelled):
        run_of("kernels").more(job)
    with pytest.raises(Cancelled):
        run_of("bounds").frame(3, job)
    with pytest.raises(Cancelled):
        run_of("errors", job)
    told = []
    run_of("least-squares").more(Job(told.append))
    assert told[-1]["done"] == told[-1]["of"] == 30
    assert np.all(np.diff([one["seconds"] for one in told]) >= 0)
