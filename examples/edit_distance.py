"""Surnames of two languages, told apart by an edit distance that was made into a kernel.

    python examples/edit_distance.py [--data FOLDER] [--languages Italian German] [--picture FILE]

The similarity 1 − d/length, with the edit distance d and the length of the longer name, is
not a kernel. In each fold of the cross-validation its matrix of the training names is repaired, a
support vector machine learns from the result, and the similarities of the names left out are
transformed as the repair says. For comparison: nearest neighbours by the same similarity, and a
linear machine that counts letters and pairs of letters.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from _data import found, options
from _show import tell
from matplotlib.figure import Figure
from sklearn.decomposition import KernelPCA
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline

from certo import SVM
from certo.kernels import Precomputed, is_psd, repair

WHERE = (
    "Surnames come with github.com/spro/practical-pytorch (MIT licence), folder data/names: one "
    "text file for each language, as Italian.txt, with a name on each line. Put them into a folder "
    "names_nationality."
)


def main(arguments: list[str] | None = None) -> dict[str, list[float]]:
    parser = options(__doc__, "edit_distance", examples=300)
    parser.add_argument("--languages", nargs=2, default=["Italian", "German"])
    chosen = parser.parse_args(arguments)

    folder = found(chosen.data, "names_nationality", WHERE)
    names, y = surnames(folder, chosen.languages, chosen.examples)
    lengths = [len(name) for name in names]
    S = 1 - edit_distances(names) / np.maximum.outer(lengths, lengths)
    print(f"{len(names)} surnames, {np.sum(y)} of them {chosen.languages[1]}")
    print(f"1 − d/length is {is_psd(S)}")
    print(repair(S))
    print()
    results = cross_validated(names, S, y, chosen.folds)
    for name, scores in results.items():
        print(f"{name:32s} {100 * np.mean(scores):5.1f} % ± {100 * np.std(scores):.1f} right")
    chosen.picture.parent.mkdir(parents=True, exist_ok=True)
    picture(S, y, chosen.languages).savefig(chosen.picture, dpi=110)
    print(f"\nThe picture is in {chosen.picture}.")
    return results


def surnames(folder: Path, languages: list[str], most: int) -> tuple[list[str], np.ndarray]:
    """Different names, at most so many of each language, and whether they are of the second;
    names that both have are left out."""
    files = [folder / f"{language}.txt" for language in languages]
    if not all(file.is_file() for file in files):
        there = sorted(file.stem for file in folder.glob("*.txt"))
        sys.exit(f"Choose two of these languages in {folder}: {', '.join(there)}.")
    first, second = (
        {line.strip().lower() for line in file.read_text("utf-8").splitlines()} - {""}
        for file in files
    )
    rng = np.random.default_rng(0)
    parts = [rng.permutation(sorted(some))[:most] for some in (first - second, second - first)]
    return [str(name) for name in np.concatenate(parts)], np.repeat([0, 1], [*map(len, parts)])


def edit_distances(names: list[str]) -> np.ndarray:
    """How many letters must be put in, left out or replaced to make one name of another.

    The usual table D[i, j] of prefixes, row by row, for one name against all others together.
    Putting in letters takes, from left to right, D[j] = min over k ≤ j of (D[k] + j − k).
    """
    lengths = np.array([len(name) for name in names])
    letters = np.zeros((len(names), lengths.max()), dtype=np.uint32)
    for row, name in zip(letters, names, strict=True):
        row[: len(name)] = [ord(letter) for letter in name]
    j = np.arange(letters.shape[1] + 1)
    result = np.empty((len(names), len(names)))
    for i, name in enumerate(names):
        if i % 100 == 99:
            tell(f"edit distances of {i + 1} of {len(names)} names")
        D = np.tile(j, (len(names), 1))
        for letter in name:
            replaced = D[:, :-1] + (letters != ord(letter))
            D += 1  # the letter left out
            D[:, 1:] = np.minimum(D[:, 1:], replaced)
            D = np.minimum.accumulate(D - j, axis=1) + j
        result[i] = D[np.arange(len(names)), lengths]
    tell("")
    return result


def cross_validated(names, S, y, folds: int) -> dict[str, list[float]]:
    """The share of right answers in each fold."""
    words = np.array(names)
    counts = make_pipeline(
        CountVectorizer(analyzer="char_wb", ngram_range=(1, 2), dtype=np.float64), SVM(C=1.0)
    )
    scores: dict[str, list[float]] = {}
    splits = StratifiedKFold(folds, shuffle=True, random_state=0).split(words, y)
    for fold, (train, test) in enumerate(splits, 1):
        tell(f"fold {fold} of {folds}")
        square, new = np.ix_(train, train), np.ix_(test, train)
        for how in ("clip", "flip", "shift"):
            repaired = repair(S[square], how)
            model = SVM(Precomputed(), C=1.0).fit(repaired.kernel, y[train])
            right = model.score(repaired.transform(S[new]), y[test])
            scores.setdefault(f"SVM, edit distance, {how}", []).append(right)
        near = KNeighborsClassifier(5, metric="precomputed").fit(1 - S[square], y[train])
        scores.setdefault("5 nearest, edit distance", []).append(near.score(1 - S[new], y[test]))
        linear = counts.fit(words[train], y[train])
        scores.setdefault("linear SVM, letters and pairs", []).append(
            linear.score(words[test], y[test])
        )
        most = np.mean(y[test] == np.argmax(np.bincount(y[train])))
        scores.setdefault("the larger class", []).append(float(most))
    tell("")
    return scores


def picture(S, y, languages) -> Figure:
    figure = Figure(figsize=(13, 4.2), layout="constrained")
    heat, spectrum, plane = figure.subplots(1, 3)
    image = heat.imshow(S, vmin=0, vmax=0.6, cmap="magma")
    figure.colorbar(image, ax=heat)
    border = np.sum(y == 0)
    heat.set(title="1 − d/length of all pairs", xticks=[border], yticks=[border])
    heat.set(xticklabels=[""], yticklabels=[""], xlabel="  |  ".join(languages))
    values = np.linalg.eigvalsh(S)[::-1]
    spectrum.plot(values)
    spectrum.axhline(0.0, color="grey", linewidth=0.8)
    spectrum.set(yscale="symlog", title="its eigenvalues", xlabel="number")
    points = KernelPCA(2, kernel="precomputed").fit_transform(repair(S).kernel)
    for label, language in enumerate(languages):
        plane.plot(*points[y == label].T, ".", markersize=4, alpha=0.7, label=language)
    plane.set(title="kernel PCA of the clipped matrix", xticks=[], yticks=[])
    plane.legend()
    return figure


if __name__ == "__main__":
    main()
