"""certo fit on columns of text."""

from __future__ import annotations

import pytest

from certo.verify import verify_folder


@pytest.fixture
def messages(tmp_path):
    words = "cash prize now", "see you soon", "win a free phone", "call me later"
    lines = [f"{'ham' if k % 2 else 'spam'}\t{words[k % 4]} number{k}, ok" for k in range(60)]
    path = tmp_path / "messages.tsv"
    path.write_text("\n".join(lines))
    return path


@pytest.mark.slow
def test_from_a_fit_to_a_checked_folder(certo, messages, tmp_path):
    model, folder = tmp_path / "m", tmp_path / "proof"
    words = "--no-header", "--target", "column1", "--machine", "svm", "--out", model, "--json"
    said = certo("fit", messages, *words).json
    assert said["columns"]["texts"] == ["column2"]
    assert said["training_accuracy"] == 1
    assert certo("verify", model, messages, "--no-header").code == 0
    assert certo("proof", model, messages, "--no-header", "--out", folder).code == 0
    assert verify_folder(folder).code == 0
    assert certo("info", model, "--json").json["texts"] == {"column2": said["features"]}
    assert "words and pairs counted: column2" in certo("info", model).out
    refused = certo("export", model, "--onnx", tmp_path / "m.onnx")
    assert refused.code == 2
    assert "cannot be written as ONNX" in refused.err


def test_a_text_that_is_asked_for(certo, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("t,y\n" + "good day,a\nbad day,b\n" * 5)
    said = certo("fit", path, "--target", "y", "--text", "t", "--json").json
    assert said["features"] == 5
    assert certo("fit", path, "--target", "y", "--text", "y").code == 2
