"""Numbers that float64 cannot hold, in tables: kept as they are written, refused where used."""

import io
import json
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from certo.data import columns, digits
from certo.data.problem import Problem
from certo.estimators import HardMarginSVM, LeastSquares, MinDisagreement
from certo.tables.examples import encode_table
from certo.tables.fit import OF_SCALED, CannotSeparate, fit_table
from certo.tables.predict import predict_table
from certo.tables.separable import OF_OWN, separate_table

IDS = [2**53, 2**53 + 1, 2**53, 2**53 + 1]  # in float64 all are the same
HALVES = [0.5, 0.5, 1.5, 1.5]
Y = ["a", "b", "a", "b"]  # the identifiers tell the classes apart
CENTS = [Decimal("0.1"), Decimal("0.10000000000000000001")] * 2
TOO_FINE = {
    "int64": pa.array(IDS),
    "uint64": pa.array([2**64 - 2, 2**64 - 1] * 2, pa.uint64()),
    "int64 with nulls": pa.array(IDS),
    "decimal128": pa.array([Decimal(i) for i in IDS], pa.decimal128(38, 2)),
    "decimal256": pa.array([Decimal(i) for i in IDS], pa.decimal256(60, 2)),
    "fractions": pa.array(CENTS, pa.decimal128(38, 20)),
    "dictionary": pa.array(IDS).dictionary_encode(),
}


def as_csv(cells, separator=","):
    rows = zip(cells, HALVES, Y, strict=True)
    lines = [separator.join(["id", "x", "y"]), *(separator.join(map(str, row)) for row in rows)]
    return "\n".join(lines)


WRITTEN = {
    "integers": as_csv(IDS),
    "beyond int64": as_csv([2**64 - 2, 2**64 - 1] * 2),
    "decimals": as_csv(["0.1", "0.10000000000000000001"] * 2),
    "exponents": as_csv(["1e-1", "10.000000000000000001E-2"] * 2),
    "beside halves": as_csv(["0.5", str(2**53 + 1)] * 2),
    "quoted": as_csv(['"0.1"', '"0.10000000000000000001"'] * 2),
    "decimal commas": as_csv(["0,1", "0,10000000000000000001"] * 2, ";").replace(".", ","),
}


def read(text, folder, **settings):
    path = folder / "table.csv"
    path.write_text(text)
    return columns.read_table(path, **settings).table


def refused_everywhere(table):
    """Where the column is used; where it is not, nothing is in the way."""
    whole = table.slice(0, 4)
    model = fit_table(table.drop_columns(["id"]), "y", MinDisagreement()).model
    assert predict_table(model, table).answers.size == 4
    known = pa.table({"id": [0.0, 1.0] * 2, "x": HALVES, "y": Y})
    model = fit_table(known, "y", MinDisagreement()).model
    for use in (
        lambda: separate_table(whole, "y"),
        lambda: fit_table(whole, "y", MinDisagreement()),
        lambda: fit_table(whole.drop_columns(["y"]), "id", LeastSquares()),
        lambda: predict_table(model, whole),
    ):
        with pytest.raises(Problem, match="column 'id' must hold numbers that float64 can tell"):
            use()
    assert separate_table(whole, "y", drop=("id",)).verdict.name == "Inseparable"


@pytest.mark.parametrize("kind", [*TOO_FINE])
def test_typed_columns(kind, tmp_path):
    table = pa.table({"id": TOO_FINE[kind], "x": HALVES, "y": Y})
    pq.write_table(table, tmp_path / "table.parquet")
    refused_everywhere(columns.read_table(tmp_path / "table.parquet").table)


@pytest.mark.parametrize("how", [*WRITTEN])
def test_written_numbers(how, tmp_path):
    refused_everywhere(read(WRITTEN[how], tmp_path))


def test_a_column_with_words_for_missing_values(tmp_path):
    table = read(as_csv(["0.1", "0.10000000000000000001", "?", "0.3"]), tmp_path)
    with pytest.raises(Problem, match=r"would both become 0\.1"):
        separate_table(table, "y", na=("?",), missing="drop")


@pytest.mark.parametrize("ids", [IDS, [2**64 - 2, 2**64 - 1] * 2])
def test_identifiers_may_be_categories(ids, tmp_path):
    table = read(as_csv(ids), tmp_path)
    assert separate_table(table, "y", category=("id",)).verdict.name == "Separable"
    model = fit_table(table, "y", MinDisagreement(), category=("id",)).model
    assert predict_table(model, table).answers.tolist() == Y


