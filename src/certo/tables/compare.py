"""Machines compared on a table: by the same folds, and on the same rows that none of them saw."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from time import monotonic
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import gen_batches
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from certo.bounds import Interval, capped_mean, clopper_pearson
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.risk.risk_bound import LEAST_DELTA
from certo.certificates.sample.draws import why_copied
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.shared_rows import known_examples
from certo.certificates.sample.values import Values
from certo.containers import count
from certo.data import columns
from certo.data.encoder import TableEncoder, advice_in_fit
from certo.data.problem import Problem, problems_of
from certo.estimators.description import describe
from certo.facts import InputError
from certo.issue.labels import all_labels
from certo.issue.risk import error_cap
from certo.numbers import exact
from certo.stop import Stop
from certo.tables.candidates import Candidate, candidates
from certo.tables.examples import (
    Examples,
    Rows,
    encode_rows,
    encode_table,
    most_frequent,
    refuse_one_class,
)
from certo.tables.held_out import HeldOut
from certo.tables.task import Learns
from certo.words import refusals
from certo.words.reader import setting

MAX_NUMBERS_MADE_DENSE = 2 * 10**8  # Numbers of a matrix that is made dense: 1.6 GB.
PREDICTED_ROWS = 1000  # Rows that are predicted before the clock is looked at.
FITTING_SHARE = 0.95  # Of the time limit; the rest is for what a last fit takes beyond its limit.
#: Rows of each class to which a machine is fitted before anything is timed, and its time limit: so
#: many that the loops for larger tables are compiled, too.
COMPILED_ROWS, COMPILED_SECONDS = 100, 1.0
LARGEST_SHARE = 1 / 3  # Of the time that is left, for a machine that cannot stop by itself.

#: Why a candidate has no results, or not all: no time was left, Ctrl-C, an error, or the table.
Missing = Literal["", "time", "stopped", "failed", "unsuitable"]


@dataclass
class Result:
    """What is known of a candidate by now."""

    candidate: Candidate
    fold_errors: list[float] = field(default_factory=list)
    errors: int | None = None  # Test rows whose class is wrong.
    absolute_error: float | None = None  # The mean over the test rows, for numbers.
    interval: Interval | None = None  # The error rate on new data.
    mean: float | None = None  # The mean absolute error on new data is at most this.
    gap: float | None = None  # Of the fit to all training rows, at most; relative.
    supports: int | None = None
    seconds: float | None = None  # Of the fit to all training rows.
    out_of_time: bool = False  # Whether that fit was stopped by its share of the time.
    missing: Missing = ""
    reason: str = ""  # In the words of what failed.

    @property
    def tried(self) -> bool:
        """Whether it was fitted to all training rows."""
        return self.seconds is not None

    @property
    def finished(self) -> bool:
        """Whether nothing is missing, so that its errors can be ranked among others."""
        return self.tried and not self.missing and not self.out_of_time

    @property
    def cv_error(self) -> float | None:
        """The mean over the folds."""
        return float(np.mean(self.fold_errors)) if self.fold_errors else None

    @property
    def standard_error(self) -> float | None:
        """Of the mean, as the folds differ."""
        n = len(self.fold_errors)
        return float(np.std(self.fold_errors, ddof=1) / math.sqrt(n)) if n > 1 else None


@dataclass(frozen=True)
class Comparison:
    """Candidates in the order of their cross-validated errors: shares of wrong classes, or root
    mean square errors of numbers. After those that finished come those that did not, and those
    without any error come last."""

    learns: Learns
    results: tuple[Result, ...]
    examples: Examples
    test: Rows | None
    counts: np.ndarray  # Which test rows count; copies of training rows may not.
    cap: float  # An absolute error above this counts as this in bounds on its mean.
    no_bound: str  # Why no bound for new data follows from the test rows.
    folds: int
    seed: int
    delta: float
    compared: int  # How many candidates share delta.
    time_limit: float
    seconds: float
    complete: bool = True  # Whether Ctrl-C did not end it.

    @property
    def level(self) -> float:
        """The delta of each interval, rounded down."""
        return shared_delta(self.delta, self.compared)

    @property
    def counted(self) -> int:
        """How many test rows count."""
        return int(self.counts.sum())

    @property
    def majority_error(self) -> float | None:
        """The share of the test rows that always answering their majority class gets wrong."""
        if self.learns == "numbers" or self.test is None or not self.counted:
            return None
        return 1 - most_frequent(self.test.y[self.counts])[1] / self.counted

    @property
    def usual_error(self) -> float | None:
        """The mean absolute error on the test rows of always predicting the training rows' mean,
        each error being counted up to the cap, as in bounds."""
        if self.learns == "classes" or self.test is None or not self.counted:
            return None
        off = np.abs(self.test.y[self.counts] - np.mean(self.examples.y))
        return float(np.mean(np.minimum(off, self.cap or np.inf)))

    @property
    def best(self) -> Result | None:
        """The least cross-validated error, of a candidate that finished, if there is one."""
        return _best(self.results)

    @property
    def best_own(self) -> Result | None:
        """The same among the machines of Certo."""
        return _best([one for one in self.results if one.candidate.kind == "certo"])


def shared_delta(delta: float, many: int) -> float:
    """An equal share of delta, rounded down: by the union bound so many statements that each fail
    with this probability hold together with probability 1 − delta."""
    return exact.below(Fraction(delta) / many)


def _rank(one: Result) -> tuple[bool, bool, float]:
    error = one.cv_error
    return error is None, not one.finished, 0.0 if error is None else error


def _best(in_order: Sequence[Result]) -> Result | None:
    return next((one for one in in_order if one.fold_errors), None)


def compare_machines(
    table: Any,
    target: str,
    learns: Learns,
    *,
    scale: str | None = None,
    test: Any = None,
    test_name: str = "the test table",
    held_out: HeldOut | None = None,
    folds: int = 5,
    seed: int = 0,
    delta: float = 0.05,
    time_limit: float = 120.0,
    began: float | None = None,
    compared: Sequence[Candidate] | None = None,
    report: Callable[[str, int, int], object] = lambda name, done, total: None,
    **choices: Any,
) -> Comparison:
    """Fit every suitable machine to a table: to each fold's rows, and to all training rows.

    The intervals for the error rate on new data are those of Clopper and Pearson from the errors on
    the `test` table, or on the rows that are `held_out` of this one. Delta is shared out over the
    candidates, which are known before any result is: all intervals hold together with probability
    1 − delta. Encodings are learnt from the training rows of each fold alone.

    All ends about `time_limit` seconds after it `began`, now if that is None; on a computer where
    loops have not been compiled yet, that comes on top. Machines that have a
    time limit themselves have an equal share of the time that is left when their turn comes; others
    begin no fit that is expected to end after their share. Ctrl-C ends the comparison with what
    there is. `compared` takes the place of the usual candidates, `report` is told the name of a
    candidate with the number of fits done and of all; `choices` are those of `encode_table`.
    """
    began = monotonic() if began is None else began
    if not LEAST_DELTA <= delta < 1:
        what = setting("delta")
        raise Problem(f"{what} must be from {LEAST_DELTA} to below 1, got {delta!r}.")
    if not 0 < time_limit < math.inf:
        raise Problem(f"{setting('time-limit')} must be seconds above 0, got {time_limit!r}.")
    if folds < 2:
        raise Problem(f"{setting('folds')} must be at least 2, got {folds}.")
    parts = _Parts(table, target, learns, scale, held_out, test, test_name, choices)
    examples = parts.examples
    parts.split(folds, seed)
    if compared is None:
        used = examples.encoder.column_names
        classes = len(np.unique(examples.y)) if learns == "classes" else 0
        compared = candidates(learns, len(examples.y), classes, len(used), seed)
    suitable = [one for one in compared if not one.unsuitable]
    if scale is None:
        examples.notes.extend(_unscaled(suitable, parts))
    results = [Result(one, missing="unsuitable" if one.unsuitable else "") for one in compared]
    counts, no_bound = _counted(examples, parts.test)
    level = shared_delta(delta, max(1, len(suitable)))
    race = _Race(
        parts, began + FITTING_SHARE * time_limit, folds, counts, 0.0 if no_bound else level
    )
    complete = True
    turns = [one for one in results if not one.missing]
    for k, result in enumerate(turns):
        fits = k * (folds + 1), len(turns) * (folds + 1)
        tell = partial(_tell_fits, report, result.candidate.name, *fits)
        try:
            race.run(result, len(turns) - k, tell)
        except KeyboardInterrupt:
            if not any(one.tried for one in results):
                raise
            complete = False
            for one in turns[k:]:
                one.missing = "stopped"
            break
    order = sorted(results, key=_rank)
    return Comparison(
        learns, tuple(order), examples, parts.test, counts, parts.cap, no_bound, folds, seed, delta,
        max(1, len(suitable)), time_limit, monotonic() - began, complete,
    )  # fmt: skip


def _unscaled(suitable: Sequence[Candidate], parts: _Parts) -> list[str]:
    """Which candidates take the numbers as they are, while the others have them scaled."""
    names = [one.name for one in suitable if parts.encoding(one.estimator)[0] == "none"]
    if not names or not parts.examples.encoder.number_names_:
        return []
    return [f"the numeric columns are not scaled for {'; '.join(names)}."]


def _tell_fits(
    report: Callable[[str, int, int], object], name: str, before: int, total: int, done: int
) -> None:
    report(name, before + done, total)


def _counted(examples: Examples, test: Rows | None) -> tuple[np.ndarray, str]:
    """Which test rows count, and why nothing follows from them for new data."""
    if test is None:
        return np.zeros(0, bool), "no rows were held out."
    counts = np.ones(len(test.y), bool)
    if not len(test.y):
        return counts, "no rows were held out."
    labels: Labels | Values = Values()
    if not examples.measured:
        labels = all_labels(tuple(np.unique(examples.y).tolist()))
    known = known_examples(labels, examples.X, examples.y, test.X, test.y)
    if not known.why:
        counts = ~known.left_out
    codes = labels.places(test.y, unknown=True)[counts]
    kept = test.X if counts.all() else test.X[np.flatnonzero(counts)]
    return counts, test.left_out.why_no_draws or known.why or why_copied(kept, codes)


#: How a machine takes a table: the scaling, and whether the first level of a category is left out.
Encoding = tuple[str, bool]


class _Parts:
    """The training and test rows of a table, and those of each fold, encoded once for all
    machines that take them alike."""

    def __init__(
        self, table, target: str, learns: Learns, scale, held_out, test, test_name: str, choices
    ):
        self.table, self.target, self.learns, self.scale = table, target, learns, scale
        self.choices = choices | {"held_out": held_out, "measured": learns == "numbers"}
        self.file, self.test_name = test, test_name
        self._encoded: dict[tuple[int, Encoding], tuple[Any, ...]] = {}
        self.examples, self.test = self._all_rows((scale or "standard", False))
        #: For numbers, one cap for all machines: two standard deviations of the target.
        self.cap = 0.0
        if learns == "classes":
            refuse_one_class(self.examples)
        else:
            self.cap = error_cap(self.examples.y - np.mean(self.examples.y), 2.0)
        if self.file is not None and self.test is not None:
            notes = [f"{test_name}: {note}" for note in self.test.notes]
            self.examples.notes.extend(notes)

    def _all_rows(self, encoding: Encoding) -> tuple[Examples, Rows | None]:
        scale, references = encoding
        examples = encode_table(
            self.table, self.target, scale=scale, reference_levels=references, **self.choices
        )
        rows = examples.held_out
        if self.file is not None:
            with problems_of(self.test_name):
                rows = encode_rows(
                    columns.as_table(self.file), examples.encoder, self.target, examples.missing,
                    examples.na, self.choices["measured"], advice_in_fit,
                )  # fmt: skip
        pair = (None, None) if rows is None else rows.pair
        self._encoded[0, encoding] = (examples.X, examples.y, *pair)
        return examples, rows

    def split(self, folds: int, seed: int) -> None:
        """Cut the training rows into folds."""
        y = self.examples.y
        most = len(y)
        if self.learns == "classes":
            most = most_frequent(y)[1]
        if folds > most:
            what = "rows" if self.learns == "numbers" else "rows of the majority class"
            raise Problem(
                f"{setting('folds')} must be at most {most:,}, the number of training {what}, got "
                f"{folds}."
            )
        kind = KFold if self.learns == "numbers" else StratifiedKFold
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # A class with fewer rows than folds is no error.
            self.folds = list(kind(folds, shuffle=True, random_state=seed).split(y, y))

    def encoding(self, estimator: Any) -> Encoding:
        """How `certo fit` would encode a table for an estimator."""
        known = describe(estimator)
        if known is None:
            return self.scale or "standard", False
        scale = self.scale or ("none" if known.ignores_scale(estimator) else "standard")
        return scale, known.needs_reference_levels(estimator)

    def part(self, k: int, encoding: Encoding) -> tuple[Any, ...]:
        """Rows to fit to with their targets, and others with theirs: of the k-th fold from 1 on,
        for k = 0 the training rows and those held out."""
        if (k, encoding) not in self._encoded:
            if k == 0:
                self._all_rows(encoding)
            else:
                self._encoded[k, encoding] = self._fold(k - 1, encoding)
        return self._encoded[k, encoding]

    def _fold(self, k: int, encoding: Encoding) -> tuple[Any, ...]:
        y, own = self.examples.y, self.examples.encoder
        features = self.examples.table.drop_columns([self.target])
        fit, valid = (features.take(pa.array(rows)) for rows in self.folds[k])
        scale, references = encoding
        encoder = TableEncoder(scale, own.drop, own.category, references, own.text).fit(fit)
        first, second = self.folds[k]
        return encoder.transform(fit), y[first], encoder.transform(valid), y[second]


class _NoTime(Exception):
    """The time is over."""


class _Race:
    """Fits under one clock."""

    def __init__(
        self, parts: _Parts, deadline: float, folds: int, counts: np.ndarray, level: float
    ):
        self.parts, self.deadline, self.folds = parts, deadline, folds
        self.pools = ThreadpoolController()
        self.counts, self.level = counts, level  # Level 0: no interval is wanted.

    def run(self, result: Result, left: int, report: Callable[[int], object]) -> None:
        """Fit a candidate to all training rows, then to those of each fold, in its share of the
        time; `left` candidates share what is left, this one included."""
        estimator = result.candidate.estimator
        limited = "time_limit" in estimator.get_params()
        if result.candidate.kind == "certo":
            self._compile(estimator, *self.parts.part(0, self.parts.encoding(estimator))[:2])
        remaining = self.deadline - monotonic()
        share = remaining / left if limited else max(remaining / left, remaining * LARGEST_SHARE)
        until = min(monotonic() + share, self.deadline)
        encoding = self.parts.encoding(estimator)
        report(0)
        # The time limit of the last fit, what it took beyond that, and what it took in all.
        limit = beyond = took = had = 0.0
        turns = list(range(self.folds + 1))
        for done, k in enumerate(turns):
            try:
                part = self._part(k, encoding, result.candidate)
                begin = monotonic()
                fair = (until - begin) / (len(turns) - done) - beyond
                if fair >= limit / 2:  # Else fewer folds, rather than all with far less time.
                    limit = min(fair, result.candidate.max_seconds)
                needed = limit + beyond if limited else took
                if begin >= until or begin + needed > until:
                    raise _NoTime
                machine = clone(estimator)
                if limited:
                    machine.set_params(time_limit=limit)
                with warnings.catch_warnings(), self._threads(result.candidate):
                    warnings.simplefilter("ignore")  # The gap says whether a fit converged.
                    self._fit(machine, part, result, k == 0)
            except _NoTime:
                result.missing = "time" if done <= self.folds else ""
                return
            except Exception as wrong:  # Whatever it is, the other candidates go on.
                result.missing, result.reason = "failed", _said_by(wrong)
                return
            took = monotonic() - begin
            beyond = max(0.0, took - limit) if limited else 0.0
            report(min(done, self.folds) + 1)
            if done == 0:
                had = limit
            if done == self.folds and result.out_of_time and until - monotonic() > had:
                turns.append(0)  # What the folds have left over is for the fit that had too little.

    def _compile(self, estimator: Any, X: Any, y: np.ndarray) -> None:
        """Fit to a few rows, so that the compilation of loops, which happens once on a computer, is
        not timed and takes nothing from the time of the comparison."""
        begin = monotonic()
        labels = y if self.parts.learns == "classes" else np.zeros(len(y))
        kinds = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        some = np.concatenate([kind[:COMPILED_ROWS] for kind in kinds])
        with warnings.catch_warnings(), suppress(Exception):
            warnings.simplefilter("ignore")
            first = clone(estimator)
            if "time_limit" in first.get_params():
                first.set_params(time_limit=COMPILED_SECONDS)
            first.fit(X[some], y[some])
        self.deadline += monotonic() - begin

    def _threads(self, candidate: Candidate) -> AbstractContextManager[Any]:
        """Threads of scikit-learn wait for each other actively, which on a busy machine takes many
        times as long as one thread does."""
        return nullcontext() if candidate.kind == "certo" else self.pools.limit(limits=1)

    def _part(self, k: int, encoding: Encoding, candidate: Candidate) -> tuple[Any, ...]:
        X, y, X_other, y_other = self.parts.part(k, encoding)
        if candidate.needs_dense:
            X, X_other = _dense(X), _dense(X_other)
        return X, y, X_other, y_other

    def _fit(self, machine: Any, part: tuple[Any, ...], result: Result, on_all: bool) -> None:
        X, y, X_other, y_other = part
        begin = monotonic()
        machine.fit(X, y)
        seconds = monotonic() - begin
        if getattr(machine, "_stop", None) is Stop.BY_HAND:
            raise KeyboardInterrupt
        said = None if X_other is None else self._predictions(machine, X_other)
        measured = self.parts.learns == "numbers"
        if measured and said is not None and not np.all(np.isfinite(said)):
            raise ArithmeticError("some predictions are not finite.")
        if not on_all:
            assert said is not None
            wrong = math.sqrt(np.mean((said - y_other) ** 2)) if measured else _wrong(said, y_other)
            result.fold_errors.append(float(np.mean(wrong)))
            return
        if said is not None and measured and len(y_other):
            off = np.abs(said - y_other)
            result.absolute_error = float(np.mean(off[self.counts]))
            if self.level and self.parts.cap:
                result.mean = capped_mean(off[self.counts], self.parts.cap, self.level)
        elif said is not None and not measured:
            result.errors = int(np.count_nonzero(_wrong(said, y_other)[self.counts]))
            if self.level:
                result.interval = clopper_pearson(int(self.counts.sum()), result.errors, self.level)
        result.gap, result.supports = proved_gap(machine), _supports(machine)
        result.seconds = seconds
        stop = getattr(machine, "_stop", None)
        # A machine with a time limit of its own is one that mostly uses it up.
        result.out_of_time = stop is Stop.TIME_LIMIT and result.candidate.max_seconds == math.inf

    def _predictions(self, machine: Any, X: Any) -> np.ndarray:
        found = []
        for some in gen_batches(count(X), PREDICTED_ROWS):
            if monotonic() > self.deadline:
                raise _NoTime
            found.append(machine.predict(X[some]))
        return np.concatenate(found) if found else np.zeros(0)


def _wrong(said: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Labels of a test table may be of another type, and are wrong then."""
    return np.asarray(said, dtype=object) != np.asarray(y, dtype=object)


