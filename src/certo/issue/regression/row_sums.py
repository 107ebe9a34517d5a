r"""What sums over blocks of rows show of linear predictions, without another pass over the rows.

Σ z zᵀ over m rows, z = (x, y, 1) as in `problems.shifted_gram`, determines residuals, gradient and
curvature. `seen_by_sums` gives from it the sums that `certificates.blocks.least_squares` makes of
the rows, with allowances that are not below those of whoever goes by the rows:

- An entry of the computed Ĝ is within γ_R σ_j σ_k of the true one, σ_j ≥ ‖z_j‖. An affine map
  z ↦ Tz, rounded, of rows whose images are rounded up to three times, gives TĜTᵀ; of it this holds
  with |T|σ in place of σ and R + MAP_ROUNDINGS in place of R, since |t_ja ĝ_ab t_kb| ≤ |t_ja| σ_a
  |t_kb| σ_b, and T has at most two entries in a row.
- Residuals are r = z·v, so that Σ r² = vᵀGv, Σ z r = Gv and Lᵀ(Σ x̃x̃ᵀ)L, with N numbers in z, are
  off by at most 2γ_{R+4N+32} times τ², σ_j τ and Σ_m ℓ_m², where τ = |v|ᵀσ and ℓ = |L|ᵀσ (the 2
  pays for products of errors).
- Σ |x̃_j r| ≤ σ_j‖r‖ by Cauchy and Schwarz. The check multiplies it by γ_n, n ≥ m. To it is added
  (2γ_{R+4N+32}/γ_m) σ_j τ, so that the same product covers the error of Gv.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from certo.certificates.blocks.sums import CURVED_STRIDE, BlockSum
from certo.certificates.regression.least_squares_evidence import offsets_of
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.numbers import exact
from certo.numbers.rounded import ABOVE, Rounded

MAP_ROUNDINGS = 24  # Of an entry of T Ĝ Tᵀ, and of the image of a row, twice.


@dataclass(frozen=True)
class RowSums:
    """Σ (z − shift, 1)(z − shift, 1)ᵀ over rows z = (x, y)."""

    shift: np.ndarray  # (d + q,)
    gram: np.ndarray  # (d + q + 1, d + q + 1)
    sizes: np.ndarray  # σ
    rows: int
    roundings: int  # R

    @classmethod
    def of(cls, total: BlockSum, shift: np.ndarray) -> RowSums:
        """Of what the blocks add up to."""
        squares = np.diag(total["gram"]) * (1 + 2 * exact.gamma(total.depth))
        return cls(shift, total["gram"], np.sqrt(squares) * ABOVE, total.rows, total.depth)

    def around(self, shift: np.ndarray) -> RowSums:
        """The same with another shift."""
        return self._mapped(np.ones(len(shift)), shift - self.shift, shift)

    def standardised(self, mean: np.ndarray, scale: np.ndarray) -> RowSums:
        """Those of rows whose x became (x − mean)/scale."""
        rest = self.shift[len(mean) :]
        away = np.concatenate([mean - self.shift[: len(mean)], np.zeros(len(rest))])
        shift = np.concatenate([np.zeros(len(mean)), rest])
        return self._mapped(np.concatenate([scale, np.ones(len(rest))]), away, shift)

    def _mapped(self, scale: np.ndarray, away: np.ndarray, shift: np.ndarray) -> RowSums:
        """Those of (z − self.shift − away)/scale, which is z − `shift` of the mapped rows."""
        gram, sizes = self.gram.copy(), self.sizes.copy()
        for moved in (gram, gram.T):  # The rows of T Ĝ, then the columns.
            moved[:-1] -= away[:, None] * moved[-1]
            moved[:-1] /= scale[:, None]
        sizes[:-1] = (sizes[:-1] + np.abs(away) * sizes[-1]) / scale * ABOVE
        return RowSums(shift, gram, sizes, self.rows, self.roundings + MAP_ROUNDINGS)


@np.errstate(over="ignore", invalid="ignore", under="ignore")
def seen_by_sums(claim: LeastSquaresExcess, known: RowSums) -> BlockSum:
    """What a pass over the rows would add up to for the claim's check, all columns being kept."""
    q, d = claim.coef.shape
    known = known.around(claim.shift)
    G, sigma, n = known.gram, known.sizes, d + q + 1
    V = np.concatenate((-claim.coef.T, np.eye(q), -offsets_of(claim)[None, :]))
    unit = 2 * exact.gamma(known.roundings + 4 * n + 32)
    GV, tau = G @ V, np.abs(V).T @ sigma * ABOVE
    squares = np.maximum(np.einsum("jk,jk->k", V, GV), 0.0)
    within = unit * tau * tau * ABOVE
    lengths = np.sqrt(squares + within) * ABOVE  # At least ‖r‖ of each output.
    places = [*range(d), n - 1]
    covered = lengths + (unit / exact.gamma(known.rows)) * tau * ABOVE
    kept = np.array(places)[claim.kept]
    L = claim.factor
    inner = np.abs(L).T @ sigma[kept] * ABOVE
    losses = Rounded(Fraction(float(squares.sum())), Fraction(float(within.sum() * ABOVE)))
    # As if of one row in CURVED_STRIDE: whoever looks at these alone proves no smaller excess.
    part = 1 / CURVED_STRIDE
    return BlockSum(known.rows, known.rows, {
        "losses": losses, "curved_rows": part * known.rows, "squares": sigma * sigma * ABOVE,
        "sums": GV[places], "sizes": np.outer(sigma[places], covered) * ABOVE,
        "gram": part * (L.T @ G[np.ix_(kept, kept)] @ L),
        "gram_off": part * unit * float(inner @ inner) * ABOVE, "square_sums": squares,
    })  # fmt: skip
