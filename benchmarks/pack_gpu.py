"""`python -m benchmarks.pack_gpu` fills the folder carry/ with what `python -m benchmarks gpu`
needs on a machine that has Python 3.12, NumPy and PyTorch, but no package index: a part at a time,
for where only so much can be sent at once.

carry/1     Numba
carry/2     SciPy and scikit-learn, cut to what Certo imports; the data; and modules that stand for
            solvers of linear programs and exact matrices, which no machine with a kernel needs

There, each part is unpacked by `python3 benchmarks/pack_gpu.py --unpack FOLDER`, which needs Python
alone; then `PYTHONPATH=src:FOLDER CERTO_DATA=FOLDER/data python3 -m benchmarks gpu`.
"""

from __future__ import annotations

import argparse
import io
import json
import lzma
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
CARRY = ROOT / "carry"
PYTHON = "3.12"
TAGS = "manylinux_2_28_x86_64", "manylinux_2_27_x86_64", "manylinux2014_x86_64"
PARTS = {
    "1": ("numba", "llvmlite"),
    "2": ("scipy", "scikit-learn", "joblib", "cloudpickle", "threadpoolctl", "narwhals", "rich",
          "markdown-it-py", "mdurl", "pygments"),
}  # fmt: skip
DATA = {  # Files below CERTO_DATA.
    "covtype": ("covtype.npz",),
    "mnist": ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"),
}
CUT = "scipy", "sklearn"  # Of these only the compiled modules that are imported.
LEFT_OUT = "/tests/", "/cuda/", "/datasets/data/", "/include/", "/datasets/images/"
STAND_INS = {
    "flint.py": "fmpq_mat = fmpz_mat = fmpq = fmpz = None\n",
    "highspy.py": "",
}
FILTERS = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6}]
TRIED = """
import sys, warnings
import numpy as np
from certo import SVM, compare_kernels
from certo.features import Nystroem, RandomFeatures
from certo.kernels import Gaussian, Polynomial
import benchmarks.harness
X = np.random.default_rng(0).normal(size=(3000, 5))
y = np.where((X**2).sum(1) > 4, 1, -1)
warnings.simplefilter("ignore")
for kernel in Gaussian(1.0), Polynomial(2), None:
    for intercept in "free", "none":
        model = SVM(kernel, C=3, intercept=intercept).fit(X, y)
        assert model.certificate_.verify(X, y)
        model.predict(X)
compare_kernels(X[:200], y[:200], [Gaussian(1.0), Polynomial(2)])
Nystroem(Gaussian(1.0)).fit_transform(X)
RandomFeatures(1.0).fit_transform(X)
import json
print(json.dumps(sorted(sys.modules)))
"""


def fill(parts: list[str]) -> None:
    imported = set(json.loads(_output(sys.executable, "-c", TRIED).splitlines()[-1]))
    for part in parts:
        (CARRY / part).mkdir(parents=True, exist_ok=True)
        target = CARRY / part / "packages.tar.xz"
        with tempfile.TemporaryDirectory() as folder:
            _download(PARTS[part], folder)
            with (
                lzma.open(target, "wb", format=lzma.FORMAT_XZ, filters=FILTERS) as compressed,
                tarfile.open(fileobj=compressed, mode="w|") as archive,
            ):
                for wheel in sorted(Path(folder).glob("*.whl")):
                    _add_wheel(archive, wheel, imported)
                if part == "2":
                    for name, text in STAND_INS.items():
                        _add(archive, name, text.encode())
                    _add_data(archive)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 2**20:.1f} MiB", flush=True)


def _download(packages: tuple[str, ...], folder: str) -> None:
    from importlib.metadata import version

    asked = [f"{name}=={version(name)}" for name in packages]
    tags = [word for tag in TAGS for word in ("--platform", tag)]
    _output(
        sys.executable, "-m", "pip", "download", "-q", "-d", folder, "--no-deps", *tags,
        "--python-version", PYTHON, "--only-binary=:all:", *asked,
    )  # fmt: skip


def _add_wheel(archive: tarfile.TarFile, wheel: Path, imported: set[str]) -> None:
    with zipfile.ZipFile(wheel) as files:
        for name in files.namelist():
            if name.endswith("/") or name.endswith((".pyi", ".a", ".pyx", ".pxd", ".h")):
                continue
            if any(part in f"/{name}" for part in LEFT_OUT) or ".data/" in name:
                continue
            first, module = name.split("/")[0], name.split(".")[0].replace("/", ".")
            cut = first in CUT and ".so" in name and "/" in name
            if cut and module not in imported:
                continue
            data = files.read(name)
            _add(archive, name, _stripped(data) if "libllvmlite" in name else data)


def _stripped(library: bytes) -> bytes:
    """Without its symbols."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "library.so"
        file.write_bytes(library)
        _output("strip", "--strip-unneeded", str(file))
        return file.read_bytes()


def _add_data(archive: tarfile.TarFile) -> None:
    import gzip

    import numpy as np

    from benchmarks.datasets import folder as folder_of_data

    source = folder_of_data()
    if source is None:
        raise SystemExit("CERTO_DATA does not name a folder with data.")
    for folder, names in DATA.items():
        for name in names:
            data = (source / folder / name).read_bytes()
            if name.endswith(".gz"):  # Compressed once is smaller than twice.
                name, data = name.removesuffix(".gz"), gzip.decompress(data)
            if name.endswith(".npz"):
                packed = io.BytesIO()
                with np.load(source / folder / name) as arrays:
                    np.savez(packed, **{key: np.asfortranarray(arrays[key]) for key in arrays})
                data = packed.getvalue()
            _add(archive, f"data/{folder}/{name}", data)


def _add(archive: tarfile.TarFile, name: str, data: bytes) -> None:
    item = tarfile.TarInfo(name)
    item.size = len(data)
    archive.addfile(item, io.BytesIO(data))


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def unpack(folder: Path) -> None:
    """All parts that are here."""
    for part in sorted(CARRY.glob("*/packages.tar.xz")):
        with tarfile.open(part) as archive:
            archive.extractall(folder, filter="data")
        print(f"{part.relative_to(ROOT)} is unpacked to {folder}.")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unpack", metavar="FOLDER", type=Path, help="unpack what is in carry/")
    parser.add_argument("part", nargs="*", choices=[[], *PARTS], help="which; both by default")
    options = parser.parse_args()
    if options.unpack:
        unpack(options.unpack)
    else:
        fill(options.part or list(PARTS))
