"""Choosing a kernel by examples that the machine has not seen."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils import gen_batches
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import column_or_1d

from certo.containers import count
from certo.estimators import SVM, NotSeparable
from certo.facts import InputError
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.vectors import squares
from certo.numbers.digits import share_text
from certo.scale.device import on_host
from certo.stop import Stop
from certo.words import refusals

DEFAULT_NEIGHBOURS = (1, 3, 5, 9, 15, 25, 45)  # Of an odd number, two classes never tie.
MAX_DISTANCE_ROWS = 1000  # Rows whose distances give the typical variance.
NO_ANSWER = "not separable in every fold"  # What is shown where a hard margin has no answer.


@dataclass(frozen=True)
class Neighbours:
    """The rule of the k nearest neighbours (equal votes, Euclidean distance), for several k.

    Attributes
    ----------
    ks : tuple of int
    training_errors, validation_errors : ndarray (n_ks, n_folds)
    """

    ks: tuple[int, ...]
    training_errors: np.ndarray
    validation_errors: np.ndarray

    @property
    def best(self) -> int:
        """The k with the least mean validation error; the largest of those."""
        return self.ks[self._best]

    @property
    def name(self) -> str:
        """The rule with the best k."""
        return f"{self.best} nearest neighbour" + "s" * (self.best > 1)

    @property
    def _best(self) -> int:
        means = self.validation_errors.mean(axis=1)
        return int(np.flatnonzero(means == means.min())[-1])

    @property
    def training_error(self) -> float:
        """Of the best k, in the mean of the folds."""
        return float(self.training_errors[self._best].mean())

    @property
    def validation_error(self) -> float:
        return float(self.validation_errors[self._best].mean())

    def to_dict(self) -> dict[str, Any]:
        return {
            "ks": list(self.ks),
            "best": self.best,
            "training_errors": self.training_errors.tolist(),
            "validation_errors": self.validation_errors.tolist(),
        }


@dataclass(frozen=True, repr=False)
class ValidationCurve:
    """What a machine makes of each of several kernels.

    Attributes
    ----------
    machine : str
        The machine and its settings.
    kernels : tuple of certo.kernels.Kernel
    training_errors, validation_errors : ndarray (n_kernels, n_folds)
        The fraction of wrong predictions, on the examples of the fit and on the others; NaN where
        the machine needs separable classes (HardMarginSVM) and the kernel does not separate them.
    support_counts : ndarray (n_kernels, n_folds)
        How many examples the functions of the machine are made of.
    neighbours : Neighbours or None
        The nearest neighbours on the same folds.
    validated_on : str
        What the validation errors are of, in words.
    complete : bool
        Whether all kernels were tried; False if Ctrl-C or the time limit stopped it.
    timed_out : bool
        Whether the time limit did.
    """

    machine: str
    kernels: tuple[Kernel, ...]
    training_errors: np.ndarray
    validation_errors: np.ndarray
    support_counts: np.ndarray
    neighbours: Neighbours | None
    validated_on: str
    complete: bool = True
    timed_out: bool = False

    @property
    def training_error(self) -> np.ndarray:
        """For each kernel, the mean over the folds."""
        return self.training_errors.mean(axis=1)

    @property
    def validation_error(self) -> np.ndarray:
        return self.validation_errors.mean(axis=1)

    @property
    def supports(self) -> np.ndarray:
        return self.support_counts.mean(axis=1)

    @property
    def standard_error(self) -> np.ndarray:
        """Of the mean validation error, as the folds differ; zero where there is only one."""
        folds = self.validation_errors.shape[1]
        if folds == 1:
            return np.zeros(len(self.kernels))
        return self.validation_errors.std(axis=1, ddof=1) / np.sqrt(folds)

    @property
    def best_index(self) -> int:
        """Where the mean validation error is least; of several, the one with fewest supports."""
        return int(np.lexsort((self.supports, self.validation_error))[0])

    @property
    def best(self) -> Kernel:
        return self.kernels[self.best_index]

    @property
    def parameter(self) -> tuple[str, np.ndarray] | None:
        """The one number in which the kernels differ, and its values; None if there is none."""
        kind = type(self.kernels[0])
        if any(type(kernel) is not kind for kernel in self.kernels):
            return None
        names = [f.name for f in fields(kind)]  # type: ignore[arg-type]  # kernels are dataclasses
        differing = [n for n in names if len({getattr(k, n) for k in self.kernels}) > 1]
        if len(differing) != 1:
            return None
        values = [getattr(kernel, differing[0]) for kernel in self.kernels]
        numeric = all(isinstance(value, int | float) for value in values)
        return (differing[0], np.array(values, float)) if numeric else None

    @property
    def separable(self) -> np.ndarray:
        """For each kernel, whether the machine had an answer in every fold."""
        return ~np.isnan(self.validation_error)

    @property
    def best_is_at_end(self) -> str:
        """A remark if the best of three or more values of the parameter is the first or last."""
        known = self.parameter
        if known is None or len(set(known[1])) < 3:
            return ""
        name, values = known
        best = values[self.best_index]
        inner = (values > values.min()) & (values < values.max())
        if np.any(self.validation_error[inner] <= self.validation_error[self.best_index]):
            return ""
        if best == values.max():
            end = "largest", "larger"
        elif best == values.min() and (name, best) != ("degree", 1):
            end = "smallest", "smaller"
        else:
            return ""
        return f"The best {name} is the {end[0]} that was tried: {end[1]} ones may be better."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values: null for NaN; a kernel that has no such form is given by its name."""
        return {
            "machine": self.machine,
            "kernels": [_written(kernel) for kernel in self.kernels],
            "training_errors": _nested(self.training_errors),
            "validation_errors": _nested(self.validation_errors),
            "support_counts": _nested(self.support_counts),
            "best": _written(self.best),
            "neighbours": None if self.neighbours is None else self.neighbours.to_dict(),
            "validated_on": self.validated_on,
            "complete": self.complete,
            "timed_out": self.timed_out,
        }

    def __repr__(self) -> str:
        kernels = [repr(kernel) for kernel in self.kernels]
        near = self.neighbours
        wide = max(map(len, [*kernels, "kernel"]))
        why = "by the time limit" if self.timed_out else "by hand"
        ended = "" if self.complete else f", stopped {why}"
        lines = [
            f"Validation curve of {self.machine}; {self.validated_on}{ended}",
            f"  {'kernel':<{wide}}  training  validation  supports",
        ]
        for k, name in enumerate(kernels):
            mark = "*" if k == self.best_index else " "
            errors = both_errors(self.training_error[k], self.validation_error[k])
            found = f"{errors}  {self.supports[k]:8,.0f}"
            lines.append(f"{mark} {name:<{wide}}  {found if self.separable[k] else NO_ANSWER}")
        if near is not None:
            errors = both_errors(near.training_error, near.validation_error)
            lines.append(f"  {near.name:<{wide}}  {errors}")
        return "\n".join(lines)


