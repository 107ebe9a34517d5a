"""Separation, in words."""

from __future__ import annotations

import numpy as np

from certo.certificates.encoding import counted, rounded_down
from certo.certificates.separation.inseparable import Cancelling, Inseparable
from certo.certificates.separation.quasi_separable import Overlapping, QuasiSeparable
from certo.certificates.separation.separable import Separable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.phrases import one_side
from certo.words.reader import examples_at

RIGOUR[Separable] = Rigour(
    exact=(
        "The side of every example; where rounding could decide it, in rational arithmetic. "
        "The distance is compared with a length rounded up."
    ),
    rounded="Margins that are far from the limit, by the error bound of a sum of products.",
)


@sentence.register
def _(claim: Separable) -> str:
    m = counted(claim.examples, "example")
    if claim.labels.positive is None:
        without = "" if np.any(claim.intercept) else " without intercept"
        return (
            f"One linear score{without} for each of the {len(claim.coef)} classes: all {m} have "
            f"the highest score in their own class alone{_by(claim)}."
        )
    if not np.any(claim.coef):
        return one_side(claim.labels, float(claim.intercept) > 0, m)
    through = "" if claim.intercept else " through the origin"
    distance = f", at a distance of at least {rounded_down(claim.margin)}" if claim.margin else ""
    return (
        f"A hyperplane{through} separates {claim.labels.shown} from {claim.labels.rest}: all {m} "
        f"are strictly on their own side{_by(claim)}{distance}."
    )


def _by(claim: Separable) -> str:
    least = claim.functional_margin
    return f", with margin at least {rounded_down(least)}" if least else ""


@plainly.register
def _(claim: Separable) -> str:
    m = counted(claim.examples, "example")
    if claim.labels.positive is None:
        return (
            f"With one score for each of the {len(claim.coef)} classes, all {m} score highest in "
            "their own."
        )
    if not np.any(claim.coef):
        return f"{claim.claim} So there is nothing to tell apart."
    return (
        f"A flat boundary has all {m} on the right side: {claim.labels.shown} on one, "
        f"{claim.labels.rest} on the other."
    )


RIGOUR[Inseparable] = Rigour(
    exact="All of it: the weighted examples cancel in rational arithmetic.",
)


@sentence.register
def _(claim: Inseparable) -> str:
    m, rows = counted(claim.examples, "example"), claim.rows
    if claim.labels.positive is None:
        without = "" if claim.lifted else " without intercepts"
        what = f"No linear scores{without} put each of the {m} highest in its own class alone"
        why = (
            f"for {len(set(rows.tolist()))} of them the {rows.size} comparisons named cannot all "
            "be won, since with positive weights they cancel exactly."
        )
    else:
        through = "" if claim.lifted else " through the origin"
        what = f"No hyperplane{through} separates {claim.labels.shown} from {claim.labels.rest}"
        if len(claim.labels.classes) == 1:
            what = f"No hyperplane{through} has all of {claim.labels.shown} strictly on one side"
        why = (
            f"of the {m}, {rows.size} cannot all be strictly on their own side, since with "
            "positive weights they cancel exactly."
        )
    if rows.size == 1:
        why = f"{examples_at(rows)} is the origin itself."
    return f"{what}: {why}"


@plainly.register
def _(claim: Inseparable) -> str:
    m, K = counted(claim.examples, "example"), len(claim.labels.classes)
    if claim.labels.positive is None:
        without = "" if claim.lifted else " without a constant part"
        return (
            f"No linear scores{without}, one for each of the {K} classes, are highest in the own "
            f"class of all {m}."
        )
    boundary = "No flat boundary" if claim.lifted else "No flat boundary through the origin"
    if K == 1:
        return f"{boundary} has all {m} on one side of it."
    return (
        f"{boundary} tells {claim.labels.shown} from {claim.labels.rest} without a mistake on "
        f"these {m}."
    )


def hyperplane(claim: Cancelling) -> str:
    return "hyperplane" if claim.lifted else "hyperplane through the origin"


