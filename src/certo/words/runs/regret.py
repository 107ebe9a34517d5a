"""Regret in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, readable, rounded_up
from certo.certificates.runs.regret import Regret
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence

RIGOUR[Regret] = Rigour(
    exact="The run is repeated bit for bit, and the regret compared with the bound.",
    rounded=(
        "Both sums of losses are computed again in float64, and compared within proved "
        "allowances; the bound is rounded up."
    ),
)


@sentence.register
def _(claim: Regret) -> str:
    run = claim.run
    ball = f" in the ball of radius {run.radius!r}" if run.radius is not None else ""
    answer = "the average of its weights is this one" if run.average else "it ends here"
    return (
        f"{claim.labels.shown} against {claim.labels.rest}: going once over these "
        f"{counted(claim.examples, 'example')}, in this order, online gradient descent with "
        f"{run.loss}, λ = {run.lam!r}{ball} suffers a loss of about {readable(claim.suffered)} "
        f"in all, with the scores that float64 gave, and {answer}. The fixed weights it is "
        f"compared with suffer about {readable(claim.comparator_loss)}; against no fixed "
        f"weights{ball} does the theorem allow a regret above {rounded_up(claim.bound)}."
    )


@plainly.register
def _(claim: Regret) -> str:
    limited = "" if claim.run.radius is None else " of limited size"
    return (
        f"Learning while predicting, in this order, cost about {readable(claim.suffered)} in "
        f"all; a theorem allows no fixed rule{limited} to have cost less than that by more "
        f"than {rounded_up(claim.bound)}."
    )


@assumptions.register
def _(claim: Regret) -> tuple[str, ...]:
    return ("the limit for all fixed weights is one of exact arithmetic; the run was in float64",)
