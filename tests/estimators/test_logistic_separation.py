"""Whether an estimate exists: verdicts on indicators as they are and standardised."""

import numpy as np
import pytest
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from certo import LogisticRegression


def indicators(m=300, levels=(3, 4, 2, 5), classes=2, noise=1.0, seed=0):
    """Indicators of categorical variables, and classes that depend on them, with noise."""
    random = np.random.default_rng(seed)
    values = np.column_stack([random.integers(0, n, m) for n in levels])
    X = OneHotEncoder(sparse_output=False).fit_transform(values)
    scores = 2 * X @ random.standard_normal((X.shape[1], classes))
    return X, np.argmax(scores + noise * random.gumbel(size=(m, classes)), axis=1)


def standardised(X):
    return StandardScaler().fit_transform(X)


@pytest.mark.parametrize("classes", [2, 3])
def test_standardised_indicators_stay_exactly_dependent(classes):
    """Each has two values, so that a categorical variable's columns keep their relation, with
    other coefficients: an estimate that exists is proved to exist."""
    X, y = indicators(classes=classes)
    raw, scaled = LogisticRegression().fit(X, y), LogisticRegression().fit(standardised(X), y)
    assert raw.estimate_exists_ is True
    assert scaled.estimate_exists_ is True
    assert scaled.rank_ == raw.rank_ == 10
    assert scaled.risk_ == pytest.approx(raw.risk_, abs=raw.gap_ + scaled.gap_)
    assert scaled.certificate_.verify(standardised(X), y)
