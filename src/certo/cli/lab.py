"""certo lab"""

from __future__ import annotations

import contextlib
import sys
import webbrowser
from importlib.util import find_spec
from typing import Annotated, Any

import typer

from certo.cli import options
from certo.cli.console import Voice

NEEDED = ("starlette", "uvicorn", "websockets")
EXTRA_MISSING = (
    "certo lab needs a web server, which is not installed ({name}). Install it with: "
    "pip install 'certo[lab]'"
)


def lab(
    state: Annotated[
        str | None,
        typer.Argument(
            metavar="[STATE]",
            help="Experiment to open, such as 'perceptron?preset=xor&eta=2': what follows # in "
            "the address of a picture, or that whole address.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        options.option(
            "NUMBER", "Port to listen on.", default="8421, or a free one if that is taken"
        ),
    ] = None,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open no browser.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Open the laboratory of the course in a browser. Put points on a plane, step an algorithm,
    watch its theorem beside it, and have each claim proved. It runs on this computer alone, until
    Ctrl-C."""
    from certo.data.problem import Problem

    for name in NEEDED:
        if find_spec(name) is None:
            raise Problem(EXTRA_MISSING.format(name=name))
    from certo.lab.server import Server

    if port is not None and not 0 <= port < 2**16:
        raise Problem(f"--port must be a number from 0 to 65535, got {port}.")
    try:
        server = Server(port, (state or "").rpartition("#")[2])
    except OSError as taken:
        why = taken.strerror or str(taken)
        raise Problem(f"port {port} cannot be used: {why}. Choose another, or none.") from taken
    with contextlib.suppress(KeyboardInterrupt):  # That is how it is closed.
        options.tell({"address": server.address}, _tell, as_json)
        sys.stdout.flush()
        if not no_browser:
            webbrowser.open(server.address)
        server.run()
    if not as_json:
        Voice().say("Closed.")


def _tell(voice: Voice, said: dict[str, Any]) -> None:
    voice.suggest("The laboratory is open", said["address"])
    voice.say("Press Ctrl-C to close it.")
