r"""The soft-margin SVM in a kernel's space on a device, to a gap between primal and dual.

Problem     that of `solvers.kernel_soft_margin`, in the same signed multipliers β
Blocks      2,048 examples, drawn at random in proportion to the roots of their violations; half
            of them should rise, and half should fall. Each block's quadratic program is solved in
            float32 (`device_block`), or, where the kernel is no Gaussian, by pairs on the
            processor; then come all scores of the examples that are followed. The step ends where
            the dual is highest
Shrinking   between two looks at all examples only those near the margin are followed; the scores
            of the others are brought up to date at the next look
Precision   scores while working as `device_images` gives them; in the end the multipliers are made
            feasible exactly, and the scores of all examples computed in float64 (`device_kernels`):
            the gap that counts is that of these
Memory      the examples in float64 and, for the Gaussian, twice in float16; a block's Gram matrix;
            some vectors
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import torch

from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.problems.soft_margin import SoftMargin
from certo.scale import device_block
from certo.scale.device import on_device, require_memory
from certo.scale.device_images import DeviceImages, GaussianImages, images_on
from certo.scale.device_kernels import MAX_BLOCK_VALUES, require_known, tensor
from certo.solvers.gap_ledger import Ledger
from certo.solvers.kernel_soft_margin import BLOCK_ACCURACY, KernelOutcome, solve_block
from certo.stop import Asked, Stop, go_on

BLOCK_ROWS = 2048  # Examples of a block: smaller ones are solved sooner, larger ones pull too far.
BLOCKS_PER_QUESTION = 16  # Blocks between two questions whether to stop.
SWEEPS_PER_LOOK, MAX_DEVICE_BLOCKS = 3, 256  # Blocks between two looks at all examples.
FOLLOWED_DISTANCE = 4.0  # Examples within so many violations from the margin are followed.
NEGLIGIBLE_VIOLATION = 0.005  # Share of the violation below which an example does not violate.
FIRST_AIM, NEXT_AIM = 0.8, 0.6  # Share of the gap that is aimed at before float64, and after it.
FLOAT32_BOX_ROUNDING = 1e-6  # Distance from a bound, relative to its box, that is rounding.
EQUAL_SUMS = 1e-13  # Sums of costs that differ by this share of them count as equal.
MAX_PROCESSORS = 128  # Programs that solve a block together.
VECTORS = 40  # Numbers in float64 that are held for each example.


def device_soft_margin(
    kernel: Kernel,
    X: Any,
    signs: np.ndarray,
    costs: np.ndarray,
    intercept: str,
    device: torch.device,
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    start: np.ndarray | None = None,
    asked: Asked = go_on,
    after_look: Callable[[float, float], Stop | None] = go_on,
) -> KernelOutcome:
    """As `solvers.kernel_soft_margin`, for kernels of vectors. `max_iter` counts looks at all
    examples."""
    require_known(kernel)
    require_memory(device, bytes_needed(*X.shape), f"An SVM of {X.shape[0]:,} examples")
    with on_device(device):
        search = _Search(kernel, tensor(X, device), signs, costs, intercept, start, asked)
        return search.run(Ledger(tol, max_iter, asked, after_look))


def bytes_needed(m: int, d: int) -> int:
    """Of the device, for m examples of d features, by a rough count."""
    block = min(m, BLOCK_ROWS)
    return 8 * (3 * m * d + VECTORS * m + 3 * MAX_BLOCK_VALUES) + 16 * block**2


class _View(NamedTuple):
    """Examples that are followed, with their multipliers and scores."""

    images: DeviceImages
    y: torch.Tensor
    low: torch.Tensor
    high: torch.Tensor
    beta: torch.Tensor
    f: torch.Tensor

    def part(self, rows: torch.Tensor) -> _View:
        return _View(self.images.part(rows), *(values[rows] for values in self[1:]))


class _Look(NamedTuple):
    """How far each example violates optimality, for some b."""

    slopes: torch.Tensor  # y_t − f(x_t) − b
    excess: torch.Tensor  # How far β_t can and should move; negative: its distance from moving.
    gap: torch.Tensor  # Their share of primal − dual.


class _Found(NamedTuple):
    """Feasible multipliers with scores in float64."""

    alpha: np.ndarray
    scores: np.ndarray
    b: float
    primal: float
    dual: float

    @property
    def gap(self) -> float:
        return self.primal - self.dual


class _Search:
    """Multipliers β, and the scores f of all examples that belong to them."""

    def __init__(self, kernel: Kernel, X, signs, costs, intercept: str, start, asked: Asked):
        self.problem, self.asked = SoftMargin(signs, costs, intercept), asked
        self.free, self.lifted = intercept == "free", intercept == "lifted"
        device = X.device
        y, c = (torch.from_numpy(part.astype(np.float64)).to(device) for part in (signs, costs))
        zero = torch.zeros_like(y)
        low, high = torch.where(y > 0, zero, -c), torch.where(y > 0, c, zero)
        self.all = _View(images_on(kernel, X), y, low, high, zero.clone(), zero.clone())
        self.costs = c
        self.total = torch.zeros((), dtype=torch.float64, device=device)  # Σ β
        self.by_pairs = not isinstance(kernel, Gaussian)
        self.draw = torch.Generator(device=device).manual_seed(0)
        self.best: _Found | None = None
        if start is not None:
            self._set(self.problem.feasible(start))

    def run(self, ledger: Ledger) -> KernelOutcome:
        """Until the gap is small in float64, or it is time to stop."""
        aim, before = FIRST_AIM, math.inf
        while True:
            b, primal, dual = self._values()
            ledger.note(primal, dual)
            near = primal - dual <= aim * ledger.goal * primal
            if near or ledger.over:
                found = self._exactly()
                better = self.best is None or found.gap < self.best.gap
                best = found if self.best is None or better else self.best
                self.best = best
                ledger.found(best.primal, best.dual)
                done = best.gap <= ledger.goal * best.primal
                if done or ledger.spent or not (better and found.gap < 0.98 * before):
                    return self._outcome(ledger, best)
                before, aim = found.gap, aim * NEXT_AIM
                ledger.primal, ledger.dual = math.inf, -math.inf
                continue
            self._improve(b, 0.5 * aim * ledger.goal * primal)

    def _outcome(self, ledger: Ledger, best: _Found) -> KernelOutcome:
        stop = ledger.stop(best.gap, ledger.goal * best.primal)
        return KernelOutcome(
            best.alpha, best.b, best.scores, best.primal, best.dual, ledger.passes, stop,
            ledger.trace,
        )  # fmt: skip

    def _exactly(self) -> _Found:
        """The multipliers made feasible to the last digit, and what float64 says of them."""
        problem = self.problem
        alpha = problem.feasible(self.all.beta.cpu().numpy() * problem.signs)
        self._set(alpha)
        scores = self.all.f.cpu().numpy()
        square = float((alpha * problem.signs) @ scores)
        b = problem.best_intercept(scores, float(alpha @ problem.signs))
        primal = problem.primal(square, scores, b)
        return _Found(alpha, scores, b, primal, problem.dual(square, alpha))

    def _set(self, alpha: np.ndarray) -> None:
        """These multipliers, with their scores in float64."""
        beta = torch.from_numpy(alpha * self.problem.signs).to(self.all.y.device)
        rows = torch.nonzero(beta).flatten()
        f = self.all.images.exact_sums(rows, beta[rows])
        self.all = self.all._replace(beta=beta, f=f)
        self.total = beta.sum()

    def _values(self) -> tuple[torch.Tensor, float, float]:
        """The best b for f, and the two objectives."""
        _, y, _, _, beta, f = self.all
        b = torch.zeros_like(self.total)
        if self.free:
            b = _smallest_b(y - f, y, self.costs)
        elif self.lifted:
            b = self.total
        square = beta @ f + (b * b if self.lifted else 0.0)
        losses = self.costs @ (1.0 - y * (f + b)).clamp(min=0.0)
        dual = beta @ y - 0.5 * square
        primal, dual = torch.stack([0.5 * square + losses, dual]).tolist()
        return b, primal, dual

    def _look(self, view: _View, b: torch.Tensor | None) -> _Look:
        """With the given b, or where it is free and none is given, one that those inside agree
        on."""
        _, y, low, high, beta, f = view
        slopes = y - f
        can_rise, can_fall = beta < high, beta > low
        if b is None:
            b = self._level(slopes, can_rise, can_fall)
        slopes = slopes - b
        none = torch.full_like(slopes, -math.inf)
        rise, fall = torch.where(can_rise, slopes, none), torch.where(can_fall, -slopes, none)
        hinge = y * slopes
        gap = (high - low) @ hinge.clamp(min=0.0) - beta @ slopes
        return _Look(slopes, torch.maximum(rise, fall), gap)

    def _level(self, slopes, can_rise, can_fall) -> torch.Tensor:
        """The mean slope of those strictly inside their box, or the middle between the others."""
        if not self.free:
            return self.total if self.lifted else torch.zeros_like(self.total)
        inside = (can_rise & can_fall).to(slopes.dtype)
        count = inside.sum()
        most = torch.where(can_rise, slopes, -math.inf).max()
        least = torch.where(can_fall, slopes, math.inf).min()
        return torch.where(count > 0, (slopes @ inside) / count.clamp(min=1.0), (most + least) / 2)

    def _improve(self, b: torch.Tensor, goal: float) -> None:
        """Several blocks on the examples near the margin, until their part of the gap is small."""
        everyone = self.all
        excess = self._look(everyone, b if self.free else None).excess
        violating = excess > NEGLIGIBLE_VIOLATION * excess.max()
        typical = torch.where(violating, excess, 0.0).sum() / violating.sum().clamp(min=1)
        near = torch.nonzero(excess > -FOLLOWED_DISTANCE * typical).flatten()
        whole = 2 * len(near) > len(excess)
        view = everyone if whole else everyone.part(near)
        size = min(len(view.y), BLOCK_ROWS)
        most = min(max(BLOCKS_PER_QUESTION, SWEEPS_PER_LOOK * len(view.y) // size),
                   MAX_DEVICE_BLOCKS)  # fmt: skip
        before = view.beta.clone()
        asking = 1 if self.by_pairs or size == len(view.y) else BLOCKS_PER_QUESTION
        for k in range(most):
            look = self._look(view, None)
            if k % asking == 0 and k and (float(look.gap) <= goal or self.asked()):
                break
            self._step(view, look, size)
        if whole:
            return
        everyone.beta[near], everyone.f[near] = view.beta, view.f
        change = view.beta - before
        moved = torch.nonzero(change).flatten()
        rest = torch.ones_like(excess, dtype=torch.bool)
        rest[near] = False
        others = torch.nonzero(rest).flatten()
        if len(moved) and len(others):
            everyone.f[others] += everyone.images.sums(others, near[moved], change[moved])

    def _step(self, view: _View, look: _Look, size: int) -> None:
        """Solve for a block of the examples in view; move β and f, in place."""
        images, _, low, high, beta, f = view
        at = self._chosen(look, size)
        old, least, most = beta[at], low[at], high[at]
        slopes = look.slopes[at]
        target = -self.total.float() if self.free else None
        if self.by_pairs:
            accuracy = BLOCK_ACCURACY * float(look.excess.max())
            moved = self._by_pairs(images, at, slopes, old, least, most, accuracy)
        else:
            moved = self._solved(images.block(at), slopes, old, least, most, target)
        now = torch.minimum(torch.maximum(old + moved.double(), least), most)
        last = FLOAT32_BOX_ROUNDING * (most - least)
        now = torch.where(now - least <= last, least, torch.where(most - now <= last, most, now))
        change = now - old
        step = images.sums(None, at, change)
        added = change.sum()
        curve = change @ step[at] + (added * added if self.lifted else 0.0)
        length = ((slopes @ change) / curve.clamp(min=1e-300)).clamp(0.0, 1.0)
        beta[at] = torch.where(length == 1.0, now, old + length * change)
        f += length * step
        self.total = self.total + length * added

    def _chosen(self, look: _Look, size: int) -> torch.Tensor:
        """A block: violators at random, the chance of each in proportion to the root of its
        violation; half of them should rise, and half should fall."""
        if size == len(look.excess):
            return torch.arange(size, device=look.excess.device)
        weight, rising = look.excess.clamp(min=0.0).sqrt(), look.slopes > 0
        rise = torch.where(rising, weight, 0.0).sum()
        weight = weight / torch.where(rising, rise, weight.sum() - rise).clamp(min=1e-300)
        # Efraimidis and Spirakis (2006): the least of exponential times over the weights.
        time = torch.empty_like(weight).exponential_(generator=self.draw)
        late = torch.where(look.excess > 0, -time / weight.clamp(min=1e-300), -1e300)
        return torch.topk(late, size, sorted=False).indices

    def _by_pairs(self, images, at, slopes, beta, low, high, accuracy: float) -> torch.Tensor:
        """On the processor, as `kernel_soft_margin` does: few dimensions leave a block's Gram
        matrix without full rank, and conjugate gradients take long there."""
        gram = images.kernel.values(images.X[at], images.X[at]).cpu().numpy()
        gram += float(self.lifted)
        old, least, most, v = (part.cpu().numpy() for part in (beta, low, high, slopes))
        now = solve_block(
            gram, old, least, most, v, accuracy, free=self.free, asked=self.asked,
            precise=lambda: gram,
        )  # fmt: skip
        return torch.from_numpy(now - old).to(beta.device)

    def _solved(self, K, slopes, beta, low, high, target) -> torch.Tensor:
        in_one = K.device.type == "cuda" and isinstance(self.all.images, GaussianImages)
        solve = _in_one_launch if in_one else device_block.solve_block
        v, b, least, most = (part.float() for part in (slopes, beta, low, high))
        return solve(K, v, b, least, most, target, 1.0 if self.lifted else 0.0)


def _in_one_launch(K, slopes, beta, low, high, target, lift: float) -> torch.Tensor:
    """`device_block.solve_block` by `device_loops`."""
    from certo.scale.device_loops import solve_block

    q, device = len(beta), beta.device
    Q = max(64, 2 ** math.ceil(math.log2(q)))
    if q < Q:  # Examples without any room.
        K = torch.nn.functional.pad(K, (0, Q - q, 0, Q - q))
        slopes, beta, low, high = (
            torch.nn.functional.pad(part, (0, Q - q)) for part in (slopes, beta, low, high)
        )
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    programs = min(MAX_PROCESSORS, 2 ** math.floor(math.log2(processors)), Q // 2)
    moved = torch.empty(Q, dtype=torch.float32, device=device)
    room = torch.empty(programs + 2, Q, dtype=torch.float32, device=device)
    counter = torch.zeros(1, dtype=torch.int32, device=device)
    solve_block[(programs,)](
        K, slopes, beta, low, high, beta[:1] if target is None else target, moved, room,
        room[programs:], counter, lift, target is not None, Q, Q // programs, min(Q, 256),
        device_block.MAX_ROUNDS, device_block.MAX_STEPS, device_block.ENOUGH,
        device_block.NEAR_BOUND, device_block.SHORTEST_PART, device_block.HALVINGS,
        device_block.CLOSE, num_warps=16,
    )  # fmt: skip
    return moved[:q]


def _smallest_b(kinks: torch.Tensor, signs: torch.Tensor, costs: torch.Tensor) -> torch.Tensor:
    """As `problems.free_intercept.smallest_b`, whose kinks are y_t − f(x_t)."""
    order = torch.argsort(kinks)
    needed = costs[signs > 0].sum()
    reached = torch.cumsum(costs[order], 0) - needed >= -EQUAL_SUMS * needed
    return kinks[order[torch.argmax(reached.to(torch.int8)).clamp(max=len(order) - 1)]]
