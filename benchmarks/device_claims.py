"""Claims of fits on a GPU, to keep: `python -m benchmarks.device_claims FOLDER [--device cuda]`
writes one file for each, which any later version must verify from the data, with NumPy alone.

The data is made of whole numbers from a generator that NumPy keeps as it is, so that it is the same
to the last bit everywhere, and is not stored.
"""

from __future__ import annotations

import argparse
import json
import lzma
from pathlib import Path

import numpy as np

ROWS, COLUMNS = 20_000, 6


def data(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of a grid, labelled by a ball around its middle, a few of them otherwise."""
    random = np.random.RandomState(seed)
    X = random.randint(0, 11, (ROWS, COLUMNS)).astype(np.float64)
    inside = ((X - 5) ** 2).sum(axis=1) + random.randint(-2, 3, ROWS) <= 60
    return X, np.where(inside, "in", "out")


def machines() -> dict:
    """The machine of each file, and the seed of its data."""
    from certo import SVM
    from certo.kernels import Gaussian, Polynomial

    return {
        "gaussian-none": (SVM(Gaussian(50.0), C=10.0, intercept="none", tol=1e-3), 0),
        "gaussian-free": (SVM(Gaussian(50.0), C=10.0, tol=1e-4), 1),
        "gaussian-weights": (SVM(Gaussian(20.0), class_weight={"in": 2.0}, tol=1e-3), 2),
        "polynomial-lifted": (SVM(Polynomial(2, scale=0.01), intercept="lifted", tol=1e-3), 3),
    }


def read(path: Path) -> tuple[dict, str]:
    """The claims of a file, and the device that they were made on."""
    content = json.loads(lzma.decompress(path.read_bytes()))
    return content["certificate"], content["device"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, (machine, seed) in machines().items():
        X, y = data(seed)
        model = machine.set_params(device=options.device).fit(X, y)
        content = {"device": model.device_, "certificate": model.certificate_.to_dict()}
        path = options.folder / f"{name}.json.xz"
        path.write_bytes(lzma.compress(json.dumps(content).encode(), preset=9))
        kilobytes = path.stat().st_size / 1024
        print(f"{path}: {kilobytes:.0f} KB, {model.support_.size:,} supports. {model.status_}")


if __name__ == "__main__":
    main()
