"""The page in a browser, with the words of these tests."""

from __future__ import annotations

import contextlib

from certo.lab.bench import UNITS
from certo.lab.state import State
from tests.lab import frame_of, run_of

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


class Page:
    """The page, with the words of these tests."""

    def __init__(self, page, address: str, errors: list[str]) -> None:
        self.page, self.address, self.errors = page, address, errors
        self.expected: list[str] = []  # What errors of this test speak of, whenever they come.

    def open(self, link: str = "") -> Page:
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}#{link}")
        self.page.wait_for_selector("body[data-shown]")
        return self

    @property
    def shown(self) -> int:
        """How many pictures have been shown."""
        return int(self.page.evaluate("document.body.dataset.shown"))

    def quiet(self) -> None:
        """Wait until the picture is that of the state."""
        self.page.wait_for_selector("body[data-settled]")

    def state(self) -> State:
        return State.read(self.page.evaluate("lab.state"))

    def numbers(self) -> dict[str, float]:
        """The strip, as it stands on the page."""
        script = """() => Object.fromEntries([...document.querySelectorAll('#strip > div')]
            .map((n) => [n.id.slice(7), n.querySelector('.value').dataset.value]))"""
        return {key: float(value) for key, value in self.page.evaluate(script).items()}

    def numbers_as_text(self) -> dict[str, str]:
        """The same, as they are written."""
        script = """() => Object.fromEntries([...document.querySelectorAll('#strip > div')]
            .map((n) => [n.id.slice(7), n.querySelector('.value').textContent]))"""
        return self.page.evaluate(script)

    def matches_the_library(self) -> None:
        self.quiet()
        run, step = run_of(self.state().link()), self.page.evaluate("lab.facts.step")
        expected = {one["key"]: one["value"] for one in frame_of(run, step)["strip"]}
        expected.pop("seconds", None)  # How long it took is another number each time.
        numbers = self.numbers()
        assert {key: numbers[key] for key in expected} == expected

    def place(self, k: int) -> tuple[float, float]:
        """Where on the screen a point is."""
        box = self.page.locator("#plane").bounding_box()
        x, y, _ = self.page.evaluate("lab.state.points")[k]
        reach = self.page.evaluate("lab.facts.reach")
        across, up = x / UNITS / reach, y / UNITS / reach
        return box["x"] + (across + 1) / 2 * box["width"], box["y"] + (1 - up) / 2 * box["height"]

    def drag(self, k: int, dx: float, dy: float, steps: int = 5) -> None:
        x, y = self.place(k)
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=steps)
        self.page.mouse.up()

    def lonely(self) -> int:
        """The point that is furthest from all others."""
        points = self.state().bench.X
        gaps = [min(abs(p - q).sum() for j, q in enumerate(points) if j != k)
                for k, p in enumerate(points)]  # fmt: skip
        return gaps.index(max(gaps))


@contextlib.contextmanager
def opened(browser, address, **looks):
    context = browser.new_context(**({"viewport": WIDE, "locale": "en"} | looks))
    page, errors = context.new_page(), []
    page.set_default_timeout(180_000)  # Machine code may have to be compiled.
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    found = Page(page, address, errors)
    yield found
    context.close()
    left = [error for error in errors if not any(word in error for word in found.expected)]
    assert not left, left
