"""Lists of exceptions to rules about the repository, one name a line. They may only shrink.

A test compares each list with what it finds: a new exception fails, and so does a name on the list
that is no exception any more, which is then to be removed.

    python -m tests.allowed     writes every list anew, for a change that renames many files
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

FOLDER = Path(__file__).parent


def require_listed(found: Iterable[str], name: str, remedy: str) -> None:
    """Raise AssertionError unless `found` are exactly the exceptions on the list of this name."""
    found, listed = set(found), set(read(name))
    assert not found - listed, f"{remedy}: {', '.join(sorted(found - listed))}"
    fixed = sorted(listed - found)
    assert not fixed, f"no exceptions any more, remove from tests/allowed/{name}.txt: {fixed}"


def read(name: str) -> list[str]:
    return (FOLDER / f"{name}.txt").read_text("utf-8").split("\n")[:-1]


def write(name: str, found: Iterable[str]) -> None:
    (FOLDER / f"{name}.txt").write_text("".join(f"{one}\n" for one in sorted(set(found))), "utf-8")
