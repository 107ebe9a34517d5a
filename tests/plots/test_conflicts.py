"""Pictures of examples that no hyperplane separates: they meet in a point."""

from __future__ import annotations

import io

import numpy as np
import pytest
from scipy import sparse

from certo import plots, separability
from tests.plots.scenes import XOR

RNG = np.random.default_rng(1)


def star(ax):
    return next(line for line in ax.lines if line.get_marker() == "*")


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_examples_that_make_separation_impossible_meet_in_a_point(kind):
    proof = separability(kind(XOR), [0, 0, 1, 1])
    ax = plots.conflict(proof, kind(XOR), [0, 0, 1, 1], places=[11, 12, 13, 14])
    assert star(ax).get_xydata().tolist() == [[0.5, 0.5]]
    assert {text.get_text() for text in ax.texts} == {"11", "12", "13", "14"}
    spokes = [line for line in ax.lines if len(line.get_xydata()) == 2]
    assert len(spokes) == 4
    assert all(line.get_xydata()[0].tolist() == [0.5, 0.5] for line in spokes)


def test_without_an_intercept_one_class_is_mirrored():
    X, y = np.array([[1.0, 1], [2, 2], [3, 0]]), np.array(["a", "b", "b"])
    proof = separability(X, y, intercept="none")
    ax = plots.conflict(proof, X, y)
    assert star(ax).get_label() == "the origin"
    assert star(ax).get_xydata() == pytest.approx(np.zeros((1, 2)), abs=1e-12)
    assert "a: mirrored" in ax.get_xlabel()


def test_titles_name_both_sides_and_the_origin_where_it_matters():
    X, y = np.array([[1.0], [2], [3], [2]]), np.array(list("abbc"))
    verdict = separability(X, y)
    rest, pair = verdict.one_against_rest[2], verdict.pair("b", "c")
    assert plots.conflict(rest, X, y).get_title().endswith(":\nc and the rest")
    both = y != "a"
    assert plots.conflict(pair, X[both], y[both]).get_title().endswith(":\nc and b")
    through = separability(X, y, "none").one_against_rest[0]
    assert "hyperplane through the origin" in plots.conflict(through, X, y).get_title()
    alone = separability([[1.0], [-1]], ["p", "p"], "none")
    title = plots.conflict(alone, np.array([[1.0], [-1]]), ["p", "p"]).get_title()
    assert title == "No hyperplane through the origin has these on one side:\np"


@pytest.mark.parametrize("d", [1, 3, 40])
def test_conflicts_in_other_dimensions(d):
    X = RNG.integers(0, 3, (200, d)).astype(float)
    y = RNG.integers(0, 2, 200)
    proof = separability(X, y)
    ax = plots.conflict(proof, X, y)
    ax.figure.savefig(io.BytesIO(), format="svg")
    assert ax.get_xlabel() == ("x1" if d == 1 else "main direction of these examples")
    assert sum(len(part.get_offsets()) for part in ax.collections) == 200
