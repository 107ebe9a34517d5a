"""Which classes a claim tells apart, as one would say it."""

from __future__ import annotations

from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Unlabelled, Values


def shown_of(labels: Labels) -> str:
    """The positive class as one would write it: text in quotes, numbers without."""
    if labels.positive is None or labels.column is not None:
        return name_of(labels)
    return repr(labels.classes[labels.positive])


def rest_of(labels: Labels) -> str:
    """What the positive class is told from."""
    if labels.against is not None:
        return repr(labels.classes[labels.against])
    if labels.positive is not None and labels.column is None and len(labels.classes) == 2:
        return repr(labels.classes[1 - labels.positive])
    return "the rest"


def sides_of(labels: Labels) -> str:
    """'setosa' from the rest."""
    return f"{shown_of(labels)} from {rest_of(labels)}"


def against(labels: Labels) -> str:
    """'setosa' against the rest."""
    return f"{shown_of(labels)} against {rest_of(labels)}"


def name_of(labels: Labels | Values | Unlabelled) -> str:
    """What a claim is about: setosa, or label 3, or all classes, or setosa against virginica; y."""
    if isinstance(labels, Unlabelled):
        return "X alone"
    if isinstance(labels, Values):
        return "y" if labels.outputs == 1 else f"{labels.outputs} columns of y"
    if labels.column is not None:
        return f"label {labels.column}"
    if labels.against is not None:
        return f"{labels.classes[labels.positive or 0]} against {labels.classes[labels.against]}"
    return "all classes" if labels.positive is None else str(labels.classes[labels.positive])
