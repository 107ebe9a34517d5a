"""Images of a kernel, and sums over them, against the plain Gram matrix."""

import numpy as np
import pytest
from scipy import sparse

from certo.compiled import threads
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.solvers import gram
from certo.solvers.gram import GaussianImages, images_of, scores

M, D = 61, 12
KERNELS = [
    Gaussian(0.1), Gaussian(3.0), Gaussian(1e4), Linear(), Polynomial(3), Polynomial(2, 0.1, 0.0),
    Gaussian(2.0) + Linear(), Polynomial(2) * Gaussian(5.0), 0.01 * Gaussian(1.0),
    Polynomial(3).normalised(),
]  # fmt: skip


def stores():
    random = np.random.default_rng(0)
    X = random.standard_normal((M, D))
    few = np.where(random.random((M, D)) < 0.1, X, 0.0)
    few[3] = 0.0
    clusters = X + np.where(np.arange(M) % 2 == 0, 1e5, -1e5)[:, None]
    column = np.zeros((M, 40))
    column[:, 7], column[:, 8] = 1e6 + random.random(M), random.random(M)
    return {
        "dense": X,
        "float32": X.astype(np.float32),
        "few entries": few,
        "few entries, float32": few.astype(np.float32),
        "CSR": sparse.csr_array(few),
        "CSR matrix, float32": sparse.csr_matrix(few.astype(np.float32)),
        "CSR with many entries": sparse.csr_array(X),
        "binary": (random.random((M, D)) < 0.1).astype(float),
        "halves": np.rint(3 * X) / 2,
        "whole": np.rint(2 * X),
        "far from the origin": X + 1e5,
        "whole, far": np.rint(X) + 1e5,
        "two clusters, far apart": clusters,
        "CSR, far from the origin": sparse.csr_array(column),
        "one feature": X[:, :1].copy(),
        "constant": np.ones((M, 2)),
        "zero": np.zeros((M, 2)),
    }


STORES = stores()
ROWS = {
    "all": None,
    "some": np.array([5, 0, 59, 17, 3, 44]),
    "one": np.array([8]),
    "none": np.arange(0),
    "every other": np.arange(0, M, 2),
}


@pytest.fixture(params=["one tile", "many tiles"])
def tiles(request, monkeypatch):
    """Tiles and pieces so small that there are many, in several threads."""
    if request.param == "many tiles":
        monkeypatch.setattr(gram, "TILE_SHAPE", (7, 16))
        monkeypatch.setattr(gram, "BLOCK_VALUES", 50)
        monkeypatch.setattr(gram, "STRIP_VALUES", 50)
        monkeypatch.setattr(threads, "MIN_WORK_PER_THREAD", 1)
        monkeypatch.setattr(threads, "_cores", lambda: 3)


def plain(kernel, X):
    return kernel.plain(X, kernel.take(X, slice(None)))


def check_images(kernel, X, images, exact=1e-12, rough=1e-4):
    K = plain(kernel, X)
    size = 1 + np.abs(K).max()
    random = np.random.default_rng(1)
    for rows in ROWS.values():
        if rows is not None:
            part = K[np.ix_(rows, rows)]
            block = images.block(rows, np.float64)
            assert block.dtype == np.float64
            assert block.flags.c_contiguous
            np.testing.assert_allclose(block, part, atol=exact * size)
            if images.single is np.float32:
                block = images.block(rows, np.float32)
                assert block.dtype == np.float32
                np.testing.assert_allclose(block, part, rtol=rough, atol=rough)
        for columns in ROWS.values():
            columns = np.arange(M) if columns is None else columns
            coef = random.standard_normal(columns.size)
            before = random.standard_normal(M if rows is None else rows.size)
            out = before.copy()
            images.add(out, rows, columns, coef)
            want = (K if rows is None else K[rows])[:, columns] @ coef
            np.testing.assert_allclose(out - before, want, atol=20 * exact * size)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_blocks_and_sums_of_any_rows(kernel, store):
    X = kernel.examples(STORES[store])
    far = "far" in store and isinstance(kernel, Gaussian)
    check_images(kernel, X, images_of(kernel, X, 1.0), exact=1e-7 if far else 1e-12)


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("kernel", [Gaussian(3.0), Polynomial(3)], ids=repr)
def test_any_tiles(kernel, store, tiles):
    X = kernel.examples(STORES[store])
    check_images(kernel, X, images_of(kernel, X, 1.0), exact=1e-7 if "far" in store else 1e-12)


