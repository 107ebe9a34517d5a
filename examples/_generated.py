"""Examples of the same form as the real data, generated: for whoever does not have these.

They show that a script runs and what it prints. The numbers say nothing about the real data.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

ODD_SHARE = 0.1  # Examples that look like those of another class.
SYLLABLES = {
    "Italian": ("ro ma ni be lla ca ti gio va co", ("ini", "etti", "elli", "one")),
    "German": ("schw hof stein berg bau ack mann kr feld", ("er", "mann", "berg", "ke")),
    "Russian": ("iv pet smir kuz sok vol mor leb niko", ("ov", "enko", "in", "sky")),
    "Greek": ("papa niko geo theo kara kon stav ale", ("poulos", "idis", "akis", "ou")),
}


def write(name: str, folder: Path, examples: int = 120) -> Path:
    """Write what a script looks for by this name: a file or a folder of about so many examples."""
    first, _, _ = name.partition("/")
    maker = MAKERS["TU" if first.startswith("TU_") else first]
    (folder / first).mkdir(parents=True, exist_ok=True)
    maker(folder / first, examples, np.random.default_rng(0))
    return folder / name


def _letters(rng, alphabet: str, length: int) -> str:
    return "".join(rng.choice(list(alphabet), length))


def _with(text: str, at: int, motif: str, rng) -> str:
    """The text with a motif at this place, or one letter beside it."""
    at += int(rng.integers(-1, 2))
    return text[:at] + motif + text[at + len(motif) :]


def promoters(folder: Path, examples: int, rng) -> None:
    lines = []
    for k in range(examples):
        text = _letters(rng, "acgt", 57)
        if k % 2:
            text = _with(_with(text, 14, "ttgaca", rng), 37, "tataat", rng)
        lines.append(f"{'-+'[k % 2]},NAME{k},\t\t{text}\n")
    (folder / "promoters.data").write_text("".join(lines))


def splice(folder: Path, examples: int, rng) -> None:
    motifs = {"EI": "CAGGTAAGT", "IE": "TTTTTCTCAG", "N": ""}
    lines = ["class,instance,feat1,feat2\n"]
    for k in range(examples):
        label = list(motifs)[k % 3]
        text = _with(_letters(rng, "ACGT", 60), 26, motifs[label], rng)
        lines.append(f"{label},NAME-{k},{text}\n")
    (folder / "splice.data").write_text("".join(lines))


def sms(folder: Path, examples: int, rng) -> None:
    ham = "ok see you at home", "are you coming later", "lol thats so nice", "call me when u can"
    spam = "WIN a cash prize now", "FREE entry txt to claim", 'urgent "call" now £1000 won'
    lines = []
    for k in range(examples):
        is_odd = rng.random() < ODD_SHARE  # A message that looks like one of the other class.
        kind = ham if (k % 4 > 0) != is_odd else spam
        words = rng.permutation(str(rng.choice(kind)).split())
        label = "ham" if k % 4 else "spam"
        lines.append(f"{label}\t{' '.join(words)} {_letters(rng, 'aeou123', 3)}\n")
    (folder / "sms.tsv").write_text("".join(lines), "utf-8")


def surnames(folder: Path, examples: int, rng) -> None:
    for language, (syllables, ends) in SYLLABLES.items():
        names: set[str] = set()
        others = [end for _, ends in SYLLABLES.values() for end in ends]
        while len(names) < examples:
            many = int(rng.integers(1, 4))
            last = rng.choice(ends if rng.random() > 2 * ODD_SHARE else others)
            names.add("".join([*rng.choice(syllables.split(), many), str(last)]))
        lines = sorted(name.capitalize() for name in names)
        (folder / f"{language}.txt").write_text("\n".join(lines), "utf-8")


def questions(folder: Path, examples: int, rng) -> None:
    kinds = {
        "HUM:ind": ("WHNP", "WP", "who"), "LOC:city": ("WHADVP", "WRB", "where"),
        "NUM:date": ("WHADVP", "WRB", "when"),
    }  # fmt: skip
    labels, trees = [], []
    for k in range(examples):
        label = list(kinds)[k % 3]
        asked = label if rng.random() > ODD_SHARE else str(rng.choice(list(kinds)))
        (phrase, tag, word), name = kinds[asked], _letters(rng, "abcd", 4)
        verb = ("is", "was")[int(rng.integers(2))]
        labels.append(f"{label} {word.capitalize()} {verb} {name} ?\n")
        sentence = f"(SQ (VBZ {verb}) (NP (NN {name})))"
        trees.append(f"(ROOT (SBARQ ({phrase} ({tag} {word})) {sentence} (. ?)))\n")
    (folder / "train_5500.label").write_text("".join(labels), "latin-1")
    (folder / "train_5500.label.parsed").write_text("".join(trees))


def molecules(folder: Path, examples: int, rng) -> None:
    """Rings and chains of six to nine atoms, one or two of them of another kind."""
    name, start = folder.name.removeprefix("TU_"), 1
    parts: dict[str, list[str]] = {"A": [], "node_labels": [], "graph_indicator": []}
    for k in range(examples):
        size, ring = int(rng.integers(6, 10)), (k % 2) ^ int(rng.random() < ODD_SHARE)
        ends = [(start + i, start + i + 1) for i in range(size - 1)]
        ends += ring * [(start + size - 1, start)]
        parts["A"] += [f"{a}, {b}\n{b}, {a}" for a, b in ends]
        atoms = rng.permutation([1] * (1 + k % 3 % 2) + [0] * 9)[:size]
        parts["node_labels"] += atoms.astype(str).tolist()
        parts["graph_indicator"] += [str(k + 1)] * size
        start += size
    parts["graph_labels"] = [str(2 * (k % 2) - 1) for k in range(examples)]
    for part, lines in parts.items():
        (folder / f"{name}_{part}.txt").write_text("\n".join(lines) + "\n")


MAKERS = {
    "promoters": promoters,
    "splice_dna": splice,
    "sms_spam": sms,
    "names_nationality": surnames,
    "trec_questions": questions,
    "TU": molecules,
}
