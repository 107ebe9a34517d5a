"""What is inside: the machine at the end of pipelines and searches, and what they did before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from inspect import getattr_static
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.model_selection._search import BaseSearchCV
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing

from certo.certificates.encoding import counted
from certo.containers import count
from certo.guarantees.fixed_maps import is_fixed, is_seeded
from certo.words.reader import example, setting

TOGETHER = (
    "what the steps of the pipeline make of an example depends on the others that come with it, so "
    "what the machine saw are not independent draws."
)
# Images of an example that differ by less, relative to their size, differ by rounding: a product
# of matrices adds in another order when it has other rows.
SAME_TO_ROUNDING = 2.0**-26
MAX_SETTINGS_TRIED = 10**9  # The most settings among which a choice can be paid for.


@dataclass(frozen=True)
class Wrapped:
    """A machine, and what examples go through before they reach it."""

    machine: Any
    steps: tuple[Callable[[Any], Any], ...] = ()
    spoilt: str = ""  # Why the examples are not independent draws to the machine.
    tried: int = 1  # Settings that were compared on the examples.
    seeded: tuple[str, ...] = ()  # The steps whose random numbers come from the user's seed.

    def prepare(self, X):
        """X as the machine takes it."""
        for step in self.steps:
            X = step(X)
        return X

    def compared(self, tried: int | str) -> Wrapped:
        """The same as the best of so many on these examples, or of some made from them ("data")."""
        if tried == "data":
            return replace(self, spoilt=self.spoilt or made_from_examples())
        return replace(self, tried=self.tried * settings_tried(tried))

    def seeing(self, X) -> Wrapped:
        """The same, spoilt if what becomes of an example depends on the others."""
        m = count(X)
        if not self.steps or self.spoilt or m < 2:
            return self
        every = self.prepare(X)
        for some in ([0], [m - 1], list(range(m // 2))):
            if not _equal(self.prepare(_safe_indexing(X, some)), _safe_indexing(every, some)):
                return replace(self, spoilt=TOGETHER)
        return self


def made_from_examples() -> str:
    """Why nothing can be paid for settings that were computed."""
    return (
        f"the settings were chosen among some that were made from these {example()}s "
        f"({setting('tried', 'data')}), so that no correction for their number is valid."
    )


def settings_tried(tried: Any) -> int:
    """A number of settings, or a ValueError."""
    is_number = isinstance(tried, int | np.integer) and not isinstance(tried, bool)
    if not (is_number and 1 <= tried <= MAX_SETTINGS_TRIED):
        raise ValueError(
            f"{setting('tried')} must be an integer from 1 to {MAX_SETTINGS_TRIED:,}, or "
            f"{setting('tried', 'data')} for settings that were made from the same {example()}s, "
            f"got {tried!r}."
        )
    return int(tried)


def unwrapped(model) -> Wrapped:
    """The machine at the end of pipelines and searches. What answers in a way of its own (a
    subclass, a wrapper that moves thresholds) is not looked into: it is the machine."""
    steps: tuple[Callable[[Any], Any], ...] = ()
    fitted: tuple[str, ...] = ()
    seeded: tuple[str, ...] = ()
    tried, spoilt = 1, ""
    while True:
        if type(model) is Pipeline and _answers_like(model, Pipeline):
            before = [
                (name, step) for name, step in model.steps[:-1]
                if step is not None and step != "passthrough"
            ]  # fmt: skip
            steps += tuple(step.transform for _, step in before)
            fitted += tuple(repr(name) for name, step in before if not is_fixed(step))
            seeded += tuple(repr(name) for name, step in before if is_seeded(step))
            model = model.steps[-1][1]
        elif isinstance(model, BaseSearchCV) and _answers_like(model, BaseSearchCV):
            if not hasattr(model, "best_estimator_"):
                raise ValueError("certify needs a model, but the search kept none: refit=False.")
            tried *= len(model.cv_results_["params"])
            spoilt = spoilt or _adaptive(model)
            model = model.best_estimator_
        else:
            return Wrapped(model, steps, _why(fitted) or spoilt, tried, seeded)


def title_of(model) -> str:
    """What a page calls its model: of a search, which machine it chose, not what it chose among."""
    if isinstance(model, BaseSearchCV) and hasattr(model, "best_estimator_"):
        many = counted(len(model.cv_results_["params"]), "setting")
        return f"{title_of(model.best_estimator_)}, the best of {many} of {type(model).__name__}"
    return " ".join(repr(model).split())


def _answers_like(model, kind: type) -> bool:
    """Whether its answers are those of this class: neither the object nor its class has others."""
    return getattr_static(model, "predict") is getattr_static(kind, "predict")


def _adaptive(search) -> str:
    """Why a search cannot be paid for; nothing, if the settings it tries are fixed before."""
    if type(search).__module__.startswith("sklearn."):
        return ""
    return (
        f"{type(search).__name__} may choose the settings it tries by looking at the examples, "
        "so that no correction for their number is valid."
    )


def _why(fitted: tuple[str, ...]) -> str:
    if not fitted:
        return ""
    several = len(fitted) > 1
    return (
        f"{' and '.join(fitted)} of the pipeline {'were' if several else 'was'} fitted to the same "
        f"examples, and {'are' if several else 'is'} not known to have learned nothing from their "
        "values, so that what the machine saw may not be independent draws. Fit "
        f"{'these steps' if several else 'this step'} to other examples and certify the machine "
        "alone; as it is, only test examples can bound its errors."
    )


def _equal(A, B) -> bool:
    A, B = (part.toarray() if sparse.issparse(part) else np.asarray(part) for part in (A, B))
    if A.shape != B.shape or not all(np.issubdtype(part.dtype, np.number) for part in (A, B)):
        return np.array_equal(A, B)
    size = np.max(np.abs(A), axis=tuple(range(1, A.ndim)), keepdims=True, initial=0.0)
    with np.errstate(invalid="ignore"):  # Infinite numbers are equal or not.
        near = np.abs(A - B) <= SAME_TO_ROUNDING * size
    return bool(np.all(near | (A == B) | ((A != A) & (B != B))))
