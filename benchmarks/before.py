"""Fits, pages and checks beside those of another revision: `python -m benchmarks.before REV`.

Both revisions run in processes of their own, in turn. A task is repeated until it has taken half a
second, and the best of all its runs counts. It needs a git checkout.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent


def tasks() -> Iterator[tuple[str, Callable[[], object]]]:
    """One fit, prediction, page and check of each machine, on a small and on a large table."""
    from sklearn.datasets import load_breast_cancer, load_iris
    from sklearn.preprocessing import scale

    import certo
    from certo.kernels import Gaussian

    random = np.random.default_rng(0)
    large = random.standard_normal((200_000, 50))
    signs = np.where(large[:, :5].sum(axis=1) + random.standard_normal(200_000) > 0, 1, -1)
    iris = load_iris()
    cancer = load_breast_cancer()
    tables = {
        "iris": (iris.data, iris.target),
        "cancer": (scale(cancer.data), cancer.target),
        "2,000 × 10": (large[:2000, :10].copy(), signs[:2000]),
        "200,000 × 50": (large, signs),
    }
    machines = {
        "Perceptron": certo.Perceptron(epochs=5),
        "SVM": certo.SVM(C=1.0),
        "SVM Gaussian": certo.SVM(Gaussian(20.0), C=1.0),
        "KernelPerceptron": certo.KernelPerceptron(Gaussian(20.0), epochs=2),
        "Pegasos": certo.Pegasos(lam=1e-3, random_state=0),
        "OnlineGradientDescent": certo.OnlineGradientDescent(loss=certo.losses.Hinge(), lam=1e-2),
        "LeastSquares": certo.LeastSquares(),
        "LogisticRegression": certo.LogisticRegression(),
        "LogisticRegression ridge": certo.LogisticRegression(ridge=1e-3),
        "GaussianDensity": certo.GaussianDensity(),
    }
    for table, (X, y) in tables.items():
        for name, machine in machines.items():
            if len(X) > 20_000 and ("Gaussian" in name[4:] or name.startswith("Kernel")):
                continue
            target = y.astype(float) if name == "LeastSquares" else y
            model = machine.fit(X, target)
            yield f"{table}: fit {name}", lambda: machine.fit(X, target)  # noqa: B023
            verify = model.certificate_.verify
            yield f"{table}: check {name}", lambda: verify(X, target)  # noqa: B023
            if name != "GaussianDensity":
                yield f"{table}: predict {name}", lambda: model.predict(X)  # noqa: B023
            if len(X) <= 2000:
                page = certo.certify(model, X, target)
                yield f"{table}: certify {name}", lambda: certo.certify(model, X, target)  # noqa: B023
                yield f"{table}: check page {name}", lambda: page.verify(X, target)  # noqa: B023
        yield f"{table}: separability", lambda: certo.separability(X, y)  # noqa: B023


def measure() -> dict[str, float]:
    found = {}
    for name, call in tasks():
        best, spent = np.inf, 0.0
        while spent < 0.5:
            start = time.perf_counter()
            call()
            took = time.perf_counter() - start
            best, spent = min(best, took), spent + took
        found[name] = best
    return found


def _measured(source: Path) -> dict[str, float]:
    environment = os.environ | {"PYTHONPATH": str(source)}
    command = [sys.executable, "-W", "ignore", __file__, "--measure"]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.before", description=__doc__)
    parser.add_argument("revision", nargs="?", default="HEAD~1")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each side")
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        warnings.simplefilter("ignore")
        print(json.dumps(measure()))
        return
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", other, options.revision], check=True)
        try:
            sides: dict[Path, dict[str, float]] = {other / "src": {}, ROOT / "src": {}}
            for _ in range(options.rounds):
                for source, best in sides.items():
                    for name, took in _measured(source).items():
                        best[name] = min(took, best.get(name, np.inf))
        finally:
            subprocess.run([*git, "remove", "--force", other], check=True)
    before, now = sides.values()
    rows = [(now[name] / before[name], name) for name in now if name in before]
    print(f"time now / time at {options.revision}, and milliseconds now")
    for ratio, name in sorted(rows, reverse=True):
        print(f"{ratio:7.2f}  {1e3 * now[name]:10.2f}  {name}")


if __name__ == "__main__":
    main()
