"""The machine-code cache: reused between processes, never stale, never in the way."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import certo

pytestmark = pytest.mark.slow  # each test starts processes
CODE = (
    "import numpy as np\n"
    "from certo.compiled import _jit\n"
    "from certo.compiled.rows import rows_of\n"
    "from certo.compiled.scan import greatest_square\n"
    "greatest_square(rows_of(np.eye(3)), 3)\n"
    "print(_jit._FOLDER, sum(greatest_square.stats.cache_hits.values()))\n"
)


def run(package: Path, **environment) -> list[str]:
    clean = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**clean, "PYTHONPATH": str(package), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def copy_of_package(place: Path) -> Path:
    source = Path(certo.__file__).parent
    shutil.copytree(source, place / "certo", ignore=shutil.ignore_patterns("__pycache__"))
    return place


def test_cache_is_reused_until_any_compiled_file_changes(tmp_path):
    package = copy_of_package(tmp_path)
    first, hits = run(package)
    assert hits == "0"
    assert run(package) == [first, "1"]
    helper = package / "certo" / "compiled" / "trace.py"  # not the file of the cached loop
    helper.write_text(helper.read_text() + "\n# edited\n")
    second, hits = run(package)
    assert second != first
    assert hits == "0"
    assert not Path(first).exists(), "an installation keeps one cache, not one for each edit"


def test_the_users_cache_folder_serves_where_the_package_cannot_be_written(tmp_path):
    package = copy_of_package(tmp_path / "package")
    # a file where the folder should be cannot be written into, whoever runs this
    (package / "certo" / "compiled" / "__pycache__").write_text("")
    home = tmp_path / "home"
    folder, _ = run(package, XDG_CACHE_HOME=str(home), PYTHONDONTWRITEBYTECODE="1")
    assert Path(folder).is_relative_to(home)


def test_unwritable_cache_folders_are_tolerated(tmp_path):
    package = copy_of_package(tmp_path / "package")
    (package / "certo" / "compiled" / "__pycache__").write_text("")
    blocked = tmp_path / "file"
    blocked.write_text("")
    folder, hits = run(package, XDG_CACHE_HOME=str(blocked), PYTHONDONTWRITEBYTECODE="1")
    assert (folder, hits) == ("None", "0")


def test_a_cache_folder_chosen_by_the_user_is_respected(tmp_path):
    package = copy_of_package(tmp_path / "package")
    folder, _ = run(package, NUMBA_CACHE_DIR=str(tmp_path / "mine"))
    assert Path(folder).is_relative_to(tmp_path / "mine")
