"""Why a run ended is a value that somebody has words for."""

from __future__ import annotations

import copy
import pickle

import pytest

from certo.stop import Stop, go_on


@pytest.mark.parametrize("stop", list(Stop))
def test_a_reason_is_true_and_one_of_its_kind(stop):
    assert bool(stop), "solvers ask whether there is a reason to stop"
    assert pickle.loads(pickle.dumps(stop)) is copy.deepcopy(stop) is stop


def test_nobody_stops_anything():
    assert go_on() is None
    assert go_on(1, "a look", None) is None
