"""The picture of machines beside each other."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from matplotlib.text import Annotation

from certo.data.columns import read_table
from certo.plots.comparison import AXES_SIZE, _box, _labels, _meet, machines
from certo.tables.compare import compare_machines
from certo.tables.held_out import HeldOut

IRIS = read_table(Path(__file__).parents[2] / "examples" / "iris.csv")[0]


@pytest.mark.slow
@pytest.mark.parametrize("held_out", [HeldOut(0.2), None])
def test_each_machine_has_a_point_in_its_interval(held_out):
    found = compare_machines(IRIS, "species", "classes", held_out=held_out, folds=2)
    ax = machines(found)
    points = [line for line in ax.lines if line.get_marker() != "None"]
    spans = [line for line in ax.lines if line.get_marker() == "None"]
    assert len(points) == len(spans) == 10
    for point, span, one in zip(points, spans, found.results, strict=False):
        low, high = span.get_ydata()
        (y,), (x,) = point.get_ydata(), point.get_xdata()
        assert low <= y <= high
        assert x == max(one.seconds, 1e-3)
        if held_out is None:
            assert y == pytest.approx(100 * one.cv_error)
        else:
            assert y == pytest.approx(100 * one.errors / 30)
            assert (low, high) == tuple(100 * end for end in one.interval)
    numbers = sorted(
        int(n)
        for text in ax.texts
        if isinstance(text, Annotation)
        for n in text.get_text().split(", ")
    )
    assert numbers == list(range(1, 11))
    assert "new data" in ax.get_title() if held_out else "Cross-validated" in ax.get_title()


def test_numbers_are_drawn_in_their_own_units():
    found = compare_machines(IRIS, "petal_width", "numbers", held_out=HeldOut(0.2), folds=2)
    ax = machines(found)
    assert ax.get_ylabel() == "root mean square error"
    assert ax.get_xscale() == "log"


def test_a_label_covers_neither_points_nor_labels():
    points = {1: (0.0, 10.0), 2: (0.03, 10.0), 3: (0.03, 10.4), 4: (1.0, 5.0), 5: (1.001, 5.0)}
    found = list(_labels(points, 20.0))
    assert [text for text, _, _ in found] == ["1", "2, 3", "4, 5"]
    scale = np.array([AXES_SIZE[0] / 1.001, AXES_SIZE[1] / 20.0])
    boxes = [_box(text, scale * at, place) for text, at, place in found]
    assert not any(_meet(one, other) for one, other in combinations(boxes, 2))
    spots = [(*(scale * at), *(scale * at)) for at in points.values()]
    assert not any(_meet(box, spot) for box in boxes for spot in spots)
