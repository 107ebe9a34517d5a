"""Collections of objects: what is one, and what is not."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from certo import SVM
from certo.kernels import Spectrum, WeisfeilerLehman
from tests.kernels.structures import DATA


def test_folds_of_examples_that_are_read_share_what_was_found_out():
    X, y = [*DATA["sequences"][0], *DATA["sequences"][1]], [0] * 8 + [1] * 8
    read = Spectrum(2).examples(X)
    assert read[[2, 0], ...].base is read.base
    assert np.mean(cross_val_score(SVM(Spectrum(2)), read, y, cv=2)) == 1.0


def test_what_is_no_collection_of_sequences():
    with pytest.raises(ValueError, match="as a list, got set"):
        Spectrum(2)({"ab", "bc"})
    with pytest.raises(ValueError, match="table of shape"):
        Spectrum(2)(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="X is one"):
        WeisfeilerLehman()(([(0, 1)], {0: "C", 1: "O"}))
    with pytest.raises(ValueError, match=r"kernels of strings, as kernel=Spectrum\(3\)"):
        SVM().fit(["abc", "abd"], [0, 1])
    with pytest.raises(ValueError, match="one column"):
        Spectrum(2)(np.array([["abc"], ["abd"]]))
