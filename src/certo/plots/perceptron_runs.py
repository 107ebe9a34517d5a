"""Runs of the Perceptron, update by update and epoch by epoch."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from certo.certificates.runs.mistake_bound import MistakeBound
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES, NEGATIVE, POSITIVE, SOFT
from certo.plots.update_curves import update_curves

LOG_SCALE_RATIO = 20  # Curves further apart than this are drawn on a logarithmic scale.


def squared_norm(model, output: int = 0, ax: Axes | None = None) -> Axes:
    """‖w‖² after every update (with a kernel ‖f‖²), between the two curves of the theorem."""
    ax = canvas.new_axes(ax)
    kernel = getattr(model, "kernel_", None) is not None
    square = "‖f‖²" if kernel else "‖w‖²"
    trace = model.trace_.of_output(output)
    labels, found = model.outputs_[output], model.certificate_.of_kind(MistakeBound)
    claim = next((claim for claim in found if claim.labels == labels), None)
    name = canvas.side_name(labels)
    ax.set(xlabel="updates", ylabel=square, title=f"Squared norm between its bounds: {name}")
    if not len(trace):
        ax.text(0.5, 0.5, "no update was made", ha="center", transform=ax.transAxes)
        ax.set_axis_off()
        return ax
    curves = [trace.squared_norm]
    ax.plot(trace.update, trace.squared_norm, color=INK, lw=1.4, label=square)
    if claim is not None:
        n = np.unique(np.linspace(1, claim.updates, 200).astype(np.int64))
        lower, upper = update_curves(claim, n)
        most = "at most n max K(x, x)" if kernel else "at most ‖w₀‖² + X² Ση²"
        ax.plot(n, upper, color=POSITIVE, lw=1.1, ls="--", label=most)
        curves.append(upper)
        if claim.separable:
            formula = "at least (n γ)² / ‖u‖²" if kernel else "at least (w₀·u + γ Ση)² / ‖u‖²"
            ax.plot(n, lower, color=NEGATIVE, lw=1.1, ls="--", label=formula)
            curves.append(lower)
        ax.fill_between(n, lower if claim.separable else 0, upper, color=SOFT, alpha=0.15, lw=0)
    peaks = [float(np.max(curve)) for curve in curves]
    if min(peaks) > 0 and max(peaks) > LOG_SCALE_RATIO * min(peaks):
        canvas.logarithmic(ax, square)
        positive = np.concatenate([curve[curve > 0] for curve in curves])
        # A lower bound begins many orders below everything else, and is cut there.
        ax.set_ylim(0.7 * max(positive.min(), min(peaks) / 1e3), 1.6 * positive.max())
    else:
        ax.set_ylim(bottom=0)
        ax.yaxis.set_major_formatter(EngFormatter(sep=""))
    canvas.whole_numbers(ax.xaxis)
    canvas.legend(ax)
    return ax


def mistakes(model, ax: Axes | None = None) -> Axes:
    """Updates in every epoch, for every output."""
    ax = canvas.new_axes(ax)
    outputs = len(model.outputs_)
    lines = [model.trace_.of_output(output).epoch_updates for output in range(outputs)]
    by_epoch = [(np.arange(1, len(counts) + 1), counts) for counts in lines]
    canvas.draw_outputs(ax, by_epoch, model.outputs_, None, lw=1.2)
    if outputs > MAX_NAMED_LINES:
        longest = max(map(len, lines))
        padded = [np.pad(counts, (0, longest - len(counts))) for counts in lines]
        ax.plot(range(1, longest + 1), np.mean(padded, axis=0), color=INK, lw=1.8, label="mean")
        ax.plot([], [], color=SOFT, label=f"each of {outputs} neurons")
    ax.set(xlabel="epoch", ylabel="updates", title="Mistakes in each epoch")
    ax.set_ylim(0, 1.08 * max(1, *(int(np.max(counts, initial=0)) for counts in lines)))
    canvas.whole_numbers(ax.xaxis)
    canvas.whole_numbers(ax.yaxis)
    if outputs > 1:
        canvas.legend(ax)
    return ax
