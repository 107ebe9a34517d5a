"""Sentences of errors, from the facts that they carry."""

from __future__ import annotations

from typing import Any

from certo.words.reader import examples_at


def not_separable(error: Any) -> str:
    """Of a `NotSeparable`: which examples no hyperplane, or no function of a space, separates."""
    labels, kernel = error.labels, error.kernel
    who = f"{labels.shown} from {labels.rest}"
    if kernel is None:
        origin = " through the origin" * error.through_origin
        sides = "all be on their own side" if len(error.rows) > 1 else "be on its own side"
        return (
            f"HardMarginSVM needs classes that a hyperplane can separate, but none separates "
            f"{who}{origin}: {examples_at(error.rows)} cannot {sides}. The error's `proof` "
            "shows why."
        )
    advice = (
        "A richer kernel (of a higher degree, or a smaller variance) may separate them"
        if error.equal_rows is None
        else f"No kernel can: {examples_at(error.equal_rows)} are equal"
    )
    return (
        f"HardMarginSVM needs classes that a function of the space of {kernel!r} can separate, but "
        f"float64 shows none that separates {who}: already on {examples_at(error.rows)}, "
        f"the margin is at most about {error.margin:.2g}, where examples have a length of up to "
        f"{error.length:.3g}. {advice}. SVM allows errors."
    )
