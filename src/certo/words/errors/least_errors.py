"""LeastErrors, LeastErrorsByCells, LeastErrorsByTree in words."""

from __future__ import annotations

import math

from certo.certificates.encoding import counted, rounded_down
from certo.certificates.errors.least_errors import LeastErrors
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree
from certo.words.dispatch import RIGOUR, Rigour, plainly, sentence


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
