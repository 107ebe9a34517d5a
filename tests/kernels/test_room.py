"""What an auditor runs: without Numba, scikit-learn, or anything of the prover's."""

import subprocess
import sys

CODE = """
import sys
for name in ("numba", "sklearn", "highspy", "certo.compiled", "certo.solvers"):
    sys.modules[name] = None  # importing it fails from now on
import numpy as np
from scipy import sparse
from certo.kernels import Function, Gaussian, Kernel, Linear, Polynomial, Precomputed
from certo.kernels.semidefinite import check_gram, is_shown_psd
from certo.rkhs import Expansion
X = np.arange(12.0).reshape(4, 3)
for kernel in (Linear(), Polynomial(2), Gaussian(9.0), Linear().normalised() + 2 * Gaussian(1.0)):
    for points in (X, sparse.csr_array(X), X.astype(np.float32)):
        points = kernel.examples(points)
        K = kernel.plain(kernel.points(points, [0, 1]), kernel.take(points, [2]))
        assert K.shape == (2, 1) and kernel.diagonal(points).shape == (4,)
        assert kernel.rounding(points, points).relative < 1e-11
    assert Kernel.from_dict(kernel.to_dict()) == kernel
    K = kernel.plain(X, X)
    assert is_shown_psd(K, check_gram(K)) and Precomputed().plain(K, [0]).shape == (4, 1)
    f = Expansion(kernel, X, np.ones(4))
    assert abs(f(X).sum() - f.norm() ** 2) < 1e-9
print("ok")
"""


def test_the_plain_path_needs_numpy_and_scipy_alone():
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", CODE], capture_output=True, text=True, check=False
    )
    assert run.stdout.strip() == "ok", run.stderr
