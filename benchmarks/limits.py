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
from scipy import sparse

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
            existence_time_limit=None if more["time_limit"] is None else more["time_limit"], **more
        ),
        "MinDisagreement": certo.MinDisagreement,
        "Perceptron": lambda **more: certo.Perceptron(epochs=10**6, **more),
        "KernelPerceptron": lambda **more: certo.KernelPerceptron(Gaussian(), epochs=10**6, **more),
        "Pegasos": lambda **more: certo.Pegasos(lam=1e-6, max_iter=10**9, **more),
        "OnlineGradientDescent": certo.OnlineGradientDescent,
    }
    found = {
        name: lambda limit, make=make: make(time_limit=limit).fit(X, y)
        for name, make in machines.items()
    }
    found["separability"] = lambda limit: certo.separability(X, y, time_limit=limit)
    found["quasi_separability"] = lambda limit: certo.quasi_separability(X, y, time_limit=limit)
    return found


def measure(call: Callable[[], Any], press_after: float | None) -> tuple[float, str]:
    """Seconds of a call in a copy of this process, and what came out; Ctrl-C is pressed there after
    so many seconds."""
    processes = multiprocessing.get_context("fork")
    receiver, sender = processes.Pipe(duplex=False)

    def work():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        start = time.perf_counter()
        sender.send(None)
        try:
            outcome = _named(call())
        except KeyboardInterrupt:
            outcome = "KeyboardInterrupt"
        except Exception as error:
            outcome = f"{type(error).__name__}: {error}"[:60]
        sender.send((time.perf_counter() - start, outcome))

    copy = processes.Process(target=work, daemon=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        copy.start()
    sender.close()
    try:
        receiver.recv()
        if press_after is not None and not receiver.poll(press_after):
            os.kill(copy.pid, signal.SIGINT)
        if receiver.poll(GIVEN_UP_SECONDS):
            return receiver.recv()
        return GIVEN_UP_SECONDS, "killed"
    except EOFError:
        return float("nan"), "died"
    finally:
        copy.kill()
        copy.join()


def _named(found: Any) -> str:
    name = type(found).__name__
    return str(getattr(found, "_stop", name)).removeprefix("Stop.")


def run(quick: bool = False, only: str = "", machine: str = "") -> list[BenchTable]:
    table = BenchTable(
        "seconds past the limit",
        f"time_limit={LIMIT_SECONDS:g} s, and Ctrl-C after {LIMIT_SECONDS:g} s; each call in a "
        f"copy of the process, which is killed after {GIVEN_UP_SECONDS:g} s; at most "
        f"{ALLOWED_SECONDS:g} s are allowed",
    )
    warnings.simplefilter("ignore")
    random = np.random.default_rng(0)
    for part in (np.arange(40) % 2, np.arange(40) % 3):  # Compiled code is loaded before.
        small = random.standard_normal((40, 3))
        for X in (small, sparse.csr_matrix(small)):
            for call in calls(X, part).values():
                with contextlib.suppress(Exception):
                    call(0.2)
    for name, read in tables():
        data = read() if only in name else None
        if data is None or data[0].shape[0] > MAX_ROWS:
            continue
        X, y = datasets.at_random(data, 1000) if quick else data
        for call_name, call in calls(X, y).items():
            if machine and machine != call_name:
                continue
            late, outcome = measure(lambda call=call: call(LIMIT_SECONDS), None)
            pressed, heard = measure(lambda call=call: call(None), LIMIT_SECONDS)
            row = {
                "data": f"{name} {X.shape[0]:,} × {X.shape[1]:,}",
                "call": call_name,
                "past limit s": max(0.0, late - LIMIT_SECONDS),
                "outcome": outcome,
                "past Ctrl-C s": max(0.0, pressed - LIMIT_SECONDS),
                "outcome then": heard,
            }
            worst = max(row["past limit s"], row["past Ctrl-C s"])
            row["kept"] = "yes" if worst <= ALLOWED_SECONDS else "NO"
            table.rows.append(row)
            print(*row.values(), sep="\t", flush=True)
    return [table]
