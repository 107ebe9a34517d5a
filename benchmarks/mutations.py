"""Certificates, models and data corrupted by the hundred thousand: what is accepted must be true.

The truth is told by `tests/oracles/truths`, in rational arithmetic or to many digits, without
the package. The corruptions of numbers, words and data are those of `tests/oracles/campaign`;
those of containers, dtypes, sizes and of what a claim assumes are those of `families` beside it.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import numpy as np

from benchmarks.harness import BenchTable

ROUNDS = 240  # attacks by each corruption on each kind of certificate
SCENARIOS = {
    "beyond_float64": 200,
    "copies": 1000,
    "overlap": 1000,
    "order": 1000,
    "vacuous": 600,
    "honest": 600,
}
BAD = ("FALSE", "LOST")


def run(quick: bool = False) -> list[BenchTable]:
    from tests.oracles import campaign

    divisor = 60 if quick else 1
    jobs = [("numbers", kind, max(2, ROUNDS // divisor)) for kind in campaign.SOURCES]
    jobs += [("containers", kind, max(2, ROUNDS // divisor)) for kind in campaign.SOURCES]
    jobs += [("larger", kind, max(2, ROUNDS // divisor)) for kind in campaign.SOURCES]
    parts = max(1, 20 // divisor)
    jobs += [
        (name, part, max(2, rounds // (parts * divisor)))
        for name, rounds in SCENARIOS.items()
        for part in range(parts)
    ]
    results: dict[tuple, dict[str, Counter]] = {}
    with ProcessPoolExecutor(os.cpu_count(), get_context("spawn"), _prepare) as pool:
        waiting = {pool.submit(_attack, job): job for job in jobs}
        for done in as_completed(waiting):
            (family, subject, _), (found, seconds) = waiting[done], done.result()
            results[waiting[done]] = found
            count = sum(counts.total() for counts in found.values())
            print(
                f"{len(results)} of {len(jobs)} jobs: {family} {subject}, {count:,} attacks in "
                f"{seconds:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    kinds = BenchTable(
        "corrupted certificates",
        "for each kind of certificate and corruption: rejected + accepted and still true. Numbers "
        "changed by the last bit, by 1e-9, a lot, and up to the edge of what is accepted; words, "
        "lists and labels; parts and data of another one; entries, rows and columns of X; y.",
    )
    families = BenchTable(
        "other families of attacks",
        "containers: the same numbers stored in another way; larger: tables of up to 6,000 rows; "
        "beyond_float64: integers that float64 cannot hold; copies, overlap, order: tosses of a "
        "coin whose rows break an assumption; vacuous: bounds of 1 beside forged facts; honest: "
        "independent draws. FALSE: a false claim was accepted. LOST: a true claim was rejected.",
    )
    total: Counter = Counter()
    summed: dict[str, Counter] = {}
    for job in jobs:
        (family, subject, _), found = job, results[job]
        if family == "numbers":
            cells = {name: _cell(counts) for name, counts in found.items()}
            kinds.rows.append({"data": subject, **cells})
        for counts in found.values():
            total += counts
            summed.setdefault(family, Counter()).update(counts)
    for family, counts in summed.items():
        names = ("rejected", "true", *BAD)
        families.rows.append({"data": family, **{name: counts[name] for name in names}})
    tried, bad = total.total(), sum(total[name] for name in BAD)
    kinds.title += f": {tried:,} attacks with the other families, {total['FALSE']} false accepted"
    kinds.title += f", {total['LOST']} true rejected"
    if bad:
        raise SystemExit(f"of {tried:,} attacks {bad} ended in a wrong verdict (printed above).")
    return [kinds, families]


def _prepare() -> None:
    """Each worker has one core for itself."""
    from threadpoolctl import threadpool_limits

    threadpool_limits(1)


def _attack(job: tuple[str, str | int, int]) -> tuple[dict[str, Counter], float]:
    """What became of the attacks of a job, and how many seconds they took."""
    start = time.perf_counter()
    found = _attacked(*job)
    return found, time.perf_counter() - start


def _attacked(family: str, subject: str | int, rounds: int) -> dict[str, Counter]:
    from tests.oracles import campaign, families

    random = np.random.default_rng([2026, *map(ord, f"{family}{subject}")])
    found: dict[str, Counter] = {}
    if family == "numbers":
        for corruption in campaign.CORRUPTIONS:
            found[corruption] = Counter()
            for _ in range(rounds):
                outcome = campaign.judged(subject, corruption, random, 12)
                if outcome is not None:
                    _count(found[corruption], outcome.verdict, f"{subject} {corruption}", outcome)
        return found
    found[family] = Counter()
    attack = getattr(families, family)
    for _ in range(rounds):
        made = attack(subject, random) if isinstance(subject, str) else attack(random)
        for one in [] if made is None else [made] if isinstance(made, tuple) else made:
            _count(found[family], one.verdict, one.what, one)
    return found


def _count(counts: Counter, verdict: str, what: str, outcome) -> None:
    counts[verdict] += 1
    if verdict in BAD:
        X, y = np.asarray(outcome.case.X, dtype=object), outcome.case.y
        y = None if y is None else np.asarray(y).tolist()
        shown = json.dumps({"data": outcome.case.data, "X": X.tolist(), "y": y}, default=str)
        print(f"{verdict}: {what}\n{shown[:5000]}", file=sys.stderr)


def _cell(counts: Counter) -> str:
    bad = "".join(f" {counts[name]} {name}" for name in BAD if counts[name])
    return f"{counts['rejected']}+{counts['true']}{bad}"