def both_errors(training: float, validation: float) -> str:
    """Training and validation error, under each other in a table."""
    return f"{share_text(training, 1):>7}%  {share_text(validation, 1):>9}%"


def compare_kernels(
    X,
    y,
    kernels: Sequence[Kernel],
    machine=None,
    *,
    validation: tuple[Any, Any] | None = None,
    cv=5,
    neighbours: int | Sequence[int] | None = DEFAULT_NEIGHBOURS,
    random_state=None,
    n_jobs=None,
    report: Callable[[int, int], object] | None = None,
    device: str | None = None,
    time_limit: float | None = None,
) -> ValidationCurve:
    """Training error, validation error and number of supports for each of several kernels.

    A kernel that is too simple is wrong on training and new examples alike; one that is too rich is
    right on the former and wrong on the latter. Between the two the validation error is least.

    The least of several errors flatters: for an estimate of the risk of the machine chosen, keep
    other examples aside.

    Parameters
    ----------
    X, y
        The examples: what `machine` takes, with any of the kernels.
    kernels : sequence of certo.kernels.Kernel
        As `[Gaussian(v) for v in (0.1, 1, 10)]`, or `[Polynomial(n) for n in range(1, 8)]`.
    machine : estimator with a parameter `kernel`, default=None
        SVM, KernelPerceptron, HardMarginSVM or Pegasos, with all its other settings. None: SVM().
    validation : pair (X, y) or None, default=None
        Examples to validate on. None: those left out of each fold.
    cv : int, splitter or iterable of splits, default=5
        A number means so many stratified folds, shuffled.
    neighbours : int, sequence of int or None, default=(1, 3, 5, 9, 15, 25, 45)
        How many nearest neighbours vote in the rule that is shown beside; odd numbers. Of several,
        the one is shown that the same validation finds best. None leaves it out; so do kernels of
        other things than vectors.
    random_state : int, RandomState instance or None, default=None
        Decides the folds.
    n_jobs : int or None, default=None
        How many fits at once. The fits themselves use all cores where they can.
    report : function of two numbers, or None
        Called after each fit with how many are done, and of how many.
    device : {"cpu", "cuda", "cuda:NUMBER", "auto"} or None, default=None
        Where an SVM is fitted and predicts: its parameter of this name. None: as `machine` says.
    time_limit : float or None, default=None
        Seconds after which the comparison ends, with the kernels done by then; those in the middle
        of the list come first. If none is done, a ValueError says so. The nearest neighbours come
        last, and are left out if time is short.

    Returns
    -------
    ValidationCurve
        `certo.plots.validation_curve` draws it. Ctrl-C ends it early, too.

    Examples
    --------
    >>> import numpy as np
    >>> from certo import KernelPerceptron, compare_kernels
    >>> from certo.kernels import Polynomial
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> y = (X**2).sum(axis=1) > 1.2
    >>> kernels = [Polynomial(n) for n in (1, 2)]
    >>> curve = compare_kernels(X, y, kernels, KernelPerceptron(epochs=20), random_state=0)
    >>> curve.best
    Polynomial(degree=2, scale=1.0, offset=1.0)
    """
    kernels = _checked(kernels)
    if time_limit is not None and not time_limit > 0:
        raise ValueError(f"time_limit must be seconds above 0, or None, got {time_limit!r}.")
    deadline = math.inf if time_limit is None else monotonic() + time_limit
    machine = SVM() if machine is None else machine
    if "kernel" not in machine.get_params():
        raise ValueError(
            f"machine must have a parameter 'kernel', as SVM and KernelPerceptron have, got "
            f"{machine!r}."
        )
    if device is not None:
        if "device" not in machine.get_params():
            raise ValueError(
                f"device={device!r} is a parameter of SVM, but machine is {machine!r}."
            )
        machine = clone(machine).set_params(device=device)
    X, y = on_host(X), column_or_1d(on_host(y))
    if validation is not None:
        validation = on_host(validation[0]), on_host(validation[1])
    takes = {kernel.takes for kernel in kernels}
    ks = None if neighbours is None or takes != {"vectors"} else _odd(neighbours)
    validated_on, parts = _parts(X, y, validation, cv, random_state)
    machines = [clone(machine).set_params(kernel=kernel) for kernel in kernels]
    # From the middle outwards: the ends of a range say least, if there is no time for all.
    order = sorted(range(len(kernels)), key=lambda k: abs(2 * k - (len(kernels) - 1)))
    jobs = (delayed(_fit_and_count)(machines[k], part, deadline) for k in order for part in parts)
    total, stop = len(machines) * len(parts), Stop.CONVERGED
    found: list[tuple[float, float, float]] = []
    near = None
    try:
        for one in Parallel(n_jobs=n_jobs, return_as="generator")(jobs):
            if one.stop is not None:
                stop = one.stop
                break
            found.append(one[:3])
            if report is not None:
                report(len(found), total)
        else:
            if ks is not None:
                near = _neighbours(ks, parts, machines[0], deadline)
    except KeyboardInterrupt:
        stop = Stop.BY_HAND
    done = len(found) // len(parts)
    if not done and stop is Stop.BY_HAND:
        raise KeyboardInterrupt
    if not done:
        raise InputError(refusals.no_kernel_in_time, len(parts), time_limit)
    finished = sorted(order[:done])
    rows = [found[order.index(k) * len(parts) :][: len(parts)] for k in finished]
    table = np.array(rows).reshape(done, len(parts), 3)
    training, errors, supports = np.moveaxis(table, 2, 0)
    name = repr(clone(machine).set_params(kernel=None))
    curve = ValidationCurve(
        name, tuple(kernels[k] for k in finished), training, errors, supports, near, validated_on,
        complete=stop is Stop.CONVERGED, timed_out=stop is Stop.TIME_LIMIT,
    )  # fmt: skip
    if not curve.separable.any():
        raise NotSeparable(f"{name} needs separable classes: no kernel separates every fold.", None)
    return curve


