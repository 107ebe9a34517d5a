"""Examples of all classes at once: the place of each label among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from certo.certificates.sample.examples import Sample, SampleMismatch, exact_matrix
from certo.certificates.sample.labels import Labels


def class_sample(X, y, classes: Sequence[Any]) -> Sample:
    """X, and instead of signs the place of every label among the classes."""
    X = exact_matrix(X)
    codes = Labels(tuple(classes), 0).places(y)
    if X.shape[0] != codes.size:
        raise SampleMismatch(f"X has {X.shape[0]} rows, but y has {codes.size} labels.")
    if not codes.size:
        raise SampleMismatch("X has no rows: there is nothing to check.")
    return Sample(X, codes)


def check_classes(labels: Labels, of_column: bool = False) -> None:
    """ValueError, unless there are several classes, the last of them positive;
    with `of_column`, or the two of one column of y."""
    K = len(labels.classes)
    column = labels.column is not None and not (of_column and K == 2)
    if K < 2 or labels.positive != K - 1 or column:
        raise ValueError("labels must have two classes or more, the last positive, and no column.")


def output_signs(codes: np.ndarray, output: int, outputs: int) -> np.ndarray:
    """+1 for the class of an output (of one alone: the second, or the sign +1), −1 for others."""
    own = 1 if outputs == 1 else output
    return np.where(codes == own, 1, -1).astype(np.int8)
