"""Whether calls keep their limits: seconds past `time_limit`, and past the first Ctrl-C."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

import certo
from benchmarks import datasets
from benchmarks.harness import BenchTable
from certo.kernels import Gaussian

LIMIT_SECONDS = 0.5  # What every call is allowed, and when Ctrl-C is pressed.
ALLOWED_SECONDS = 1.0  # What a call may take beyond that.
GIVEN_UP_SECONDS = 12.0  # Then the call is killed.
MAX_ROWS = 20_000


def tables() -> Iterator[tuple[str, Callable[[], Any]]]:
    """Names, and what reads X and y, or None."""
    for name in [*datasets.SMALL, "heart_scale"]:
        yield name, partial(datasets.small, name)
    yield "a9a test", partial(datasets._svmlight, "a9a/a9a.t.gz", 123)
    yield "phishing", datasets.phishing
    yield "mushrooms", datasets.mushrooms
    yield "reuters", datasets.reuters_moneyfx
    yield "letter", datasets.letters
    yield "news20", datasets.newsgroups
    yield "mnist 10,000", partial(_digits, 10_000)
    yield "usps", _usps
    yield "splice_dna", partial(_sequences, "splice_dna", "splice.data")
    yield "promoters", partial(_sequences, "promoters", "promoters.data")
    for colour in ("red", "white"):
        yield f"{colour} wine", partial(_wine, f"winequality-{colour}.csv")
    yield "abalone", _abalone


def _digits(m: int):
    return datasets.at_random(datasets.digits(), m)


def _usps():
    place = datasets.folder()
    if place is None or not (place / "usps" / "usps.npz").exists():
        return None
    with np.load(place / "usps" / "usps.npz") as stored:
        arrays = [stored[name] for name in stored.files]
    X = next(a for a in arrays if a.ndim == 2)
    y = next(a for a in arrays if a.ndim == 1 and a.size == len(X))
    return np.ascontiguousarray(X), y


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


def calls(X, y) -> dict[str, Callable[[float | None], Any]]:
    """What can be asked of a table, by name; each takes the time limit."""
    machines: dict[str, Callable[..., Any]] = {
        "HardMarginSVM": certo.HardMarginSVM,
        "HardMarginSVM Gaussian": lambda **more: certo.HardMarginSVM(Gaussian(), **more),
        "SVM": certo.SVM,
        "SVM 1e-9": lambda **more: certo.SVM(tol=1e-9, C=100, **more),
        "SVM Gaussian": lambda **more: certo.SVM(Gaussian(), C=10, **more),
        "LogisticRegression": certo.LogisticRegression,
        "LogisticRegression, existence": lambda **more: certo.LogisticRegression(
            existence_time_limit=more.get("time_limit"), **more
        ),
        "MinDisagreement": certo.MinDisagreement,
        "Perceptron": lambda **more: certo.Perceptron(epochs=10**6, **more),
        "KernelPerceptron": lambda **more: certo.KernelPerceptron(Gaussian(), epochs=10**6, **more),
        "Pegasos": lambda **more: certo.Pegasos(lam=1e-6, max_iter=10**9, **more),
        "OnlineGradientDescent": certo.OnlineGradientDescent,
    }
    found = {
        name: lambda limit, make=make: make(**({} if limit is None else {"time_limit": limit})).fit(
            X, y
        )
        for name, make in machines.items()
    }
    found["separability"] = lambda limit: certo.separability(X, y, time_limit=limit)
    found["quasi_separability"] = lambda limit: certo.quasi_separability(X, y, time_limit=limit)
    return found


def measure(call: Callable[[], Any], press: bool) -> tuple[float, float, str]:
    """Seconds past the limit in which a call in a copy of this process ends, of the clock and of
    the processor, and what came out. Ctrl-C is pressed there at that time, if it is to be."""
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
        sender.send((time.process_time(), outcome))

    copy = processes.Process(target=work, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy.start()
    sender.close()
    try:
        receiver.recv()
        if receiver.poll(LIMIT_SECONDS):
            return 0.0, 0.0, receiver.recv()[1]
        start, before = time.perf_counter(), _processor_seconds(copy.pid)
        if press:
            os.kill(copy.pid, signal.SIGINT)
        if not receiver.poll(GIVEN_UP_SECONDS):
            return GIVEN_UP_SECONDS, _processor_seconds(copy.pid) - before, "killed"
        after, outcome = receiver.recv()
        return time.perf_counter() - start, after - before, outcome
    except EOFError:
        return float("nan"), float("nan"), "died"
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
        f"time_limit={LIMIT_SECONDS:g} s, and Ctrl-C after {LIMIT_SECONDS:g} s, each in a copy of "
        f"the process that is killed after {GIVEN_UP_SECONDS:g} s more. CPU: seconds of the "
        "processor after that time, which other programs do not disturb; at most "
        f"{ALLOWED_SECONDS:g} s are allowed",
    )
    warnings.simplefilter("ignore")
    for name, read in tables():
        data = read() if only in name else None
        if data is None or data[0].shape[0] > MAX_ROWS:
            continue
        X, y = datasets.at_random(data, 1000) if quick else data
        few = _few_of_each(y)
        for call_name, call in calls(X, y).items():
            if machine and machine != call_name:
                continue
            with contextlib.suppress(Exception):  # Compiled code is loaded before the clock runs.
                calls(X[few], y[few])[call_name](LIMIT_SECONDS)
            late, late_cpu, outcome = measure(lambda call=call: call(LIMIT_SECONDS), False)
            heard, heard_cpu, said = measure(lambda call=call: call(None), True)
            limited = not outcome.startswith("TypeError")  # Some machines have no time_limit.
            worst = max(late_cpu, heard_cpu) if late_cpu >= 0 else max(late, heard)
            row = {
                "data": f"{name} {X.shape[0]:,} × {X.shape[1]:,}",
                "call": call_name,
                "past limit s": late,
                "CPU": late_cpu,
                "outcome": outcome,
                "past Ctrl-C s": heard,
                "CPU then": heard_cpu,
                "outcome then": said,
                "kept": "NO" if worst > ALLOWED_SECONDS else "yes" if limited else "Ctrl-C only",
            }
            table.rows.append(row)
            print(
                *(f"{v:.2f}" if isinstance(v, float) else v for v in row.values()),
                sep="\t",
                flush=True,
            )
    return [table]


def _few_of_each(y: np.ndarray) -> np.ndarray:
    """A few rows of up to four classes."""
    return np.concatenate([np.flatnonzero(y == label)[:20] for label in np.unique(y)[:4]])
