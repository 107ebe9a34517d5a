"""A laboratory that runs, and a browser: without Chromium, tests that need it are skipped."""

from __future__ import annotations

import shutil
import warnings
from pathlib import Path

import pytest

from certo.lab import server as servers
from certo.lab.server import Server
from tests.lab.pages import opened
from tests.lab.test_server import running

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="playwright is not installed: make test-browser does it"
    )
    with playwright.sync_playwright() as driver:
        own = driver.chromium.executable_path
        path = next((found for name in NAMES if (found := shutil.which(name))), own)
        if not Path(path).exists():
            pytest.skip("no Chromium is installed: make test-browser installs one.")
        found = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def address():
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings(action="ignore"):
        patch.setattr(servers, "_warm_up", lambda is_over: None)
        server = Server(0)
        with running(server):
            yield server.address


@pytest.fixture
def page(browser, address):
    with opened(browser, address) as found:
        yield found
