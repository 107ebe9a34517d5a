"""How the commands that an auditor runs end: `certo.verify` and `certo.check_files`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

UNUSABLE, INTERRUPTED, BROKEN_PIPE = 2, 130, 141


def exit_code_of(run: Callable[[], int]) -> int:
    """The exit code of a command that prints; what is not a verdict never looks like one."""
    if sys.stdout is None:  # It was closed before we began.
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):  # Printing never fails on a letter a terminal lacks.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = run()
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        print("error: interrupted; nothing was shown.", file=sys.stderr)
        return INTERRUPTED
    except OSError as wrong:  # Nobody reads the output, or it cannot be written.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE if isinstance(wrong, BrokenPipeError) else UNUSABLE
