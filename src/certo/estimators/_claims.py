"""Claims of a fit, or the reasons why they are not made."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from certo.certificates.base import CannotClaim, Certificate
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.sample.labels import Labels
from certo.words.labels import rest_of, shown_of

Claim = Certificate | NotClaimed


def attempt(kind: type[Certificate], labels: Labels, issue: Callable[[], Certificate]) -> Claim:
    """What `issue` claims for these labels; or that it cannot, with the reason."""
    try:
        return issue()
    except CannotClaim as reason:
        return refuse(kind, labels, reason)


def refuse(kind: type[Certificate], labels: Labels, reason: object) -> NotClaimed:
    pair = "" if labels.against is None else f" against {rest_of(labels)}"
    return NotClaimed(kind.__name__, f"{shown_of(labels)}{pair}: {reason}")


def composite(made: Iterable[Claim]) -> Composite:
    """All claims in one; the same reason is given once."""
    made = list(made)
    return Composite(
        tuple(claim for claim in made if isinstance(claim, Certificate)),
        tuple(dict.fromkeys(claim for claim in made if isinstance(claim, NotClaimed))),
    )
