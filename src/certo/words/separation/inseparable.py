"""Inseparable in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.separation.inseparable import Inseparable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence

RIGOUR[Inseparable] = Rigour(
    exact="All of it: the weighted examples cancel in rational arithmetic.",
)


@sentence.register
def _(claim: Inseparable) -> str:
    through = "" if claim.intercept == "free" else " through the origin"
    task = f"separates {claim.labels.shown} from {claim.labels.rest}"
    if len(claim.labels.classes) == 1:
        task = f"has all of {claim.labels.shown} strictly on one side"
    why = (
        f"of the {counted(claim.examples, 'example')}, {claim.rows.size} cannot all be strictly "
        "on their own side, since with positive weights they cancel exactly."
    )
    if claim.rows.size == 1:
        why = f"example {claim.rows[0]} (counting from 0) is the origin itself."
    return f"No hyperplane{through} {task}: {why}"


@plainly.register
def _(claim: Inseparable) -> str:
    through = "" if claim.intercept == "free" else " through the origin"
    m = counted(claim.examples, "example")
    if len(claim.labels.classes) == 1:
        return f"No flat boundary{through} has all {m} on one side of it."
    return (
        f"No flat boundary{through} tells {claim.labels.shown} from {claim.labels.rest} without "
        f"a mistake on these {m}."
    )
