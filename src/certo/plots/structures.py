"""Points that are not vectors, seen by what a kernel says of each two of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo.facts import InputError
from certo.kernels.semidefinite import as_symmetric
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES, SOFT
from certo.words import drawings as sentences

SMALLEST_POSITIVE = np.finfo(float).tiny
COLOUR_QUANTILES = (0.01, 0.99)  # Colours change between these quantiles of the values.
NAME_SIZE = (0.13, 0.045)  # Width and height of a name, relative to the picture.
MIN_NAME_DISTANCE = 0.04  # Relative to the height; names nearer to each other are left out.


def gram(K, y=None, ax: Axes | None = None) -> Axes:
    """A Gram matrix in colours, its examples ordered by their classes y.

    Colours tell apart the values of *different* examples, but for the hundredth that is smallest
    and the hundredth that is largest: the diagonal, often far larger, has the colour of these."""
    ax = canvas.new_axes(ax)
    K, y, note = _drawn(K, y)
    order = np.argsort(y, kind="stable")
    others = K[~np.eye(len(K), dtype=bool)]
    low, high = np.quantile(others if others.size else K, COLOUR_QUANTILES)
    colours = {"vmin": low, "vmax": high if high > low else low + 1.0, "cmap": "magma"}
    seen = ax.imshow(K[np.ix_(order, order)], interpolation="nearest", **colours)
    shown = ax.figure.colorbar(seen, ax=ax, extend="both", shrink=0.85)
    canvas.few_numbers(shown.ax.yaxis)
    classes, sizes = np.unique(y, return_counts=True)
    ends = np.cumsum(sizes)
    for end in ends[:-1] - 0.5:
        ax.axhline(end, color="#22d3ee", lw=0.9)
        ax.axvline(end, color="#22d3ee", lw=0.9)
    ax.set(title="Gram matrix", xticks=[], yticks=[], xlabel="examples" + note)
    if len(classes) > 1:
        named = _apart(ends - sizes / 2, MIN_NAME_DISTANCE * len(K))
        names = [canvas.short(str(classes[k]), 16) for k in named]
        ax.set_yticks((ends - sizes / 2 - 0.5)[named], names, fontsize="small")
        ax.tick_params(length=0)
    return ax


def kernel_pca(K, y=None, ax: Axes | None = None) -> Axes:
    """Examples in the plane of the kernel's space along which their images vary most.

    With the means of rows and columns taken from K, its two largest eigenvalues λ and eigenvectors
    u give the coordinates √λ·u; the axes say how much of the variance that is."""
    ax = canvas.new_axes(ax)
    K, y, note = _drawn(K, y)
    n = len(K)
    means = K.mean(axis=0)
    centred = K - means - means[:, None] + means.mean()
    values, vectors = (part[..., -2:] for part in np.linalg.eigh(centred))
    sizes = np.maximum(values[::-1], 0)  # The larger one first.
    points, shares = np.zeros((n, 2)), np.zeros(2)
    points[:, : sizes.size] = vectors[:, ::-1] * np.sqrt(sizes)
    shares[: sizes.size] = sizes / max(np.trace(centred), np.sum(sizes), SMALLEST_POSITIVE)
    classes = np.unique(y)
    look: dict[str, Any] = {"s": 14, "alpha": 0.7, "lw": 0}
    if len(classes) == 1:
        canvas.scatter(ax, points, None, c=SOFT, **look)
    few = len(classes) <= MAX_NAMED_LINES
    middles = np.array([np.median(points[y == label], axis=0) for label in classes])
    middles = _apart_in_plane(middles, np.ptp(points, axis=0) * NAME_SIZE)
    looks = canvas.class_looks(classes) if len(classes) > 1 else []
    for (label, color, marker), middle in zip(looks, middles, strict=False):
        name = canvas.short(str(label), 32 if few else 16)
        canvas.scatter(
            ax, points[y == label], name if few else None, c=[color], marker=marker, **look
        )
        if not few:  # A name in the midst of its examples.
            box = {"boxstyle": "round,pad=0.15", "fc": "white", "ec": color, "alpha": 0.8}
            place: dict[str, Any] = {"ha": "center", "va": "center"}
            ax.annotate(name, middle, fontsize=8, color=INK, bbox=box, **place)
    first, second = (
        f"{name} direction ({share:.0%} of the variance)"
        for name, share in zip(("first", "second"), shares, strict=True)
    )
    ax.set(title="Kernel PCA", xlabel=first + note, ylabel=second)
    canvas.few_numbers(ax.xaxis)
    canvas.few_numbers(ax.yaxis)
    if 1 < len(classes) <= MAX_NAMED_LINES:
        canvas.legend(ax)
    return ax


def _drawn(K, y) -> tuple[np.ndarray, np.ndarray, str]:
    """So much of K as is drawn, the classes of these examples, and a note if it is not all."""
    K = as_symmetric(K)
    y = np.zeros(len(K), dtype=int) if y is None else np.asarray(y)
    if len(K) == 0:
        raise ValueError("there is nothing to draw: the kernel matrix has no rows.")
    if y.shape != (len(K),):
        raise InputError(sentences.other_labels, len(K), y.shape)
    rows = canvas.some_of(len(K))
    note = f"; {len(rows):,} of {len(K):,} drawn" if len(rows) < len(K) else ""
    return K[np.ix_(rows, rows)], y[rows], note


def _apart(places: np.ndarray, least: float) -> list[int]:
    """Which of ascending places are at least so far from the last one that was taken."""
    taken: list[int] = []
    for k, place in enumerate(places.tolist()):
        if not taken or place - places[taken[-1]] >= least:
            taken.append(k)
    return taken


def _apart_in_plane(places: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Places moved up, as far as is needed for boxes of this size around them not to overlap."""
    moved = places.copy()
    done: list[int] = []
    for k in np.argsort(places[:, 1]).tolist():
        for other in done:  # Places come from below to above.
            if np.all(np.abs(moved[k] - moved[other]) < size):
                moved[k, 1] = moved[other, 1] + size[1]
        done = sorted([*done, k], key=lambda i: moved[i, 1])
    return moved
