"""A progress bar in the terminal, driven by scikit-learn's callbacks."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn


class EpochBar:
    """Advances once for every subtask (epoch) that an estimator announces."""

    def __init__(self, console: Console):
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("epochs"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def setup(self, estimator, context) -> None:
        self._bar.start()
        self._task = self._bar.add_task(
            f"Fitting {type(estimator).__name__}", total=context.max_subtasks
        )

    def on_fit_task_begin(self, estimator, context) -> None:
        pass

    def on_fit_task_end(self, estimator, context) -> bool:
        if context.parent is not None:
            self._bar.advance(self._task)
        return False

    def teardown(self, estimator, context) -> None:
        self._bar.stop()
