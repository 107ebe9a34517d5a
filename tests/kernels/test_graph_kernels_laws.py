"""What holds of every kernel of graphs: closed forms, GraKeL's values, refusals."""

import numpy as np
import pytest

from certo.kernels import RandomWalk, ShortestPath, WeisfeilerLehman


def test_closed_forms():
    """Of a cycle without labels every vertex looks alike; K = n·m/(1 − 4·decay)."""
    cycles = [([(k, (k + 1) % n) for k in range(n)], None) for n in (3, 5, 8)]
    n = np.array([3, 5, 8])
    assert np.array_equal(WeisfeilerLehman(4)(cycles), 5 * np.outer(n, n))
    near = 0.25 * (1 - 1e-4)
    np.testing.assert_allclose(RandomWalk(near)(cycles), np.outer(n, n) / (1 - 4 * near), rtol=1e-9)
    assert np.array_equal(ShortestPath()(cycles[:2]), [[36, 60], [60, 200]])


SOME = [
    ([], "O"),
    ([(1, 2)], "NCC"),
    ([(0, 2), (1, 3), (1, 4), (2, 3)], "NNNOO"),
    ([(0, 3), (0, 4), (1, 2), (1, 3), (3, 5), (4, 5)], "OCCOOO"),
    ([(0, 1), (0, 2), (0, 4), (0, 5), (1, 5), (2, 4), (2, 6), (2, 7), (3, 7), (6, 7)], "CNNNCCNO"),
]
#: what GraKeL 0.1.11 says of them: WeisfeilerLehman(n_iter=3), ShortestPath(with_labels=…)
GRAKEL = {
    WeisfeilerLehman(3): [
        [4, 0, 2, 4, 1],
        [0, 20, 3, 6, 10],
        [2, 3, 28, 8, 15],
        [4, 6, 8, 48, 10],
        [1, 10, 15, 10, 52],
    ],
    ShortestPath(): [
        [0, 0, 0, 0, 0],
        [0, 4, 0, 4, 8],
        [0, 0, 40, 8, 40],
        [0, 4, 8, 124, 26],
        [0, 8, 40, 26, 182],
    ],
    ShortestPath(labels=False): [
        [0, 0, 0, 0, 0],
        [0, 4, 16, 24, 40],
        [0, 16, 120, 184, 336],
        [0, 24, 184, 284, 520],
        [0, 40, 336, 520, 960],
    ],
}


@pytest.mark.parametrize("kernel", GRAKEL, ids=repr)
def test_gram_matrices_are_those_of_grakel(kernel):
    assert np.array_equal(kernel(SOME), GRAKEL[kernel])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        *((lambda bad=bad: WeisfeilerLehman(bad), "iterations") for bad in (-1, 1.5, True, 10**9)),
        *(
            (lambda bad=bad: ShortestPath(bad), "labels must be True or")
            for bad in (1, "yes", None)
        ),
        *((lambda bad=bad: RandomWalk(bad), "decay must be a") for bad in (0.0, np.nan, None, "2")),
    ],
)
def test_bad_parameters(make, words):
    with pytest.raises(ValueError, match=words):
        make()
