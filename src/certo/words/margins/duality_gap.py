"""DualityGap in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.margins.duality_gap import DualityGap
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.margins.soft_margin_gap import slack_costs
from certo.words.phrases import no_better

RIGOUR[DualityGap] = Rigour(
    exact="That the multipliers are feasible; short sums.",
    rounded=(
        "Losses, norms and long sums, by the error bound of a sum of products; the claim "
        "names the allowance."
    ),
)


@sentence.register
def _(claim: DualityGap) -> str:
    objective, which = {
        "free": ("½‖w‖² + Σ c [1 − y (w·x + b)]₊", "hyperplane"),
        "none": ("½‖w‖² + Σ c [1 − y w·x]₊", "hyperplane through the origin"),
        "lifted": ("½(‖w‖² + b²) + Σ c [1 − y (w·x + b)]₊", "hyperplane"),
    }[claim.treatment]
    return (
        f"Telling {claim.labels.shown} from {claim.labels.rest} on "
        f"{counted(claim.examples, 'example')}, this {which} has an objective {objective} of at "
        f"most {rounded_up(claim.primal)}, where {slack_costs(claim)}. None has one "
        f"lower by more than {rounded_up(claim.gap, 2)}: the relative gap is at most "
        f"{rounded_up(claim.relative_gap, 2)}."
    )


@plainly.register
def _(claim: DualityGap) -> str:
    which = "flat boundary through the origin" if claim.treatment == "none" else "flat boundary"
    return no_better(which, claim.examples, claim.relative_gap)
