"""Attacks on what a claim is about, beside those of `campaign` on its numbers.

Each function makes one attack and says what became of it: `rejected`, accepted and `true`, `FALSE`
(a false claim was accepted) or `LOST` (a true claim was rejected).

- `containers`: the same numbers in another container; every claim must still verify.
- `beyond_float64`: integers that float64 cannot hold, in lists, frames and arrays of objects.
- `copies`, `overlap`, `order`: the labels are tosses of a fair coin, so that every rule is wrong in
  half of all new cases, whatever the rows look like. With δ = 1e-6 a bound below one half is false
  by its assumptions, never by chance.
- `vacuous`: tosses of a coin again; claims about them are stated as vacuous, so that less is looked
  at, beside facts that would make them sharp. The headline of their page must not be made of these.
- `honest`: independent draws, of continuous and of discrete tables. Claims must be kept.
- `larger`: the corruptions of `campaign`, on tables of up to 6,000 rows.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
from scipy import sparse

import certo
from certo.certificates import (
    Certified,
    Composite,
    CompressionBound,
    Labels,
    PerceptronRun,
    PerceptronScheme,
    StatedPredictions,
    TestErrors,
)
from certo.kernels import Gaussian, Linear
from certo.losses import Hinge, Logistic
from tests.oracles.campaign import (
    CORRUPTIONS,
    KERNEL_RUN,
    LARGER,
    LARGEST_WITH_KERNEL,
    LAYER,
    REFUSALS,
    SOURCES,
    Case,
    cases,
    is_precomputed,
    judged_case,
    reread,
)
from tests.oracles.truths import is_true

FAIR = 0.5  # the error rate of every rule about a fair coin
SMALL_DELTA = 1e-6  # so that no bound is wrong by chance
DENSE_ONLY = {"GaussianLikelihood", "MomentMatching", "NoGaussianDensity", "NoLogLinearDensity"}


class Attack(NamedTuple):
    verdict: str
    what: str
    case: Case


# --- the same numbers in another container --------------------------------------------------------


def _halved_entries(X: np.ndarray, kind=sparse.csr_array):
    """Every entry twice, at half its size: the canonical form is their sum."""
    twice = sparse.coo_array(X)
    return kind(_doubled(twice))


def _doubled(X: sparse.coo_array) -> sparse.csr_array:
    m, d = X.shape
    rows, columns = np.tile(X.coords[0], 2), np.tile(X.coords[1], 2)
    order = np.argsort(rows, kind="stable")
    ends = np.searchsorted(rows[order], np.arange(m + 1))
    values = np.tile(X.data / 2, 2)[order]
    return sparse.csr_array((values, columns[order], ends), shape=(m, d))


def _stale(X: np.ndarray):
    """Entries that repeat, in a matrix that says of itself that they do not."""
    found = _halved_entries(X)
    found.has_canonical_format = True
    return found


def _explicit_zeros(X: np.ndarray):
    found = sparse.csr_array(np.ones_like(X))
    found.data = X.ravel().copy()
    return found


def _strided(X: np.ndarray) -> np.ndarray:
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]))
    wide[::-2, ::3] = X
    return wide[::-2, ::3]


def _read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


DENSE: dict[str, Callable[[np.ndarray], Any]] = {
    "Fortran": np.asfortranarray,
    "long double": np.longdouble,
    "lists": np.ndarray.tolist,
    "objects": lambda X: X.astype(object),
    "strided": _strided,
    "read-only": _read_only,
    "big-endian": lambda X: X.astype(">f8"),
    "pandas": pd.DataFrame,
    "polars": lambda X: pl.DataFrame(X, [f"c{j}" for j in range(X.shape[1])]),
}
SPARSE: dict[str, Callable[[np.ndarray], Any]] = {
    "CSR array": sparse.csr_array,
    "CSR matrix": sparse.csr_matrix,
    "CSC array": sparse.csc_array,
    "CSC matrix": sparse.csc_matrix,
    "COO": sparse.coo_array,
    "explicit zeros": _explicit_zeros,
    "entries twice": _halved_entries,
    "stale flag": _stale,
}
EXACTLY: dict[str, Callable[[np.ndarray], Any]] = {
    "float32": np.float32,
    "int64": np.int64,
    "int8": np.int8,
    "pandas integers": lambda X: pd.DataFrame(X).astype(
        {0: "int64", X.shape[1] - 1: "int16"} if X.shape[1] > 1 else "int64"
    ),
    "CSR integers": lambda X: sparse.csr_array(X.astype(np.int64)),
}


def containers(kind: str, random: np.random.Generator, count: int = 12) -> Attack:
    """A claim in another container, chosen at random among those that hold the same numbers."""
    known = cases(kind, count)
    case = known[random.integers(len(known))]
    precomputed = is_precomputed(case.data)
    dense_only = kind in DENSE_ONLY or precomputed
    # The half of a very small number may be rounded.
    whole_only = bool(np.any((case.X != 0) & (np.abs(case.X) < 2.0**-1000)))
    allowed = dict(DENSE)
    for name, store in (SPARSE | EXACTLY).items():
        is_sparse = name in SPARSE or name == "CSR integers"
        if (
            not (is_sparse and dense_only)
            and not (whole_only and name in ("entries twice", "stale flag"))
            and (name in SPARSE or _exact(store, name, case.X))
        ):
            allowed[name] = store
    name = str(random.choice(sorted(allowed)))
    found = reread(case.data).verify(allowed[name](case.X), case.y)
    return Attack("true" if found else "LOST", f"{kind} as {name}: {found.why}", case)


def _exact(store: Callable, name: str, X: np.ndarray) -> bool:
    if name != "float32" and (np.abs(X) > 100).any():
        return False
    with np.errstate(all="ignore"):
        again = store(X)
    again = again.toarray() if sparse.issparse(again) else np.asarray(again)
    return bool(np.array_equal(again.astype(float), X))


# --- integers that float64 cannot hold ------------------------------------------------------------

UNIT = 2**54  # multiples of it are float64 numbers, their neighbours are not


def _as_rows(table: np.ndarray) -> list[list[Any]]:
    return [list(row) for row in table]


def _frame(table: np.ndarray, *dtypes: str) -> pd.DataFrame:
    columns = range(table.shape[1])
    chosen = [dtypes[0]] * (table.shape[1] - 1) + [dtypes[-1]]
    return pd.DataFrame({f"c{j}": pd.array(table[:, j].tolist(), dtype=chosen[j]) for j in columns})


def _polars(table: np.ndarray) -> pl.DataFrame:
    return pl.DataFrame({f"c{j}": table[:, j].tolist() for j in range(table.shape[1])})


BEYOND: dict[str, Callable[[np.ndarray], Any]] = {
    "lists": _as_rows,
    "objects": lambda table: table,
    "Decimal": lambda table: np.vectorize(Decimal, otypes=[object])(table),
    "pandas": lambda table: _frame(table, "int64", "float64"),
    "pandas nullable": lambda table: _frame(table, "Int64", "float64"),
    "pandas integers": lambda table: _frame(table[:, :-1], "int64"),
    "uint64 beside int64": lambda table: _frame(np.abs(table[:, :-1]), "uint64", "int64"),
    "polars": _polars,
    "int64": lambda table: table[:, :-1].astype(np.int64),
    "CSR": lambda table: sparse.csr_array(table[:, :-1].astype(np.int64)),
    "Fortran objects": np.asfortranarray,
}


def _claims(X: Any, y: Any, random) -> Iterator[Any]:
    """Claims of one machine about a table that may be too much for it."""
    machines: list[Callable[[], Any]] = [
        lambda: [certo.separability(X, y)],
        lambda: [certo.quasi_separability(X, y)],
        lambda: certo.MinDisagreement(time_limit=2).fit(X, y).certificate_,
        lambda: certo.HardMarginSVM().fit(X, y).certificate_,
        lambda: certo.Perceptron(epochs=5).fit(X, y).certificate_,
        lambda: certo.SVM(C=1e-30).fit(X, y).certificate_,
        lambda: certo.SVM(Linear(), C=1e-30).fit(X, y).certificate_,
        lambda: certo.LeastSquares().fit(X, (np.asarray(y) == "up") * 1.0).certificate_,
        lambda: certo.LogisticRegression().fit(X, y).certificate_,
    ]
    with contextlib.suppress(*REFUSALS, TypeError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from machines[random.integers(len(machines))]()


def beyond_float64(random: np.random.Generator) -> Iterator[Attack]:
    """Claims of fits of the exact integers, and of the rounded ones, before the exact ones."""
    m, d = int(random.integers(4, 10)), int(random.integers(1, 4))
    small = random.integers(-3, 4, (m, d))
    moved = random.integers(-1, 2, (m, d)) * (small != 0)
    whole = small.astype(object) * UNIT + moved.astype(object)
    table = np.column_stack([whole, random.integers(-2, 3, m) / 2]).astype(object)
    y = np.where(random.random(m) < 0.5, "up", "down")
    y[:2] = "up", "down"
    for name, store in BEYOND.items():
        given = store(table)
        exact = table if np.shape(given)[1] > d else whole
        exact = np.abs(exact) if name.startswith("uint64") else exact
        rounded = exact.astype(float)
        for claim in [*_claims(given, y, random), *_claims(rounded, y, random)]:
            case = Case(claim.to_dict(), rounded, y)
            targets = (y == "up") * 1.0 if claim.name == "LeastSquaresExcess" else y
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                accepted = bool(claim.verify(given, targets))
            if not accepted:
                verdict = "rejected"
            else:
                verdict = "true" if is_true(case.data, exact, targets) else "FALSE"
            yield Attack(verdict, f"{claim.name} of {name}", Case(case.data, exact, targets))


# --- assumptions that are visibly false -----------------------------------------------------------


def _machine(random: np.random.Generator, one_pass: bool = False):
    passes = 1 if one_pass else int(random.integers(1, 20))
    loss = [Hinge(), Logistic()][random.integers(2)]
    radius = float(random.choice([0.5, 1.0, 3.0]))
    online = [
        certo.Perceptron(epochs=passes),
        certo.OnlineGradientDescent(loss=loss, lam=0, radius=radius),
    ]
    others = [
        certo.Perceptron(epochs=passes, order="shuffled", random_state=0),
        certo.KernelPerceptron(Gaussian(2.0), epochs=passes),
        certo.SVM(C=10.0, intercept="none", tol=1e-6),
        certo.SVM(Gaussian(1.0), C=10.0, intercept="none", tol=1e-6),
        certo.LogisticRegression(ridge=1e-3),
    ]
    return (online if one_pass else online + others)[random.integers(2 if one_pass else 7)]


def _tosses(random: np.random.Generator, m: int) -> np.ndarray:
    y = np.where(random.random(m) < 0.5, "up", "down")
    y[:2] = "up", "down"
    return y


def _rows(random: np.random.Generator, m: int, d: int) -> np.ndarray:
    """Rows of continuous values, perhaps beside discrete columns, or written with a few digits."""
    X = random.standard_normal((m, d))
    how = random.integers(4)
    if how == 1:
        X = np.round(X, 3)
    elif how == 2:
        X = np.column_stack([X, random.integers(0, 3, (m, 2))])
    elif how == 3:
        X = X.astype(np.float32).astype(float)
    return X


def _judged(model, X, y, X_test=None, y_test=None, what: str = "") -> Iterator[Attack]:
    """What a page about tosses of a coin says, and whether the checker believes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            page = certo.certify(
                model.fit(X, y), X, y, delta=SMALL_DELTA, X_test=X_test, y_test=y_test
            )
        except ValueError:
            yield Attack("rejected", f"{what}: certify refuses", Case({}, X, y))
            return
    said = f"{what}: {type(model).__name__}"
    if not page.risks:
        yield Attack("rejected", f"{said}, nothing claimed", Case({}, X, y))
    for claim in page.risks:
        on_test = claim in tuple(page.test)
        data = (X_test, y_test) if on_test else (X, y)
        false = claim.best < FAIR
        # Only a page knows both the rows of the fit and the test rows.
        found = page.verify(X, y, X_test, y_test) if on_test else claim.verify(*data)
        verdict = "rejected" if not found else "FALSE" if false else "true"
        yield Attack(verdict, f"{said} {claim.name} {claim.best:.4f}", Case(claim.to_dict(), *data))


