"""A tab: the latest state is answered, older ones need not be, and nothing piles up."""

from __future__ import annotations

import asyncio
import json
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from certo.lab import session as sessions
from certo.lab.experiment import Cancelled
from certo.lab.session import Session
from certo.lab.state import State
from certo.lab.uploads import read_upload


class Tab:
    """A page that writes down what it is sent."""

    def __init__(self, executor):
        self.heard: list[dict] = []
        self.session = Session(self.hear, executor)
        self.count = 0

    async def hear(self, message):
        json.dumps(message, allow_nan=False)
        self.heard.append(message)

    async def ask(self, ask, **body):
        self.count += 1
        await self.session.ask({"id": self.count, "ask": ask, **body})
        return self.count

    async def answer(self, number, seconds=180.0):
        """What a question was answered with, but for progress."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for message in self.heard:
                if message["id"] == number and "progress" not in message:
                    return message
            await asyncio.sleep(0.002)
        raise AssertionError(f"no answer to {number}: {self.heard[-3:]}")

    async def asked(self, ask, **body):
        return await self.answer(await self.ask(ask, **body))


def in_a_tab(play):
    """Run `play(tab)`; the tab is closed at the end."""

    async def whole():
        with ThreadPoolExecutor(4) as executor:
            tab = Tab(executor)
            try:
                await play(tab)
            finally:
                await tab.session.end()

    with warnings.catch_warnings(action="ignore"):
        asyncio.run(whole())


def state_of(link):
    return State.of_link(link).write()


def test_a_question_of_each_kind():
    async def play(tab):
        hello = await tab.asked("hello")
        assert len(hello["experiments"]) == 10
        state = (await tab.asked("open", link="margin?C=10"))["state"]
        facts = (await tab.asked("look", state=state))["facts"]
        assert facts["verdict"]["key"] == "margin.soft"
        assert facts["run_charts"]
        assert (facts["first"], facts["step"]) == (0, 0)
        early = (await tab.asked("look", state=state_of("bounds?m=20&draws=10&step=0")))["facts"]
        assert (early["first"], early["step"]) == (1, 1)  # There is nothing before the first draw.
        again = (await tab.asked("look", state=state, have=facts["fit"]))["facts"]
        assert "run_charts" not in again
        assert (await tab.asked("link", state=state))["link"].startswith("margin?preset=")
        assert "SVM(C=10.0" in (await tab.asked("python", state=state))["python"]
        assert (await tab.asked("csv", state=state))["csv"].startswith("x1,x2,label")
        points = await tab.asked("preset", preset="world-ring", m=50, seed=1)
        assert (len(points["points"]), points["world"]) == (50, "world-ring")
        drawn = state_of("kernels?preset=world-ring&m=50")
        assert "bayes" in (await tab.asked("look", state=drawn))["facts"]["scene"]
        more = await tab.asked("more", state=state_of("least-squares"))
        assert more["more"]["charts"]

    in_a_tab(play)


@pytest.mark.parametrize(
    "question",
    [None, 3, [], {}, {"ask": "nothing"}, {"ask": ["look"]}, {"ask": "look"},
     {"ask": "look", "state": {"experiment": "none"}}, {"ask": "open", "link": 3},
     {"ask": "open", "link": "none"}, {"ask": "preset", "preset": "none"},
     {"ask": "columns"}, {"ask": "prove", "state": {"experiment": "margin"}, "edit": 3},
     {"ask": "look", "state": {"experiment": "margin", "points": []}}],
)  # fmt: skip
def test_a_strange_question_is_refused_in_words_and_the_tab_lives_on(question):
    async def play(tab):
        await tab.session.ask(question)
        while not tab.heard:
            await asyncio.sleep(0.002)
        assert len(tab.heard[0]["refused"]) > 10
        assert (await tab.asked("hello"))["presets"]

    in_a_tab(play)


@pytest.mark.parametrize("strange", [float("nan"), float("inf"), [1], {"a": 1}, "1", True])
def test_a_strange_number_of_a_question_does_not_keep_the_answer_back(strange):
    async def play(tab):
        await tab.session.ask({"id": strange, "ask": "look"})
        while not tab.heard:
            await asyncio.sleep(0.002)
        assert tab.heard[0]["id"] is None
        assert "must be" in tab.heard[0]["refused"]

    in_a_tab(play)


def test_of_many_states_the_last_is_answered_and_none_piles_up():
    async def play(tab):
        last = None
        for k in range(50):
            state = state_of("margin?m=30")
            state["points"][0][0] += k
            last = await tab.ask("look", state=state)
            assert len(tab.session._waiting) <= 1
            await asyncio.sleep(0)
        assert (await tab.answer(last))["facts"]
        answered = [one for one in tab.heard if "facts" in one]
        assert len(answered) < 50
        assert not tab.session._waiting
        # Whoever asked is told, one way or the other.
        assert {one["id"] for one in tab.heard} == set(range(1, 51))

    in_a_tab(play)


def test_a_long_job_tells_how_far_it_is_and_can_be_cancelled(monkeypatch):
    def slow(self, question, job):
        for k in range(1000):
            job.tell(done=k, of=1000)
            time.sleep(0.01)
        return {}

    monkeypatch.setitem(Session.ANSWERS, "look", slow)

    async def play(tab):
        first = await tab.ask("look")
        while not any("progress" in one for one in tab.heard):
            await asyncio.sleep(0.01)
        assert tab.heard[0]["progress"]["of"] == 1000
        # Something newer takes its place, since it takes long.
        second = await tab.ask("look")
        assert (await tab.answer(first))["cancelled"]
        await asyncio.sleep(0.05)
        third = await tab.ask("cancel")
        assert (await tab.answer(second))["cancelled"]
        assert "refused" not in await tab.answer(third)

    in_a_tab(play)


def test_what_is_for_idle_times_gives_way(monkeypatch):
    began = []

    def slow(self, question, job):
        began.append(job)
        while True:
            job.go_on()
            time.sleep(0.005)

    monkeypatch.setitem(Session.ANSWERS, "more", slow)

    async def play(tab):
        number = await tab.ask("more")
        while not began:
            await asyncio.sleep(0.002)
        assert (await tab.asked("look", state=state_of("margin")))["facts"]
        assert (await tab.answer(number))["cancelled"]

    in_a_tab(play)


def test_an_error_of_ours_is_told_and_the_tab_lives_on(monkeypatch):
    def broken(self, question, job):
        raise KeyError("something")

    monkeypatch.setitem(Session.ANSWERS, "csv", broken)

    async def play(tab):
        assert "inside Certo (KeyError" in (await tab.asked("csv"))["refused"]
        assert (await tab.asked("hello"))["presets"]

    in_a_tab(play)


def test_two_tabs_do_not_disturb_each_other():
    async def whole():
        with ThreadPoolExecutor(4) as executor:
            tabs = [Tab(executor), Tab(executor)]
            links = ["margin?C=1&m=30", "margin?C=100&m=30"]
            alone = []
            for tab, link in zip(tabs, links, strict=True):
                alone.append((await tab.asked("look", state=state_of(link)))["facts"]["strip"])
            numbers = []
            for _ in range(10):
                for tab, link in zip(tabs, links, strict=True):
                    numbers.append((tab, await tab.ask("look", state=state_of(link))))
            for tab, number in numbers[-2:]:
                facts = (await tab.answer(number))["facts"]
                assert facts["strip"] == alone[tabs.index(tab)]
            for tab in tabs:
                await tab.session.end()
                assert tab.session._run is None

    with warnings.catch_warnings(action="ignore"):
        asyncio.run(whole())


def test_the_end_of_a_tab_ends_its_jobs(monkeypatch):
    ended = []

    def endless(self, question, job):
        try:
            while True:
                job.go_on()
                time.sleep(0.005)
        except Cancelled:
            ended.append(True)
            raise

    monkeypatch.setitem(Session.ANSWERS, "look", endless)

    async def play(tab):
        await tab.ask("look")
        await asyncio.sleep(0.02)

    in_a_tab(play)
    assert ended == [True]


def test_earlier_runs_are_forgotten():
    """A run may take something over from the one before it, and keeps none."""
    import gc
    import weakref

    kept: list[weakref.ref] = []

    async def play(tab):
        for k in range(6):
            state = state_of("bounds?m=20&draws=10")
            state["settings"]["delta"] = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3)[k]
            assert "facts" in await tab.asked("look", state=state)
            kept.append(weakref.ref(tab.session._run))
        gc.collect()
        assert [one() is not None for one in kept] == [False] * 5 + [True]

    in_a_tab(play)


def test_columns_of_a_table_go_to_the_bench():
    async def play(tab):
        tab.session.table = read_upload("t.csv", b"a,b,c\n1,2,x\n3,4,y\n5,1,x\n")
        asked = {"first": "a", "second": "b", "label": "c", "positive": "x"}
        assert len((await tab.asked("columns", **asked))["points"]) == 3
        refused = await tab.asked("columns", **(asked | {"first": "z"}))
        assert "no column" in refused["refused"]

    in_a_tab(play)


def test_sentences_count_points_from_one():
    bench = State.of_link("perceptron?preset=xor").bench
    with Session._reading(State.of_link("perceptron?preset=xor")):
        from certo.words.reader import row_numbers

        assert row_numbers([0, len(bench) - 1]) == [1, len(bench)]
    assert sessions.PATIENCE == 0.2


@pytest.mark.slow
def test_examples_that_were_drawn_have_numbers_of_their_own():
    """They may be more than the points of the bench."""

    async def play(tab):
        link = "bounds?machine=perceptron&world=gaussian&m=200&draws=10&step=1"
        state = (await tab.asked("open", link=link))["state"]
        answer = await tab.asked("prove", state=state, edit=None)
        assert "refused" not in answer
        assert answer["proof"]["holds"]

    in_a_tab(play)
