"""Kernels beside each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT, new_axes, short, whole_numbers
from certo.selection import ValidationCurve

TOO_SIMPLE_OR_RICH = {
    "variance": ("← over-fitting", "under-fitting →"),
    "degree": ("← under-fitting", "over-fitting →"),
}


def validation_curve(curve: ValidationCurve, ax: Axes | None = None) -> Axes:
    """Training and validation error of each kernel, the nearest neighbours beside them, and below
    the number of supports. Where both errors are high the kernel is too simple; where they part,
    too rich.

    The panel of supports takes its room from that of `ax`, a subplot."""
    ax = new_axes(ax, (5.6, 5.2))
    below = canvas.second_panel(ax, "validation_curve", 2, 1, height_ratios=[3, 1], hspace=0.08)
    known = curve.parameter
    name, at = known or ("number of the kernel", np.arange(1.0, len(curve.kernels) + 1))
    order = np.argsort(at, kind="stable")
    at, best = at[order], at[curve.best_index]
    train, valid, spread = (
        100 * part[order]
        for part in (curve.training_error, curve.validation_error, curve.standard_error)
    )
    look: dict[str, Any] = {"lw": 1.4 if known else 0, "ms": 4}
    ax.plot(at, valid, "o-", color=POSITIVE, label="validation error", **look)
    if np.any(spread):
        text = "± its standard error"
        edges = valid - spread, valid + spread
        ax.fill_between(at, *edges, color=POSITIVE, alpha=0.15, lw=0, label=text)
    ax.plot(at, train, "s-", color=NEGATIVE, label="training error", **look)
    if (near := curve.neighbours) is not None:
        ax.axhline(100 * near.validation_error, color=INK, lw=1.0, ls="--", label=near.name)
    text = f"least: {name} {best:g}" if known else f"least: {short(repr(curve.best), 40)}"
    for panel in (ax, below):
        panel.axvline(best, color=SOFT, lw=1.0, ls=":", label=text if panel is ax else None)
    below.plot(at, curve.supports[order], "o-", color=INK, **look)
    what = curve.machine
    if known is not None:
        what += f", {type(curve.kernels[0]).__name__}"
    ax.set(title=f"Choosing a kernel: {short(what, 40)}", ylabel="error (%)")
    ax.set_ylim(bottom=0)
    below.set_ylabel("supports")
    below.set_ylim(0, 1.15 * max(1.0, float(np.nanmax(curve.supports))))
    whole_numbers(below.yaxis)
    ax.tick_params(labelbottom=False)
    if known is None:
        below.set_xticks(at, [str(k + 1) for k in order.tolist()])
    elif np.all(at == np.rint(at)) and name != "variance":
        whole_numbers(below.xaxis)
    elif at[0] > 0:
        ax.set_xscale("log")
        name += " (logarithmic)"
    left, right = TOO_SIMPLE_OR_RICH.get(name.split()[0], ("", ""))
    below.set_xlabel("\u2003".join((left, name, right)).strip())  # A space that SVG keeps.
    canvas.legend(ax, below=below)
    return ax
