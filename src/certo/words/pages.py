"""Claims, several claims and pages of them, as text and as HTML."""

from __future__ import annotations

import html

from certo.certificates.base import Certificate
from certo.certificates.certified import Certified
from certo.certificates.composite import Composite
from certo.certificates.separation.classes import ClassSeparability
from certo.numbers.decimals import rounded_up
from certo.numbers.shown import shown_numbers
from certo.words.dispatch import words_of
from certo.words.reader import example
from certo.words.risk import percentage, rate_sentence, weaker


def claim_html(claim: Certificate) -> str:
    assumptions = "".join(f"<li>{html.escape(text)}</li>" for text in claim.assumes)
    numbers = "".join(
        f"<tr><td>{html.escape(key)}</td><td>{html.escape(text)}</td></tr>"
        for key, text in shown_numbers(claim.numbers).items()
    )
    return (
        f'<div class="certificate"><strong>{html.escape(claim.name)}</strong>'
        f"<p>{html.escape(claim.claim)}</p>"
        + (f"<p>Assuming:</p><ul>{assumptions}</ul>" if assumptions else "")
        + f"<table>{numbers}</table></div>"
    )


def composite_text(claims: Composite) -> str:
    lines = [repr(claim) for claim in claims]
    lines += [f"assuming that {text}" for text in claims.assumes]
    lines += [f"{refusal.name} not claimed: {refusal.reason}" for refusal in claims.not_claimed]
    return "\n".join(lines) or "Nothing is claimed."


def composite_html(claims: Composite) -> str:
    refused = "".join(
        f"<p><strong>{html.escape(item.name)}</strong> not claimed: {html.escape(item.reason)}</p>"
        for item in claims.not_claimed
    )
    return "".join(claim_html(claim) for claim in claims) + refused


def class_verdicts(found: ClassSeparability) -> str:
    """Which of several classes are separable: from the rest, from each other, and all at once."""
    pairs = zip(found.classes, found.one_against_rest, strict=True)
    alone = [repr(label) for label, verdict in pairs if verdict.name == "Separable"]
    apart = sum(verdict.name == "Separable" for verdict in found.pairwise)
    how = "" if found.intercept == "free" else " by hyperplanes through the origin"
    which = f": {', '.join(alone)}." if alone else "."
    return (
        f"{len(alone)} of {len(found.classes)} classes are separable from the rest{how}{which}\n"
        f"{apart} of {len(found.pairs)} pairs of classes are separable{how}.\n{found.joint.claim}"
    )


def page_sentences(page: Certified) -> list[str]:
    """What is proved of the error rate on new data, by the sharpest bound, and what the choice of
    it costs."""
    chosen = page.sharpest
    nothing = "No bound on the error rate of its predictions on new data"
    if chosen is None or chosen.claim.vacuous:
        alone = any(claim.of_predictions and not claim.vacuous for claim in page.risks)
        return [f"{nothing} is below 1{', after correction for its choice' * alone}."]
    claim, among = chosen.claim, chosen.among
    if not claim.informative:
        most = percentage(claim.best, rounded_up)
        return [f"{nothing} is informative: the smallest, {most} %, is {weaker(claim)}."]
    source = f"test {example()}s" if chosen.on_test else f"training {example()}s alone"
    said = words_of(claim)
    bounded = rate_sentence(page.delta, claim.best, said.whose, said.condition)
    sentence = f"{bounded} ({claim.name}, from the {source})."
    paid = (
        "That is the number to quote: each single bound is smaller, but this one "
        f"was chosen among {among} after seeing all of them, and is corrected for that choice."
    )
    return [sentence, paid] if among > 1 else [sentence]


def page_text(page: Certified) -> str:
    lines = [f"What is proved about {page.model}"]
    lines += [f"  {text}" for text in page_sentences(page)] if page.risks else []
    lines += [f"  {text}" for text in page.remarks]
    lines += [f"  {_mark(claim)} {claim.name}: {claim.plain}" for claim in page]
    lines += [f"  – {item.name} is not claimed: {item.reason}" for item in page.not_claimed]
    if page.assumes:
        lines += ["Assuming that", *(f"  · {text}" for text in page.assumes)]
    return "\n".join(lines)


def page_html(page: Certified) -> str:
    def listed(texts, style: str = "") -> str:
        return f"<ul{style}>" + "".join(f"<li>{text}</li>" for text in texts) + "</ul>"

    def named(name: str, text: str, mark: str) -> str:
        return f"{mark} <strong>{html.escape(name)}</strong>: {html.escape(text)}"

    plain = " style='list-style: none; padding-left: 0'"  # Marks replace the bullets.
    proved = [named(claim.name, claim.plain, _mark(claim)) for claim in page]
    refused = [named(item.name, item.reason, "–") for item in page.not_claimed]
    first = [*(page_sentences(page) if page.risks else ()), *page.remarks]
    return (
        f"<div class='certified'><p>What is proved about <code>{html.escape(page.model)}</code></p>"
        + "".join(f"<p>{html.escape(text)}</p>" for text in first)
        + listed(proved, plain)
        + (f"<p>Not claimed:</p>{listed(refused, plain)}" if refused else "")
        + (f"<p>Assuming that</p>{listed(map(html.escape, page.assumes))}" if page.assumes else "")
        + "</div>"
    )


def _mark(claim: Certificate) -> str:
    return "✓" if claim.informative else "○"
