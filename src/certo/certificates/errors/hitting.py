"""Packings of infeasible subsystems, and what they prove."""

from __future__ import annotations

from collections.abc import Iterable, Set

FINENESS = 2**20  # values of packings are whole multiples of 1/FINENESS


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