@pytest.mark.parametrize("cache_mb", [0.0, 0.01, 1.0])
@pytest.mark.parametrize("store", ["dense", "CSR", "binary", "float32"])
def test_rows_that_are_kept(store, cache_mb, tiles, monkeypatch):
    monkeypatch.setattr(gram, "KEEP_ABOVE_NANOSECONDS", 0.0)
    kernel = Gaussian(3.0)
    X = kernel.examples(STORES[store])
    images = images_of(kernel, X, cache_mb)
    room = min(M, int(cache_mb * 2**20) // (8 * M))
    for _ in range(2):
        check_images(kernel, X, images)
    assert images._kept.shape == (room, M)
    assert images._used == room
    np.testing.assert_allclose(
        images._kept[images._place[images._place >= 0]],
        plain(kernel, X)[images._place >= 0], atol=1e-12,
    )  # fmt: skip


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("outputs", [(), (3,)])
@pytest.mark.parametrize("kernel", [Gaussian(3.0), Polynomial(2)], ids=repr)
def test_scores_of_any_points(kernel, outputs, store, tiles):
    X = kernel.examples(STORES[store])
    K, random = plain(kernel, X), np.random.default_rng(2)
    exact = 1e-7 if "far" in store else 1e-11
    for points, centres in [(M, 20), (5, M), (1, 1), (0, 4), (4, 0)]:
        coef = random.standard_normal((centres, *outputs))
        got = scores(kernel, X[:points], X[:centres], coef)
        assert got.shape == (points, *outputs)
        assert got.dtype == np.float64
        want = K[:points, :centres] @ coef
        np.testing.assert_allclose(got, want, atol=exact * (1 + np.abs(K).max()))


@pytest.mark.parametrize("store", ["dense", "CSR", "far from the origin"])
@pytest.mark.parametrize("kernel", [Gaussian(3.0), Polynomial(2)], ids=repr)
def test_groups_of_centres_have_sums_of_their_own(kernel, store, tiles):
    X = kernel.examples(STORES[store])
    coef = np.random.default_rng(2).standard_normal((M, 3))
    groups = [slice(0, 20), slice(20, 20), slice(20, 45), slice(45, M)]
    got = gram.sums(kernel, X, X, coef, groups).values
    assert got.shape == (M, 4, 3)
    exact = 1e-7 if "far" in store else 1e-11
    K = plain(kernel, X)
    for k, group in enumerate(groups):
        want = K[:, group] @ coef[group]
        np.testing.assert_allclose(got[:, k], want, atol=exact * (1 + np.abs(K).max()))


def test_points_and_centres_in_different_stores():
    kernel, names = Gaussian(3.0), ["few entries", "CSR", "CSR matrix, float32"]
    coef = np.random.default_rng(3).standard_normal(M)
    for left in [*names, "dense"]:
        for right in [*names, "dense"]:
            X, Z = STORES[left], STORES[right]
            np.testing.assert_allclose(
                scores(kernel, X, Z, coef), kernel.plain(X, Z) @ coef, atol=1e-12
            )


def test_matrices_and_objects():
    def letters(a, b):
        return len(set(a) & set(b))

    random = np.random.default_rng(4)
    words = ["".join(random.choice(list("abcdefg"), 4)) for _ in range(M)]
    for kernel, X in [
        (Function(letters), words),
        (Precomputed(), Gaussian(3.0)(STORES["dense"])),
        (2.0 * Precomputed(), Gaussian(3.0)(STORES["dense"])),
    ]:
        check_images(kernel, X, images_of(kernel, X, 1.0))


def test_float32_is_enough_only_where_it_is():
    X = STORES["dense"]
    assert images_of(Gaussian(3.0), X, 0).single is np.float32
    assert images_of(Gaussian(1e-4), X, 0).single is np.float64
    assert images_of(Gaussian(1e-4), STORES["binary"], 0).single is np.float32  # exact
    assert images_of(Polynomial(30), X * 1e3, 0).single is np.float64


def test_inner_products_that_are_exact_in_float32_stay_there():
    assert images_of(Gaussian(1.0), STORES["binary"], 0).points.dtype == np.float32
    assert images_of(Gaussian(1.0), STORES["halves"], 0).points.dtype == np.float32
    assert images_of(Gaussian(1.0), STORES["dense"], 0).points.dtype == np.float64
    assert images_of(Gaussian(1.0), STORES["whole, far"], 0).points.dtype == np.float32
    spread = np.rint(STORES["dense"]) * 1e5
    assert images_of(Gaussian(1e10), spread, 0).points.dtype == np.float64


def test_fractions_of_255_are_whole_numbers_in_float32():
    X = np.random.default_rng(7).integers(0, 256, (M, 9)) / 255
    for stored in (X, sparse.csr_array(np.where(X < 0.9, 0, X))):
        images = images_of(Gaussian(1.0), stored, 1.0)
        assert images.points.dtype == np.float32
        check_images(Gaussian(1.0), stored, images)


@pytest.mark.parametrize("spread", [1.0, 1e4, 1e6, 1e9])
def test_a_point_is_like_itself_however_far_the_others(spread):
    """Where inner products do not tell distances, differences do."""
    X = np.random.default_rng(5).standard_normal((20, 3)) * spread
    images = images_of(Gaussian(1.0), X, 1.0)
    assert isinstance(images, GaussianImages) == (spread == 1.0)
    np.testing.assert_allclose(images.block(np.arange(20), np.float64).diagonal(), 1, atol=1e-12)
    if spread > 1.0:
        coef = np.random.default_rng(6).standard_normal(20)
        np.testing.assert_allclose(scores(Gaussian(1.0), X, X, coef), coef, atol=1e-12)
