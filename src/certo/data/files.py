"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from certo.data.problem import Problem


def write_whole(path: str | Path, data: bytes) -> None:
    """Write beside the target, then rename: a crash leaves the old file, or the new one."""
    path = Path(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent or ".")
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except OSError as wrong:
        raise Problem(f"{path} cannot be written: {wrong.strerror or wrong}.") from wrong
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def check_writable(path: str | Path) -> None:
    """Refuse, before any work is done, a place where nothing can be written."""
    path = Path(path)
    folder = path.parent
    if path.is_dir():
        raise Problem(f"{path} is a folder; the name of a file to write is needed.")
    if not folder.is_dir():
        raise Problem(f"{path} cannot be written: there is no folder {folder}.")
    if not os.access(folder, os.W_OK):
        raise Problem(f"{path} cannot be written: the folder {folder} is not writable.")
