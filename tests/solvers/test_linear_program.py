"""Linear programs that are stopped."""

from __future__ import annotations

import signal
import threading
import types

import numpy as np
import pytest

from certo.solvers import linear_program
from certo.solvers.interrupt import NEVER
from certo.solvers.linear_program import LinearProgram, Subsystems


def test_ctrl_c_stops_a_linear_program(monkeypatch):
    monkeypatch.setattr(linear_program, "MAX_UNWATCHED_ENTRIES", -1)
    program = LinearProgram(np.zeros(2), np.ones(2), np.ones(2))
    stopped = []

    def run():
        while not stopped:
            for told in program.highs.cbSimplexInterrupt.callbacks:
                told(types.SimpleNamespace(interrupt=lambda: stopped.append(True)))

    callbacks = []
    program.highs = types.SimpleNamespace(
        run=run,
        setOptionValue=lambda *_: None,
        resetGlobalScheduler=lambda blocking: None,
        cbSimplexInterrupt=types.SimpleNamespace(
            callbacks=callbacks, subscribe=callbacks.append, unsubscribe=callbacks.remove
        ),
    )
    threading.Timer(0.2, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt):
        program.solve_watched(NEVER)
    assert stopped
    assert not callbacks


def test_a_program_out_of_time_says_nothing():
    """It does not say that all vectors can be right; only an infeasible one does."""
    vectors = np.random.default_rng(0).standard_normal((4000, 80))
    some = Subsystems(vectors, lambda: 0.0).cheapest(np.ones(4000))
    assert some is not None
    assert not some.size
    assert Subsystems(np.ones((3, 2)), lambda: np.inf).cheapest(np.ones(3)) is None


def test_a_program_that_fails_begins_anew(monkeypatch):
    program = LinearProgram(np.zeros(2), np.ones(2), np.ones(2))
    status, again = program.highs.getModelStatus, []
    monkeypatch.setattr(
        program.highs,
        "getModelStatus",
        lambda: status() if again else linear_program.highspy.HighsModelStatus.kUnknown,
    )
    monkeypatch.setattr(program.highs, "clearSolver", lambda: again.append(True))
    assert program.solve(1.0) is not None
    assert again == [True]
