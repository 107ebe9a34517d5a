from __future__ import annotations

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from certo.containers import count
from certo.features._base import FeatureMap, require_room
from certo.kernels.base import Kernel, whole
from certo.kernels.gaussian import Gaussian
from certo.kernels.settings import WithKernel
from certo.scale.device import check_device, device_of_vectors, device_there, is_known


class Nystroem(WithKernel, ClassNamePrefixFeaturesOutMixin, FeatureMap):
    r"""Any kernel's feature map, projected on the span of a few examples' images.

    Of the examples z_1, …, z_k drawn without replacement, let K_zz = UΛUᵀ. The functions
    u_l = Σ_j U_jl·K(z_j, ·)/√λ_l are orthonormal in the kernel's space, so φ(x)_l = u_l(x) are the
    coordinates of the projection P of K(x, ·) on their span, and
    K(x, z) − φ(x)·φ(z) = ⟨(I − P)K(x,·), (I − P)K(z,·)⟩. By Cauchy–Schwarz its size is at most
    √(r(x)·r(z)), where r(x) = K(x, x) − ‖φ(x)‖² ≥ 0 is the *residual* of x: an error that is
    measured, point by point, not guessed.

    Parameters
    ----------
    kernel : Kernel, default=None
        None is `Gaussian(variance=1.0)`.
    n_components : int, default=100
        How many examples are drawn (all of them, if there are fewer).
    random_state : int, RandomState or None, default=None
    device : {"cpu", "cuda", "cuda:NUMBER", "auto"}, default="cpu"
        Where φ(x) is computed: see `certo.SVM`. Where there is no such device, a map that was
        learned with one is computed on the processor.

    Attributes
    ----------
    kernel_ : Kernel
    indices_ : array
        The numbers of the examples drawn.
    centres_ : the examples drawn, as the kernel takes them
    normalization_ : array of shape (n_centres, n_directions)
        U/√Λ, directions that float64 cannot tell from 0 left out.
    residual_ : float
        The largest residual among the training examples: |K(x, z) − φ(x)·φ(z)| does not exceed
        it, for any two of them (rounding aside).
    n_features_in_ : int, for kernels of vectors

    Examples
    --------
    >>> import numpy as np
    >>> from certo.kernels import Gaussian
    >>> X = np.random.default_rng(0).standard_normal((200, 2))
    >>> phi = Nystroem(Gaussian(variance=4.0), n_components=40, random_state=0).fit(X)
    >>> F = phi.transform(X)
    >>> error = np.abs(F @ F.T - Gaussian(4.0)(X)).max()
    >>> bool(error <= phi.residual_ + 1e-12), bool(phi.residual_ < 0.05)
    (True, True)
    """

    def __init__(self, kernel=None, n_components=100, *, random_state=None, device="cpu"):
        self.kernel = kernel
        self.n_components = n_components
        self.random_state = random_state
        self.device = device

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if isinstance(self.kernel, Kernel) and self.kernel.takes != "vectors":
            tags.input_tags.two_d_array = False
            tags.no_validation = True
        return tags

    @property
    def _kernel(self) -> Kernel:
        return Gaussian(variance=1.0) if self.kernel is None else self.kernel

    def _vectors(self, X, *, reset: bool):
        kernel = self._kernel
        if not isinstance(kernel, Kernel):
            raise ValueError(f"kernel must be a certo.kernels.Kernel or None, got {kernel!r}.")
        if kernel.takes == "matrix":
            raise ValueError(
                "Nystroem draws its centres itself, so it takes no Precomputed kernel."
            )
        return super()._vectors(X, reset=reset) if kernel.takes == "vectors" else kernel.examples(X)

    def _learn(self, X):
        size = whole(self.n_components, "n_components", 1)
        device_of_vectors(check_device(self.device), self._kernel, count(X))
        self.kernel_ = kernel = self._kernel.fitted_to(X)
        rng = check_random_state(self.random_state)
        self.indices_ = np.sort(rng.permutation(count(X))[:size])
        self.centres_ = kernel.take(X, self.indices_)
        values, basis = np.linalg.eigh(kernel.plain(self.centres_, self.centres_))
        kept = values > len(values) * np.finfo(float).eps * values[-1]
        self.normalization_ = basis[:, kept] / np.sqrt(values[kept])
        self._n_features_out = self.normalization_.shape[1]
        self.residual_ = float(np.max(self._residuals(X)))

    def _map(self, X):
        require_room("Nystroem", count(X), self.normalization_.shape[0])
        device = device_there(self.device)
        if device is not None and is_known(self.kernel_):
            from certo.scale.device_scores import sums

            return sums(self.kernel_, X, self.centres_, self.normalization_, device)
        return self.kernel_.plain(X, self.centres_) @ self.normalization_

    def residuals(self, X) -> np.ndarray:
        """r(x) = K(x, x) − ‖φ(x)‖²: |K(x, z) − φ(x)·φ(z)| ≤ √(r(x)·r(z)), rounding aside."""
        check_is_fitted(self)
        return self._residuals(self._vectors(X, reset=False))

    def _residuals(self, X) -> np.ndarray:
        diagonal = self.kernel_.diagonal(X)
        step = max(1, 2**22 // len(self.indices_))
        for start in range(0, diagonal.size, step):
            part = slice(start, start + step)
            F = self._map(X[part])
            diagonal[part] -= np.einsum("ij,ij->i", F, F)
        return np.maximum(diagonal, 0.0)
