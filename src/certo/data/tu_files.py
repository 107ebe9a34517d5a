"""Collections of graphs in the text format of TU Dortmund's benchmark sets."""

from __future__ import annotations

from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np

from certo.data.problem import Problem
from certo.kernels.graph import COMMON_LABEL, Graph


def read_tu(folder: str | Path) -> tuple[list[Graph], np.ndarray]:
    """The graphs in a folder, and their classes.

    A set NAME has the files NAME_A.txt (edges "i, j" of vertices numbered from 1 through all
    graphs), NAME_graph_indicator.txt (the graph of each vertex), NAME_graph_labels.txt (the class
    of each graph) and, maybe, NAME_node_labels.txt; of several labels at a vertex, all count.
    Without that file all vertices are alike. Other files are not read.

    Parameters
    ----------
    folder : path

    Returns
    -------
    graphs : list of Graph
    y : array of integers (or of numbers, if some class is not whole)
    """
    folder = Path(folder)
    found = sorted(folder.glob("*_A.txt"))
    if len(found) != 1:
        raise Problem(
            f"{folder} must hold one file NAME_A.txt with the edges of all graphs, but there are "
            f"{len(found)}. Pass the folder of one set."
        )
    name = found[0].name.removesuffix("_A.txt")
    graph = _numbers(folder / f"{name}_graph_indicator.txt", 1)[:, 0]
    edges = _numbers(found[0], 2) - 1
    y = _classes(folder / f"{name}_graph_labels.txt")
    n, m = graph.size, y.size
    if np.any((graph < 1) | (graph > m)):
        raise Problem(
            f"{name}_graph_indicator.txt must number graphs from 1 to {m}, as many as "
            f"{name}_graph_labels.txt has, but number {_first((graph < 1) | (graph > m))} in it is "
            "another."
        )
    bad = np.any((edges < 0) | (edges >= n), axis=1)
    if not np.any(bad):
        bad = graph[edges[:, 0]] != graph[edges[:, 1]]
    if np.any(bad):
        raise Problem(
            f"{name}_A.txt must join vertices 1 to {n} of the same graph, but edge {_first(bad)} "
            "does not."
        )
    file = folder / f"{name}_node_labels.txt"
    labels = _labels(file, n) if file.exists() else [COMMON_LABEL] * n
    order, first = _grouped(graph, m)
    place = np.empty(n, np.int64)  # The place of each vertex in its graph.
    place[order] = np.arange(n) - first[graph[order] - 1]
    by_graph, start = _grouped(graph[edges[:, 0]], m)
    ends, labels = place[edges[by_graph]].tolist(), [labels[v] for v in order]
    graphs = [
        Graph(ends[slice(*those)], labels[slice(*these)])
        for those, these in zip(pairwise(start), pairwise(first), strict=True)
    ]
    return graphs, y


def _grouped(graph: np.ndarray, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Places ordered by graphs 1 … m, and where each graph starts."""
    order = np.argsort(graph, kind="stable")
    return order, np.searchsorted(graph[order], np.arange(1, m + 2))


def _classes(file: Path) -> np.ndarray:
    """Integers, exactly; or finite numbers, if one is not whole."""
    try:
        return _numbers(file, 1)[:, 0]
    except Problem:  # The numbers are not integers, such as 0.5.
        y = _numbers(file, 1, float)[:, 0]
    whole = y == np.round(y)
    bad = ~np.isfinite(y) | (whole & (np.abs(y) >= 2.0**53))
    if np.any(bad):
        raise Problem(
            f"{file.name} must hold 64-bit integers, or finite numbers with integers below "
            f"2^53 among them, but line {_first(bad)} has {y[np.argmax(bad)]:.17g}."
        )
    return y.astype(np.int64) if np.all(whole) else y


def _labels(file: Path, n: int) -> list:
    table = _numbers(file, None)
    if len(table) != n:
        raise Problem(f"{file.name} must have {n} lines, one a vertex, but it has {len(table)}.")
    rows = table.tolist()
    return [row[0] for row in rows] if table.shape[1] == 1 else [tuple(row) for row in rows]


def _numbers(file: Path, columns: int | None, kind: type = int) -> np.ndarray:
    """The numbers of a file, separated by commas; so many on each line."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise Problem(f"{file} is missing; a set of graphs needs it.") from None
    except (OSError, UnicodeDecodeError) as wrong:
        raise Problem(f"{file} cannot be read: {wrong}.") from wrong
    if not text.strip():
        return np.empty((0, columns or 1), kind)
    try:
        table: np.ndarray = np.loadtxt(StringIO(text), kind, delimiter=",", comments=None, ndmin=2)
    except ValueError as wrong:
        raise Problem(
            f"{file.name} must hold as many {'integers' if kind is int else 'numbers'} on each "
            f"line, separated by commas: {wrong} (Rows are counted from 0.)"
        ) from None
    if columns not in (None, table.shape[1]):
        raise Problem(f"{file.name} must have {columns} on each line, not {table.shape[1]}.")
    return table


def _first(bad: np.ndarray) -> int:
    return int(np.argmax(bad)) + 1
