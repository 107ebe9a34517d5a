"""TestErrors in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.errors.held_out_errors import TestErrors
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence, whose
from certo.words.errors.training_errors import ALLOWED, gets_wrong, how_many_wrong, of_rule
from certo.words.risk.risk_bound import in_plain

RIGOUR[TestErrors] = Rigour(
    exact="Examples are counted.",
    rounded=f"{ALLOWED} Both ends of the interval are shown by sums rounded to the weak side.",
    statistical="The interval of Clopper and Pearson for independent draws, exact for each n.",
)


@sentence.register
def _(claim: TestErrors) -> str:
    have = "has a label" if claim.unknown == 1 else "have labels"
    unknown = f" {claim.unknown:,} of them {have} that the rule does not know."
    return (
        f"{gets_wrong(claim)}{unknown * bool(claim.unknown)} If the examples are independent "
        "draws, not used to fit or to choose anything, then with probability at least "
        f"1 − {claim.delta!r} over their draw the error rate of "
        f"{of_rule(claim.predictor).author} on new examples is at least "
        f"{rounded_down(claim.lower, 4)} and at most {rounded_up(claim.upper, 4)}."
    )


@plainly.register
def _(claim: TestErrors) -> str:
    kept = counted(claim.examples, "example")
    judged = f"On {kept} kept out of the fit, {how_many_wrong(claim)}."
    if claim.vacuous:
        return f"{judged} Nothing follows for new data: the upper bound is not below 1."
    return f"{judged} {in_plain(claim, whose(claim), least=claim.lower)}"


@assumptions.register
def _(claim: TestErrors) -> tuple[str, ...]:
    return (
        "the test examples are independent draws from one distribution, and new ones are too",
        "the test examples were not used to fit, to scale, or to choose anything",
        *of_rule(claim.predictor).assumes,
    )


@whose.register
def _(claim: TestErrors) -> str:
    stated = claim.predictor.outputs is None
    return f" of {of_rule(claim.predictor).author}" if stated else ""
