"""What does a question ask for: a number, a person, a place, …? By its parse tree.

    python examples/questions.py [--data FOLDER] [--examples 1000] [--picture FILE]

The TREC questions, of six classes, as bracketed parses. SubsetTree counts the pieces of grammar
that two parses share, words included; the sum with a kernel of their words is a kernel too. Beside
them stand the words, and pairs of words, by TF-IDF. C is chosen inside each fold.
"""

from __future__ import annotations

import numpy as np
from _data import found, options, some
from _show import compare, picture
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from certo import SVM
from certo.kernels import Precomputed, Spectrum, SubsetTree, read_trees

WHERE = (
    "The questions are train_5500.label of cogcomp.seas.upenn.edu/Data/QA/QC: lines of a class, as "
    "LOC:city, and a question. Their parses by a parser for English, as the Stanford parser, are "
    "train_5500.label.parsed: a bracketed tree on each line. Put both into a folder trec_questions."
)


def main(arguments: list[str] | None = None) -> dict[str, np.ndarray]:
    chosen = options(__doc__, "questions", examples=1000, folds=5).parse_args(arguments)
    trees, questions, y = some(chosen.examples, *trec(chosen.data))
    print(f"{len(y)} questions of {len(np.unique(y))} classes")

    grammar = SubsetTree(0.2).normalised()(trees, progress=True)
    words = Spectrum(2, upto=True).normalised()([question.split() for question in questions])
    kernel_svm = GridSearchCV(SVM(Precomputed()), {"C": [1, 10]}, cv=3)

    tfidf = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\S+")
    linear = GridSearchCV(make_pipeline(tfidf, SVM()), {"svm__C": [1, 3, 10]}, cv=3)
    results = compare(
        {
            "SubsetTree(0.2)": (kernel_svm, grammar),
            "SubsetTree(0.2) + words": (kernel_svm, grammar + words),
            "words, pairs, TF-IDF, linear": (linear, questions),
        },
        y,
        chosen.folds,
    )
    picture(grammar, y, "Questions by SubsetTree(0.2)", chosen.picture)
    return results


def trec(data) -> tuple[list, list[str], np.ndarray]:
    """Parses, questions and their classes."""
    parsed = found(data, "trec_questions/train_5500.label.parsed", WHERE)
    labelled = found(data, "trec_questions/train_5500.label", WHERE)
    lines = (line.partition(" ") for line in labelled.read_text("latin-1").splitlines())
    labels, _, questions = zip(*lines, strict=True)
    coarse = np.array([label.partition(":")[0] for label in labels])
    return list(read_trees(parsed)), [question.lower() for question in questions], coarse


if __name__ == "__main__":
    main()
