"""Whether calls keep their limits: seconds past `time_limit`, and past the first Ctrl-C."""

from __future__ import annotations

import contextlib
import gzip
import multiprocessing
import os
import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

import certo
from benchmarks import datasets
from benchmarks.harness import BenchTable
from certo import kernels
from certo.kernels import Gaussian
from certo.kernels.base import Kernel

LIMIT_SECONDS = 1.0  # What every call is allowed;
PRESSED_AFTER_SECONDS = 0.3  # when Ctrl-C is pressed;
ALLOWED_SECONDS = 1.0  # what a call may take beyond either;
GIVEN_UP_SECONDS = 12.0  # and when it is killed.
MAX_ROWS = 20_000  # Of larger tables so many are taken.
MAX_LEFT_OUT_ROWS = 5000  # Up to which examples are left out one by one.


def tables() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names, and what reads X and y, or None."""
    for name in [*datasets.SMALL, "heart_scale"]:
        yield name, partial(datasets.small, name)
    yield "a9a test", partial(datasets._svmlight, "a9a/a9a.t.gz", 123)
    yield "a9a", datasets.a9a
    yield "w8a", datasets.w8a
    yield "ijcnn1", datasets.ijcnn1
    yield "phishing", datasets.phishing
    yield "mushrooms", datasets.mushrooms
    yield "reuters", datasets.reuters_moneyfx
    yield "reuters test", partial(datasets._svmlight, "reuters_moneyfx/reuters.tst.bz2", 8315)
    yield "letter", datasets.letters
    yield "news20", datasets.newsgroups
    yield "news20, two classes", datasets.news20
    yield "mnist 10,000", partial(_digits, 10_000)
    yield "mnist", partial(_digits, MAX_ROWS)
    yield "usps", datasets.usps
    yield "covtype", datasets.covtype
    yield "splice_dna", partial(_sequences, "splice_dna", "splice.data")
    yield "promoters", partial(_sequences, "promoters", "promoters.data")
    for colour in ("red", "white"):
        yield f"{colour} wine", partial(_wine, f"winequality-{colour}.csv")
    yield "abalone", _abalone
    yield "adult", partial(_columns, "adult", "adult.data", -1)
    yield "bank", partial(_columns, "bank_marketing", "bank-full.csv", -1, header=True)
    yield "california", _california


def objects() -> Iterator[tuple[str, Callable[[], Any]]]:
    """The same where examples are no vectors, with a kernel for them."""
    for name in ("MUTAG", "PTC_MR", "PROTEINS", "NCI1"):
        yield f"TU_{name}", partial(_graphs, name)
    yield "sms_spam", _messages
    yield "names", _names
    yield "trec questions", _questions
    yield "trec trees", _trees
    yield "kelp trees", _kelp


def _digits(m: int):
    return datasets.at_random(datasets.digits(), m)


def _lines(*parts: str) -> list[str] | None:
    place = datasets.folder()
    file = place and place.joinpath(*parts)
    if file is None or not file.exists():
        return None
    return [line for line in file.read_text().split("\n") if line.strip()]


def _sequences(name: str, file: str):
    """Letters as indicators, and the class in the first column."""
    lines = _lines(name, file)
    if lines is None:
        return None
    cells = [[cell.strip() for cell in line.split(",")] for line in lines]
    length = max(Counter(len(row[-1]) for row in cells).items(), key=itemgetter(1))[0]
    cells = [row for row in cells if len(row[-1]) == length]
    letters = np.array([[*row[-1].upper()] for row in cells])
    X = np.hstack([letters == letter for letter in np.unique(letters)]).astype(float)
    return X, np.array([row[0] for row in cells])


def _wine(file: str):
    lines = _lines("wine_quality", file)
    if lines is None:
        return None
    rows = np.array([[float(v) for v in line.split(",")] for line in lines])
    return rows[:, :-1].copy(), rows[:, -1].astype(int)


def _abalone():
    lines = _lines("abalone", "abalone.csv")
    if lines is None:
        return None
    rows = [line.split(",") for line in lines]
    X = [[*(row[0] == sex for sex in "MFI"), *map(float, row[1:-1])] for row in rows]
    return np.array(X, dtype=float), np.array([int(row[-1]) for row in rows])


def _columns(folder: str, file: str, target: int, header: bool = False):
    """Numbers as they are, and words as indicators."""
    lines = _lines(folder, file)
    if lines is None:
        return None
    rows = [[cell.strip() for cell in line.split(",")] for line in lines[header:]]
    columns = [*zip(*rows, strict=True)]
    y = np.array(columns.pop(target))
    parts = []
    for column in columns:
        try:
            parts.append(np.array(column, dtype=float)[:, None])
        except ValueError:
            words = np.array(column)
            parts.append((words[:, None] == np.unique(words)).astype(float))
    return np.hstack(parts), y


def _california():
    """Whether a house costs more than the median; complete rows only."""
    lines = _lines("california_housing", "housing.csv")
    if lines is None:
        return None
    rows = [line.split(",") for line in lines[1:]]
    numbers = np.array([[float(v) for v in row[:-1]] for row in rows if all(row)])
    price = numbers[:, -1]
    return np.ascontiguousarray(numbers[:, :-1]), np.where(price > np.median(price), 1, -1)


def _graphs(name: str):
    from certo.data import read_tu

    place = datasets.folder()
    if place is None or not (place / f"TU_{name}").is_dir():
        return None
    graphs, labels = read_tu(place / f"TU_{name}")
    return list(graphs), np.asarray(labels), kernels.WeisfeilerLehman(3)


def _messages():
    lines = _lines("sms_spam", "sms.tsv")
    if lines is None:
        return None
    parts = [line.split("\t", 1) for line in lines if "\t" in line]
    return [text for _, text in parts], np.array([kind for kind, _ in parts]), kernels.Spectrum(4)


def _names():
    place = datasets.folder()
    if place is None or not (place / "names_nationality").is_dir():
        return None
    files = sorted((place / "names_nationality").glob("*.txt"))
    named = [(file.stem, line) for file in files for line in file.read_text("utf-8").split()]
    return [name for _, name in named], np.array([of for of, _ in named]), kernels.Spectrum(2)


def _questions():
    lines = _lines("trec_questions", "train_5500_coarse.label")
    if lines is None:
        return None
    parts = [line.split("\t", 1) for line in lines]
    return (
        [text for _, text in parts],
        np.array([kind for kind, _ in parts]),
        kernels.Subsequence(3),
    )


def _trees():
    lines, found = _lines("trec_questions", "train_5500.label.parsed"), _questions()
    if lines is None or found is None:
        return None
    return [kernels.Tree.parse(line) for line in lines], found[1], kernels.SubsetTree(0.4)


def _kelp():
    place = datasets.folder()
    file = place and place / "kelp_qc_trees" / "train_5500.coarse.klp.gz"
    if file is None or not file.exists():
        return None
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        lines = [line for line in stream if line.strip()]
    trees = [line.split("|BT:grct|")[1].split("|ET|")[0].strip() for line in lines]
    y = np.array([line.split()[0] for line in lines])
    return [kernels.Tree.parse(tree) for tree in trees], y, kernels.PartialTree()


def calls(X, y, kernel: Kernel | None) -> dict[str, Callable[[float | None], Any]]:
    """What can be asked of a table, or of objects with a kernel, by name; each takes the limit."""
    made: dict[str, Callable[..., Any]] = {
        "HardMarginSVM": partial(certo.HardMarginSVM, kernel),
        "SVM": partial(certo.SVM, kernel),
        "SVM 1e-9": partial(certo.SVM, kernel, tol=1e-9, C=100),
        "SVM rest": partial(certo.SVM, kernel, multiclass="rest"),
        "KernelPerceptron": partial(certo.KernelPerceptron, kernel or Gaussian(), epochs=10**6),
    }
    if kernel is None:
        made |= {
            "HardMarginSVM Gaussian": partial(certo.HardMarginSVM, Gaussian()),
            "SVM Gaussian": partial(certo.SVM, Gaussian(), C=10),
            "LogisticRegression": certo.LogisticRegression,
            "LogisticRegression, ridge": partial(certo.LogisticRegression, ridge=1e-6),
            "LogisticRegression, existence": _with_existence,
            "MinDisagreement": certo.MinDisagreement,
            "Perceptron": partial(certo.Perceptron, epochs=10**6),
            "Pegasos": partial(certo.Pegasos, lam=1e-6, max_iter=10**9),
            "OnlineGradientDescent": certo.OnlineGradientDescent,
        }
    found = {
        name: lambda limit, make=make: make(**({} if limit is None else {"time_limit": limit})).fit(
            X, y
        )
        for name, make in made.items()
    }
    if kernel is None:
        found["separability"] = lambda limit: certo.separability(X, y, time_limit=limit)
        found["quasi_separability"] = lambda limit: certo.quasi_separability(X, y, time_limit=limit)
    if len(y) <= MAX_LEFT_OUT_ROWS:
        found["leave_one_out"] = partial(_leave_one_out, certo.SVM(kernel, C=10), X, y)
    return found


def _with_existence(time_limit: float | None = None):
    return certo.LogisticRegression(time_limit=time_limit, existence_time_limit=time_limit)


def _leave_one_out(model, X, y, limit: float | None):
    """The fit is not what is asked about."""
    if not hasattr(model, "classes_"):
        model.set_params(time_limit=LIMIT_SECONDS).fit(X, y)
    return model.set_params(time_limit=limit).leave_one_out(X, y, exact=True)


class Late(NamedTuple):
    """What came out, and when after the moment at which it should have."""

    seconds: float  # Of the clock; before that moment, below 0.
    processor: float  # Of the processor, which other programs do not disturb; NaN if unknown.
    outcome: str

    @property
    def past(self) -> float:
        return self.processor if self.processor >= 0 else self.seconds


def measure(call: Callable[[], Any], seconds: float, press: bool) -> Late:
    """How late a call in a copy of this process ends that should end after so many seconds, since
    then its limit is over or Ctrl-C is pressed there."""
    processes = multiprocessing.get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)

    def work():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sender.send(None)
        try:
            outcome = _named(call())
        except KeyboardInterrupt:
            outcome = "KeyboardInterrupt"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"[:60]
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        sender.send((time.process_time(), outcome))

    copy = processes.Process(target=work, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy.start()
    sender.close()
    try:
        receiver.recv()
        begun = time.perf_counter()
        if receiver.poll(seconds):
            return Late(time.perf_counter() - begun - seconds, 0.0, receiver.recv()[1])
        start, before = time.perf_counter(), _processor_seconds(copy.pid)
        if press:
            os.kill(copy.pid, signal.SIGINT)
        if not receiver.poll(GIVEN_UP_SECONDS):
            return Late(GIVEN_UP_SECONDS, _processor_seconds(copy.pid) - before, "killed")
        after, outcome = receiver.recv()
        return Late(time.perf_counter() - start, after - before, outcome)
    except EOFError:
        return Late(float("nan"), float("nan"), "died")
    finally:
        copy.kill()
        copy.join()


def _processor_seconds(process: int) -> float:
    """What a process has used of the processor so far; NaN where no file says so."""
    try:
        with open(f"/proc/{process}/stat") as file:
            user, system = file.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return float("nan")
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _named(found: Any) -> str:
    name = type(found).__name__
    return str(getattr(found, "_stop", name)).removeprefix("Stop.")


def run(quick: bool = False, only: str = "", machine: str = "") -> list[BenchTable]:
    table = BenchTable(
        "seconds past the limit",
        f"time_limit={LIMIT_SECONDS:g} s, and Ctrl-C after {PRESSED_AFTER_SECONDS:g} s, each in a "
        f"copy of the process that is killed after {GIVEN_UP_SECONDS:g} s more; seconds of the "
        "processor after that time, which other programs do not disturb; at most "
        f"{ALLOWED_SECONDS:g} s are allowed",
    )
    warnings.simplefilter("ignore")
    for name, read in [*tables(), *objects()]:
        data = read() if only in name else None
        if data is None:
            continue
        X, y, kernel = data if len(data) == 3 else (*data, None)
        of = _taken(X, y, 1000 if quick else MAX_ROWS)
        few = _rows_of(X, y, _few_of_each(y))
        for call_name, call in calls(*of, kernel).items():
            if machine not in call_name:
                continue
            with contextlib.suppress(Exception):  # Compiled code is loaded before the clock runs.
                calls(*few, kernel)[call_name](LIMIT_SECONDS)
            if call_name == "leave_one_out":
                with contextlib.suppress(Exception):
                    call(0.0)  # It fits.
            late = measure(partial(call, LIMIT_SECONDS), LIMIT_SECONDS, False)
            limited = not late.outcome.startswith("TypeError")  # Some machines have no time_limit.
            quick_enough = limited and late.seconds < PRESSED_AFTER_SECONDS - LIMIT_SECONDS
            heard = late if quick_enough else measure(
                partial(call, None), PRESSED_AFTER_SECONDS, True
            )  # fmt: skip
            row = {
                "data": f"{name} {len(of[1]):,}",
                "call": call_name,
                "past limit s": late.past,
                "outcome": late.outcome,
                "past Ctrl-C s": heard.past,
                "outcome then": heard.outcome,
                "kept": "NO" if max(late.past, heard.past) > ALLOWED_SECONDS
                else "yes" if limited else "Ctrl-C only",
            }  # fmt: skip
            table.rows.append(row)
            print(
                *(f"{v:.2f}" if isinstance(v, float) else v for v in row.values()),
                sep="\t",
                flush=True,
            )
    return [table]


def _taken(X, y, rows: int):
    """So many examples at random, or all in their own order."""
    if len(y) <= rows:
        return X, y
    return _rows_of(X, y, np.random.default_rng(0).permutation(len(y))[:rows])


def _rows_of(X, y, rows: np.ndarray):
    return [X[i] for i in rows.tolist()] if isinstance(X, list) else X[rows], y[rows]


def _few_of_each(y: np.ndarray) -> np.ndarray:
    """A few rows of up to four classes."""
    return np.concatenate([np.flatnonzero(y == label)[:20] for label in np.unique(y)[:4]])
