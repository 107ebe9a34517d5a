"""Spam among text messages, by pieces of three letters.

    python examples/sms.py [--data FOLDER] [--examples 2000] [--picture FILE]

Messages are short and misspelt, so words say less than pieces of them. Spectrum(3) counts all
pieces of three characters: as a kernel, and as the sparse vectors that it stands for, with which a
linear machine needs none of the examples to predict. Beside them stand the words, by TF-IDF.
C is chosen inside each fold.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _data import found, options, some
from _show import compare, picture
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from certo import SVM
from certo.features import explicit_map
from certo.kernels import Spectrum

WHERE = (
    "It is SMSSpamCollection of archive.ics.uci.edu/dataset/228: lines of ham or spam, a tab, and "
    "a message. Put it as sms.tsv into a folder sms_spam."
)


def main(arguments: list[str] | None = None) -> dict[str, np.ndarray]:
    chosen = options(__doc__, "sms", examples=2000, folds=5).parse_args(arguments)
    messages, y = some(chosen.examples, *sms(found(chosen.data, "sms_spam/sms.tsv", WHERE)))
    print(f"{len(y)} messages, {np.sum(y == 'spam')} of them spam")

    kernel = Spectrum(3).normalised()
    with_kernel = GridSearchCV(SVM(kernel), {"C": [1, 10]}, cv=3)
    C = {"svm__C": [1, 10]}
    linear = GridSearchCV(make_pipeline(explicit_map(kernel), SVM()), C, cv=3)
    words = GridSearchCV(make_pipeline(TfidfVectorizer(), SVM()), C, cv=3)
    results = compare(
        {
            "Spectrum(3), kernel": (with_kernel, messages),
            "Spectrum(3), feature vectors": (linear, messages),
            "words, TF-IDF, linear": (words, messages),
        },
        y,
        chosen.folds,
    )
    picture(kernel(messages, progress=True), y, "Messages by Spectrum(3)", chosen.picture)
    return results


def sms(file: Path) -> tuple[list[str], np.ndarray]:
    lines = (line.partition("\t") for line in file.read_text("utf-8").splitlines())
    labels, _, messages = zip(*(line for line in lines if line[1]), strict=True)
    return list(messages), np.array(labels)


if __name__ == "__main__":
    main()
