"""A picture of the error rate shows every bound where it is, and a vacuous one as such."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from certo import SVM, Perceptron, certify, plots
from certo.certificates import Certified, Composite, RiskBound, TestErrors
from certo.certificates.sample.labels import Labels
from certo.plots.risk import MAX_BOUNDS_DRAWN

LABELS = Labels(("a", "b"))


def bound(own=True, **values):
    """A claim about new examples with these values, weakest first."""

    @dataclass(frozen=True, repr=False, eq=False)
    class Bound(RiskBound):
        claim, numbers, assumes = "", {}, ()
        of_predictions = own
        examples = 2
        bounds = {name.replace("_", " "): value for name, value in values.items()}  # noqa: RUF012

        def at(self, delta):
            worse = bound(own, **{name: 1.1 * value for name, value in values.items()})
            return replace(worse, delta=delta)

        def _check_formulas(self):
            """Nothing follows from anything here."""

        def _check(self, sample):
            return ""

    return Bound(LABELS, 0.05, majority=1)


def page(*claims):
    return Certified("model", Composite(claims))


def bars(ax):
    return [patch for patch in ax.patches if isinstance(patch, Rectangle)]


def texts(ax):
    return [text.get_text() for text in ax.texts if text.get_text()]


def test_every_formula_is_a_bar_that_ends_there_the_sharpest_first():
    ax = plots.risk_bounds(page(bound(printed=1.3, exact_tail=0.625, other=0.0625)))
    assert [bar.get_width() for bar in bars(ax)] == [0.0625, 0.625, 1]
    assert [bool(bar.get_hatch()) for bar in bars(ax)] == [False, False, True]
    said = ["other: at most 6.25 %", "exact tail: at most 62.5 %", "printed: vacuous"]
    assert [text for text in texts(ax) if text in said] == said
    assert ax.get_xlim() == (0, 1)
    assert "with probability at least 95 %" in texts(ax)


def test_the_examples_of_the_fit_are_a_point_and_test_examples_an_interval():
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = np.where(X[:, 0] + 0.3 * X[:, 1] ** 2 > 0.3, "a", "b")
    model = SVM(intercept="none").fit(X[:40], y[:40])
    found = certify(model, X[:40], y[:40], X_test=X[40:], y_test=y[40:])
    ax = plots.risk_bounds(found, commonest=0.75)
    (tested,) = found.of_kind(TestErrors)
    lines = [tuple(line.get_xdata()) for line in ax.lines]
    assert (np.mean(model.predict(X[:40]) != y[:40]),) in lines
    assert tested.interval in lines
    assert (tested.errors / 60,) in lines
    assert (0.25, 0.25) in lines
    assert (
        f"New examples, by the smallest of {found.best.among}, corrected for the choice"
        in texts(ax)
    )
    assert bars(ax)[-1].get_width() == found.best.claim.best


def test_what_is_not_about_the_predictions_says_so_and_the_rest_is_counted():
    some = [bound(own=False, only=0.25) for _ in range(MAX_BOUNDS_DRAWN)]
    ax = plots.risk_bounds(page(*some, bound(of_all=0.375)))
    said = texts(ax)
    alone = "alone with probability at least 95 %"
    assert said[:3] == ["New examples, by Bound", alone, "at most 37.5 %"]
    assert said[3:6] == ["Not the predictions themselves, by Bound", alone, "at most 25 %"]
    assert said[-1] == "… and 1 more"
    first, *others = bars(ax)
    assert {bar.get_facecolor() for bar in others} != {first.get_facecolor()}


def test_of_several_outputs_the_bound_for_all_is_drawn():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = 5 * np.eye(3)[y] + rng.normal(size=(200, 3))
    names = np.array(["a", "b", "$c$"])
    found = certify(Perceptron(epochs=1).fit(X, names[y]), X, names[y])
    said = texts(plots.risk_bounds(found))
    assert "New examples, by CompressionBound" in said
    assert not any(" alone, by " in text for text in said)
    bounds = found.of_kind("CompressionBound")
    alone = page(*(claim for claim in bounds if not claim.of_predictions))
    assert r"New examples, \$c\$ alone, by CompressionBound" in texts(plots.risk_bounds(alone))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.9999])
def test_no_text_leaves_the_picture(share):
    ax = plots.risk_bounds(page(bound(a_formula=2.0, another=share)), commonest=1 - share)
    ax.figure.draw_without_rendering()
    whole = ax.figure.bbox
    for text in ax.texts:
        box = text.get_window_extent()
        assert whole.x0 <= box.x0
        assert box.x1 <= whole.x1


def test_empty_page_is_drawn_with_a_message():
    assert texts(plots.risk_bounds(page())) == ["Nothing is proved of the error rate."]
