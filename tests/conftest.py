"""Settings for all tests, and the selection that `make quick` runs.

Hypothesis has no deadlines, since the first call of a compiled loop compiles it. Where CI is set it
draws the same examples in every run; elsewhere it searches anew each time. Ctrl-C is handled, which
a shell switches off for processes that it runs in the background.
"""

from __future__ import annotations

import gc
import os
import signal
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "certo",
    max_examples=60,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("certo")

#: Hypothesis examples of each law, and sets of parameters of each test, in a quick run.
QUICK_EXAMPLES, QUICK_PARAMETERS = 5, 1
#: Seconds of CPU after which a quick run asks for a test to be marked as slow.
SLOW_SECONDS = 0.2


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "less of each test: few examples, few parameters, none that is slow, no page of the docs"
    parser.addoption("--quick", action="store_true", help=text)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "slow: takes a fifth of a second or starts processes; not in --quick"
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--quick"):
        return
    kept, left_out, sets_of = [], [], Counter[tuple[pytest.Item, str]]()
    for item in items:
        test = (item.parent, getattr(item, "originalname", item.name))
        sets_of[test] += 1
        is_page = item.path.suffix == ".md"
        slow = item.get_closest_marker("slow") or sets_of[test] > QUICK_PARAMETERS
        (left_out if slow or is_page else kept).append(item)
        law = getattr(item, "function", None)
        chosen = getattr(law, "_hypothesis_internal_use_settings", None)
        if chosen is not None:  # A law with settings of its own would ignore those of a profile.
            few = min(chosen.max_examples, QUICK_EXAMPLES)
            law._hypothesis_internal_use_settings = settings(chosen, max_examples=few)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


def pytest_collection_finish() -> None:
    """What was collected stays until the end, so that garbage need not be looked for in it."""
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """In a quick run, note which tests take long: CPU time, since the machine may be busy."""
    start = cpu_seconds()
    yield
    item.user_properties.append(("cpu", cpu_seconds() - start))


def cpu_seconds() -> float:
    """Of this process and of those that it started and that have ended."""
    times = os.times()
    return sum(times) - times.elapsed


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if not config.getoption("--quick"):
        return
    for report in terminalreporter.getreports("passed"):
        seconds = dict(report.user_properties).get("cpu", 0.0)
        if seconds > SLOW_SECONDS:
            what = "mark it as slow, if that was not compiling"
            terminalreporter.line(f"{report.nodeid} took {seconds:.1f} s: {what}.")
