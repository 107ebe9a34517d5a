"""The package as a whole: light imports, public names, one home for each."""

import ast
import os
import re
import subprocess
import sys
import zipfile
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


@pytest.mark.parametrize(
    "room", ["data", "estimators", "guarantees", "issue", "report", "solvers", "tables", "words"]
)
def test_no_option_of_the_command_line_is_named_below_it(room):
    """Sentences ask `certo.words.reader` how their reader writes a setting."""
    for path in (Path(certo.__file__).parent / room).rglob("*.py"):
        texts = [
            node.value
            for node in ast.walk(ast.parse(path.read_text()))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        assert not [text for text in texts if re.search(r"(^|[\s(])--[a-z]", text)], path


@pytest.mark.slow
def test_a_built_wheel_fits_a_table_and_writes_a_report(tmp_path):
    """Everything that is needed is in the wheel: templates, schema, stubs."""
    place, root = tmp_path / "installed", Path(__file__).parents[1]
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path]
    subprocess.run(build, cwd=root, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(place)
    table = tmp_path / "iris.csv"
    table.write_bytes((root / "examples" / "iris.csv").read_bytes())
    code = "import certo, sys; from certo.cli import main; print(certo.__file__); main()"
    words = ["fit", table, "--target", "species", "--report", tmp_path / "r.html"]
    words += ["--machine", "logistic"]  # It has little to compile.
    environment = os.environ | {"PYTHONPATH": str(place)}
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=tmp_path, env=environment, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    assert done.stdout.startswith(str(place))
    assert "On new rows like these" in done.stdout
    assert (tmp_path / "r.html").read_text("utf-8").endswith("</html>")
    assert files(place / "certo") == files(root / "src" / "certo")


def files(folder: Path) -> set[Path]:
    """All but what Python and Numba have compiled."""
    every = {file.relative_to(folder) for file in folder.rglob("*") if file.is_file()}
    return {file for file in every if "__pycache__" not in file.parts}
