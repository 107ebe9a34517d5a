"""Inseparable in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.separation.inseparable import Inseparable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.reader import examples_at

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
