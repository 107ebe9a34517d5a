"""Corrupted certificates, models and data, by the thousand: what is accepted must be true.

A case is a certificate, as plain JSON values, with the data it is about. A corruption changes one
or two things of a case, as someone would who wants to be believed: there is no fingerprint to get
in his way. Whatever then verifies is put before `truths`, which knows nothing of the package.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import json
import struct
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

import certo
from certo.certificates import (
    CannotClaim,
    Certificate,
    Certified,
    ClassSeparability,
    Labels,
    LeastErrorsByTree,
)
from certo.certificates.blocks.check import CHECKED
from certo.certificates.density.box_features import BoxCosines, BoxPolynomials
from certo.certificates.errors.least_errors_by_tree import FINENESS, Packing, Subsystem
from certo.estimators.new_examples import one_pass
from certo.kernels import Gaussian, Linear, Polynomial, Precomputed
from certo.losses import Hinge, Logistic, Squared
from certo.rates import Power
from certo.scale import ArrayBlocks
from certo.scale.device import has_torch
from tests.oracles.truths import is_true

TREATMENTS = ("free", "lifted", "none")
EXTREME = 1000  # seeds from here on are for numbers of unusual size
PAIRED = (
    "Inseparable", "MaximumMargin", "Separable", "SoftMarginGap", "SupportBound", "TrainingErrors"
)  # fmt: skip
LAYER = "CompressionBound of a layer"
KERNEL_RUN = "CompressionBound of a kernel run"
LARGER = 10_000  # a seed of r·LARGER + s asks for r times as many rows as s does


class Case(NamedTuple):
    data: dict
    X: np.ndarray
    y: Any


class Outcome(NamedTuple):
    kind: str  # of corruption
    verdict: str  # rejected, true or FALSE
    case: Case


# --- where certificates come from -----------------------------------------------------------------


def _points(seed: int, m: int = 8, d: int = 2, whole: bool = True):
    random, m = np.random.default_rng(seed), m * max(1, seed // LARGER)
    X = random.integers(-3, 4, (m, d)).astype(float)
    if not whole:
        X = np.round(random.standard_normal((m, d)), 3)
    return random, X


def _scaled(X: np.ndarray, seed: int) -> np.ndarray:
    """The same, or with columns of different scales, or very large or very small."""
    random, seed = np.random.default_rng(seed), seed % LARGER
    if seed >= 2 * EXTREME:
        return X * 2.0 ** int(random.choice([-320, -250, 200, 300]))
    if seed >= EXTREME:
        return X * 2.0 ** random.integers(-25, 25, X.shape[1])
    return X


def _two(X: np.ndarray, random, noise: float) -> np.ndarray:
    scores = X @ np.array([2.0, -1.0, 0.5])[: X.shape[1]] + 0.5
    scores = scores + noise * random.standard_normal(len(X))
    y = np.where(scores > 0, "up", "down")
    y[:2] = ("up", "down") if scores[0] > scores[1] else ("down", "up")
    return y


def _apart(seed: int, m: int = 8, d: int = 2):
    """Two classes with a gap between them."""
    _, X = _points(seed, m, d, whole=seed % 2 == 0)
    y = np.resize(["up", "down"], len(X))
    X[:, 0] = np.where(y == "up", np.abs(X[:, 0]) + 1, -np.abs(X[:, 0]) - 0.5)
    return _scaled(X, seed), y


def _mixed(seed: int, m: int = 8, d: int = 2):
    random, X = _points(seed, m, d, whole=seed % 2 == 0)
    y = _two(X, random, 2.0)
    return _scaled(X, seed), y


def _three(seed: int, m: int = 9, noise: float = 0.0):
    random, X = _points(seed, m, 2)
    W = np.array([[2.0, 0, 0], [-1, 2, 0], [-1, -2, 1.0]])
    y = np.array(["a", "b", "c"])[
        np.argmax(X @ W[:, :2].T + W[:, 2] + noise * random.gumbel(size=(len(X), 3)), axis=1)
    ]
    y[:3] = ("a", "b", "c")
    return _scaled(X, seed), y


def _of(kind: str, model, X, y=None) -> Iterator[Case]:
    for claim in model.certificate_.of_kind(kind):
        yield Case(claim.to_dict(), X, y)


def _perceptron(kind: str, seed: int) -> Iterator[Case]:
    X, y = _apart(seed) if kind == "Separable" or seed % 3 else _mixed(seed)
    options: dict = {"intercept": "none" if seed % 2 else "lifted", "epochs": 40}
    if kind == "MistakeBound" and seed % 4 == 3:
        options["learning_rate"] = Power(1.0, 0.5)
    elif kind == "MistakeBound" and seed % 4 == 2:
        options["shards"] = 2 + seed % 3
    if kind == "CompressionBound":
        X, y = _apart(seed, m=80)
        options |= {"order": "shuffled" if seed % 2 else "cyclic", "random_state": seed}
        if seed % 3 == 2:
            options["init"] = "random"
    if seed % 5 == 4:  # two columns of labels
        y = np.c_[y == "up", X[:, -1] > 0].astype(int)
    return _of(kind, certo.Perceptron(**options).fit(X, y), X, y)


def _separability(kind: str, seed: int) -> Iterator[Case]:
    """Two classes, or every other time three at once; and what a fit says of its own hyperplane."""
    if kind == "Separable" and seed % 4 == 2:
        yield from _perceptron(kind, seed)
        return
    quasi = kind in ("QuasiSeparable", "Overlapping")
    several = kind == "ClassSeparability" or seed % 2
    _, X = _points(seed, 9 if several else 8, 2)
    mode = "none" if seed % 3 == 2 else "free"
    if several:
        X = X[:90] if quasi else X  # the truth takes long
        y = np.resize(list("abc"), len(X))
        if kind == "Separable" or (kind == "ClassSeparability" and seed % 2):
            X, y = (part[3 * (kind == "Separable") :] for part in _three(seed))  # 3 are made up
        elif kind == "QuasiSeparable":
            X[:, 0] = np.where(y == "c", np.abs(X[:, 0]), -np.abs(X[:, 0]))
    elif kind == "Separable":
        X, y = _apart(seed)
    elif kind == "QuasiSeparable":
        y = np.resize(["up", "down"], len(X))
        X[:, 0] = np.where(y == "up", np.abs(X[:, 0]), -np.abs(X[:, 0]))
        X[:2] = 0
    else:
        X, y = _mixed(seed)
    claim = (certo.quasi_separability if quasi else certo.separability)(X, y, mode)
    if isinstance(claim, ClassSeparability) and kind != "ClassSeparability":
        claim = claim.joint
    if type(claim).__name__ == kind:
        yield Case(claim.to_dict(), X, y)


#: Claims about fits on a device, by way of PyTorch, where that is installed.
ON_DEVICE = "SoftMarginGap on a device"
#: How many times larger tables may be for claims with a kernel, whose exact truth takes long.
LARGEST_WITH_KERNEL = {
    "ExpectedExcess": 5, "MaximumMargin": 10, "MistakeBound": 10, "SoftMarginGap": 3
}  # fmt: skip


def _kernels(kind: str, seed: int, *kernels) -> list:
    """None, for hyperplanes, and one of the kernels, where the table is not too large for them."""
    some = [kernels[seed % len(kernels)]] if seed // LARGER <= LARGEST_WITH_KERNEL[kind] else []
    return [None, *some]


def _margin(kind: str, seed: int) -> Iterator[Case]:
    X, y = _apart(seed)
    for kernel in _kernels(kind, seed, Gaussian(2.0), Polynomial(2), Precomputed(), Linear()):
        points = Polynomial(2)(X) if kernel == Precomputed() else X
        model = certo.HardMarginSVM(kernel=kernel, intercept=TREATMENTS[seed % 3])
        yield from _of(kind, model.fit(points, y), points, y)


def _of_pairs(kind: str, seed: int) -> Iterator[Case]:
    """Claims about pairs of three classes, and about their vote."""
    kind, m = kind.partition(" ")[0], 6 if kind.startswith("SupportBound") else 9
    X, y = _three(seed, m, noise=2.0 if seed % 2 else 0.0)
    mode, kernel = TREATMENTS[seed % 3], [None, Gaussian(2.0), Polynomial(2)][seed // 2 % 3]
    if seed // LARGER > 1 or kind == "Inseparable":
        kernel = None
    options: dict = {"intercept": mode, "tol": 1e-6 if kind == "SupportBound" else 1e-4}
    if kind in ("Inseparable", "MaximumMargin", "Separable") or (
        kind == "SupportBound" and seed % 4 == 3
    ):
        model = certo.HardMarginSVM(kernel, **options)
    else:
        by_class = {"a": 2.0, "b": 1.0, "c": 0.5} if kind == "SoftMarginGap" and seed % 2 else None
        options["break_ties"] = kind == "TrainingErrors" and seed % 3 == 1
        model = certo.SVM(kernel, C=0.5, class_weight=by_class, **options)
    try:
        model.fit(X, y)
    except certo.NotSeparable as none:
        if kind == "Inseparable" and none.proof is not None:
            yield Case(none.proof.to_dict(), X, y)
        return
    page = certo.certify(model, X, y)
    yield from (Case(claim.to_dict(), X, y) for claim in page.of_kind(kind))


def _soft(kind: str, seed: int) -> Iterator[Case]:
    X, y = _mixed(seed, m=7)
    options: dict = {"C": [0.5, 1.0, 10.0][seed % 3], "tol": 1e-3 if seed % 2 else 1e-9}
    if seed % 4 == 1:
        options["class_weight"] = {"up": 2.0, "down": 0.3}
    weight = np.arange(1.0, len(y) + 1) / 3 if seed % 5 == 4 else None
    kernels = Gaussian(2.0), Polynomial(2), Precomputed(), 0.5 * Gaussian(1.0)
    chosen = _kernels("SoftMarginGap", seed, *kernels)
    if kind == ON_DEVICE:
        kind, options["device"] = "SoftMarginGap", "torch"
        chosen = [one for one in chosen if one not in (None, Precomputed())]
    for kernel in chosen:
        points = Polynomial(2)(X) if kernel == Precomputed() else X
        model = certo.SVM(kernel=kernel, intercept=TREATMENTS[seed % 3], **options)
        yield from _of(kind, model.fit(points, y, sample_weight=weight), points, y)


def _pegasos(kind: str, seed: int) -> Iterator[Case]:
    X, y = _mixed(seed)
    for kernel in _kernels(kind, seed, Gaussian(2.0), Polynomial(2)):
        model = certo.Pegasos(
            lam=[0.1, 0.01][seed % 2], max_iter=50 + seed, kernel=kernel, random_state=seed,
            intercept="none" if seed % 3 else "lifted",
        )  # fmt: skip
        yield from _of(kind, model.fit(X, y), X, y)


def _mistakes(kind: str, seed: int) -> Iterator[Case]:
    """Of a hyperplane, and of a function of a kernel's space."""
    yield from _perceptron(kind, seed)
    X, y = _apart(seed) if seed % 2 else _mixed(seed)
    for kernel in _kernels(kind, seed, Gaussian(2.0), Polynomial(2), Precomputed(), Linear())[1:]:
        points = Polynomial(2)(X) if kernel == Precomputed() else X
        intercept = "lifted" if seed % 3 else "none"
        model = certo.KernelPerceptron(kernel, epochs=20, intercept=intercept)
        yield from _of(kind, model.fit(points, y), points, y)


