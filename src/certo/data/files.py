"""Files written whole or not at all, and read once."""

from __future__ import annotations

import contextlib
import os
import stat
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from certo.data.problem import Problem

STANDARD_INPUT = "-"
MAX_PIPED_BYTES = 2**28  # A pipe does not say how much it will bring: more than this is refused.
MIN_INFLATED_BYTES, MAX_INFLATION = 2**28, 100  # What a compressed file may become in memory.


def opened_content(path: Path) -> tuple[Path, bytes | None]:
    """A name to call a file by, and its content, if that can be read only once: of a pipe, or of
    standard input, which is called `-`."""
    if str(path) != STANDARD_INPUT:
        return path, piped_content(path)
    name = Path("standard input")
    stream = sys.stdin
    if stream is None or stream.isatty():
        raise Problem(f"{name} must bring a table, but nothing is piped into it.")
    content = stream.buffer.read(MAX_PIPED_BYTES + 1)
    _refuse_large(name, content)
    return name, content


def _refuse_large(path: Path, content: bytes) -> None:
    if len(content) > MAX_PIPED_BYTES:
        raise Problem(
            f"{path} is a pipe that carries more than {MAX_PIPED_BYTES // 2**20} MB, the most that "
            "is read from one. Save it to a file, and give the file's name."
        )


def piped_content(path: Path) -> bytes | None:
    """What comes through a pipe, which can be read only once; None for a file on a disk. What is
    neither (a folder, a device, a socket) is refused: it may never end."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            return None
        content = b""
        if stat.S_ISFIFO(mode):
            with open(path, "rb") as pipe:
                content = pipe.read(MAX_PIPED_BYTES + 1)
    except FileNotFoundError as wrong:
        raise Problem(f"{path}: there is no such file.") from wrong
    except (OSError, ValueError) as wrong:  # A name with a NUL character is a ValueError.
        why = getattr(wrong, "strerror", None) or wrong
        raise Problem(f"{path} cannot be read: {why}.") from wrong
    if not stat.S_ISFIFO(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFSOCK: "a socket"}
        what = kinds.get(stat.S_IFMT(mode), "a device")
        raise Problem(f"{path} is {what}; a file, or a pipe that carries one, is needed.")
    _refuse_large(path, content)
    return content


def read_whole(path: Path, *magics: bytes) -> bytes:
    """The bytes of a file or a pipe; of a file that does not start with one of `magics`, which are
    of one length, the start alone, since it may be of any size."""
    content = piped_content(path)
    if content is not None:
        return content
    try:
        with open(path, "rb") as file:
            start = file.read(len(magics[0]))
            return start + file.read() if start in magics else start
    except OSError as wrong:
        raise Problem(f"{path} cannot be read: {wrong.strerror or wrong}.") from wrong


def check_inflated(path: Path, inflated: int, stored: int) -> None:
    """Refuse a small file that would fill the memory: what it becomes may be large only if the file
    itself is."""
    most = max(MIN_INFLATED_BYTES, MAX_INFLATION * stored)
    if inflated > most:
        raise Problem(
            f"{path} has {stored:,} bytes but would take more than {most:,} in memory, over "
            f"{MAX_INFLATION} times as much. If that is right, save it uncompressed."
        )


def write_whole(path: str | Path, data: bytes) -> None:
    """Write beside the target, then rename: a crash leaves the old file, or the new one."""
    write_all({Path(path): data})


def write_all(contents: Mapping[Path, bytes]) -> None:
    """The same for several files: none takes its place before all are on the disk."""
    mask = os.umask(0)
    os.umask(mask)
    ready: dict[str, Path] = {}  # Temporary files, and where they go.
    path = Path()
    try:
        for path, data in ((_final(path), data) for path, data in contents.items()):
            handle, temporary = tempfile.mkstemp(prefix=".certo-", dir=path.parent)
            ready[temporary] = path
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~mask)
        for temporary, path in ready.items():
            os.replace(temporary, path)
    except OSError as wrong:
        raise Problem(f"{path} cannot be written: {wrong.strerror or wrong}.") from wrong
    finally:
        for temporary in ready:
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
        tempfile.TemporaryFile(dir=folder).close()  # Asks the system itself, root included.
    except OSError as wrong:
        raise Problem(
            f"{path} cannot be written: the folder {folder} takes no files "
            f"({wrong.strerror or wrong})."
        ) from wrong


def _final(path: str | Path) -> Path:
    """Where a link leads: the link stays, what it points to is replaced."""
    path = Path(path)
    return Path(os.path.realpath(path)) if path.is_symlink() else path
