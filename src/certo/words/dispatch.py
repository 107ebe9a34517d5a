"""Words by kind of claim: each module of this package writes those of its kinds."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from certo.certificates.sample.labels import Labels
from certo.words.labels import against, name_of


class Rigour(NamedTuple):
    """What a claim rests on, a sentence or nothing for each: exact rational arithmetic, rounded
    arithmetic with a proved allowance, and probability."""

    exact: str = ""
    rounded: str = ""
    statistical: str = ""


class Words(NamedTuple):
    """What is said of a claim."""

    sentence: str  # The claim, in one or two plain sentences.
    plain: str  # What the claim means, for someone who knows nothing of the subject.
    assumes: tuple[str, ...] = ()  # What must be true of the world, beyond the data.
    whose: str = ""  # ' of …', where it is not plain what has the error rate that is bounded.
    condition: str = ""  # What new examples must be like besides being drawn alike.


Writer = TypeVar("Writer", bound=Callable[[Any], Words])
_WORDS_BY_KIND: dict[type, tuple[Rigour, Callable[[Any], Words]]] = {}


def writes(kind: type, **rigour: str) -> Callable[[Writer], Writer]:
    """The function below writes the words of claims of this kind, whose rigour this is."""

    def keep(writer: Writer) -> Writer:
        _WORDS_BY_KIND[kind] = Rigour(**rigour), writer
        return writer

    return keep


def _words_of_kind(kind: type) -> tuple[Rigour, Callable[[Any], Words]]:
    for one in kind.__mro__:
        package, _, module = one.__module__.partition(".certificates.")
        if one not in _WORDS_BY_KIND and package == "certo" and "." in module:
            importlib.import_module(f"certo.words.{module.split('.')[0]}")
        if one in _WORDS_BY_KIND:
            return _WORDS_BY_KIND[one]
    raise TypeError(f"{kind.__name__} is not a kind of claim.")


def about(claim: Any) -> str:
    """Which classes a claim tells apart; nothing, if it is about all that there are to predict."""
    from certo.certificates import LogisticExcess, NoEstimate, OnlineToBatch, TrainingErrors

    labels, all_at_once = claim.labels, (LogisticExcess, NoEstimate, OnlineToBatch, TrainingErrors)
    of_all = isinstance(claim, all_at_once) or getattr(claim, "of_predictions", False)
    if not isinstance(labels, Labels) or (of_all and len(labels.classes) == 2):
        return ""
    if of_all or labels.positive is None:
        return "all classes"
    return name_of(labels) if labels.column is not None else against(labels)


def rigour(kind: type) -> Rigour:
    """How firmly each part of a claim of this kind stands."""
    return _words_of_kind(kind)[0]


def words_of(claim: Any) -> Words:
    """What is said of a claim, for the current reader."""
    return _words_of_kind(type(claim))[1](claim)


def sentence(claim: Any) -> str:
    return words_of(claim).sentence


def plainly(claim: Any) -> str:
    return words_of(claim).plain


def assumptions(claim: Any) -> tuple[str, ...]:
    return words_of(claim).assumes
