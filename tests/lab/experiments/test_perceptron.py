"""The Perceptron of the page is that of the notes, update by update."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

from certo import Perceptron
from certo.lab.state import State
from tests.lab import bounds, frame_of, run_of, sentence, values


def box(X, y, epochs):
    """The box of the notes, on lifted examples, in plain Python."""
    w, lifted, updates = np.zeros(3), np.column_stack([X, np.ones(len(X))]), []
    for _ in range(epochs):
        for t in range(len(y)):
            if y[t] * (w @ lifted[t]) <= 0:
                w = w + y[t] * lifted[t]
                updates.append((t, w))
    return updates


@pytest.mark.parametrize("preset", ["narrow", "separable", "touching"])
def test_every_frame_is_an_update_of_the_box(preset):
    bench = State.of_link(f"perceptron?preset={preset}").bench
    run = run_of(f"perceptron?preset={preset}")
    updates = box(bench.X, bench.y, 50)
    assert run.steps == len(updates)
    for step, (t, w) in enumerate(updates, start=1):
        frame = frame_of(run, step)
        assert frame["scene"]["marks"]["current"] == [t]
        (shown,) = [one for one in frame["scene"]["lines"] if one["kind"] == "boundary"]
        assert np.allclose([*shown["w"], shown["b"]], w)
        assert values(frame)["updates"] == step
        assert np.isclose(values(frame)["squared_norm"], w @ w)
    assert values(frame)["wrong_now"] == 0


def test_numbers_are_those_of_the_library_and_the_norm_stays_between_its_curves():
    state, run = State.of_link("perceptron"), run_of("perceptron")
    model = Perceptron(epochs=50).fit(state.bench.X, state.bench.y)
    (claim,) = model.certificate_.of_kind("MistakeBound")
    frame = frame_of(run)
    assert values(frame)["updates"] == model.updates_[0]
    assert bounds(frame)["updates"] == claim.bound
    (chart,) = run.charts()
    lines = {one["key"]: one for one in chart["series"]}
    for n, square in zip(lines["norm.w"]["x"][1:], lines["norm.w"]["y"][1:], strict=True):
        place = lines["norm.upper"]["x"].index(n)
        assert lines["norm.lower"]["y"][place] <= square + 1e-9
        assert square <= lines["norm.upper"]["y"][place] + 1e-9
    assert frame["verdict"]["key"] == "perceptron.converged_lifted"
    assert frame_of(run, 0)["verdict"]["key"] == "perceptron.start"
    assert frame_of(run, 1)["verdict"]["args"]["update"] == "1"


def test_a_run_cut_short_has_the_bound_of_the_largest_margin():
    whole, cut = run_of("perceptron?preset=narrow"), run_of("perceptron?preset=narrow&epochs=1")
    short = run_of("perceptron?preset=narrow&order=shuffled&epochs=1&seed=1")
    for run in (cut, short):
        if not run.model.converged_:
            assert frame_of(run)["verdict"]["key"] == "perceptron.unfinished"
        assert abs(bounds(frame_of(run))["updates"] - bounds(frame_of(whole))["updates"]) <= 1


def test_without_a_separator_it_says_so():
    frame = frame_of(run_of("perceptron?preset=xor"))
    assert frame["verdict"]["key"] == "perceptron.endless"
    assert not [one for one in frame["scene"]["lines"] if one["kind"] == "separator"]


def test_a_random_start_and_a_rate_are_those_of_the_library():
    link = "perceptron?start=random&rate=power&eta=2&order=misclassified&seed=5"
    run = run_of(link)
    (claim,) = run.model.certificate_.of_kind("MistakeBound")
    first = frame_of(run, 0)["scene"]["vectors"][-1]["tip"]
    assert np.allclose(first, claim.start[:2])
    assert "Power(initial=2.0" in "\n".join(run.code(run.steps))


@pytest.mark.parametrize("preset", ["narrow", "separable", "touching", "setosa"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_reader_who_computes_the_bound_from_the_printed_numbers_finds_it(preset, seed):
    said = sentence(frame_of(run_of(f"perceptron?preset={preset}&seed_of_points={seed}&eta=2.5")))
    longest, margin = re.search(r"\(([\d.]+)/([\d.]+)\)²", said).groups()
    bound = int(re.search(r"at most ([\d,]+)", said)[1].replace(",", ""))
    assert int((Fraction(longest) / Fraction(margin)) ** 2) == bound


@pytest.mark.parametrize("other", ["start=random&seed=3", "rate=power", "rate=geometric"])
def test_the_square_of_the_ratio_is_the_bound_of_the_usual_start_and_rate_alone(other):
    run = run_of(f"perceptron?preset=narrow&{other}")
    for step in (0, run.steps):
        assert not re.search(r"\d/\d", sentence(frame_of(run, step)))


def test_a_bound_on_points_that_nothing_separates_is_about_this_run():
    for preset, of_run in (("xor", True), ("separable", False)):
        strip = frame_of(run_of(f"perceptron?preset={preset}&epochs=3"))["strip"]
        (updates,) = [one for one in strip if one["key"] == "updates"]
        assert updates["bound"]["of_run"] == of_run