def _dense(X: Any) -> Any:
    if not sparse.issparse(X):
        return X
    if X.shape[0] * X.shape[1] > MAX_NUMBERS_MADE_DENSE:
        rows, features = X.shape
        raise InputError(refusals.too_many_dense_numbers, MAX_NUMBERS_MADE_DENSE, rows, features)
    return X.toarray()


def _said_by(wrong: Exception) -> str:
    """The message of an error, on one line; with its kind, if it is none that machines raise."""
    text = " ".join(str(wrong).split())
    usual = isinstance(wrong, ValueError | ArithmeticError | RuntimeError) and text
    return text if usual else f"{type(wrong).__name__}: {text}".removesuffix(": ")


def _supports(machine: Any) -> int | None:
    rows = getattr(machine, "support_", None)
    return None if rows is None else int(np.size(rows))


def proved_gap(machine: Any) -> float | None:
    """How far the objective of a fit is above its minimum at most, relative to the objective: the
    largest of all outputs; None, where that is not proved of all of them.

    The objective of `min-disagreement` is its number of errors."""
    claims = getattr(machine, "certificate_", None)
    if claims is None:
        return None
    margins = claims.of_kind(SoftMarginGap)
    if margins:
        gaps = [claim.relative_gap for claim in margins]
        return max(gaps) if len(gaps) == len(machine.outputs_) else None
    for claim in claims.of_kind(LogisticExcess):
        return _relative(claim.risk, claim.lower)
    for claim in claims.of_kind(LeastSquaresExcess):
        least = max(Fraction(claim.lower), Fraction(claim.risk) - Fraction(claim.excess))
        return _relative(claim.risk, least)
    if hasattr(machine, "lower_bound_"):
        return _relative(machine.errors_, machine.lower_bound_)
    return None


def _relative(value: float, least: float | Fraction) -> float:
    """(value − least)/value, rounded up; 0 where the value is 0."""
    return exact.above(1 - Fraction(least) / Fraction(value)) if value else 0.0
