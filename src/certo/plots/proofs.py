"""How what is proved of an optimum closed in on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.runs.gradient_run import loss_named
from certo.certificates.runs.regret import Regret
from certo.numbers.decimals import rounded_up
from certo.numbers.exact import UNIT
from certo.plots import _canvas as canvas
from certo.plots._canvas import INK, MAX_NAMED_LINES, NEGATIVE, POSITIVE, SOFT


def gap(model, ax: Axes | None = None) -> Axes:
    """How far from the best an SVM's objective can be, (primal − dual)/primal, against time, for
    every output; and what is proved of it at the end."""
    ax = canvas.new_axes(ax)
    trace, outputs = model.trace_, model.outputs_
    lines = [
        (trace.seconds[mine], np.maximum(trace.gap[mine], UNIT))
        for mine in (trace.output == output for output in range(len(outputs)))
    ]
    canvas.draw_outputs(ax, lines, outputs, "relative gap, computed", lw=1.3)
    proved = {claim.labels: claim for claim in model.certificate_.of_kind(SoftMarginGap)}
    ends = [
        (seconds[-1], proved[labels].relative_gap)
        for (seconds, _), labels in zip(lines, outputs, strict=True)
        if labels in proved and len(seconds) and proved[labels].relative_gap > 0
    ]
    if ends:
        worst = rounded_up(max(value for _, value in ends), 2)
        look: dict[str, Any] = {"facecolors": "none", "edgecolors": INK, "lw": 1.1, "zorder": 3}
        canvas.scatter(ax, np.array(ends), f"proved at the end: at most {worst}", s=60, **look)
    if model.tol > 0:
        ax.axhline(model.tol, color=NEGATIVE, lw=0.9, ls="--", label=f"tol = {model.tol:g}")
    ax.set(title="Duality gap against time", xlabel="seconds")
    starts, stops = zip(*((x[0], x[-1]) for x, _ in lines if len(x)), strict=True)
    first, last = min(starts), max(stops)
    # What precedes the first gap, such as loading compiled loops, may take most of the time.
    ax.set_xlim(left=0 if first < last / 2 else first - 0.04 * (last - first))
    canvas.logarithmic(ax, "relative gap")
    ax.xaxis.set_major_locator(MaxNLocator(nbins=6))
    canvas.legend(ax)
    return ax


def bounds(model, ax: Axes | None = None) -> Axes:
    """The fewest errors of any hyperplane against time: the best found so far, from above, and
    what was proved to be necessary, from below."""
    ax = canvas.new_axes(ax)
    trace = model.trace_
    seconds, upper, lower = (
        np.asarray(getattr(trace, name), dtype=np.float64) for name in ("seconds", "upper", "lower")
    )
    ax.set(title="The fewest errors, from above and from below", ylabel="errors")
    look: dict[str, Any] = {"where": "post", "lw": 1.5}
    known = np.isfinite(upper)
    ax.step(seconds[known], upper[known], color=POSITIVE, label="best found", **look)
    ax.step(seconds, lower, color=NEGATIVE, label="proved necessary", **look)
    ax.fill_between(
        seconds[known], lower[known], upper[known], step="post", color=SOFT, alpha=0.18, lw=0
    )
    end = f"{model.errors_:,.6g}"
    if not model.optimal_:
        end = f"between {model.lower_bound_:,.6g} and {end}"
    ax.plot(seconds[-1:], upper[-1:], "o", ms=5, color=INK, label=f"at the end: {end}")
    # The bounds at the start are so wide that the rest would be flat beside them.
    top = min(float(np.max(upper[known], initial=0.0)), 2.5 * upper[-1] + 5)
    ax.set_ylim(-0.02 * top - 0.02, 1.08 * top + 0.2)
    later = seconds[seconds > 0]
    if later.size and seconds[-1] > 100 * later[0]:  # Most happens early.
        ax.set_xscale("log")
        ax.set_xlim(later[0], 1.1 * seconds[-1])
    ax.set_xlabel("seconds" + (" (logarithmic)" if ax.get_xscale() == "log" else ""))
    canvas.whole_numbers(ax.yaxis)
    canvas.legend(ax)
    return ax


def pegasos_excess(model, X, y, ax: Axes | None = None) -> Axes:
    """How much F, of the average of the iterates of Pegasos, exceeded its minimum after 1, 2, 4, …
    steps, for every output; and what the theorem allows in expectation.

    X and y are the examples of the fit: the minimum is found, and proved, by an SVM."""
    ax = canvas.new_axes(ax)
    found, outputs = model.excess(X, y), len(model.outputs_)
    lines = [
        (found.step[mine], found.excess[mine])
        for mine in ((found.output == k) & (found.excess > 0) for k in range(outputs))
    ]
    canvas.draw_outputs(ax, lines, model.outputs_, "measured", lw=1.3)
    if outputs > MAX_NAMED_LINES:
        ax.plot([], [], color=SOFT, label=f"each of {outputs} outputs")
    first = (found.output == 0) & np.isfinite(found.bound)  # The same for all.
    if np.any(first):
        text = "at most, in expectation: 2X²(1 + ln T)/(λT)"
        steps, bound = found.step[first], found.bound[first]
        ax.plot(steps, bound, color=POSITIVE, lw=1.1, ls="--", label=text)
        low = found.excess[found.excess > 0].min(initial=bound.min())
        ax.fill_between(steps, 0.5 * low, bound, color=SOFT, alpha=0.15, lw=0)
    what = "average" if model.average else "last iterate"
    ax.set(title=f"Excess of the {what} over the minimum", xlabel="steps T (logarithmic)")
    ax.set_xscale("log")
    canvas.logarithmic(ax, "F(w) − min F")
    canvas.legend(ax)
    return ax


def regret(
    model, X, y, coef=None, intercept: float = 0.0, output: int = 0, ax: Axes | None = None
) -> Axes:
    """The regret of online gradient descent after 1, 2, 4, … rounds, the loss suffered less that of
    fixed weights, and what the theorem allows against all fixed weights.

    X and y are the examples of the fit, in its order. `coef` and `intercept` are fixed weights of
    one output; without them, the best there are for all rounds, where `model.regret` finds them."""
    ax = canvas.new_axes(ax)
    trace, labels = model.trace_, model.outputs_[output]
    if coef is None:
        claims = model.regret(X, y).of_kind(Regret)
        claim = next(claim for claim in claims if claim.labels == labels)
        coef, intercept = claim.comparator, claim.comparator_intercept
        fixed = "the best fixed weights"
    else:
        fixed = "these fixed weights"
    coef, run = np.ravel(coef), model.run()
    b = float(np.ravel(intercept)[0])
    losses = loss_named(run.loss).of(labels.signs(y), canvas.matrix(X) @ coef + b)
    penalty = run.lam / 2 * float(coef @ coef + b**2)
    mine = trace.output == output
    steps = trace.step[mine]
    compared = (np.cumsum(losses) + penalty * np.arange(1, len(losses) + 1))[steps - 1]
    suffered = trace.suffered[mine]
    ax.plot(steps, suffered - compared, "o-", ms=3, color=INK, lw=1.4, label=f"against {fixed}")
    text = "at most, against all fixed weights"
    ax.plot(steps, trace.bound[mine], color=POSITIVE, lw=1.1, ls="--", label=text)
    ax.axhline(0, color=SOFT, lw=0.8)
    name = canvas.side_name(labels)
    ax.set(title=f"Regret: {name}", xlabel="rounds (logarithmic)", ylabel="regret", xscale="log")
    canvas.legend(ax)
    return ax


def convergence(model, ax: Axes | None = None) -> Axes:
    """How far the objective of a LogisticRegression (or LogLinearDensity) was above what is proved
    to be its infimum (or above the least that was reached), after each of Newton's steps; hollow
    where a step was shortened."""
    ax = canvas.new_axes(ax)
    trace, infimum = model.trace_, getattr(model, "infimum_", -np.inf)
    steps, objective = np.arange(len(trace.objective)), np.asarray(trace.objective)
    title, what = "Newton's steps to the minimum", "above the infimum"
    if getattr(model, "estimate_exists_", True) is False:
        title = "Newton's steps to an infimum that no weights have"
    if not np.isfinite(infimum):
        infimum, what = np.min(objective), "above the least reached"
    above = objective - infimum
    seen = above > 0
    ax.plot(steps[seen], above[seen], color=INK, lw=1.2, label=what)
    whole = np.asarray(trace.step) >= 1
    whole[:1] = True  # The start.
    for some, face, text in ((whole, INK, None), (~whole, "white", "after a shortened step")):
        if np.any(some & seen):
            points = np.column_stack([steps, above])[some & seen]
            canvas.scatter(ax, points, text, s=22, c=face, edgecolors=INK, lw=1.1, zorder=3)
    gap, tol = getattr(model, "gap_", np.inf), getattr(model, "tol", None)
    if 0 < gap < np.inf:
        text = f"proved at the end: at most {rounded_up(gap, 2)}"
        ax.axhline(gap, color=POSITIVE, lw=0.9, ls="--", label=text)
    if tol is not None:
        ax.axhline(tol, color=NEGATIVE, lw=0.9, ls="--", label=f"tol = {tol:g}")
    ax.set(title=title, xlabel="steps")
    canvas.logarithmic(ax, what)
    canvas.whole_numbers(ax.xaxis)
    canvas.legend(ax)
    return ax
