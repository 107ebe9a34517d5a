"""Files written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from certo.data.problem import Problem


def write_whole(path: str | Path, data: bytes) -> None:
    """Write beside the target, then rename: a crash leaves the old file, or the new one."""
    path = _final(path)
    temporary = None
    try:
        handle, temporary = tempfile.mkstemp(prefix=".certo-", dir=path.parent)
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


def check_writable(path: str | Path, *, keep: Sequence[Path] = ()) -> None:
    """Refuse, before any work is done, a place where nothing can be written, and the files of
    `keep`: nothing is written over what it is made from."""
    path = _final(path)
    if path.exists() and any(other.exists() and path.samefile(other) for other in keep):
        raise Problem(f"{path} would be overwritten, but it is needed. Choose another name.")
    folder = path.parent
    if path.is_dir():
        raise Problem(f"{path} is a folder; the name of a file to write is needed.")
    if path.exists() and not path.is_file():
        raise Problem(f"{path} is a device, not a file; the name of a file to write is needed.")
    if not folder.is_dir():
        raise Problem(f"{path} cannot be written: there is no folder {folder}. Create it first.")
    try:
        tempfile.TemporaryFile(dir=folder).close()  # asks the system itself, root included
    except OSError as wrong:
        raise Problem(
            f"{path} cannot be written: the folder {folder} takes no files "
            f"({wrong.strerror or wrong})."
        ) from wrong


def _final(path: str | Path) -> Path:
    """Where a link leads: the link stays, what it points to is replaced."""
    path = Path(path)
    return Path(os.path.realpath(path)) if path.is_symlink() else path
