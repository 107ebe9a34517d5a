"""Conics: the lift is that of the kernel (x·x')², and a plane is a conic."""

from __future__ import annotations

import numpy as np
import pytest

from certo import SVM
from certo.kernels import Polynomial
from certo.lab.experiments.conics import conic_of
from certo.lab.state import State
from tests.lab import frame_of, run_of, values


@pytest.mark.parametrize(("preset", "conic"), [("ring", "ellipse"), ("xor", "hyperbola")])
def test_the_plane_is_the_machine_of_the_kernel(preset, conic):
    link = f"conics?preset={preset}"
    state, run = State.of_link(link), run_of(link)
    X, y = state.bench.X, state.bench.y
    frame = frame_of(run)
    lifted = np.array(frame["scene"]["solid"]["points"])
    assert np.allclose(lifted @ lifted.T, Polynomial(2, offset=0.0)(X), atol=1e-4)
    model = SVM(Polynomial(2, offset=0.0), C=10.0).fit(X, y)
    plane = frame["scene"]["solid"]["plane"]
    own = lifted @ plane["w"] + plane["b"]
    assert np.allclose(own, model.decision_function(X), atol=1e-3)
    assert frame["verdict"]["key"] == f"conics.{conic}"
    assert values(frame)["errors"] == np.sum(y * own <= 0) == 0


def test_points_begin_in_the_plane():
    run = run_of("conics")
    first = frame_of(run, 0)["scene"]["solid"]
    assert [p[1] for p in first["points"]] == [0] * len(first["points"])
    assert "plane" not in first
    assert np.allclose([[p[0], p[2]] for p in first["points"]], run.flat, atol=1e-6)


@pytest.mark.parametrize("seed", range(40))
def test_the_name_of_a_conic_is_that_of_its_points(seed):
    """By its values in many directions: r² q(θ) = −b has a solution r > 0, or has not."""
    rng = np.random.default_rng(seed)
    w, b = rng.normal(size=3), float(rng.normal())
    c, s = np.cos(angles := np.linspace(0, np.pi, 4000)), np.sin(angles)
    form = w[0] * c * c + np.sqrt(2) * w[1] * c * s + w[2] * s * s
    changes, reached = form.min() < 0 < form.max(), np.any(form * b < 0)
    expected = "hyperbola" if changes else "ellipse" if reached else "missed"
    assert conic_of(w, b) == expected
    if changes:
        assert conic_of(w, 0.0) == "cross"


def test_degenerate_conics():
    assert conic_of(np.array([1.0, 0.0, 0.0]), -2.0) == "parabola"  # x₁² = 2: two lines.
    assert conic_of(np.array([1.0, 0.0, 0.0]), 2.0) == "missed"
    assert conic_of(np.zeros(3), 1.0) == conic_of(np.array([1e-12, 0, 1e-12]), -1.0) == "missed"
