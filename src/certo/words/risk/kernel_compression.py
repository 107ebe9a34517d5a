"""KernelCompressionBound in words."""

from __future__ import annotations

from certo.certificates.encoding import counted
from certo.certificates.risk.kernel_compression import KernelCompressionBound
from certo.certificates.risk.risk_bound import DRAWN
from certo.certificates.risk.set_bound import SEEDED
from certo.certificates.spaces.images import functions_of
from certo.words.dispatch import RIGOUR, Rigour, assumptions, sentence
from certo.words.risk.risk_bound import untouched
from certo.words.risk.set_bound import follows

RIGOUR[KernelCompressionBound] = Rigour(
    exact="The steps of the run are whole numbers.",
    rounded=(
        "Every decision of the re-run is certain beyond the proved allowance of its score, and "
        "what is not shown to be right counts as an error; the formulas are rounded up."
    ),
    statistical="Compression bounds for independent draws.",
)


@sentence.register
def _(claim: KernelCompressionBound) -> str:
    k, m = claim.updated.size, counted(claim.examples, "example")
    return (
        f"{len(claim.labels.classes)} classes: running the kernel perceptron with "
        f"{claim.kernel!r} on {k:,} of {m} alone gives this rule. {follows(claim)}"
    )


@assumptions.register
def _(claim: KernelCompressionBound) -> tuple[str, ...]:
    return (
        DRAWN,
        untouched(claim),
        *((SEEDED,) if claim.run.order == "shuffled" else ()),
        *(
            ("the matrix holds values of a kernel that was fixed before the draw",)
            if claim.kernel.takes == "matrix"
            else ()
        ),
        *(f"the function {part!r} is always the same" for part in functions_of(claim.kernel)),
    )
