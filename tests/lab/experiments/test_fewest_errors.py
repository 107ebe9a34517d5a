"""The fewest errors: the trace of the library, with the line that was best then."""

from __future__ import annotations

import numpy as np

from certo import MinDisagreement
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


def test_bounds_close_in_on_the_library_s_answer():
    state, run = State.of_link("errors?m=40"), run_of("errors?m=40")
    X, y = state.bench.X, state.bench.y
    model = MinDisagreement(time_limit=10, random_state=0).fit(X, y)
    last = values(frame_of(run))
    assert last["errors_found"] == last["errors_needed"] == model.errors_
    before = None
    for step in range(run.steps + 1):
        frame = frame_of(run, step)
        shown = values(frame)
        (line,) = frame["scene"]["lines"]
        wrong = np.sum(y * (X @ line["w"] + line["b"]) <= 0)
        assert wrong == shown["errors_found"] == len(frame["scene"]["marks"]["wrong"])
        if before:
            assert shown["errors_found"] <= before["errors_found"]
            assert shown["errors_needed"] >= before["errors_needed"]
        before = shown


def test_how_far_it_is_can_be_told():
    from certo.lab.experiment import Job

    told = []
    run_of("errors?preset=xor&m=60", Job(told.append))
    assert all(one["lower"] <= one["upper"] for one in told)
