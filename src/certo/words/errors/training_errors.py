"""ErrorClaim, TrainingErrors in words."""

from __future__ import annotations

from typing import NamedTuple

from certo.certificates.encoding import counted
from certo.certificates.errors.predictor import Predictor, StatedPredictions
from certo.certificates.errors.training_errors import ErrorClaim, TrainingErrors
from certo.certificates.spaces.images import functions_of
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence

ALLOWED = "Scores that are level but for rounding, by a proved allowance, may be either."
COMPUTED = ", whether computed exactly or in float64"


class RuleWords(NamedTuple):
    """What a rule is, what gives the answers that are counted (with its verb), what has an error
    rate on new examples, and what is assumed."""

    name: str
    subject: str
    author: str
    assumes: tuple[str, ...] = ()


def of_rule(predictor: Predictor) -> RuleWords:
    if isinstance(predictor, StatedPredictions):
        return RuleWords(
            "the list of stated answers",
            "the stated answers are",
            "the model that gave the stated answers",
            ("the stated answers are those of the model for these examples, in this order",),
        )
    kernel = getattr(predictor, "kernel", None)
    what = "this linear rule" if kernel is None else f"this rule made of functions of {kernel!r}"
    same = (f"the function {part!r} is always the same" for part in functions_of(kernel))
    return RuleWords(what, "the rule is", what, tuple(same))


def gets_wrong(claim: ErrorClaim) -> str:
    who = of_rule(claim.predictor).name
    told = (
        f"telling {claim.labels.shown} from {claim.labels.rest}"
        if len(claim.labels.classes) == 2
        else f"telling {len(claim.labels.classes)} classes apart"
    )
    of = counted(claim.examples, "example")
    some = f"from {claim.surely:,} to {claim.errors:,}" if claim.ties else f"{claim.errors:,}"
    computed = "" if claim.predictor.outputs is None else COMPUTED
    either = f"; {claim.ties:,} may be either, being ties or too close to call"
    return (
        f"{told[0].upper()}{told[1:]}, {who} gets {some} of {of} wrong{computed}"
        f"{either * bool(claim.ties)}."
    )


def how_many_wrong(claim: ErrorClaim) -> str:
    """'the rule is wrong 3 to 5 times (2 too close to call)'."""
    times = f"wrong {counted(claim.errors, 'time')}" if claim.errors else "never wrong"
    if claim.ties:
        times = f"wrong {claim.surely:,} to {counted(claim.errors, 'time')}"
        times += f" ({claim.ties:,} too close to call)"
    return f"{of_rule(claim.predictor).subject} {times}"


@assumptions.register
def _(claim: ErrorClaim) -> tuple[str, ...]:
    return of_rule(claim.predictor).assumes


RIGOUR[TrainingErrors] = Rigour(exact="Examples are counted.", rounded=ALLOWED)


@sentence.register
def _(claim: TrainingErrors) -> str:
    return gets_wrong(claim)


@plainly.register
def _(claim: TrainingErrors) -> str:
    return f"On the {counted(claim.examples, 'example')} given, {how_many_wrong(claim)}."
