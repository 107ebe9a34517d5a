"""Whether examples on which a Perceptron did not converge can be separated at all, in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels
from certo.rates import Constant, Rate
from certo.seen_rows import keys_of_numbers
from certo.solvers.interrupt import Stopped, Watch
from certo.solvers.separation import Cancelling, Separator, separate_after
from certo.solvers.vectors import Examples
from certo.words.labels import sides_of
from certo.words.reader import examples_at, separability_call

# The verdict takes at most a tenth of the time of the fit, but in any case may take the second
# number, and the third for a table of few numbers, which takes milliseconds once HiGHS is loaded.
SHARE_OF_FIT, LEAST_SECONDS, LEAST_SECONDS_OF_FEW = 0.1, 0.02, 0.5
FEW_NUMBERS = 2**13
SECONDS_A_NUMBER = 2e-8  # Time, about, that only looking at a number of X takes.
SHOWN_ROWS, SHOWN_OUTPUTS = 12, 3


class Unfinished(NamedTuple):
    """A neuron that did not converge, with its last weights (the intercept's in the last place) and
    how often it updated on each example."""

    labels: Labels
    signs: np.ndarray
    w: np.ndarray
    counts: np.ndarray


def verdict_words(
    X: Any, left: list[Unfinished], outputs: int, lifted: bool, rate: Rate, fit_seconds: float
) -> str:
    """What is known of the neurons that did not converge, decided within a limit on time."""
    numbers = X.nnz if sparse.issparse(X) else X.size
    least = LEAST_SECONDS_OF_FEW if numbers <= FEW_NUMBERS else LEAST_SECONDS
    seconds = max(least, SHARE_OF_FIT * fit_seconds)
    if left and SECONDS_A_NUMBER * numbers <= seconds:
        # Loops that are compiled on their first call are so before the clock runs.
        Examples(Sample(X, left[0].signs), lifted).lengths()
    watch, which = Watch(seconds=seconds), "hyperplane" + " through the origin" * (not lifted)
    no, yes, unknown = [], [], []
    for one in left:
        name = "the examples" if outputs == 1 else f"{sides_of(one.labels)}"
        try:
            if SECONDS_A_NUMBER * numbers > watch.seconds_left:
                raise Stopped
            vectors = Examples(Sample(X, one.signs), lifted)
            found = separate_after(vectors, one.w[: vectors.size], one.counts, watch)
        except Stopped:
            unknown.append(name)
            continue
        if isinstance(found, Cancelling):
            rows = examples_at(sorted(found.places), SHOWN_ROWS)
            prove = "prove" if len(found.places) > 1 else "proves"
            no.append(f"No {which} separates {name}: {rows} {prove} it")
        else:
            more = ": more epochs are needed" * (
                isinstance(found, Separator) and isinstance(rate, Constant)
            )
            yes.append(f"Some {which} separates {name}{more}")
    said = _few(no) + _few(yes)
    if unknown:
        some = " or ".join(unknown[:SHOWN_OUTPUTS]) + ", or others" * (len(unknown) > SHOWN_OUTPUTS)
        said.append(
            f"Whether some {which} separates {some} was not decided within {seconds:.2g} s; "
            f"{separability_call()} decides it"
        )
    return " ".join(f"{sentence}." for sentence in said)


def equal_rows(X: Any, signs: list[np.ndarray]) -> tuple[int, int] | None:
    """Two rows of numbers that are equal, though some output has them on different sides."""
    keys = keys_of_numbers(X)
    if keys is None:
        return None
    order = np.argsort(keys, kind="stable")
    pairs = np.flatnonzero(np.diff(keys[order]) == 0)
    for a, b in zip(order[pairs].tolist(), order[pairs + 1].tolist(), strict=True):
        if any(one[a] != one[b] for one in signs) and _is_same(X[a], X[b]):
            return min(a, b), max(a, b)
    return None


def equal_rows_words(X: Any, signs: list[np.ndarray]) -> str:
    """For functions of any kind: two examples that are the same point with different labels, if
    there are any."""
    equal = equal_rows(X, signs)
    if equal is None:
        return ""
    return (
        f" No function separates the examples: {examples_at(equal)} are the same point with "
        "different labels."
    )


def _is_same(first: Any, second: Any) -> bool:
    if sparse.issparse(first):
        return (first != second).nnz == 0
    return np.array_equal(first, second)


def _few(sentences: list[str]) -> list[str]:
    more = len(sentences) - SHOWN_OUTPUTS
    return sentences[:SHOWN_OUTPUTS] + [f"The same holds of {more:,} more"] * (more > 0)