def gaussians(X) -> list[Kernel]:
    """Gaussian kernels from where every example is alone to where all look alike: variances from
    4⁻⁵ to 4³ times the median squared distance of the examples, to two digits."""
    X = Gaussian().examples(X)
    if count(X) > MAX_DISTANCE_ROWS:
        X = X[np.sort(np.random.default_rng(0).choice(count(X), MAX_DISTANCE_ROWS, replace=False))]
    X = X.astype(np.float64)
    if sparse.issparse(X) and 2 * X.nnz > X.shape[0] * X.shape[1]:
        X = X.toarray()
    if not sparse.issparse(X):  # Near the origin squares keep their digits.
        X = X - X[:1]
        X = X - X.mean(axis=0)
    lengths = squares(X)
    inner = X @ X.T
    inner = inner.toarray() if sparse.issparse(inner) else inner
    distances = (lengths[:, None] + lengths - 2.0 * inner)[np.triu_indices(len(lengths), 1)]
    typical = float(np.median(distances[distances > 0])) if np.any(distances > 0) else 1.0
    return [Gaussian(float(f"{typical * 4.0**k:.2g}")) for k in range(-5, 4)]


#: Of a machine: examples to fit to and their labels, others to validate on and theirs.
Part = Callable[[Any], tuple[Any, np.ndarray, Any, np.ndarray]]


