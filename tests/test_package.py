"""The package as a whole: light imports, public names, one home for each."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import certo


def modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import certo", {"numpy", "scipy", "numba", "sklearn"}),
        ("import certo.certificates", {"numba", "sklearn", "pyarrow", "certo.solvers"}),
        ("import certo.losses, certo.geometry, certo.rates", {"numba", "sklearn"}),
        ("import certo.estimators", {"matplotlib", "typer", "jinja2", "skops"}),
        ("import certo.cli", {"numba", "sklearn", "matplotlib", "pyarrow"}),
    ],
)
def test_imports_stay_light(code, absent):
    loaded = modules_after(code)
    assert not absent & loaded, absent & loaded


def test_public_names_are_there_and_lazy():
    for name in certo.__all__:
        assert getattr(certo, name) is not None
    assert set(certo.__all__) == set(dir(certo))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = certo.nothing


def test_the_version_is_the_distributions():
    from importlib.metadata import version

    assert version("certo") == certo.__version__


def test_the_citation_has_this_version_and_a_date():
    text = (Path(__file__).parents[1] / "CITATION.cff").read_text("utf-8")
    assert re.search(rf"^version: {re.escape(certo.__version__)}$", text, re.MULTILINE)
    assert re.search(r"^date-released: \d{4}-\d{2}-\d{2}$", text, re.MULTILINE)
