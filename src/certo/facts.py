"""Errors that carry what they speak of: rows, columns, labels, values. `words` says it."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any, ParamSpec

P = ParamSpec("P")


class _Facts(Exception):
    """An error with facts, and a function of `certo.words` that says them: it writes the
    sentence for whoever reads when the error is raised.

    Attributes
    ----------
    says : callable
        What is wrong.
    facts : dict
        The arguments of this function: `label`, `value`, …
    rows : list of int
        The examples that are spoken of, counting from 0.
    columns : list of int
        The columns of X that are spoken of, counting from 0.
    """

    def __init__(self, says: Callable[P, str], *args: P.args, **facts: P.kwargs):
        super().__init__(says(*args, **facts))
        self.says, self.facts = says, signature(says).bind(*args, **facts).arguments
        self.rows, self.columns = self._places("row"), self._places("column")
        if self.facts.get("table", "X") != "X":
            self.columns = []

    def _places(self, name: str) -> list[int]:
        one = [self.facts[name]] if name in self.facts else []
        return [int(place) for place in self.facts.get(f"{name}s", one)]

    def __reduce__(self):
        return _again, (type(self), self.says, self.facts), {"args": self.args}


def _again(kind: Any, says: Callable[..., str], facts: dict[str, Any]) -> _Facts:
    return kind(says, **facts)


class InputError(_Facts, ValueError):
    """Examples, labels or weights that a machine cannot use."""


class LabelTypeError(_Facts, TypeError):
    """A label that a certificate cannot name."""
