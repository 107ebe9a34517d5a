"""The one kind of error that a person, not a programmer, is meant to read."""

from __future__ import annotations


class Problem(ValueError):
    """Input that cannot be used: what was required, what came, where, and what to do."""
