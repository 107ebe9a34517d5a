"""Sentences by kind of claim: each module of this package registers those of its kinds."""

from __future__ import annotations

from functools import singledispatch
from typing import Any, NamedTuple


class Rigour(NamedTuple):
    """What a claim rests on, a sentence or nothing for each: exact rational arithmetic, rounded
    arithmetic with a proved allowance, and probability."""

    exact: str = ""
    rounded: str = ""
    statistical: str = ""


#: of every kind of claim
RIGOUR: dict[type, Rigour] = {}


@singledispatch
def sentence(claim: Any) -> str:
    """The claim, in one or two plain sentences."""
    raise TypeError(f"{type(claim).__name__} is no kind of claim that has words.")


@singledispatch
def plainly(claim: Any) -> str:
    """What the claim means, for someone who knows nothing of the subject."""
    return sentence(claim)


@singledispatch
def assumptions(claim: Any) -> tuple[str, ...]:
    """What must be true of the world, beyond the data, for the claim to be true."""
    return ()
