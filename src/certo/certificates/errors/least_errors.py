"""How many errors a hyperplane makes, and that no hyperplane makes fewer than so many.

An error is an example with y (coef·x + intercept) ≤ 0: a score of zero counts, as in the notes,
whatever a prediction makes of it.
"""

from __future__ import annotations

import abc
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from certo.certificates.base import Certificate, Refuted, require
from certo.certificates.encoding import counted, readable
from certo.certificates.errors import cells
from certo.certificates.errors.groups import Groups, grouped
from certo.certificates.errors.hitting import FINENESS, packed
from certo.certificates.fields import (
    FiniteVector,
    WholeVector,
    finite_vector,
    index_vector,
)
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.shape import check_weights
from certo.certificates.spaces.exact_rows import integer_rows
from certo.certificates.spaces.vectors import Margins
from certo.numbers import exact
from certo.numbers.farkas import cancels


def _check_costs(certificate, sample: Sample) -> None:
    weights = certificate.sample_weight
    require(
        weights.size in (0, sample.m),
        f"there are {weights.size:,} weights for {sample.m:,} examples.",
    )


def _sample_weight(certificate) -> None:
    weights = finite_vector(certificate.sample_weight, "sample_weight")
    if np.any(weights < 0):
        raise ValueError("sample_weight must not be negative.")
    object.__setattr__(certificate, "sample_weight", weights)


@final
@dataclass(frozen=True, repr=False, eq=False)
class ErrorCount(Certificate):
    """Claim: the hyperplane makes `errors` errors (with `sample_weight`: of that weight, rounded
    up), a score of zero being one.

    Proof: the sign of every margin, decided exactly where rounding could matter.
    """

    coef: FiniteVector
    intercept: float
    examples: int
    sample_weight: np.ndarray
    errors: float

    describes: ClassVar[dict[str, str]] = {
        "coef": "coef_",
        "intercept": "intercept_",
        "errors": "errors_",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        _sample_weight(self)

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples, "errors": self.errors}

    def _check(self, sample: Sample) -> str:
        check_weights(self, sample)
        _check_costs(self, sample)
        wrong = is_error(sample, self.coef, self.intercept)
        found = exact.above(weight_of(wrong, self.sample_weight))
        require(found == self.errors, f"they are {readable(found)}, not {readable(self.errors)}.")
        return f"{counted(int(np.count_nonzero(wrong)), 'margin')} of {sample.m:,} not positive."


def is_error(sample: Sample, coef: np.ndarray, intercept: float) -> np.ndarray:
    """Which examples have y (coef·x + intercept) ≤ 0, decided exactly."""
    margins = Margins.of(sample, np.asarray(coef, dtype=np.float64), float(intercept))
    return margins.is_error(+1) | margins.is_error(-1)


def weight_of(which: np.ndarray, sample_weight: np.ndarray) -> Fraction:
    """How many these examples are, or what they weigh."""
    if not sample_weight.size:
        return Fraction(int(np.count_nonzero(which)))
    return exact.dot(sample_weight[which], np.ones(np.count_nonzero(which)))


@dataclass(frozen=True, repr=False, eq=False)
class LeastErrors(Certificate):
    """Claim: every hyperplane (without `lifted`, every one through the origin) makes at least
    `at_least` errors (with `sample_weight`: of that weight)."""

    lifted: bool
    examples: int
    sample_weight: np.ndarray
    at_least: float

    describes: ClassVar[dict[str, str]] = {"at_least": "lower_bound_"}

    def __post_init__(self) -> None:
        super().__post_init__()
        if type(self.lifted) is not bool:
            raise ValueError("lifted must be true or false.")
        _sample_weight(self)

    @property
    def informative(self) -> bool:
        return self.at_least > 0

    @property
    def numbers(self) -> dict[str, Any]:
        return {"examples": self.examples, "at_least": self.at_least}

    def _check(self, sample: Sample) -> str:
        require(
            sample.m == self.examples,
            f"the claim is about {self.examples:,} examples, but X has {sample.m:,} rows.",
        )
        _check_costs(self, sample)
        groups = grouped(sample, self.sample_weight, self.lifted)
        return self._check_groups(sample, groups, needed(self.at_least, groups))

    @abc.abstractmethod
    def _check_groups(self, sample: Sample, groups: Groups, need: int) -> str:
        """Why the errors among the groups cost at least `need`."""


def needed(at_least: float, groups: Groups) -> int:
    """What has to be proved of the groups: their costs, and so the errors', are whole numbers."""
    return math.ceil(Fraction(at_least) / groups.unit) - groups.constant


def proved(cost: int, groups: Groups) -> float:
    """The claim that follows from errors of at least this cost among the groups."""
    return exact.below((cost + groups.constant) * groups.unit)


