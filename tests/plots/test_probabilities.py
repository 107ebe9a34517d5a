"""Pictures of probabilities beside frequencies."""

from __future__ import annotations

import numpy as np
import pytest

from certo import LogisticRegression, plots
from tests.plots.scenes import KIND, THREE, X, drawn

RNG = np.random.default_rng(0)


def test_calibration_counts_all_examples(logistic):
    ax = drawn(plots.calibration(logistic, X, KIND))
    line = next(line for line in ax.lines if line.get_label() == "yes")
    said, came = line.get_xydata().T
    p = logistic.predict_proba(X)[:, 1]
    assert np.all(np.diff(said) > 0)
    assert came.mean() == pytest.approx(np.mean(KIND == "yes"), abs=1e-12), "groups of 20"
    assert said.mean() == pytest.approx(p.mean())
    for (low, high), at in zip(
        [segment[:, 1] for segment in ax.collections[0].get_segments()], came, strict=True
    ):
        assert low <= at <= high


@pytest.mark.slow
def test_calibration_of_several_classes_and_of_few_probabilities():
    model = LogisticRegression(ridge=0.01).fit(X, THREE)
    ax = drawn(plots.calibration(model, X, THREE))
    assert {"a", "b", "c"} <= {str(line.get_label()) for line in ax.lines}
    alike = LogisticRegression().fit([[0.0], [0.0], [1.0], [1.0]] * 9, [0, 1, 0, 1] * 9)
    drawn(plots.calibration(alike, [[0.0], [1.0]] * 9, [0, 1] * 9))
    many = RNG.integers(0, 12, 200)
    ax = plots.calibration(LogisticRegression(ridge=0.1).fit(X, many), X, many)
    assert "the first 10 of 12 classes" in ax.get_title()
