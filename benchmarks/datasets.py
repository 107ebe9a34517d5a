"""Data for benchmarks: real sets where the folder is there, generated ones everywhere."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import numpy as np
from scipy import sparse


def folder() -> Path | None:
    """CERTO_DATA, or ../shared/data beside the project, or None."""
    places = [os.environ.get("CERTO_DATA"), Path(__file__).parents[2] / "shared" / "data"]
    return next((Path(place) for place in places if place and Path(place).is_dir()), None)


def noisy_dense(m: int, d: int, dtype=np.float64, seed: int = 0):
    """Gaussian examples, labels of a random hyperplane seen through noise: not separable."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d)).astype(dtype)
    noise = 2 * random.standard_normal(m)
    return X, np.where(X @ random.standard_normal(d) + noise > 0, 1, -1)


def flipped_dense(m: int = 10_000, d: int = 18, flipped: float = 0.2, seed: int = 0):
    """Gaussian examples, labels of a random hyperplane, some of them flipped."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    y = np.where(X @ random.standard_normal(d) > 0, 1, -1)
    y[random.random(m) < flipped] *= -1
    return X, y


def generated_text(m: int, d: int = 60_000, words: int = 120, flipped: float = 0.05, seed: int = 0):
    """Documents as weighted word counts, words distributed as in language; some labels flipped, and
    some documents repeated with the other label, so that no hyperplane separates them."""
    random = np.random.default_rng(seed)
    columns = np.minimum((d ** random.random((m, words))).astype(np.int32), d - 1)
    counts = sparse.csr_matrix(
        (np.ones(m * words), columns.ravel(), np.arange(0, m * words + 1, words, dtype=np.int32)),
        shape=(m, d),
    )
    counts.sum_duplicates()
    counts.data = 1 + np.log(counts.data)
    y = np.where(counts @ random.standard_normal(d) > 0, 1, -1)
    y[random.random(m) < flipped] *= -1
    twins = random.choice(m, m // 200, replace=False)
    X = sparse.vstack([counts, counts[twins]], format="csr")
    return X, np.concatenate([y, -y[twins]])


def separable_dense(m: int, d: int, gap: float = 0.1, seed: int = 0):
    """Gaussian examples, moved away from a random hyperplane by `gap` on either side."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((m, d))
    u = random.standard_normal(d)
    u /= np.linalg.norm(u)
    y = np.where(X @ u > 0, 1, -1)
    X += gap * y[:, None] * u
    return X, y


def separable_text(m: int, d: int = 60_000, words: int = 120, seed: int = 0):
    """Documents as in `generated_text`, more words than documents, and labels of a hyperplane."""
    X, y = generated_text(m, d, words, flipped=0.0, seed=seed)
    return X[:m], y[:m]  # without the repeated ones, which contradict


def mushrooms():
    """The mushrooms of UCI, edible or not, as 112 indicators; None if absent."""
    data = _svmlight("mushrooms/mushrooms.gz", 112)
    return data and (data[0], np.where(data[1] == 1, 1, -1))


def newsgroups():
    """The 20 newsgroups with 62,061 words; None if absent."""
    return _svmlight("news20_multiclass/news20.bz2", 62061)


def news20():
    """The first ten of the newsgroups against the others; None if absent."""
    data = newsgroups()
    return data and (data[0], np.where(data[1] <= 10, 1, -1))


def a9a():
    """Census incomes above 50,000 or not, 123 indicators; None if absent."""
    return _svmlight("a9a/a9a.gz", 123)


def w8a():
    """Web pages of a rare category or not, 300 keywords; None if absent."""
    return _svmlight("w8a/w8a.gz", 300)


def ijcnn1():
    """The signals of an engine, 22 features; None if absent."""
    return _svmlight("ijcnn1/ijcnn1.bz2", 22)


def phishing():
    """Web sites that are what they seem or not, 68 indicators; None if absent."""
    return _svmlight("phishing/phishing.gz", 68)


def letters():
    """Printed letters, 16 features; None if absent."""
    return _svmlight("letter_scale/letter.scale.gz", 16)


def usps():
    """Handwritten digits, 256 pixels; None if absent."""
    place = folder()
    if place is None or not (place / "usps" / "usps.npz").exists():
        return None
    with np.load(place / "usps" / "usps.npz") as stored:
        return stored["X_train"], stored["y_train"]


def letter():
    """The letters A to M against N to Z; None if absent."""
    data = letters()
    return data and (data[0], np.where(data[1] <= 13, 1, -1))


def mnist():
    """Handwritten digits, even against odd; None if absent."""
    data = digits()
    return data and (data[0], 1 - data[1] % 2)


def digits():
    """Handwritten digits, 784 pixels from 0 to 1; None if absent."""
    place = folder()
    if place is None or not (place / "mnist").is_dir():
        return None

    def content(file: str, header: int) -> np.ndarray:
        with gzip.open(place / "mnist" / file) as stream:
            return np.frombuffer(stream.read(), np.uint8, offset=header)

    labels = content("train-labels-idx1-ubyte.gz", 8)
    return content("train-images-idx3-ubyte.gz", 16).reshape(-1, 784) / 255, labels


