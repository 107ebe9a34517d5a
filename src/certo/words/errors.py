"""Counted errors, and the fewest possible, in words."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.least_errors import LeastErrors
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree
from certo.certificates.errors.predictor import Predictor, StatedPredictions
from certo.certificates.errors.training_errors import ErrorClaim, TrainingErrors
from certo.certificates.spaces.images import functions_of
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence, whose
from certo.words.risk import in_plain

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
    kernel: Any = getattr(predictor, "kernel", None)
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


RIGOUR[ErrorCount] = Rigour(
    exact="All of it: the side of every example, and the sum of the weights (rounded up once).",
)


@sentence.register
def _(claim: ErrorCount) -> str:
    made = counted(int(claim.errors), "error")
    if claim.sample_weight.size:
        made = f"errors of a weight of at most {rounded_up(claim.errors)} in all,"
    return (
        f"The hyperplane makes {made} telling {claim.labels.shown} from {claim.labels.rest} on "
        f"{counted(claim.examples, 'example')}, counting a score of zero as an error."
    )


@plainly.register
def _(claim: ErrorCount) -> str:
    m = counted(claim.examples, "example")
    if claim.sample_weight.size:
        wrong = f"the errors of this boundary weigh at most {rounded_up(claim.errors)}"
        return f"On these {m} {wrong}, counting what lies exactly on it."
    return f"This boundary gets {int(claim.errors):,} of {m} wrong, counting those exactly on it."


@sentence.register
def _(claim: LeastErrors) -> str:
    which = "hyperplane" if claim.lifted else "hyperplane through the origin"
    fewer = f"fewer than {counted(math.ceil(claim.at_least), 'error')}"
    if claim.sample_weight.size:
        fewer = f"errors of a weight below {rounded_down(claim.at_least)} in all,"
    return (
        f"No {which} makes {fewer} telling {claim.labels.shown} from {claim.labels.rest} on "
        f"{counted(claim.examples, 'example')}, counting a score of zero as an error."
    )


@plainly.register
def _(claim: LeastErrors) -> str:
    which = "flat boundary" if claim.lifted else "flat boundary through the origin"
    m = counted(claim.examples, "example")
    if claim.sample_weight.size:
        return (
            f"On these {m} the errors of any {which} weigh at least "
            f"{rounded_down(claim.at_least)}, counting what lies exactly on it."
        )
    return (
        f"No {which} gets fewer than {math.ceil(claim.at_least):,} of {m} wrong, counting those "
        "exactly on it."
    )


RIGOUR[LeastErrorsByCells] = Rigour(
    exact="All of it: every arrangement of signs is looked at, in integers.",
)


RIGOUR[LeastErrorsByTree] = Rigour(
    exact="All of it: examples that cancel, and cases closed by counting, in integers.",
)
