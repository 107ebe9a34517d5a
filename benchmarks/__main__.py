"""`make bench` runs every problem; `make bench ARGS="perceptron --quick"` one, on small data."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from pathlib import Path

import benchmarks
from benchmarks.harness import report

HELPERS = {"before", "harness", "rivals", "datasets", "__main__"}


def main() -> None:
    problems = [
        module.name for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name not in HELPERS
    ]  # fmt: skip
    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("problem", nargs="*", help=f"which of {problems}; all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    options = parser.parse_args()
    unknown = set(options.problem) - set(problems)
    if unknown:
        parser.error(f"there is no problem {sorted(unknown)[0]!r}; there is {', '.join(problems)}.")
    for name in options.problem or problems:
        tables = importlib.import_module(f"benchmarks.{name}").run(quick=options.quick)
        report(name, tables, Path(__file__).parent / "results")


if __name__ == "__main__":
    main()