def scores(claim: Cancelling) -> str:
    return "linear scores" if claim.lifted else "linear scores without intercepts"


def one_class(claim: Cancelling) -> bool:
    return claim.labels.column is None and len(claim.labels.classes) == 1


RIGOUR[QuasiSeparable] = Rigour(
    exact="All of it: the sides, what cancels, and its span, in integers.",
)


@sentence.register
def _(claim: QuasiSeparable) -> str:
    m, won, K = counted(claim.examples, "example"), claim.won.size, len(claim.labels.classes)
    if claim.labels.positive is None:
        some = f"Some {scores(claim)}, one for each of the {K} classes,"
        most = claim.examples * (K - 1)
        if won == most:
            return f"{some} are highest in its own class alone for each of the {m}."
        return (
            f"{some} are nowhere higher than that of an example's own class, and lower in "
            f"{won:,} of the {most:,} comparisons of the {m} with other classes. "
            "No such scores are lower in more."
        )
    if claim.bias and not any(claim.coef):
        return one_side(claim.labels, claim.bias > 0, m)
    own, wrong = f"their own side ({claim.labels.shown}, or {claim.labels.rest})", "wrong"
    if one_class(claim):
        own, wrong = f"one side (all are {claim.labels.shown})", "other"
    if won == claim.examples:
        return f"A {hyperplane(claim)} has all {m} strictly on {own}."
    return (
        f"A {hyperplane(claim)} has {counted(won, 'example')} of {claim.examples:,} strictly "
        f"on {own}, the other {claim.examples - won:,} on itself, and none on the {wrong} side. "
        "No such hyperplane separates more."
    )


@plainly.register
def _(claim: QuasiSeparable) -> str:
    m, won, K = counted(claim.examples, "example"), claim.won.size, len(claim.labels.classes)
    if claim.labels.positive is None:
        return (
            f"Some {scores(claim)} are never higher in another of the {K} classes than in an "
            f"example's own, and lower in {won:,} of {claim.examples * (K - 1):,} "
            "comparisons; none of this kind are lower in more."
        )
    if claim.bias and not any(claim.coef):
        return f"{claim.claim} So there is nothing to tell apart."
    through = "" if claim.lifted else " through the origin"
    if won == claim.examples:
        return f"A flat boundary{through} has all {m} on the right side."
    return (
        f"A flat boundary{through} has {won:,} of {m} on the right side and the others exactly on "
        "it, and none like it has more."
    )


RIGOUR[Overlapping] = Rigour(
    exact="All of it: what cancels, and its span, in integers.",
)


@sentence.register
def _(claim: Overlapping) -> str:
    m, several = counted(claim.examples, "example"), claim.labels.positive is None
    shown, rest = claim.labels.shown, claim.labels.rest
    why = "all are the origin itself"
    if claim.vectors.size:
        span = "affine span" if claim.lifted and not several else "span"
        count = counted(claim.vectors.size, "comparison" if several else "example")
        why = f"{count} in whose {span} all lie cancel exactly with positive weights"
    if several:
        return (
            f"No {scores(claim)}, one for each of the {len(claim.labels.classes)} classes, "
            "separate them even in part: where that of its own class is highest for each of the "
            f"{m}, all its scores are equal, since {why}."
        )
    task, wrong = f"separates {shown} from {rest} even in part", "its wrong side"
    if one_class(claim):
        task, wrong = f"has some of {shown} on one side and none on the other", "one side"
    return (
        f"No {hyperplane(claim)} {task}: one that has none of the {m} on {wrong} has all of them "
        f"on itself, since {why}."
    )


@plainly.register
def _(claim: Overlapping) -> str:
    m = counted(claim.examples, "example")
    if claim.labels.positive is None:
        return (
            f"No {scores(claim)} for the {len(claim.labels.classes)} classes tell any of the {m} "
            "from another class without being wrong about others."
        )
    through = "" if claim.lifted else " through the origin"
    some = f"some of the {m} on the right side and none on the wrong one"
    return f"No flat boundary{through} has {some}."
