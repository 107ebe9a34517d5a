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


def test_odds_ratios_are_exponentials_of_slopes_alone():
    found = table(statistic="z", odds=(True, True, False))
    np.testing.assert_allclose(found.odds_ratios[:2, 0], np.exp([1.0, -2.0]))
    np.testing.assert_allclose(found.odds_ratios[:2, 1:], np.exp(found.intervals[:2]))
    assert found["intercept"].odds_ratio is None
    assert "odds ratio" in repr(found)
    assert found.to_dict()["rows"][0]["odds_ratio"] == pytest.approx(np.e)
    assert "odds" not in str(table().to_dict())
    huge = CoefficientTable(("x",), [1e3], [1.0], "z", odds=(True,))
    assert huge["x"].odds_ratio is None  # No float64 holds it.


def test_data_frames_have_the_numbers_by_name():
    frame = table(degrees=7).to_frame()
    assert frame.index.tolist() == ["age", "<b>", "intercept"]
    columns = ["estimate", "standard_error", "statistic", "p_value", "low", "high"]
    assert frame.columns.tolist() == columns
    assert frame.loc["age", "statistic"] == 2
    grouped = table(groups=("up", "up", "down"), odds=(True, True, False), statistic="z").to_frame()
    assert grouped.index.names == ["group", "name"]
    assert grouped.loc[("up", "age"), "odds_ratio"] == pytest.approx(np.e)
    assert np.isnan(grouped.loc[("down", "intercept"), "odds_ratio"])


def test_latex_escapes_what_it_must():
    names = (r"a_b & 50% \x", "~^{}", "intercept")
    found = CoefficientTable(names, [1.0, -2.0, 0.5], None, title="R² #1", groups=("u", "u", "v"))
    text = found.to_latex()
    assert r"a\_b \& 50\% \textbackslash{}x & 1 &" in text
    assert r"\textasciitilde{}\textasciicircum{}\{\} & $-2$ &" in text
    assert r"\multicolumn{7}{l}{R\textsuperscript{2} \#1} \\" in text
    assert text.count(r"\textit{") == 2
    assert text.startswith(r"\begin{tabular}{lrrrrrr}")
    assert text.endswith("\\bottomrule\n\\end{tabular}\n")
    lines = CoefficientTable(("x",), [1.0], [1.0], degrees=5).to_latex().splitlines()
    assert len(lines) == 7
