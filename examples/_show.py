"""How the examples tell what they found: right answers in folds, and a picture."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score

from certo import plots


def compare(machines: dict, y, folds: int, repeats: int = 1) -> dict[str, np.ndarray]:
    """The shares of right answers of each machine, given as name: (machine, its examples), in the
    same stratified folds; prints their means with the standard deviation over the folds."""
    cv = RepeatedStratifiedKFold(n_splits=folds, n_repeats=repeats, random_state=0)
    results: dict[str, np.ndarray] = {}
    width = max(map(len, machines))
    for name, (machine, X) in machines.items():
        scores: list[float] = []
        for split in cv.split(np.zeros(len(y)), y):
            tell(f"{name}: fold {len(scores) + 1} of {folds * repeats}")
            scores += cross_val_score(machine, X, y, cv=[split]).tolist()
        tell("")
        results[name] = np.array(scores)
        mean, spread = 100 * np.mean(scores), 100 * np.std(scores)
        print(f"{name:{width}}  {mean:5.1f} % ± {spread:4.1f} right", flush=True)
    return results


def tell(text: str) -> None:
    """A line of progress, which the next one overwrites."""
    print(f"\r{text:60}", end="" if text else "\r", file=sys.stderr, flush=True)


def picture(K, y, title: str, path: Path) -> None:
    """The Gram matrix ordered by class, and its kernel PCA."""
    figure = Figure(figsize=(11.5, 5.4), layout="constrained")
    heat, plane = figure.subplots(1, 2)
    plots.gram(K, y, ax=heat)
    plots.kernel_pca(K, y, ax=plane)
    figure.suptitle(title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    print(f"The picture is in {path}.")
