"""Sentences about what cannot be drawn: each is raised with its facts."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from certo import SVM, LeastSquares, Perceptron, separability
from certo.geometry import Neuron
from certo.kernels import Polynomial
from certo.plots import neurons, structures
from certo.plots.curves import fitted_curve
from certo.plots.densities import density
from certo.plots.functions import regions
from certo.plots.hyperplanes import boundary
from certo.plots.ranking import roc
from certo.plots.successive_boundaries import boundaries, update
from certo.plots.worlds import world
from certo.words import drawings as sentences
from certo.worlds import GaussianClasses
from tests.test_facts import public_functions
from tests.words.raising import require_said

X = np.array([[0.0, 1], [2, 0], [1, 4], [3, 3]])
WIDE = np.eye(4, 3)
Y = np.array([-1, 1, -1, 1])
THREE = np.array([0, 1, 2, 2])
IN_SPACE = GaussianClasses(d=3)
LAYERS = [[Neuron([1.0, 2.0], 0.0)], [Neuron([1.0, 2.0, 3.0], 0.0)]]
PERCEPTRON = Perceptron().fit(X, Y)
KEPT = PERCEPTRON.trace_.weights_update.tolist()

CASES = {
    "many_features_of_a_curve": (
        lambda: fitted_curve(LeastSquares().fit(X, Y), X, Y),
        {"features": 2},
    ),
    "no_density_in_the_plane": (lambda: density(None, WIDE), {"shape": (4, 3)}),
    "no_regions_in_the_plane": (lambda: regions(None, WIDE, Y), {"shape": (4, 3)}),
    "no_world_in_the_plane": (lambda: world(IN_SPACE), {"world": IN_SPACE}),
    "no_hyperplane_of_a_kernel": (
        lambda: boundary(SVM(Polynomial(2)).fit(X, Y), X, Y),
        {"what": "boundary", "kernel": Polynomial(2)},
    ),
    "no_common_hyperplane": (
        lambda: boundary(separability(X, THREE).joint, X, THREE),
        {"what": "boundary"},
    ),
    "layers_do_not_fit": (
        lambda: neurons.network(LAYERS),
        {"layer": 2, "weights": 3, "inputs": 1},
    ),
    "not_two_classes": (
        lambda: roc(SVM().fit(X, THREE), X, THREE),
        {"what": "roc", "classes": 3},
    ),
    "one_class_only": (lambda: roc(SVM().fit(X, Y), X[1::2], Y[1::2]), {"what": "roc"}),
    "other_labels": (
        lambda: structures.gram(np.eye(4), Y[:3]),
        {"examples": 4, "shape": (3,)},
    ),
    "no_such_update": (
        lambda: update(PERCEPTRON, X, Y, 99),
        {"kept": KEPT, "number": 99},
    ),
    "no_boundaries_in_the_plane": (
        lambda: boundaries(Perceptron().fit(WIDE, Y), WIDE, Y),
        {"features": 3},
    ),
    "no_successive_boundaries": (
        lambda: boundaries(SVM().fit(X, Y), X, Y),
        {"who": "SVM"},
    ),
}


@pytest.mark.parametrize("name", public_functions(sentences))
def test_errors_carry_their_facts(name):
    wrong, facts = CASES[name]
    require_said(wrong, getattr(sentences, name), **facts)
    plt.close("all")


def test_a_long_list_of_updates_is_shortened():
    assert "has, 1, 2, 3, 4, 5, … 9, got 99." in sentences.no_such_update([*range(1, 10)], 99)
    assert "has, 1, 2, got 99." in sentences.no_such_update([1, 2], 99)
