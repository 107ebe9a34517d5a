"""A comparison of machines: its facts, the sentences about it, and its page."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from matplotlib.figure import Figure

from certo import __version__
from certo.certificates.encoding import counted
from certo.numbers.decimals import rounded_up
from certo.numbers.digits import at_most_text, confidence, share_text
from certo.plots.comparison import machines
from certo.report.findings import about
from certo.report.page import _inline, _page
from certo.tables.candidates import MAJORITY
from certo.tables.compare import Comparison, Result
from certo.tables.examples import most_frequent

NONE = "–"  # In a cell of a table.
HEAD = ("machine", "CV error", "errors", "at most", "gap", "supports", "seconds")
HEAD_OF_NUMBERS = ("machine", "CV error", "abs. error", "at most", "gap", "seconds")
ERRORS = {"classes": "error", "numbers": "root mean square error"}
OUTSIDER = "of scikit-learn: nothing is proved of its fit"


def comparison_facts(comparison: Comparison) -> dict[str, Any]:
    """What there is to say about machines beside each other, as plain JSON values."""
    test, best, own = comparison.test, comparison.best, comparison.best_own
    is_class = comparison.learns == "classes"
    return {
        "certo": __version__,
        **about(comparison.examples),
        "task": comparison.learns,
        "folds": comparison.folds,
        "seed": comparison.seed,
        "delta": comparison.delta,
        "majority": most_frequent(comparison.examples.y)[0] if is_class else None,
        "compared": comparison.compared,
        "test": None
        if test is None
        else {
            "rows": comparison.counted,
            "copies": len(test.y) - comparison.counted,
            "majority": most_frequent(test.y[comparison.counts])[0] if is_class else None,
            "majority_error": comparison.majority_error,
            "usual_error": comparison.usual_error,
        },
        "cap": comparison.cap or None,
        "no_bound": comparison.no_bound,
        "machines": [_machine(comparison, one) for one in comparison.results],
        "best": None if best is None else best.candidate.name,
        "best_own": None if own is None else own.candidate.name,
        "time_limit": comparison.time_limit,
        "seconds": comparison.seconds,
        "interrupted": not comparison.complete,
    }


def _machine(comparison: Comparison, one: Result) -> dict[str, Any]:
    bound, usual = None, comparison.majority_error
    if one.interval is not None:
        lower, upper = one.interval
        bound = {
            "error_rate": upper,
            "lower": lower,
            "confidence": 1 - comparison.delta,
            "informative": usual is not None and upper < usual,
        }
    if one.mean is not None:
        assert comparison.usual_error is not None
        informative = one.mean < comparison.usual_error
        bound = {"mean": one.mean, "confidence": 1 - comparison.delta, "informative": informative}
    return {
        "name": one.candidate.name,
        "title": one.candidate.title,
        "kind": one.candidate.kind,
        "machine": one.candidate.command,
        "settings": list(one.candidate.settings),
        "fold_errors": list(one.fold_errors),
        "cv_error": one.cv_error,
        "standard_error": one.standard_error,
        "errors": one.errors,
        "absolute_error": one.absolute_error,
        "bound": bound,
        "relative_gap": one.gap,
        "supports": one.supports,
        "seconds": one.seconds,
        "out_of_time": one.out_of_time,
        "missing": one.missing,
        "reason": one.candidate.unsuitable or one.reason,
    }


def html_comparison(comparison: Comparison, said: dict[str, Any]) -> str:
    """One HTML file with everything in it: the verdict, the table and the picture."""
    ax = Figure(figsize=(6.4, 5.6), layout="constrained").add_subplot()
    drawn = [machines(comparison, ax)] if comparison.best or any_tried(said) else []
    return _page(
        "comparison.html",
        said,
        verdict=verdict(said),
        proved=proved(said),
        head=head(said),
        lines=[(one, cells(one, said), remark(one, said)) for one in said["machines"]],
        pictures=_inline(drawn),
    )


def any_tried(said: dict[str, Any]) -> bool:
    return any(one["seconds"] is not None for one in said["machines"])


def verdict(said: dict[str, Any]) -> list[str]:
    """The lowest error, and what is known of it on new data; the same of Certo's machines, if
    another is lower."""
    named = {one["name"]: one for one in said["machines"]}
    if said["best"] is None:
        return ["No machine was cross-validated, so there is nothing to compare."]
    best = named[said["best"]]
    lower = [
        one
        for one in said["machines"]
        if one["cv_error"] is not None and one["cv_error"] < best["cv_error"]
    ]
    which = " of those that finished" if lower else ""
    sentences = [_lowest(best, said, f"Lowest cross-validated {ERRORS[said['task']]}{which}")]
    if said["best_own"] not in (None, said["best"]):
        sentences.append(
            _lowest(named[said["best_own"]], said, f"Lowest of Certo's machines{which}")
        )
    if lower:
        so_far = "; ".join(
            f"{one['name']}, {error_text(one['cv_error'], said)} on "
            f"{len(one['fold_errors'])} of {said['folds']} folds"
            for one in lower
        )
        sentences.append(f"Lower so far, but not finished: {so_far}.")
    return sentences


def _lowest(one: dict[str, Any], said: dict[str, Any], what: str) -> str:
    known = ["of scikit-learn"] if one["kind"] == "outsider" else []
    folds = len(one["fold_errors"])
    known += [f"{folds} of {said['folds']} folds"] if folds < said["folds"] else []
    aside = f" ({'; '.join(known)})" if known else ""
    first = f"{what}: {one['title']}{aside}, {error_text(one['cv_error'], said)}"
    bound = one["bound"]
    if bound is None and one["absolute_error"] is not None:
        rows = counted(said["test"]["rows"], "test row")
        return f"{first}; on {rows} its mean absolute error is {digits(one['absolute_error'])}."
    if bound is None:
        return f"{first}."
    if "mean" in bound:
        weak = "" if bound["informative"] else ", which is weaker than guessing"
        return (
            f"{first}; with {confidence(said['delta'])} % confidence its mean absolute error on "
            f"new data is at most {at_most_text(bound['mean'])}{weak} ({_capped(said)})."
        )
    upper, sure = at_most(bound["error_rate"]), confidence(said["delta"])
    if bound["informative"]:
        return f"{first}; with {sure} % confidence its error rate on new data is at most {upper} %."
    return f"{first}; its bound for new data, {upper} %, is weaker than guessing."


def proved(said: dict[str, Any]) -> list[str]:
    """What is proved, and what is only measured."""
    sentences = []
    bounds = sum(one["bound"] is not None for one in said["machines"])
    if bounds:
        rows, many = counted(said["test"]["rows"], "test row"), said["compared"]
        what, how = "error rate on new data", "Clopper and Pearson's bounds"
        if said["cap"]:
            what = f"mean absolute error on new data ({_capped(said)})"
            how = (
                "Bounds on the mean of losses of a known range: the cap is two standard "
                "deviations of the target on the training rows"
            )
        sentences.append(
            f"Proved: with {confidence(said['delta'])} % confidence, all bounds “at most” on the "
            f"{what} hold together, if the {rows} are independent draws from the same population. "
            f"({how}, δ = {said['delta']:g} shared out over {counted(many, 'machine')}.)"
        )
    else:
        sentences.append(f"Nothing is proved about new data: {said['no_bound']}")
    weak = [one["name"] for one in said["machines"] if one["bound"] and _is_weak(one)]
    if weak:
        whose = ", ".join(f"“{name}”" for name in weak)
        sentences.append(f"Weaker than guessing: the bounds of {whose}, since {guess(said)}")
        if said["compared"] > 1:
            sentences.append(
                f"δ is shared out over {said['compared']:,} machines, which weakens each bound: a "
                "machine that is fitted without a comparison may have a stronger one."
            )
    if any(one["relative_gap"] is not None for one in said["machines"]):
        sentences.append(
            "Proved: the objective of a fit exceeds its minimum on the training rows by at most "
            "its gap, as a share of the objective."
        )
    is_number = said["task"] == "numbers"
    kind = ERRORS["numbers"] if is_number else "error rate"
    train = counted(said["examples"], "training row")
    measured = (
        f"Measured: “CV error”, the {kind} in {said['folds']}-fold cross-validation on {train} "
        "(± its standard error)"
    )
    if said["test"]:
        rows = counted(said["test"]["rows"], "test row")
        what = "“abs. error”, the mean absolute error" if is_number else "“errors”, their number"
        measured += f"; {what} on the {rows}"
    sentences.append(f"{measured}; “seconds”, of the fit to all training rows.")
    return sentences


def _capped(said: dict[str, Any]) -> str:
    """What a bound on a mean of absolute errors is about."""
    cap = f"{said['cap']:,.12g}"
    return f"an error above {cap} counts as {cap}"


def guess(said: dict[str, Any]) -> str:
    """What guessing reaches on the test rows."""
    test = said["test"]
    if said["task"] == "numbers":
        error = digits(test["usual_error"])
        return (
            "always predicting the mean of the training rows has a mean absolute error of "
            f"{error} on the test rows, counted in the same way."
        )
    return (
        f"always answering “{test['majority']}”, the most frequent class of the test rows, is "
        f"wrong on {share_text(test['majority_error'], 1)} % of them."
    )


def _is_weak(one: dict[str, Any]) -> bool:
    """Of a machine that does look at the rows."""
    return one["machine"] is not None and not one["bound"]["informative"]


def head(said: dict[str, Any]) -> tuple[str, ...]:
    return HEAD_OF_NUMBERS if said["task"] == "numbers" else HEAD


def cells(one: dict[str, Any], said: dict[str, Any]) -> list[str]:
    """The numbers of one machine, in the order of the head."""
    error = NONE
    if one["cv_error"] is not None:
        off = one["standard_error"]
        error = error_text(one["cv_error"], said)
        if off is not None:
            error += f" ± {digits(off, 2)}" if said["task"] == "numbers" else f" ± {100 * off:.1f}"
    gap = NONE if one["relative_gap"] is None else rounded_up(one["relative_gap"], 2)
    seconds = NONE if one["seconds"] is None else f"{one['seconds']:.2f}"
    if said["task"] == "numbers":
        off, bound = one["absolute_error"], one["bound"]
        most = NONE if bound is None else at_most_text(bound["mean"])
        return [error, NONE if off is None else digits(off), most, gap, seconds]
    errors, bound, supports = one["errors"], one["bound"], one["supports"]
    return [
        error,
        NONE if errors is None else f"{errors:,}",
        NONE if bound is None else f"{at_most(bound['error_rate'])} %",
        gap,
        NONE if supports is None else f"{supports:,}",
        seconds,
    ]


def error_text(error: float, said: dict[str, Any]) -> str:
    return digits(error) if said["task"] == "numbers" else f"{share_text(error, 1)} %"


def at_most(share: float) -> str:
    """A share in per cent, rounded up to one decimal."""
    tenths = math.ceil(1000 * Fraction(share))
    return f"{tenths // 10}.{tenths % 10}"


def digits(value: float, significant: int = 3) -> str:
    """So many significant digits, and all digits before the decimal point."""
    if value >= 10**significant - 0.5:
        return f"{value:,.0f}"
    return f"{value:#.{significant}g}".removesuffix(".")


def remark(one: dict[str, Any], said: dict[str, Any]) -> str:
    """Why results of a machine are missing, and who made it if not Certo; nothing, if all is
    usual."""
    folds, reason = len(one["fold_errors"]), one["reason"]
    some = f"{folds} of {said['folds']} folds" if one["seconds"] is not None else "not tried"
    why = {
        "": "",
        "time": f"{some}: no time left",
        "stopped": f"{some}: stopped by hand" if folds < said["folds"] else "",
        "failed": f"{some}: {reason}" if one["seconds"] is not None else f"no fit: {reason}",
        "unsuitable": f"not tried: {reason}",
    }[one["missing"]]
    known = OUTSIDER if one["kind"] == "outsider" else ""
    if one["name"] == MAJORITY:
        known = f"always “{said['majority']}”, the most frequent class of the training rows"
    if one["out_of_time"]:
        why = "stopped by its share of the time, before its end"
    return "; ".join(filter(None, [known, why]))
