"""Files are written whole, or not at all."""

from __future__ import annotations

import os

import pytest

from certo.data import files
from certo.data.problem import Problem


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, monkeypatch, step):
    path = tmp_path / "m"
    path.write_text("old")
    for wrong, expected in (
        (OSError(28, "No space left"), Problem),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):
        with monkeypatch.context() as patch:

            def fail(*_, wrong=wrong):
                raise wrong

            patch.setattr(files.os, step, fail)
            with pytest.raises(expected):
                files.write_whole(path, b"new")
        assert path.read_text() == "old"
        assert os.listdir(tmp_path) == ["m"]
    files.write_whole(path, b"new")
    assert path.read_text() == "new"


def test_links_stay_links(tmp_path):
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    files.write_whole(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_several_files_are_written_all_or_none(tmp_path):
    with pytest.raises(Problem, match="cannot be written"):
        files.write_all({tmp_path / "a": b"a", tmp_path / "none" / "b": b"b"})
    assert not list(tmp_path.iterdir())
    files.write_all({tmp_path / "a": b"a", tmp_path / "b": b"b"})
    assert (tmp_path / "a").read_bytes() + (tmp_path / "b").read_bytes() == b"ab"
