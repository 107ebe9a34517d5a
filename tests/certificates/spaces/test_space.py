"""Spaces as values: written with their names, read with a look, imported when they are named."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from certo.certificates import (
    Images,
    KernelSample,
    Labels,
    MaximumMargin,
    Sample,
    Vectors,
    spaces,
)
from certo.certificates.spaces.space import Space
from certo.issue.machines import function, hyperplane
from certo.kernels import Gaussian, Linear, Precomputed

SPACES = [Vectors(), Images(Gaussian(2.0), 0.0), Images(Precomputed(), 1e-9)]


@pytest.mark.parametrize("space", SPACES, ids=repr)
def test_json_there_and_back(space):
    again = Space.from_dict(json.loads(json.dumps(space.to_dict())))
    assert again == space
    assert type(again) is type(space)
    assert type(space).__name__ in spaces.SPACES


@pytest.mark.parametrize(
    "data",
    [None, "Vectors", {}, {"name": "Nowhere"}, {"name": ["Vectors"]}, {"name": "Images"},
     {"name": "Vectors", "kernel": {"name": "Linear"}}, {"name": "importlib"},
     {"name": "Images", "kernel": {"name": "Linear"}, "shift": 1.0},
     {"name": "Images", "kernel": {"name": "Precomputed"}, "shift": -1.0},
     {"name": "Images", "kernel": {"name": "Precomputed"}, "shift": float("inf")}],
    ids=str,
)  # fmt: skip
def test_values_that_are_not_spaces_are_refused(data):
    with pytest.raises(ValueError, match="must"):
        Space.from_dict(data)


@pytest.mark.parametrize("space", [None, "Vectors", Linear(), object], ids=repr)
def test_a_claim_needs_a_space(space):
    machine = np.ones(1), 0.0, np.arange(2), np.ones(2)
    with pytest.raises(ValueError, match="space must be a space"):
        MaximumMargin(Labels((0, 1)), space, 2, *machine, "free", 1.0, 2.0)


def test_both_spaces_agree_where_the_kernel_is_linear():
    rng = np.random.default_rng(0)
    X, signs = rng.integers(-4, 5, (12, 3)).astype(float), rng.choice([-1, 1], 12)
    rows, dual_coef = np.array([1, 4, 7]), np.array([0.5, -2.0, 1.0])
    vectors, images = Sample(X, signs), KernelSample(Linear(), X, signs)
    w = hyperplane(X[rows].T @ dual_coef, 0.25)
    one = vectors.space.margins(vectors, w)
    other = images.space.margins(images, function(rows, dual_coef, 0.25))
    assert np.all(np.abs(one.value - other.value) <= one.slack + other.slack)
    assert abs(one.square().value - other.square().value) <= other.square().within
    v2 = vectors.space.combined(one, w._replace(rows=rows, dual_coef=dual_coef))
    assert abs(v2.value - one.square().value) <= v2.within
    least = min(one.least()[0], other.least()[0])
    assert one.below(least) is other.below(least) is None
    assert one.below(least + 1) is not None
    assert other.below(least + 1) is not None
    longest = max(vectors.square(t) for t in range(12))
    for sample in (vectors, images):
        assert sample.space.longest2(sample) >= longest
        assert sample.space.longer_than(sample, longest * (1 + Fraction(1, 10**9))) is None
        assert sample.space.longer_than(sample, longest * (1 - Fraction(1, 10**9))) is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    "module",
    ["margins.soft_margin_gap", "margins.maximum_margin", "runs.expected_excess",
     "runs.mistake_bound", "risk.support_bound"],
)  # fmt: skip
def test_claims_about_hyperplanes_need_no_kernels(module):
    code = (
        f"import sys, certo.certificates.{module}; from certo.certificates import Vectors; "
        "print([name for name in sys.modules if 'kernels' in name or 'images' in name])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
