"""LeastErrorsByTree: packings of examples that cannot all be right, and what they prove."""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import final

from certo.certificates.base import Refuted, require
from certo.certificates.encoding import counted
from certo.certificates.errors.least_errors import Groups, LeastErrors
from certo.certificates.fields import Fractions, IndexVector, Value, WholeVector
from certo.certificates.sample.examples import Sample
from certo.certificates.spaces.exact_rows import integer_rows
from certo.numbers.farkas import cancels

FINENESS = 2**20  # Values of packings are integer multiples of 1/FINENESS.


def packed(
    packing: Iterable[tuple[list[int], int]], costs: list[int], wrong: Set[int], right: Set[int]
) -> int | None:
    """A lower bound on FINENESS times the cost of all groups that are errors of a w which errs on
    the groups `wrong` and is right on the groups `right`; None if this is no packing.

    Every subsystem S has an error. Those without a member of `wrong` have one among the others
    that are not `right`, so Σ v_S over them is at most Σ_g Σ_{S∋g} v_S over the errors g, and if no
    group is charged more than it costs, at most what these errors cost; `wrong` is added to that.
    """
    charged: dict[int, int] = {}
    total = 0
    for members, value in packing:
        if value < 0:
            return None
        if wrong.isdisjoint(members):
            total += value
            for g in members:
                if g not in right:
                    charged[g] = charged.get(g, 0) + value
    if any(value > costs[g] * FINENESS for g, value in charged.items()):
        return None
    return total + FINENESS * sum(costs[g] for g in wrong)


@dataclass(frozen=True, eq=False)
class Subsystem(Value):
    """Examples that cannot all be right: Σ weight·z = 0 with these positive weights."""

    rows: IndexVector
    weights: Fractions

    def __post_init__(self) -> None:
        super().__post_init__()
        positive = all(weight > 0 for weight in self.weights)
        if not self.rows.size or len(self.weights) != self.rows.size or not positive:
            raise ValueError("a subsystem needs rows, and a positive fraction for each.")


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
    of subsystems (see `packed`), shows that this costs at least so much.

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
                require(
                    g not in wrong and g not in right, f"the tree asks twice about {node}.", node
                )
                todo += [(wrong, right | {g}), (wrong | {g}, right)]
                continue
            cases += 1
            require(-1 - node < len(packings), "the tree names a packing that is not there.")
            bound = packed(packings[-1 - node], groups.weights, wrong, right)
            if bound is None:
                raise Refuted("a packing charges a group more than it costs.")
            require(
                bound > (need - 1) * FINENESS,
                f"a case is closed by a packing that proves only {-(-bound // FINENESS):,}.",
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
