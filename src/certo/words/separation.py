"""Separation of classes by hyperplanes or by scores, in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.encoding import counted
from certo.certificates.separation.inseparable import Cancelling, Inseparable
from certo.certificates.separation.quasi_separable import Overlapping, QuasiSeparable
from certo.certificates.separation.separable import Separable
from certo.numbers.decimals import rounded_down
from certo.words.dispatch import Words, writes
from certo.words.labels import rest_of, shown_of, sides_of
from certo.words.phrases import examples_of, one_side
from certo.words.reader import examples_at

NOTHING_TO_TELL = "So there is nothing to tell apart."


@writes(
    Separable,
    exact="The side of every example; where rounding could decide it, in rational arithmetic. "
    "The distance is compared with a length rounded up.",
    rounded="Margins that are far from the limit, by the error bound of a sum of products.",
)
def _separable(claim: Separable) -> Words:
    m, labels, least = examples_of(claim), claim.labels, claim.functional_margin
    by = f", with margin at least {rounded_down(least)}" if least else ""
    if labels.positive is None:
        without = "" if np.any(claim.intercept) else " without intercept"
        return Words(
            f"One linear score{without} for each of the {len(claim.coef)} classes: all {m} have "
            f"the highest score in their own class alone{by}.",
            f"With one score for each of the {len(claim.coef)} classes, all {m} score highest in "
            "their own.",
        )
    if not np.any(claim.coef):
        only = one_side(labels, float(claim.intercept) > 0, m)
        return Words(only, f"{only} {NOTHING_TO_TELL}")
    through = "" if claim.intercept else " through the origin"
    distance = f", at a distance of at least {rounded_down(claim.margin)}" if claim.margin else ""
    return Words(
        f"A hyperplane{through} separates {sides_of(labels)}: all {m} are strictly "
        f"on their own side{by}{distance}.",
        f"A flat boundary has all {m} on the right side: {shown_of(labels)} on one, "
        f"{rest_of(labels)} on the other.",
    )


@writes(Inseparable, exact="All of it: the weighted examples cancel in rational arithmetic.")
def _inseparable(claim: Inseparable) -> Words:
    m, rows, labels = examples_of(claim), claim.rows, claim.labels
    K, through = len(labels.classes), "" if claim.lifted else " through the origin"
    if labels.positive is None:
        constant = "" if claim.lifted else " without a constant part"
        what = f"No {_scores(claim)} put each of the {m} highest in its own class alone"
        why = (
            f"for {len(set(rows.tolist()))} of them the {rows.size} comparisons named cannot all "
            "be won, since with positive weights they cancel exactly."
        )
        plain = (
            f"No linear scores{constant}, one for each of the {K} classes, are highest in the own "
            f"class of all {m}."
        )
    else:
        why = (
            f"of the {m}, {rows.size} cannot all be strictly on their own side, since with "
            "positive weights they cancel exactly."
        )
        if K == 1:
            what = f"No hyperplane{through} has all of {shown_of(labels)} strictly on one side"
            plain = f"No flat boundary{through} has all {m} on one side of it."
        else:
            what = f"No hyperplane{through} separates {sides_of(labels)}"
            plain = (
                f"No flat boundary{through} tells {sides_of(labels)} without a "
                f"mistake on these {m}."
            )
    if rows.size == 1:
        why = f"{examples_at(rows)} is the origin itself."
    return Words(f"{what}: {why}", plain)


def _scores(claim: Inseparable | Cancelling) -> str:
    return "linear scores" if claim.lifted else "linear scores without intercepts"


def _is_one_class(claim: Cancelling) -> bool:
    return claim.labels.column is None and len(claim.labels.classes) == 1


@writes(QuasiSeparable, exact="All of it: the sides, what cancels, and its span, in integers.")
def _quasi_separable(claim: QuasiSeparable) -> Words:
    m, won, labels = examples_of(claim), claim.won.size, claim.labels
    K = len(labels.classes)
    if labels.positive is None:
        most, some = claim.examples * (K - 1), f"Some {_scores(claim)}"
        each = f"{some}, one for each of the {K} classes, are"
        sentence = (
            f"{each} nowhere higher than that of an example's own class, and lower in {won:,} of "
            f"the {most:,} comparisons of the {m} with other classes. No such scores are lower in "
            "more."
        )
        if won == most:
            sentence = f"{each} highest in its own class alone for each of the {m}."
        return Words(
            sentence,
            f"{some} are never higher in another of the {K} classes than in an example's own, and "
            f"lower in {won:,} of {most:,} comparisons; none of this kind are lower in more.",
        )
    if claim.bias and not any(claim.coef):
        only = one_side(labels, claim.bias > 0, m)
        return Words(only, f"{only} {NOTHING_TO_TELL}")
    through = "" if claim.lifted else " through the origin"
    own, wrong = f"their own side ({shown_of(labels)}, or {rest_of(labels)})", "wrong"
    if _is_one_class(claim):
        own, wrong = f"one side (all are {shown_of(labels)})", "other"
    if won == claim.examples:
        return Words(
            f"A hyperplane{through} has all {m} strictly on {own}.",
            f"A flat boundary{through} has all {m} on the right side.",
        )
    return Words(
        f"A hyperplane{through} has {counted(won, 'example')} of {claim.examples:,} strictly on "
        f"{own}, the other {claim.examples - won:,} on itself, and none on the {wrong} side. No "
        "such hyperplane separates more.",
        f"A flat boundary{through} has {won:,} of {m} on the right side and the others exactly on "
        "it, and none like it has more.",
    )


@writes(Overlapping, exact="All of it: what cancels, and its span, in integers.")
def _overlapping(claim: Overlapping) -> Words:
    m, labels, several = examples_of(claim), claim.labels, claim.labels.positive is None
    why = "all are the origin itself"
    if claim.vectors.size:
        span = "affine span" if claim.lifted and not several else "span"
        count = counted(claim.vectors.size, "comparison" if several else "example")
        why = f"{count} in whose {span} all lie cancel exactly with positive weights"
    if several:
        K = len(labels.classes)
        return Words(
            f"No {_scores(claim)}, one for each of the {K} classes, separate them even in part: "
            "where that of its own class is highest for each of the "
            f"{m}, all its scores are equal, since {why}.",
            f"No {_scores(claim)} for the {K} classes tell any of the {m} from another class "
            "without being wrong about others.",
        )
    through = "" if claim.lifted else " through the origin"
    positive = shown_of(labels)
    task, wrong = f"separates {sides_of(labels)} even in part", "its wrong side"
    if _is_one_class(claim):
        task, wrong = f"has some of {positive} on one side and none on the other", "one side"
    return Words(
        f"No hyperplane{through} {task}: one that has none of the {m} on {wrong} has all of them "
        f"on itself, since {why}.",
        f"No flat boundary{through} has some of the {m} on the right side and none on the wrong "
        "one.",
    )
