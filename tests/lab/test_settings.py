"""Settings: what the page offers is what is accepted, and nothing else."""

from __future__ import annotations

import json

import pytest

from certo.data.problem import Problem
from certo.lab.settings import Choice, Flag, Number, decades, read_settings, wholes

SETTINGS = (Choice("a", "x", ("x", "y")), Flag("b", True), decades("c", 1.0, -1, 1),
            wholes("d", 2, range(1, 5)))  # fmt: skip


def test_defaults_and_values_from_json_and_from_links():
    assert read_settings(SETTINGS, {}) == {"a": "x", "b": True, "c": 1.0, "d": 2}
    said = {"a": "y", "b": "0", "c": "0.37", "d": "4"}
    assert read_settings(SETTINGS, said) == {"a": "y", "b": False, "c": 0.37, "d": 4}
    assert type(read_settings(SETTINGS, said)["d"]) is int


@pytest.mark.parametrize(
    ("name", "value"),
    [("a", "z"), ("a", 1), ("b", "maybe"), ("b", None), ("c", "nan"), ("c", "1e400"), ("c", 11),
     ("c", True), ("c", []), ("d", 1.5), ("d", "2.5"), ("d", 10**400), ("e", 1), ("d", None)],
)  # fmt: skip
def test_anything_else_is_refused_in_words(name, value):
    with pytest.raises(Problem, match=f"{name} must be|no setting"):
        read_settings(SETTINGS, {name: value})


def test_what_the_page_is_told():
    told = json.loads(json.dumps([setting.describe() for setting in SETTINGS], allow_nan=False))
    assert [one["kind"] for one in told] == ["choice", "flag", "number", "number"]
    slider = told[2]
    assert len(slider["values"]) == len(slider["texts"]) == 21
    assert slider["values"] == sorted(slider["values"])
    ratios = [b / a for a, b in zip(slider["values"], slider["values"][1:], strict=False)]
    assert max(ratios) / min(ratios) < 1.1
    assert all(SETTINGS[2].read(value) == value for value in slider["values"])
    assert Number("r", 0.0, (0.0, 1.0)).read(0) == 0
