"""The example scripts run on generated data, and the notebooks on those that ship."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


SCRIPTS = {
    "promoters": ["--repeats", "1"],
    "splice": ["--examples", "30"],
    "sms": [],
    "surnames": ["--examples", "10"],
    "edit_distance": ["--examples", "12"],
    "questions": [],
    "molecules": ["--sets", "TINY"],
}
EXAMPLES_OF_EACH = 24


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


@pytest.fixture
def alone(script, monkeypatch, tmp_path):
    """As in a fresh clone: no data are there, so that few are generated."""
    data, generated = script("_data"), script("_generated")
    monkeypatch.delenv("CERTO_DATA", raising=False)
    monkeypatch.setattr(data, "BESIDE", tmp_path / "none")
    monkeypatch.setattr(data, "GENERATED", tmp_path / "generated")
    write = generated.write
    few = lambda name, folder: write(name, folder, EXAMPLES_OF_EACH)  # noqa: E731
    monkeypatch.setattr(generated, "write", few)


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_runs_without_data(name, script, alone, tmp_path, capsys):
    drawn = tmp_path / "pictures" / "drawn.png"
    results = script(name).main(["--picture", str(drawn), "--folds", "2", *SCRIPTS[name]])
    results = results["TINY"] if name == "molecules" else results
    said = capsys.readouterr().out
    assert "examples of their form were generated" in said
    assert len(results) >= 3
    for machine, scores in results.items():
        assert machine in said
        assert np.all((np.array(scores) >= 0) & (np.array(scores) <= 1))
    assert all(file.stat().st_size > 10_000 for file in drawn.parent.iterdir())
    assert len(list(drawn.parent.iterdir())) == 1


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_says_what_data_it_needs(name, script, tmp_path):
    with pytest.raises(SystemExit, match=r"is not there(.|\n)*--data FOLDER"):
        script(name).main(["--data", str(tmp_path)])


def test_data_are_found_by_the_environment(script, tmp_path, monkeypatch):
    monkeypatch.setenv("CERTO_DATA", str(tmp_path))
    script("_generated").write("sms_spam/sms.tsv", tmp_path, 4)
    assert script("_data").found(None, "sms_spam/sms.tsv", "") == tmp_path / "sms_spam" / "sms.tsv"


def test_every_script_is_tried_and_listed():
    scripts = {file.stem for file in EXAMPLES.glob("[!_]*.py")}
    assert scripts == set(SCRIPTS)
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"`{name}.py`" in listed for name in scripts)


NOTEBOOKS = sorted(path.name for path in EXAMPLES.glob("*.ipynb"))
EXECUTE = """
import sys, nbformat, nbclient
notebook = nbformat.read(sys.argv[1], as_version=4)
place = {"metadata": {"path": sys.argv[2]}}
nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=place).execute()
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_runs(name):
    """In a process of its own, whose warnings are not ours."""
    pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    words = [sys.executable, "-c", EXECUTE, str(EXAMPLES / name), str(EXAMPLES)]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_is_stored_without_output(name):
    cells = json.loads((EXAMPLES / name).read_text("utf-8"))["cells"]
    made = [cell for cell in cells if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in made)


def test_every_notebook_is_listed():
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    assert len(NOTEBOOKS) == 3
    assert all(f"`{name}`" in listed for name in NOTEBOOKS)
