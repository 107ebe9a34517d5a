"""`GaussianDensity`: the likeliest Gaussian density, or the proof that there is none."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from certo.certificates.base import CannotClaim
from certo.certificates.composite import Composite
from certo.certificates.density.gaussian_likelihood import GaussianLikelihood
from certo.certificates.density.likelihood_gap import COVARIANCES
from certo.certificates.encoding import counted
from certo.certificates.fields import check_choice
from certo.estimators import _in_blocks, _input, description
from certo.estimators._density import DENSITY, Density, NoDensity
from certo.estimators._keywords import answer_keywords
from certo.estimators.new_examples import unbounded_loss
from certo.facts import InputError
from certo.issue.density import issue_gaussian_likelihood, issue_no_gaussian_density
from certo.numbers.averages import shares
from certo.scale import gaussian
from certo.scale.blocks import Blocks
from certo.solvers.dependence import hyperplanes
from certo.words import refusals
from certo.words.fitting_status import density_worth

MOMENT_BLOCK_ROWS = 2**13  # Rows that are read at a time.
MAX_CHOLESKY_ERROR = 1e-3  # A second Cholesky factor this near I leaves nothing but rounding.
WARNED_EXCESS = 1e-6  # A proved excess of more than this for each column is worth a warning.


@answer_keywords
class GaussianDensity(Density, BaseEstimator):
    r"""The Gaussian density under which the examples are likeliest.

    Maximum likelihood is empirical risk minimisation with the loss −log p(x). Its answer is the
    mean and the covariance of the examples (dividing by their number, not by one less). It exists
    exactly if they do not lie on a hyperplane: with more examples than features, no constant
    column and no collinear ones. Where it does not, `fit` raises `NoDensity`, which carries the
    proof.

    Parameters
    ----------
    covariance : {"full", "diagonal"}, default="full"
        "diagonal": columns are independent of each other. Then only constant columns are a
        hindrance.

    Attributes
    ----------
    mean_ : ndarray (n_features,)
    covariance_ : ndarray (n_features, n_features)
    factor_ : ndarray (n_features, n_features)
        L, upper triangular, such that Lᵀ(x − mean) has mean 0 and covariance I: the density is
        Π L_jj · (2π)^(−d/2) · exp(−½‖Lᵀ(x − mean)‖²).
    risk_ : float
        The mean −log p over the examples.
    status_ : str
        What the answer is worth.
    certificate_ : certo.certificates.Composite
        GaussianLikelihood: the moments match, and no Gaussian density is likelier.

    Examples
    --------
    >>> from certo import GaussianDensity
    >>> X = [[0.0, 1.0], [2.0, 3.0], [1.0, 4.0], [1.0, 0.0]]
    >>> model = GaussianDensity().fit(X)
    >>> model.mean_.tolist()
    [1.0, 2.0]
    >>> model.covariance_.round(12).tolist()
    [[0.5, 0.5], [0.5, 2.5]]
    >>> bool(model.certificate_.verify(X))
    True
    """

    def __init__(self, *, covariance="full"):
        self.covariance = covariance

    def fit(self, X, y=None, sample_weight=None):
        """Find the likeliest density for the examples X.

        y is ignored. sample_weight says how often an example counts; those of weight zero do not.
        A pyarrow dataset, a Dask collection or `certo.scale.Blocks` are read block by block.
        """
        check_choice(self.covariance, "covariance", COVARIANCES)
        if _in_blocks.is_in_blocks(X):
            return self._fit_blocks(_in_blocks.unlabelled(self, X, sample_weight))
        X = self._examples(X, reset=True)
        weights = _input.weights(self, sample_weight, X)
        counting = X[weights > 0] if weights.size else X
        self._refuse_too_few(X, counting, weights)
        p = shares(weights[weights > 0] if weights.size else weights, len(counting))
        self._refuse_constant(X, counting, weights)
        self._refuse_extreme(counting)
        mean, factor, covariance = _moments(counting, p, self.covariance == "diagonal")
        try:
            if factor is None:
                raise CannotClaim("the covariance is singular in float64.")
            claim = issue_gaussian_likelihood(
                X, mean=mean, covariance=covariance, factor=factor, kind=self.covariance,
                sample_weight=weights,
            )  # fmt: skip
        except CannotClaim as reason:
            raise self._singular(X, counting, weights, str(reason)) from reason
        return self._store(mean, covariance, factor, claim)

    def _fit_blocks(self, blocks: Blocks) -> GaussianDensity:
        try:
            found, claim = gaussian.fit(blocks, self.covariance)
        except CannotClaim as reason:
            raise NoDensity(
                f"No likeliest Gaussian density can be found block by block: {reason} Leave out "
                "columns that are constant or nearly collinear, or rescale them.",
                None,
            ) from reason
        return self._store(found.mean, found.covariance, found.factor, claim)

    def _store(
        self, mean: np.ndarray, covariance: np.ndarray, factor: np.ndarray, claim: Any
    ) -> GaussianDensity:  # fmt: skip
        self.mean_, self.covariance_, self.factor_ = mean, covariance, factor
        self.certificate_ = Composite((claim,))
        self.risk_ = claim.risk
        self.status_ = f"Maximum likelihood: {density_worth(claim)}."
        if claim.excess > WARNED_EXCESS * len(mean):
            self.status_ += (
                " Columns are so nearly collinear that float64 shows no more. Leave some out."
            )
            warnings.warn(self.status_, ConvergenceWarning, stacklevel=3)
        return self

    def _no_density(self, X, weights, why: str, advice="", coef=(), level=0) -> NoDensity | None:
        """The error with its proof, if that holds."""
        proof = issue_no_gaussian_density(
            X, coef, level, kind=self.covariance, sample_weight=weights
        )
        if not proof.verify(X):
            return None
        return NoDensity(
            f"There is no likeliest Gaussian density: {why}. So densities that are flatter and "
            f"flatter across it have a likelihood beyond all bounds.{advice}",
            proof,
        )

    def _refuse_too_few(self, X: np.ndarray, counting: np.ndarray, weights: np.ndarray) -> None:
        (m, d), diagonal = counting.shape, self.covariance == "diagonal"
        if m > (1 if diagonal else d):
            return
        few = "1 sample" if m == 1 else counted(m, "example")
        why = f"{few} with {counted(d, 'feature')} always lie on a hyperplane"
        advice = "" if diagonal else " Give more examples than features, or fewer features."
        if error := self._no_density(X, weights, why, advice):
            raise error

    def _refuse_constant(self, X: np.ndarray, counting: np.ndarray, weights: np.ndarray) -> None:
        constant = np.flatnonzero(np.all(counting == counting[0], axis=0)).tolist()
        if not constant:
            return
        coef = [0] * X.shape[1]
        coef[constant[0]] = 1
        which = f"{self._columns(constant)} {'has' if len(constant) == 1 else 'have'}"
        why = f"{which} the same value in all examples, which therefore lie on a hyperplane"
        level = counting[0, constant[0]].item()
        if error := self._no_density(X, weights, why, " Leave out such columns.", coef, level):
            raise error

    def _refuse_extreme(self, counting: np.ndarray) -> None:
        """Spreads whose squares over- or underflow."""
        low, high = counting.min(axis=0).astype(np.float64), counting.max(axis=0)
        with np.errstate(over="ignore"):
            spread = high - low
        extreme = np.flatnonzero(~((spread > _input.SHORTEST) & (spread < _input.LONGEST)))
        if extreme.size:
            limits, first = (_input.SHORTEST, _input.LONGEST), float(spread[extreme[0]])
            raise InputError(
                refusals.unusable_spread, "GaussianDensity", extreme.tolist(), first, limits
            )

    def _singular(self, X, counting: np.ndarray, weights: np.ndarray, reason: str) -> NoDensity:
        """Why there is no claim: collinear columns, or float64."""
        for coef, level in hyperplanes(counting) if self.covariance == "full" else ():
            used = [j for j, number in enumerate(coef) if number]
            why = f"in {self._columns(used)} all examples lie on one hyperplane, exactly"
            advice = " Leave out one of these columns."
            if error := self._no_density(X, weights, why, advice, coef, level):
                return error
        return NoDensity(
            f"No likeliest Gaussian density can be found in float64: {reason} Columns may be "
            "nearly collinear, or of extreme size: leave some out, or rescale them.",
            None,
        )

    def score_samples(self, X):
        """log p(x) for each of the examples X."""
        check_is_fitted(self)
        if _in_blocks.is_in_blocks(X):
            return _in_blocks.by_blocks(X, self.score_samples)
        X = self._examples(X, reset=False)
        z = (X - self.mean_) @ self.factor_
        constant = float(np.sum(np.log(np.diag(self.factor_))))
        constant -= 0.5 * self.n_features_in_ * math.log(2 * math.pi)
        return constant - 0.5 * np.einsum("ij,ij->i", z, z)

    def _draw(self, n_samples, random):
        z = random.standard_normal((n_samples, self.n_features_in_))
        # x − mean = z·L⁻¹ for rows x and z.
        return self.mean_ + linalg.solve_triangular(self.factor_, z.T, trans="T").T


def _moments(
    X: np.ndarray, p: np.ndarray, diagonal: bool
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Mean, L and covariance; L is None where it has no finite value.

    RᵀR = Σ p (x − mean)(x − mean)ᵀ is the covariance, and L = R⁻¹.
    """
    mean = X[0].astype(np.float64)
    for _ in range(2):  # The second pass corrects the rounding of the first.
        mean = mean + sum(part.T @ share for part, share in _blocks(X, p, mean))
    if diagonal:
        variance = sum((part**2).T @ share for part, share in _blocks(X, p, mean))
        usable = bool(np.all(variance > 0))
        return mean, np.diag(1 / np.sqrt(variance)) if usable else None, np.diag(variance)
    triangle = _triangle(X, p, mean)
    triangle = triangle * np.where(np.diag(triangle) < 0, -1.0, 1.0)[:, None]
    covariance = triangle.T @ triangle
    if np.any(np.diag(triangle) == 0):
        return mean, None, covariance
    factor = linalg.solve_triangular(triangle, np.eye(X.shape[1]))
    return mean, np.triu(factor), np.triu(covariance) + np.triu(covariance, 1).T


