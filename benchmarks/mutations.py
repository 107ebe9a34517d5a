"""Certificates, models and data corrupted by the thousand: what is accepted must be true.

The truth is told by `tests/certificates/truths`, in rational arithmetic or to many digits, without
the package; the corruptions are those of `tests/certificates/campaign`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from benchmarks.harness import BenchTable

TESTS = Path(__file__).parent.parent / "tests"


def run(quick: bool = False) -> list[BenchTable]:
    sys.path[:0] = [str(TESTS / folder) for folder in ("certificates", "solvers")]
    import campaign

    table = BenchTable(
        "corrupted certificates",
        "for each kind of certificate and corruption: rejected + accepted and still true. Numbers "
        "changed by the last bit, by 1e-9, a lot, and up to the edge of what is accepted; words, "
        "lists and labels; parts and data of another one; entries, rows and columns of X; y.",
    )
    each, false, tried = 2 if quick else 30, 0, 0
    for kind in campaign.SOURCES:
        random = np.random.default_rng([2026, *map(ord, kind)])
        row: dict = {"data": kind}
        for corruption in campaign.CORRUPTIONS:
            found: Counter = Counter()
            for _ in range(each):
                outcome = campaign.judged(kind, corruption, random, 4 if quick else 12)
                if outcome is not None:
                    found[outcome.verdict] += 1
                    if outcome.verdict == "FALSE":
                        _show(kind, corruption, outcome.case)
            row[corruption] = f"{found['rejected']}+{found['true']}" + (
                f" {found['FALSE']} FALSE" if found["FALSE"] else ""
            )
            false, tried = false + found["FALSE"], tried + found.total()
        row["FALSE"] = sum("FALSE" in str(cell) for cell in row.values())
        table.rows.append(row)
    table.title += f": {tried:,} of {len(campaign.SOURCES)} kinds, {false} false ones accepted"
    if false:
        raise SystemExit(f"{false} of {tried:,} corrupted certificates are false, and accepted.")
    return [table]


def _show(kind: str, corruption: str, case) -> None:
    y = None if case.y is None else np.asarray(case.y).tolist()
    print(f"FALSE and accepted: {kind} after '{corruption}'", file=sys.stderr)
    print(json.dumps({"data": case.data, "X": case.X.tolist(), "y": y}), file=sys.stderr)
