"""`make bench` runs every problem; `make bench ARGS="perceptron --quick"` one, on small data.

The results are kept in benchmarks/results, and docs/benchmarks.md is made of them. The word docs,
instead of a problem, makes that page anew without a run."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys

import benchmarks

HELPERS = {"before", "harness", "page", "rivals", "datasets", "__main__"}
HELPERS |= {
    "file_rivals",
    "scale",
    "gpu",
    "pack_gpu",
    "device_claims",
    "same_answers",
}  # Commands of their own.
ONLY_PAGE = "docs"


def problems() -> list[str]:
    names = (module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    return [name for name in names if name not in HELPERS]


def main() -> None:
    if sys.argv[1:2] == ["gpu"]:  # A machine with a GPU may have little else.
        from benchmarks import gpu

        gpu.main(sys.argv[2:])
        return
    if sys.argv[1:2] == ["scale"]:  # It takes a size, and as much room on the disk.
        from benchmarks import scale

        scale.main(sys.argv[2:])
        return
    from benchmarks import page
    from benchmarks.harness import load_of_machine, report

    parser = argparse.ArgumentParser(prog="benchmarks", description=__doc__)
    parser.add_argument("problem", nargs="*", help=f"which of {problems()}; all by default")
    parser.add_argument("--quick", action="store_true", help="small sizes, few repetitions")
    options = parser.parse_args()
    unknown = set(options.problem) - {*problems(), ONLY_PAGE}
    if unknown:
        there = ", ".join([*problems(), ONLY_PAGE])
        parser.error(f"there is no problem {sorted(unknown)[0]!r}; there is {there}.")
    for name in options.problem or problems():
        if name != ONLY_PAGE:
            load = load_of_machine()
            tables = importlib.import_module(f"benchmarks.{name}").run(quick=options.quick)
            report(name, tables, options.quick, load)
    print(f"{page.write()} is made of the results that there are.")


if __name__ == "__main__":
    main()