def reuters_moneyfx():
    """News on money and exchange or not, 8,315 words; None if absent."""
    return _svmlight("reuters_moneyfx/reuters.trn.bz2", 8315)


def covtype():
    """Forest cover, standardised, class 2 against the rest; None if absent."""
    place = folder()
    if place is None or not (place / "covtype" / "covtype.npz").exists():
        return None
    with np.load(place / "covtype" / "covtype.npz") as stored:
        arrays = {name: stored[name] for name in stored.files}
    X = next(a for a in arrays.values() if a.ndim == 2).astype(np.float64)
    y = next(a for a in arrays.values() if a.ndim == 1)
    X = np.ascontiguousarray((X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-12))
    return X, np.where(y == 2, 1, -1)


def at_random(data, m: int, seed: int = 0):
    """`m` of the examples, in random order; all in their own if there are no more; or None."""
    if data is None or data[0].shape[0] <= m:
        return data
    chosen = np.random.default_rng(seed).permutation(data[0].shape[0])[:m]
    return data[0][chosen], data[1][chosen]


def _svmlight(file: str, features: int):
    """X in CSR with 32-bit indices, which is all that scikit-learn takes, and y; None if absent."""
    from sklearn.datasets import load_svmlight_file

    place = folder()
    if place is None or not (place / file).exists():
        return None
    X, y = load_svmlight_file(str(place / file), n_features=features)
    indices, indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return sparse.csr_matrix((X.data, indices, indptr), shape=X.shape), y


SMALL = {  # the file, and the place of the label
    "haberman": ("haberman.csv", -1),
    "transfusion": ("transfusion.data", -1),
    "breast_cancer_wisconsin": ("breast-cancer-wisconsin.data", -1),
    "voting": ("house-votes-84.data", 0),
    "banknote": ("banknote_authentication.csv", -1),
    "ionosphere": ("ionosphere.csv", -1),
    "sonar": ("sonar.csv", -1),
    "pima_diabetes": ("pima-indians-diabetes.csv", -1),
}


def small(name: str):
    """A small real set as it is read from its file: complete rows, or for the votes (voting) −1,
    0 and 1; the Wisconsin set without its identifiers. None if absent."""
    place = folder()
    if name == "heart_scale":
        from sklearn.datasets import load_svmlight_file

        if place is None or not (place / name / name).exists():
            return None
        X, y = load_svmlight_file(str(place / name / name))
        return X.toarray(), y
    file, label = SMALL[name]
    if place is None or not (place / name / file).exists():
        return None
    with open(place / name / file) as lines:
        table = [line.strip().split(",") for line in lines if line.strip()]
    if name == "voting":
        vote = {"y": 1.0, "n": -1.0, "?": 0.0}
        return np.array([[vote[v] for v in row[1:]] for row in table]), np.array(
            [row[0] for row in table]
        )
    rows = [row for row in table if "?" not in row and not row[0].strip()[:1].isalpha()]
    y = np.array([row[label] for row in rows])
    X = np.array([row[:label] for row in rows], dtype=np.float64)
    return (X[:, 1:] if name == "breast_cancer_wisconsin" else X), y


def molecules(name: str):
    """Graphs of the TU collection in random order, as (edges, labels); None if absent."""
    from certo.data import read_tu

    place = folder()
    if place is None or not (place / f"TU_{name}").is_dir():
        return None
    graphs, _ = read_tu(place / f"TU_{name}")
    order = np.random.default_rng(0).permutation(len(graphs)).tolist()
    edges = [graphs[i].edges for i in order]
    labels = [dict(enumerate(graphs[i].labels)) for i in order]
    both = ([*map(tuple, np.vstack([e, e[:, ::-1]]).tolist())] for e in edges)
    return [*zip(both, labels, strict=True)]


def messages() -> list[str] | None:
    """Text messages (SMS spam); None if absent."""
    place = folder()
    if place is None or not (place / "sms_spam" / "sms.tsv").exists():
        return None
    with open(place / "sms_spam" / "sms.tsv", encoding="utf-8") as lines:
        return [line.rstrip("\n").split("\t", 1)[1] for line in lines if "\t" in line]


def surnames(m: int, seed: int = 0) -> list[str]:
    """Surnames of many languages, in random order; generated ones where there are none."""
    random = np.random.default_rng(seed)
    place = folder()
    if place is not None and (place / "names_nationality").is_dir():
        files = sorted((place / "names_nationality").glob("*.txt"))
        names = [line for file in files for line in file.read_text("utf-8").split("\n") if line]
        return [names[i] for i in random.permutation(len(names))[:m].tolist()]
    lengths = random.integers(4, 12, m)
    return ["".join(random.choice([*"abcdefghijklmnoprstuvz"], n)) for n in lengths.tolist()]


def parses() -> list[str] | None:
    """Parse trees of the TREC questions; None if absent."""
    place = folder()
    file = place and place / "trec_questions" / "train_5500.label.parsed"
    if file is None or not file.exists():
        return None
    return [line for line in file.read_text("utf-8").split("\n") if line.strip()]
