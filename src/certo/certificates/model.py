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
from certo.kernels.base import Kernel

RULE_ATTRIBUTES: dict[type, tuple[str, ...]] = {  # Fitted attributes that make up a rule.
    LinearPredictor: ("coef_", "intercept_"),
    KernelPredictor: ("support_", "dual_coef_", "intercept_"),
}


class Model(NamedTuple):
    """What claims are to be about, as plain JSON values. Numbers have the names they have in a
    fitted model, and an entry for each output where there are several."""

    classes: list[Any] | None  # None: y holds numbers
    numbers: dict[str, Any]
    kernel: dict[str, Any] | None = None

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
        if self.kernel is None:
            return LinearPredictor(own["coef_"], own["intercept_"])
        rows = [np.asarray(part, dtype=np.int64) for part in own["support_"]]
        every = np.unique(np.concatenate(rows))
        coef = np.zeros((len(rows), every.size))
        for k, part in enumerate(own["dual_coef_"]):
            coef[k, np.searchsorted(every, rows[k])] = part
        vectors = X[every].toarray() if sparse.issparse(X) else X[every]
        return KernelPredictor(Kernel.from_dict(self.kernel), vectors, coef, own["intercept_"])


def strangers(
    claims: Iterable[Certificate], model: Model, X: Any, partly: Collection[str] = ()
) -> list[str]:
    """How claims and model do not fit together: numbers, outputs, classes, kernel and rule; X are
    the examples of the fit. Of the numbers `partly` some outputs may have no claim."""
    spoken: dict[str, set[int]] = {name: set() for name in model.numbers}
    wrong = []
    for part in (part for claim in claims for part in parts_of(claim)):
        output = _output(part.labels, model.classes)
        if output is None:
            wrong.append(f"{part.name} is about other classes than the model's.")
            continue
        for name, value in part.described().items():
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


def _output(labels: Any, classes: list[Any] | None) -> int | None:
    """Which output of the model is meant. With two classes there is one, for the second."""
    if getattr(labels, "column", None) is not None:
        return labels.column
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
