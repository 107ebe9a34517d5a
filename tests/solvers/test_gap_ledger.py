"""What is known from both sides: it only ever improves, and says when to stop."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.solvers.gap_ledger import MAX_IDLE_LOOKS, Ledger
from certo.stop import Stop

values = st.floats(0, 100)
looks = st.lists(st.tuples(values, values), min_size=1, max_size=20)


@given(looks, st.lists(st.tuples(st.integers(0, 19), values, values), max_size=3))
def test_the_best_so_far_only_improves_also_when_corrected(looks, corrections):
    """A correction says that what was noted before it was worth less."""
    ledger, wrong = Ledger(1e-6), {at: pair for at, *pair in corrections}
    for k, (primal, dual) in enumerate(looks):
        before = ledger.primal, ledger.dual
        assert ledger.note(primal, dual) == (primal < before[0], dual > before[1])
        if k in wrong:
            ledger.correct(*wrong[k])
            assert (ledger.primal, ledger.dual) == tuple(wrong[k])
    trace = ledger.trace
    assert len(trace) == len(looks)
    for rising in (trace.seconds, trace.passes, -trace.primal, trace.dual):
        assert np.all(np.diff(rising) >= 0)
    if not wrong:
        assert np.array_equal(trace.primal, np.minimum.accumulate([p for p, _ in looks]))
        assert np.array_equal(trace.dual, np.maximum.accumulate([d for _, d in looks]))


def test_ledger_ends_when_the_goal_is_reached():
    ledger = Ledger(0.1)
    ledger.note(10.0, 8.0)
    assert not ledger.over
    ledger.note(12.0, 9.0)  # together with the 10 of before
    assert ledger.reached
    assert ledger.over
    assert ledger.asked_to is None


def test_ledger_stays_spent_after_max_passes():
    ledger = Ledger(0.0, most=3)
    ledger.note(2.0, 1.0, passes=2)
    assert not ledger.over
    ledger.note(2.0, 1.0)
    assert ledger.over
    fresh = ledger.anew()
    assert fresh.over
    assert fresh.primal == np.inf
    assert fresh.passes == 3


@pytest.mark.parametrize("gap", [1e-9, 1e-3])
def test_looks_in_vain_end_it_only_near_the_limits(gap):
    ledger = Ledger(0.0)
    for _ in range(MAX_IDLE_LOOKS + 1):
        assert not ledger.over
        ledger.note(1.0, 1.0 - gap)
    assert ledger.over == (gap < 1e-8)


def test_first_stop_reason_is_kept():
    told = []
    ledger = Ledger(
        0.0,
        after_look=lambda *pair: told.append(pair) or (Stop.CALLBACK if len(told) == 2 else None),
    )
    ledger.note(3.0, 1.0)
    ledger.note(4.0, 2.0)
    ledger.note(5.0, 0.0)
    assert ledger.asked_to is Stop.CALLBACK
    assert ledger.over
    assert told == [(3.0, 1.0), (3.0, 2.0)]  # the best so far
    assert ledger.anew().asked_to is Stop.CALLBACK
    asked = Ledger(0.0, asked=lambda: Stop.BY_HAND)
    asked.note(3.0, 1.0)
    assert asked.asked_to is Stop.BY_HAND
