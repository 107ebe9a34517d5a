from __future__ import annotations

import math

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from certo.features._base import FeatureMap, require_room
from certo.kernels.base import number, whole
from certo.kernels.gaussian import Gaussian
from certo.scale.device import check_device, device_of_vectors, device_there


class RandomFeatures(ClassNamePrefixFeaturesOutMixin, FeatureMap):
    r"""Random waves whose inner products approach the Gaussian kernel (Rahimi and Recht, 2007).

    The Gaussian is the characteristic function of a normal law: K(x, z) = E cos(ω·(x − z)) for
    ω ~ N(0, I/variance). With D such ω, φ(x) = (cos ω_k·x, sin ω_k·x)_k/√D has
    φ(x)·φ(z) = (1/D)·Σ_k cos(ω_k·(x − z)): the mean of D independent numbers from [−1, 1] whose
    expectation is K(x, z). Its own length is exactly 1.

    By Hoeffding's inequality one pair is off by t or more with a probability of at most
    2·exp(−D·t²/2); m points have m(m − 1)/2 pairs, so all errors together are at most
    √(2·ln(m(m − 1)/δ)/D) with probability 1 − δ, for points chosen before the ω: `error_bound`.

    Parameters
    ----------
    variance : float, default=1.0
    n_components : int, default=100
        D, the number of frequencies ω; each gives two coordinates, a cosine and a sine.
    random_state : int, RandomState or None, default=None
    device : {"cpu", "cuda", "cuda:NUMBER", "auto"}, default="cpu"
        Where φ(x) is computed: see `certo.SVM`. Where there is no such device, a map that was
        learned with one is computed on the processor.

    Attributes
    ----------
    kernel_ : Gaussian
        The kernel that this approximates.
    frequencies_ : array of shape (n_features, n_components)
    n_features_in_ : int
    feature_names_in_ : array of names, if X has them

    Examples
    --------
    >>> import numpy as np
    >>> from certo.kernels import Gaussian
    >>> X = np.random.default_rng(0).standard_normal((50, 3))
    >>> phi = RandomFeatures(variance=3.0, n_components=1000, random_state=0).fit(X)
    >>> F = phi.transform(X)
    >>> bool(np.abs(F @ F.T - Gaussian(3.0)(X)).max() <= phi.error_bound(50, delta=0.01))
    True
    """

    def __init__(self, variance=1.0, n_components=100, *, random_state=None, device="cpu"):
        self.variance = variance
        self.n_components = n_components
        self.random_state = random_state
        self.device = device

    def _learn(self, X):
        self.kernel_ = Gaussian(number(self.variance, "variance"))
        size = whole(self.n_components, "n_components", 1)
        device_of_vectors(check_device(self.device), self.kernel_, X.shape[0])
        rng = check_random_state(self.random_state)
        self.frequencies_ = rng.normal(size=(X.shape[1], size)) / math.sqrt(self.kernel_.variance)
        self._n_features_out = 2 * size

    def _map(self, X):
        require_room("RandomFeatures", X.shape[0], self._n_features_out)
        device = device_there(self.device)
        if device is not None:
            from certo.scale.device_scores import waves as waves_on

            return waves_on(X, self.frequencies_, device)
        waves = X @ self.frequencies_
        waves = waves.toarray() if sparse.issparse(waves) else waves
        return np.hstack([np.cos(waves), np.sin(waves)]) / math.sqrt(waves.shape[1])

    def error_bound(self, m: int, delta: float = 0.05) -> float:
        """What |φ(x)·φ(z) − K(x, z)| does not exceed for any two of m points, with probability
        1 − delta over the draw of the frequencies, if the points were chosen without looking at it.

        Parameters
        ----------
        m : int
        delta : float, from 0 to 1, both excluded

        Returns
        -------
        float
        """
        check_is_fitted(self)
        m = whole(m, "m", 1)
        if not 0 < delta < 1:
            raise ValueError(f"delta must be a probability between 0 and 1, got {delta!r}.")
        return math.sqrt(2.0 * math.log(max(1, m * (m - 1)) / delta) / self.frequencies_.shape[1])
