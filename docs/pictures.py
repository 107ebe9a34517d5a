"""The pictures of these pages, made by `make pictures`."""

from __future__ import annotations

import warnings
from pathlib import Path

import matplotlib
from matplotlib.figure import Figure
from sklearn.exceptions import ConvergenceWarning

from certo import SVM, plots, validation_curve
from certo.data.tables import read_table
from certo.kernels import Gaussian, Polynomial
from certo.selection import gaussians
from certo.workflow import encode_table

HERE = Path(__file__).parent
DEGREES = (1, 2, 3, 4, 5, 6, 8, 10, 12, 14)


def main() -> None:
    table = read_table(HERE.parent / "examples" / "shores.csv").table
    shores = encode_table(table, "shore")
    X, y = shores.X, shores.y
    rich, good, simple = Figure(figsize=(12, 4.6), layout="constrained").subplots(1, 3)
    for ax, variance in ((rich, 0.003), (good, 0.5), (simple, 100.0)):
        model = SVM(Gaussian(variance), C=10).fit(X, y)
        plots.regions(model, X, y, ax=ax, names=shores.feature_names)
    rich.figure.savefig(HERE / "pictures" / "regions.png", dpi=110)  # many points: SVG is larger
    warnings.simplefilter("ignore", ConvergenceWarning)  # of high degrees: float64 ends before tol
    for name, kernels, C in (
        ("variances", gaussians(X), 10),
        ("degrees", [Polynomial(n) for n in DEGREES], 100),
    ):
        curve = validation_curve(X, y, kernels, SVM(C=C), random_state=0)
        figure = Figure(figsize=(6.4, 5.2), layout="constrained")
        plots.validation_curve(curve, ax=figure.add_subplot())
        save(figure, name)
        print(curve)


def save(figure, name: str) -> None:
    settings = {"svg.hashsalt": "certo", "svg.fonttype": "none", "font.family": "sans-serif"}
    with matplotlib.rc_context(settings):
        figure.savefig(HERE / "pictures" / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
