"""Commands load what they need: `--help` no array library, `verify` no data frames."""

from __future__ import annotations

import subprocess
import sys

import pytest

from certo.cli.startup import Deferred, Deferring, Hidden

RUN = (
    "import sys\n"
    "sys.argv = ['certo', *sys.argv[1:]]\n"
    "from certo.cli import main\n"
    "try:\n"
    "    main()\n"
    "finally:\n"
    "    print(*sorted(sys.modules), file=sys.stderr)\n"
)


def loaded(*words) -> set[str]:
    found = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, words)], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return set(found.stderr.splitlines()[-1].split())


@pytest.mark.slow
def test_help_loads_no_library_of_machines():
    modules = loaded("fit", "--help")
    for name in ("sklearn", "scipy", "pyarrow", "numba", "matplotlib", "pandas", "skops"):
        assert name not in modules


def test_the_command_is_a_module_too():
    said = subprocess.run(
        [sys.executable, "-m", "certo", "--help"], capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("Usage: certo [OPTIONS]")


@pytest.mark.slow
def test_a_check_loads_neither_data_frames_nor_distributions_nor_pictures(iris):
    modules = loaded("verify", *iris)
    for name in ("pandas", "matplotlib", "skops", "sklearn.svm", "scipy.stats._stats_py"):
        assert name not in modules
    assert "matplotlib" not in loaded("predict", *iris)


@pytest.mark.slow
def test_a_check_of_the_default_machine_loads_no_solver(certo, iris, tmp_path):
    table, model = iris[1], tmp_path / "svm.certo"
    assert certo("fit", table, "--target", "species", "--out", model).code == 0
    modules = loaded("verify", model, table)
    for name in ("numba", "scipy.optimize", "highspy", "flint", "certo.estimators.perceptron"):
        assert name not in modules


@pytest.fixture
def forgotten(monkeypatch):
    """Modules as if they had not been imported yet."""

    def forget(package: str):
        for name in list(sys.modules):
            if name == package or name.startswith(f"{package}."):
                monkeypatch.delitem(sys.modules, name)

    return forget


def test_what_is_deferred_is_loaded_when_it_is_used(monkeypatch, forgotten):
    import colorsys

    forgotten("colorsys")
    monkeypatch.setattr(sys, "meta_path", [Deferring({"colorsys": {}}), *sys.meta_path])
    import colorsys as later

    assert type(later) is Deferred
    assert later.rgb_to_hsv(1, 0, 0) == colorsys.rgb_to_hsv(1, 0, 0)
    assert type(sys.modules["colorsys"]) is not Deferred
    assert later.hsv_to_rgb is not None
    with pytest.raises(AttributeError):
        _ = later.nothing


def test_modules_of_a_deferred_package_are_loaded_alone(monkeypatch, forgotten, tmp_path):
    package = tmp_path / "outer" / "halves"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("from outer.halves._left import Left, wait\n")
    (package / "_left.py").write_text("class Left:\n    pass\n\n\ndef wait():\n    pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    finder = Deferring({"outer.halves": {"Left": "_left"}})
    monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
    from outer.halves import Left

    halves = sys.modules["outer.halves"]
    assert Left.__module__ == "outer.halves._left"
    assert type(halves) is Deferred
    assert halves.wait.__module__ == "outer.halves._left"  # The whole of it is loaded now.
    assert type(sys.modules["outer.halves"]) is not Deferred
    assert sys.modules["outer.halves"].Left is Left
    forgotten("outer")


def test_what_is_hidden_seems_not_to_be_installed(monkeypatch):
    monkeypatch.setattr(sys, "meta_path", [Hidden(["xdrlib", "this"]), *sys.meta_path])
    monkeypatch.delitem(sys.modules, "this", raising=False)
    with pytest.raises(ModuleNotFoundError):
        import this  # noqa: F401
    import wave  # noqa: F401
