"""A given matrix is proved to be a Gram matrix once, not in every fit to it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV

from certo import SVM
from certo.estimators import _gram_proofs
from certo.kernels import Gaussian, NotPositive, Precomputed

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X[:, 0] > 0


@pytest.fixture
def proved(monkeypatch) -> list[np.ndarray]:
    """The matrices that a proof was made for."""
    made: list[np.ndarray] = []
    check = _gram_proofs.check_gram
    monkeypatch.setattr(_gram_proofs, "_shifts", {})
    monkeypatch.setattr(_gram_proofs, "check_gram", lambda K: made.append(K) or check(K))
    return made


def test_a_search_proves_each_fold_once(proved):
    settings = {"C": [0.1, 1.0, 10.0, 100.0]}
    GridSearchCV(SVM(Precomputed()), settings, cv=3).fit(Gaussian(1.0)(X), Y)
    assert len(proved) == 3 + 1  # Twelve fits to folds, and one to all rows.


def test_other_numbers_are_proved_anew(proved):
    K = Gaussian(1.0)(X)
    SVM(Precomputed()).fit(K, Y)
    broken = K.copy()
    broken[0, 1] = broken[1, 0] = 2.0
    for _ in range(2):  # What was refused is not remembered.
        with pytest.raises(NotPositive):
            SVM(Precomputed()).fit(broken, Y)
    SVM(Precomputed()).fit(K.astype(np.float32), Y)
    assert len(proved) == 4


def test_what_is_remembered_is_bounded(proved):
    for k in range(_gram_proofs.MAX_REMEMBERED + 5):
        _gram_proofs.proved_shift(np.eye(2) * (k + 1))
    assert len(_gram_proofs._shifts) == _gram_proofs.MAX_REMEMBERED
    _gram_proofs.proved_shift(np.eye(2))
    assert len(proved) == _gram_proofs.MAX_REMEMBERED + 6
