"""`certo predict`: columns by name, levels never seen, predictions to a file."""

from __future__ import annotations

from tests.cli.conftest import rows_of


def test_columns_are_taken_by_name_and_others_ignored(certo, iris, rewritten):
    model, table = iris
    expected = certo("predict", model, table)
    assert expected.code == 0
    assert expected.err == ""
    header, *rows = rows_of(table)
    turned = [[*header[::-1], "remark"]] + [[*row[::-1], "some, text"] for row in rows]
    assert certo("predict", model, rewritten(turned)).out == expected.out
    without = [row[:-1] for row in (header, *rows)]
    assert certo("predict", model, rewritten(without)).out == expected.out
    lines = [line.split(",") for line in expected.out.splitlines()]
    scores = [f"score of {name}" for name in ("setosa", "versicolor", "virginica")]
    assert lines[0] == ["row", "prediction", *scores]
    found = certo("predict", model, table, "--json").json
    assert found["rows"] == [int(line[0]) for line in lines[1:]] == list(range(1, 151))
    assert found["predictions"] == [line[1] for line in lines[1:]]
    assert found[scores[2]] == [float(line[4]) for line in lines[1:]]


def test_the_columns_of_the_table_may_stand_beside(certo, iris, rewritten):
    model, table = iris
    lines = certo("predict", model, table, "--with-input").out.splitlines()
    header, *rows = rows_of(table)
    assert lines[0].split(",")[5:] == header
    assert lines[7].split(",")[5:] == rows[6]
    found = certo("predict", model, table, "--with-input", "--json").json
    assert list(found["input"]) == header
    holes = [header, *rows[:3]]
    holes[2] = ["", *rows[1][1:]]
    words = "--with-input", "--missing", "drop"
    lines = certo("predict", model, rewritten(holes), *words).out.splitlines()
    assert [line.split(",")[0] for line in lines] == ["row", "1", "3"]
    assert lines[2].split(",")[5:] == rows[2]


def test_predictions_can_go_to_a_file(certo, iris, tmp_path):
    model, table = iris
    assert certo("predict", model, table, "--out", tmp_path / "p.csv").out == ""
    assert (tmp_path / "p.csv").read_text() == certo("predict", model, table).out
    kept = model.read_bytes()
    assert certo("predict", model, table, "--out", model).code == 2
    assert model.read_bytes() == kept


def test_missing_and_wrong_columns_are_refused(certo, iris, rewritten):
    model, table = iris
    header, *rows = rows_of(table)
    said = certo("predict", model, rewritten([row[1:] for row in (header, *rows)]))
    assert said.code == 2
    assert f"the column {header[0]!r} is missing" in said.err
    rows[4][0] = "wide"
    said = certo("predict", model, rewritten([header, *rows]))
    assert said.code == 2
    assert f"{header[0]!r} held numbers" in said.err
    assert "'wide' in row 5" in said.err
    rows[4][0] = "inf"
    assert certo("predict", model, rewritten([header, *rows])).code == 2
    rows[4][0] = ""
    assert certo("predict", model, rewritten([header, *rows])).code == 2


def test_unseen_levels_are_said_and_text_stays_text(certo, rewritten, tmp_path):
    table = [["code", "y"], *[[c, y] for c, y in zip("1x1x1x", "ababab", strict=True)]]
    model = tmp_path / "m"
    assert certo("fit", rewritten(table), "--target", "y", "--out", model).code == 0
    said = certo("predict", model, rewritten([["code"], ["1"], ["1"]]))  # looks like numbers
    assert [line.split(",")[:2] for line in said.out.splitlines()[1:]] == [["1", "a"], ["2", "a"]]
    assert said.err == ""
    said = certo("predict", model, rewritten([["code"], ["1"], ["7"]]))
    assert said.code == 0
    assert "never saw (such as '7')" in said.err
