r"""From the rounds of one pass over the examples to the risk of a random iterate.

In round t of a pass over independent draws the iterate h_t is a function of the examples before
it, so its loss on the t-th has, given those, the risk R(h_t) for mean. If losses lie in [0, s],

    (1/m) Σ_t R(h_t)  ≤  (1/m) Σ_t loss_t  +  s·√(ln(1/δ)/(2m))      with probability ≥ 1 − δ

(Azuma and Hoeffding; `docs/bounds/online-to-batch`). The left side is the risk of the rule that
draws one of the m iterates anew for every example. Nothing is said of the last weights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
from scipy import sparse

from certo.certificates.base import check_shape, require
from certo.certificates.errors.decided import undecided_is_wrong
from certo.certificates.fields import FiniteTable, FiniteVector
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.runs.perceptron_run import PerceptronRun, replay
from certo.certificates.sample import label_order
from certo.certificates.sample.classes import check_classes, class_sample, output_signs
from certo.certificates.sample.examples import Sample
from certo.numbers import exact
from certo.numbers.online_to_batch import online_to_batch

MAX_PASS_ROUNDS = 3 * 10**5  # Rounds times outputs that a checker repeats in some seconds.


@final
@dataclass(frozen=True, repr=False, eq=False)
class OnlineToBatch(RiskBound):
    """Claim: one pass of the perceptron over the examples ends with these weights, and in at most
    `mistakes` of the m rounds the weights before the update are not shown to be right. With
    probability at least 1 − δ over the draw, the rule that for every new example draws one of these
    m iterates at random has an error rate of at most `bound`.

    Proof: the pass is repeated bit for bit. A round counts as a mistake unless the score (for more
    than two classes: its lead over all others) is shown to be positive, beyond twice the allowance
    of its rounding; so iterates are judged alike exactly and in float64 (`predictor`). Then
    `online_to_batch`, losses being 0 or 1. Neurons of a layer must visit the examples in one order,
    to be one iterate.
    """

    runs: tuple[PerceptronRun, ...]
    coef: FiniteTable
    intercept: FiniteVector
    examples: int
    mistakes: int
    bound: float

    describes: ClassVar[dict[str, str]] = {"coef": "coef_", "intercept": "intercept_"}

    _reads: ClassVar[str] = "places of classes"

    shows: ClassVar[tuple[str, ...]] = ("examples", "mistakes", "delta", "bound")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_classes(self.labels)
        scores = len(self.runs), len(self.coef), self.intercept.size
        if set(scores) != {self.labels.outputs}:
            raise ValueError("there must be one run and one score for each class, for two one.")
        if reason := _no_pass(self.runs):
            raise ValueError(reason)
        if not 0 <= self.mistakes <= self.examples or not self.examples:
            raise ValueError("0 ≤ mistakes ≤ examples must hold, and examples ≥ 1.")

    def _why_not_drawn(self, sample: Sample) -> str:
        if self.vacuous:
            return ""
        visited = sample.signs[visits(self.runs, sample.m)]
        return label_order.why_ordered(visited) or super()._why_not_drawn(sample)

    @property
    def bounds(self) -> dict[str, float]:
        return {"online to batch": self.bound}

    @property
    def of_predictions(self) -> bool:
        return False

    def _sample(self, X, y) -> Sample:
        return class_sample(X, y, self.labels.classes)

    def _check(self, sample: Sample) -> str:
        check_shape(sample, self.examples, self.coef.shape[1])
        mistakes = self._mistakes(sample)
        require(
            mistakes <= self.mistakes,
            f"in {mistakes:,} rounds the weights are not shown to be right, not {self.mistakes:,}.",
        )
        self._check_formulas()
        return f"the pass ends with these weights, {mistakes:,} rounds were mistakes."

    def _check_formulas(self) -> None:
        bound = online_to_batch(self.examples, self.mistakes, self.level)
        require(self.bound >= bound, f"the bound is {bound!r}, not {self.bound!r}.")

    def _mistakes(self, sample: Sample) -> int:
        """Those of the pass, if it ends with these weights."""
        require(
            sample.m * len(self.runs) <= MAX_PASS_ROUNDS,
            f"checking means repeating the pass, asked for up to {MAX_PASS_ROUNDS:,} rounds.",
        )
        weights, mistakes = one_pass(self.runs, sample)
        same = np.array_equal(weights, np.column_stack((self.coef, self.intercept)))
        require(same, "one pass over the examples does not end with these weights.")
        return mistakes


def _no_pass(runs: Sequence[PerceptronRun]) -> str:
    """Why these are not one pass of one layer; nothing if they are."""
    if any(run.epochs != 1 for run in runs):
        return (
            "iterates that have seen an example before are not judged by it: the bound is about "
            "one pass only. Use epochs=1."
        )
    if any(run.average for run in runs):
        return (
            "the bound is about iterates drawn at random, and the pass must end with the last of "
            "them, not with their average. Use average=False."
        )
    if any(run.order == "misclassified" for run in runs):
        return (
            "the visiting order depends on the data (order='misclassified'). Use order='cyclic' or "
            "'shuffled'."
        )
    if len(runs) > 1 and any(run.order == "shuffled" for run in runs):
        return (
            "with order='shuffled' every neuron of a layer has an order of its own, so that no "
            "round shows the layer as a whole. Use order='cyclic'."
        )
    return ""


def visits(runs: Sequence[PerceptronRun], m: int) -> np.ndarray:
    """The examples in the order in which the pass meets them."""
    return runs[0].random_order().permutation(m) if runs[0].order == "shuffled" else np.arange(m)


@np.errstate(over="ignore", invalid="ignore")
def one_pass(runs: Sequence[PerceptronRun], sample: Sample) -> tuple[np.ndarray, int]:
    """The weights (intercept last) after one pass of all neurons, and the rounds in which those
    before the update are not shown to be right.

    A score is a sum of d + 1 products, whose sizes add up to at most max|x_j|·Σ|w_j| + |b|.
    """
    m, K = sample.m, len(runs)
    scores, sizes = np.empty((2, m, K))  # Of round t, and Σ|w_j| + |b| then.

    def run_neuron(k: int) -> np.ndarray:
        def look(at: int, found: np.ndarray, w: np.ndarray) -> None:
            some = slice(at, at + found.size)
            scores[some, k], sizes[some, k] = found, np.sum(np.abs(w))

        return replay(runs[k], sample.X, output_signs(sample.signs, k, K), np.arange(m), look)[0]

    weights = np.stack([run_neuron(k) for k in range(K)])
    order = visits(runs, m)
    slack = exact.allowance(sample.d + 1, np.maximum(_peaks(sample), 1.0)[order, None] * sizes)
    judged = undecided_is_wrong(scores, 2 * slack, sample.signs[order])
    return weights, int(np.count_nonzero(judged.errors))


def _peaks(sample: Sample) -> np.ndarray:
    """max_j |x_j| of every example."""
    sizes = abs(sample.X)
    if sparse.issparse(sizes):
        return sizes.max(axis=1).toarray().ravel().astype(np.float64)
    return np.max(sizes, axis=1, initial=0.0).astype(np.float64)
