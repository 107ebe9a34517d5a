"""A conic, and the hyperplane that it is after the quadratic map."""

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.pipeline import make_pipeline

from certo import SVM, plots
from certo.features import Conic
from certo.kernels import Gaussian, Polynomial
from certo.worlds import Ring
from tests.plots.scenes import drawn

X, y = Ring().draw(80, rng=0)


@pytest.mark.slow
@pytest.mark.parametrize(
    "model", [SVM(Polynomial(2), C=10), make_pipeline(Conic(), SVM(C=10))], ids=["kernel", "map"]
)
def test_a_disc_is_an_ellipse_and_the_lifted_examples_keep_their_sides(model):
    model.fit(X, y)
    ax = drawn(plots.lifted_conic(model, X, y))
    assert ax.get_title() == "In the plane: ellipse"
    lifted = ax.figure.axes[1]
    line = lifted.lines[0].get_xdata()[0]
    says = model.predict(X)
    for part, label in zip(lifted.collections, model.classes_, strict=True):
        right = part.get_offsets()[:, 0] > line
        assert right.tolist() == (says[y == label] == 1).tolist()


def test_other_scores_and_places_are_refused():
    with pytest.raises(ValueError, match="not quadratic"):
        plots.lifted_conic(SVM(Gaussian(1.0)).fit(X, y), X, y)
    model = SVM(Polynomial(2)).fit(X, y)
    with pytest.raises(ValueError, match="made by subplots"):
        plots.lifted_conic(model, X, y, ax=Figure().add_axes((0, 0, 1, 1)))
    assert np.isfinite(model.decision_function(X)).all()
