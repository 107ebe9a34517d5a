"""English: what a claim says, what it means, what it assumes, and how firmly it stands.

The words of the claims in `certo.certificates.ROOM` are in `certo.words.ROOM`. No check imports
this package: `certificate.claim` reaches for it when it is asked. A name is imported when it is
used, so that a command that only names its options (`certo.words.reader`) starts quickly.
"""

from certo.lazy import by_name, names_of

__getattr__, __dir__ = names_of(
    __name__,
    by_name(
        {
            "dispatch": "Rigour about assumptions plainly rigour sentence",
            "pages": "claim_html class_verdicts composite_html composite_text page_html "
            "page_sentences page_text",
            "reader": "reason row_numbers",
            "risk": "weaker",
        }
    ),
)
