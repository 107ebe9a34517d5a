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
    """Each output with its weights, the largest of scaled columns first.

    A score is Σ weight·x + intercept. "original": x is what the table holds. "scaled": each numeric
    column less its mean over its standard deviation, on the training rows. 0/1 features of the
    levels of a category are the same in both.
    """
    encoder, outputs = examples.encoder, list(outputs)
    names = list(encoder.get_feature_names_out())
    numbers = len(encoder.number_names_)
    mean, deviation = np.zeros(len(names)), np.ones(len(names))
    scaler = encoder.scaler_
    if scaler is None and numbers:
        part = examples.X[:, :numbers]
        scaler = StandardScaler().fit(part.toarray() if hasattr(part, "toarray") else part)
    if scaler is not None:
        mean[:numbers], deviation[:numbers] = scaler.mean_, scaler.scale_
    most = max(1, MAX_WEIGHTS_KEPT // max(1, len(outputs)))
    found = []
    for name, coef, intercept in outputs:
        if encoder.scaler_ is not None:
            scaled, original = coef, coef / deviation
            of_scaled, of_original = intercept, intercept - float(original @ mean)
        else:
            scaled, original = coef * deviation, coef
            of_scaled, of_original = intercept + float(coef @ mean), intercept
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
