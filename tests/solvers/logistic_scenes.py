"""Examples of several classes, in several storages."""

import numpy as np
from scipy import sparse


def data(seed, m=60, d=7, classes=3, storage="dense"):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, d)) * (rng.random((m, d)) < 0.6)
    scores = X @ rng.standard_normal((d, classes)) + rng.gumbel(size=(m, classes))
    codes = np.argmax(scores, axis=1)
    codes[:classes] = np.arange(classes)
    return (sparse.csr_array(X) if storage == "csr" else X), codes


STORAGES = ("dense", "csr")
