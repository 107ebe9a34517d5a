"""Successive boundaries of a Perceptron."""

from __future__ import annotations

import numpy as np
import pytest

from certo import SVM, KernelPerceptron, Perceptron, plots
from certo.worlds import GaussianClasses, SplitCloud
from tests.plots.scenes import drawn

X, Y = SplitCloud(gap=0.15).draw(40, rng=3)
SHIFTED = X + np.array([2.0, 1.0])
THROUGH_ORIGIN = Perceptron(epochs=50, intercept="none").fit(X, Y)
LIFTED = Perceptron(epochs=50).fit(SHIFTED, Y)


def lines_of(ax):
    return [line for line in ax.lines if hasattr(line, "get_slope")]


def test_there_is_a_boundary_for_every_update_and_the_last_is_the_machines():
    ax = drawn(plots.boundaries(THROUGH_ORIGIN, X, Y))
    lines = lines_of(ax)
    assert len(lines) == THROUGH_ORIGIN.updates_[0]
    w = THROUGH_ORIGIN.coef_[0]
    slope = np.divide(*(np.array(lines[-1].get_xy2()) - lines[-1].get_xy1())[::-1])
    assert slope == pytest.approx(-w[0] / w[1])


@pytest.mark.slow
def test_one_update_shows_its_example_and_both_boundaries():
    ax = drawn(plots.update(THROUGH_ORIGIN, X, Y, 2))
    ring = ax.collections[-1].get_offsets()
    example = THROUGH_ORIGIN.trace_.example[1]
    assert ring.tolist() == [X[example].tolist()]
    before, after = THROUGH_ORIGIN.trace_.weights[:2]
    assert Y[example] * (before[:2] @ X[example]) <= 0
    assert after[:2] == pytest.approx(before[:2] + Y[example] * X[example])
    assert len(lines_of(ax)) == 2
    first = drawn(plots.update(THROUGH_ORIGIN, X, Y, 1))  # w = 0 before it has no boundary
    assert len(lines_of(first)) == 1
    with pytest.raises(ValueError, match=r"1, 2, 3, .*got 99"):
        plots.update(THROUGH_ORIGIN, X, Y, 99)


@pytest.mark.slow
def test_frames_and_the_animation_go_through_the_updates(tmp_path):
    total = int(LIFTED.updates_[0])
    figure = plots.update_frames(LIFTED, SHIFTED, Y)
    titles = [ax.get_title() for ax in figure.axes if ax.get_title()]
    assert titles[0] == f"Update 1 of {total}"
    assert titles[-1] == f"Update {total} of {total}"
    assert len(titles) == min(9, total)
    assert len(plots.update_frames(LIFTED, SHIFTED, Y, updates=[1, 2]).axes) == 2
    short = Perceptron(epochs=5).fit(X[:6], Y[:6])
    animation = plots.update_animation(short, X[:6], Y[:6])
    animation.save(tmp_path / "run.gif", writer="pillow", dpi=40)
    assert (tmp_path / "run.gif").stat().st_size > 1000


@pytest.mark.slow
def test_long_runs_and_several_classes_are_drawn():
    Z, y = GaussianClasses().draw(60, rng=0)
    long = Perceptron(epochs=200).fit(Z, y)
    assert drawn(plots.boundaries(long, Z, y))
    assert len(plots.update_frames(long, Z, y).axes) == 9
    three = Perceptron(epochs=20).fit(Z, np.arange(60) % 3)
    assert drawn(plots.boundaries(three, Z, np.arange(60) % 3, output=2))


def test_what_has_no_boundaries_in_the_plane_is_refused():
    flat = np.ones((40, 3))
    flat[:, :2] = X
    with pytest.raises(ValueError, match="3 features"):
        plots.boundaries(Perceptron(epochs=50).fit(flat, Y), flat, Y)
    kernel = KernelPerceptron(epochs=5).fit(X, Y)
    with pytest.raises(ValueError, match="fit a Perceptron"):
        plots.boundaries(kernel, X, Y)
    with pytest.raises(ValueError, match="fit a Perceptron"):
        plots.boundaries(SVM().fit(X, Y), X, Y)
