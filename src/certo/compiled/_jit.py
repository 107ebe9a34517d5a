"""`jit`: Numba's nopython mode with an on-disk cache that is never stale.

Numba decides whether a cached loop is still good by looking at the one file in which
that loop is written. A loop here is made of pieces from several files, so an edit to one
piece would leave old machine code in use. The remedy: the *place* of the cache carries a
digest of every file of this package. Any edit, or any upgrade, moves to a new place.

The first of these places that can be written is used: NUMBA_CACHE_DIR if the user set it,
the package's own ``__pycache__``, the user's cache folder. Where none can be written the
loops are compiled anew in each process, and nothing fails.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import config

_HERE = Path(__file__).parent


def digest() -> str:
    """Sixteen hex digits that change whenever any file of this package does."""
    seen = hashlib.sha256()
    for file in sorted(_HERE.glob("*.py")):
        seen.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return seen.hexdigest()[:16]


def _user_cache() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def _candidates() -> list[Path]:
    places = [Path(config.CACHE_DIR)] if config.CACHE_DIR else [_HERE / "__pycache__"]
    try:
        return [*places, _user_cache() / "certo"]
    except RuntimeError:  # There is no home folder at all.
        return places


def cache_folder() -> Path | None:
    """The folder for this version's machine code, or None where nothing can be written."""
    name = f"numba-{digest()}"
    for place in _candidates():
        folder = place / name
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=folder).close()
        except OSError:
            continue
        if place == _HERE / "__pycache__":  # One installation has one live digest.
            for old in place.glob("numba-*"):
                if old != folder:
                    shutil.rmtree(old, ignore_errors=True)
        return folder
    return None


_FOLDER = cache_folder()


def jit(function: Callable[..., Any], freedom: Any = False) -> Any:
    """Compile on first call, without the GIL; keep the machine code where it can be kept.

    `freedom` names what the compiler may do to sums and products, as LLVM calls it.
    """
    if _FOLDER is None:
        return numba.njit(nogil=True, fastmath=freedom)(function)
    before = config.CACHE_DIR
    config.CACHE_DIR = str(_FOLDER)  # It is read once, while the function is decorated.
    try:
        return numba.njit(nogil=True, cache=True, fastmath=freedom)(function)
    finally:
        config.CACHE_DIR = before


def loose(function: Callable[..., Any]) -> Any:
    """The same, where sums may be added in any order, and multiply-adds rounded once."""
    return jit(function, {"contract", "reassoc", "nsz"})


def loosest(function: Callable[..., Any]) -> Any:
    """The same, and no number is NaN or infinite: a maximum becomes a vector instruction."""
    return jit(function, True)
