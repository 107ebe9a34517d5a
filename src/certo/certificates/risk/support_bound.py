r"""SupportBound: from the examples that an optimum depends on to a risk, by Campi and Garatti.

Which examples may have a margin of at most 1 at the exact optimum is known from a solution near it.
Let (w*, b*) be the exact optimum of a margin machine in the space of φ: of ½‖w‖² +
C Σ_t [1 − y_t (w·φ(x_t) + b)]₊ (soft), or of ½‖w‖² such that all margins are at least 1 (hard). w*
is unique; with a "free" intercept b* is the smallest best b. Let (w, b) be a solution, scaled for
the hard margin so that its margins are at least 1.

How near it is. Soft: P(w, b) − ½‖w‖² is convex, and −w*, 0 among its subgradients at the optimum,
so P(w, b) ≥ P(w*, b*) + ½‖w − w*‖², and ‖w − w*‖ ≤ r = √(2·gap). Hard: w* is the shortest of the
convex set of all w that have margins of at least 1 with some b, so w*·(w − w*) ≥ 0 and ‖w − w*‖² ≤
‖w‖² − ‖w*‖² ≤ ‖w‖² − 1/upper², where no margin of a vector of length 1 exceeds `upper`. "lifted":
the same of (w, b), over (φ(x), 1). So no score w·φ(x_t) is further than ρ_t = r·‖φ(x_t)‖ from
that of w*.

Where b* is. Soft: the slope of Σ [1 − y_t (s_t + b)]₊ to the right of b is #{t : κ_t ≤ b} − n₊,
where κ_t = y_t − s_t, and n₊ examples are positive. So b* is the n₊-th smallest κ*_t. Hard: with
both classes there, one of each has a margin of 1 (or w* could be shorter), so that b* is the
largest κ* of the positive ones, none of a negative one is smaller, and b* is the n₊-th smallest
again. As |κ_t − κ*_t| ≤ ρ_t, and the n-th smallest number does not fall when numbers grow, b* is
between the n₊-th smallest κ_t − ρ_t and the n₊-th smallest κ_t + ρ_t.

Together: the margin of t at the optimum is at least y_t s_t − ρ_t + (the least of y_t b* there).

Rounding: outward, everywhere; scores have their slack.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from certo.certificates.base import Refuted, check_count, require
from certo.certificates.margins.solution import MarginSolution
from certo.certificates.risk.risk_bound import RiskBound, majority
from certo.certificates.sample.examples import SampleMismatch
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.pairs import pair_labels
from certo.certificates.spaces.scores import Scores
from certo.containers import count
from certo.numbers import exact, tails
from certo.numbers.decimals import rounded_up
from certo.numbers.exact import ROUND_UP_8

MAX_FACTOR = 2.0**500  # Products of larger numbers might overflow.


@dataclass(frozen=True)
class Near:
    """A solution near the optimum: scores w·φ(x_t) and their slack, its b, numbers that no
    ‖φ(x_t)‖ exceeds (lifted: no ‖(φ(x_t), 1)‖), r, and what computed scores are off by, on all
    examples that are no longer."""

    signs: np.ndarray
    scores: Scores
    intercept: Fraction
    lengths: np.ndarray
    radius: float
    computed: float
    free: bool
    reach: float = 0.0  # No shorter than the longest of all examples, those of other classes too.

    @cached_property
    def unsure(self) -> np.ndarray:
        """What the score of an example at the optimum is off by, at most."""
        moved = (self.scores.slack + self.lengths * self.radius) * ROUND_UP_8
        require(np.all(moved < MAX_FACTOR), "numbers overflow float64.")
        return moved

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Two numbers between which b* is."""
        if not self.free:  # The lengths contain b, or b is 0.
            return exact.below(self.intercept), exact.above(self.intercept)
        kinks = self.signs - self.scores.value
        unsure = (self.unsure + 2.0**-52 * np.abs(kinks)) * ROUND_UP_8
        place = int(np.count_nonzero(self.signs > 0)) - 1
        low = np.partition(np.nextafter(kinks - unsure, -np.inf), place)[place]
        high = np.partition(np.nextafter(kinks + unsure, np.inf), place)[place]
        return float(low), float(high)

    @cached_property
    def supports(self) -> np.ndarray:
        """Which examples are not shown to have a margin above 1 at the optimum."""
        low, high = self.ends
        margins = self.signs * self.scores.value + np.where(self.signs > 0, low, -high)
        unsure = (self.unsure + 2.0**-52 * np.abs(margins)) * ROUND_UP_8
        return ~(margins - unsure > 1)  # A comparison with 1 survives the last rounding.

    @cached_property
    def furthest(self) -> Fraction:
        """How far margins at the optimum are from the computed ones of (w, b) at most, on all new
        examples whose φ(x) is no longer than the longest of these."""
        moved = Fraction(self.reach) * Fraction(self.radius)
        moved += Fraction(self.computed)
        return moved + max(abs(self.intercept - Fraction(end)) for end in self.ends) * self.free


