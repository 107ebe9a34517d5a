"""certo export"""

from __future__ import annotations


def test_a_file_is_written_and_tried(certo, iris, tmp_path):
    model, table = iris
    said = certo("export", model, "--onnx", tmp_path / "m.onnx", "--data", table)
    assert said.code == 0
    assert "onnxruntime was tried on 150 rows" in said.out
    assert "Every label is the model's" in said.out
    assert (tmp_path / "m.onnx").read_bytes()
    assert "generated rows" in certo("export", model, "--onnx", tmp_path / "m.onnx").out


def test_what_cannot_be_used_is_refused_and_nothing_is_written(certo, iris, tmp_path):
    model, table = iris
    for words in (
        ("export", model, "--onnx", model),
        ("export", table, "--onnx", tmp_path / "m.onnx"),
        ("export", model, "--onnx", tmp_path / "m.onnx", "--precision", "float8"),
        ("export", model, "--onnx", tmp_path / "m.onnx", "--data", tmp_path / "none.csv"),
    ):
        said = certo(*words)
        assert said.code == 2
        assert said.err.startswith("error: ")
    assert not (tmp_path / "m.onnx").exists()
