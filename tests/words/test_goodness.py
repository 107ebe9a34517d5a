"""The line below a table of coefficients."""

from certo.words.goodness import goodness_lines, shown_p_value

SQUARES = {
    "adjusted_r2": 0.37413,
    "f_statistic": 12.7564,
    "f_degrees": [3, 1056],
    "f_p_value": 1.8e-6,
    "aic": 267.85654,
    "bic": 276.2339,
}


def test_one_line_has_what_is_known():
    assert goodness_lines(SQUARES) == (
        "Adjusted R² 0.3741, F(3, 1,056) = 12.76 (P>F <0.001), AIC 267.857, BIC 276.234",
    )
    assert goodness_lines(SQUARES | {"aic": None, "f_statistic": None}) == ("Adjusted R² 0.3741",)
    ratio = {"likelihood_ratio": 19.8, "likelihood_ratio_degrees": 3}
    ratio["likelihood_ratio_p_value"] = 0.25
    assert goodness_lines(ratio) == ("Likelihood ratio χ²(3) = 19.8 (P>χ² 0.250)",)
    assert goodness_lines({}) == ()


def test_each_output_has_its_line():
    lines = goodness_lines({"outputs": [{"adjusted_r2": 0.5}, {}, {"adjusted_r2": 0.25}]})
    assert lines == ("y0: Adjusted R² 0.5", "y2: Adjusted R² 0.25")


def test_p_values_have_three_decimals():
    assert [shown_p_value(p) for p in (None, 0.0004, 0.0005, 1.0)] == [
        "", "<0.001", "0.001", "1.000",
    ]  # fmt: skip
