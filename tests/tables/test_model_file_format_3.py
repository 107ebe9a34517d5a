"""Machines in model files of format 3 become what their fits leave now."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from certo.tables.model_file import load_model

GOLDEN = Path(__file__).parents[1] / "golden"
NAMES = [path.stem for path in sorted((GOLDEN / "format-4").glob("*.certo"))]


@pytest.mark.parametrize("name", NAMES)
def test_supports_become_those_of_format_4(name):
    old, new = (
        load_model(folder / f"{name}.certo").model.machine
        for folder in (GOLDEN, GOLDEN / "format-4")
    )
    assert set(vars(old)) == set(vars(new))
    for attribute in ("support_", "dual_coef_", "_in_output", "_updated", "_sums"):
        if attribute in vars(new):
            assert getattr(old, attribute).dtype == getattr(new, attribute).dtype
            np.testing.assert_allclose(getattr(old, attribute), getattr(new, attribute), rtol=1e-6)
    if hasattr(new, "support_"):
        assert new.n_support_.sum() == new.support_.size
        is_known = old._support_classes >= 0
        assert np.array_equal(old._support_classes[is_known], new._support_classes[is_known])
        assert np.all(is_known) or len(new.classes_) > 2


def test_counts_by_class_may_not_be_known():
    assert load_model(GOLDEN / "svm.certo").model.machine.n_support_.tolist() == [47, 46]
    machine = load_model(GOLDEN / "svm-3-classes.certo").model.machine
    with pytest.raises(AttributeError, match="Fit it again"):
        _ = machine.n_support_


def test_a_run_goes_on_from_format_3():
    old, new = (
        load_model(folder / "kernel-pegasos.certo").model.machine
        for folder in (GOLDEN, GOLDEN / "format-4")
    )
    X, y = np.arange(20.0).reshape(5, 4), new.classes_[[0, 1, 2, 1, 0]]
    for machine in (old, new):
        machine.partial_fit(X, y)
    np.testing.assert_allclose(old.decision_function(X), new.decision_function(X), rtol=1e-6)
