"""Pictures of claims: gaps against time, bounds that do not cross."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

from certo import (
    SVM,
    LogisticRegression,
    MinDisagreement,
    OnlineGradientDescent,
    Pegasos,
    plots,
)
from certo.worlds import GaussianClasses
from tests.plots.scenes import X, drawn

RNG = np.random.default_rng(1)


@pytest.mark.slow
@pytest.mark.parametrize("classes", [2, 3, 12])
def test_the_gap_against_time(classes):
    X, y = RNG.normal(size=(120, 3)), np.arange(120) % classes
    model = SVM().fit(X, y)
    ax = plots.gap(model)
    assert ax.get_yscale() == "log"
    first = ax.lines[0].get_xydata()
    mine = model.trace_.output == 0
    np.testing.assert_allclose(first[:, 0], model.trace_.seconds[mine])
    assert np.all(first[:, 1] > 0)
    ax.figure.savefig(io.BytesIO(), format="svg")
    assert "proved at the end: at most" in str([t.get_text() for t in ax.get_legend().get_texts()])


@pytest.mark.slow
@pytest.mark.parametrize("average", [True, False])
def test_the_excess_of_pegasos_is_drawn_with_its_bound(average):
    X = RNG.normal(size=(120, 3))
    for classes in (2, 3, 12):
        y = np.arange(120) % classes
        model = Pegasos(lam=0.1, max_iter=500, average=average, random_state=0).fit(X, y)
        ax = plots.pegasos_excess(model, X, y)
        assert ax.get_xscale() == ax.get_yscale() == "log"
        drawn = {line.get_label(): line for line in ax.lines}
        bounds = [line for name, line in drawn.items() if name.startswith("at most")]
        assert len(bounds) == average
        assert ax.lines[0].get_xdata()[-1] == 500
        ax.figure.savefig(io.BytesIO(), format="svg")


def test_the_bounds_are_steps_that_do_not_cross():
    X, y = RNG.normal(size=(40, 2)), RNG.integers(0, 2, 40)
    model = MinDisagreement(time_limit=20, random_state=0).fit(X, y)
    ax = plots.bounds(model)
    upper, lower = (line.get_xydata() for line in ax.lines[:2])
    assert upper[-1, 1] == model.errors_
    assert lower[-1, 1] == model.lower_bound_
    assert np.all(np.diff(upper[:, 1]) <= 0)
    assert np.all(np.diff(lower[:, 1]) >= 0)
    assert f"at the end: {model.errors_}" in [text.get_text() for text in ax.get_legend().texts]
    low, high = ax.get_ylim()
    assert low < model.lower_bound_ <= model.errors_ < high


def test_bounds_of_an_unfinished_search_and_of_one_over_at_once():
    from types import SimpleNamespace

    trace = SimpleNamespace(seconds=[0.0, 0.1, 70.0], upper=[90.0, 13.0, 11.0], lower=[0, 2, 4.0])
    open_ = SimpleNamespace(trace_=trace, errors_=11, lower_bound_=4, optimal_=False)
    ax = plots.bounds(open_)
    assert ax.get_xscale() == "log"
    assert "between 4 and 11" in ax.lines[2].get_label()
    model = MinDisagreement().fit([[0.0], [1.0]], [0, 1])
    plots.bounds(model).figure.savefig(io.BytesIO(), format="svg")


@pytest.mark.slow
def test_convergence_ends_at_the_gap(logistic):
    ax = drawn(plots.convergence(logistic))
    above = ax.lines[0].get_ydata()
    assert above[0] == pytest.approx(logistic.trace_.objective[0] - logistic.infimum_)
    assert ax.get_yscale() == "log"
    assert any("proved at the end" in str(line.get_label()) for line in ax.lines)
    with warnings.catch_warnings(action="ignore"):
        separated = LogisticRegression().fit(X, X[:, 0] > 0)
    assert "no weights have" in drawn(plots.convergence(separated)).get_title()


@pytest.mark.slow
def test_the_regret_is_that_of_the_certificate_and_below_its_bound():
    X, y = GaussianClasses().draw(100, rng=0)
    model = OnlineGradientDescent(lam=0.1).fit(X, y)
    ax = drawn(plots.regret(model, X, y))
    against, allowed = ax.lines[:2]
    (claim,) = model.regret(X, y).of_kind("Regret")
    assert against.get_ydata()[-1] == pytest.approx(claim.regret, rel=1e-9)
    assert allowed.get_ydata()[-1] == pytest.approx(claim.bound, rel=1e-9)
    assert np.all(against.get_ydata() <= allowed.get_ydata())
    other = drawn(plots.regret(model, X, y, coef=[1.0, 0.0], intercept=0.5))
    assert other.lines[0].get_ydata()[-1] <= other.lines[1].get_ydata()[-1]
