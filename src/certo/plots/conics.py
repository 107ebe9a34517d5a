"""A conic of the plane, and the hyperplane that it is in the space of the quadratic map."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from certo.geometry import PlaneView, conic_coefficients, conic_map, conic_name
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, NEGATIVE, POSITIVE

GRID_POINTS = 201


def lifted_conic(model, X, y, ax: Axes | None = None) -> Axes:
    """On the left the examples with the conic that a machine learnt, on the right the same examples
    after φ(x) = (1, x1², x2², x1, x2, x1·x2), seen from the side of the hyperplane: there the conic
    is a flat boundary.

    `model` has two classes and a score that is quadratic in two features: an SVM with the kernel
    Polynomial(2), or a pipeline of Conic() and a linear machine. The second panel takes its room
    from that of `ax`, a subplot."""
    ax = canvas.new_axes(ax, (9.6, 4.6))
    lifted = canvas.second_panel(ax, "lifted_conic", 1, 2, wspace=0.1)
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    w = conic_coefficients(model.decision_function)
    if not np.allclose(conic_map(X) @ w, model.decision_function(X), rtol=1e-6, atol=1e-6):
        raise ValueError("lifted_conic: the score of the machine is not quadratic in two features.")
    across, up = np.linspace(*canvas.ends(X, 0.08), GRID_POINTS).T
    scores = (conic_map(canvas.grid_points(across, up)) @ w).reshape(GRID_POINTS, GRID_POINTS)
    ax.contourf(across, up, scores > 0, [-0.5, 0.5, 1.5], colors=[NEGATIVE, POSITIVE], alpha=0.13)
    if scores.min() < 0 < scores.max():
        ax.contour(across, up, scores, [0.0], colors=INK, linewidths=1.8)
    view = PlaneView.of(w[1:], w[0], conic_map(X)[:, 1:])
    seen = view.coordinates(conic_map(X)[:, 1:])
    for label, color, marker in canvas.class_looks(model.classes_):
        mine, name = y == label, canvas.short(str(label))
        look = {"s": 16, "c": color, "marker": marker, "alpha": 0.75, "lw": 0, "zorder": 3}
        canvas.scatter(ax, X[mine], name, **look)
        canvas.scatter(lifted, seen[mine], name, **look)
    lifted.axvline(view.boundary.c * view.boundary.v[0], color=INK, lw=1.8, label="boundary")
    ax.plot([], [], color=INK, lw=1.8, label=conic_name(w))
    ax.set(title=f"In the plane: {conic_name(w)}", xlabel="x1", ylabel="x2")
    lifted.set(title="Lifted by φ, seen from the side: a hyperplane", xlabel="along the weights")
    lifted.set(ylabel="main direction across them")
    for panel in (ax, lifted):
        canvas.legend(panel)
    return ax
