"""The same answers under the arithmetic of several processors.

    python -m tests.portable             all variants: certificates and verdicts of each are checked
                                         under all others, then the numerical tests under each
    python -m tests.portable --quick     certificates and verdicts under all; tests under two

A variant is a choice of the kernels that OpenBLAS, NumPy and Numba use, and of threads, by the
environment of a process. One that this processor, or this build, does not have is left out, and a
line says so.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

TESTS = Path(__file__).resolve().parent
SOURCE = TESTS.parent / "src"

#: what a kind of processor must have, by NumPy's names
NEEDS = {
    "Sandybridge": ("AVX",),
    "Haswell": ("AVX2", "FMA3"),
    "Zen": ("AVX2", "FMA3"),
    "SkylakeX": ("AVX512F", "AVX512CD", "AVX512BW", "AVX512DQ", "AVX512VL"),
}
NUMERICAL = (
    "solvers", "estimators", "certificates", "kernels", "compiled", "guarantees", "losses",
    "features", "geometry", "issue", "numbers", "problems", "test_rkhs.py", "test_bounds.py",
    "test_rates.py", "test_seen_rows.py",
)  # fmt: skip
QUICK = {  # variants that are furthest from each other, and the tests that fit ten minutes
    "baseline": ("solvers", "estimators", "kernels", "compiled", "guarantees"),
    "Haswell, 2 threads": ("solvers",),
}
CASES_OF_A_KIND = 4


class Variant(NamedTuple):
    name: str
    settings: dict[str, str]
    missing: str = ""  # why it cannot be run here

    @property
    def environment(self) -> dict[str, str]:
        path = os.pathsep.join([str(SOURCE), os.environ.get("PYTHONPATH", "")])
        return {**os.environ, "PYTHONPATH": path, **self.settings}


def blas_variant(core: str, threads: int) -> Variant:
    """The kernels of OpenBLAS for this kind of processor."""
    from numpy._core._multiarray_umath import __cpu_features__

    lacks = [name for name in NEEDS[core] if not __cpu_features__.get(name)]
    settings = {"OPENBLAS_CORETYPE": core, "OPENBLAS_NUM_THREADS": str(threads)}
    missing = f"this processor has no {', '.join(lacks)}" if lacks else _not_obeyed(settings)
    return Variant(f"{core}, {threads} thread{'s' * (threads > 1)}", settings, missing)


def variants() -> list[Variant]:
    """All of them, with what is missing here."""
    found = [blas_variant(core, threads) for core, threads in itertools.product(NEEDS, (1, 2))]
    settings = {
        **without_optional_instructions(),
        "NUMBA_CPU_NAME": "generic",
        "NUMBA_CPU_FEATURES": "",  # those of this processor would be kept
        "OPENBLAS_NUM_THREADS": "1",
    }
    if not found[0].missing:
        settings["OPENBLAS_CORETYPE"] = "Sandybridge"
    return [*found, Variant("baseline", settings)]


def without_optional_instructions() -> dict[str, str]:
    """What makes NumPy use none; it refuses to switch off those that are not there."""
    from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__

    there = [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]
    return {"NPY_DISABLE_CPU_FEATURES": " ".join(there)}


def _not_obeyed(settings: dict[str, str]) -> str:
    """Why OpenBLAS does not do as it is told; nothing, if it does."""
    ask = "import numpy, threadpoolctl as t; print([i.get('architecture') for i in t"
    said = subprocess.run(
        [sys.executable, "-c", f"{ask}.threadpool_info()])"],
        env={**os.environ, **settings}, capture_output=True, text=True,
    )  # fmt: skip
    core, used = settings["OPENBLAS_CORETYPE"], said.stdout.strip()
    return "" if repr(core) in used else f"NumPy's BLAS takes the kernels {used} in its place"


# --- what is issued, and what is said ---------------------------------------------------------


def issued(kinds, count: int) -> list[dict[str, Any]]:
    """Certificates with their data, as JSON holds them exactly."""
    from tests.oracles.campaign import cases

    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for kind in kinds:
            for data, X, y in cases(kind, count):
                y = None if y is None else y.tolist()
                found.append({"kind": kind, "data": data, "X": X.tolist(), "y": y})
    return found


def rejected(found: list[dict[str, Any]]) -> list[str]:
    """The claims that do not verify, and why."""
    import numpy as np

    from tests.oracles.campaign import reread

    wrong = []
    for place, case in enumerate(found):
        X, y = np.array(case["X"]), case["y"]
        claim = reread(case["data"])
        check = claim.verify(X) if y is None else claim.verify(X, np.array(y))
        if not check:
            wrong.append(f"{case['kind']} ({place}): {check}")
    return wrong


def verdicts() -> dict[str, Any]:
    """What must not depend on the arithmetic: what is predicted, whether a fit converged, and what
    is said about separation and existence, on a dozen small tables."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer, load_iris, load_wine

    import certo
    from certo.kernels import Gaussian, Polynomial

    random = np.random.default_rng(7)
    plane = random.standard_normal((60, 3))
    tables = {
        "iris": (load_iris().data, load_iris().target),
        "wine": (load_wine().data, load_wine().target),
        "cancer": (load_breast_cancer().data[:200], load_breast_cancer().target[:200]),
        "apart": (plane, (plane[:, 0] > 0).astype(int)),
        "mixed": (plane, (plane[:, 0] + random.standard_normal(60) > 0).astype(int)),
        "xor": (plane, (plane[:, 0] * plane[:, 1] > 0).astype(int)),
        "grid": (np.indices((6, 6)).reshape(2, -1).T.astype(float), np.arange(36) % 2),
        "repeated": (np.repeat(plane[:20], 3, axis=0), np.arange(60) // 3 % 2),
        "contradictory": (np.repeat(plane[:20], 2, axis=0), np.arange(40) % 2),
        "collinear": (np.c_[plane, plane @ [1.0, 2.0, -1.0]], (plane[:, 1] > 0.1).astype(int)),
        "tied": (np.sign(plane), (plane[:, 0] > 0).astype(int)),
        "scales": (plane * [1e-6, 1.0, 1e6], (plane[:, 0] + plane[:, 1] > 0).astype(int)),
    }
    said: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (X, y) in tables.items():
            notes = said[name] = {"separability": type(certo.separability(X, y)).__name__}
            machines = {
                "svm": certo.SVM(random_state=0),
                "gaussian svm": certo.SVM(Gaussian(4.0)),
                "perceptron": certo.Perceptron(epochs=20),
                "kernel perceptron": certo.KernelPerceptron(Polynomial(2), epochs=5),
                "logistic": certo.LogisticRegression(),
            }
            for called, machine in machines.items():
                if called.startswith("kernel") and name in ("cancer", "wine", "scales"):
                    continue  # values of 1e10: mistakes on the way are decided by rounding
                machine.fit(X, y)
                notes[called] = {
                    "converged": bool(getattr(machine, "converged_", True)),
                    "estimate exists": getattr(machine, "estimate_exists_", None),
                    "claims": sorted(type(c).__name__ for c in machine.certificate_),
                }
                if notes[called]["converged"] and called != "logistic":
                    notes[called]["training errors"] = int(np.sum(machine.predict(X) != y))
            try:
                hard = certo.HardMarginSVM().fit(X, y)
                notes["hard margin"] = bool(hard.converged_)
            except certo.NotSeparable:
                notes["hard margin"] = "not separable"
    return said


def differences(one: Any, other: Any, path: str = "") -> list[str]:
    if isinstance(one, dict) and isinstance(other, dict) and set(one) == set(other):
        return [d for key in one for d in differences(one[key], other[key], f"{path}/{key}")]
    return [] if one == other else [f"{path}: {one!r} and {other!r}"]


# --- every variant against every other ---------------------------------------------------------


def _in(variant: Variant, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tests.portable", *arguments]
    return subprocess.run(
        command, env=variant.environment, cwd=TESTS.parent, capture_output=True, text=True
    )


def cross_checked(there: list[Variant], count: int) -> list[str]:
    """Issue under each variant, check under every other. What failed, in words."""
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        failed = []
        for k, variant in enumerate(there):
            files[variant.name] = str(Path(folder, f"{k}.json"))
            made = _in(variant, "--issue", files[variant.name], "--count", str(count))
            if made.returncode:
                failed.append(f"{variant.name} issues nothing: {made.stderr[-2000:]}")
                del files[variant.name]
        for variant in there:
            others = [file for name, file in files.items() if name != variant.name]
            seen = _in(variant, "--check", *others)
            print(f"{variant.name}: {seen.stdout.strip().splitlines()[-1:]}", flush=True)
            if seen.returncode:
                names = {file: name for name, file in files.items()}
                text = seen.stdout + seen.stderr[-2000:]
                for file, name in names.items():
                    text = text.replace(file, name)
                failed.append(f"under {variant.name}: {text}")
    return failed


def issue_to(file: Path, kinds, count: int, said: dict[str, Any]) -> None:
    from tests.oracles.campaign import SOURCES

    cases = issued(kinds or sorted(SOURCES), count)
    file.write_text(json.dumps({"cases": cases, "verdicts": said}))


def _check(files: list[Path], said: dict[str, Any]) -> int:
    wrong, count = [], 0
    for file in files:
        given = json.loads(file.read_text())
        count += len(given["cases"])
        found = rejected(given["cases"])
        found += differences(json.loads(json.dumps(said)), given["verdicts"])
        wrong += [f"from {file}: {line}" for line in found]
    print("\n".join([*wrong, f"{count} claims of others: {len(wrong)} differ or do not verify"]))
    return bool(wrong)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--count", type=int, default=CASES_OF_A_KIND, help="certificates of a kind")
    inner = parser.add_argument_group("what the processes of the variants are asked to do")
    inner.add_argument("--issue", type=Path, help="certificates and verdicts, to this file")
    inner.add_argument("--check", nargs="+", type=Path, help="those of other variants")
    inner.add_argument("--kinds", nargs="*", help="of these kinds, and no verdicts")
    options = parser.parse_args()
    if options.issue or options.check:
        said = {} if options.kinds else verdicts()
        if options.issue:
            issue_to(options.issue, options.kinds, options.count, said)
        return _check(options.check or [], said)
    there = []
    for variant in variants():
        if variant.missing:
            print(f"{variant.name}: left out, since {variant.missing}.", flush=True)
        else:
            there.append(variant)
    failed = cross_checked(there, 1 if options.quick else options.count)
    for variant in there:
        parts = NUMERICAL if not options.quick else QUICK.get(variant.name, ())
        if not parts:
            continue
        print(f"{variant.name}: the numerical tests", flush=True)
        command = [sys.executable, "-m", "pytest", "-q", *(str(TESTS / part) for part in parts)]
        if subprocess.run(command, env=variant.environment, cwd=TESTS.parent).returncode:
            failed.append(f"under {variant.name} tests fail.")
    print("\n".join(failed) or "All variants agree.")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