@final
@dataclass(frozen=True, repr=False, eq=False)
class LeastErrorsByCells(LeastErrors):
    """Proof: every cell of the arrangement of hyperplanes w·z_t = 0 is looked at (see `cells`).
    There is no witness: the check is the search itself."""

    def _check_groups(self, sample: Sample, groups: Groups, need: int) -> str:
        if need <= 0:
            return "repeated and opposite examples already cost as much."
        vectors = cells.coordinates(integer_rows(sample, groups.rows.tolist(), self.lifted))
        require(len(vectors) > 0, "there is nothing left to err on.")
        size = cells.work(len(vectors), len(vectors[0]))
        require(size <= cells.MOST_WORK, "there are too many cells to look at.")
        weights, unit = cells.coarse(groups.weights)
        enough = -(-need // unit)
        found = cells.least(vectors, weights, enough)
        if found.value < enough:
            least = readable(proved(found.value * unit, groups))
            raise Refuted(f"looking at all cells proves only {least}.")
        rank = len(vectors[0])
        return f"all cells of {len(vectors):,} hyperplanes in dimension {rank} were looked at."


@dataclass(frozen=True)
class Subsystem:
    """Examples that cannot all be right: Σ weight·z = 0 with these positive weights."""

    rows: np.ndarray
    weights: tuple[Fraction, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", index_vector(self.rows, "rows"))
        exact = all(isinstance(weight, int | Fraction) and weight > 0 for weight in self.weights)
        if not self.rows.size or len(self.weights) != self.rows.size or not exact:
            raise ValueError("a subsystem needs rows, and a positive fraction for each.")
        object.__setattr__(self, "weights", tuple(map(Fraction, self.weights)))


@dataclass(frozen=True)
class Packing:
    """Values for some of the subsystems, in units of 1/FINENESS."""

    subsystems: tuple[int, ...]
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        whole = all(type(entry) is int for entry in (*self.subsystems, *self.values))
        if len(self.subsystems) != len(self.values) or not whole:
            raise ValueError("a packing needs a whole value for each of its subsystems.")


@final
@dataclass(frozen=True, repr=False, eq=False)
class LeastErrorsByTree(LeastErrors):
    """Proof: the errors of w hit every subsystem, and a tree of cases, each closed by a packing
    of subsystems (see `hitting`), shows that this costs at least so much.

    `tree` lists the nodes, each before those below it: t ≥ 0 asks whether example t (and so its
    whole group) is an error; the nodes for yes follow, then those for no. −1 − k says that packing
    k closes the case.
    """

    subsystems: tuple[Subsystem, ...]
    packings: tuple[Packing, ...]
    tree: WholeVector

    def _check_groups(self, sample: Sample, groups: Groups, need: int) -> str:
        group_of = {row: g for g, row in enumerate(groups.rows.tolist())}
        members = [self._members(sample, group_of, k) for k in range(len(self.subsystems))]
        known: set[int] = set(range(len(self.subsystems)))
        packings = []
        for packing in self.packings:
            require(
                known.issuperset(packing.subsystems),
                "a packing speaks of subsystems that are not there.",
            )
            packings.append(
                [(members[k], v) for k, v in zip(packing.subsystems, packing.values, strict=True)]
            )
        cases = 0
        todo: list[tuple[frozenset[int], frozenset[int]]] = [(frozenset(), frozenset())]
        for node in self.tree.tolist():
            require(todo, "the tree goes on after its end.")
            wrong, right = todo.pop()
            if node >= 0:
                require(node in group_of, f"the tree asks about example {node}, in no group.")
                g = group_of[node]
                require(g not in wrong and g not in right, f"the tree asks twice about {node}.")
                todo += [(wrong, right | {g}), (wrong | {g}, right)]
                continue
            cases += 1
            require(-1 - node < len(packings), "the tree names a packing that is not there.")
            bound = packed(packings[-1 - node], groups.weights, wrong, right)
            if bound is None:
                raise Refuted("a packing charges a group more than it costs.")
            require(
                bound > (need - 1) * FINENESS,
                f"a case is closed by a packing that proves only {bound // FINENESS + 1:,}.",
            )
        require(not todo, "the tree ends before all cases are closed.")
        return (
            f"{counted(len(self.subsystems), 'infeasible subsystem')} with exact weights, "
            f"and {counted(cases, 'case')} closed by packing them."
        )

    def _members(self, sample: Sample, group_of: dict[int, int], k: int) -> list[int]:
        """The groups of a subsystem, after checking that it is infeasible."""
        subsystem = self.subsystems[k]
        rows = subsystem.rows.tolist()
        require(set(rows) <= group_of.keys(), f"subsystem {k} has examples that are in no group.")
        require(
            cancels(integer_rows(sample, rows, self.lifted), subsystem.weights),
            f"the weights of subsystem {k} do not cancel.",
        )
        return [group_of[row] for row in rows]
