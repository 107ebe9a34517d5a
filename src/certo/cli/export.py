"""certo export"""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from certo.cli.console import Voice, print_json
from certo.cli.options import Json, ModelFile
from certo.numbers.decimals import readable

if TYPE_CHECKING:
    from certo.tables.onnx_check import Agreement


def export(
    model: ModelFile,
    onnx: Annotated[
        Path, typer.Option(metavar="FILE", help="ONNX file to write.", show_default=False)
    ],
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="DATA",
            help="Table on whose rows the file is tried, instead of generated rows.",
            show_default=False,
        ),
    ] = None,
    precision: Annotated[
        str,
        typer.Option(metavar="float32|float64", help="Numbers that the file computes with."),
    ] = "float32",
    as_json: Json = False,
) -> None:
    """Write a model as an ONNX file, for other programs to run. It is tried by onnxruntime first,
    and gives the model's label wherever rounding leaves that clear. Each column of the table is an
    input of shape [rows, 1]; categories are texts. The columns of a model that certo.save wrote are
    the features that it was fitted to, called x0, x1, … where they had no names."""
    from certo.data.columns import read_table
    from certo.data.files import check_writable, write_whole
    from certo.tables.model_file import load
    from certo.tables.onnx_check import check_onnx
    from certo.tables.onnx_file import model_of_columns, onnx_bytes

    check_writable(onnx, keep=(model,) if data is None else (model, data))
    known = model_of_columns(load(model))
    content = onnx_bytes(known, precision)
    table = None
    if data is not None:
        table, _ = read_table(data, as_text=known.encoder.text_names_)
    found = check_onnx(content, known, table, precision)
    write_whole(onnx, content)
    if as_json:
        allowance = found.allowance if isfinite(found.allowance) else None
        said = {"file": str(onnx), "precision": precision, **asdict(found)}
        print_json(said | {"allowance": allowance})
        return
    where = "generated rows" if data is None else f"rows of {data}"
    _tell(Voice(), found, str(onnx), where, precision, hasattr(known.machine, "classes_"))


def _tell(
    voice: Voice, found: Agreement, file: str, where: str, precision: str, labels: bool
) -> None:
    from certo.certificates.encoding import counted

    voice.say(f"ONNX file written to {file}. onnxruntime was tried on {found.rows:,} {where}.")
    voice.item(
        ("✓ ", "green"),
        f"Every score is within {readable(found.allowance)} of the model's, which is what rounding "
        f"in {precision} allows; the largest difference is {readable(found.difference)}.",
    )
    if not labels:
        return
    close = found.rows - found.clear
    if not close:
        text = "Every label is the model's: no score is as close to a tie as that."
    else:
        text = (
            f"The label is the model's in all {found.clear:,} rows whose score is farther from a "
            f"tie than that. Of the {counted(close, 'other row')}, {found.differing:,} have "
            "another label."
        )
    voice.item(("✓ ", "green"), text)
