"""Claims about two of several classes, as claims about these examples alone; and votes of pairs."""

from __future__ import annotations

import itertools

import numpy as np

from tests.oracles.truths.samples import codes_of, require


def alone(data, X, y):
    """A claim about the examples of two classes as one of two classes, with their rows; others as
    they are."""
    labels = data.get("labels") or {}
    if labels.get("against") is None:
        return data, X, y
    require(data["type"] in ("SoftMarginGap", "MaximumMargin", "Separable", "Inseparable"))
    classes, own, other = labels["classes"], labels["positive"], labels["against"]
    require(own != other and labels.get("column") is None)
    require(all(type(k) is int and 0 <= k < len(classes) for k in (own, other)))
    codes = np.array(codes_of({"labels": {"classes": classes, "positive": own}}, y))
    require(len(codes) == len(X) and set(codes) <= set(range(len(classes))))
    rows = [t for t in range(len(codes)) if codes[t] in (own, other)]
    place = {t: k for k, t in enumerate(rows)}
    X = np.asarray(X)
    kernel = (data.get("space") or {}).get("kernel") or {}
    X = X[np.ix_(rows, rows)] if kernel.get("name") == "Precomputed" else X[rows]
    found = {**data, "labels": {"classes": [classes[other], classes[own]], "positive": 1}}
    for name in {"rows", "vectors"} & set(data):
        require(all(t in place for t in data[name]))
        found[name] = [place[t] for t in data[name]]
    return found, X, [classes[codes[t]] for t in rows]


def pairs(classes: int) -> list[tuple[int, int]]:
    return list(itertools.combinations(range(classes), 2))


def standing_of_votes(scores, code: int, classes: int, by_confidence: bool) -> int:
    """1: right, 0: a tie that is settled elsewhere, -1: wrong."""
    require(len(scores) == len(pairs(classes)))
    votes = [0] * classes
    for (i, j), score in zip(pairs(classes), scores, strict=True):
        votes[i if score > 0 else j] += 1
    best = [k for k in range(classes) if votes[k] == max(votes)]
    if by_confidence and len(best) > 1:
        return 0 if code in best else -1
    return 1 if best[0] == code else -1


def multipliers_of_pairs(predictor, classes: int) -> list[list[float]]:
    """Those of every vector in each pair, from a table by class."""
    codes, coef = predictor["codes"], predictor["dual_coef"]
    require(len(coef) == classes - 1 and all(len(line) == len(codes) for line in coef))
    found = []
    for i, j in pairs(classes):
        line = []
        for t, code in enumerate(codes):
            others = [k for k in range(classes) if k != code]
            other = {i: j, j: i}.get(code)
            line.append(0.0 if other is None else coef[others.index(other)][t])
        found.append(line)
    return found
