"""Cancelling, _Quasi, QuasiSeparable, Overlapping in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.separation.quasi_separable import Overlapping, QuasiSeparable, _Quasi
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence


def hyperplane(claim: _Quasi) -> str:
    return "hyperplane" if claim.lifted else "hyperplane through the origin"


def one_class(claim: _Quasi) -> bool:
    return claim.labels.column is None and len(claim.labels.classes) == 1


RIGOUR[QuasiSeparable] = Rigour(
    exact="All of it: the sides, what cancels, and its span, in whole numbers.",
)


@sentence.register
def _(claim: QuasiSeparable) -> str:
    shown, rest = claim.labels.shown, claim.labels.rest
    m = counted(claim.examples, "example")
    if claim.bias and not any(claim.coef):
        return claim.labels.one_side(claim.bias > 0, m)
    own, wrong = f"their own side ({shown}, or {rest})", "wrong"
    if one_class(claim):
        own, wrong = f"one side (all are {shown})", "other"
    if not claim.ties.size:
        return f"A {hyperplane(claim)} has all {m} strictly on {own}."
    strict = claim.examples - claim.ties.size
    return (
        f"A {hyperplane(claim)} has {counted(strict, 'example')} of {claim.examples:,} strictly "
        f"on {own}, the other {claim.ties.size:,} on itself, and none on the {wrong} side. "
        "No such hyperplane separates more."
    )


@plainly.register
def _(claim: QuasiSeparable) -> str:
    m = counted(claim.examples, "example")
    if claim.bias and not any(claim.coef):
        return f"{claim.claim} So there is nothing to tell apart."
    through = "" if claim.lifted else " through the origin"
    if not claim.ties.size:
        return f"A flat boundary{through} has all {m} on the right side."
    return (
        f"A flat boundary{through} has {claim.examples - claim.ties.size:,} of {m} on the right "
        "side and the others exactly on it, and none like it has more."
    )


RIGOUR[Overlapping] = Rigour(
    exact="All of it: what cancels, and its span, in whole numbers.",
)


@sentence.register
def _(claim: Overlapping) -> str:
    shown, rest = claim.labels.shown, claim.labels.rest
    task, wrong = f"separates {shown} from {rest} even in part", "its wrong side"
    if one_class(claim):
        task, wrong = f"has some of {shown} on one side and none on the other", "one side"
    why = "all are the origin itself"
    if claim.rows.size:
        span = "affine span" if claim.lifted else "span"
        count = counted(claim.rows.size, "example")
        why = f"{count} in whose {span} all lie cancel exactly with positive weights"
    return (
        f"No {hyperplane(claim)} {task}: one that has none of the "
        f"{counted(claim.examples, 'example')} on {wrong} has all of them on itself, "
        f"since {why}."
    )


@plainly.register
def _(claim: Overlapping) -> str:
    through = "" if claim.lifted else " through the origin"
    return (
        f"No flat boundary{through} has some of the {counted(claim.examples, 'example')} on the "
        "right side and none on the wrong one."
    )
