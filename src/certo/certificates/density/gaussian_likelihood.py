"""GaussianLikelihood: a Gaussian density has the moments of the examples, so none is likelier."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from certo.certificates.base import require
from certo.certificates.density.likelihood_gap import COVARIANCES, LikelihoodGap, Shown
from certo.certificates.fields import FiniteTable, FiniteVector, check_choice
from certo.certificates.sample.examples import Sample
from certo.numbers.averages import ROUNDED, TINIEST, averages
from certo.numbers.exact import ROUND_UP, UNIT, gamma

MOMENT_RANGE = 2.0**-900, 2.0**900  # Second moments whose squares neither over- nor underflow.


@final
@dataclass(frozen=True, repr=False, eq=False)
class GaussianLikelihood(LikelihoodGap):
    r"""Claim: the density p(x) = Π_j L_jj · (2π)^(−d/2) · exp(−½‖Lᵀ(x − mean)‖²), L = `factor`
    being upper triangular with a positive diagonal, has R(p) ≤ risk; a likeliest Gaussian density
    (with a "diagonal" covariance: among those that have one) exists, and its risk is at least
    `lower`. Each entry of `mean` is within mean_error standard deviations of the mean of the
    examples; each one of `covariance`, and of the covariance (LLᵀ)⁻¹ of p, (of the diagonal) within
    covariance_error times the standard deviations of its two columns of the covariance of the
    examples (which divides by their number).

    Proof: let z_i = Lᵀ(x_i − mean), z̄ their mean and C = mean of z zᵀ − z̄ z̄ᵀ, the covariance of
    the examples in the units of this density. If β ≥ ‖C − I‖_F is below 1, C is not singular, and
    the likeliest density has the mean and covariance of the examples. The risk exceeds its risk by

        KL(N(z̄, C) ‖ N(0, I)) = ½ (Σ_j (c_j − 1 − log c_j) + ‖z̄‖²)  ≤  ½ (β²/(1 − β) + ‖z̄‖²) ,

    c_j ≥ 1 − β being the eigenvalues of C, since −log c ≤ 1/c − 1, so c − 1 − log c ≤ (c − 1)²/c.
    "diagonal": L is, and only the diagonal of C counts.

    With m_j the rows of (Lᵀ)⁻¹ the covariance of the examples is m_j·C m_k, that of p m_j·m_k: they
    differ by at most β‖m_j‖‖m_k‖, and m_j·C m_j ≥ (1 − β)‖m_j‖². So β/(1 − β) standard deviations
    of the two columns is the most that p's own covariance is off.

    Rounding: x − mean is rounded once, an entry of z is then a sum of d products, off by at most
    γ_{d+2} Σ_k |x_k − mean_k| L_kj; by Minkowski its root mean square error is at most e_j =
    γ_{d+2} Σ_k σ_k |L_kj|, σ_k² being the mean of (x_k − mean_k)². With ρ_j that of z_j, means of
    products are off by at most ρ_j e_l + e_j ρ_l + e_j e_l, and by what `averages` says.
    """

    mean: FiniteVector
    covariance: FiniteTable
    factor: FiniteTable
    kind: str
    mean_error: float
    covariance_error: float

    shows = (*LikelihoodGap.shows, "mean_error", "covariance_error")
    describes: ClassVar[dict[str, str]] = {
        "mean": "mean_", "covariance": "covariance_", "factor": "factor_", "kind": "covariance",
    }  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.kind, "covariance", COVARIANCES)
        for name in ("covariance", "factor"):
            matrix, d = getattr(self, name), self.columns
            if matrix.shape != (d, d):
                raise ValueError(f"{name} must be {d} rows of {d} finite numbers.")
            if self.kind == "diagonal" and np.any(matrix != np.diag(np.diag(matrix))):
                raise ValueError(f"{name} must be diagonal.")
        if np.any(self.covariance != self.covariance.T):
            raise ValueError("covariance must be symmetric.")
        if np.any(np.tril(self.factor, -1)) or np.any(np.diag(self.factor) <= 0):
            raise ValueError("factor must be upper triangular, with a positive diagonal.")
        if min(self.mean_error, self.covariance_error) < 0:
            raise ValueError("mean_error and covariance_error must not be negative.")

    @property
    def columns(self) -> int:
        return self.mean.size

    def _shown(self, sample: Sample, times: float) -> Shown:
        with np.errstate(all="ignore"):
            raw, units = self._moments(sample)
        return self._shown_by(raw, units, times)

    def _shown_by(self, raw: np.ndarray, units: np.ndarray, times: float) -> Shown:
        """What the means of products show."""
        with np.errstate(all="ignore"):
            low, high = MOMENT_RANGE
            spread = np.diag(raw)[:-1]
            require(
                np.all(np.isfinite([raw, units])) and np.all((low < spread) & (spread < high)),
                "the examples have no spread, or numbers over- or underflow float64.",
            )
            sigma = np.sqrt(spread) * ROUND_UP * (1 + times * ROUNDED)
            mean_error, covariance_error = self._moment_errors(raw, sigma, times)
            beta, moved, products = self._units_off(units, sigma, times)
            covariance_error = max(covariance_error, beta / (1 - beta) * ROUND_UP)
            excess = 0.5 * (beta * beta / (1 - beta) + moved * moved) * ROUND_UP
            risk, slack = self._risk(units, products, times)
        return Shown(
            risk + slack,
            risk - slack - excess,
            {"mean_error": mean_error, "covariance_error": covariance_error},
        )

    def _moments(self, sample: Sample) -> np.ndarray:
        """The means of the products of all entries of x − mean, with the means of these in a last
        column, and the same for z; of a "diagonal" density, only squares."""

        def terms(part: np.ndarray, p: np.ndarray) -> np.ndarray:
            moved = part - self.mean
            scaled = moved * np.diag(self.factor) if diagonal else moved @ self.factor
            sums = np.zeros((2, d + 1, d + 1))
            for into, values in zip(sums, (moved, scaled), strict=True):
                if diagonal:
                    np.fill_diagonal(into[:-1, :-1], p @ values**2)
                else:
                    np.matmul(values.T, values * p[:, None], out=into[:-1, :-1])
                into[:-1, -1] = p @ values
            return sums

        d, diagonal = self.columns, self.kind == "diagonal"
        return averages(sample, self.sample_weight, terms)

    def _moment_errors(
        self, raw: np.ndarray, sigma: np.ndarray, times: float
    ) -> tuple[float, float]:
        """How far mean and covariance are from the examples', in their standard deviations."""
        slack = times * (ROUNDED + 8 * UNIT)
        moved = np.abs(raw[:-1, -1]) + slack * sigma
        # σ is raised by a factor of up to 1 + slack: (1 + s)²(1 − 4s) ≤ 1 − 2s.
        variance = sigma**2 * (1 - 4 * slack) / ROUND_UP**4 - moved**2
        require(np.all(variance > 0), "the mean is not near that of the examples.")
        deviations = np.sqrt(variance) / ROUND_UP
        own = raw[:-1, :-1] - np.outer(raw[:-1, -1], raw[:-1, -1])
        if self.kind == "diagonal":
            own = np.diag(np.diag(own))
        # Sums and differences of what is at most σ_j σ_k, and the rounding of the product of means.
        off = np.abs(self.covariance - own) + 4 * slack * np.outer(sigma, sigma)
        if self.kind == "diagonal":
            off = np.diag(np.diag(off))
        mean_error = float(np.max(moved / deviations, initial=0.0)) * ROUND_UP
        in_units = off / np.outer(deviations, deviations)
        return mean_error, float(np.max(in_units, initial=0.0)) * ROUND_UP

    def _units_off(
        self, units: np.ndarray, sigma: np.ndarray, times: float
    ) -> tuple[float, float, float]:
        """β ≥ ‖C − I‖_F, no less than ‖z̄‖, and how far the mean of ‖z‖² may be off."""
        d, second, centre = self.columns, units[:-1, :-1], units[:-1, -1]
        rho = float(np.sqrt(np.trace(second))) * ROUND_UP * (1 + times * ROUNDED)
        entry = times * (gamma(d + 2) * (sigma @ np.abs(self.factor)) + TINIEST)
        e = float(np.linalg.norm(entry)) * ROUND_UP
        products = 2 * rho * e + e * e + times * (ROUNDED + 8 * UNIT) * (rho * rho + d)
        means = e + times * ROUNDED * rho
        moved = float(np.linalg.norm(centre)) * ROUND_UP + means
        off = second - np.outer(centre, centre) - np.eye(d)
        if self.kind == "diagonal":
            off = np.diag(np.diag(off))
        beta = (float(np.linalg.norm(off)) + products + 2 * moved * means) * ROUND_UP
        require(
            beta < 1 and math.isfinite(moved),
            "float64 does not show that the covariance of the examples is not singular, or it is "
            "not that of the density.",
        )
        return beta, moved, products

    def _risk(self, units: np.ndarray, products: float, times: float) -> tuple[float, float]:
        """R(p), and how far it may be off."""
        d, square = self.columns, float(np.trace(units[:-1, :-1]))
        logs = np.log(np.diag(self.factor))
        constant = d * math.log(2 * math.pi)
        risk = 0.5 * (constant + square) - math.fsum(logs.tolist())
        # np.log is within four units in the last place, and a few sums of these numbers round.
        size = constant + square * ROUND_UP + 2 * float(np.sum(np.abs(logs)))
        return risk, (0.5 * products + times * 16 * UNIT * size) * ROUND_UP
