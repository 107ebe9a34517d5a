"""The page of benchmarks is what `python -m benchmarks docs` makes of the stored results."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest
from benchmarks import page
from benchmarks.__main__ import problems
from benchmarks.harness import machine_facts

ROOT = Path(__file__).parents[1]
MEASURED = {
    "command": "python -m benchmarks x",
    "quick": False,
    "date": "2026-01-02",
    "cores": 2,
    "versions": {"numpy": "1.2"},
}


def content(*rows, title="seconds", about="of both sides") -> dict:
    return {
        "measured": MEASURED,
        "tables": [{"title": title, "about": about, "rows": list(rows)}],
    }


def test_the_page_in_the_repository_is_made_of_the_results_in_it():
    assert (ROOT / "docs" / "benchmarks.md").read_text("utf-8") == page.markdown(page.results())


def test_every_problem_has_a_section():
    assert set(page.SECTIONS) == {*problems(), "gpu", "scale"}


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (3, page.Ratio(3.0)),
        ("> 12", page.Ratio(12.0, bound=True)),
        ("0.5", page.Ratio(0.5)),
        ("other run", None),
        ("–", None),
        ("", None),
    ],
)
def test_ratios_are_numbers_or_bounds(given, read):
    assert page.ratio(given) == read


def test_a_mean_with_a_bound_is_a_bound():
    rows = [{"data": "a", "X / certo": "> 8"}, {"data": "b", "X / certo": 2.0}]
    (found,) = page.summaries(content(*rows)["tables"])
    assert found.mean.bound
    assert math.isclose(found.mean.value, 4.0)
    assert (found.least, found.largest) == (2.0, 8.0)


def test_rows_without_a_ratio_and_other_targets_do_not_enter_a_mean():
    rows = [
        {"data": "a", "target": "1e-03", "ratio": 2.0},
        {"data": "a", "target": "1e-06", "ratio": 8.0},
        {"data": "b", "target": "1e-06", "ratio": "never"},
    ]
    found = page.summaries(content(*rows)["tables"])
    assert [(one.name, len(one.ratios), one.mean.value) for one in found] == [
        ("seconds, to 1e-03", 1, 2.0),
        ("seconds, to 1e-06", 1, pytest.approx(8.0)),
    ]


def test_a_long_table_is_shown_by_machine_with_its_least_case():
    rows = [
        {"data": f"table {k}", "machine": "SVM", "rival": "SVC", "ratio": 1.0 + k}
        for k in range(page.MAX_ROWS_SHOWN + 1)
    ]
    text = page.markdown({"everyday": content(*rows)})
    assert "| SVM | SVC | 41 |" in text
    assert "| 1 (table 0) |" in text
    assert "table 7" not in text


def test_each_section_says_command_machine_and_versions():
    text = page.markdown({"svm": content({"data": "a", "ratio": 2.0})})
    assert "`python -m benchmarks x`, 2026-01-02; 2 cores; numpy 1.2" in text
    assert "A short run" not in text
    quick = content({"data": "a", "ratio": 2.0})
    quick["measured"] = MEASURED | {"quick": True}
    assert "A short run" in page.markdown({"svm": quick})


def test_what_a_run_notes_of_the_machine():
    found = machine_facts()
    assert found["cores"] >= 1
    assert found["processor"]
    assert {"python", "numpy", "scipy", "scikit-learn"} <= set(found["versions"])


def test_figures_of_the_readme_are_those_of_the_page():
    """Each ratio of the table in README is one on the page, or a mean there, rounded."""
    readme = (ROOT / "README.md").read_text("utf-8")
    table = readme[readme.index("| what | beside | times as fast |") :].split("\n\n")[0]
    every = [one for result in page.results().values() for one in page.summaries(result["tables"])]
    ratios = [one.mean for one in every] + [ratio for one in every for ratio in one.ratios]
    values = {f"{ratio.value:.2g}" for ratio in ratios}
    for row in table.splitlines()[2:]:
        shown = re.search(r"\d+(\.\d+)?", row.rsplit("|", 2)[1])
        assert shown is not None, row
        assert f"{float(shown[0]):.2g}" in values, row
