"""ErrorCount in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.errors.error_count import ErrorCount
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