def nearby(solution: MarginSolution, sample, room: int = 1, reach: float = 0.0) -> Near:
    """What is known of the optimum from a solution that holds of the sample; no example, of
    whatever class, is longer than these or `reach`."""
    space, intercept = solution.space, Fraction(solution.intercept)
    solution = solution.within(sample)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        margins = space.margins(sample, solution.machine._replace(intercept=0.0))
        lengths = _lengths(solution, sample)
        reach = max(reach, float(lengths.max()))
        scores = Scores(sample.signs * margins.value, room * margins.slack)
        longest = np.append(lengths, reach)
        computed = room * space.computed(sample, solution.machine, margins, longest)
        unit, radius = solution.nearness(sample.signs, margins, scores)
        if unit != 1:
            value = scores.value / unit
            slack = (scores.slack / unit + 2.0**-52 * np.abs(value)) * ROUND_UP_8 + 4 * exact.TINY
            scores, intercept = Scores(value, slack), intercept / Fraction(unit)
            small = computed < MAX_FACTOR
            computed = exact.above(Fraction(computed) / Fraction(unit)) if small else math.inf
    sizes = (*scores, longest, radius, exact.above(abs(intercept)), computed)
    require(all(np.all(np.abs(part) < MAX_FACTOR) for part in sizes), "numbers overflow float64.")
    radius *= 1 + (room - 1) * 2.0**-40
    is_free = solution.treatment == "free"
    return Near(sample.signs, scores, intercept, lengths, radius, computed, is_free, reach)


def _lengths(solution: MarginSolution, sample) -> np.ndarray:
    """Numbers that no ‖φ(x_t)‖ exceeds, lifted: no ‖(φ(x_t), 1)‖."""
    lengths = solution.space.lengths(sample)
    if solution.treatment == "lifted":
        return np.sqrt((lengths * lengths + 1.0) * ROUND_UP_8) * ROUND_UP_8
    return lengths


class Examples(NamedTuple):
    """X as the solutions read it, y, and the places of its labels among the classes."""

    X: Any
    y: Any
    codes: np.ndarray


