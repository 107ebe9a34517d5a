"""Rules of kernel machines, whose errors are counted."""

from __future__ import annotations

import json

import numpy as np

from certo.certificates import Certificate, KernelPredictor, TrainingErrors
from certo.issue.errors import issue_training_errors
from certo.kernels import Gaussian, Polynomial


def test_kernel_rules_and_several_labels():
    random = np.random.default_rng(3)
    X, y = random.standard_normal((30, 2)), random.integers(0, 2, (30, 2))
    rule = KernelPredictor(Gaussian(1.0), X[:8], random.standard_normal((1, 8)), [0.0])
    claim = issue_training_errors(X, y, (0, 1), rule, column=1)
    scores = rule.kernel.plain(X, X[:8]) @ rule.dual_coef[0]
    assert claim.errors == np.count_nonzero((scores > 0) != y[:, 1])
    assert claim.verify(X, y)
    assert not claim.verify(X, 1 - y)
    assert not claim.verify(X, y[:, 1])
    assert Certificate.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim
    wide = KernelPredictor(Polynomial(2), X[:8], random.standard_normal((1, 8)), [0.0])
    assert "features" in TrainingErrors(claim.labels, wide, 30, 30, 30).verify(X[:, :1], y).why
