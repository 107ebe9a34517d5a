"""What must be true of the built pages: search finds what people look for, and they are small."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sphinx.search.en import SearchEnglish

#: What a reader may type, and a page that the search must find by it.
SEARCHES = {
    "install": "start/install",
    "quickstart": "start/quickstart",
    "odds ratio": "machines/logistic-regression",
    "IRLS": "course/risk",
    "universal": "course/kernels",
    "NP-complete": "course/linear-classifiers",
    "KKT": "course/support-vector-machines",
    "confusion matrix": "howto/imbalanced-classes",
    "save a model": "howto/save-a-model",
}
#: Pages that a reader looks through. With more, the wanted one must have the words in a title,
#: which puts it first.
MAX_FOUND = 12
MAX_MEGABYTES = 15.0  # Without MathJax, whose fonts are most of it.


def found_by(index: dict, text: str) -> set[str]:
    """The pages that have all words of a search in their text or title."""
    language = SearchEnglish({})
    pages: set[str] | None = None
    for word in re.findall(r"\w+", text):
        if word.lower() in language.stopwords:
            continue
        stem = language.stem(word.lower())
        places = [index[where].get(stem, []) for where in ("terms", "titleterms")]
        numbers = {n for at in places for n in ([at] if isinstance(at, int) else at)}
        named = {index["docnames"][n] for n in numbers}
        pages = named if pages is None else pages & named
    return pages or set()


def titled(index: dict, text: str) -> set[str]:
    """The pages that Sphinx puts first: half of a title, or more, is the text."""
    return {
        index["docnames"][number]
        for title, places in index["alltitles"].items()
        for number, _ in places
        if text.lower() in title.lower() and 2 * len(text) >= len(title)
    }


def check(app, exception) -> None:
    if exception is not None or app.builder.name != "html":
        return
    folder = Path(app.outdir)
    text = (folder / "searchindex.js").read_text("utf-8")
    index = json.loads(text[text.index("(") + 1 : text.rindex(")")])
    for search, page in SEARCHES.items():
        found = found_by(index, search)
        if page not in (found if len(found) <= MAX_FOUND else titled(index, search)):
            raise ValueError(f"the search for {search!r} does not find the page {page}.")
    files = [path for path in folder.rglob("*") if path.is_file() and "mathjax" not in path.parts]
    size = sum(path.stat().st_size for path in files if ".doctrees" not in path.parts) / 1e6
    if size > MAX_MEGABYTES:
        raise ValueError(f"the pages have {size:.1f} MB, more than {MAX_MEGABYTES:g}.")


def setup(app):
    app.connect("build-finished", check)
    return {"parallel_read_safe": True}
