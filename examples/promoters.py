"""Promoters of E. coli: does this piece of DNA start a gene?

    python examples/promoters.py [--data FOLDER] [--picture FILE]

106 sequences of 57 bases, aligned at the place where transcription starts or might; half of them
are promoters. A linear machine on one-hot letters weighs each base at each place by itself.
WeightedDegree also sees which bases stand next to each other, at about the same place. C is
chosen inside each of the ten folds, which are drawn three times.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from _data import found, options, some
from _show import compare, picture
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from certo import SVM
from certo.kernels import Mismatch, Precomputed, WeightedDegree

WHERE = (
    "It is promoters.data of archive.ics.uci.edu/dataset/67 (Molecular Biology, Promoter Gene "
    "Sequences): lines of a sign, a name and a sequence, with commas between them. Put it into a "
    "folder promoters."
)


def main(arguments: list[str] | None = None) -> dict[str, np.ndarray]:
    parser = options(__doc__, "promoters")
    parser.add_argument("--repeats", type=int, default=3, help="how often folds are drawn")
    chosen = parser.parse_args(arguments)
    sequences, y = promoters(found(chosen.data, "promoters/promoters.data", WHERE))
    sequences, y = some(chosen.examples, sequences, y)
    print(f"{len(y)} sequences, {np.sum(y == 'promoter')} of them promoters")

    places = WeightedDegree(3).normalised()(sequences, progress=True)
    anywhere = Mismatch(5, 1, alphabet="acgt").normalised()(sequences, progress=True)
    kernel_svm = GridSearchCV(SVM(Precomputed()), {"C": [0.1, 1, 10]}, cv=3)

    letters = np.array([list(sequence) for sequence in sequences])
    one_hot = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVM())
    linear = GridSearchCV(one_hot, {"svm__C": [0.01, 0.1, 1]}, cv=3)
    results = compare(
        {
            "WeightedDegree(3)": (kernel_svm, places),
            "Mismatch(5, 1), anywhere": (kernel_svm, anywhere),
            "one-hot letters, linear": (linear, letters),
        },
        y,
        chosen.folds,
        chosen.repeats,
    )
    picture(places, y, "Promoters by WeightedDegree(3)", chosen.picture)
    return results


def promoters(file: Path) -> tuple[np.ndarray, np.ndarray]:
    lines = (line.split(",") for line in file.read_text("utf-8").splitlines() if line.strip())
    labels, _, sequences = zip(*lines, strict=True)
    sequences = np.array([text.strip().lower() for text in sequences])
    return sequences, np.where(np.array(labels) == "+", "promoter", "other")


if __name__ == "__main__":
    main()
