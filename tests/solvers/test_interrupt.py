"""Ctrl-C is a wish at first, and limits of time are reasons to stop."""

from __future__ import annotations

import math
import signal
import threading

import pytest

from certo.solvers.interrupt import NEVER, Stopped, Watch, ctrl_c_asks
from certo.stop import Stop


def test_the_first_ctrl_c_is_noted_and_the_second_is_an_exception():
    with ctrl_c_asks() as asked:
        assert asked() is None
        signal.raise_signal(signal.SIGINT)
        assert asked() is Stop.BY_HAND
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handlers_of_others_are_left_alone():
    seen = []
    old = signal.signal(signal.SIGINT, lambda *_: seen.append(1))
    try:
        with ctrl_c_asks() as asked:
            signal.raise_signal(signal.SIGINT)
            assert asked() is None
        assert seen == [1]
    finally:
        signal.signal(signal.SIGINT, old)


def test_elsewhere_than_in_the_main_thread_nothing_changes():
    seen = []

    def work():
        with ctrl_c_asks() as asked:
            seen.append((asked(), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(None, signal.default_int_handler)]


def test_a_watch_says_why_and_then_always_the_same():
    answers = [None, Stop.CALLBACK, None]
    watch = Watch(lambda: answers.pop(0))
    watch()
    assert watch.stop() is watch.stop() is Stop.CALLBACK
    with pytest.raises(Stopped):
        watch()
    assert answers == [None]


def test_time_that_is_over():
    late = Watch(seconds=0)
    assert late.stop() is Stop.TIME_LIMIT
    assert late.seconds_left == 0
    assert NEVER.stop() is None
    assert NEVER.seconds_left == math.inf
