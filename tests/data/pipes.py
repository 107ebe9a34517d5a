"""A small table, and files that are pipes."""

from __future__ import annotations

import os
import threading

TABLE = "a,b\n1,x\n2,y\n"


def piped(tmp_path, content: bytes):
    """A named pipe that brings this content once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)

    def bring():
        with open(path, "wb") as pipe:
            try:
                pipe.write(content)
            except BrokenPipeError:  # the reader had enough
                return

    threading.Thread(target=bring, daemon=True).start()
    return path
