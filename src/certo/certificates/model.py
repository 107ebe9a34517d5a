"""Do claims speak of this model? A true claim about other numbers proves nothing of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate
from certo.certificates.encoding import to_plain
from certo.certificates.errors.kernel_predictor import KernelPredictor
from certo.certificates.errors.predictor import LinearPredictor, Predictor, StatedPredictions
from certo.certificates.errors.votes import KernelVotes, LinearVotes
from certo.certificates.fields import index_vector
from certo.certificates.sample.pairs import pairs_of
from certo.kernels.base import Kernel

VOTES = ("first", "by confidence")  # How a vote of pairs settles ties.

RULE_ATTRIBUTES: dict[type, tuple[str, ...]] = {  # Fitted attributes that make up a rule.
    LinearPredictor: ("coef_", "intercept_"),
    KernelPredictor: ("support_", "dual_coef_", "intercept_"),
    LinearVotes: ("coef_", "intercept_"),
    KernelVotes: ("support_", "dual_coef_", "intercept_"),
}


class Model(NamedTuple):
    """What claims are to be about, as plain JSON values. Numbers have the names they have in a
    fitted model, and an entry for each output where there are several."""

    classes: list[Any] | None  # None: y holds numbers
    numbers: dict[str, Any]
    kernel: dict[str, Any] | None = None
    votes: str | None = None  # One of `VOTES`, where there is an output for each pair of classes.

    @property
    def has_rule(self) -> bool:
        """Whether it is known how it predicts: not from the columns of a precomputed matrix."""
        if self.kernel is None:
            return "coef_" in self.numbers and self.classes is not None
        try:
            return Kernel.from_dict(self.kernel).takes == "vectors"
        except ValueError:  # Without a kernel no claim is about one.
            return True

    def rule(self, X: Any) -> Predictor:
        """How it predicts: by weights, or by rows of the examples X of the fit."""
        own = self.numbers
        by_confidence = self.votes == "by confidence"
        if self.kernel is None:
            if self.votes is not None:
                return LinearVotes(own["intercept_"], by_confidence, own["coef_"])
            return LinearPredictor(own["coef_"], own["intercept_"])
        rows = [index_vector(part, "support_") for part in own["support_"]]
        every = np.unique(np.concatenate(rows))
        coef = np.zeros((len(rows), every.size))
        for k, (some, part) in enumerate(zip(rows, own["dual_coef_"], strict=True)):
            coef[k, np.searchsorted(every, some)] = [a for _, a in zip(some, part, strict=True)]
        kernel, numbers = Kernel.from_dict(self.kernel), own["intercept_"]
        if self.votes is not None:
            some, codes, coef = by_class(coef, len(self.classes or ()))
            vectors = X[every[some]]
            vectors = vectors.toarray() if sparse.issparse(X) else vectors
            return KernelVotes(numbers, by_confidence, kernel, vectors, codes, coef)
        vectors = X[every].toarray() if sparse.issparse(X) else X[every]
        return KernelPredictor(kernel, vectors, coef, numbers)


def by_class(coef: np.ndarray, classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """From multipliers for each pair: which columns have any, of which class each of these is, and
    their multipliers as scikit-learn arranges them, for the pairs with each other class. A row is
    of one class, so that a multiplier of it that speaks of another is a ValueError."""
    some = np.flatnonzero(np.any(coef != 0, axis=0))
    coef = coef[:, some]
    codes, arranged = np.zeros(some.size, np.int64), np.zeros((classes - 1, some.size))
    for (i, j), line in zip(pairs_of(classes), coef, strict=True):
        codes[line > 0], codes[line < 0] = i, j
    for (i, j), line in zip(pairs_of(classes), coef, strict=True):
        arranged[j - 1, codes == i] = line[codes == i]
        arranged[i, codes == j] = line[codes == j]
    if np.count_nonzero(arranged) != np.count_nonzero(coef):
        raise ValueError("a row has multipliers as one of two different classes.")
    return some, codes, arranged


def strangers(
    claims: Iterable[Certificate], model: Model, X: Any, partly: Collection[str] = ()
) -> list[str]:
    """How claims and model do not fit together: numbers, outputs, classes, kernel and rule; X are
    the examples of the fit. Of the numbers `partly` some outputs may have no claim."""
    spoken: dict[str, set[int]] = {name: set() for name in model.numbers}
    wrong = []
    for part in (part for claim in claims for part in parts_of(claim)):
        output = _output(part.labels, model)
        if output is None:
            wrong.append(f"{part.name} is about other classes than the model's.")
            continue
        of_one = getattr(part.labels, "against", None) is not None
        described = part.described()
        if described and of_one != (model.votes is not None):
            wrong.append(f"{part.name} is about other outputs than the model's.")
            continue
        for name, value in described.items():
            value = plain(value)
            own: Any = model.numbers.get(name)
            if _depth(value) < _depth(own):  # The value is that of one output among several.
                same, places = own[output : output + 1] == [value], {output}
            else:
                same, places = value in (own, [own]), _places(own)
            if same and name in spoken:
                spoken[name] |= places
            else:
                wrong.append(f"{part.name} speaks of other values of {name} than the model's.")
        kernel = getattr(getattr(part, "scheme", part), "kernel", None)
        if kernel is not None and kernel.to_dict() != model.kernel:
            wrong.append(f"{part.name} speaks of another kernel than the model's.")
        if rule_names(part):
            if _same_rule(part, model, X):
                spoken |= {name: _places(model.numbers[name]) for name in rule_names(part)}
            else:
                wrong.append(f"{part.name} speaks of another rule than the model's.")
        elif isinstance(getattr(part, "predictor", None), StatedPredictions) and model.has_rule:
            wrong.append(f"{part.name} speaks of a list of answers, not of the model's rule.")
    for name, own in model.numbers.items():
        if (missing := _places(own) - spoken[name]) and not (name in partly and spoken[name]):
            where = f" of output {min(missing)}" if spoken[name] else ""
            wrong.append(f"No claim speaks of {name}{where} of the model.")
    return list(dict.fromkeys(wrong))


def plain(value: Any) -> Any:
    """As JSON, also a list of arrays."""
    return [plain(part) for part in value] if type(value) in (list, tuple) else to_plain(value)


def parts_of(claim: Certificate) -> Iterator[Certificate]:
    """A claim, and those inside it that it rests on."""
    yield claim
    for inner in getattr(claim, "solutions", ()):
        yield from parts_of(inner)


def rule_names(claim: Certificate) -> tuple[str, ...]:
    """What the rule of a claim is made of, if it is about one."""
    return RULE_ATTRIBUTES.get(type(getattr(claim, "predictor", None)), ())


def _same_rule(claim: Any, model: Model, X: Any) -> bool:
    try:
        return claim.predictor.to_dict() == model.rule(X).to_dict()
    except (ArithmeticError, LookupError, TypeError, ValueError):  # No rule can be made.
        return False


def _output(labels: Any, model: Model) -> int | None:
    """Which output of the model is meant. With two classes there is one, for the second; with votes
    one for each pair."""
    classes = model.classes
    if getattr(labels, "column", None) is not None:
        return labels.column
    if getattr(labels, "against", None) is not None:
        if model.votes is None or list(labels.classes) != classes:
            return None
        pair = labels.positive, labels.against
        return pairs_of(len(classes)).index(pair) if pair in pairs_of(len(classes)) else None
    own = getattr(labels, "classes", None)
    if own is None or classes is None:
        return 0 if own is classes else None
    if list(own) != classes or (len(own) == 2 and labels.positive != 1):
        return None
    return 0 if len(own) == 2 else labels.positive or 0


def _places(own: Any) -> set[int]:
    return set(range(len(own))) if type(own) is list else {0}


def _depth(value: Any) -> int:
    """0 for a number, 1 for a list of numbers, 2 for a list of lists."""
    depth = 0
    while type(value) is list:
        value, depth = value[0] if value else None, depth + 1
    return depth
