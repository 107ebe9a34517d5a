"""Exit codes of the auditor's commands."""

from __future__ import annotations

import os
import subprocess
import sys

from certo.exit_code import BROKEN_PIPE, INTERRUPTED, exit_code_of


def test_a_list_of_files_that_nobody_reads_ends_quietly():
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "certo.check_files", "ErrorCount"]
    done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (BROKEN_PIPE, b"")


def test_an_interrupted_command_is_no_verdict(capsys):
    def run() -> int:
        raise KeyboardInterrupt

    assert exit_code_of(run) == INTERRUPTED
    assert "nothing was shown" in capsys.readouterr().err
