"""Sentences about points, weights and functions of points: each is raised with its facts."""

from __future__ import annotations

import numpy as np
import pytest

from certo.facts import InputError
from certo.geometry import Hyperplane, Neuron, PlaneView
from certo.kernels import Linear
from certo.rkhs import Expansion
from certo.words import points as sentences
from certo.words.reader import reading
from certo.worlds import GaussianClasses
from certo.worlds.base import answers
from tests.test_facts import public_functions
from tests.words.raising import require_said

LINE = Hyperplane([1.0, 2.0], 0.5)
WORLD = GaussianClasses()
IN_SPACE = GaussianClasses(d=3)
OF_POINTS = Expansion(Linear(), np.ones((2, 2)), [1.0, 2.0])
OF_OTHERS = Expansion(Linear(), np.ones((1, 3)), [1.0])

CASES = {
    "other_points": (lambda: LINE.score(np.ones((4, 3))), {"features": 2, "shape": (4, 3)}),
    "no_product": (lambda: LINE.score([[1.0, 2.0], [np.nan, 0.0]]), {"row": 1}),
    "no_axis": (
        lambda: Hyperplane([[1.0, 2.0]], 0.5),
        {"what": "Hyperplane: v", "dtype": np.dtype(float), "shape": (1, 2)},
    ),
    "no_finite_entry": (
        lambda: Hyperplane([1.0, np.inf], 0.5),
        {"what": "Hyperplane: v", "entry": 1, "value": np.inf},
    ),
    "no_labels": (
        lambda: LINE.margin(np.ones((4, 2)), [1, -1, 1]),
        {"points": (4,), "labels": (3,)},
    ),
    "no_direction": (lambda: Hyperplane([0.0, 0.0, 0.0], 0.5), {"entries": 3}),
    "no_boundary_in_the_plane": (
        lambda: Neuron([1.0, 2.0, 3.0], 0.0).boundary(1.0),
        {"weights": 3},
    ),
    "no_view": (lambda: PlaneView(np.ones((3, 2)), LINE), {"axes": (3, 2), "boundary": LINE}),
    "other_coefficients": (
        lambda: Expansion(Linear(), np.ones((2, 2)), [1.0, 2.0, 3.0]),
        {"centres": 2, "shape": (3,)},
    ),
    "other_centres": (lambda: OF_POINTS + OF_OTHERS, {"first": 2, "second": 3}),
    "no_feature_count": (
        lambda: GaussianClasses(d=0),
        {"world": "GaussianClasses", "d": 0},
    ),
    "no_example_count": (lambda: WORLD.draw(-1), {"world": WORLD, "m": -1}),
    "not_of_the_world": (
        lambda: WORLD.eta(np.ones((4, 3))),
        {"world": WORLD, "features": 2, "shape": (4, 3)},
    ),
    "other_answers": (
        lambda: answers(lambda X: np.ones(7), np.ones((4, 2)), (), "labels"),
        {"what": "labels", "examples": 4, "shape": (7,)},
    ),
    "other_weights": (
        lambda: WORLD.hyperplane_risk([1.0]),
        {"world": WORLD, "features": 2, "shape": (1,)},
    ),
    "no_sign": (lambda: WORLD.risk(lambda X: np.full(len(X), 3)), {"world": WORLD, "value": 3}),
    "no_risk_in_the_plane": (
        lambda: IN_SPACE.risk(lambda X: np.ones(len(X))),
        {"world": IN_SPACE, "features": 3},
    ),
}


@pytest.mark.parametrize("name", public_functions(sentences))
def test_errors_carry_their_facts(name):
    wrong, facts = CASES[name]
    require_said(wrong, getattr(sentences, name), **facts)


def test_the_row_of_a_point_is_counted_as_its_reader_does():
    for ways, said in (({}, r"example 1 \(counting from 0\)"), ({"places": [10, 20]}, "row 20")):
        with reading(**ways), pytest.raises(InputError, match=f"for {said}: ") as caught:
            LINE.score([[1.0, 2.0], [np.nan, 0.0]])
        assert caught.value.rows == [1]
