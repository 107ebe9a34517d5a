"""JointlyQuasiSeparable, JointlyOverlapping in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.separation.joint_quasi import JointlyOverlapping, JointlyQuasiSeparable
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence

RIGOUR[JointlyQuasiSeparable] = Rigour(
    exact="All of it: the comparisons, what cancels, and its span, in whole numbers.",
)


@sentence.register
def _(claim: JointlyQuasiSeparable) -> str:
    K, m = len(claim.labels.classes), counted(claim.examples, "example")
    most, won = claim.examples * (K - 1), claim.won.size
    scores = f"Some {claim._scores}, one for each of the {K} classes,"
    if won == most:
        return f"{scores} are highest in its own class alone for each of the {m}."
    return (
        f"{scores} are nowhere higher than that of an example's own class, and lower in "
        f"{won:,} of the {most:,} comparisons of the {m} with other classes. "
        "No such scores are lower in more."
    )


@plainly.register
def _(claim: JointlyQuasiSeparable) -> str:
    K = len(claim.labels.classes)
    return (
        f"Some {claim._scores} are never higher in another of the {K} classes than in an "
        f"example's own, and lower in {claim.won.size:,} of {claim.examples * (K - 1):,} "
        "comparisons; none of this kind are lower in more."
    )


RIGOUR[JointlyOverlapping] = Rigour(
    exact="All of it: what cancels, and its span, in whole numbers.",
)


@sentence.register
def _(claim: JointlyOverlapping) -> str:
    K = len(claim.labels.classes)
    why = "all are the origin itself"
    if claim.rows.size:
        count = counted(claim.rows.size, "comparison")
        why = f"{count} in whose span all lie cancel exactly with positive weights"
    return (
        f"No {claim._scores}, one for each of the {K} classes, separate them even in part: "
        f"where that of its own class is highest for each of the "
        f"{counted(claim.examples, 'example')}, all its scores are equal, since {why}."
    )


@plainly.register
def _(claim: JointlyOverlapping) -> str:
    return (
        f"No {claim._scores} for the {len(claim.labels.classes)} classes tell any of the "
        f"{counted(claim.examples, 'example')} from another class without being wrong about "
        "others."
    )
