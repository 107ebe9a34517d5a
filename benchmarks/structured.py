"""Kernels of sequences, trees and graphs beside GraKeL and CountVectorizer, at growing sizes."""

from __future__ import annotations

import re

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from benchmarks import datasets
from benchmarks.harness import BenchTable, alternating, median_ratio, seconds
from certo.kernels import (
    RandomWalk,
    ShortestPath,
    Spectrum,
    Subsequence,
    SubsetTree,
    WeisfeilerLehman,
)


def graph_rows(name: str, graphs: list, kernels: list, repeats: int, seed: int = 0) -> list[dict]:
    """Ours and GraKeL's on the same (edges, labels); reading them is part of both."""
    try:
        import grakel
    except ImportError:
        grakel = None
    rows = []
    for kernel in kernels:
        ours = kernel(graphs)  # compiled, or loaded from the cache
        sides = {"certo": lambda k=kernel: seconds(lambda: k(graphs))}
        difference: float | str = ""
        if grakel is not None:
            theirs = _grakel(grakel, kernel)
            pairs = [(set(edges), labels) for edges, labels in graphs]
            difference = float(np.max(np.abs(theirs().fit_transform(pairs) - ours)))
            sides["grakel"] = lambda p=pairs, t=theirs: seconds(lambda: t().fit_transform(p))
        times = alternating(repeats, **sides)
        row = {
            "data": f"{name}, {len(graphs):,} graphs",
            "kernel": repr(kernel),
            "certo s": float(np.median(times["certo"])),
            "ns a value": 1e9 * float(np.median(times["certo"])) / len(graphs) ** 2,
        }
        if grakel is not None:
            row |= {
                "GraKeL s": float(np.median(times["grakel"])),
                "GraKeL / certo": median_ratio(times["grakel"], times["certo"]),
                "largest difference": difference,
            }
        rows.append(row)
    return rows


def _grakel(grakel, kernel):
    """What makes the same kernel there."""
    if isinstance(kernel, WeisfeilerLehman):
        base = grakel.VertexHistogram
        return lambda: grakel.WeisfeilerLehman(n_iter=kernel.iterations, base_graph_kernel=base)
    return lambda: grakel.ShortestPath(with_labels=kernel.labels)


def spectrum_row(texts: list[str], k: int, repeats: int) -> dict:
    texts = [re.sub(r"\s\s+", " ", text) for text in texts]  # as CountVectorizer does

    def rival():
        counts = CountVectorizer(analyzer="char", ngram_range=(k, k), lowercase=False)
        C = counts.fit_transform(texts)
        return C @ C.T

    kernel = Spectrum(k)
    equal = np.array_equal(kernel(texts), rival().toarray())
    times = alternating(
        repeats,
        certo=lambda: seconds(lambda: kernel(texts)),
        rival=lambda: seconds(rival),
    )
    return {
        "data": f"{len(texts):,} messages",
        "k": k,
        "certo s": float(np.median(times["certo"])),
        "CountVectorizer s": float(np.median(times["rival"])),
        "ratio": median_ratio(times["rival"], times["certo"]),
        "equal": "yes" if equal else "no",
    }


def subsequence_row(names: list[str], length: int, repeats: int) -> dict:
    kernel = Subsequence(length, decay=0.5)
    kernel(names[:10])
    taken = float(np.median([seconds(lambda: kernel(names)) for _ in range(repeats)]))
    letters = np.array([len(name) for name in names], dtype=float)
    cells = length * (letters.sum() ** 2 + (letters**2).sum()) / 2  # of one half of the matrix
    return {
        "data": f"{len(names):,} names",
        "length": length,
        "certo s": taken,
        "cells": f"{cells:.3g}",
        "ns a cell, both cores": 1e9 * taken / cells,
        "ns a cell and core": 2e9 * taken / cells,
    }


def tree_row(trees: list[str], repeats: int) -> dict:
    kernel = SubsetTree(decay=0.4)
    kernel(trees[:10])
    taken = float(np.median([seconds(lambda: kernel(trees)) for _ in range(repeats)]))
    half = len(trees) * (len(trees) + 1) / 2
    return {"data": f"{len(trees):,} parses", "certo s": taken, "µs a pair": 1e6 * taken / half}


def check_row(name: str, points: list, kernel, repeats: int) -> dict:
    """The matrix as a check computes it, by NumPy and SciPy alone, beside the compiled one."""
    X = kernel.examples(points)
    kernel(X)
    times = alternating(
        repeats,
        compiled=lambda: seconds(lambda: kernel(X)),
        check=lambda: seconds(lambda: kernel.plain(X, X)),
    )
    return {
        "data": f"{name}, {len(points):,}",
        "kernel": repr(kernel),
        "compiled s": float(np.median(times["compiled"])),
        "check s": float(np.median(times["check"])),
        "check / compiled": median_ratio(times["check"], times["compiled"]),
    }


def run(quick: bool = False) -> list[BenchTable]:
    repeats = 1 if quick else 3
    graphs = BenchTable(
        "Gram matrices of graphs",
        "From edges and labels to the matrix, on both sides. Medians of alternating runs",
    )
    for name, kernels in {
        "MUTAG": [WeisfeilerLehman(5), ShortestPath()],
        "PTC_MR": [WeisfeilerLehman(5), ShortestPath()],
        "PROTEINS": [WeisfeilerLehman(5), ShortestPath()],
        "NCI1": [WeisfeilerLehman(5)],
    }.items():
        found = datasets.molecules(name)
        sizes = [None] if name != "NCI1" else [1000, 2000, None]
        for size in [100] if quick else sizes:
            if found is not None:
                graphs.rows += graph_rows(name, found[:size], kernels, repeats)
    texts = datasets.messages()
    spectrum = BenchTable(
        "Spectrum kernels of text messages",
        'Certo\'s dense Gram matrix beside CountVectorizer(analyzer="char") and the sparse product',
    )
    for size in [500] if quick else [1000, 2500, None]:
        if texts is not None:
            spectrum.rows += [spectrum_row(texts[:size], k, repeats) for k in (3, 5)]
    names = datasets.surnames(2000)
    gaps = BenchTable(
        "Gap-weighted subsequences", "A cell is one number of the dynamic programme: length·|x|·|z|"
    )
    for size in [200] if quick else [500, 1000, 2000]:
        gaps.rows += [subsequence_row(names[:size], length, repeats) for length in (2, 4)]
    parses = datasets.parses()
    trees = BenchTable("Subset trees of questions", "TREC questions with their parse trees")
    for size in [100] if quick else [500, 1000, 2000]:
        if parses is not None:
            trees.rows.append(tree_row(parses[:size], repeats))
    checks = BenchTable(
        "Gram matrices in checks", "What a check computes by NumPy and SciPy beside compiled loops"
    )
    for size in [100] if quick else [500, 1000]:
        checks.rows.append(check_row("names", names[:size], Subsequence(3), repeats))
        found = datasets.molecules("MUTAG")
        if found is not None:
            checks.rows.append(check_row("MUTAG", found[:size], RandomWalk(0.01), repeats))
    tables = [graphs, spectrum, gaps, trees, checks]
    return [table for table in tables if table.rows]
