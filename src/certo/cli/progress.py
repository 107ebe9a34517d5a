"""A progress bar in the terminal, driven by scikit-learn's callbacks."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


class FitProgress:
    """What a fit is doing, and once the estimator announces its epochs, how far it is.

    A context manager for the terminal and a callback for the estimator. On a console that is
    no terminal it shows nothing, and the estimator need not call it.
    """

    def __init__(self, console: Console):
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[count]}"),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bar.add_task("Starting", total=None, count="")

    def __enter__(self) -> FitProgress:
        self._bar.start()
        return self

    def __exit__(self, *what) -> None:
        self._bar.stop()

    def stage(self, what: str) -> None:
        """Something whose length is not known."""
        self._bar.tasks[0].total = None
        self._bar.update(self._task, description=what, count="")

    # the callback
    def setup(self, estimator, context) -> None:
        total, name = context.max_subtasks, type(estimator).__name__
        self._total, self._done = total, 0
        self._bar.reset(
            self._task, total=total, description=f"Fitting {name} (the first time also compiles)",
            count=f"0/{total} epochs",
        )  # fmt: skip

    def on_fit_task_begin(self, estimator, context) -> None:
        pass

    def on_fit_task_end(self, estimator, context) -> bool:
        if context.parent is not None:
            self._done += 1
            self._bar.update(
                self._task,
                completed=self._done,
                description=f"Fitting {type(estimator).__name__}",
                count=f"{self._done}/{self._total} epochs",
            )
        return False

    def teardown(self, estimator, context) -> None:
        self.stage("Writing")
