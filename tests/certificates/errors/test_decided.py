"""An example is called right or wrong only where no evaluation of its scores says otherwise."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from certo.certificates.errors.decided import undecided_is_wrong


def answer(scores) -> int:
    return int(scores[0] > 0) if len(scores) == 1 else int(np.argmax(scores))


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 4]))
def test_within_the_slack_no_answer_changes_a_verdict(seed, outputs):
    random = np.random.default_rng(seed)
    value = random.integers(-3, 4, (8, outputs)) / 2
    slack = random.choice([0.0, 0.25, 0.5, 1.0], (8, outputs))
    codes = random.integers(0, max(outputs, 2), 8)
    wrong = undecided_is_wrong(value, slack, codes)
    assert not np.any(wrong.ties & ~wrong.errors)
    for _ in range(20):
        moved = value + slack * random.uniform(-1, 1, value.shape)
        for scores, code, error, tie in zip(moved, codes, *wrong, strict=True):
            if not tie:
                assert (answer(scores) != code) == error


def test_ties_may_be_either_and_labels_that_no_rule_knows_are_errors():
    value, slack = np.array([[0.0], [1.0], [1.0]]), np.zeros((3, 1))
    wrong = undecided_is_wrong(value, slack, np.array([1, 1, -1]))
    assert wrong.errors.tolist() == [True, False, True]
    assert wrong.ties.tolist() == [True, False, False]
    level = undecided_is_wrong(np.array([[1.0, 1.0, 0.0]]), np.zeros((1, 3)), np.array([0]))
    assert (level.errors.tolist(), level.ties.tolist()) == ([True], [True])
    nothing = undecided_is_wrong(np.array([[np.nan]]), np.ones((1, 1)), np.array([1]))
    assert (nothing.errors.tolist(), nothing.ties.tolist()) == ([True], [True])
