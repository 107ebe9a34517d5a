"""Similarities repaired inside a pipeline."""

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline

from certo import SVM
from certo.features import RepairedSimilarity
from certo.kernels import Precomputed, is_psd, repair


def test_a_repair_inside_each_fold():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(-1, 1, (30, 2)), random.normal(1, 1, (30, 2))])
    y = np.repeat([0, 1], 30)
    distances = np.abs(X[:, None] - X).sum(axis=2)
    S = 1 - np.minimum(distances, 3) / 2  # no kernel
    assert not is_psd(S)
    machine = make_pipeline(RepairedSimilarity("flip"), SVM(Precomputed()))
    found = cross_val_score(machine, S, y, cv=StratifiedKFold(5))
    for score, (train, test) in zip(found, StratifiedKFold(5).split(S, y), strict=True):
        fixed = repair(S[np.ix_(train, train)], "flip")
        by_hand = SVM(Precomputed()).fit(fixed.kernel, y[train])
        assert score == by_hand.score(fixed.transform(S[np.ix_(test, train)]), y[test])
