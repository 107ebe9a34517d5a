"""CompressionBound in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.spaces.images import functions_of
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.risk.risk_bound import DRAWN, SEEDED, bounded, in_plain, untouched

RIGOUR[CompressionBound] = Rigour(
    exact=(
        "The run of perceptrons on the updated examples, bit for bit; of a kernel perceptron its "
        "steps, which are whole numbers; the errors of a single output on the others; the printed "
        "formula, to fifty digits and rounded up."
    ),
    rounded=(
        "What several outputs or a kernel are not shown to get right beyond rounding counts as an "
        "error; with a kernel, every decision of the re-run is certain beyond the proved allowance "
        "of its score. The exact tail is shown with the rounding of its sum accounted for."
    ),
    statistical=(
        "The bound fails with probability at most delta over the draw of the examples, which "
        "must be independent."
    ),
)


@sentence.register
def _(claim: CompressionBound) -> str:
    scheme, k, m = claim.scheme, claim.updated.size, counted(claim.examples, "example")
    if scheme.zero_sign is None:
        about = f"{len(claim.labels.classes)} classes"
        rule, level = "the rule", ", ties included"
    else:
        about = f"{claim.labels.shown} against {claim.labels.rest}"
        rule = f"this one output (sign at score 0: {scheme.zero_sign:+d})"
        level = ", by exact scores and by computed ones"
    if not claim.is_rerun:
        made = f"{k:,} of {m} are left out."
    elif scheme.kernel is not None:
        made = f"running the kernel perceptron with {scheme.kernel!r} on {k:,} of {m} alone gives "
        made += "this rule."
    else:
        neurons = "the neuron" if scheme.outputs == 1 else f"the {scheme.outputs} neurons"
        placed = ", each at its place among all looks," * scheme.averaged
        made = f"running {neurons} on {k:,} of {m} alone{placed} gives these weights."
    words = (
        f"{about}: {made} Of the {claim.examples - k:,} others, {rule} gets at most "
        f"{claim.errors:,} wrong{level}. "
    )
    if claim.vacuous:
        return words + (
            "The bound on its error rate that follows is "
            f"{rounded_up(claim.best, 4)}: vacuous, since it is not below 1."
        )
    return words + bounded(claim, "the rule" if scheme.zero_sign is None else "this output")


@plainly.register
def _(claim: CompressionBound) -> str:
    if claim.vacuous:
        return "Nothing is proved about new data: the bound on the error rate is not below 1."
    if not claim.of_predictions:
        return in_plain(claim, f" of telling {claim.labels.shown} from {claim.labels.rest}")
    return (
        f"The rule was made of {counted(claim.updated.size, 'example')} of {claim.examples:,} and "
        f"is wrong on {claim.errors:,} of the others. {in_plain(claim)}"
    )


@assumptions.register
def _(claim: CompressionBound) -> tuple[str, ...]:
    kernel = claim.scheme.kernel
    is_matrix = kernel is not None and kernel.takes == "matrix"
    return (
        DRAWN,
        untouched(claim),
        *((SEEDED,) if claim.scheme.seeded else ()),
        *(("the matrix holds values of a kernel that was fixed before the draw",) * is_matrix),
        *(f"the function {part!r} is always the same" for part in functions_of(kernel)),
    )
