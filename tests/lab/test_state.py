"""States and links: one describes the other, and a forged one is refused in words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.data.problem import Problem
from certo.lab.bench import MAX_POINTS, REACH, UNITS, Bench
from certo.lab.experiments import EXPERIMENTS
from certo.lab.settings import Choice, Flag
from certo.lab.state import MAX_LINK_LENGTH, State, decoded, encoded

place = st.integers(-REACH * UNITS, REACH * UNITS)
points = st.lists(st.tuples(place, place, st.sampled_from((-1, 1))).map(list), max_size=MAX_POINTS)


def settings_of(experiment):
    def values(setting):
        if isinstance(setting, Choice):
            return st.sampled_from(setting.options)
        return st.booleans() if isinstance(setting, Flag) else st.sampled_from(setting.values)

    return st.fixed_dictionaries({one.name: values(one) for one in experiment.settings})


@st.composite
def states(draw):
    experiment = draw(st.sampled_from(list(EXPERIMENTS.values())))
    said = {
        "experiment": experiment.name,
        "points": draw(points),
        "settings": draw(settings_of(experiment)),
        "step": draw(st.none() | st.integers(0, 1000)),
        "world": draw(st.sampled_from(["", "world-ring"])),
    }
    return State.read(json.loads(json.dumps(said)))


@given(points)
def test_points_survive_a_link(given_points):
    bench = Bench.read(given_points)
    assert decoded(encoded(bench)).write() == given_points


@given(states())
def test_a_state_survives_a_link(state):
    link = state.link()
    assert len(link) <= MAX_LINK_LENGTH
    again = State.of_link("#" + link)
    assert again.link() == link
    if not state.experiment.draws:
        assert again.write() == state.write()
    assert State.read(json.loads(json.dumps(again.write()))).write() == again.write()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_name_alone_is_a_link(name):
    state = State.of_link(name)
    assert state.experiment.name == name
    assert len(state.bench) >= 4
    short = state.link()
    assert State.of_link(short).write() == state.write()
    assert len(short) < 60


def test_a_preset_is_named_not_spelled_out():
    link = "margin?preset=xor&m=50&seed_of_points=7&C=10&step=3"
    state = State.of_link(link)
    assert state.source == {"preset": "xor", "m": 50, "seed": 7}
    assert (state.chosen["C"], state.step, len(state.bench)) == (10, 3, 50)
    assert state.link() == link.replace("C=10", "C=10.0")
    assert State.of_link("kernels?preset=world-ring").world == "world-ring"
    assert State.of_link("").experiment.name == "perceptron"


@pytest.mark.parametrize(
    "forged",
    [
        "nothing", "perceptron?C=1", "perceptron?eta=0", "perceptron?eta=1&eta=2",
        "perceptron?preset=none", "perceptron?m=9999", "perceptron?m=-1", "perceptron?m=1e9",
        "perceptron?points=", "perceptron?points=AAA", "perceptron?points=!!!!",
        "perceptron?points=AAAAAAA&preset=xor", "perceptron?points=" + "A" * 7000,
        "perceptron?points=" + "A" * MAX_LINK_LENGTH, "perceptron?step=-1", "perceptron?step=x",
        "perceptron?step=99999999999", "perceptron?world=none&points=AAAAAAA",
        "perceptron?<script>=1", "__proto__", "perceptron?seed_of_points=99999999999999",
        "perceptron?points=_38AAAA", "bounds?points=\u0000",
    ],
)  # fmt: skip
def test_a_forged_link_is_refused_in_words(forged):
    if forged == "perceptron?points=":  # No points at all are points, too.
        assert len(State.of_link(forged).bench) == 0
        return
    with pytest.raises(Problem, match=r"must|There are|no setting|damaged|characters|room"):
        State.of_link(forged)


@pytest.mark.parametrize(
    "forged",
    [
        None, [], {"experiment": "none"}, {"experiment": ["perceptron"]}, {"strange": 1},
        {"experiment": "perceptron", "settings": []},
        {"experiment": "perceptron", "settings": {"C": 1}},
        {"experiment": "perceptron", "step": 1.5}, {"experiment": "perceptron", "step": True},
        {"experiment": "perceptron", "world": 3}, {"experiment": "perceptron", "points": 3},
        {"experiment": "perceptron", "source": []},
    ],
)  # fmt: skip
def test_a_forged_state_is_refused_in_words(forged):
    if forged == {"experiment": "perceptron", "source": []}:  # No source is none.
        assert State.read(forged).source == {}
        return
    with pytest.raises(Problem, match=r"must|no '|no experiment|no setting|no world"):
        State.read(forged)
