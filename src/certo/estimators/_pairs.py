"""One machine for each pair of classes: its examples, its multipliers, and how the pairs vote.

Everything is arranged as in scikit-learn's `SVC`: the pairs (i, j), i < j, in the order (0, 1),
(0, 2), …, and class i on the positive side. A support of class i has a multiplier in each of the
pairs of i with another class: its column of `dual_coef_` holds these, in the order of the others.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.multiclass import _ovr_decision_function

from certo.certificates.sample.labels import Labels
from certo.certificates.sample.pairs import pair_labels, pairs_of
from certo.estimators import _input

PAIRS_FROM_CLASSES = 3
#: What `SVM` and `HardMarginSVM` do with several classes.
SETTINGS = {
    "multiclass": _input.one_of("pairs", "rest"),
    "decision_function_shape": _input.one_of("ovr", "ovo"),
    "break_ties": _input.FLAG,
}


def check_settings(machine: Any) -> None:
    _input.check_settings(machine, SETTINGS)
    if machine.decision_function_shape == "ovo":
        if machine.multiclass == "rest":
            raise ValueError(
                "decision_function_shape='ovo' gives the scores of pairs of classes, but with "
                "multiclass='rest' there are none. Leave one of the two out."
            )
        if machine.break_ties:
            raise ValueError(
                "break_ties=True settles ties by the scores of the classes, which "
                "decision_function_shape='ovo' does not give. Leave one of the two out."
            )


def are_paired(machine: Any, classes: np.ndarray) -> bool:
    """Whether the settings ask for a machine for each pair of these classes."""
    return machine.multiclass == "pairs" and len(classes) >= PAIRS_FROM_CLASSES


class Pair(NamedTuple):
    """The examples of two classes: their rows among all, and their signs."""

    labels: Labels
    rows: np.ndarray
    signs: np.ndarray


def pairs_in(classes: np.ndarray, codes: np.ndarray) -> list[Pair]:
    """The pairs of classes, from the places of the labels of the examples among them."""
    rows = [np.flatnonzero(codes == k) for k in range(len(classes))]
    found = []
    for labels in pair_labels(tuple(classes.tolist())):
        i, j = labels.positive or 0, labels.against or 0
        some = np.sort(np.concatenate([rows[i], rows[j]]))
        found.append(Pair(labels, some, np.where(codes[some] == i, 1, -1).astype(np.int8)))
    return found


def lines_of(codes: np.ndarray, classes: int) -> np.ndarray:
    """For each pair and support: the row of `dual_coef_` that has its multiplier there; −1, if it
    is of neither class."""
    lines = np.full((len(pairs_of(classes)), codes.size), -1)
    for line, (i, j) in zip(lines, pairs_of(classes), strict=True):
        line[codes == i], line[codes == j] = j - 1, i
    return lines


def line_of_pair(codes: np.ndarray, classes: int, output: int) -> np.ndarray:
    """The same for one pair."""
    i, j = pairs_of(classes)[output]
    return np.where(codes == i, j - 1, np.where(codes == j, i, -1))


def arranged(
    rows: list[np.ndarray], dual_coef: list[np.ndarray], codes: np.ndarray, classes: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The supports of all pairs in increasing order, their multipliers as above, and which of these
    belong to the pair (some that belong are 0); `codes` are the places of the classes of all
    examples."""
    every = np.concatenate(rows)
    support = np.unique(every)
    i, j = np.repeat(np.array(pairs_of(classes)), [part.size for part in rows], axis=0).T
    lines, columns = np.where(codes[every] == i, j - 1, i), np.searchsorted(support, every)
    table = np.zeros((classes - 1, support.size))
    belongs = np.zeros(table.shape, dtype=bool)
    table[lines, columns], belongs[lines, columns] = np.concatenate(dual_coef), True
    return support, table, belongs


def by_pair(table: np.ndarray, codes: np.ndarray, classes: int) -> np.ndarray:
    """What is arranged by lines, with a row for each pair instead, and 0 for other classes."""
    every = np.zeros((len(pairs_of(classes)), codes.size), table.dtype)
    for line, (i, j) in zip(every, pairs_of(classes), strict=True):
        first, second = codes == i, codes == j
        line[first], line[second] = table[j - 1, first], table[i, second]
    return every


def most_votes(scores: np.ndarray, classes: int) -> np.ndarray:
    """The place of the class that most pairs vote for, of several the first: a score above 0 is a
    vote for the first class of its pair, as in LIBSVM."""
    first, second = np.array(pairs_of(classes)).T
    for_first, for_second = np.zeros((2, len(first), classes), np.float32)
    pairs = np.arange(len(first))
    for_first[pairs, first] = for_second[pairs, second] = 1
    above = (scores > 0).astype(np.float32)
    return np.argmax(above @ (for_first - for_second) + for_second.sum(axis=0), axis=1)


def scores_of_classes(scores: np.ndarray, classes: int) -> np.ndarray:
    """scikit-learn's "ovr" scores: the votes for a class, and less than a half more or less by how
    clear they were."""
    return _ovr_decision_function(scores < 0, -scores, classes)
