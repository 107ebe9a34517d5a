"""Bounds on trial: claims of the library, the risk of the world, and honest counts."""

from __future__ import annotations

import numpy as np
import pytest

from certo import SVM, certify
from certo.lab.experiments.bounds import FLAT_WORLDS, KEYS
from tests.lab import frame_of, run_of, values

LINK = "bounds?m=50&draws=20&delta=0.2"


@pytest.mark.slow
def test_a_draw_is_a_fit_a_page_and_a_risk():
    run = run_of(LINK)
    frame = frame_of(run, 3)
    world = FLAT_WORLDS["apart"]
    X, y = world.draw(50, rng=[0, 2, 0])
    test = world.draw(50, rng=[0, 2, 1])
    model = SVM(C=1.0, intercept="none", tol=1e-8).fit(X, y)
    page = certify(model, X, y, delta=0.2, X_test=test.X, y_test=test.y)
    assert values(frame)["true_risk"] == world.risk(model)
    expected = {KEYS[n]: v for claim in page.risks for n, v in claim.bounds.items()}
    now = {one["key"]: one["now_value"] for one in frame["strip"] if "now_value" in one}
    assert now == {f"violated_{key}": value for key, value in expected.items()}
    assert frame["scene"]["points"][0][:2] == X[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("machine", ["svm", "perceptron"])
def test_violations_are_counted_and_another_delta_keeps_the_samples(machine):
    run = run_of(f"bounds?m=50&draws=20&delta=0.2&machine={machine}&world=gaussian")
    frame = frame_of(run, 20)
    risks = np.array([one.risk for one in run.samples])
    for one in frame["strip"]:
        if not one["key"].startswith("violated_"):
            continue
        key = one["key"].removeprefix("violated_")
        have = [(r, b[key]) for r, b in zip(risks, run.found, strict=True) if key in b]
        assert (one["value"], one["of"]) == (sum(r > b for r, b in have), len(have))
    other = run_of(f"bounds?m=50&draws=20&delta=0.01&machine={machine}&world=gaussian", before=run)
    assert other.samples is run.samples
    frame_of(other, 20)
    for small, large in zip(other.found, run.found, strict=True):
        assert all(small[key] >= large[key] for key in large)


def test_it_opens_at_the_first_draw_and_refuses_one_label_alone():
    run = run_of("bounds?m=20&draws=10")
    assert run.opens_at == 1
    assert values(frame_of(run))["draws"] == 1
    assert run_of("bounds?m=20&draws=10", before=run_of("perceptron")).samples == []
