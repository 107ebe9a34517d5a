"""What is proved of the error rate: everything on one scale, from 0 to 1."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from certo.certificates.certified import Certified
from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.risk_bound import RiskBound
from certo.numbers.decimals import rounded_down, rounded_up
from certo.numbers.digits import confidence
from certo.numbers.exact import above, below
from certo.plots._canvas import INK, NEGATIVE, POSITIVE, SOFT, new_axes, short
from certo.words.labels import name_of
from certo.words.reader import example

MAX_BOUNDS_DRAWN = 6  # Claims about new examples.
IMPLIED_COLOR = "#b9cbf7"  # The colour of a formula that a sharper one implies.
ASIDE_COLOR = "#6b7280"
LINE_INCHES = 0.25


class Bar(NamedTuple):
    """Up to a bound, with a text beside it."""

    upper: float
    text: str
    color: str


class Range(NamedTuple):
    """What was counted, and how far from it the truth may be."""

    at: float
    lower: float
    upper: float
    color: str


class Heading(NamedTuple):
    """Of what is drawn below it, and how sure that is."""

    text: str
    aside: str = ""


Line = Heading | Bar | Range


def risk_bounds(
    certified: Certified, ax: Axes | None = None, *, commonest: float | None = None
) -> Axes:
    """The error rate, from 0 to 1. What was counted on the examples of the fit is a point, a bound
    for new examples a bar that ends there, and what test examples show an interval. A bound that is
    weaker than always answering the majority class is grey. A vacuous bound allows everything: its
    bar is hatched, over the whole width.

    commonest : the share of the majority class. A line shows the error rate of always answering it.
    """
    ax = new_axes(ax, risk_size(certified))
    lines = risk_lines(certified) or [Heading("Nothing is proved of the error rate.")]
    ax.set(title="Error rate", xlim=(0, 1), ylim=(len(lines) + 0.4, -0.6), yticks=[])
    for place, line in enumerate(lines):
        if isinstance(line, Heading):
            _say(ax, 0, place + 0.15, line.text, fontsize=9, weight="bold")
            _say(ax, 1, place + 0.15, line.aside, color=ASIDE_COLOR, ha="right")
        elif isinstance(line, Range):
            _draw_range(ax, place, line)
        else:
            _draw_bar(ax, place, line)
    if commonest is not None:
        wrong = 1 - commonest
        below = [k for k, line in enumerate(lines) if not isinstance(line, Heading)]
        for place in (*below, len(lines)):  # Not through the headings.
            ends = [place - 0.45, place + 0.45]
            ax.plot([wrong, wrong], ends, color=INK, lw=0.9, ls=(0, (4, 3)), zorder=1)
        _beside(ax, len(lines), wrong, f"always answering the majority class: {100 * wrong:.3g} %")
    ax.xaxis.set_major_formatter(PercentFormatter(1, symbol=" %"))
    ax.tick_params(axis="x", labelsize=8, length=0)
    ax.spines[["left", "right", "top"]].set_visible(False)
    ax.grid(axis="x", color=SOFT, alpha=0.25, lw=0.8)
    ax.set_axisbelow(True)
    return ax


def risk_size(certified: Certified) -> tuple[float, float]:
    """Width and height of a figure with room for all lines."""
    return 7.2, 1.0 + LINE_INCHES * (1 + len(risk_lines(certified)))


def risk_lines(certified: Certified) -> list[Line]:
    """What there is to draw."""
    return list(_lines(certified))


def _lines(certified: Certified) -> Iterator[Line]:
    unweighted = [claim for claim in certified.of_kind(ErrorCount) if not claim.sample_weight.size]
    for counted in certified.of_kind(TrainingErrors) or unweighted:
        rate = counted.errors / counted.examples
        yield Heading(f"Training {example()}s, {_wrong(counted)}: {100 * rate:.3g} %")
        yield Range(rate, rate, rate, INK)
    risks = sorted(certified.risks, key=lambda claim: not claim.of_predictions)
    if risks and risks[0].of_predictions:
        # Claims about single outputs are of little interest beside those about predictions.
        risks = [claim for claim in risks if not _of_one_output(claim)]
    sure = f"with probability at least {confidence(certified.delta)} %"
    alone = f"alone {sure}" if len(certified.risks) > 1 else sure
    for claim in risks[:MAX_BOUNDS_DRAWN]:
        if isinstance(claim, TestErrors):
            yield Heading(_of_test(claim), alone)
            color = POSITIVE if claim.informative else SOFT
            yield Range(claim.errors / claim.examples, *claim.interval, color)
        else:
            yield Heading(_heading(claim), alone)
            yield from _formulas(claim)
    if len(risks) > MAX_BOUNDS_DRAWN:
        yield Heading(f"… and {len(risks) - MAX_BOUNDS_DRAWN} more")
    chosen = certified.best
    if chosen is not None and chosen.among > 1:
        yield Heading(
            f"New {example()}s, by the smallest of {chosen.among}, corrected for the choice", sure
        )
        yield Bar(chosen.claim.best, f"at most {_percent(chosen.claim.best)}", INK)


def _of_test(claim: TestErrors) -> str:
    low, high = claim.interval
    between = f"{rounded_down(below(100 * Fraction(low)), 3)} to {_percent(high)}"
    return f"Test {example()}s, {_wrong(claim)}; error rate {between}"


def _heading(claim: RiskBound) -> str:
    if claim.of_predictions:
        return f"New {example()}s, by {claim.name}"
    if _of_one_output(claim):
        return f"New {example()}s, {short(name_of(claim.labels), 24)} alone, by {claim.name}"
    return f"Not the predictions themselves, by {claim.name}"


def _of_one_output(claim: RiskBound) -> bool:
    return isinstance(claim, CompressionBound) and not claim.of_predictions


def _formulas(claim: RiskBound) -> Iterator[Line]:
    """The sharpest first; with its name where there are several."""
    colors = (
        (NEGATIVE, IMPLIED_COLOR) if claim.of_predictions and claim.informative else (SOFT, SOFT)
    )
    for k, (name, value) in enumerate(reversed(claim.bounds.items())):
        formula = f"{name}: " if len(claim.bounds) > 1 else ""
        most = "vacuous" if value >= 1 else f"at most {_percent(value)}"
        yield Bar(value, formula + most, colors[k > 0])


def _wrong(counted: TrainingErrors | ErrorCount | TestErrors) -> str:
    return f"{counted.errors:,.0f} of {counted.examples:,} wrong"


def _percent(share: float) -> str:
    """Not below the share."""
    return f"{rounded_up(above(100 * Fraction(share)), 3)} %"


def _draw_range(ax: Axes, place: int, line: Range) -> None:
    ax.axhline(place, color=SOFT, alpha=0.4, lw=0.8, zorder=1)
    look: dict[str, Any] = {"color": line.color, "clip_on": False, "zorder": 3}
    if line.lower < line.upper:
        ends = [line.lower, line.upper]
        ax.plot(ends, [place, place], lw=2.2, marker="|", ms=10, mew=2.2, **look)
    ax.plot([line.at], [place], "o", ms=7, **look)


def _draw_bar(ax: Axes, place: int, line: Bar) -> None:
    if line.upper >= 1:
        ax.barh(place, 1, 0.62, facecolor="white", edgecolor=SOFT, hatch="////", lw=0.8)
        _say(ax, 0.985, place, line.text, ha="right")
        return
    ax.barh(place, line.upper, 0.62, color=line.color, zorder=2)
    ends = [place - 0.42, place + 0.42]
    ax.plot([line.upper] * 2, ends, color=INK, lw=1.8, clip_on=False, zorder=3)
    _beside(ax, place, line.upper, line.text, line.color)


def _beside(ax: Axes, place: int, end: float, text: str, bar: str = "white") -> None:
    """Behind what ends there; before it, on the bar, where that leaves no room."""
    if end < 0.5:
        _say(ax, end + 0.012, place, text)
    else:
        color = "white" if bar in (NEGATIVE, INK) else INK
        _say(ax, end - 0.012, place, text, ground=bar, ha="right", color=color)


def _say(ax: Axes, x: float, y: float, text: str, ground: str = "white", **look: Any) -> None:
    """A text that no line crosses."""
    box: dict[str, Any] = {"facecolor": ground, "edgecolor": "none", "pad": 0.8}
    styled: dict[str, Any] = {"fontsize": 8, "color": INK} | look
    ax.text(x, y, text, bbox=box, va="center", zorder=4, **styled)
