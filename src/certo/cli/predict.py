"""certo predict"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Annotated

from certo.cli.console import Voice
from certo.cli.options import DataFile, Json, ModelFile, check_outputs, option


def predict(
    model: ModelFile,
    data: DataFile,
    output: Annotated[
        Path | None, option("FILE", "File to write, instead of the terminal.", "--out")
    ] = None,
    interval: Annotated[
        float | None,
        option("LEVEL", "Add prediction intervals of this level, such as 0.95 (least-squares)."),
    ] = None,
    missing: Annotated[
        str,
        option(
            "refuse|drop|empty",
            "Rows with missing values: refuse them with an error, drop them, or leave their "
            "predictions empty.",
        ),
    ] = "refuse",
    as_json: Json = False,
) -> None:
    """Predict the target for the rows of a table. Columns are found by name; a target column is
    ignored. A logistic model adds the probability of each class."""
    from certo.data.columns import read_table
    from certo.data.files import write_whole
    from certo.tables.model_file import load, load_model
    from certo.tables.predict import predict_table

    check_outputs({"--out": output}, keep=(model, data))
    loaded = load_model(model)
    known = loaded.model if loaded.as_written else load(model)  # `load` refuses a changed file.
    table, notes = read_table(data, as_text=known.encoder.text_names_)
    predicted = predict_table(known, table, interval, missing)
    notes = notes + predicted.remarks
    for note in notes:
        Voice(stderr=True).say(("note ", "yellow"), note)
    answers = predicted.answers.tolist()
    beside = {name: values.tolist() for name, values in predicted.beside.items()}
    if as_json:
        text = json.dumps({"predictions": answers, **beside, "notes": notes}) + "\n"
    else:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow([f"predicted {known.target}", *beside])
        writer.writerows(zip(answers, *beside.values(), strict=True))
        text = buffer.getvalue()
    if output is not None:
        write_whole(output, text.encode())
        return
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")  # The output is data, so no letter is escaped.
    sys.stdout.write(text)
