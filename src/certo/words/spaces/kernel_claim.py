"""KernelClaim in words."""

from __future__ import annotations

from certo.certificates.spaces.images import functions_of
from certo.certificates.spaces.kernel_claim import KernelClaim
from certo.words.dispatch import assumptions


@assumptions.register
def of_functions(claim: KernelClaim) -> tuple[str, ...]:
    """What is assumed of the Python functions that a kernel is made of."""
    return tuple(
        f"the function {part!r} is symmetric and positive semi-definite, and always the same"
        for part in functions_of(claim.kernel)
    )


def where(claim: KernelClaim) -> str:
    """The space, in words."""
    shifted = f" + {claim.shift!r} on the diagonal" if claim.shift else ""
    return f"the space of {claim.kernel!r}{shifted}"
