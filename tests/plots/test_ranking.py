"""Curves of scores show the numbers of their models."""

import numpy as np
import pytest

from certo import SVM, Perceptron, plots
from tests.plots.scenes import THREE, X, drawn

KIND = np.where(X[:, 0] + np.random.default_rng(0).normal(size=len(X)) > 0, "up", "down")
MODEL = SVM().fit(X, KIND)


def test_roc_goes_through_the_rates_of_every_threshold():
    ax = drawn(plots.roc(MODEL, X, KIND))
    curve = ax.lines[0].get_xydata()
    scores, hit = MODEL.decision_function(X), KIND == "up"
    rates = [[np.mean(scores[~hit] >= t), np.mean(scores[hit] >= t)] for t in scores]
    for point in curve[1:]:
        assert np.min(np.abs(np.array(rates) - point).max(axis=1)) < 1e-12
    assert curve[0].tolist() == [0, 0]
    assert curve[-1].tolist() == [1, 1]
    says = MODEL.predict(X) == "up"
    own = ax.lines[2].get_xydata()[0]
    assert own == pytest.approx([np.mean(says[~hit]), np.mean(says[hit])])
    pairs = scores[hit][:, None] - scores[~hit]
    assert ax.lines[0].get_label() == f"area {np.mean(pairs > 0):.3g}"
    assert "up" in ax.get_title()


def test_precision_and_recall_of_the_predictions():
    ax = drawn(plots.precision_recall(MODEL, X, KIND))
    hit, says = KIND == "up", MODEL.predict(X) == "up"
    own = ax.lines[2].get_xydata()[0]
    assert own == pytest.approx([np.mean(says[hit]), np.mean(hit[says])])
    assert ax.lines[1].get_ydata()[0] == pytest.approx(np.mean(hit))
    never = SVM(C=1e-9).fit(np.zeros((6, 1)), [0, 0, 0, 0, 1, 1])
    assert len(plots.precision_recall(never, np.zeros((6, 1)), [0, 0, 0, 0, 1, 1]).lines) == 2


def test_long_curves_have_few_points():
    rng = np.random.default_rng(0)
    many = rng.normal(size=(9000, 1))
    kind = many[:, 0] + rng.normal(size=9000) > 0
    model = Perceptron(epochs=1).fit(many, kind)
    for draw in (plots.roc, plots.precision_recall):
        assert len(draw(model, many, kind).lines[0].get_xydata()) <= 400


def test_what_is_not_drawn():
    with pytest.raises(ValueError, match="two classes, but the model has 3"):
        plots.roc(SVM().fit(X, THREE), X, THREE)
    with pytest.raises(ValueError, match="both classes"):
        plots.precision_recall(MODEL, X[KIND == "up"], KIND[KIND == "up"])
