"""Where the examples find their data."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import _generated
import numpy as np

HERE = Path(__file__).parent
BESIDE = HERE.parents[1] / "shared" / "data"
GENERATED = HERE.parent / "demo" / "generated"


def options(
    doc: str, name: str, examples: int | None = None, folds: int = 10
) -> argparse.ArgumentParser:
    """What every example can be told: where the data are, how many to take, where to draw."""
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the data (else CERTO_DATA)")
    parser.add_argument("--examples", type=int, default=examples, help="at most so many")
    parser.add_argument("--folds", type=int, default=folds, help="of the cross-validation")
    parser.add_argument(
        "--picture", type=Path, default=HERE.parent / "demo" / f"{name}.png", help="where to draw"
    )
    return parser


def found(data: Path | None, name: str, where: str) -> Path:
    """The file or folder of this name in the folder given, or in that which the environment
    variable CERTO_DATA names; if it is not there, the program ends and says what to put where.
    Where neither is given, that in shared/data beside the project, or else one that is generated.
    """
    folder = data or os.environ.get("CERTO_DATA")
    if folder is None and not (BESIDE / name).exists():
        path = _generated.write(name, GENERATED)
        print(f"The real data are not here, so examples of their form were generated: {path}.")
        print(f"{where} Then give the folder above it by --data FOLDER.\n")
        return path
    folder = Path(folder or BESIDE)
    if not (folder / name).exists():
        sys.exit(
            f"{folder / name} is not there. {where}\n"
            "Give the folder by --data FOLDER or the environment variable CERTO_DATA."
        )
    return folder / name


def some(most: int | None, *columns):
    """At most so many of the examples, drawn at random but always the same, in their order; each
    column, as the objects and their labels, is an array or a list."""
    m = len(columns[0])
    rows = np.sort(np.random.default_rng(0).permutation(m)[:most])
    return tuple(
        column[rows] if isinstance(column, np.ndarray) else [column[i] for i in rows]
        for column in columns
    )
