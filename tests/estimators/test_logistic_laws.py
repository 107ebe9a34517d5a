"""Whether an estimate exists: `certo.LogisticRegression` against linear programs."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import linprog

from certo import LogisticRegression
from certo.certificates import LogisticExcess, NoEstimate

SEPARATED = "ignore:No estimate exists:certo.SeparationWarning"


def comparisons(X, codes, mode):
    """e_y ⊗ x̃ − e_k ⊗ x̃ for every example, of class y, and every other class k."""
    Z = np.column_stack([X, np.ones(len(X))]) if mode == "free" else X
    K, p = codes.max() + 1, Z.shape[1]
    rows = []
    for z, y in zip(Z, codes, strict=True):
        for k in set(range(K)) - {y}:
            row = np.zeros((K, p))
            row[y], row[k] = z, -z
            rows.append(row.ravel())
    return np.array(rows)


def is_separated(X, codes, mode):
    """Whether some direction is wrong about no comparison and right about one."""
    A = comparisons(X, codes, mode)
    best = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1))
    return -best.fun > 1e-7


@st.composite
def examples(draw, most_classes=3, near=False):
    K = draw(st.integers(2, most_classes))
    m, d = draw(st.integers(K, 12)), draw(st.integers(1, 3))
    X = draw(arrays(np.float64, (m, d), elements=st.integers(-3, 3).map(float)))
    codes = draw(st.lists(st.integers(0, K - 1), min_size=m, max_size=m))
    codes = np.array([*range(K), *codes[K:]])
    if near:  # a last digit away from where an example is on the plane itself
        nudge = draw(st.sampled_from([2.0**-20, -(2.0**-20), 2.0**-12]))
        X[draw(st.integers(0, m - 1)), 0] += nudge
    return X, codes


@pytest.mark.filterwarnings(SEPARATED)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
class TestExistence:
    @settings(max_examples=60, deadline=None)
    @given(examples(), st.sampled_from(["free", "none"]))
    def test_the_verdict_is_that_of_a_linear_program(self, data, mode):
        X, codes = data
        model = LogisticRegression(intercept=mode).fit(X, codes)
        separated = is_separated(X, codes, mode)
        assert model.estimate_exists_ is (not separated)
        assert model.converged_
        assert model.gap_ <= 1e-8
        assert model.certificate_.verify(X, codes)
        kinds = {type(claim) for claim in model.certificate_}
        assert kinds == ({LogisticExcess, NoEstimate} if separated else {LogisticExcess})
        assert (model.standard_errors_ is None) == separated

    @settings(max_examples=30, deadline=None)
    @given(examples(near=True), st.sampled_from(["free", "none"]))
    def test_nearly_separated(self, data, mode):
        """Never an estimate that is none; and rarely doubt."""
        X, codes = data
        model = LogisticRegression(intercept=mode).fit(X, codes)
        assert model.certificate_.verify(X, codes)
        A = comparisons(X, codes, mode) * 2.0**20
        best = linprog(-A.sum(axis=0), A_ub=-A, b_ub=np.zeros(len(A)), bounds=(-1, 1))
        assume(best.status == 0)  # HiGHS has no answer to some of these programs
        if model.estimate_exists_ is False:
            assert -best.fun > 1e-7
        if -best.fun > 1e-3:
            assert model.estimate_exists_ is not True

    @settings(max_examples=30, deadline=None)
    @given(examples(most_classes=2), st.integers(0, 10_000))
    def test_no_weights_go_below_the_infimum(self, data, seed):
        X, codes = data
        model = LogisticRegression().fit(X, codes)
        random = np.random.default_rng(seed)
        for size in (0.1, 1.0, 10.0, 100.0):
            w = model.coef_[0] + size * random.standard_normal(X.shape[1])
            b = model.intercept_[0] + size * random.standard_normal()
            loss = np.mean(np.logaddexp(0, np.where(codes == 1, -1, 1) * (X @ w + b)))
            assert loss >= model.infimum_
