"""What a claim's labels make of y, and rows with their signs, in rationals."""

from __future__ import annotations

import numpy as np

from tests.oracles.truths.arithmetic import ONE, rational, table


class Mismatch(Exception):
    """The data are not of the kind that the claim speaks of, which is then false."""


def require(condition) -> None:
    if not condition:
        raise Mismatch


def labels_of(data, y, unknown: int = 0) -> list:
    """y, if all labels but so many are classes of the claim."""
    labels = data["labels"]
    y = np.asarray(y)
    if labels.get("column") is not None:
        require(y.ndim == 2 and labels["column"] < y.shape[1])
        y = y[:, labels["column"]]
    y = y.tolist()
    classes = labels["classes"]
    matches = [sum(label == c for c in classes) for label in y]
    require(matches.count(0) == unknown and max(matches) <= 1)
    return y


def signs_of(data, y) -> list[int]:
    labels = data["labels"]
    own = labels["classes"][labels["positive"]]
    return [1 if label == own else -1 for label in labels_of(data, y)]


def codes_of(data, y) -> list[int]:
    """The places of the classes; −1: none of them."""
    classes, y = data["labels"]["classes"], labels_of(data, y, data.get("unknown", 0))
    return [classes.index(label) if label in classes else -1 for label in y]


def rows_of(data, X, features: int | None = None) -> list:
    """The rows of X, if they are as many, and as long, as the claim says."""
    rows = table(X)
    require(len(rows) == data["examples"])
    require(features is None or all(len(row) == features for row in rows))
    return rows


def lifted(rows, lift: bool) -> list:
    return [[*row, ONE] for row in rows] if lift else rows


def signed(rows, signs) -> list:
    return [[s * v for v in row] for row, s in zip(rows, signs, strict=True)]


def comparisons(rows, codes, classes: int) -> dict:
    """(t, k) ↦ z_{t,k} = e_y ⊗ x − e_k ⊗ x, for every class k but the own one, y."""
    zero = [rational(0)] * len(rows[0])
    found = {}
    for t, (x, y) in enumerate(zip(rows, codes, strict=True)):
        for k in range(classes):
            if k != y:
                blocks = [zero] * classes
                blocks[y], blocks[k] = x, [-v for v in x]
                found[t, k] = [v for block in blocks for v in block]
    return found
