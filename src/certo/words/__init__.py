"""English: what a claim says, what it means, what it assumes, and how firmly it stands.

The words of the claims in `certo.certificates.ROOM` are in `certo.words.ROOM`. No check imports
this package: `certificate.claim` reaches for it when it is asked.
"""

from certo.words.dispatch import Rigour, assumptions, plainly, rigour, sentence
from certo.words.pages import (
    claim_html,
    class_verdicts,
    composite_html,
    composite_text,
    page_html,
    page_sentences,
    page_text,
)
from certo.words.reader import reason, row_numbers
from certo.words.risk import weaker

__all__ = [
    "Rigour", "assumptions", "claim_html", "class_verdicts", "composite_html", "composite_text",
    "page_html", "page_sentences", "page_text", "plainly", "reason", "rigour", "row_numbers",
    "sentence", "weaker",
]  # fmt: skip
