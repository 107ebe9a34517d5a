"""Spaces, and what is assumed of them, in words."""

from __future__ import annotations

from certo.certificates.spaces.space import Space, SpaceClaim
from certo.words.dispatch import assumptions


@assumptions.register
def of_functions(claim: SpaceClaim) -> tuple[str, ...]:
    """What is assumed of the Python functions that a kernel is made of."""
    return tuple(
        f"the function {part!r} is symmetric and positive semi-definite, and always the same"
        for part in claim.space.functions
    )


def where(space: Space) -> str:
    """The space of a kernel, in words."""
    shifted = f" + {space.shift!r} on the diagonal" if space.shift else ""
    return f"the space of {space.kernel!r}{shifted}"
