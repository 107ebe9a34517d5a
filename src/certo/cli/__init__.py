"""The command `certo`."""

from certo.cli.app import main

__all__ = ["main"]
