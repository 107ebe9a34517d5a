"""certo predict"""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from certo.cli.console import Voice
from certo.cli.options import ByBlocks, DataFiles, Json, ModelFile, check_outputs, option


def predict(
    model: ModelFile,
    data: DataFiles,
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
    with_input: Annotated[
        bool, typer.Option("--with-input", help="Add the columns of the table.")
    ] = False,
    by_blocks: ByBlocks = False,
    as_json: Json = False,
) -> None:
    """Predict the target for the rows of a table: the number of the row, the prediction, and for
    classes their scores or probabilities; of a density, its logarithm. Columns are found by name; a
    target column is ignored."""
    from certo.cli.in_blocks import predict_in_blocks
    from certo.data.big_files import is_too_large
    from certo.data.columns import read_table
    from certo.data.encoder import told_apart
    from certo.data.files import write_whole
    from certo.tables.model_file import load, load_model
    from certo.tables.predict import predict_table

    check_outputs({"--out": output}, keep=(model, data))
    loaded = load_model(model)
    known = loaded.model if loaded.as_written else load(model)  # `load` refuses a changed file.
    if by_blocks or is_too_large(data):
        refused: dict[str, Any] = {"--interval": interval, "--with-input": with_input}
        refused |= {"--json": as_json, f"--missing {missing}": missing != "refuse"}
        predict_in_blocks(known, data, output, refused)
        return
    table, notes = read_table(data, as_text=known.encoder.text_names_)
    predicted = predict_table(known, table, interval, missing)
    notes = notes + predicted.remarks
    for note in notes:
        Voice(stderr=True).say(("note ", "yellow"), note)
    what = "prediction" if known.target is not None else "log density"
    columns: dict[str, list[Any]] = {
        "row": predicted.places.tolist(),
        what: predicted.answers.tolist(),
        **{name: values.tolist() for name, values in predicted.beside.items()},
    }
    given = table.take(predicted.places - 1).to_pydict() if with_input else {}
    if as_json:
        found: dict[str, Any] = {
            "rows": columns.pop("row"),
            "predictions": columns.pop(what),
            **columns,
        }
        found |= {"input": given} if with_input else {}
        text = json.dumps(found | {"notes": notes}, default=str) + "\n"
    else:
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(told_apart([*columns, *given]))
        writer.writerows(zip(*columns.values(), *given.values(), strict=True))
        text = buffer.getvalue()
    if output is not None:
        write_whole(output, text.encode())
        return
    if hasattr(sys.stdout, "reconfigure") and not sys.stdout.isatty():
        sys.stdout.reconfigure(encoding="utf-8")  # The output is data, so no letter is escaped.
    sys.stdout.write(text)
