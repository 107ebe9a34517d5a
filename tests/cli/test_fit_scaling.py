"""Scaling that makes one number of several is told by everyone who checks what follows from it."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def test_verify_reports_merged_numbers(certo, tmp_path):
    """Eight values next to each other, apart from one far away, are one number when scaled."""
    table, model = tmp_path / "near.parquet", tmp_path / "model"
    x = np.append(1 + np.arange(8) * 2.0**-52, -1e9)
    pq.write_table(pa.table({"x": x, "z": [1.0] * 8 + [2.0], "t": list("aaaabbbba")}), table)
    told = "one scaled number, and all that is proved is about the scaled numbers"
    words = ("fit", table, "--target", "t", "--machine", "min-disagreement", "--out", model)
    fit = certo(*words, "--scale", "standard")
    assert " ".join(fit.out.split()).count(told) == 1
    checked = certo("verify", model, table)
    assert told in " ".join(checked.out.split())
    assert told in " ".join(certo("proof", model, table, "--out", tmp_path / "proof").out.split())
    said = json.loads((tmp_path / "proof" / "proof.json").read_text())
    assert told in json.dumps(said)
    plain = certo(*words, "--scale", "none")
    assert told not in " ".join(plain.out.split())
    assert told not in " ".join(certo("verify", model, table).out.split())
