"""certo lab: an address, at once; Ctrl-C ends it; what is missing is said."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from certo.cli import lab
from certo.lab.server import bound_socket

START = [sys.executable, "-c", "from certo.cli import main; main()", "lab", "--no-browser"]


@pytest.mark.slow
@pytest.mark.parametrize("json_wanted", [False, True])
def test_the_address_is_printed_and_ctrl_c_ends_it(json_wanted):
    words = ["--port", "0", *(["--json"] if json_wanted else []), "perceptron?eta=2"]
    with subprocess.Popen([*START, *words], stdout=subprocess.PIPE, text=True) as process:
        try:
            first = process.stdout.readline()
            if json_wanted:
                text = first + process.stdout.readline() + process.stdout.readline()
                address = json.loads(text)["address"]
            else:
                address = first.split()[-1]
            assert address.startswith("http://127.0.0.1:")
            assert address.endswith("/#perceptron?eta=2")
            process.send_signal(signal.SIGINT)
            rest, _ = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert json_wanted or "Closed." in rest


def test_a_port_that_cannot_be_used_is_refused(certo):
    taken = bound_socket(0)
    said = certo("lab", "--no-browser", "--port", taken.getsockname()[1])
    taken.close()
    assert (said.code, "cannot be used" in said.err) == (2, True)
    said = certo("lab", "--no-browser", "--port", "99999")
    assert (said.code, "from 0 to 65535" in said.err) == (2, True)


@pytest.mark.parametrize("missing", lab.NEEDED)
def test_what_is_missing_is_said_with_the_remedy(certo, monkeypatch, missing):
    """The laboratory is an extra: without it the command says how to get it."""
    monkeypatch.setattr(lab, "find_spec", lambda name: None if name == missing else name)
    said = certo("lab", "--no-browser")
    assert said.code == 2
    assert "pip install 'certo[lab]'" in " ".join(said.err.split())
