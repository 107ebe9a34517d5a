"""CompressionBound in words."""

from __future__ import annotations

from certo.certificates.encoding import counted, rounded_up
from certo.certificates.risk.compression_bound import CompressionBound
from certo.certificates.risk.risk_bound import DRAWN
from certo.words.dispatch import RIGOUR, Rigour, assumptions, plainly, sentence
from certo.words.risk.risk_bound import bounded, in_plain, untouched

RIGOUR[CompressionBound] = Rigour(
    exact=(
        "The run on the updated examples, bit for bit; the errors on the others; the printed "
        "formula, to fifty digits and rounded up."
    ),
    rounded="The exact tail, shown with the rounding of its sum accounted for.",
    statistical=(
        "The bound fails with probability at most delta over the draw of the examples, which "
        "must be independent."
    ),
)


@sentence.register
def _(claim: CompressionBound) -> str:
    listed, others = claim.updated.size, claim.examples - claim.updated.size
    words = f"{claim.labels.shown} against {claim.labels.rest}: "
    if claim._is_replayed:
        words += (
            f"running on {listed:,} of {counted(claim.examples, 'example')} alone gives "
            "these weights. "
        )
    words += (
        f"Leaving {counted(listed, 'example')} out, this one output (sign at score 0: "
        f"{claim.zero_sign:+d}) gets at most {claim.errors:,} of {others:,} wrong, by exact "
        "scores and by computed ones. "
    )
    if claim.vacuous:
        return words + (
            "The bound on its error rate that follows is "
            f"{rounded_up(claim.best, 4)}: vacuous, since it is not below 1."
        )
    return words + bounded(claim, "this output")


@plainly.register
def _(claim: CompressionBound) -> str:
    if claim.vacuous:
        return "Nothing is proved about new data: the bound on the error rate is not below 1."
    alone = f" of telling {claim.labels.shown} from {claim.labels.rest}"
    return in_plain(claim, "" if claim.of_predictions else alone)


@assumptions.register
def _(claim: CompressionBound) -> tuple[str, ...]:
    seed = claim.run.order == "shuffled" or claim.run.init == "random"
    return (
        DRAWN,
        untouched(claim),
        *(("the random seed was chosen without looking at the examples",) if seed else ()),
    )
