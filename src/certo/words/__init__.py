"""English: what a claim says, what it means, what it assumes, and how firmly it stands.

The words of `certo.certificates.ROOM.FILE` are in `certo.words.ROOM.FILE`. No check imports this
package: `certificate.claim` reaches for it when it is asked.
"""

from __future__ import annotations

from typing import Any

from certo.words import dispatch
from certo.words.dispatch import Rigour
from certo.words.pages import (
    claim_html,
    class_verdicts,
    composite_html,
    composite_text,
    page_html,
    page_sentences,
    page_text,
)
from certo.words.risk.risk_bound import weaker

__all__ = [
    "Rigour",
    "assumptions",
    "claim_html",
    "class_verdicts",
    "composite_html",
    "composite_text",
    "page_html",
    "page_sentences",
    "page_text",
    "plainly",
    "rigour",
    "sentence",
    "weaker",
]


def sentence(claim: Any) -> str:
    """The claim, in one or two plain sentences."""
    dispatch.load(type(claim))
    return dispatch.sentence(claim)


def plainly(claim: Any) -> str:
    """What the claim means, for someone who knows nothing of the subject."""
    dispatch.load(type(claim))
    return dispatch.plainly(claim)


def assumptions(claim: Any) -> tuple[str, ...]:
    """What must be true of the world, beyond the data, for the claim to be true."""
    dispatch.load(type(claim))
    return dispatch.assumptions(claim)


def rigour(kind: type) -> Rigour:
    """How firmly each part of a claim of this kind stands."""
    dispatch.load(kind)
    return dispatch.RIGOUR[kind]