def _triangle(X: np.ndarray, p: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """R: by Cholesky twice, the second time in the units of the first, as long as these are near
    the truth; where columns are too nearly collinear for that, by orthogonal factorisations."""
    try:
        first = linalg.cholesky(_second(_blocks(X, p, mean)))
        inverse = linalg.solve_triangular(first, np.eye(len(first)))
        near = _second((part @ inverse, share) for part, share in _blocks(X, p, mean))
        if np.linalg.norm(near - np.eye(len(near))) < MAX_CHOLESKY_ERROR:
            return linalg.cholesky(near) @ first
    except linalg.LinAlgError:
        pass
    triangle = np.zeros((0, X.shape[1]))
    for part, share in _blocks(X, p, mean):
        rows = np.vstack([triangle, part * np.sqrt(share)[:, None]])
        triangle = linalg.qr(rows, mode="r")[0][: X.shape[1]]
    return triangle


def _second(blocks: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    return sum(part.T @ (part * share[:, None]) for part, share in blocks)


def _blocks(X: np.ndarray, p: np.ndarray, mean) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    for start in range(0, len(X), MOMENT_BLOCK_ROWS):
        yield X[start : start + MOMENT_BLOCK_ROWS] - mean, p[start : start + MOMENT_BLOCK_ROWS]


def _check_fitted(machine: GaussianDensity) -> None:
    """The factor is that of a density."""
    factor = machine.factor_
    description.require(
        np.array_equal(factor, np.triu(factor)) and np.all(np.diag(factor) > 0),
        "its factor is that of no density.",
    )


description.register(
    description.Description(
        kind=GaussianDensity,
        command="gaussian-density",
        learns="densities",
        summary="the likeliest normal distribution",
        bounds=unbounded_loss,
        claims={
            GaussianLikelihood: lambda claim, machine, y: (
                claim.kind == machine.covariance and not claim.sample_weight.size
            )
        },
        spoken_of=lambda machine: ("mean_", "factor_", "covariance_"),
        fitted=lambda machine: (
            DENSITY
            | {
                "mean_": description.array("features"),
                "covariance_": description.array("features", "features"),
                "factor_": description.array("features", "features"),
            }
        ),
        check_fitted=_check_fitted,
        ignores_scale=lambda machine: True,
    )
)
