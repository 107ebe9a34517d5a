"""Phrases that several sentences share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from certo.certificates.encoding import says_nothing
from certo.certificates.sample.labels import Labels
from certo.certificates.spaces.space import Space, SpaceClaim
from certo.numbers import exact
from certo.numbers.decimals import rounded_up
from certo.words.labels import rest_of, shown_of
from certo.words.reader import counted_examples, example


def examples_of(claim: Any) -> str:
    """'12 examples'; 'rows' of a table."""
    return counted_examples(claim.examples)


def counting(some: int, examples: int) -> str:
    """'12 examples', '8 examples of positive weight (of 12)'."""
    return counted_examples(some) + (
        f" of positive weight (of {examples:,})" if some < examples else ""
    )


def one_side(labels: Labels, positive: bool, examples: str) -> str:
    """That all of the examples, as counted in words, are of the positive class, or none is."""
    only = shown_of(labels) if positive else rest_of(labels)
    if only == "the rest":  # It may be several classes.
        return f"None of the {examples} is {shown_of(labels)}."
    return f"The {example()}s have one class alone: all {examples} are {only}."


def weighted(examples: int, weights: np.ndarray) -> str:
    """'12 examples', '12 weighted examples'."""
    return counted_examples(examples, "weighted" if weights.size else "")


def percent(share: float | Fraction) -> str:
    """'0.013 %', not below the share: for 'by more than …'. Less than 0.0001 % is shown as that."""
    hundredth = Fraction(share) * 100
    if hundredth > 99:
        return f"{-(-hundredth // 1)} %"
    if 0 < hundredth <= Fraction(1, 10_000):
        return "0.0001 %"
    return f"{rounded_up(exact.above(hundredth), 2)} %"


def no_better(others: str, examples: int, share: float | Fraction) -> str:
    """That others could lower what a fit minimises by no more than a share of it, for anyone."""
    on = f"on these {counted_examples(examples)}"
    if says_nothing(share):
        return f"Nothing is proved about how much lower what the fit minimises could be, {on}."
    most = percent(share)
    return f"No other {others} could lower what the fit minimises, {on}, by more than {most}."


def space_of(space: Space) -> str:
    """The space of a kernel, in words."""
    shifted = f" + {space.shift!r} on the diagonal" if space.shift else ""
    return f"the space of {space.kernel!r}{shifted}"


def functions_are_kernels(claim: SpaceClaim) -> tuple[str, ...]:
    """What is assumed of the Python functions that a kernel is made of."""
    return tuple(
        f"the function {part!r} is symmetric and positive semi-definite, and always the same"
        for part in claim.space.functions
    )
