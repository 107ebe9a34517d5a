"""Points as hypothesis draws them."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

entries = st.floats(-8, 8, width=32)


def points(d=3, most=6):
    return arrays(np.float64, st.tuples(st.integers(1, most), st.just(d)), elements=entries)