class _Fit(NamedTuple):
    training_error: float
    validation_error: float
    supports: float
    stop: Stop | None  # Why the fit was not finished.


def _fit_and_count(machine, part: Part, deadline: float) -> _Fit:
    stopped = _Fit(np.nan, np.nan, np.nan, Stop.TIME_LIMIT)
    left = deadline - monotonic()
    if left <= 0:
        return stopped
    X, y, X_valid, y_valid = part(machine)
    machine = clone(machine)
    if left < math.inf and "time_limit" in machine.get_params():
        machine.set_params(time_limit=min(left, machine.time_limit or left))
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            machine.fit(X, y)
        except NotSeparable:
            return _Fit(np.nan, np.nan, np.nan, None)
        except RuntimeError:  # A hard margin that has nothing to return yet.
            if monotonic() < deadline:
                raise
            return stopped
    if monotonic() >= deadline and getattr(machine, "_stop", None) is Stop.TIME_LIMIT:
        return stopped  # Nobody is warned of a fit that does not count.
    for one in heard:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    return _Fit(
        np.mean(machine.predict(X) != y),
        np.mean(machine.predict(X_valid) != y_valid),
        machine.support_.size,
        Stop.BY_HAND if getattr(machine, "_stop", None) is Stop.BY_HAND else None,
    )


def _as_given(X, y, X_valid, y_valid, machine):
    return X, y, X_valid, y_valid


