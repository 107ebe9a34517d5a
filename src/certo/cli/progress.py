"""A progress bar in the terminal, driven by scikit-learn's callbacks."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from certo.certificates.encoding import counted


class FitProgress:
    """What a fit is doing, and how far it is, once the estimator announces its steps: so many of
    how many, or, where that cannot be known, how many by now.

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
        self.stop()

    def stop(self) -> None:
        self._bar.stop()

    def stage(self, what: str) -> None:
        """Something whose length is not known."""
        self._bar.tasks[0].total = None
        self._bar.update(self._task, description=what, count="")

    def report(self, what: str, unit: str) -> Callable[[int, int], None]:
        """A function to call when so many units of how many are done."""

        def tell(done: int, total: int) -> None:
            self._bar.tasks[0].total = total
            steps = f"{done}/{total} {unit}s"
            self._bar.update(self._task, completed=done, description=what, count=steps)

        return tell

    # The callback.
    def setup(self, estimator, context) -> None:
        self._total, self._done = context.max_subtasks, 0
        self._bar.reset(
            self._task, total=self._total, count="",
            description=f"Fitting {type(estimator).__name__} (the first time also compiles)",
        )  # fmt: skip

    def on_fit_task_begin(self, estimator, context) -> None:
        pass

    def on_fit_task_end(self, estimator, context) -> bool:
        if context.parent is not None:
            self._done += 1
            from certo.estimators.description import describe

            steps, known = counted(self._done, context.task_name), describe(estimator)
            if self._total is not None:
                steps = f"{self._done}/{self._total} {context.task_name}s"
            if known is not None and known.progress is not None:
                steps = known.progress(estimator)
            what = f"Fitting {type(estimator).__name__}"
            self._bar.update(self._task, completed=self._done, description=what, count=steps)
        return False

    def teardown(self, estimator, context) -> None:
        self.stage("Writing")