def test_distinct_decimals_become_the_nearest_floats(tmp_path):
    texts = ["0.1", "0.10000000000000001", str(2**60 + 2**8), "-0.25"]
    with pytest.raises(Problem, match="would both become"):
        encode_table(read(as_csv(texts), tmp_path), "y")
    texts[1] = "0.10000000000000002"
    X = encode_table(read(as_csv(texts), tmp_path), "y", scale="none").X
    assert X[:, 0].tolist() == [float(text) for text in texts]
    cells = [Decimal("0.1"), Decimal("2.675"), None, Decimal("123456789.123456789")]
    column = pa.chunked_array([pa.array(cells, pa.decimal128(38, 9))])
    values = columns.numbers(column, "c").tolist()
    assert [v for v in values if v == v] == [float(cell) for cell in cells if cell is not None]


def test_integers_with_missing_values_are_exact():
    column = pa.chunked_array([pa.array([2**53, None, 2**54 + 4])])
    assert columns.numbers(column, "c")[[0, 2]].tolist() == [2.0**53, 2.0**54 + 4]


def test_labels_are_not_rounded():
    table = pa.table({"y": pa.array([Decimal(1), Decimal("1.00000000000000000001")])})
    with pytest.raises(Problem, match="looks continuous"):
        columns.labels(table, "y")


@given(st.lists(st.decimals(allow_nan=False, allow_infinity=False), max_size=8), st.integers(1, 9))
def test_too_fine_finds_decimals_that_merge(numbers, parts):
    numbers += [number + Decimal(1).scaleb(number.adjusted() - parts * 4) for number in numbers]
    floats = {}
    for number in numbers:
        floats.setdefault(float(number), set()).add(Fraction(number))
    merged = any(len(same) > 1 for value, same in floats.items() if np.isfinite(value))
    found = digits.too_fine(numbers)
    if merged:
        assert found is not None
    if found is not None and found.other is not None:
        assert found.number != found.other
        assert float(found.number) == float(found.other)


@pytest.mark.parametrize("size", [10, 2**22 - 9, 2**22 - 1, 2**22 + 3])
def test_long_numbers_are_seen_across_chunks(size):
    assert digits.has_long_numbers(io.BytesIO(b"x" * size + b"1.234567890123456"), ".")
    assert not digits.has_long_numbers(io.BytesIO(b"x" * size + b"1.2345678901234 5"), ".")
    assert digits.has_long_numbers(io.BytesIO(b"x" * size + b"1e-300"), ".")


class TestScaling:
    """1e-20 and 0 are one number once a mean has been taken from them."""

    table = pa.table({"v": [0.0, 1e-20, 0.0, 1e-20, 1.0], "y": [*Y, "b"]})

    def test_with_an_intercept_the_verdict_is_about_the_own_numbers(self):
        decided = separate_table(self.table, "y", scale="standard")
        assert decided.verdict.name == "Separable"
        assert decided.verdict.verify([[0.0], [1e-20], [0.0], [1e-20], [1.0]], [*Y, "b"])
        assert OF_OWN in decided.examples.notes

    def test_without_one_it_is_said_to_be_about_the_scaled(self):
        decided = separate_table(self.table, "y", scale="standard", intercept="none")
        assert OF_SCALED in decided.examples.notes
        assert any("1 pair of different values" in note for note in decided.examples.notes)

    def test_a_machine_that_needs_separable_classes(self):
        with pytest.raises(Problem, match="Use scale='none'"):
            fit_table(self.table, "y", HardMarginSVM(), scale="standard")
        mixed = pa.table({"v": [0.1, 0.1, 0.3, 0.7], "y": Y})
        with pytest.raises(CannotSeparate) as wrong:
            fit_table(mixed, "y", HardMarginSVM(), scale="standard")
        assert wrong.value.proof.verify([[0.1], [0.1], [0.3], [0.7]], Y)

    def test_other_machines_report_merged_values(self):
        fitted = fit_table(self.table, "y", MinDisagreement(), scale="standard")
        assert any("scaled number" in note for note in fitted.model.notes)
        assert json.dumps(fitted.model.notes)
        assert not any(
            "scaled" in note for note in encode_table(self.table, "y", scale="none").notes
        )
