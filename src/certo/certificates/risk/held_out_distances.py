"""TestDistances: how far predicted numbers are off on examples kept out of the fit, and so on new
ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, check_shape, require
from certo.certificates.fields import FiniteVector
from certo.certificates.sample.draws import why_copied
from certo.certificates.sample.values import Values
from certo.numbers import exact, rounding
from certo.numbers.capped_mean import shows_capped_mean
from certo.numbers.clopper_pearson import shows_clopper_pearson


@final
@dataclass(frozen=True, repr=False, eq=False)
class TestDistances(Certificate):
    """Claim: with probability at least 1 − delta over the draw of the examples, which had no part
    in making the rule, y is farther than `distance` from coef·x + intercept for a share of at most
    `beyond` of new examples; and, if `cap` is not 0, the mean over new examples of how far y is
    off, or of `cap` where that is more, is at most `mean`. The cap was fixed before the draw.

    Proof: let F be the distribution of the distance |y − coef·x − intercept|, and q the k-th
    smallest of the n here, where k is 9/10 of n, rounded up (`within`), whatever the examples are.
    Let F(q) < p, and t be the smallest number with F(t) ≥ p. Then q < t, so that at least k of the
    distances are below t, which each is with probability at most p, and the probability of that is
    at most P[Bin(n, p) ≥ k] = P[Bin(n, 1 − p) ≤ n − k]. The check shows this to be at most delta
    for 1 − p = `beyond` (the upper end of an interval that fails with probability delta on either
    side), and that at least k distances are at most `distance`, so that q is. The mean is that of
    `certo.numbers.capped_mean`. With a cap, each of the two has half of delta.
    """

    labels: Values  # type: ignore[assignment]
    coef: FiniteVector
    intercept: float
    examples: int
    distance: float
    delta: float
    beyond: float
    cap: float = field(default=0.0, metadata={"since": 6})
    mean: float = field(default=0.0, metadata={"since": 6})

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}
    shows: ClassVar[tuple[str, ...]] = (
        "examples", "within", "distance", "delta", "beyond", "cap", "mean",
    )  # fmt: skip
    __test__: ClassVar[bool] = False  # pytest must not collect this class.

    def __post_init__(self) -> None:
        super().__post_init__()
        shares = 0 < self.delta < 0.5 and 0 <= self.beyond <= 1 and 0 <= self.distance < np.inf
        shares = shares and 0 <= self.mean <= self.cap < np.inf
        if not shares or self.labels.outputs > 1 or self.examples < 1:
            raise ValueError("0 < delta < 1/2, a share, a distance and one output are needed.")

    @property
    def within(self) -> int:
        """How many examples must be within the distance: fixed before any is seen."""
        return -(-9 * self.examples // 10)

    @property
    def level(self) -> float:
        """The delta of each of its statements."""
        return self.delta / 2 if self.cap else self.delta

    @np.errstate(over="ignore", invalid="ignore")
    def distances(self, sample: Any, room: float = 1.0) -> np.ndarray:
        """Not below |y − prediction|, the prediction being computed exactly, or in float64 in any
        order: either is off by at most the allowance of one sum of products."""
        X, y = sample.X.astype(np.float64, copy=False), sample.signs[:, 0]
        size = abs(X) @ np.abs(self.coef) + abs(self.intercept) + np.abs(y)
        far = np.abs(X @ self.coef + self.intercept - y)
        far += 2 * room * exact.allowance(self.coef.size + 2, size)
        return np.where(size < rounding.OVERFLOW_LIMIT, far, np.inf)

    def _check(self, sample: Any) -> str:
        n, k = self.examples, self.within
        check_shape(sample, n, self.coef.size)
        far = self.distances(sample)
        near = int(np.count_nonzero(far <= self.distance))
        require(near >= k, f"{near:,} examples are shown to be within the distance, not {k:,}.")
        is_shown = shows_clopper_pearson(0.0, self.beyond, n, n - k, 2 * self.level)
        require(is_shown, f"a share as high as {self.beyond!r} is not shown to be out of question.")
        is_shown = not self.cap or shows_capped_mean(self.mean, far, self.cap, self.level)
        require(is_shown, f"a mean as high as {self.mean!r} is not shown to be out of question.")
        require(not (why := why_copied(sample.X, self.labels.places(sample.signs))), why)
        return f"{near:,} of {n:,} are within {self.distance:.6g}; the rest follows."
