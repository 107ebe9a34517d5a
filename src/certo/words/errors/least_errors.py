"""ErrorCount, LeastErrors, LeastErrorsByCells, LeastErrorsByTree in words."""

from __future__ import annotations

import math

from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.errors.least_errors import (
    ErrorCount,
    LeastErrors,
    LeastErrorsByCells,
    LeastErrorsByTree,
)
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence

RIGOUR[ErrorCount] = Rigour(
    exact="All of it: the side of every example, and the sum of the weights (rounded up once).",
)


@sentence.register
def _(claim: ErrorCount) -> str:
    made = counted(int(claim.errors), "error")
    if claim.sample_weight.size:
        made = f"errors of a weight of at most {rounded_up(claim.errors)} in all,"
    return (
        f"The hyperplane makes {made} telling {claim.labels.shown} from "
        f"{claim.labels.rest} on {counted(claim.examples, 'example')}, a score of zero being one."
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
        f"No {which} makes {fewer} telling {claim.labels.shown} from "
        f"{claim.labels.rest} on {counted(claim.examples, 'example')}, a score of zero being one."
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
    exact="All of it: every arrangement of signs is looked at, in whole numbers.",
)


RIGOUR[LeastErrorsByTree] = Rigour(
    exact="All of it: examples that cancel, and cases closed by counting, in whole numbers.",
)
