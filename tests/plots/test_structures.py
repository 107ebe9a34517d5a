"""Pictures of Gram matrices: every example where it belongs, every class named."""

from __future__ import annotations

import io

import numpy as np
import pytest
from sklearn.decomposition import KernelPCA

from certo import plots
from certo.kernels import Gaussian, Spectrum

RNG = np.random.default_rng(5)


def points(m=30, classes=3):
    X, y = RNG.normal(size=(m, 4)), np.arange(m) % classes
    return Gaussian(2.0)(X + y[:, None]), y


def drawn(ax):
    ax.figure.savefig(io.BytesIO(), format="png")
    return ax


def test_the_heat_map_has_classes_together_and_named():
    K, y = points()
    ax = drawn(plots.gram(K, np.array(["c", "a", "b"])[y]))
    order = np.concatenate([np.flatnonzero(y == k) for k in (1, 2, 0)])  # a, b, c
    np.testing.assert_array_equal(ax.images[0].get_array(), K[np.ix_(order, order)])
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b", "c"]
    assert ax.get_yticks().tolist() == [4.5, 14.5, 24.5]
    assert len(ax.lines) == 4  # two borders, across and down


def test_colours_are_those_of_different_examples():
    K = np.eye(20) * 1000 + RNG.uniform(1, 2, (20, 20))
    low, high = plots.gram((K + K.T) / 2).images[0].get_clim()
    assert 1 <= low < high <= 2


def test_kernel_pca_is_that_of_scikit_learn():
    K, y = points()
    ax = drawn(plots.kernel_pca(K, y))
    seen = np.empty((30, 2))
    for k, part in enumerate(ax.collections):
        seen[y == k] = part.get_offsets()
    expected = KernelPCA(2, kernel="precomputed").fit_transform(K)
    np.testing.assert_allclose(np.abs(seen), np.abs(expected), atol=1e-9)
    means = K.mean(axis=0)
    variance = np.trace(K - means - means[:, None] + means.mean())
    assert f"{np.sum(expected[:, 0] ** 2) / variance:.0%} of the variance" in ax.get_xlabel()
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["0", "1", "2"]


@pytest.mark.slow
def test_many_classes_are_named_where_they_are():
    K, y = points(60, 12)
    ax = drawn(plots.kernel_pca(K, y))
    assert {text.get_text() for text in ax.texts} == {str(k) for k in range(12)}
    assert ax.get_legend() is None
    boxes = [text.get_window_extent() for text in ax.texts]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    crowded = drawn(plots.gram(*points(120, 60)))
    assert 0 < len(crowded.get_yticks()) <= 25


@pytest.mark.parametrize("words", [["one"], ["one", "two"], ["same", "same", "same"], ["", ""]])
def test_few_and_equal_examples(words):
    K = Spectrum(1)(words, progress=False) if any(words) else np.zeros((2, 2))
    drawn(plots.gram(K))
    ax = drawn(plots.kernel_pca(K))
    assert len(ax.collections[0].get_offsets()) == len(words)


@pytest.mark.slow
def test_of_many_examples_some_are_drawn():
    K = np.full((1200, 1200), 0.5) + 0.5 * np.eye(1200)
    for draw in (plots.gram, plots.kernel_pca):
        assert "1,000 of 1,200 drawn" in draw(K).get_xlabel()


@pytest.mark.parametrize("draw", [plots.gram, plots.kernel_pca])
def test_undrawable_input_is_refused(draw):
    for K, y, why in (
        (np.ones((2, 3)), None, "square"),
        ([[1.0, 2.0], [0.0, 1.0]], None, "symmetric"),
        (np.eye(3), [1, 2], "one label for each of the 3 rows"),
        (np.empty((0, 0)), None, "nothing to draw"),
    ):
        with pytest.raises(ValueError, match=why):
            draw(K, y)
