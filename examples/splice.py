"""Splice junctions: where does DNA leave a gene's text, and where does it come back?

    python examples/splice.py [--data FOLDER] [--picture FILE]

60 bases around a place which is the end of an exon (EI), its beginning (IE), or neither (N).
WeightedDegree counts the words of up to eight bases that two sequences have at the same places; a
linear machine on one-hot letters weighs single bases; a spectrum does not ask where a word is. C is
chosen inside each fold.
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
from certo.kernels import Precomputed, Spectrum, WeightedDegree

WHERE = (
    "It is splice.data of archive.ics.uci.edu/dataset/69 (Molecular Biology, Splice-junction Gene "
    "Sequences): lines of a class, a name and a sequence, with commas between them. Put it into a "
    "folder splice_dna."
)


def main(arguments: list[str] | None = None) -> dict[str, np.ndarray]:
    chosen = options(__doc__, "splice", folds=5).parse_args(arguments)
    sequences, y = junctions(found(chosen.data, "splice_dna/splice.data", WHERE))
    sequences, y = some(chosen.examples, sequences, y)
    print(f"{len(y)} sequences of {len(np.unique(y))} classes")

    places = WeightedDegree(8).normalised()(sequences, progress=True)
    anywhere = Spectrum(4).normalised()(sequences, progress=True)
    kernel_svm = GridSearchCV(SVM(Precomputed()), {"C": [1, 10]}, cv=3)

    letters = np.array([list(sequence) for sequence in sequences])
    one_hot = make_pipeline(OneHotEncoder(handle_unknown="ignore"), SVM())
    linear = GridSearchCV(one_hot, {"svm__C": [0.003, 0.01, 0.03, 0.1]}, cv=3)
    results = compare(
        {
            "WeightedDegree(8)": (kernel_svm, places),
            "Spectrum(4), anywhere": (SVM(Precomputed()), anywhere),
            "one-hot letters, linear": (linear, letters),
        },
        y,
        chosen.folds,
    )
    picture(places, y, "Splice junctions by WeightedDegree(8)", chosen.picture)
    return results


def junctions(file: Path) -> tuple[np.ndarray, np.ndarray]:
    lines = (line.split(",") for line in file.read_text("utf-8").splitlines() if line.strip())
    labels, _, sequences = zip(*(line for line in lines if len(line) == 3), strict=True)
    return np.array([text.strip() for text in sequences]), np.array([s.strip() for s in labels])


if __name__ == "__main__":
    main()
