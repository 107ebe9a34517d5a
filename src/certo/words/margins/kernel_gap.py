"""KernelGap in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.margins.kernel_gap import KernelGap
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence
from certo.words.margins.soft_margin_gap import slack_costs
from certo.words.phrases import no_better
from certo.words.spaces.kernel_claim import where

RIGOUR[KernelGap] = Rigour(
    exact="That the multipliers are feasible.",
    rounded=(
        "Sums of kernel values, by the error that the kernel states for each of them. The "
        "claim names the allowance."
    ),
)


@sentence.register
def _(claim: KernelGap) -> str:
    objective = {
        "free": "½‖f‖² + Σ c [1 − y (f(x) + b)]₊",
        "none": "½‖f‖² + Σ c [1 − y f(x)]₊",
        "lifted": "½(‖f‖² + b²) + Σ c [1 − y (f(x) + b)]₊",
    }[claim.treatment]
    return (
        f"Telling {claim.labels.shown} from {claim.labels.rest} on "
        f"{counted(claim.examples, 'example')}, this function of {where(claim)} has an objective "
        f"{objective} of at most {rounded_up(claim.primal)}, where {slack_costs(claim)}. None "
        f"there has one lower by more than {rounded_up(claim.gap, 2)}: the relative gap is at "
        f"most {rounded_up(claim.relative_gap, 2)}."
    )


@plainly.register
def _(claim: KernelGap) -> str:
    return no_better("function of its kind", claim.examples, claim.relative_gap)
