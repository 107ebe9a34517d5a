"""The laboratory in a browser: from the hand to the picture, first paint, memory after many drags.

`certo lab` runs in a process of its own, Chromium in another. A point is dragged by mouse events;
the page notes when each event was sent and when what was learned from it had been drawn.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import BenchTable

COMMAND = [sys.executable, "-c", "from certo.cli import main; main()", "lab", "--no-browser"]
LINKS = (
    "perceptron?preset=separable&m=200", "perceptron?preset=narrow&m=200",
    "perceptron?preset=xor&m=200", "separability?preset=touching&m=200",
    "separability?preset=xor&m=200", "margin?preset=overlapping&m=200",
    "margin?preset=separable&m=200&machine=hard", "descent?preset=overlapping&m=200",
    "descent?preset=overlapping&m=200&algorithm=ogd", "least-squares?preset=line&m=200",
    "logistic?preset=overlapping&m=200", "logistic?preset=separable&m=200",
    "conics?preset=ring&m=200", "kernels?preset=moons&m=200",
    "kernels?preset=noise&m=200&variance=0.1&C=100",
    "kernels?preset=moons&m=200&kernel=polynomial", "kernels?preset=moons&m=200&machine=perceptron",
    "errors?preset=noise&m=200", "margin?preset=overlapping&m=500",
)  # fmt: skip
MOVES, PAUSE = 50, 0.03  # Mouse events of a drag, and seconds between them: about thirty a second.
UNITS = 1024  # Of a place on the bench.


def run(quick: bool = False) -> list[BenchTable]:
    from playwright.sync_api import sync_playwright

    began = time.perf_counter()
    server = subprocess.Popen([*COMMAND, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+", server.stdout.readline())
        assert address is not None
        printed = time.perf_counter() - began
        with sync_playwright() as driver:
            path = shutil.which("chromium") or driver.chromium.executable_path
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            start = opening(page, address[0], printed)
            links = LINKS[:6:5] if quick else LINKS
            drags = [dragging(page, address[0], link, server.pid) for link in links]
            browser.close()
    finally:
        server.terminate()
        server.wait()
    about = "'memory' is that of the server, in MB, before and after."
    return [
        BenchTable("opening it", "Paint times are the browser's own.", start),
        BenchTable("milliseconds from a mouse event to the new picture", about, drags),
    ]


def opening(page: Any, address: str, printed: float) -> list[dict[str, Any]]:
    """The page twice: while the server has just started, and later."""
    rows = []
    for when in ("at once", "later"):
        sizes: list[int] = []
        page.on("response", lambda got, sizes=sizes: sizes.append(size_of(got)))
        page.goto("about:blank")
        began = time.perf_counter()
        page.goto(address)
        page.wait_for_selector("body[data-shown]", timeout=60_000)
        script = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        rows.append(
            {
                "data": when,
                "address printed, s": printed,
                "first paint, ms": round(page.evaluate(script)),
                "first picture, s": time.perf_counter() - began,
                "kilobytes": round(sum(sizes) / 1000),
            }
        )
        page.wait_for_selector("body[data-settled]")
        time.sleep(5)
    return rows


def size_of(response: Any) -> int:
    return int(response.headers.get("content-length", 0))


def dragging(page: Any, address: str, link: str, process: int) -> dict[str, Any]:
    """One point, moved many times."""
    page.goto("about:blank")
    page.goto(f"{address}#{link}")
    page.wait_for_selector("body[data-settled]", timeout=60_000)
    box = page.locator("#plane").bounding_box()
    points = np.array(page.evaluate("lab.state.points"))[:, :2] / UNITS
    reach = page.evaluate("lab.facts.reach")
    gaps = np.abs(points[:, None] - points[None]).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    inside = np.all(np.abs(points) < 0.7 * reach, axis=1)
    k = int(np.argmax(np.where(inside, gaps.min(axis=1), -1)))
    x = box["x"] + (points[k, 0] / reach + 1) / 2 * box["width"]
    y = box["y"] + (1 - points[k, 1] / reach) / 2 * box["height"]
    before, memory = page.evaluate("lab.latencies.length"), memory_of(process)
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, MOVES + 1):
        page.mouse.move(x + 2.8 * step, y - 2.8 * step)
        time.sleep(PAUSE)
    page.mouse.up()
    page.wait_for_selector("body[data-settled]", timeout=60_000)
    found = np.array(page.evaluate(f"lab.latencies.slice({before})"))
    assert page.evaluate("[lab.waiting, lab.latest]") == [0, None]
    return {
        "data": link,
        "pictures": len(found),
        "median": float(np.median(found)),
        "90 %": float(np.quantile(found, 0.9)),
        "worst": float(found.max()),
        "of it the server, last": 1e3 * page.evaluate("lab.server"),
        "memory": f"{memory} → {memory_of(process)}",
    }


def memory_of(process: int) -> int:
    """Megabytes, where /proc says so."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        return 0
    found = re.search(r"VmRSS:\s+(\d+)", status.read_text())
    return int(found[1]) // 1024 if found else 0
