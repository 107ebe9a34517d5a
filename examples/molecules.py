"""Which molecules change genes (MUTAG), and which cause cancer in rats (PTC)?

    python examples/molecules.py [--data FOLDER] [--sets MUTAG PTC_MR] [--picture FILE]

A molecule is a graph of labelled atoms. WeisfeilerLehman counts what atoms see around them; how
far they look, and C, are chosen inside each of the ten folds, so that what is left out has no say
in it. Beside it stand shortest paths, and how many atoms of each kind there are.
"""

from __future__ import annotations

import numpy as np
from _data import found, options, some
from _show import compare, picture
from sklearn.model_selection import GridSearchCV

from certo import SVM
from certo.data import read_tu
from certo.kernels import ShortestPath, WeisfeilerLehman

WHERE = (
    "It is {name}.zip of graphlearning.io (the TU graph collection), unzipped: {name}_A.txt and "
    "what comes with it. Put these files into a folder TU_{name}."
)


def main(arguments: list[str] | None = None) -> dict[str, dict[str, np.ndarray]]:
    parser = options(__doc__, "molecules")
    parser.add_argument("--sets", nargs="+", default=["MUTAG", "PTC_MR"], help="names of TU sets")
    chosen = parser.parse_args(arguments)
    return {name: molecules(name, chosen) for name in chosen.sets}


def molecules(name: str, chosen) -> dict[str, np.ndarray]:
    graphs, y = read_tu(found(chosen.data, f"TU_{name}", WHERE.format(name=name)))
    graphs, y = some(chosen.examples, graphs, y)
    print(f"{name}: {len(y)} molecules, {np.sum(y == y.max())} of them positive")

    C = {"C": [1, 10, 100]}
    far = {"kernel__kernel__iterations": [1, 2, 3, 4]}
    wl = GridSearchCV(SVM(WeisfeilerLehman().normalised()), C | far, cv=3)
    paths = GridSearchCV(SVM(ShortestPath().normalised()), C, cv=3)
    atoms = GridSearchCV(SVM(WeisfeilerLehman(0)), {"C": [0.01, 0.1, 1]}, cv=3)
    results = compare(
        {
            "WeisfeilerLehman, 1 to 4 steps": (wl, graphs),
            "ShortestPath": (paths, graphs),
            "how many atoms of each kind": (atoms, graphs),
        },
        y,
        chosen.folds,
    )
    kernel = WeisfeilerLehman(3).normalised()
    path = chosen.picture.with_stem(f"{chosen.picture.stem}_{name}")
    picture(kernel(graphs, progress=True), y, f"{name} by WeisfeilerLehman(3)", path)
    return results


if __name__ == "__main__":
    main()
