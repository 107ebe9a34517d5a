"""The machines that are compared on a table: Certo's, and others to measure them by."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from certo.kernels.gaussian import Gaussian
from certo.kernels.polynomial import Polynomial
from certo.tables.settings import machine
from certo.tables.task import Learns

MAX_ROWS_FEWEST_ERRORS = 2000  # With more rows the search is far from its end in a short time.
MAX_ROWS_KERNEL_PERCEPTRON = 5000
MAX_SECONDS_FEWEST_ERRORS = 2.0  # Of each fit: on most tables the search would take all there is.
NEIGHBOURS = 5
MAJORITY = "majority class"  # The name of the baseline that always gives one answer.


@dataclass(frozen=True)
class Candidate:
    """A machine to compare. Those of Certo have a name on the command line, and settings there."""

    name: str  # In a table.
    title: str  # In a sentence.
    kind: Literal["certo", "baseline", "outsider"]
    estimator: Any
    command: str | None = None
    settings: tuple[str, ...] = ()
    needs_dense: bool = False  # Whether it takes no sparse matrix, or is slow with one.
    max_seconds: float = math.inf  # The time limit of each fit, where there is one.
    unsuitable: str = ""  # Why it is not fitted to this table.


def candidates(
    learns: Learns, rows: int, classes: int, columns: int, seed: int
) -> tuple[Candidate, ...]:
    """What is compared on a table with so many training rows, classes of the target and columns of
    features: cheap machines first. What is drawn at random in a machine has this seed.

    Parameters of kernels depend on the number of columns alone, not on the rows, so that bounds
    which are corrected for the number of candidates are valid. Scaled columns and levels have
    squared distances of about 2 in each column: the kernels do not saturate then.
    """
    some = _of_classes(rows, classes, columns, seed) if learns == "classes" else _of_numbers(seed)
    return tuple(some)


def _of_classes(rows: int, classes: int, columns: int, seed: int) -> Iterator[Candidate]:
    gaussian = f"kernel={Gaussian(columns / 2)!r}"
    polynomial = f"kernel={Polynomial(2, scale=float(f'{1 / columns:.2g}'))!r}"
    majority = DummyClassifier(strategy="most_frequent")
    yield Candidate(MAJORITY, "always the majority class", "baseline", majority)
    yield _own("perceptron", "the perceptron", "perceptron", seed)
    yield _own("pegasos", "Pegasos", "pegasos", seed)
    yield _own("svm, linear", "a linear svm", "svm", seed)
    yield _own(
        "logistic, ridge", "logistic regression with a ridge", "logistic", seed, ["ridge=0.001"]
    )
    unsuitable = ""
    if rows > MAX_ROWS_FEWEST_ERRORS:
        unsuitable = f"only for up to {MAX_ROWS_FEWEST_ERRORS:,} training rows"
    elif classes != 2:
        unsuitable = "only for two classes"
    yield _own(
        "min-disagreement", "min-disagreement", "min-disagreement", seed,
        unsuitable=unsuitable, max_seconds=MAX_SECONDS_FEWEST_ERRORS,
    )  # fmt: skip
    unsuitable = ""
    if rows > MAX_ROWS_KERNEL_PERCEPTRON:
        unsuitable = f"only for up to {MAX_ROWS_KERNEL_PERCEPTRON:,} training rows"
    yield _own(
        "kernel-perceptron", "the kernel perceptron", "kernel-perceptron", seed,
        [gaussian, "epochs=5"], unsuitable=unsuitable,
    )  # fmt: skip
    yield _neighbours(KNeighborsClassifier(NEIGHBOURS))
    yield _boosting(HistGradientBoostingClassifier(random_state=seed))
    yield _own("svm, Gaussian", "svm with a Gaussian kernel", "svm", seed, [gaussian])
    yield _own("svm, polynomial", "svm with a polynomial kernel", "svm", seed, [polynomial])


def _of_numbers(seed: int) -> Iterator[Candidate]:
    yield Candidate("mean", "always the mean", "baseline", DummyRegressor())
    yield _own("least-squares", "least squares", "least-squares", seed)
    yield _own(
        "least-squares, ridge", "least squares with a ridge", "least-squares", seed, ["ridge=0.01"]
    )
    yield _neighbours(KNeighborsRegressor(NEIGHBOURS))
    yield _boosting(HistGradientBoostingRegressor(random_state=seed))


def _own(
    name: str, title: str, command: str, seed: int, settings: Sequence[str] = (), **more: Any
) -> Candidate:
    """A machine of Certo, made as the command line makes it."""
    made = machine(command, settings)
    if "random_state" in made.get_params():
        made.set_params(random_state=seed)
    return Candidate(name, title, "certo", made, command, tuple(settings), **more)


def _neighbours(estimator: Any) -> Candidate:
    name = f"{NEIGHBOURS} nearest neighbours"
    return Candidate(name, name, "baseline", estimator, needs_dense=True)


def _boosting(estimator: Any) -> Candidate:
    name = "gradient boosting"
    return Candidate(name, name, "outsider", estimator, needs_dense=True)
