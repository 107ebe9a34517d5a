"""The table of coefficients that regressions share."""

import json

import numpy as np
import pytest
from scipy import stats

from certo.estimators._coefficients import CoefficientTable, quantile


def table(**settings):
    return CoefficientTable(
        ("age", "<b>", "intercept"), [1.0, -2.0, 0.5], [0.5, 1.0, 2.0], **settings
    )


def test_tests_and_intervals_are_those_of_the_distribution():
    for settings, law in (
        ({"degrees": 7}, stats.t(7)),
        ({"statistic": "z"}, stats.norm()),
    ):
        for level in (0.5, 0.95, 0.999):
            found = table(level=level, **settings)
            np.testing.assert_allclose(found.statistics, [2, -2, 0.25])
            np.testing.assert_allclose(found.p_values, 2 * law.sf([2, 2, 0.25]))
            reach = law.ppf((1 + level) / 2) * np.array([0.5, 1, 2])
            np.testing.assert_allclose(found.intervals[:, 1] - found.estimates, reach)
            np.testing.assert_allclose(found.estimates - found.intervals[:, 0], reach)


def test_a_tail_far_out_does_not_vanish():
    found = CoefficientTable(("x",), [30.0], [1.0], "z")
    assert found.p_values[0] == pytest.approx(2 * stats.norm.sf(30), rel=1e-9)


def test_inestimable_coefficients_have_no_errors():
    found = CoefficientTable(("a", "b"), [1.0, 2.0], [np.nan, 1.0], degrees=5)
    assert found["a"].standard_error is found["a"].p_value is found["a"].low is None
    assert found["b"].p_value == pytest.approx(2 * stats.t(5).sf(2))
    none = CoefficientTable(("a", "b"), [1.0, 2.0], None, notes=("No errors: a ridge.",))
    assert all(row.standard_error is None for row in none)
    assert "No errors: a ridge." in repr(none)
    assert CoefficientTable(("a",), [1.0], [1.0], degrees=0)["a"].p_value is None


def test_table_is_a_sequence_and_has_html_and_dict_forms():
    found = table(degrees=7, title="A fit", groups=("up", "up", "down"), notes=("Note.",))
    assert len(found) == 3
    assert [row.name for row in found] == ["age", "<b>", "intercept"]
    assert found[2] == found["intercept"]
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["rows"][0]["estimate"] == 1.0
    assert plain["level"] == 0.95
    lines = repr(found).splitlines()
    assert lines[0] == "A fit"
    assert "P>|t|" in lines[1]
    assert lines[2] == "[up]"
    assert lines[5] == "[down]"
    assert lines[-1] == "Note."
    assert "&lt;b&gt;" in found._repr_html_()
    assert "<b>" not in found._repr_html_()
    with pytest.raises(KeyError, match="no coefficient is called 'weight'"):
        found["weight"]


@pytest.mark.parametrize("level", [0, 1, -0.1, np.nan, "95%", True, None])
def test_levels_that_are_none(level):
    with pytest.raises(ValueError, match="level must be a number between 0 and 1"):
        table(level=level)


def test_sizes_must_agree():
    with pytest.raises(ValueError, match="as many estimates"):
        CoefficientTable(("a",), [1.0, 2.0], None)


def test_without_degrees_of_freedom_nothing_is_known():
    assert np.isnan(quantile(0.95, 0))