@final
@dataclass(frozen=True, repr=False, eq=False)
class SupportBound(RiskBound):
    r"""Claim: with probability at least 1 − delta over the draw of the m examples, the error rate
    of the machine of these `solutions` on new examples is at most `bound` (an error is
    y·score ≤ 0, with more than two classes a highest score that is not that of the own class
    alone; where pairs of classes vote, a pair of the own class that does not vote for it).

    Proof: let c be the examples with a margin of at most 1 at the exact optimum of some output, and
    the longest of all. Leaving out any others changes neither the optima nor c, so c is a
    compression function with Campi and Garatti's property of preference, for any C and kernel that
    were chosen before. A new example changes c if, and only if, it is longer than all, or has a
    margin of at most 1 at the optimum of some output. By their theorem the probability of that is
    at most ε(k) for k ≥ |c|, `bound`; the others are weaker.

    Two counts: the compression bound (Littlestone and Warmuth 1986) is in N, the number of support
    vectors of the exact optimum, whose dual variables are not 0. `support_vectors` counts those of
    the solutions at hand, which need not be the same. All formulas here are in k = `supports`,
    which is shown to be no less than N: the examples that may have a margin of at most 1 at the
    optimum, and the longest.

    Where pairs of classes vote, each optimum is about the examples of two classes, and c is the
    union over the pairs. The same proof holds: leaving out an example that is not in c leaves out
    none that any pair depends on, and a new example takes part in the pairs of its own class alone.
    (The classes are fixed, whichever of them have examples. Where the intercept is free, no class
    is lost: the multipliers of both classes of a pair have the same sum, and without any w is 0,
    and one of the two classes has margins of at most 0 and so multipliers. Else the optimum of a
    pair does not need that both have examples.) A new example is predicted rightly, however ties
    are settled, where all pairs of its class vote for it: these are all the votes that a class can
    have, and any other class has one less at least. So an error is a margin of at most 0 in a pair
    of its own class, and it changes c. There is one c, and δ is not divided.

    An optimum is known by a solution near it, `nearby`: `supports` is no less than |c|, and on new
    examples that are no longer than these a margin at the optimum exceeds that of the solution by
    at most 1, so that an error has a margin of at most 1 there.
    """

    solutions: tuple[MarginSolution, ...]
    examples: int
    supports: int
    printed: float
    tail: float
    bound: float

    shows: ClassVar[tuple[str, ...]] = (
        "examples", "supports", "support_vectors", "delta", "printed", "tail", "bound",
    )  # fmt: skip

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.solutions) is not tuple:
            raise ValueError("solutions must be a tuple of certificates.")
        objection = _objection(self.solutions)
        if objection:
            raise ValueError(f"no SupportBound follows from these solutions: {objection}")
        if self.labels != _all_classes(self.solutions):
            raise ValueError("labels must name the classes of the solutions, the last as positive.")
        of_solutions = sum(solution.examples for solution in self.solutions)
        classes, outputs = len(self.labels.classes), len(self.solutions)
        times = classes - 1 if _is_of_pairs(self.solutions) else outputs
        if times * self.examples != of_solutions:
            raise ValueError("the solutions must be about as many examples as the bound.")
        if not 1 <= self.supports <= self.examples:
            raise ValueError(f"supports must be from 1 to {self.examples}, got {self.supports!r}.")

    def _rows(self, sample: Examples) -> tuple[Any, np.ndarray]:
        return sample.X, sample.codes

    def _majority_of(self, sample: Examples) -> int:
        return majority(sample.codes)

    @property
    def bounds(self) -> dict[str, float]:
        return {"printed": self.printed, "exact tail": self.tail, "Campi–Garatti": self.bound}

    @property
    def support_vectors(self) -> int:
        """How many examples have a dual variable that is not 0 in some solution: the count of the
        notes, of the solutions at hand."""
        rows = [solution.rows[solution.dual_coef != 0] for solution in self.solutions]
        return np.unique(np.concatenate(rows)).size

    @property
    def _first(self) -> Any:
        return self.solutions[0]

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return "one for each output", self._first._reads

    def _read(self, X) -> Any:
        X = self._first._read(X)
        self._first.space.check_values(X)
        return X

    def _sample(self, X, y) -> Examples:
        codes = self.labels.places(y)
        if codes.size != count(X):
            raise SampleMismatch(f"X has {count(X)} examples, but y has {codes.size} labels.")
        return Examples(X, y, codes)

    def _check(self, sample: Examples) -> str:
        found, k = self._count(sample), self.supports
        require(found <= k, f"the optimum may depend on {found:,} examples, more than {k:,}.")
        self._check_formulas()
        return (
            f"the solutions hold, at most {k:,} of {self.examples:,} examples can matter to the "
            "exact optimum, and Campi and Garatti's formula then gives "
            f"{rounded_up(self.bound, 6)} or less."
        )

    def _check_formulas(self) -> None:
        m, k = self.examples, self.supports
        shown = tails.shows_campi_garatti(self.bound, m, k, self.level)
        require(shown, f"the bound by Campi and Garatti is above {self.bound!r}.")
        shown = tails.shows_binomial_tail(self.tail, m, k, 0, self.level)
        require(shown, f"the bound by the exact tail is above {self.tail!r}.")
        shown = self.printed >= tails.support_vector_compression(m, k, 0, self.level)
        require(shown, f"the printed bound is above {self.printed!r}.")

    def _count(self, examples: Examples, room: int = 1) -> int:
        """A number of examples that |c| does not exceed, if the solutions hold and are near."""
        X, y, codes = examples
        present = np.bincount(codes, minlength=len(self.labels.classes))
        require(np.all(present), "some class of the claim has no example.")
        found, reach = np.zeros(self.examples, dtype=bool), 0.0
        check_count(self.examples, codes.size)
        if _is_of_pairs(self.solutions):
            every = self._first.space.sample(X, y, self.labels)
            reach = float(_lengths(self._first, every).max())
        solution: Any
        for solution in self.solutions:
            sample = solution._sample(X, y)
            solution._check(sample)
            near = nearby(solution, sample, room, reach)
            if near.furthest > 1:  # The advice divides by it, and rows of zeros make it 0.
                raise Refuted(_too_far(solution, exact.above(near.furthest)))
            some = slice(None) if sample.places is None else sample.places
            found[some] |= near.supports
        return min(int(np.count_nonzero(found)) + 1, self.examples)  # 1: the longest


