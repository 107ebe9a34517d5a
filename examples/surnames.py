"""Which language is a surname from?

    python examples/surnames.py [--data FOLDER] [--examples 80] [--picture FILE]

Up to three letters in order: with gaps, as a sum of three kernels, and without; beside them the
same pieces without gaps by TF-IDF. Of each language that has enough different names as many are
taken; names that several languages have are left out. C is chosen inside each fold.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from _data import found, options, some
from _show import compare, picture
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from certo import SVM
from certo.kernels import Precomputed, Spectrum, Subsequence

WHERE = (
    "Surnames come with github.com/spro/practical-pytorch (MIT licence), folder data/names: one "
    "text file for each language, as Italian.txt, with a name on each line. Put them into a folder "
    "names_nationality."
)


def main(arguments: list[str] | None = None) -> dict[str, np.ndarray]:
    chosen = options(__doc__, "surnames", examples=80, folds=5).parse_args(arguments)
    names, y = surnames(found(chosen.data, "names_nationality", WHERE), chosen.examples)
    print(f"{len(y)} surnames of {len(np.unique(y))} languages, {chosen.examples} of each")

    marked = [f"^{name}$" for name in names]  # where a name begins and ends tells much
    one, two, three = (Subsequence(n, decay=0.3).normalised() for n in (1, 2, 3))
    gaps = (one + two + three)(marked, progress=True)
    pieces = Spectrum(3, upto=True).normalised()(marked, progress=True)
    kernel_svm = GridSearchCV(SVM(Precomputed()), {"C": [1, 3]}, cv=2)

    counts = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), lowercase=False)
    linear = GridSearchCV(make_pipeline(counts, SVM()), {"svm__C": [0.3, 1, 3]}, cv=2)
    results = compare(
        {
            "Subsequence, 1 to 3 letters": (kernel_svm, gaps),
            "Spectrum(3, upto=True)": (kernel_svm, pieces),
            "1- to 3-grams, TF-IDF, linear": (linear, marked),
        },
        y,
        chosen.folds,
    )
    picture(gaps, y, "Surnames by Subsequence, 1 to 3 letters", chosen.picture)
    return results


def surnames(folder: Path, each: int) -> tuple[list[str], np.ndarray]:
    languages = {
        file.stem: sorted({line.strip().lower() for line in file.read_text("utf-8").splitlines()})
        for file in sorted(folder.glob("*.txt"))
    }
    often = Counter(name for names in languages.values() for name in names)
    own = {
        language: [name for name in names if name and often[name] == 1]
        for language, names in languages.items()
    }
    taken = {
        language: some(each, names)[0] for language, names in own.items() if len(names) >= each
    }
    return [name for names in taken.values() for name in names], np.repeat([*taken], each)


if __name__ == "__main__":
    main()
