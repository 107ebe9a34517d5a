"""KernelExpectedExcess in words."""

from __future__ import annotations

from certo.certificates.runs.kernel_expected_excess import KernelExpectedExcess
from certo.words.dispatch import RIGOUR, Rigour, assumptions, sentence
from certo.words.runs.pegasos_excess import assumed_of, pegasos_sentence
from certo.words.spaces.kernel_claim import of_functions, where

RIGOUR[KernelExpectedExcess] = Rigour(
    exact="The formula, to fifty digits and rounded up.",
    rounded="Sums of kernel values, by the error that the kernel states for each of them.",
    statistical=(
        "The excess is an expectation over the draws of the run; that they were made so is assumed."
    ),
)


@sentence.register
def _(claim: KernelExpectedExcess) -> str:
    penalty = "(λ/2)(‖f‖² + b²)" if claim.lifted else "(λ/2)‖f‖²"
    return pegasos_sentence(
        claim,
        f"F = mean hinge loss + {penalty}",
        f"this function of {where(claim)}, and it is",
        "f = 0",
    )


@assumptions.register
def _(claim: KernelExpectedExcess) -> tuple[str, ...]:
    return (*of_functions(claim), *assumed_of(claim, "the function is"))
