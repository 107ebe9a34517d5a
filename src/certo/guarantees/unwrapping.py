"""What is inside: the machine at the end of pipelines and searches, and what they did before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags


@dataclass(frozen=True)
class Wrapped:
    """A machine, and what examples go through before they reach it."""

    machine: Any
    steps: tuple[Callable[[Any], Any], ...] = ()
    spoilt: str = ""  # why the examples are no independent draws to the machine
    tried: int = 1  # settings that were compared on the examples

    def prepare(self, X):
        """X as the machine takes it."""
        for step in self.steps:
            X = step(X)
        return X


def unwrapped(model) -> Wrapped:
    """The machine at the end of pipelines and searches."""
    steps: tuple[Callable[[Any], Any], ...] = ()
    fitted: tuple[str, ...] = ()
    tried = 1
    while True:
        if isinstance(model, Pipeline):
            before = [(name, step) for name, step in model.steps[:-1] if _does(step)]
            steps += tuple(step.transform for _, step in before)
            fitted += tuple(repr(name) for name, step in before if get_tags(step).requires_fit)
            model = model.steps[-1][1]
        elif hasattr(model, "best_estimator_") and hasattr(model, "cv_results_"):
            tried *= len(model.cv_results_["params"])
            model = model.best_estimator_
        else:
            return Wrapped(model, steps, _why(fitted), tried)


def _does(step) -> bool:
    return step is not None and step != "passthrough"


def _why(fitted: tuple[str, ...]) -> str:
    if not fitted:
        return ""
    return (
        f"{' and '.join(fitted)} of the pipeline {'were' if len(fitted) > 1 else 'was'} fitted to "
        "the same examples, so what the machine saw are not independent draws. Fit these steps to "
        "other examples and certify the machine alone, or give test examples."
    )
