"""Tables for tests of examples in blocks, and ways to cut them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def table(m=3000, d=4, seed=0, dtype=np.float64):
    """X, a label of two, a label of three, and a number."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(m, d)) + 1).astype(dtype)
    s = (X - 1) @ rng.normal(size=d)
    two = np.where(s + rng.logistic(size=m) > 0.3, "up", "down")
    three = np.digitize(s + rng.logistic(size=m), [-1.0, 1.0])
    return X, two, three, s + rng.normal(size=m)


def cuts(m, seed=0):
    """Row numbers at which blocks may end: all at once, one apart, and odd ones."""
    rng = np.random.default_rng(seed)
    odd = np.unique(np.append(rng.integers(1, m, 7), m)).tolist()
    return [[m], [1, m], odd, [*range(97, m, 97), m]]


def write_parquet(folder, X, y, group=777):
    """Two files with odd row groups."""
    names = [f"x{j}" for j in range(X.shape[1])]
    whole = pa.table({**dict(zip(names, X.T, strict=True)), "y": y})
    middle = len(y) // 3
    pq.write_table(whole.slice(0, middle), folder / "a.parquet", row_group_size=group)
    pq.write_table(whole.slice(middle), folder / "b.parquet", row_group_size=group // 3)
    return names