def _cut(X, y, train, valid, machine):
    """The rows of a fold as a machine takes them; a Gram matrix is cut on both sides."""
    return (
        *_safe_split(machine, X, y, train),
        *_safe_split(machine, X, y, valid, train),
    )


def _parts(X, y, validation, cv, random_state) -> tuple[str, list[Part]]:
    """What is validated on, in words, and the parts to fit to and to validate on."""
    if validation is not None:
        X_valid, y_valid = validation
        y_valid = column_or_1d(y_valid)
        words = f"validated on {len(y_valid):,} other examples than the {len(y):,} of the fit"
        return words, [partial(_as_given, X, y, X_valid, y_valid)]
    if isinstance(cv, int | np.integer) and not isinstance(cv, bool):
        cv = StratifiedKFold(int(cv), shuffle=True, random_state=random_state)
    folds = list(check_cv(cv, y, classifier=True).split(X, y))
    kind = "stratified " if isinstance(cv, StratifiedKFold) else ""
    words = f"{len(folds)} {kind}folds of {len(y):,} examples"
    return words, [partial(_cut, X, y, train, valid) for train, valid in folds]


def _neighbours(
    ks: tuple[int, ...], parts: list[Part], machine, deadline: float
) -> Neighbours | None:
    """Votes of the nearest neighbours, which are looked for once for all k; a training example is a
    neighbour of its own. None, if there is no time for them."""
    smallest = min(len(part(machine)[1]) for part in parts)
    ks = tuple(k for k in ks if k <= smallest)
    if not ks:
        return None
    training, errors = np.empty((2, len(ks), len(parts)))
    for fold, part in enumerate(parts):
        X, y, X_valid, y_valid = part(machine)
        rule = KNeighborsClassifier(max(ks)).fit(X, y)
        training[:, fold] = _wrong_votes(rule, ks, X, y, deadline)
        errors[:, fold] = _wrong_votes(rule, ks, X_valid, y_valid, deadline)
        if monotonic() >= deadline:
            return None
    return Neighbours(ks, training, errors)


def _wrong_votes(
    rule: KNeighborsClassifier, ks: tuple[int, ...], X, y, deadline: float
) -> np.ndarray:
    """The fraction of wrong predictions for each k; votes that tie go to the first class. After the
    deadline nobody asks for it."""
    wrong = np.zeros(len(ks))
    for some in gen_batches(count(X), 1000):
        if monotonic() >= deadline:
            break
        votes = rule._y[rule.kneighbors(X[some], return_distance=False)]
        for i, k in enumerate(ks):
            counts = (votes[:, :k, None] == np.arange(len(rule.classes_))).sum(axis=1)
            wrong[i] += np.sum(rule.classes_[counts.argmax(axis=1)] != y[some])
    return wrong / count(X)


def _checked(kernels) -> tuple[Kernel, ...]:
    kernels = (kernels,) if isinstance(kernels, Kernel) else tuple(kernels)
    if not kernels:
        raise ValueError("kernels must hold at least one kernel, but it is empty.")
    for k, kernel in enumerate(kernels):
        if not isinstance(kernel, Kernel):
            raise ValueError(
                f"kernels must hold objects of certo.kernels, as Gaussian(variance=1.0), but at "
                f"{k} there is {kernel!r}."
            )
    return kernels


def _odd(neighbours: int | Sequence[int]) -> tuple[int, ...]:
    ks = tuple(np.atleast_1d(np.asarray(neighbours)).tolist())
    if not ks or any(type(k) is not int or k < 1 or k % 2 == 0 for k in ks):
        raise InputError(refusals.even_neighbours, neighbours)
    return tuple(sorted(set(ks)))


def _nested(table: np.ndarray) -> list[list[float | None]]:
    return [[None if np.isnan(value) else value for value in row] for row in table.tolist()]


def _written(kernel: Kernel) -> Any:
    try:
        return kernel.to_dict()
    except ValueError:
        return repr(kernel)
