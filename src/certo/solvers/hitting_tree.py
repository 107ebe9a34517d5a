"""How few groups hit every infeasible subsystem: branch and bound whose log is a proof.

A w is wrong on some group of every infeasible subsystem, so its errors hit them all. The relaxation
min Σ c_g x_g, Σ_{g∈S} x_g ≥ 1 for the subsystems S known, 0 ≤ x ≤ 1, has a dual whose solutions are
packings of subsystems: values v_S ≥ 0 with Σ_{S∋g} v_S ≤ c_g. Their sum is a lower bound that a
reader can check by adding. New subsystems are looked for where x does not hit them; when none is
found, one group is branched on: wrong (x = 1: the subsystems with it are hit), or right (x = 0:
what is right need not be paid for, so packings may use it freely).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from certo.certificates.errors.least_errors_by_tree import FINENESS, Packing, Subsystem, packed
from certo.solvers.farkas import cancelling_weights
from certo.solvers.linear_program import LinearProgram, Subsystems

MAX_CUT_ROUNDS = 30  # Rounds of cuts at a node other than the root.
MAX_CUTS = 15  # Subsystems that are added in a round.
PATIENCE_ROUNDS = 5  # Rounds in which cuts must raise the relaxation noticeably.
MAX_BRANCHINGS_TRIED = 6  # Groups whose branches are tried at a node.
MAX_IDLE_SOLVES = 40  # Solves without a value after which a subsystem leaves the relaxation.
PACKING_EXCESS = 1e-3  # What a relaxation must be above what is to be proved, to survive rounding.
FRACTIONAL = 1e-6  # A value that far from 0 and from 1 is fractional.


def goal(upper: int) -> int:
    """What is as good as proving `upper`: the same, or for costs with many digits nearly so."""
    return upper - upper // 10**9


@dataclass
class Node:
    """Groups taken to be wrong and right, and what is proved for that: (subsystem, value) pairs
    that pack, and their bound, both in units of 1/FINENESS."""

    wrong: tuple[int, ...]
    right: tuple[int, ...]
    packing: list[tuple[int, int]]
    bound: int
    branch: int | None = None
    children: tuple[Node, ...] = ()


class HittingTree:
    """The search. `upper` is the cost of the best solution known; `improve(wrong)` is told of every
    set of groups without which floats take the rest to be right, and says what is best then, and
    which groups of the rest cannot be right, if it finds some; `left()` are the seconds there are.
    The vectors may be rounded, in any coordinates: `exact(groups)` has them in integers."""

    def __init__(
        self,
        vectors: np.ndarray,
        exact: Callable[[np.ndarray], list[list[int]]],
        costs: list[int],
        upper: int,
        improve: Callable[[np.ndarray], tuple[int, np.ndarray | None]],
        left: Callable[[], float],
        rng: np.random.Generator,
    ):
        self.exact, self.costs, self.upper = exact, costs, upper
        self.improve, self.left, self.rng = improve, left, rng
        self.n = len(costs)
        self.finder = Subsystems(vectors, left)
        self.pool: list[np.ndarray] = []
        self.weights: list[list[int]] = []  # With which the vectors of each of them cancel.
        self._known: set[bytes] = set()
        self.scale = max(1, max(costs) // 1000)  # The unit of costs in the relaxation.
        self.prices = np.array([cost / self.scale for cost in costs])
        self._relaxed = LinearProgram(np.zeros(self.n), np.ones(self.n), self.prices)
        self._active: list[int] = []  # The subsystems of the relaxation, by their place in `pool`.
        self._idle: list[int] = []  # For how many solves each of them has had no value.
        self._gains = np.zeros((2, self.n))
        self._tried = np.zeros((2, self.n))
        self.nodes = 0
        self.root = Node((), (), [], 0)
        self._open = [(0, 0, self.root)]
        self._ended: float = np.inf  # The least bound of the closed leaves.
        self._order = itertools.count(1)

    @property
    def lower(self) -> int:
        """What is proved, whole: no leaf of the tree is cheaper."""
        open_ = (node.bound for _, _, node in self._open)
        least = min(itertools.chain(open_, [self._ended]))
        return int(min(self.upper, -(-least // FINENESS)))

    @property
    def pivots(self) -> int:
        """Steps of the simplex method so far."""
        return self._relaxed.pivots + self.finder.program.pivots

    def run(self, stop: Callable[[], bool]) -> None:
        """Until everything is closed, or `stop` says so. May be called again."""
        while self._open and not stop():
            node = self._open[0][2]  # The node stays a leaf until it is closed or branched on.
            x = None if self._is_closed(node) else self._tighten(node, stop)
            if stop() and not self._is_closed(node):
                return
            heapq.heappop(self._open)
            branch = None if x is None or self._is_closed(node) else self._branching(node, x)
            if branch is None:  # It is closed, or a solution that no weights of floats attain.
                self._ended = min(self._ended, node.bound)
                continue
            self.nodes += 1
            node.branch = branch
            node.children = (
                Node((*node.wrong, branch), node.right, node.packing, 0),
                Node(node.wrong, (*node.right, branch), node.packing, 0),
            )
            for child in node.children:
                child.bound = self._proved(child)
                heapq.heappush(self._open, (child.bound, next(self._order), child))

    def proof(
        self, need: int, rows: np.ndarray
    ) -> tuple[tuple[Subsystem, ...], tuple[Packing, ...], np.ndarray]:
        """The log, cut where `need` is proved, for groups of which these are examples: the
        subsystems used, packings of them, and the tree as `LeastErrorsByTree` has it."""
        packings: list[list[tuple[int, int]]] = []
        tree, todo = [], [self.root]
        while todo:
            node = todo.pop()
            if node.bound > (need - 1) * FINENESS:
                tree.append(-1 - len(packings))
                packings.append(node.packing)
            else:
                assert node.branch is not None
                tree.append(int(rows[node.branch]))
                todo += reversed(node.children)
        used = sorted({k for packing in packings for k, _ in packing})
        place = {k: i for i, k in enumerate(used)}
        return (
            tuple(
                Subsystem(rows[self.pool[k]], tuple(map(Fraction, self.weights[k]))) for k in used
            ),
            tuple(
                Packing(tuple(place[k] for k, _ in packing), tuple(value for _, value in packing))
                for packing in packings
            ),
            np.array(tree),
        )

    def _is_closed(self, node: Node) -> bool:
        return node.bound > (goal(self.upper) - 1) * FINENESS

    def _proved(self, node: Node) -> int:
        bound = packed(
            [(self.pool[k].tolist(), value) for k, value in node.packing],
            self.costs,
            set(node.wrong),
            set(node.right),
        )
        return -1 if bound is None else bound

    # ---- the relaxation ---------------------------------------------------------------------

    def _restrict(self, node: Node) -> None:
        lower, upper = np.zeros(self.n), np.ones(self.n)
        lower[list(node.wrong)], upper[list(node.right)] = 1.0, 0.0
        self._relaxed.set_bounds(lower, upper)
        self.finder.leave_out(list(node.wrong))

    def _solve(self) -> tuple[float, np.ndarray | None]:
        x = self._relaxed.solve(self.left())
        return (np.inf if x is None else self._relaxed.value), x

    def _lower_upper(self, wrong: np.ndarray | list[int]) -> bool:
        """Without these groups the rest can be right, as far as floats can tell; True if exactly
        it cannot, for a reason that was not known."""
        best, missed = self.improve(np.array(wrong, dtype=np.int64))
        self.upper = min(self.upper, best)
        return missed is not None and self._add(missed)

    def _add(self, members: np.ndarray) -> bool:
        """Add a subsystem to the pool and to the relaxation, unless it is there already, or none:
        what floats take for one may be cancelled by no weights exactly."""
        key = members.astype(np.int32).tobytes()
        if key in self._known or not members.size:
            return False
        self._known.add(key)
        weights = cancelling_weights(self.exact(members))
        if weights is None:
            return False
        self.pool.append(members)
        self.weights.append(weights)
        self._activate([len(self.pool) - 1])
        return True

    def _activate(self, which: list[int]) -> None:
        for k in which:
            members = self.pool[k].astype(np.int32)
            self._relaxed.highs.addRow(1.0, np.inf, members.size, members, np.ones(members.size))
        self._active += which
        self._idle += [0] * len(which)

    def _retire(self) -> None:
        """Drop subsystems that have long had no value: the pool remembers them."""
        pairs = zip(self._relaxed.duals, self._idle, strict=True)
        self._idle = [0 if dual > 1e-9 else idle + 1 for dual, idle in pairs]
        kept = [row for row, idle in enumerate(self._idle) if idle <= MAX_IDLE_SOLVES]
        if len(self._idle) - len(kept) > 50:
            gone = np.setdiff1d(np.arange(len(self._idle), dtype=np.int32), kept)
            self._relaxed.highs.deleteRows(gone.size, gone)
            self._active = [self._active[row] for row in kept]
            self._idle = [self._idle[row] for row in kept]

    def _recall(self, x: np.ndarray) -> int:
        """Subsystems of the pool that x does not hit, back into the relaxation."""
        active = set(self._active)
        resting = [k for k in range(len(self.pool)) if k not in active]
        sums = np.array([x[self.pool[k]].sum() for k in resting])
        missed = [resting[k] for k in np.argsort(sums)[:MAX_CUTS] if sums[k] < 1 - FRACTIONAL]
        self._activate(missed)
        return len(missed)

    def _separate(self, node: Node, x: np.ndarray, tries: int) -> int:
        """New subsystems that x does not hit; −1 if all that is left can be right."""
        new = 0
        right = list(node.right)
        for _ in range(tries):
            noise = 10.0 ** self.rng.uniform(-4, -0.3)
            costs = x + noise * self.rng.random(self.n)
            costs[right] *= 0.1
            for k in range(MAX_CUTS):
                found = self.finder.cheapest(costs)
                if found is None:
                    return -1
                if not found.size:
                    return new
                if x[found].sum() < 1 - FRACTIONAL:
                    new += self._add(found)
                elif k > 1:
                    break
                costs[found] += 0.6 - 0.3 * x[found]
                costs[right] = np.minimum(costs[right], 0.05)
            if new:
                break
        return new

    # ---- a node -----------------------------------------------------------------------------

    def _tighten(self, node: Node, stop: Callable[[], bool]) -> np.ndarray | None:
        """Add cuts at a node; what it proves is then better, and the relaxed solution returned."""
        self._restrict(node)
        is_root = node is self.root
        value, x = self._solve()
        before = value
        for k in itertools.count():
            closed = value > (goal(self.upper) - 1) / self.scale + PACKING_EXCESS
            if x is None or closed or stop() or (k >= MAX_CUT_ROUNDS and not is_root):
                break
            new = self._recall(x) or self._separate(node, x, 30 if is_root else 3)
            if new < 0:  # What is wrong here is enough.
                if not self._lower_upper(list(node.wrong)):
                    x = None
                    break
            elif not new:
                if np.any(np.minimum(x, 1 - x) > FRACTIONAL):
                    break
                missed = self._missed(node, x)
                known = missed is not None and self._add(missed)
                if not known and not self._lower_upper(np.flatnonzero(x > 0.5)):
                    x = None if missed is None else x
                    break
            value, x = self._solve()
            if x is not None:
                self._retire()
            if k % PATIENCE_ROUNDS == PATIENCE_ROUNDS - 1:
                if value - before < (0.002 * value if is_root else 0.03):
                    break
                before = value
                if is_root:
                    self._pack(node)  # What is proved in the meantime.
        if x is None:
            self._contradict(node)
        self._pack(node)
        if x is not None and (is_root or self.nodes % 10 == 0):
            self._round(node, x)
        return x

    def _missed(self, node: Node, x: np.ndarray) -> np.ndarray | None:
        """A subsystem that a whole x does not hit, if there is one."""
        self.finder.leave_out(np.flatnonzero(x > 0.5))
        found = self.finder.cheapest(self.rng.random(self.n))
        self.finder.leave_out(list(node.wrong))
        return found

    def _round(self, node: Node, x: np.ndarray) -> None:
        """A solution near x: as long as some subsystem is not hit, take its best member."""
        wrong = list(node.wrong)
        score = (x + 1e-3) / self.prices
        score[list(node.right)] = -1.0
        spent = 0
        while spent < 2 * self.upper and self.left() > 0:
            self.finder.leave_out(wrong)
            found = self.finder.cheapest(x + 0.1 * self.rng.random(self.n))
            if found is None:
                self._lower_upper(wrong)
            if found is None or not found.size:
                break
            self._add(found)
            wrong.append(int(found[np.argmax(score[found])]))
            spent += self.costs[wrong[-1]]
        self.finder.leave_out(list(node.wrong))

    def _contradict(self, node: Node) -> None:
        """Close a case in which a whole subsystem is right: its value may be anything."""
        right = np.zeros(self.n, dtype=bool)
        right[list(node.right)] = True
        for k in self._active:
            if right[self.pool[k]].all():
                node.packing = [(k, self.upper * FINENESS)]
                node.bound = self._proved(node)

    def _pack(self, node: Node) -> None:
        """The dual solution as an exact packing, if it proves more than what is known."""
        duals = self._relaxed.duals
        if duals.size != len(self._active):
            return
        packing = []
        for row in np.flatnonzero(duals > 1e-9).tolist():
            value = (int(duals[row] * 2**20) * self.scale * FINENESS) >> 20
            packing.append((self._active[row], value))
        # Rounding may charge a group more than it costs: less of everything then.
        charged = [0] * self.n
        for k, value in packing:
            for g in self.pool[k].tolist():
                charged[g] += value
        spared = set(node.right)
        over = [(charged[g], self.costs[g] * FINENESS) for g in range(self.n) if g not in spared]
        most, allowed = max(over, key=lambda both: both[0] / both[1], default=(0, 1))
        if most > allowed:
            packing = [(k, value * allowed // (most + 1)) for k, value in packing]
        bound = self._proved(Node(node.wrong, node.right, packing, 0))
        if bound > node.bound:
            node.packing, node.bound = packing, bound

    def _branching(self, node: Node, x: np.ndarray) -> int | None:
        """The group whose two branches promise most: tried, until its past says enough."""
        fixed = np.zeros(self.n, dtype=bool)
        fixed[list(node.wrong)] = fixed[list(node.right)] = True
        open_ = np.flatnonzero((np.minimum(x, 1 - x) > FRACTIONAL) & ~fixed)
        if not open_.size:
            free = np.flatnonzero(~fixed)
            return int(free[np.argmax(x[free])]) if free.size else None
        past = self._gains[:, open_] / np.maximum(self._tried[:, open_], 1)
        mean = self._gains.sum(axis=1) / np.maximum(self._tried.sum(axis=1), 1)
        past = np.where(self._tried[:, open_] > 0, past, np.maximum(mean, 0.1)[:, None])
        expected = np.maximum(past[0] * (1 - x[open_]), 1e-3) * np.maximum(past[1] * x[open_], 1e-3)
        likely = open_[np.argsort(-expected * np.sqrt(self.prices[open_]))][:MAX_BRANCHINGS_TRIED]
        value = self._relaxed.value
        most, best = -1.0, None
        for g in likely.tolist():
            if self._tried[:, g].min() >= 4:
                gain = self._gains[:, g] / self._tried[:, g] * [1 - x[g], x[g]]
            else:
                gain = np.zeros(2)
                for side, fixed_at in enumerate((1.0, 0.0)):
                    self._relaxed.highs.changeColBounds(g, fixed_at, fixed_at)
                    there, _ = self._solve()
                    gain[side] = min(there, self.upper / self.scale) - value
                    self._gains[side, g] += gain[side] / max(abs(fixed_at - x[g]), 1e-6)
                    self._tried[side, g] += 1
                self._relaxed.highs.changeColBounds(g, 0.0, 1.0)
            score = max(gain[0], 1e-4) * max(gain[1], 1e-4)
            if score > most:
                most, best = score, g
        return best