def _all_classes(solutions: tuple[Any, ...]) -> Labels:
    classes = solutions[0].labels.classes
    return Labels(classes, len(classes) - 1)


def _objection(solutions: tuple[Any, ...]) -> str:
    """Why no bound follows from such solutions, whatever the data; nothing, if one may."""
    if not solutions or not all(isinstance(solution, MarginSolution) for solution in solutions):
        return "there must be a SoftMarginGap or MaximumMargin for each output of the machine."
    first = solutions[0]
    classes = first.labels.classes
    outputs = range(1, 2) if len(classes) == 2 else range(len(classes))
    several = pair_labels(classes) if len(classes) > 2 else []
    asked = [solution.labels for solution in solutions]
    if asked not in ([Labels(classes, k) for k in outputs], several):
        return (
            "there must be one solution for two classes, the second being the positive one, and "
            "else one for each class against the rest, or for each pair of classes, in their order."
        )
    for solution in solutions:
        if getattr(solution, "width", None) is not None:
            return "a solution lists no multipliers, so that its support vectors are not known."
        if solution.weighted:
            return "examples or classes have weights, which may depend on all. Fit without weights."
        if solution.space.shift != 0:
            return (
                "the Gram matrix holds values of a kernel only with something added to its "
                "diagonal. Fit with the kernel itself."
            )
        if _setting(solution) != _setting(first):
            return "the solutions must be of one kind, with the same kernel, C and intercept."
    return ""


def _is_of_pairs(solutions: tuple[Any, ...]) -> bool:
    return solutions[0].labels.against is not None


def _setting(solution: MarginSolution) -> tuple[Any, ...]:
    names = ("treatment", "C", "space")
    return type(solution), *(getattr(solution, name, None) for name in names)


def _too_far(solution: MarginSolution, far: float) -> str:
    """How much nearer a solution must be: margins move with the root of the gap."""
    enough = solution.relative_gap / (1.1 * far) ** 2
    return (
        "the solution is too far from the exact optimum for its errors to be told from it: margins "
        f"may differ by {far:.2g}, and 1 is allowed. A relative gap (tol) of {enough:.0e} suffices."
    )
