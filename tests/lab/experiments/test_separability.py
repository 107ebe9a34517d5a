"""Separability: the verdict of the library about the first so many points, and its fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from certo import separability
from certo.certificates.separation.separable import Separable
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


@pytest.mark.parametrize("link", ["separability", "separability?preset=xor",
                                  "separability?preset=xor&intercept=none"])  # fmt: skip
def test_every_frame_is_the_verdict_about_the_first_so_many(link):
    state, run = State.of_link(link), run_of(link)
    X, y = state.bench.X, state.bench.y
    for step in range(1, run.steps + 1):
        frame = frame_of(run, step)
        yes = isinstance(separability(X[:step], y[:step], state.chosen["intercept"]), Separable)
        assert (frame["verdict"]["tone"] == "good") == yes
        assert len(frame["scene"]["marks"].get("faded", [])) in (0, run.steps - step)


def test_fractions_are_exact_and_make_one_point_of_either_label():
    state, run = State.of_link("separability?preset=xor"), run_of("separability?preset=xor")
    scene = frame_of(run)["scene"]
    X = [[Fraction(v) for v in row] for row in state.bench.X.tolist()]
    meeting = {}
    for sign in (-1, 1):
        tags = [tag for tag in scene["tags"] if tag["sign"] == sign]
        shares = [Fraction(tag["text"]) for tag in tags]
        assert sum(shares) == 1
        meeting[sign] = [sum(s * X[tag["row"]][j] for s, tag in zip(shares, tags, strict=True))
                         for j in (0, 1)]  # fmt: skip
    assert meeting[-1] == meeting[1]
    assert np.allclose([float(v) for v in meeting[1]], scene["meeting"])


def test_the_margin_is_that_of_the_widest_band_and_the_curve_ends_where_it_vanishes():
    from certo import HardMarginSVM
    from certo.lab.experiment import Job

    state = State.of_link("separability")
    best = HardMarginSVM().fit(state.bench.X, state.bench.y)
    assert values(frame_of(run_of("separability")))["margin"] == best.geometric_margin_[0]
    (chart,) = run_of("separability").more(Job())["charts"]
    margins = chart["series"][0]["y"]
    assert np.all(np.diff(margins) <= 1e-9)
    assert np.isclose(margins[-1], best.geometric_margin_[0])
    (chart,) = run_of("separability?preset=xor").more(Job())["charts"]
    assert chart["series"][0]["y"][-1] == 0


def test_the_line_that_is_shown_is_the_one_that_is_proved():
    from certo.certificates.margins.maximum_margin import MaximumMargin
    from certo.lab.experiment import Job

    run = run_of("separability")
    proof = run.proof(Job())
    (claim,) = proof.claims.of_kind(MaximumMargin)
    shown = values(frame_of(run))["margin"]
    assert np.isclose(claim.lower, shown, rtol=1e-12)  # One is rounded down, the other is not.
    assert len(run_of("separability?widest=0").proof(Job()).claims) == 1
    assert len(run_of("separability?preset=xor").proof(Job()).claims) == 1
