"""English: what a claim says, what it means, what it assumes, and how firmly it stands.

The words of `certo.certificates.ROOM.FILE` are in `certo.words.ROOM.FILE`. No check imports this
package: `certificate.claim` reaches for it when it is asked.
"""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache
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
    _load(type(claim).__mro__)
    return dispatch.sentence(claim)


def plainly(claim: Any) -> str:
    """What the claim means, for someone who knows nothing of the subject."""
    _load(type(claim).__mro__)
    return dispatch.plainly(claim)


def assumptions(claim: Any) -> tuple[str, ...]:
    """What must be true of the world, beyond the data, for the claim to be true."""
    _load(type(claim).__mro__)
    return dispatch.assumptions(claim)


def rigour(kind: type) -> Rigour:
    """How firmly each part of a claim of this kind stands."""
    _load(kind.__mro__)
    return dispatch.RIGOUR[kind]


@cache
def _load(kinds: tuple[type, ...]) -> None:
    """Import the words of a kind, and of the kinds it is made of."""
    for one in kinds:
        module = one.__module__.replace("certo.certificates.", "certo.words.", 1)
        if module != one.__module__ and importlib.util.find_spec(module) is not None:
            importlib.import_module(module)
