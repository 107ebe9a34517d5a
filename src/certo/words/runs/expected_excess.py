"""ExpectedExcess in words."""

from __future__ import annotations

from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.words.dispatch import RIGOUR, Rigour, assumptions, sentence
from certo.words.runs.pegasos_excess import assumed_of, pegasos_sentence

RIGOUR[ExpectedExcess] = Rigour(
    exact=(
        "The longest example and the length of the weights; the formula, to fifty digits and "
        "rounded up."
    ),
    rounded="The objective of these weights, rounded up.",
    statistical=(
        "The excess is an expectation over the draws of the run; that they were made so is assumed."
    ),
)


@sentence.register
def _(claim: ExpectedExcess) -> str:
    return pegasos_sentence(
        claim, "F(w) = mean hinge loss + (λ/2)‖w‖²", "these weights, and they are", "w = 0"
    )


@assumptions.register
def _(claim: ExpectedExcess) -> tuple[str, ...]:
    return assumed_of(claim, "the weights are")
