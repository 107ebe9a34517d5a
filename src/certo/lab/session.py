"""One tab of a browser: what it asks for, one thing of a kind at a time, and the latest only.

While a point is dragged, states come faster than they can be answered. So of each kind of question
at most one is being answered and one waits; a newer one takes the place of the one that waits. A
job that takes longer than a fifth of a second tells how far it is, and gives way to a newer one.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import Any, ClassVar

import numpy as np

from certo.blas import one_thread
from certo.data.problem import Problem
from certo.lab import proving
from certo.lab.code import csv_of, python_of
from certo.lab.experiment import Asked, Cancelled, Job, Run, Wanting
from certo.lab.experiments import EXPERIMENTS
from certo.lab.presets import PRESETS, WORLDS, bayes_region, preset
from certo.lab.state import State
from certo.lab.uploads import Table
from certo.words.reader import reading

PATIENCE = 0.2  # Seconds after which the page is told how far a job is, and a newer one goes first.

Send = Callable[[dict[str, Any]], Awaitable[None]]


class Session:
    """Answers the questions of one tab."""

    def __init__(self, send: Send, executor: Executor) -> None:
        self.send, self.executor = send, executor
        self.table: Table | None = None  # The table that was uploaded last.
        self._waiting: dict[str, dict[str, Any]] = {}
        self._jobs: dict[str, tuple[Job, asyncio.Task[None]]] = {}
        self._lock = threading.Lock()  # One run at a time: `look` and `more` share it.
        self._run: Run | None = None
        self._key: tuple[Any, ...] = ()

    # --- questions ------------------------------------------------------------------------------

    async def ask(self, question: Any) -> None:
        """Take a question from the page. It is answered later, or never if a newer one comes."""
        kind = question.get("ask") if type(question) is dict else None
        if type(kind) is not str or kind not in self.ANSWERS:
            await self._refuse(question, f"there is no question {str(kind)[:40]!r}.")
            return
        if kind == "cancel":
            await self._drop(*self._waiting)
            self.cancel()
            await self._send(question, {})
            return
        if kind == "look" and "more" in self._jobs:  # It is for idle times.
            self._jobs["more"][0].cancelled = True
            await self._drop("more")
        if kind not in self._jobs:
            self._start(kind, question)
            return
        await self._drop(kind)
        self._waiting[kind] = question
        job = self._jobs[kind][0]
        job.cancelled = job.cancelled or time.monotonic() - job.began > PATIENCE

    async def _drop(self, *kinds: str) -> None:
        """Questions that wait, and are not to be answered any more."""
        for kind in kinds:
            if kind in self._waiting:
                await self._send(self._waiting.pop(kind), {"cancelled": True})

    def _start(self, kind: str, question: dict[str, Any]) -> None:
        job = Job()
        task = asyncio.get_running_loop().create_task(self._answer(kind, question, job))
        self._jobs[kind] = (job, task)

    def cancel(self) -> None:
        """Nobody waits for anything any more."""
        self._waiting.clear()
        for job, _ in self._jobs.values():
            job.cancelled = True

    async def end(self) -> None:
        """The tab was closed: nothing goes on for it."""
        self.cancel()
        await asyncio.gather(*(task for _, task in self._jobs.values()), return_exceptions=True)
        self._run, self.table = None, None

    async def _answer(self, kind: str, question: dict[str, Any], job: Job) -> None:
        told: list[dict[str, Any]] = []
        job._tell = told.append
        loop = asyncio.get_running_loop()
        work = loop.run_in_executor(self.executor, self._work, kind, question, job)
        try:
            while not (await asyncio.wait([work], timeout=PATIENCE))[0]:
                seconds = time.monotonic() - job.began
                progress = {**(told[-1] if told else {}), "seconds": round(seconds, 1)}
                del told[:-1]
                await self._send(question, {"progress": progress})
            await self._send(question, work.result())
        except Cancelled:
            await self._send(question, {"cancelled": True})
        except Wanting as wanting:
            key = {"key": wanting.key, "args": wanting.args_of_key}
            await self._refuse(question, str(wanting), **key)
        except (ValueError, TypeError, ArithmeticError, MemoryError) as wrong:
            await self._refuse(question, str(wrong) or type(wrong).__name__)
        except Exception as wrong:  # The tab is told, and the server goes on.
            why = f"something went wrong inside Certo ({type(wrong).__name__}: {wrong})."
            await self._refuse(question, why)
        finally:
            del self._jobs[kind]
            if kind in self._waiting:
                self._start(kind, self._waiting.pop(kind))

    async def _refuse(self, question: Any, why: str, **more: Any) -> None:
        await self._send(question, {"refused": why, **more})

    async def _send(self, question: Any, answer: dict[str, Any]) -> None:
        known = question if type(question) is dict else {}
        number, kind = known.get("id"), known.get("ask")
        names = {"id": number if type(number) is int else None,
                 "ask": kind if type(kind) is str else None}  # fmt: skip
        await self.send({**names, **answer})

    # --- answers, in a thread -------------------------------------------------------------------

    def _work(self, kind: str, question: dict[str, Any], job: Job) -> dict[str, Any]:
        with one_thread():
            return self.ANSWERS[kind](self, question, job) | {"took": time.monotonic() - job.began}

    def _hello(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        return {
            "experiments": [experiment.describe() for experiment in EXPERIMENTS.values()],
            "presets": [*PRESETS, *WORLDS],
        }

    def _open(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        link = question.get("link")
        if type(link) is not str:
            raise Problem("a link must be text.")
        return {"state": State.of_link(link).write()}

    def _preset(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        name, m, seed = (question.get(key) for key in ("preset", "m", "seed"))
        bench = preset(str(name), m, seed or 0)
        source = {"preset": name, "m": len(bench), "seed": seed or 0}
        world = name if name in WORLDS else ""
        return {"points": bench.write(), "source": source, "world": world}

    def _columns(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        if self.table is None:
            raise Problem("no table was uploaded in this tab.")
        asked = [str(question.get(k, "")) for k in ("first", "second", "label", "positive")]
        return {"points": self.table.bench(*asked).write(), "source": {}, "world": ""}

    def _look(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        state = State.read(question.get("state"))
        with self._lock, self._reading(state):
            run, key = self._run_of(state, job)
            step = run.step_of(state.step)
            frame = run.frame(step, job)
            if state.world and "bayes" not in frame["scene"] and not state.experiment.draws:
                reach = self._asked(state, job).reach
                frame["scene"]["bayes"] = bayes_region(WORLDS[state.world], reach)
            facts = {
                "fit": key,
                "first": run.begins_at,
                "steps": run.steps,
                "step": step,
                "sweeps": run.sweeps,
                "reach": self._asked(state, job).reach,
                **frame,
            }
            if question.get("have") != key:
                facts["run_charts"] = run.charts()
        return {"facts": facts}

    def _more(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        state = State.read(question.get("state"))
        with self._lock, self._reading(state):
            run, key = self._run_of(state, job)
            return {"more": run.more(job), "fit": key}

    def _prove(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        state, edit = State.read(question.get("state")), question.get("edit")
        if edit is not None and type(edit) is not dict:
            raise Problem("a change must be a JSON object.")
        with self._lock, self._reading(state):
            proof = self._run_of(state, job)[0].proof(job)
        return {"proof": proving.prove(proof, edit, job)}

    def _link(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        return {"link": State.read(question.get("state")).link()}

    def _python(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        state = State.read(question.get("state"))
        with self._lock:
            return {"python": python_of(state, self._run_of(state, job)[0])}

    def _csv(self, question: dict[str, Any], job: Job) -> dict[str, Any]:
        return {"csv": csv_of(State.read(question.get("state")).bench)}

    @staticmethod
    def _reading(state: State):
        """Sentences count points from 1."""
        count = state.chosen["m"] if state.experiment.draws else len(state.bench)
        return reading(places=np.arange(1, count + 1))

    def _asked(self, state: State, job: Job) -> Asked:
        return Asked(state.bench, state.chosen, state.world, job)

    def _run_of(self, state: State, job: Job) -> tuple[Run, str]:
        """The run of a state, which is kept until another one is asked for, and its name."""
        chosen = tuple(sorted(state.chosen.items()))
        key = (state.experiment.name, chosen, state.bench.key)
        if self._run is None or key != self._key:
            job.go_on()
            self._run = state.experiment.run(self._asked(state, job), self._run)
            self._key = key
        return self._run, format(hash(key) & (2**64 - 1), "x")

    ANSWERS: ClassVar[dict[str, Callable[..., dict[str, Any]]]] = {
        "hello": _hello, "open": _open, "preset": _preset, "columns": _columns, "look": _look,
        "more": _more, "prove": _prove, "link": _link, "python": _python, "csv": _csv,
        "cancel": lambda self, question, job: {},
    }  # fmt: skip
