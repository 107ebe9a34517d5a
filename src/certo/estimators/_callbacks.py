"""How machines tell scikit-learn's callbacks where they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def announcer(
    estimator, context, X, task: str, asked: Callable[[], bool] = lambda: False
) -> Callable[..., bool]:
    """A function to call after every `task`. It tells the callbacks, with what makes a fitted model
    then, if known, and returns whether they, or `asked()`, want to stop."""

    def announce(now: dict[str, Any] | None = None) -> bool:
        if not getattr(estimator, "_skl_callbacks", None):
            return asked()
        done = context.subcontext(task_name=task)
        done.call_on_fit_task_begin(estimator=estimator, X=X)
        stop = done.call_on_fit_task_end(estimator=estimator, X=X, reconstruction_attributes=now)
        return bool(stop) or asked()

    return announce
