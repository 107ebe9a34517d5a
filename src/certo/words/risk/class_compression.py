"""ClassCompressionBound in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.risk.class_compression import ClassCompressionBound
from certo.certificates.risk.risk_bound import DRAWN
from certo.certificates.risk.set_bound import SEEDED
from certo.words.dispatch import RIGOUR, Rigour, assumptions, sentence
from certo.words.risk.risk_bound import untouched
from certo.words.risk.set_bound import follows

RIGOUR[ClassCompressionBound] = Rigour(
    exact=("The runs on the updated examples are repeated bit for bit."),
    rounded=(
        "What is not shown to be right beyond rounding counts as an error; the formulas are "
        "rounded up."
    ),
    statistical="Compression bounds for independent draws.",
)


@sentence.register
def _(claim: ClassCompressionBound) -> str:
    k, m = claim.updated.size, counted(claim.examples, "example")
    neurons = "the neuron" if len(claim.runs) == 1 else f"the {len(claim.runs)} neurons"
    made = (
        f"running {neurons} on {k:,} of {m} alone gives these weights."
        if claim._is_replayed
        else f"{k:,} of {m} are left out."
    )
    return f"{len(claim.labels.classes)} classes: {made} {follows(claim)}"


@assumptions.register
def _(claim: ClassCompressionBound) -> tuple[str, ...]:
    seeded = any(run.order == "shuffled" or run.init == "random" for run in claim.runs)
    return (DRAWN, untouched(claim), *((SEEDED,) if seeded else ()))
