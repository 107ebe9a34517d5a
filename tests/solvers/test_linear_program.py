"""Linear programs that are stopped."""

from __future__ import annotations

import signal
import threading
import types

import numpy as np
import pytest

from certo.solvers import linear_program
from certo.solvers.interrupt import NEVER
from certo.solvers.linear_program import LinearProgram


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
