"""LeastSquaresExcess: how near linear predictions are to the least mean squared error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
from scipy import linalg, sparse

from certo.blas import one_thread
from certo.certificates import exact
from certo.certificates.base import CannotClaim, Certificate, Refuted, require
from certo.certificates.curvature import (
    LEAST,
    curvature,
    inverse_factor,
    kept_columns,
    norm_above,
    pieces,
    pulled,
    roundings,
    triangle,
)
from certo.certificates.dependence import exactly, others
from certo.certificates.encoding import counted, rounded_down, rounded_up
from certo.certificates.farkas import common_denominator
from certo.certificates.rounded import ABOVE, Rounded, positive_sum, total
from certo.certificates.sample import Sample
from certo.certificates.values import Values
from certo.certificates.weights import finite_vector

TREATMENTS = ("free", "none")
ROOM = 4  # allowances of the claim, in those of the checker: see `_issued`
HUGE = np.finfo(np.float64).max


class ShiftedGram(NamedTuple):
    """Σ_i s_i z_i z_iᵀ for z = (x − shift, y − shift, 1), computed, and how.

    Every entry (j, k) is within γ_roundings·√(g_jj g_kk) of the true g_jk: each product of it was
    rounded no more often than that. `exact` says that those among x and 1 are whole numbers and
    were not rounded at all, as when all x are whole numbers and the sums below 2⁵³.
    """

    shift: np.ndarray  # (d + q,)
    gram: np.ndarray  # (d + q + 1, d + q + 1)
    roundings: int
    exact: bool = False


class _Evidence(NamedTuple):
    """F at the coefficients, and what the excess is bounded by; each number with its allowance."""

    objective: Rounded
    curved: float = 0.0  # ‖I − LᵀAL‖
    curved_off: float = 0.0
    pull: float = math.inf  # ‖Lᵀg‖
    pull_off: float = 0.0
    beside: np.ndarray = np.zeros(0)  # for each column not kept: max_k |g_jk|
    beside_off: np.ndarray = np.zeros(0)
    length: np.ndarray = np.zeros(0)  # ≥ its root mean square

    def excess(self, allowances: int, reach: float | None) -> float:
        """A bound on F − min F with so many allowances for rounding; inf if there is none."""
        eta = self.curved + allowances * self.curved_off
        pull = (self.pull + allowances * self.pull_off) * ABOVE
        if not (eta < 1 and pull < math.inf):
            return math.inf
        square = pull * pull / (1 - eta) * ABOVE + LEAST
        if reach is None:
            return square
        rest = self.beside + allowances * self.beside_off + math.sqrt(square) * self.length
        return (square + 2 * reach * float(np.max(rest, initial=0.0)) * ABOVE) * ABOVE


@final
@dataclass(frozen=True, repr=False, eq=False)
class LeastSquaresExcess(Certificate):
    r"""Claim: F(coef, intercept) ≤ risk, min F ≥ lower, F(coef, intercept) − min F ≤ excess, where

        F(W, b) = (1/S) Σ_i s_i ‖y_i − W x_i − b‖² + ridge·‖W‖² ,       S = Σ s_i ,

    over all W and, with a "free" intercept, all b; with "none" b = 0. With a `reach`, over those
    only whose coefficients of the columns not `kept` differ from these by at most `reach` in all.
    With a `distance`, also: coef is no further than that from the shortest W that gives the same
    predictions on the examples (with a free intercept: for some b).

    Proof. Functions on the examples have the inner product ⟨f, h⟩ = (1/S) Σ s_i f_i h_i; let r be
    the residual, g = X̃ᵀSr/S − ridge·W, half the gradient downhill, and A, L, η as in `curvature`.

    - All columns kept: F(W + V) = F(W) − 2 g·V + V·AV, whose minimum over V is F(W) − gᵀA⁻¹g, so
      the excess is gᵀA⁻¹g ≤ ‖Lᵀg‖²/(1 − η) =: λ².
    - Some not kept, ridge = 0. If they are exactly the `combinations` of those kept, X̃V takes no
      other values than X̃_J a: the same bound. If not, let P project on the span of X̃_J, and
      v = V on the other columns, Σ|v_j| ≤ reach. ‖Pr‖² = g_JᵀA⁻¹g_J ≤ λ² by the same computation,
      X̃V and Σ v_j x̃_j have the same (1 − P)-part, and so
          F(W + V) ≥ ‖(1 − P)(r − Σ v_j x̃_j)‖² ≥ ‖r‖² − ‖Pr‖² − 2 Σ v_j ⟨(1 − P)r, x̃_j⟩
                   ≥ F(W) − λ² − 2·reach·max_j (|g_j| + λ‖x̃_j‖) .
    - No factor, ridge > 0: minimised over b first, A − ridge is the covariance of X, which is not
      negative, so the excess is at most ḡ² + ‖g_W − x̄ḡ‖²/ridge, ḡ the mean residual and x̄ the mean
      of X; without intercept ‖g_W‖²/ridge.
    - Neither: F ≥ 0.

    The shortest coefficients: those with the same predictions are coef + N, N being spanned by the
    n_j = e_j − (slopes of the combination of j), if X̃_J is independent, which η < 1 shows. The
    part of coef in N is no longer than (Σ_j (n_j·coef)²)^½, since the Gram matrix of the n_j is at
    least the identity. With `multipliers` z instead: Σ z_i (x_i − x̄) is orthogonal to N, so that
    the part is no longer than ‖coef − Σ z_i (x_i − x̄)‖.

    Rounding, with γ, σ, n as in `curvature`, norms ‖·‖ₛ weighted with s, and x, y shifted (which
    rounds once more and only renames b): a residual has d + 3 terms, so ‖r̂_k − r_k‖ₛ ≤
    γ_{d+6} τ_k, τ_k = Σ_j |w_kj| σ_j + ‖y_k‖ₛ + |b_k|√S; this moves ‖r‖ₛ by as much, Lᵀg by
    at most √((1 + η)/S) times that, and ⟨x̃_j, r⟩ by σ_j/S times that.
    From a Gram matrix Ĝ of (x, y, 1) with R roundings, F is a quadratic form off by at most
    γ_{R+2n+…}τ²/S, Lᵀg by γ_{R+…}‖ℓ‖‖τ‖/S, LᵀAL by γ_{R+…}‖ℓ‖²/S; R is taken to be not below
    that of a checker who goes by the rows, so that each is not below his allowance.
    """

    labels: Values  # type: ignore[assignment]
    treatment: str
    ridge: float
    sample_weight: np.ndarray
    coef: np.ndarray
    intercept: np.ndarray
    shift: np.ndarray
    kept: np.ndarray
    combinations: tuple[tuple[Fraction, ...], ...]
    factor: np.ndarray
    multipliers: np.ndarray
    reach: float | None
    examples: int
    risk: float
    lower: float
    excess: float
    distance: float | None

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.treatment not in TREATMENTS:
            raise ValueError(f"treatment must be one of {TREATMENTS}, got {self.treatment!r}.")
        q = self.labels.outputs
        coef = _table(self.coef, "coef", q)
        object.__setattr__(self, "coef", coef)
        d, lifted = coef.shape[1], self.lifted
        for name, size in (("intercept", q), ("shift", d + q)):
            vector = finite_vector(getattr(self, name), name)
            if vector.size != size or (np.any(vector) and not lifted):
                raise ValueError(f"{name} must hold {size} numbers, 0 without an intercept.")
            object.__setattr__(self, name, vector)
        weights = finite_vector(self.sample_weight, "sample_weight")
        if weights.size not in (0, self.examples) or np.any(weights < 0):
            raise ValueError("sample_weight must hold a number ≥ 0 for each example, or none.")
        object.__setattr__(self, "sample_weight", weights)
        kept = np.asarray(self.kept)
        if kept.size or not len(self.factor):
            kept = kept_columns(kept, d, lifted and kept.size > 0)
        object.__setattr__(self, "kept", kept)
        object.__setattr__(self, "factor", triangle(self.factor, kept.size))
        multipliers = np.array(self.multipliers, dtype=np.float64)
        if multipliers.size:
            multipliers = _table(multipliers, "multipliers", q)
            if multipliers.shape[1] != self.examples:
                raise ValueError("multipliers must hold a number for each output and example.")
        object.__setattr__(self, "multipliers", multipliers.reshape(-1, self.examples))
        rest, lines = d + lifted - kept.size, self.combinations
        if lines and (len(lines) != rest or any(len(line) != kept.size for line in lines)):
            raise ValueError("combinations must have a term for each column kept and not kept.")
        if not all(isinstance(term, Fraction) for line in lines for term in line):
            raise ValueError("combinations must be fractions.")
        if self.ridge < 0 or (self.ridge and (lines or self.reach is not None)):
            raise ValueError("ridge must not be negative, and with one nothing is left out.")
        if self.ridge and kept.size and rest:
            raise ValueError("with a ridge, all columns must be kept, or none.")
        if self.reach is not None and (self.reach < 0 or lines or not rest):
            raise ValueError("reach must not be negative; it is for columns not kept.")
        if kept.size and rest and not lines and self.reach is None:
            raise ValueError("columns that are not kept need combinations, or a reach.")
        if not (0 <= self.lower <= self.risk and 0 <= self.excess <= self.risk):
            raise ValueError("0 ≤ lower ≤ risk and 0 ≤ excess ≤ risk must hold.")
        if self.distance is not None and (self.distance < 0 or not (lines or multipliers.size)):
            raise ValueError("a distance must not be negative, and needs combinations.")

    @property
    def lifted(self) -> bool:
        return self.treatment == "free"

    @classmethod
    def of(
        cls,
        sample: Sample,
        labels: Values,
        *,
        coef: np.ndarray,
        intercept: np.ndarray,
        treatment: str,
        ridge: float = 0.0,
        sample_weight=(),
        shift=None,
        kept=(),
        factor=None,
        combinations=(),
        multipliers=(),
        reach: float | None = None,
    ) -> LeastSquaresExcess:
        """The strongest such claim from coefficients (q, d) and intercepts (q,).

        `shift` (d + q) is near the mean of x and y, exactly 0 without intercept and, for the x of
        sparse examples, best 0. `kept` are independent columns, the intercept being number d, in
        any order, and `factor` any square matrix B over them, for x already shifted, with
        BᵀAB ≈ I; it is made triangular here. Combinations that are not exact are left out, and a
        `reach` taken in place (None: so that it costs no more than 1e-9 of the risk).
        CannotClaim, if numbers overflow.
        """
        draft = cls._draft(
            labels, sample.m, sample.d, coef=coef, intercept=intercept, treatment=treatment,
            ridge=ridge, sample_weight=sample_weight, shift=shift, kept=kept, factor=factor,
            combinations=combinations, multipliers=multipliers, reach=reach,
        )  # fmt: skip
        if draft.combinations and not exactly(sample, draft.kept, draft.combinations, draft.lifted):
            draft = replace(draft, combinations=(), reach=0.0)
        try:
            evidence, distance = draft._by_rows(sample), draft._distance(sample)
        except Refuted as reason:
            raise CannotClaim(str(reason)) from reason
        return draft._issued(evidence, distance, reach)

    @classmethod
    def from_gram(
        cls,
        known: ShiftedGram,
        labels: Values,
        examples: int,
        *,
        coef: np.ndarray,
        intercept: np.ndarray,
        treatment: str,
        ridge: float = 0.0,
        sample_weight=(),
        kept=(),
        factor=None,
        combinations=(),
        reach: float | None = None,
    ) -> LeastSquaresExcess:
        """The same from sums over the examples, without another look at them. (Combinations count
        as exact only where these sums show it: that needs whole numbers.) CannotClaim also where
        this costs too many digits: then `of` may do better."""
        draft = cls._draft(
            labels, examples, known.shift.size - labels.outputs, coef=coef, intercept=intercept,
            treatment=treatment, ridge=ridge, sample_weight=sample_weight, shift=known.shift,
            kept=kept, factor=factor, combinations=combinations, multipliers=(), reach=reach,
            gram=known,
        )  # fmt: skip
        if draft.combinations and not draft._shown_exact(known):
            draft = replace(draft, combinations=(), reach=0.0)
        try:
            evidence = draft._by_gram(known)
            distance = draft._distance(None)
        except Refuted as reason:
            raise CannotClaim(str(reason)) from reason
        if not evidence.curved + ROOM * evidence.curved_off < 0.5:
            raise CannotClaim("the sums of squares have lost too many digits.")
        return draft._issued(evidence, distance, reach)

    @classmethod
    def _draft(
        cls, labels, examples, d, *, coef, intercept, shift, kept, factor, combinations, reach,
        treatment, gram=None, **rest,
    ) -> LeastSquaresExcess:  # fmt: skip
        """A claim without its numbers, the witness put into its proper form."""
        q, lifted = labels.outputs, treatment == "free"
        if not np.size(kept) and gram is not None:
            kept = np.arange(d + lifted)
        kept = np.asarray(kept, dtype=np.int64)
        order = np.argsort(kept)
        kept = kept[order]
        if factor is None and gram is not None:
            factor = inverse_factor(_normal_matrix(gram, kept, d, rest["ridge"]))
            if factor is None:
                raise CannotClaim("the matrix of the normal equations is not positive.")
        elif factor is None:
            kept, factor = kept[:0], np.zeros((0, 0))
        elif len(factor) == order.size:
            factor = triangular(np.asarray(factor)[order])
        left_out = kept.size and kept.size < d + lifted
        combinations = tuple(tuple(line[k] for k in order) for line in combinations)
        if not left_out or rest["ridge"]:
            combinations = ()
        return cls(
            labels=labels, treatment=treatment, coef=np.reshape(coef, (q, d)),
            intercept=np.reshape(intercept, q),
            shift=np.zeros(d + q) if shift is None else shift, kept=kept, factor=factor,
            combinations=combinations, reach=0.0 if left_out and not combinations else None,
            examples=examples, risk=HUGE, lower=0.0, excess=HUGE, distance=None,
            ridge=rest["ridge"], sample_weight=np.asarray(rest["sample_weight"]),
            multipliers=np.asarray(rest["multipliers"]),
        )  # fmt: skip

    def _issued(
        self, evidence: _Evidence, distance: float | None, reach: float | None
    ) -> LeastSquaresExcess:
        """This claim with its numbers. A checker may add in another order: his values differ from
        these by his allowances and ours, and he then allows for his own. His are at most 1.5 times
        ours (they are computed alike), so ROOM = 4 of ours is enough."""
        F = evidence.objective
        if self.reach is not None:
            if reach is None:
                reach = _affordable(evidence, 1e-9 * float(F.value))
        else:
            reach = None
        risk = exact.above(F.value + ROOM * F.within)
        if not risk < HUGE:
            raise CannotClaim("numbers overflow float64.")
        excess = min(evidence.excess(ROOM, reach), risk)
        lower = max(0.0, exact.below(F.value - ROOM * F.within - Fraction(excess)))
        return replace(self, risk=risk, lower=lower, excess=excess, reach=reach, distance=distance)

    @property
    def correlation(self) -> float | None:
        """No linear function of the features has a larger correlation with the residual; None where
        that is not shown: with a ridge or a reach, and for several outputs.

        That correlation is at most ‖Pr‖/‖r‖, ‖Pr‖² being the excess and ‖r‖² = F ≥ lower."""
        if self.ridge or self.reach is not None or self.labels.outputs > 1:
            return None
        if not self.excess:
            return 0.0
        if not self.lower:
            return 1.0
        return min(1.0, exact.root_above(Fraction(self.excess) / Fraction(self.lower)))

    @property
    def claim(self) -> str:
        weighted = "weighted " if self.sample_weight.size else ""
        what = f"{weighted}mean squared error"
        if self.labels.outputs > 1:
            what += f", summed over {self.labels.outputs} outputs,"
        if self.ridge:
            what += f" plus {self.ridge!r}·‖w‖²"
        through = "" if self.lifted else " without intercept"
        among = "none"
        if self.reach is not None:
            left_out = self.coef.shape[1] + self.lifted - self.kept.size
            among = (
                f"among those whose coefficients of {counted(left_out, 'dependent column')} differ "
                f"from these by at most {self.reach:g} in all, none"
            )
        text = (
            f"On {counted(self.examples, 'example')}, these linear predictions{through} have a "
            f"{what} of at most {rounded_up(self.risk)}; {among} has one below "
            f"{rounded_down(self.lower)}, and none is better than this by more than "
            f"{rounded_up(self.excess, 2)}."
        )
        if self.correlation is not None and self.correlation < 1:
            text += (
                " The correlation of the residual with any linear function of the features is at "
                f"most {rounded_up(self.correlation, 2)}."
            )
        if self.distance is not None:
            text += (
                " The coefficients are within "
                f"{rounded_up(self.distance, 2)} of the shortest that give these predictions."
            )
        return text

    @property
    def assumes(self) -> tuple[str, ...]:
        return ()

    @property
    def numbers(self) -> dict[str, Any]:
        found = {
            "examples": self.examples,
            "risk": self.risk,
            "lower": self.lower,
            "excess": self.excess,
        }
        for name in ("correlation", "reach", "distance"):
            if getattr(self, name) is not None:
                found[name] = getattr(self, name)
        return found

    def _check(self, sample: Sample) -> str:
        d = self.coef.shape[1]
        require(
            sample.m == self.examples,
            f"the claim is about {self.examples:,} examples, but X has {sample.m:,} rows.",
        )
        require(
            sample.d == d, f"the claim is about {d:,} features, but X has {sample.d:,} columns."
        )
        if self.combinations:
            require(
                exactly(sample, self.kept, self.combinations, self.lifted),
                "a column is not exactly the combination of others that it is said to be.",
            )
        evidence = self._by_rows(sample)
        F, excess = evidence.objective, evidence.excess(1, self.reach)
        require(F.above <= self.risk, f"the objective is not shown to be at most {self.risk!r}.")
        require(
            excess <= self.excess or F.above <= self.excess,
            f"the gradient does not prove an excess of at most {self.excess!r}.",
        )
        lowest = F.below - Fraction(excess) if excess < math.inf else Fraction(0)
        require(
            max(lowest, Fraction(0)) >= self.lower,
            f"it is not shown that no objective is below {self.lower!r}.",
        )
        if self.distance is not None:
            apart = self._distance(sample, 1)
            require(
                apart is not None and apart <= self.distance,
                f"the coefficients are not shown to be within {self.distance!r} of the shortest.",
            )
        return (
            f"the objective is at most {rounded_up(self.risk)}, and nowhere below "
            f"{rounded_down(self.lower)}."
        )

    # From the rows.

    def _by_rows(self, sample: Sample) -> _Evidence:
        s, S = self._weights()
        residuals, squares = self._residuals(sample, s)
        d, m = sample.d, sample.m
        tau = self._sizes(np.sqrt(squares * ABOVE + m * exact.TINY) * ABOVE)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            terms = (s[:, None] * (residuals * residuals)).ravel()
            apart = exact.gamma(d + 6) * norm_above(tau)  # ‖r̂ − r‖ₛ, all outputs together
            right = s[:, None] * residuals
        require(np.all(np.isfinite(terms)) and apart < math.inf, "numbers overflow float64.")
        objective = self._objective(positive_sum(terms, quickly=True), apart, S)
        lengths = np.sqrt(squares[:d] * ABOVE + m * exact.TINY) * ABOVE  # σ
        size = float(S.below)
        if self.kept.size:
            found = curvature(
                sample, self.factor, kept=self.kept, lifted=self.lifted, weights=s,
                total=float(S.value), ridge=self.ridge, right=right, shift=self.shift[:d],
            )  # fmt: skip
            curved = norm_above(np.eye(self.kept.size) - found.gram)
            curved_off = found.gram_off * ABOVE + 4 * exact.UNIT * (1 + curved)
            pull, off = found.product / size, found.product_off / size
            if self.ridge:
                pull, off = self._minus_ridge(pull, off)
            wide = math.sqrt(max(0.0, 1 + curved + curved_off)) * apart / math.sqrt(size)
            evidence = _Evidence(
                objective, curved, curved_off, norm_above(pull),
                (norm_above(off) + wide + 4 * exact.UNIT * norm_above(pull)) * ABOVE,
            )  # fmt: skip
            if self.reach is None:
                return evidence
            rest = others(self.kept, d)
            sums, sizes = _column_sums(sample, right, self.shift[:d], self._by_shift)
            off = exact.gamma(roundings(m, d) + 6) * sizes[rest] + 2 * m * exact.TINY
            off = np.max(off, axis=1) * ABOVE + lengths[rest] * apart * ABOVE
            return evidence._replace(
                beside=np.max(np.abs(sums[rest]), axis=1, initial=0.0) / size,
                beside_off=off / size * ABOVE,
                length=lengths[rest] / math.sqrt(size) * ABOVE,
            )
        if not self.ridge:
            return _Evidence(objective)
        return self._by_ridge(sample, objective, right, apart, lengths, s, size)

    def _by_ridge(self, sample, objective, right, apart, lengths, s, size) -> _Evidence:
        """Without a factor: the gradient, each output's mean taken out, and the means."""
        q, d, n = self.labels.outputs, sample.d, roundings(sample.m, sample.d) + 6
        columns = np.column_stack([right, s]) if self.lifted else right
        sums, sizes = _column_sums(sample, columns, self.shift[:d], self._by_shift)
        unit, tiny = exact.gamma(n), 2 * sample.m * exact.TINY / size
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            sums, off = sums / size, sizes / size * unit + tiny
            slopes, slopes_off = sums[:, :q], off[:, :q]
            penalty = self.ridge * self.coef.T
            g = slopes - penalty
            g_off = slopes_off + 4 * exact.UNIT * (np.abs(slopes) + np.abs(penalty)) + tiny
            wide = norm_above(lengths) * apart / size  # what r̂ − r does to all of g
            root = math.sqrt(self.ridge)
            if not self.lifted:
                return _Evidence(
                    objective, pull=norm_above(g) / root,
                    pull_off=(norm_above(g_off) + wide) / root * ABOVE + 8 * exact.UNIT,
                )  # fmt: skip
            middle, middle_off = sums[:, q:], off[:, q:]
            mean, mean_size = _sums(right, d) / size, _sums(np.abs(right), d) / size
            mean_off = unit * mean_size * ABOVE + apart / math.sqrt(size) * ABOVE + tiny
            taken = middle * mean
            g = g - taken
            g_off = g_off + 4 * exact.UNIT * (np.abs(g) + np.abs(taken))
            g_off += np.abs(middle) * mean_off + middle_off * (np.abs(mean) + mean_off)
            slack = (norm_above(g_off) + wide) / root + norm_above(mean_off)
            pull = norm_above(np.append(np.ravel(g) / root, mean))
        return _Evidence(objective, pull=pull, pull_off=(slack + 8 * exact.UNIT * pull) * ABOVE)

    def _weights(self) -> tuple[np.ndarray, Rounded]:
        if not self.sample_weight.size:
            return np.ones(self.examples), Rounded(Fraction(self.examples))
        S = total(self.sample_weight)
        require(S > 0, "all weights are 0.")
        return self.sample_weight, Rounded(S, S * Fraction(exact.UNIT))

    @property
    def _by_shift(self) -> bool:
        return bool(np.any(self.shift[: self.coef.shape[1]]))

    def _offsets(self) -> np.ndarray:
        """b + W·shift of x − shift of y: what is left of the intercept, rounded once."""
        d = self.coef.shape[1]
        offsets = [
            exact.dot(w, self.shift[:d]) + Fraction(float(b)) - Fraction(float(c))
            for w, b, c in zip(self.coef, self.intercept, self.shift[d:], strict=True)
        ]
        try:
            return np.array([float(offset) for offset in offsets])
        except OverflowError as overflow:
            raise Refuted("numbers overflow float64.") from overflow

    def _sizes(self, sigma: np.ndarray) -> np.ndarray:
        """τ, from the norms of the shifted columns of x and y and of the ones."""
        d, q = self.coef.shape[1], self.labels.outputs
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            tau = np.abs(self.coef) @ sigma[:d] + sigma[d : d + q]
            return (tau + np.abs(self._offsets()) * sigma[-1]) * ABOVE + LEAST

    def _objective(self, squares: Rounded, apart: float, S: Rounded) -> Rounded:
        """F from Σ s r̂², where r̂ is `apart` from r in norm."""
        norm = Fraction(exact.root_above(squares.above))
        within = squares.within + (2 * norm + Fraction(apart)) * Fraction(apart)
        mean = squares.value / S.value
        within = (within + mean * S.within) / S.below
        penalty = positive_sum((self.coef * self.coef).ravel())
        return Rounded(mean, within).plus(penalty, Fraction(self.ridge))

    def _minus_ridge(self, pull: np.ndarray, off: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Lᵀg from LᵀX̃ᵀSr/S: less ridge·Lᵀ(W, 0)."""
        slopes = self.factor[: self.kept.size - self.lifted]
        weights = self.ridge * self.coef.T
        moved, slack = pulled(slopes, weights, 2 * exact.UNIT * np.abs(weights))
        return pull - moved, off + slack + 4 * exact.UNIT * (np.abs(pull) + np.abs(moved))

    def _residuals(self, sample: Sample, s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """r̂ (m, q), and the sums of squares of the shifted columns of x and y and of the ones."""
        q, d = self.labels.outputs, sample.d
        cx, cy, offsets = self.shift[:d], self.shift[d:], self._offsets()
        residuals, squares = np.empty((sample.m, q)), np.zeros(d + q + 1)
        with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for start, stop in pieces(sample.m, d):
                rows = _shifted(sample, start, stop, cx, self._by_shift)
                y, v = sample.signs[start:stop] - cy, s[start:stop]
                residuals[start:stop] = y - np.asarray(rows @ self.coef.T) - offsets
                squares[:d] += _squares(rows, v)
                squares[d : d + q] += v @ (y * y)
                squares[-1] += np.sum(v)
        return residuals, squares

    # From sums.

    def _by_gram(self, known: ShiftedGram) -> _Evidence:
        _, S = self._weights()
        d, q, r = self.coef.shape[1], self.labels.outputs, self.kept.size
        n = d + q + 1
        most = max(known.roundings, roundings(self.examples, d), roundings(self.examples, r))
        unit = 2 * exact.gamma(most + 4 * n + 32)
        columns = np.where(self.kept < d, self.kept, n - 1)
        V = np.vstack([-self.coef.T, np.eye(q), -self._offsets()[None, :]])
        gram, size = known.gram, float(S.below)
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            sigma = np.sqrt(np.diag(gram) * ABOVE + self.examples * exact.TINY) * ABOVE
            tau = self._sizes(sigma)
            GV = gram @ V
            square = float(np.sum(V * GV))
            inner = np.abs(self.factor).T @ sigma[columns] * ABOVE  # ℓ
            pulled_back = self.factor.T @ gram[np.ix_(columns, columns)] @ self.factor / size
            if self.ridge:
                slopes = self.factor[: r - self.lifted]
                pulled_back += self.ridge * (slopes.T @ slopes)
            curved = norm_above(np.eye(r) - pulled_back)
            curved_off = unit * (norm_above(inner) ** 2 / size + norm_above(pulled_back)) * ABOVE
            pull = self.factor.T @ GV[columns] / size
            slack = unit * norm_above(inner) * norm_above(tau) / size * ABOVE
            if self.ridge:
                pull, off = self._minus_ridge(pull, np.zeros_like(pull))
                slack += norm_above(off)
            within = unit * norm_above(tau) ** 2 * ABOVE
        numbers = (square, within, curved, curved_off, slack, pull)
        require(all(np.all(np.isfinite(x)) for x in numbers), "numbers overflow float64.")
        squares = Rounded(Fraction(max(square, 0.0)), Fraction(within))
        rest = others(self.kept, d)
        return _Evidence(
            self._objective(squares, 0.0, S), curved, curved_off, norm_above(pull), slack,
            beside=np.max(np.abs(GV[rest]), axis=1, initial=0.0) / size,
            beside_off=unit * sigma[rest] * float(np.max(tau)) / size * ABOVE,
            length=sigma[rest] / math.sqrt(size) * ABOVE,
        )  # fmt: skip

    def _shown_exact(self, known: ShiftedGram) -> bool:
        """Whether Σ s E_j² = 0 for the remainder of every combination, from sums that were not
        rounded; all weights being positive, all E_j are then 0."""
        if not known.exact or (self.sample_weight.size and np.any(self.sample_weight == 0)):
            return False
        d, q = self.coef.shape[1], self.labels.outputs
        shift = [Fraction(float(c)) for c in self.shift[:d]] + [Fraction(0)]
        for j, line in zip(others(self.kept, d).tolist(), self.combinations, strict=True):
            terms = {j: Fraction(-1)} | {
                k: term for k, term in zip(self.kept.tolist(), line, strict=True) if term
            }
            if self.lifted:  # of the shifted columns
                terms[d] = terms.get(d, Fraction(0)) + sum(t * shift[k] for k, t in terms.items())
            places = [d + q if k == d else k for k in terms]  # of x̃ among (x, y, 1)
            part = known.gram[np.ix_(places, places)]
            common = common_denominator(list(terms.values()))
            if common is None or not np.array_equal(part, np.rint(part)):
                return False
            whole = np.array([int(term * common) for term in terms.values()], dtype=object)
            if whole @ np.vectorize(int, otypes=[object])(part) @ whole:
                return False
        return True

    # The shortest coefficients.

    def _distance(self, sample: Sample | None, allowances: int = ROOM) -> float | None:
        """How far coef is at most from the shortest with its predictions; None if not shown."""
        if self.multipliers.size and sample is not None:
            return self._off_row_space(sample, allowances)
        if not self.combinations:
            return None
        slopes, lines = self.kept < self.coef.shape[1], self.combinations
        rest, square = others(self.kept, self.coef.shape[1]), Fraction(0)
        for w in self.coef:
            kept = [Fraction(float(v)) for v in w[self.kept[slopes]]]
            for j, line in zip(rest.tolist(), lines, strict=True):
                own = [term for term, slope in zip(line, slopes, strict=True) if slope]
                inner = sum((c * v for c, v in zip(own, kept, strict=True) if c), Fraction(0))
                square += (Fraction(float(w[j])) - inner) ** 2
        root = exact.root_above(square)
        return root if root < HUGE else None

    def _off_row_space(self, sample: Sample, allowances: int) -> float | None:
        """‖coef − Σ z_i (x_i − x̄)‖, x̄ from the weights."""
        s, S = self._weights()
        d, q, size = sample.d, self.labels.outputs, float(S.below)
        z = self.multipliers.T
        require(not np.any(z[s == 0]), "an example of weight 0 has a multiplier.")
        columns = np.column_stack([z, s]) if self.lifted else z
        sums, sizes = _column_sums(sample, columns, self.shift[:d], self._by_shift)
        off = exact.gamma(roundings(sample.m, d) + 6) * sizes + 2 * sample.m * exact.TINY
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            apart = self.coef.T - sums[:, :q]
            slack = off[:, :q] + 2 * exact.UNIT * (np.abs(apart) + np.abs(self.coef.T))
            if self.lifted:
                surplus = np.array([float(total(column)) for column in self.multipliers])
                mean, mean_off = sums[:, q:] / size, off[:, q:] / size
                apart = apart + mean * surplus
                slack += (mean_off + 8 * exact.UNIT * np.abs(mean)) * np.abs(surplus)
                slack += 2 * exact.UNIT * np.abs(apart)
            found = (norm_above(apart) + allowances * norm_above(slack)) * ABOVE
        return found if found < HUGE else None


def triangular(factor: np.ndarray) -> np.ndarray:
    """An upper triangular T with TᵀAT orthogonally similar to BᵀAB, for a square B: B = TQ."""
    if not np.any(np.tril(factor, -1)):
        return factor
    return np.triu(linalg.rq(factor)[0])


def _table(values, name: str, rows: int) -> np.ndarray:
    """A read-only matrix of finite numbers with so many rows, or a ValueError."""
    table = np.array(values, dtype=np.float64)
    if table.ndim != 2 or len(table) != rows or not np.all(np.isfinite(table)):
        raise ValueError(f"{name} must be a table of finite numbers, a row for each output.")
    table.flags.writeable = False
    return table


def _affordable(evidence: _Evidence, cost: float) -> float:
    """A power of ten: the reach that adds about so much to the excess."""
    one = evidence.excess(ROOM, 1.0) - evidence.excess(ROOM, None)
    if not 0 < one < math.inf or not cost > 0:
        return 1.0
    return float(10.0 ** min(300, max(0, math.floor(math.log10(cost) - math.log10(one)))))


def _normal_matrix(known: ShiftedGram, kept: np.ndarray, d: int, ridge: float) -> np.ndarray:
    """A over the columns kept."""
    columns = np.where(kept < d, kept, len(known.gram) - 1)
    matrix = known.gram[np.ix_(columns, columns)] / known.gram[-1, -1]
    return matrix + ridge * np.diag((kept < d).astype(np.float64))


def _shifted(sample: Sample, start: int, stop: int, cx: np.ndarray, by_shift: bool):
    """x − shift for some rows; sparse where nothing is shifted."""
    part = sample.part(start, stop)
    if not by_shift:
        return part
    return (part.toarray() if sparse.issparse(part) else part) - cx


def _squares(rows, v: np.ndarray) -> np.ndarray:
    square = rows.multiply(rows) if sparse.issparse(rows) else rows * rows
    return np.asarray(square.T @ v)


def _column_sums(sample: Sample, right: np.ndarray, cx: np.ndarray, by_shift: bool):
    """Σ right_i (x_i − shift) and Σ |right_i (x_i − shift)|, (d, columns of right)."""
    sums, sizes = (np.zeros((sample.d, right.shape[1])) for _ in range(2))
    with one_thread(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        for start, stop in pieces(sample.m, sample.d):
            rows, some = _shifted(sample, start, stop, cx, by_shift), right[start:stop]
            sums += rows.T @ some
            sizes += abs(rows).T @ np.abs(some)
    return sums, sizes


def _sums(right: np.ndarray, d: int) -> np.ndarray:
    """Σ right_i, piece by piece."""
    return sum(
        (right[start:stop].sum(axis=0) for start, stop in pieces(len(right), d)),
        np.zeros(right.shape[1]),
    )