def copies(random: np.random.Generator) -> Iterator[Attack]:
    """A few rows again and again, in the fit or in the test rows."""
    m, d, times = (
        int(random.integers(15, 40)),
        int(random.integers(1, 60)),
        int(random.integers(20, 80)),
    )
    X, y = _rows(random, m, d), np.where(random.random(m) < 0.5, "up", "down")
    y[:2] = "up", "down"
    order = random.permutation(np.repeat(np.arange(m), times))
    if random.random() < 0.5:  # not all of them equally often
        order = np.append(np.arange(m), random.integers(0, m, m * times))
    if random.random() < 0.5:
        yield from _judged(_machine(random), X[order], y[order], what="copies in the fit")
        return
    fit = _rows(random, 100, 1)
    width = max(X.shape[1], fit.shape[1])
    grown = [np.pad(part, ((0, 0), (0, width - part.shape[1]))) for part in (fit, X)]
    labels = _tosses(random, 100)
    chosen = random.permutation(np.repeat(np.arange(m), 500))
    model = _machine(random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(grown[0], labels)
    # The test rows whose labels the rule happens to give are repeated most often.
    lucky = np.flatnonzero(model.predict(grown[1]) == y)
    if lucky.size >= 5:
        chosen = random.permutation(np.repeat(lucky, 500))
    yield from _judged(
        model, grown[0], labels, grown[1][chosen], y[chosen], what="copies in the test rows"
    )


def overlap(random: np.random.Generator) -> Iterator[Attack]:
    """Test rows that are rows of the fit, beside a few new ones."""
    m, d = int(random.integers(60, 400)), int(random.integers(2, 400))
    X, y = _rows(random, m, d), _tosses(random, m)
    new = _rows(random, int(random.integers(1, 10)), d)
    new = np.pad(new, ((0, 0), (0, max(0, X.shape[1] - new.shape[1]))))[:, : X.shape[1]]
    taken = random.permutation(m)[: int(m * random.choice([0.5, 1.0]))]
    X_test = np.vstack([X[taken], new])
    y_test = np.concatenate([y[taken], np.where(random.random(len(new)) < 0.5, "up", "down")])
    mixed = random.permutation(len(y_test))
    yield from _judged(_machine(random), X, y, X_test[mixed], y_test[mixed], what="overlap")


def order(random: np.random.Generator) -> Iterator[Attack]:
    """Files sorted by their labels, one after the other."""
    m, files = int(random.integers(200, 2000)), int(random.integers(1, 4))
    X, y = (
        _rows(random, m, int(random.integers(1, 5))) * random.choice([0.1, 1.0]),
        np.where(random.random(m) < 0.5, "up", "down"),
    )
    parts = np.array_split(np.arange(m), files)
    by_label = np.concatenate([part[np.argsort(y[part], kind="stable")] for part in parts])
    yield from _judged(
        _machine(random, True), X[by_label], y[by_label], what=f"{files} sorted files"
    )


def vacuous(random: np.random.Generator) -> Iterator[Attack]:
    """Bounds of 1: of a run that was never made, and of test rows that are copies."""
    m = int(random.integers(50, 300))
    shared = {"labels": Labels(("down", "up")), "delta": SMALL_DELTA, "errors": 0, "tail": 1.0}
    if random.random() < 0.5:
        X, y = random.standard_normal((m, 2 * m)), _tosses(random, m)
        w = np.linalg.lstsq(X, np.where(y == "up", 1.0, -1.0), rcond=None)[0]
        run = PerceptronRun(epochs=int(random.choice([1, 10**6])), average=random.random() < 0.5)
        forged: Any = CompressionBound(
            **shared, majority=int(max(np.sum(y == "up"), np.sum(y == "down"))), examples=m,
            scheme=PerceptronScheme((run,), w[None], np.zeros(1), zero_sign=1),
            updated=np.sort(random.permutation(m)[: int(random.integers(1, 5))]), printed=1.5,
        )  # fmt: skip
        page = Certified("forged", Composite((forged,)), delta=SMALL_DELTA)
    else:
        some = random.permutation(np.repeat(np.arange(12), m))
        X, y = random.standard_normal((12, 3))[some], np.resize(["down", "up"], 12)[some]
        del shared["tail"]
        forged = TestErrors(
            **shared, predictor=StatedPredictions((y == "up").astype(int)), examples=y.size, ties=0,
            majority=6 * m, lower=0.0, upper=1.0, unknown=0,
        )  # fmt: skip
        page = Certified("forged", Composite(()), Composite((forged,)), delta=SMALL_DELTA)
    false = page.best is not None and page.best.claim.best < FAIR
    verdict = "rejected" if not forged.verify(X, y) else "FALSE" if false else "true"
    yield Attack(verdict, f"vacuous {forged.name}", Case(forged.to_dict(), X, y))


def honest(random: np.random.Generator) -> Iterator[Attack]:
    """Independent draws that can be learnt; what is claimed must be accepted, and be something."""
    m, discrete = int(random.integers(200, 1500)), random.random() < 0.5
    kinds = [
        lambda: random.integers(-2, 3, (2 * m, 2)),
        lambda: np.round(random.standard_normal((2 * m, 2)), int(random.integers(0, 4))),
        lambda: np.eye(6)[random.integers(0, 6, 2 * m)],
        lambda: (np.round(random.normal(40, 12, (2 * m, 2))) - 40) / 12,
        lambda: np.maximum(random.standard_normal((2 * m, 3)), 0),
    ]
    X = kinds[random.integers(5)]().astype(float) if discrete else _rows(random, 2 * m, 3)
    flip = random.random(2 * m) < random.choice([0.0, 0.05])
    y = np.where((X[:, 0] + 0.5 * X[:, 1] > 0.2) ^ flip, "up", "down")
    model = _machine(random)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = certo.certify(model.fit(X[:m], y[:m]), X[:m], y[:m], X_test=X[m:], y_test=y[m:])
    said = f"honest {'discrete' if discrete else 'continuous'} {type(model).__name__}"
    found = page.verify(X[:m], y[:m], X[m:], y[m:])
    kept = bool(found) and len(page.test) == 1
    yield Attack("true" if kept else "LOST", f"{said}: {found.why}", Case({}, X, y))


# --- larger tables --------------------------------------------------------------------------------

#: How many times larger than in `campaign`; the exact truth of some kinds takes long on many rows.
LARGEST = {
    LAYER: 20, "GaussianLikelihood": 100, KERNEL_RUN: 5, "LeastErrorsByCells": 15,
    "LeastErrorsByTree": 5, "LeastSquaresExcess": 50, "LogisticExcess": 20,
    "MomentMatching": 50, "OnlineToBatch": 100, "Overlapping": 25,
    "SoftMarginGap": 5, "SupportBound": 4, "SoftMarginGap of pairs": 5, "SupportBound of pairs": 3,
    "SoftMarginGap by blocks": 5, "SoftMarginGap on a device": 5, "LogisticExcess by blocks": 20,
    "LeastSquaresExcess by blocks": 50,
    "TrainingErrors of pairs": 100,
    "NoEstimate": 15, "NoGaussianDensity": 100, "QuasiSeparable": 25, "AverageToBatch": 200,
    "Certified": 75, "CompressionBound": 75,
    "TestErrors": 200, "TrainingErrors": 200,
}  # fmt: skip
MOST_TIMES = 750  # 6,000 rows, where the truth is quick


@functools.cache
def large_cases(kind: str, tries: int = 6) -> tuple[Case, ...]:
    found: list[Case] = []
    largest = LARGEST.get(kind, MOST_TIMES)
    for times in sorted({largest, max(2, largest // 7), LARGEST_WITH_KERNEL.get(kind, largest)}):
        for seed in range(tries):
            with contextlib.suppress(*REFUSALS), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found += SOURCES[kind](kind, times * LARGER + seed)
    return tuple(case for case in found if len(case.X) <= 6750)


def larger(kind: str, random: np.random.Generator) -> Attack | None:
    known = large_cases(kind)
    if not known:
        return None
    names = [name for name in CORRUPTIONS if name != "edge"]
    case, donor = (copy.deepcopy(known[random.integers(len(known))]) for _ in range(2))
    name = str(random.choice(names))
    with contextlib.suppress(IndexError, KeyError):  # the donor is of another shape
        outcome = judged_case(name, CORRUPTIONS[name](case, donor, random), known)
        return None if outcome is None else Attack(outcome.verdict, f"{kind} {name}", outcome.case)
    return None
