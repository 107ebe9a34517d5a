"""Sentences by kind of claim: each module of this package registers those of its kinds."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache, singledispatch, update_wrapper
from typing import Any, NamedTuple, TypeVar


class Rigour(NamedTuple):
    """What a claim rests on, a sentence or nothing for each: exact rational arithmetic, rounded
    arithmetic with a proved allowance, and probability."""

    exact: str = ""
    rounded: str = ""
    statistical: str = ""


#: Of every kind of claim.
RIGOUR: dict[type, Rigour] = {}


def rigour(kind: type) -> Rigour:
    """How firmly each part of a claim of this kind stands."""
    _load(kind.__mro__)
    return RIGOUR[kind]


@cache
def _load(kinds: tuple[type, ...]) -> None:
    """Import the words of a kind, and of the kinds it is made of."""
    for one in kinds:
        package, _, module = one.__module__.partition(".certificates.")
        if package == "certo" and "." in module:
            importlib.import_module(f"certo.words.{module.split('.')[0]}")


Sentence = TypeVar("Sentence", bound=Callable[..., Any])


class _ByKind:
    """A function of claims, with a version for each kind, imported when it is asked."""

    def __init__(self, default: Callable[[Any], Any]) -> None:
        self._versions = singledispatch(default)
        update_wrapper(self, default)

    def __call__(self, claim: Any) -> Any:
        _load(type(claim).__mro__)
        return self._versions(claim)

    def register(self, version: Sentence) -> Sentence:
        self._versions.register(version)
        return version


@_ByKind
def sentence(claim: Any) -> str:
    """The claim, in one or two plain sentences."""
    raise TypeError(f"{type(claim).__name__} is not a kind of claim.")


@_ByKind
def plainly(claim: Any) -> str:
    """What the claim means, for someone who knows nothing of the subject."""
    return str(sentence(claim))


@_ByKind
def assumptions(claim: Any) -> tuple[str, ...]:
    """What must be true of the world, beyond the data, for the claim to be true."""
    return ()


@_ByKind
def whose(claim: Any) -> str:
    """' of …', where it is not plain what has the error rate that a claim bounds."""
    return ""


@_ByKind
def condition(claim: Any) -> str:
    """What new examples must be like besides being drawn alike, for a sentence about them."""
    return ""
