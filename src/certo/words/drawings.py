"""Sentences of errors about what cannot be drawn, from the facts that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def many_features_of_a_curve(features: int) -> str:
    return f"fitted_curve draws one feature, but X has {features}."


def no_density_in_the_plane(shape: tuple[int, ...]) -> str:
    return (
        f"a density is drawn of one or two features, but X has shape {shape}. Fit it to two of the "
        "columns, or look at the distribution of model.score_samples(X)."
    )


def no_regions_in_the_plane(shape: tuple[int, ...]) -> str:
    return f"regions are drawn of two features, but X has shape {shape}."


def no_world_in_the_plane(world: Any) -> str:
    return f"world draws one or two features, and {world!r} has more."


def no_hyperplane_of_a_kernel(what: str, kernel: Any) -> str:
    return (
        f"{what} draws a hyperplane, but this machine has the kernel {kernel!r}: use plots.regions "
        "(of two features) or plots.scores."
    )


def no_common_hyperplane(what: str) -> str:
    return f"{what} draws a hyperplane, but several classes at once have none in common."


def layers_do_not_fit(layer: int, weights: int, inputs: int) -> str:
    return (
        f"network: a neuron of layer {layer} has {weights} weights, but {inputs} inputs come from "
        "the layer before."
    )


def not_two_classes(what: str, classes: int) -> str:
    return f"{what} is drawn of two classes, but the model has {classes}."


def one_class_only(what: str) -> str:
    return f"{what} needs examples of both classes, but y has one of them only."


def other_labels(examples: int, shape: tuple[int, ...]) -> str:
    return f"y must have one label for each of the {examples} rows of K, got shape {shape}."


def no_such_update(kept: Sequence[int], number: Any) -> str:
    last = f", … {kept[-1]}" * (len(kept) > 5)
    return (
        "update must be one of those whose weights the trace has, "
        f"{', '.join(map(str, kept[:5]))}{last}, got {number!r}."
    )


def no_boundaries_in_the_plane(features: int) -> str:
    return (
        f"successive boundaries are drawn in the plane, but the examples have {features} features."
    )


def no_successive_boundaries(who: str) -> str:
    return (
        "successive boundaries need the weights after each update, which a "
        f"{who} does not keep; fit a Perceptron."
    )
