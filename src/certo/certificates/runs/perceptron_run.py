"""A run of the Perceptron as a value, and the run itself in plain NumPy, for the auditor.

`PerceptronRun` says everything that decides a run besides the examples. `replay` is Rosenblatt's
algorithm (1958), written independently of the compiled loop; both follow the one rounding rule
stated in `lane_scores`, so they agree bit for bit, on any machine, for rates that NumPy's power
function rounds alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from certo.certificates.fields import check_choice
from certo.certificates.runs.padded_rows import PaddedRows
from certo.numbers.lanes import lane_scores
from certo.rates import Constant, Rate

ORDERS = ("cyclic", "shuffled", "misclassified")
STARTS = ("zeros", "random")
AT_ZERO = {"always": 0, "positive": 1, "negative": -1}
#: Epochs and updates that a checker repeats in some minutes; a file may ask for any number.
MAX_REPLAY_UPDATES = 10**7


class TooLong(Exception):
    """The run goes on beyond what an auditor can be asked to repeat."""


@dataclass(frozen=True)
class PerceptronRun:
    """Epochs, visiting order, start, rate and rule at zero. `seed` decides all that is random;
    `output` is the neuron's place in its layer, and gives it random numbers of its own. `sparse`
    says that scores are summed over the entries of CSR rows, which rounds otherwise. `average`
    says that the answer is the average of the weights w_1, …, w_T before each of the T looks at an
    example, rather than w_{T+1}."""

    epochs: int
    order: str = "cyclic"
    init: str = "zeros"
    lifted: bool = True
    update_at_zero: str = "always"
    rate: Rate = field(default_factory=Constant)
    seed: int = 0
    output: int = 0
    sparse: bool = False
    average: bool = False

    def __post_init__(self) -> None:
        check_choice(self.order, "order", ORDERS)
        check_choice(self.init, "init", STARTS)
        check_choice(self.update_at_zero, "update_at_zero", AT_ZERO)
        if self.epochs < 0 or self.seed < 0 or self.output < 0:
            raise ValueError("epochs, seed and output must not be negative.")

    @property
    def seeded(self) -> bool:
        """Whether the seed decides about anything."""
        return self.order == "shuffled" or self.init == "random"

    @property
    def lift(self) -> float:
        return 1.0 if self.lifted else 0.0

    def start(self, d: int) -> np.ndarray:
        """w(0), with the intercept's weight in the last place."""
        w = np.zeros(d + 1)
        if self.init == "random":
            w[: d + self.lifted] = self._random(0).standard_normal(d + self.lifted)
        return w

    def answer(self, w: np.ndarray, weighted: np.ndarray, looks: int) -> np.ndarray:
        """w_{T+1}, or the average of w_1, …, w_T.

        A step v_s taken at look s is in w_t for all t > s, so that Σ_t w_t = T·w_{T+1} − Σ_s s·v_s.
        `weighted` is the last sum, which grows with the steps alone.
        """
        return w - weighted / looks if self.average and looks else w

    def random_order(self) -> np.random.Generator:
        return self._random(1)

    def _random(self, purpose: int) -> np.random.Generator:
        return np.random.default_rng([self.seed, self.output, purpose])

    def is_mistake(self, signs: np.ndarray, scores: np.ndarray) -> np.ndarray:
        margin = signs * scores
        at_zero = AT_ZERO[self.update_at_zero] * signs >= 0
        # `not >`: a score that overflowed to NaN is a mistake, as in the compiled loop
        return ~(margin > 0) & ((margin != 0) | at_zero)


@np.errstate(over="ignore", invalid="ignore")
def replay(
    run: PerceptronRun,
    X,
    signs: np.ndarray,
    rows: np.ndarray,
    look: Callable[[int, np.ndarray, np.ndarray], None] = lambda at, scores, w: None,
) -> tuple[np.ndarray, int]:
    """Run on the examples `rows` of X alone, in the order the whole run visits them.

    Returns the answer (intercept last) and the number of updates. Rows that the whole run never
    updated on may be left out: that changes nothing, and an average counts the looks at them, which
    the number of all rows and the places of these tell. `look` sees the scores of the visits from
    place `at` of an epoch on, and their weights, before these change. Raises TooLong beyond
    MAX_REPLAY_UPDATES.
    """
    examples, y = PaddedRows(X, rows, run.sparse), signs[rows].astype(np.float64)
    w, updates, random = run.start(X.shape[1]), 0, run.random_order()
    weighted, looks, turns = np.zeros(w.size), 0, rows
    everyone = np.arange(rows.size)
    place = np.full(X.shape[0], -1)
    place[rows] = everyone
    for epoch in range(run.epochs):
        shuffled = epoch * X.shape[0] // 10 if run.order == "shuffled" else 0
        if epoch + updates + shuffled > MAX_REPLAY_UPDATES:
            raise TooLong(f"the run is longer than {MAX_REPLAY_UPDATES:,} epochs and updates.")
        visits = everyone
        if run.order == "shuffled":
            visits = place[random.permutation(X.shape[0])]
            turns = np.flatnonzero(visits >= 0)
            visits = visits[turns]
        at, width, before = 0, 32, updates
        while at < visits.size:
            block = visits[at : at + width]
            values, places = examples.block(block)
            scores = lane_scores(values, w[:-1][places]) + run.lift * w[-1]
            wrong = np.flatnonzero(run.is_mistake(y[block], scores))
            seen = int(wrong[0]) + 1 if wrong.size else block.size
            look(at, scores[:seen], w)
            at += seen
            if not wrong.size:
                width = min(2 * width, 4096)
                continue
            first, width = seen - 1, max(8, 2 * seen)
            updates += 1
            step = float(run.rate(np.array([updates]))[0]) * y[block[first]]
            late = step * float(looks + turns[at - 1] + 1)
            for total, size in ((w, step), (weighted, late))[: 1 + run.average]:
                if isinstance(places, slice):
                    total[:-1] += size * values[first]
                else:  # Padding adds 0 to the first weight.
                    np.add.at(total, places[first], size * values[first])
                total[-1] += size * run.lift
        looks += X.shape[0]
        if updates == before:
            break
    return run.answer(w, weighted, looks), updates
