"""Counted errors, and the fewest possible, in words."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from certo.certificates.encoding import counted
from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.least_errors import LeastErrors
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree
from certo.certificates.errors.predictor import Predictor, StatedPredictions
from certo.certificates.errors.training_errors import ErrorClaim, TrainingErrors
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.images import functions_of
from certo.numbers.decimals import rounded_down, rounded_up
from certo.words.dispatch import Words, writes
from certo.words.labels import sides_of
from certo.words.phrases import examples_of
from certo.words.reader import counted_examples
from certo.words.risk import in_plain, test_draws

ALLOWED = "Scores that are level but for rounding, by a proved allowance, may be either."


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


def _gets_wrong(claim: ErrorClaim) -> str:
    classes = len(claim.labels.classes)
    told = f"Telling {classes} classes apart"
    if classes == 2:
        told = f"Telling {sides_of(claim.labels)}"
    some = f"from {claim.surely:,} to {claim.errors:,}" if claim.ties else f"{claim.errors:,}"
    stated = claim.predictor.outputs is None
    computed = "" if stated else ", whether computed exactly or in float64"
    either = f"; {claim.ties:,} may be either, being ties or too close to call"
    return (
        f"{told}, {of_rule(claim.predictor).name} gets {some} of {examples_of(claim)} wrong"
        f"{computed}{either * bool(claim.ties)}."
    )


def _how_many_wrong(claim: ErrorClaim) -> str:
    """'the rule is wrong 3 to 5 times (2 too close to call)'."""
    times = f"wrong {counted(claim.errors, 'time')}" if claim.errors else "never wrong"
    if claim.ties:
        times = f"wrong {claim.surely:,} to {counted(claim.errors, 'time')}"
        times += f" ({claim.ties:,} too close to call)"
    return f"{of_rule(claim.predictor).subject} {times}"


@writes(TrainingErrors, exact="Examples are counted.", rounded=ALLOWED)
def _training_errors(claim: TrainingErrors) -> Words:
    plain = f"On the {counted_examples(claim.examples, 'training')}, {_how_many_wrong(claim)}."
    return Words(_gets_wrong(claim), plain, of_rule(claim.predictor).assumes)


@writes(
    TestErrors,
    exact="Examples are counted.",
    rounded=f"{ALLOWED} Both ends of the interval are shown by sums rounded to the weak side.",
    statistical="The interval of Clopper and Pearson for independent draws, exact for each n.",
)
def _test_errors(claim: TestErrors) -> Words:
    rule, stated = of_rule(claim.predictor), claim.predictor.outputs is None
    whose = f" of {rule.author}" if stated else ""
    have = "has a label" if claim.unknown == 1 else "have labels"
    unknown = f" {claim.unknown:,} of them {have} that the rule does not know."
    follows = "Nothing follows for new data: the upper bound is not below 1."
    if not claim.vacuous:
        follows = in_plain(claim, whose, least=claim.lower)
    return Words(
        f"{_gets_wrong(claim)}{unknown * bool(claim.unknown)} If the examples are independent "
        "draws, not used to fit or to choose anything, then with probability at least "
        f"1 − {claim.delta!r} over their draw the error rate of {rule.author} on new examples is "
        f"at least {rounded_down(claim.lower, 4)} and at most {rounded_up(claim.upper, 4)}.",
        f"On the {counted_examples(claim.examples, 'test')}, {_how_many_wrong(claim)}. {follows}",
        (
            *test_draws(),
            *rule.assumes,
        ),
        whose,
    )


def _task(labels: Labels, examples: str) -> str:
    told = f"telling {sides_of(labels)}"
    return f"{told} on {examples}, counting a score of zero as an error."


@writes(
    ErrorCount,
    exact="All of it: the side of every example, and the sum of the weights (rounded up once).",
)
def _error_count(claim: ErrorCount) -> Words:
    m = examples_of(claim)
    if claim.sample_weight.size:
        most = rounded_up(claim.errors)
        made = f"errors of a weight of at most {most} in all,"
        plain = f"On these {m} the errors of this boundary weigh at most {most}, counting what lies"
    else:
        made = counted(int(claim.errors), "error")
        plain = f"This boundary gets {int(claim.errors):,} of {m} wrong, counting those"
    sentence = f"The hyperplane makes {made} {_task(claim.labels, m)}"
    return Words(sentence, f"{plain} exactly on it.")


@writes(
    LeastErrorsByCells,
    exact="All of it: every arrangement of signs is looked at, in integers.",
)
@writes(
    LeastErrorsByTree,
    exact="All of it: examples that cancel, and cases closed by counting, in integers.",
)
def _least_errors(claim: LeastErrors) -> Words:
    m, through = examples_of(claim), "" if claim.lifted else " through the origin"
    if claim.sample_weight.size:
        least = rounded_down(claim.at_least)
        fewer = f"errors of a weight below {least} in all,"
        errors = f"the errors of any flat boundary{through}"
        plain = f"On these {m} {errors} weigh at least {least}, counting what lies"
    else:
        fewest = math.ceil(claim.at_least)
        fewer = f"fewer than {counted(fewest, 'error')}"
        boundary = f"No flat boundary{through}"
        plain = f"{boundary} gets fewer than {fewest:,} of {m} wrong, counting those"
    sentence = f"No hyperplane{through} makes {fewer} {_task(claim.labels, m)}"
    return Words(sentence, f"{plain} exactly on it.")