def _descent(kind: str, seed: int) -> Iterator[Case]:
    X, y = _mixed(seed)
    X = X + 0.01 * np.random.default_rng(seed).standard_normal(X.shape)  # no score on a kink
    options: dict = [
        {"loss": Hinge(), "lam": 0.1},
        {"loss": Hinge(), "lam": 0.0, "radius": 2.0, "average": False},
        {"loss": Logistic(), "lam": 0.5, "intercept": "none"},
        {"loss": Squared(), "lam": 0.1, "radius": 1.0},
    ][seed % 4]
    return _of(kind, certo.OnlineGradientDescent(**options).fit(X, y), X, y)


def _disagreement(kind: str, seed: int) -> Iterator[Case]:
    X, y = _mixed(seed, m=9)
    weight = np.arange(1.0, len(y) + 1) / 4 if seed % 3 == 1 else None
    model = certo.MinDisagreement(intercept="none" if seed % 2 else "free", time_limit=10)
    yield from _of(kind, model.fit(X, y, sample_weight=weight), X, y)


def _tree(kind: str, seed: int) -> Iterator[Case]:
    """Crossed pairs, and one place with both labels, the costs of errors being as given."""
    X = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0], [3, 3], [3, 3], [5, 4]]) * (1 + seed / 4)
    y = np.array(["up", "up", "down", "down", "up", "down", "up"])
    weight = np.array([]) if seed % 2 else np.array([1.0, 2, 1, 1, 0.5, 3, 1])
    crossed = Subsystem(np.arange(4), (Fraction(1),) * 4)
    claim = LeastErrorsByTree(
        Labels(("down", "up")), True, 7, weight, 2.0 if seed % 2 else 1.5, (crossed,),
        (Packing((0,), ((1 + len(weight) // 7) * FINENESS,)), Packing((), ())), np.array([-1]),
    )  # fmt: skip
    if seed % 4 < 2:
        yield Case(claim.to_dict(), X, y)
    else:
        yield from _disagreement(kind, seed)


def _least_squares(kind: str, seed: int) -> Iterator[Case]:
    random, X = _points(seed, 9, 2, whole=seed % 2 == 0)
    X = _scaled(X, seed)
    if seed % 3 == 1:
        X = np.c_[X, X @ [1.0, -2.0] + 1]
    if seed % 7 == 5:
        X = np.c_[X, X @ [1.0, -2.0] + 1e-9 * random.standard_normal(len(X))]
    y = np.round(X[:, 0] + random.standard_normal(len(X)), 3)
    y = np.c_[y, y**2] if seed % 4 == 3 else y
    weight = random.integers(0, 3, len(X)) + 0.5 if seed % 5 == 2 else None
    model = certo.LeastSquares(
        intercept="none" if seed % 4 == 2 else "free", ridge=0.1 if seed % 6 == 4 else 0.0
    )
    return _of(kind, model.fit(X, y, sample_weight=weight), X, y)


def _distances(kind: str, seed: int) -> Iterator[Case]:
    random, X = _points(seed, 30, 2, whole=seed % 2 == 0)
    X = _scaled(X, seed)
    y = np.round(X[:, 0] + random.standard_normal(len(X)), 3)
    half = len(X) // 2
    model = certo.LeastSquares(intercept="none" if seed % 4 == 2 else "free")
    page = certo.certify(
        model.fit(X[:half], y[:half]), X[:half], y[:half], X_test=X[half:], y_test=y[half:]
    )
    yield from (Case(claim.to_dict(), X[half:], y[half:]) for claim in page.test)


def _logistic(kind: str, seed: int) -> Iterator[Case]:
    separable = kind == "NoEstimate"
    if seed % 3 == 2:
        X, y = _three(seed, noise=0.0 if separable else 3.0)
    else:
        X, y = _apart(seed) if separable else _mixed(seed)
    options: dict = {"intercept": "none" if seed % 4 == 1 else "free"}
    if not separable:
        options["ridge"] = [0.0, 0.1][seed % 2]
    if seed % 5 == 3 and not separable:
        options["class_weight"] = "balanced"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", certo.SeparationWarning)
        model = certo.LogisticRegression(**options).fit(X, y)
    yield from _of(kind, model, X, y)


def _density(kind: str, seed: int) -> Iterator[Case]:
    random, X = _points(seed, 9, 2, whole=False)
    weight = random.integers(0, 3, len(X)) + 0.5 if seed % 3 == 1 else None
    gaussian = "Gaussian" in kind
    if kind == "NoGaussianDensity":
        X = np.c_[np.round(4 * X), [3.0] * len(X)] if seed % 2 else X[[0, 1] * 4 + [0]]
        X[:, -1] += X[:, 0] * (seed % 4 == 1)
    elif kind == "NoLogLinearDensity":
        X = X[[0] * 5 + [seed % 4] * 4, :1]
    elif not gaussian:
        X = X[:, :1]
    family = [BoxPolynomials, BoxCosines][seed % 2](3 + seed % 2 if "No" in kind else 2)
    kinds = ("full", "diagonal")
    model = (
        certo.GaussianDensity(covariance=kinds[seed // 2 % 2])
        if gaussian
        else certo.LogLinearDensity(features=family, box=(-4.0, 4.0))
    )
    try:
        yield from _of(kind, model.fit(X, sample_weight=weight), X)
    except certo.NoDensity as none:
        if none.proof is not None and none.proof.name == kind:
            yield Case(none.proof.to_dict(), X, None)


def _composite(kind: str, seed: int) -> Iterator[Case]:
    X, y = _three(seed) if seed % 2 else _apart(seed)
    model = certo.Perceptron(epochs=30).fit(X, y)
    yield Case(model.certificate_.to_dict(), X, y)


def _in_threes(X: np.ndarray, y: Any) -> ArrayBlocks:
    """Examples in blocks of three rows."""
    return ArrayBlocks(X, y, ends=[*range(3, len(X), 3), len(X)])


def _by_blocks(kind: str, seed: int) -> Iterator[Case]:
    """The claims of fits to blocks of three rows: no row has a multiplier of its own in them."""
    fit, kind = IN_BLOCKS[kind], kind.partition(" ")[0]
    X, y = _mixed(seed)
    if kind == "LogisticExcess" and seed % 3 == 2:
        X, y = _three(seed, noise=3.0)
    y = X @ [1.0, -0.5] + np.sin(np.arange(len(X))) if kind == "LeastSquaresExcess" else y
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # That tol was not reached.
        model = fit(seed).fit(_in_threes(X, y))
    yield from (Case(claim.to_dict(), X, y) for claim in model.certificate_.of_kind(kind))


IN_BLOCKS: dict[str, Callable[[int], Any]] = {
    "SoftMarginGap by blocks": lambda seed: certo.SVM(
        C=[0.5, 1.0, 10.0][seed % 3], intercept=TREATMENTS[seed % 3], tol=1e-4,
        class_weight={"up": 2.0, "down": 0.3} if seed % 4 == 1 else None,
    ),
    "LeastSquaresExcess by blocks": lambda seed: certo.LeastSquares(
        intercept="none" if seed % 4 == 2 else "free", ridge=0.1 if seed % 3 == 1 else 0.0
    ),
    "LogisticExcess by blocks": lambda seed: certo.LogisticRegression(
        intercept="none" if seed % 4 == 1 else "free", ridge=[0.0, 0.1][seed % 2]
    ),
}  # fmt: skip


def _whole_page(kind: str, seed: int) -> Iterator[Case]:
    X, y = _three(seed, 12) if seed % 2 else _apart(seed, 40)
    model = certo.Perceptron(epochs=1 if seed % 3 else 20).fit(X, y)
    yield Case(certo.certify(model, X, y).to_dict(), X, y)


def _page(kind: str, seed: int) -> Iterator[Case]:
    """Claims that `certify` makes beside those of the fit."""
    several = kind == LAYER or (seed % 3 == 2 and kind != "AverageToBatch")
    m = {"SupportBound": 9, KERNEL_RUN: 14}.get(kind, 30)
    X, y = _three(seed, m) if several else _apart(seed, m) if seed % 2 else _mixed(seed, m)
    mode, model = TREATMENTS[seed % 3], None
    if kind == "SupportBound":
        kernel = Gaussian(2.0) if seed % 4 == 1 else None
        model = certo.SVM(kernel, C=0.5, intercept=mode, tol=1e-6)
        if seed % 4 == 3 and not several:
            model = certo.HardMarginSVM(intercept=mode)
    elif kind == KERNEL_RUN or (kind.endswith("Errors") and seed % 4 == 1):
        kernel = [Polynomial(2), Linear(), Gaussian(1.0)][seed // 2 % 3]
        model = certo.KernelPerceptron(kernel, intercept="lifted" if seed % 2 else "none")
    elif kind == "AverageToBatch":
        X = X + 0.01 * np.random.default_rng(seed).standard_normal(X.shape)
        model = certo.OnlineGradientDescent(loss=[Hinge(), Logistic()][seed % 2], lam=0.5)
    else:
        epochs = 1 if kind == "OnlineToBatch" else 20
        order = "shuffled" if seed % 2 and not several else "cyclic"
        model = certo.Perceptron(epochs=epochs, order=order, random_state=seed)
    half = len(X) // 2
    if kind == "TestErrors":
        page = certo.certify(
            model.fit(X[:half], y[:half]), X[:half], y[:half], X_test=X[half:], y_test=y[half:]
        )
        yield from (Case(claim.to_dict(), X[half:], y[half:]) for claim in page.test)
        return
    if kind == "OnlineToBatch":  # which no page shows
        with contextlib.suppress(CannotClaim):
            yield Case(one_pass(model.fit(X, y), X, y, 0.05).to_dict(), X, y)
        return
    page = certo.certify(model.fit(X, y), X, y)
    found = page.of_kind(kind.partition(" ")[0])
    of_all = [claim for claim in found if getattr(claim, "of_predictions", True)]
    yield from (Case(claim.to_dict(), X, y) for claim in of_all)


#: what a fit on unusual numbers may say instead of an answer
REFUSALS = (ValueError, RuntimeError, Warning, CannotClaim, certo.NotSeparable, certo.NoDensity)

SOURCES: dict[str, Callable[[str, int], Iterator[Case]]] = {
    "AverageToBatch": _page,
    "Certified": _whole_page,
    LAYER: _page,
    "ClassSeparability": _separability,
    "Composite": _composite,
    "CompressionBound": _perceptron,
    "ErrorCount": _disagreement,
    "ExpectedExcess": _pegasos,
    "GaussianLikelihood": _density,
    "Inseparable": _separability,
    KERNEL_RUN: _page,
    "LeastErrorsByCells": _disagreement,
    "LeastErrorsByTree": _tree,
    "LeastSquaresExcess": _least_squares,
    "LogisticExcess": _logistic,
    "MaximumMargin": _margin,
    "MistakeBound": _mistakes,
    "MomentMatching": _density,
    "NoEstimate": _logistic,
    "NoGaussianDensity": _density,
    "NoLogLinearDensity": _density,
    "OnlineToBatch": _page,
    "Overlapping": _separability,
    "QuasiSeparable": _separability,
    "Regret": _descent,
    "Separable": _separability,
    "SoftMarginGap": _soft,
    "SupportBound": _page,
    "TestDistances": _distances,
    "TestErrors": _page,
    "TrainingErrors": _page,
    **{f"{kind} of pairs": _of_pairs for kind in PAIRED},
    **dict.fromkeys(IN_BLOCKS, _by_blocks),
    **({ON_DEVICE: _soft} if has_torch() else {}),
}


@functools.cache
def cases(kind: str, count: int = 4, tries: int = 60) -> tuple[Case, ...]:
    """Some certificates of this kind; where there are many, some about numbers of unusual size."""
    found: list[Case] = []
    for seed in range(tries):
        found += SOURCES[kind](kind, seed)
        if seed >= 4:
            unusual = seed + EXTREME * (1 + seed % 2)
            with contextlib.suppress(*REFUSALS), warnings.catch_warnings():
                warnings.simplefilter("error")
                found += SOURCES[kind](kind, unusual)
        if len(found) >= count:
            return tuple(found[:count])
    raise LookupError(f"of {kind} only {len(found)} cases were found.")


# --- what is done to them -------------------------------------------------------------------------

WORDS = (
    "up", "down", "free", "lifted", "none", "full", "diagonal", "polynomials", "cosines", "cyclic",
    "shuffled", "misclassified", "zeros", "random", "always", "positive", "negative", "curvature",
    "ridge", "Hinge()", "Logistic()", "Squared()", "Constant", "Power", "Linear", "Precomputed",
    "Gaussian", "Vectors", "Images",
)  # fmt: skip


def leaves(data: Any, path: tuple = ()) -> Iterator[tuple]:
    """The paths to all numbers, words and empty lists, but for the name of the type."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list) and value:
            yield from leaves(value, (*path, key))
        elif key != "type":
            yield (*path, key)


def branches(data: Any, path: tuple = ()) -> Iterator[tuple]:
    """The paths to all lists that are not empty."""
    for key, value in data.items() if isinstance(data, dict) else enumerate(data):
        if isinstance(value, dict | list):
            if isinstance(value, list) and value:
                yield (*path, key)
            yield from branches(value, (*path, key))


def at(data: Any, path: tuple) -> Any:
    for key in path:
        data = data[key]
    return data


def put(data: Any, path: tuple, value: Any) -> None:
    at(data, path[:-1])[path[-1]] = value


def _fraction(text: str, random) -> str:
    above, _, below = text.partition("/")
    n, d = int(above, 16), int(below, 16)
    n, d = [(n + 1, d), (n - 1, d), (2 * n, d), (-n, d), (0, 1), (1, 1), (n, d + 1)][
        random.integers(7)
    ]
    return f"{n:x}/{d:x}"


def _is_fraction(value: Any) -> bool:
    return isinstance(value, str) and "/" in value


def _number(value: float, how: str, random) -> float:
    if how == "ulp":
        return float(np.nextafter(value, random.choice([-np.inf, np.inf])))
    if how == "1e-9":
        return float(value * (1 + random.choice([-1e-9, 1e-9]))) if value else 1e-9
    return float([2 * value, value / 2, -value, 0.0, value + 1, value - 1, 1.0][random.integers(7)])


def _whole(value: int, random) -> int:
    return int([value + 1, value - 1, 2 * value, -value, 0, value + 2][random.integers(6)])


def numbers(how: str):
    """Change one float: by the last bit, by 1e-9, or a lot."""

    def corrupt(case: Case, donor: Case, random) -> Case | None:
        paths = [p for p in leaves(case.data) if type(at(case.data, p)) is float]
        if not paths:
            return None
        # those of the claim itself as often as all those in lists
        scalars = [p for p in paths if type(p[-1]) is str]
        some = scalars if scalars and random.random() < 0.5 else paths
        path = some[random.integers(len(some))]
        put(case.data, path, _number(at(case.data, path), how, random))
        return case

    return corrupt


def whole_numbers(case: Case, donor: Case, random) -> Case | None:
    paths = [p for p in leaves(case.data) if type(at(case.data, p)) is int]
    paths += [p for p in leaves(case.data) if _is_fraction(at(case.data, p))]
    if not paths:
        return None
    path = paths[random.integers(len(paths))]
    value = at(case.data, path)
    put(case.data, path, _fraction(value, random) if type(value) is str else _whole(value, random))
    _convex(case.data)
    return case


def _convex(data: dict) -> None:
    """Weights that must add up to 1 do so again."""
    texts = data.get("weights")
    if isinstance(texts, list) and texts and all(map(_is_fraction, texts)):
        values = [Fraction(*(int(n, 16) for n in text.split("/"))) for text in texts]
        whole = sum(values)
        if whole:
            shares = [value / whole for value in values]
            data["weights"] = [f"{v.numerator:x}/{v.denominator:x}" for v in shares]


def words(case: Case, donor: Case, random) -> Case | None:
    plain = (bool, str, type(None))
    paths = [
        p for p in leaves(case.data)
        if (type(at(case.data, p)) in plain and not _is_fraction(at(case.data, p)))
        or at(case.data, p) == []
    ]  # fmt: skip
    if not paths:
        return None
    path = paths[random.integers(len(paths))]
    value = at(case.data, path)
    if type(value) is bool:
        put(case.data, path, not value)
    elif type(value) is str:
        put(case.data, path, str(random.choice(WORDS)))
    elif value is None:
        put(case.data, path, [0, 1, 0.0, 1.0, 1e-3][random.integers(5)])
    else:
        put(case.data, path, [[0], [1.0], [0.0], ["1/1"], [1.0] * len(case.X)][random.integers(5)])
    return case


def lists(case: Case, donor: Case, random) -> Case | None:
    paths = list(branches(case.data))
    if not paths:
        return None
    items = at(case.data, paths[random.integers(len(paths))])
    i, j = random.integers(len(items), size=2)
    how = random.integers(4)
    if how == 0:
        items[i], items[j] = items[j], items[i]
    elif how == 1:
        del items[i]
    elif how == 2:
        items.insert(i, copy.deepcopy(items[i]))
    else:
        items.reverse()
    _convex(case.data)
    return case


def labels(case: Case, donor: Case, random) -> Case | None:
    found = case.data.get("labels", {})
    classes = found.get("classes")
    if not classes:
        return None
    if "against" in found and random.random() < 0.5:
        return _other_pair(case, found, random)
    how = random.integers(7)
    if how == 0:
        classes.reverse()
    elif how == 6:
        found["column"] = [None, 0, 1, 2][random.integers(4)]
    elif how == 1:
        found["positive"] = int(random.integers(-1, len(classes) + 1))
    elif how == 2:
        classes[random.integers(len(classes))] = "other"
    elif how == 3:
        classes.append("more")
    elif how == 4:
        classes.pop()
    else:  # the same, told in another order
        i, j = random.permutation(len(classes))[:2] if len(classes) > 1 else (0, 0)
        classes[i], classes[j] = classes[j], classes[i]
        if found["positive"] in (i, j):
            found["positive"] = int(j if found["positive"] == i else i)
    return case


def _other_pair(case: Case, found: dict, random) -> Case:
    """The same said of another pair, of the same one turned round, or of all classes."""
    how = random.integers(4)
    if how == 0:
        found["positive"], found["against"] = found["against"], found["positive"]
    elif how == 1:
        found["against"] = int(random.integers(-1, len(found["classes"]) + 1))
    elif how == 2:
        found["against"] = None
    else:
        found["positive"], found["against"] = random.permutation(len(found["classes"]))[:2].tolist()
    return case


def solutions(case: Case, donor: Case, random) -> Case | None:
    """Pairs exchanged, left out, or told twice; or supports of one given to another."""
    parts = case.data.get("solutions")
    if not parts or len(parts) < 2:
        return None
    i, j = random.permutation(len(parts))[:2]
    how = random.integers(4)
    if how == 0:
        parts[i], parts[j] = parts[j], parts[i]
    elif how == 1:
        del parts[i]
    elif how == 2:
        parts[i] = copy.deepcopy(parts[j])
    else:
        parts[i]["labels"], parts[j]["labels"] = parts[j]["labels"], parts[i]["labels"]
    return case


def is_precomputed(data: dict) -> bool:
    """Whether X is a Gram matrix."""
    return data.get("space", data).get("kernel", {}).get("name") == "Precomputed"


def exchange(case: Case, donor: Case, random) -> Case | None:
    """A part of another certificate of the same kind."""
    common = [k for k in case.data if k in donor.data and k not in ("type", "labels")]
    for key in random.choice(common, min(len(common), int(random.integers(1, 4))), replace=False):
        case.data[key] = copy.deepcopy(donor.data[key])
    return case


def other_data(case: Case, donor: Case, random) -> Case | None:
    return Case(case.data, donor.X.copy(), copy.deepcopy(donor.y))


def entry(case: Case, donor: Case, random) -> Case:
    X = case.X.copy()
    t, j = random.integers(X.shape[0]), random.integers(X.shape[1])
    X[t, j] = _number(X[t, j], str(random.choice(["ulp", "1e-9", "a lot"])), random)
    if is_precomputed(case.data):
        X[j, t] = X[t, j]
    return Case(case.data, X, case.y)


def rows(case: Case, donor: Case, random) -> Case:
    m = len(case.X)
    t, s = random.integers(m, size=2)
    how = random.integers(4)
    order = list(range(m))
    if how == 0:
        order.pop(t)
    elif how == 1:
        order.insert(t, t)
    elif how == 2:
        order[s] = t
    else:
        order[t], order[s] = order[s], order[t]
    X, y = case.X[order], case.y if case.y is None else np.asarray(case.y)[order]
    if is_precomputed(case.data):
        X = X[:, order]
    if random.random() < 0.5 and "examples" in case.data:  # he counts again
        case.data["examples"] = len(X)
    return Case(case.data, X, y)


def columns(case: Case, donor: Case, random) -> Case:
    X = case.X.copy()
    j, how = random.integers(X.shape[1]), random.integers(4)
    if how == 0:
        X = X[:, random.permutation(X.shape[1])]
    elif how == 1:
        X[:, j] = -X[:, j]
    elif how == 2:
        X[:, j] *= random.choice([2.0, 1 + 2.0**-40, 0.5, 0.0])
    else:
        X = np.delete(X, j, axis=1) if X.shape[1] > 1 else X + 1
    return Case(case.data, X, case.y)


def rounded(case: Case, donor: Case, random) -> Case:
    """The same in float32, or in decimals."""
    with np.errstate(over="ignore"):
        X = case.X.astype(np.float32) if random.random() < 0.5 else np.round(case.X, 1)
    return Case(case.data, X.astype(float), case.y)


def targets(case: Case, donor: Case, random) -> Case | None:
    if case.y is None:
        return None
    y = np.array(case.y)
    how, t = random.integers(4), random.integers(len(y))
    if how == 0:
        y = y[random.permutation(len(y))]
    elif how == 1:
        y = y[::-1]
    elif y.dtype.kind == "i":  # columns of labels
        y[t] = 1 - y[t]
    elif y.dtype.kind == "f":
        y.flat[t] = _number(y.flat[t], str(random.choice(["ulp", "1e-9", "a lot"])), random)
    else:
        others = sorted(set(y.tolist()) - {y[t]})
        y[t] = others[random.integers(len(others))] if others else y[t]
    return Case(case.data, case.X, y)


def _ordered(value: float) -> int:
    (bits,) = struct.unpack("<q", struct.pack("<d", value))
    return bits if bits >= 0 else -(bits & (2**63 - 1))


def _float(order: int) -> float:
    bits = order if order >= 0 else -order | -(2**63)
    return struct.unpack("<d", struct.pack("<q", bits))[0]


def to_the_edge(case: Case, donor: Case, random) -> Case | None:
    """One number, of the claim or of X, moved as far as the checker lets it, to the last bit."""
    paths = [p for p in leaves(case.data) if type(at(case.data, p)) is float]
    scalars = [p for p in paths if len(p) == 1]
    paths = scalars if scalars and random.random() < 0.7 else paths
    of_data = not paths or random.random() < 0.2

    def moved(value: float) -> Case:
        changed = Case(copy.deepcopy(case.data), case.X.copy(), case.y)
        if of_data:
            changed.X[place] = value
            if is_precomputed(case.data):
                changed.X[place[::-1]] = value
        else:
            put(changed.data, place, value)
        return changed

    place: tuple
    if of_data:
        place = tuple(int(random.integers(n)) for n in case.X.shape)
        start = float(case.X[place])
    else:
        place = paths[random.integers(len(paths))]
        start = at(case.data, place)
    size = abs(start) or 1.0
    goal = start + float(random.choice([-1, 1]) * random.choice([1e-12, 1e-6, 1.0]) * size)
    if not verified(moved(start)):
        return None
    if verified(moved(goal)):
        return moved(goal)
    good, bad = _ordered(start), _ordered(goal)
    while abs(bad - good) > 1:
        middle = (good + bad) // 2
        if verified(moved(_float(middle))):
            good = middle
        else:
            bad = middle
    return moved(_float(good))


CORRUPTIONS: dict[str, Callable[[Case, Case, Any], Case | None]] = {
    "bit": numbers("ulp"),
    "1e-9": numbers("1e-9"),
    "a lot": numbers("a lot"),
    "edge": to_the_edge,
    "whole": whole_numbers,
    "word": words,
    "list": lists,
    "labels": labels,
    "solutions": solutions,
    "parts": exchange,
    "other": other_data,
    "entry": entry,
    "row": rows,
    "column": columns,
    "rounded": rounded,
    "y": targets,
}


# --- the verdict ----------------------------------------------------------------------------------


READERS: dict[str, Any] = {"Certified": Certified, "ClassSeparability": ClassSeparability}


def reread(data: dict) -> Any:
    data = json.loads(json.dumps(data))
    return READERS.get(data["type"], Certificate).from_dict(data)


def verified(case: Case) -> bool:
    """Whether the package accepts it; a ValueError is a refusal, any other error is a fault."""
    try:
        claim = reread(case.data)
    except ValueError:
        return False
    return bool(claim.verify(case.X, case.y)) or _verified_by_blocks(claim, case)


def _verified_by_blocks(claim: Any, case: Case) -> bool:
    """The same for a checker who reads three rows at a time. (Whether test rows are copies of each
    other is looked at in memory only, so that this is no question about `TestErrors`.)"""
    if getattr(claim, "name", "") not in set(CHECKED) - {"TestErrors"}:
        return False
    if not (isinstance(case.X, np.ndarray) and case.X.ndim == 2):
        return False
    if case.y is None or len(case.X) != len(case.y):
        return False
    return bool(claim.verify(_in_threes(case.X, case.y)))


def corrupted(kind: str, corruption: str, random, count: int = 4) -> Case | None:
    """A case of this kind after this corruption, now and then after another one too."""
    known = cases(kind, count)
    case, donor = (copy.deepcopy(known[random.integers(len(known))]) for _ in range(2))
    changed = CORRUPTIONS[corruption](case, donor, random)
    other = list(CORRUPTIONS)[random.integers(len(CORRUPTIONS))]
    if changed is not None and random.random() < 0.25 and "edge" not in (corruption, other):
        with contextlib.suppress(IndexError, KeyError, ValueError, TypeError):  # it does not fit
            changed = CORRUPTIONS[other](copy.deepcopy(changed), donor, random) or changed
    return changed


def judged(kind: str, corruption: str, random, count: int = 4) -> Outcome | None:
    """None if the corruption does not apply, or changed nothing."""
    known = cases(kind, count)
    return judged_case(corruption, corrupted(kind, corruption, random, count), known)


def judged_case(corruption: str, case: Case | None, known: tuple[Case, ...]) -> Outcome | None:
    if case is None or any(case.data == c.data and _same(case, c) for c in known):
        return None
    if not verified(case):
        return Outcome(corruption, "rejected", case)
    return Outcome(corruption, "true" if is_true(case.data, case.X, case.y) else "FALSE", case)


def _same(one: Case, other: Case) -> bool:
    return np.array_equal(one.X, other.X) and np.array_equal(one.y, other.y)
