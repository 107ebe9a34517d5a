"""Trees as hypothesis draws them, and kernels of trees as defined, in exact arithmetic."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from certo.kernels import Tree
from certo.numbers.rounding import gamma

decays = st.sampled_from([1.0, 0.4, 0.1, 1e-60])

few = st.sampled_from("abä")

trees = st.recursive(
    st.builds(Tree, few),
    lambda below: st.builds(Tree, few, st.lists(below, min_size=1, max_size=3)),
    max_leaves=12,
)

collections = st.lists(trees, max_size=4)


def exactly(delta, X, Z):
    return [[sum(delta(n, m) for n in x.nodes() for m in z.nodes()) for z in Z] for x in X]


def worst(values, truth, relative, absolute):
    """The largest |value − truth| beyond what is allowed; at most 0 if none is."""
    return max(
        (
            abs(Fraction(v) - t) - Fraction(relative) * t - Fraction(absolute)
            for row, exact in zip(values.tolist(), truth, strict=True)
            for v, t in zip(row, exact, strict=True)
        ),
        default=0,
    )


def check_pairs(kernel, delta, X, Z):
    """Every block of the kernel is within its rounding of Σ Δ, as `delta` defines it."""
    truth, own = exactly(delta, X, Z), [exactly(delta, [x], [x])[0] for x in X]
    X, Z = kernel.examples(X), kernel.examples(Z)
    relative, absolute = kernel.rounding(X, Z)
    assert relative == kernel.closeness(X, Z) < 1e-12
    assert absolute == 0
    assert worst(kernel.plain(X, Z), truth, relative, 0) <= 0
    assert worst(kernel.diagonal(X)[:, None], own, relative, 0) <= 0
    most = gamma(max([tree.size for tree in [*X, *Z]], default=1) ** 2)  # one sum over all pairs
    assert worst(kernel(X, Z), truth, relative + most, 0) <= 0
    K, plain = kernel(X), kernel.plain(X, X)
    assert np.array_equal(K, K.T)
    assert np.array_equal(K, plain) if kernel.decay == 1 else np.allclose(K, plain, 1e-12, 0)
