"""What a linear machine looks at: its weights, in the units of the table and in scaled ones."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from certo.tables.examples import Examples

MAX_WEIGHTS_KEPT = 2000  # Weights that the facts of a fit hold; the largest are kept.
Output = tuple[str, np.ndarray, float]  # What a score is for, its weights, its intercept.


def weights(outputs: Iterable[Output], examples: Examples) -> list[dict[str, Any]]:
    """Each output with its weights, those of the most influence first.

    A score is Σ weight·x + intercept. "original": x is what the table holds. "scaled": each one,
    be it a column of numbers, a level of a category or a count of words, less its mean over its
    standard deviation, on the training rows (less its mean alone where it is constant). So a level
    that few rows have does not come before one that many have for its weight alone.
    """
    encoder, outputs = examples.encoder, list(outputs)
    names = list(encoder.get_feature_names_out())
    mean, deviation = np.zeros(len(names)), np.ones(len(names))
    if encoder.scaler_ is not None:
        numbers = len(encoder.number_names_)
        mean[:numbers], deviation[:numbers] = encoder.scaler_.mean_, encoder.scaler_.scale_
    seen = StandardScaler(with_mean=False).fit(examples.X)
    most = max(1, MAX_WEIGHTS_KEPT // max(1, len(outputs)))
    found = []
    for name, coef, intercept in outputs:
        original, scaled = coef / deviation, coef * seen.scale_
        of_original = intercept - float(original @ mean)
        of_scaled = intercept + float(coef @ seen.mean_)
        order = np.argsort(-np.abs(scaled), kind="stable")[:most]
        found.append(
            {
                "output": name,
                "total": len(names),
                "intercept": {"original": of_original, "scaled": of_scaled},
                "rows": [
                    {"name": names[k], "original": float(original[k]), "scaled": float(scaled[k])}
                    for k in order.tolist()
                ],
            }
        )
    return found
