"""The example scripts run: on tiny data of the form in which the real ones come."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
RNG = np.random.default_rng(0)


def word(letters, length):
    return "".join(RNG.choice(list(letters), length))


def promoters(folder):
    lines = [f"{sign},NAME{i},\t\t{word('acgt' if sign == '+' else 'ac', 12)}"
             for i in range(12) for sign in "+-"]  # fmt: skip
    (folder / "promoters").mkdir()
    (folder / "promoters" / "promoters.data").write_text("\n".join(lines) + "\n")


def splice(folder):
    alphabets = {"EI": "ACGT", "IE": "CGT", "N": "AG"}
    lines = [f"{label},NAME-{i},{word(alphabet, 10)}"
             for i in range(12) for label, alphabet in alphabets.items()]  # fmt: skip
    (folder / "splice_dna").mkdir()
    head = "class,instance,feat1,feat2\n"
    (folder / "splice_dna" / "splice.data").write_text(head + "\n".join(lines) + "\n")


def sms(folder):
    lines = [f"ham\tsee you at {word('aeou', 3)} ok" for _ in range(8)]
    lines += [f'spam\tWIN £{word("123", 4)} "now" {word("AEOU", 3)}' for _ in range(8)]
    (folder / "sms_spam").mkdir()
    (folder / "sms_spam" / "sms.tsv").write_text("\n".join(lines) + "\n", "utf-8")


def surnames(folder):
    (folder / "names_nationality").mkdir()
    for language, letters in (("Italian", "aiorst"), ("German", "ehmnü"), ("Few", "z")):
        names = {word(letters, 6).capitalize() for _ in range(1 if letters == "z" else 14)}
        file = folder / "names_nationality" / f"{language}.txt"
        file.write_text("\n".join(sorted(names)), "utf-8")


def questions(folder):
    (folder / "trec_questions").mkdir()
    names = [word("abcd", 4) for _ in range(8)]
    labels = [line for name in names for line in (f"HUM:ind Who is {name} ?", f"LOC:city Where is {name} ?")]  # fmt: skip # noqa: E501
    trees = [
        f"(ROOT (SBARQ ({tag} ({pos} {first})) (SQ (VBZ is) (NP (NN {name}))) (. ?)))"
        for name in names
        for tag, pos, first in (("WHNP", "WP", "who"), ("WHADVP", "WRB", "where"))
    ]
    file = folder / "trec_questions" / "train_5500.label"
    file.write_text("\n".join(labels) + "\n", "latin-1")
    file.with_name("train_5500.label.parsed").write_text("\n".join(trees) + "\n")


def molecules(folder):
    """Rings and chains of six atoms, one of them of another kind."""
    (folder / "TU_TINY").mkdir()
    edges, atoms, graph, y = [], [], [], []
    for i in range(24):
        ring, first = i % 2, 6 * i + 1
        edges += [(first + k, first + k + 1) for k in range(5)] + ring * [(first + 5, first)]
        atoms += RNG.permutation([0, 0, 0, 0, 0, 1]).tolist()
        graph += [i + 1] * 6
        y.append(2 * ring - 1)
    both = [f"{a}, {b}\n{b}, {a}" for a, b in edges]
    parts = {"A": both, "node_labels": atoms, "graph_indicator": graph, "graph_labels": y}
    for name, lines in parts.items():
        text = "\n".join(map(str, lines)) + "\n"
        (folder / "TU_TINY" / f"TINY_{name}.txt").write_text(text)


SCRIPTS = {
    "promoters": (promoters, ["--repeats", "1"]),
    "splice": (splice, ["--examples", "30"]),
    "sms": (sms, []),
    "surnames": (surnames, ["--examples", "10"]),
    "edit_distance": (surnames, ["--examples", "12"]),
    "questions": (questions, []),
    "molecules": (molecules, ["--sets", "TINY"]),
}


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module


@pytest.mark.slow
@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_runs(name, script, tmp_path, capsys):
    write, arguments = SCRIPTS[name]
    write(tmp_path)
    drawn = tmp_path / "pictures" / "drawn.png"
    arguments = ["--data", str(tmp_path), "--picture", str(drawn), "--folds", "2", *arguments]
    results = script(name).main(arguments)
    results = results["TINY"] if name == "molecules" else results
    said = capsys.readouterr().out
    assert len(results) >= 3
    for machine, scores in results.items():
        assert machine in said
        assert np.all((np.array(scores) >= 0) & (np.array(scores) <= 1))
    assert all(file.stat().st_size > 10_000 for file in drawn.parent.iterdir())
    assert len(list(drawn.parent.iterdir())) == 1


@pytest.mark.parametrize("name", SCRIPTS)
def test_an_example_says_what_data_it_needs(name, script, tmp_path):
    with pytest.raises(SystemExit, match=r"is not there(.|\n)*--data FOLDER"):
        script(name).main(["--data", str(tmp_path)])


def test_data_are_found_by_the_environment(script, tmp_path, monkeypatch):
    monkeypatch.setenv("CERTO_DATA", str(tmp_path))
    sms(tmp_path)
    assert script("_data").found(None, "sms_spam/sms.tsv", "") == tmp_path / "sms_spam" / "sms.tsv"


def test_every_script_is_tried_and_listed():
    scripts = {file.stem for file in EXAMPLES.glob("[!_]*.py")}
    assert scripts == set(SCRIPTS)
    listed = (EXAMPLES / "README.md").read_text("utf-8")
    assert all(f"`{name}.py`" in listed for name in scripts)
