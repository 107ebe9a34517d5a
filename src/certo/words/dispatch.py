"""Sentences by kind of claim: each module of this package registers those of its kinds."""

from __future__ import annotations

import importlib
import importlib.util
from functools import cache, singledispatch
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


@singledispatch
def whose(claim: Any) -> str:
    """' of …', where it is not plain what has the error rate that a claim bounds."""
    return ""


@singledispatch
def condition(claim: Any) -> str:
    """What new examples must be like besides being drawn alike, for a sentence about them."""
    return ""


@cache
def load(kind: type) -> None:
    """Import the words of a kind, and of the kinds it is made of."""
    for one in kind.__mro__:
        module = one.__module__.replace("certo.certificates.", "certo.words.", 1)
        if module != one.__module__ and importlib.util.find_spec(module) is not None:
            importlib.import_module(module)
