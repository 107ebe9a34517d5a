"""What the commands say to a person: the facts of a fit, of a curve, of a verdict."""

from __future__ import annotations

import csv
import io
import json
import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from certo.certificates.encoding import readable
from certo.cli.console import Voice
from certo.data.remarks import count
from certo.numbers.digits import share_text
from certo.report.page import (
    digits,
    on_test_rows,
    p_value,
    plain_lines,
    point,
    question,
    ratio,
    reason,
)
from certo.selection import NO_ANSWER, both_errors
from certo.workflow import Predicted

MOST_SHOWN = 6  # of one kind, where there may be one for each of many classes
MOST_ROWS, MOST_CELLS, MOST_TERMS = 12, 8, 20  # of a proof or a hyperplane, on a terminal


def tell_fit(voice: Voice, said: dict[str, Any]) -> None:
    """The facts of a fit."""
    kernel = f" with {said['kernel']}" if said["kernel"] else ""
    _tell_examples(voice, said, said["machine"] + kernel, "for")
    if said["warning"]:
        voice.say((said["warning"], "bold yellow"))
    voice.say(said["status"])
    voice.say(_success(said))
    if said["test_error"] is not None:
        voice.say(on_test_rows(said))
    for line in _goodness(said):
        voice.say(line)
    voice.say()
    _tell_proved(voice, said)
    if said["coefficients"]:
        _tell_coefficients(voice, said)
        voice.say()
    _tell_claims(voice, said)
    voice.say()
    if said["interrupted"]:
        voice.say(("Stopped by hand: ", "yellow"), "this is what was reached until then.")
    if said["model_file"]:
        voice.say(f"Model written to {said['model_file']}")
        if said["claims"]:
            voice.suggest("Check it with", said["verify_with"])
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
    if not said["model_file"] and not said["report_file"]:
        voice.say("Nothing was written: --out FILE keeps the model, --report FILE a page on it.")


def _success(said: dict[str, Any]) -> str:
    if said["classes"] is None:
        error, usual = readable(said["training_error"]), readable(said["deviation"])
        return f"The typical error is {error}; always saying the mean has {usual}."
    right = f"{share_text(said['training_accuracy'])} % of the training examples are right"
    return f"{right}; always answering the majority class gets {share_text(said['commonest'])} %."


def _goodness(said: dict[str, Any]) -> Iterator[str]:
    """How well a regression fits, in the numbers that are usual for it."""
    if said.get("r2") is not None:
        variance, degrees = said["residual_variance"], said["degrees_of_freedom"]
        spread = ""
        if variance is not None:
            error = readable(variance**0.5)
            degrees = count(degrees, "degree")
            spread = f"; residual standard error {error} on {degrees} of freedom"
        yield f"R² is {said['r2']:.4g}{spread}."
    if said.get("null_log_likelihood"):
        most, least = said["log_likelihood"], said["null_log_likelihood"]
        share = f"McFadden's R² is {1 - most / least:.4g}"
        yield f"The log-likelihood is {most:.6g} ({least:.6g} without columns); {share}."


def _tell_coefficients(voice: Voice, said: dict[str, Any]) -> None:
    """Estimates with their errors, tests and intervals, under each other."""
    table = said["coefficients"]
    s, rows = table["statistic"], table["rows"]
    ends = [f"{50 * (1 + sign * table['level']):.4g} %" for sign in (-1, 1)]
    first = "estimate" if table["is_estimate"] else "coefficient"
    lines = [["", first, "std. error", s, f"P>|{s}|", *ends]]
    for row in rows[:MOST_TERMS]:
        numbers = [row["estimate"], row["standard_error"], row["low"], row["high"]]
        estimate, error, low, high = map(digits, numbers)
        test = ratio(row["statistic"]), p_value(row["p_value"])
        lines.append([row["name"], estimate, error, *test, low, high])
    if all(row["standard_error"] is None for row in rows):
        lines = [line[:2] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    group = ""
    for k, (first, *others) in enumerate(lines):
        if k and rows[k - 1]["group"] != group:
            group = rows[k - 1]["group"]
            voice.say((group, "bold"), indent=2)
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        voice.say(("  ".join(cells).rstrip(), "bold" if k == 0 else ""), indent=2)
    if len(rows) > MOST_TERMS:
        voice.say((f"… and {len(rows) - MOST_TERMS} more (--report, --json)", "dim"), indent=2)
    compared = [f"{name} with {level!r}" for name, level in said["references"].items()]
    if compared:
        voice.say(f"Levels are compared: {', '.join(compared)}.", indent=2)
    for note in table["notes"]:
        voice.say(note, indent=2)


def _tell_examples(voice: Voice, said: dict[str, Any], *title: str) -> None:
    """What the examples are: classes, columns, and what to know of them."""
    what, link = title
    if said["classes"] is None:
        shown = "from {} to {}".format(*map(readable, said["target_range"]))
    else:
        classes = [str(label).strip() for label in said["classes"]]
        more = f", … ({len(classes)} classes)" if len(classes) > 8 else ""
        shown = ", ".join(classes[:8]) + more
    sizes = f"{count(said['examples'], 'example')}, {count(said['features'], 'feature')}"
    voice.say((what, "bold"), f" {link} ", (said["target"], "bold"), f" ({shown}): {sizes}")
    columns = said["columns"]
    if columns["numbers"]:
        numeric = len(columns["numbers"])
        scaled = "as it is" if numeric == 1 else "as they are"
        if said["scale"] == "standard":
            scaled = "scaled to mean 0 and variance 1"
        voice.say(f"{count(numeric, 'numeric column')}, {scaled} (--scale)", indent=2)
    if columns["categories"]:
        many = count(len(columns["categories"]), "categorical column")
        but = " but the first" if said["references"] else ""
        voice.say(f"{many}, one 0/1 feature for each level{but}", indent=2)
    for note in said["notes"]:
        voice.item(("note ", "yellow"), note, indent=2)


def tell_curve(voice: Voice, said: dict[str, Any]) -> None:
    """Kernels beside each other."""
    curve, near = said["curve"], said["neighbours"]
    _tell_examples(voice, said, curve["machine"], "for")
    voice.say(curve["validated_on"][:1].upper() + curve["validated_on"][1:] + ".")
    voice.say()
    wide = max(len("kernel"), *(len(row["kernel"]) for row in said["rows"]))
    voice.say((f"  {'kernel':<{wide}}  training  validation ± standard error  supports", "bold"))
    for row in said["rows"]:
        found = NO_ANSWER
        if row["supports"] is not None:
            off = f"± {100 * row['standard_error']:.1f}"
            errors = both_errors(row["training_error"], row["validation_error"])
            found = f"{errors} {off:<16}  {row['supports']:8,.0f}"
        voice.say(
            ("* ", "bold green") if row["best"] else "  ", f"{row['kernel']:<{wide}}  {found}"
        )
    if near:
        errors = both_errors(near["training_error"], near["validation_error"])
        voice.say(f"  {near['name']:<{wide}}  {errors}")
    voice.say()
    if said["best_is_at_end"]:
        voice.say(("note ", "yellow"), said["best_is_at_end"])
    if said["interrupted"]:
        voice.say(("Stopped by hand: ", "yellow"), "these kernels were done by then.")
    for name, what in (("report_file", "Report"), ("picture_file", "Picture")):
        if said[name]:
            voice.say(f"{what} written to {said[name]}")
    voice.suggest("To fit the best", f"{said['fit_with']} --out MODEL")


def tell_verdict(voice: Voice, said: dict[str, Any]) -> None:
    """Whether the classes are separable, and the witness of it."""
    _tell_examples(voice, said, "Separability", "of")
    first, *others = said["answers"]
    answer = ("Yes. ", "bold green") if said["separable"] else ("No. ", "bold red")
    voice.say()
    voice.say(answer, first["claim"])
    _tell_witness(voice, first)
    if others:
        voice.say()
        through = ", by hyperplanes through the origin" if said["intercept"] == "none" else ""
        voice.say(f"Class by class{through}:")
    for kind, group in groupby(others, key=lambda answer: answer["question"]):
        answers = list(group)
        most = 12 if kind == "pair" else 24
        for answer in answers[:most]:
            mark = ("yes ", "green") if answer["separable"] else ("no  ", "red")
            voice.say(mark, f"{question(answer)}: {reason(answer)}", indent=2)
        if len(answers) > most:
            voice.say((f"… and {len(answers) - most} more (--report, --json)", "dim"), indent=2)
    voice.say()
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
    else:
        voice.say("--report FILE writes a page on it; --json prints the certificate.")


def _tell_witness(voice: Voice, answer: dict[str, Any]) -> None:
    """The hyperplane, by the names of the columns, or the rows that cancel."""
    if not answer["separable"]:
        _tell_rows(voice, answer["proof"])
        if answer["meeting"]:
            where = point(answer["meeting"])
            voice.say(f"With these weights both classes have the same mean: {where}.", indent=2)
    elif answer["question"] != "jointly" and any(answer["coefficients"].values()):
        digits = "(to six digits; --json has all)"
        voice.say(f"{answer['positive']} where this score is positive {digits}:", indent=2)
        terms = [*answer["coefficients"].items()]
        for name, value in terms[:MOST_TERMS]:
            voice.say(f"{value:+.6g} × {name}", indent=4)
        if len(terms) > MOST_TERMS:
            voice.say((f"… and {len(terms) - MOST_TERMS} more (--report, --json)", "dim"), indent=4)
        voice.say(f"{answer['intercept']:+.6g}", indent=4)


def _tell_rows(voice: Voice, rows: list[dict[str, Any]]) -> None:
    """Rows of the file with their labels, weights and values."""
    for item in rows[:MOST_ROWS]:
        cells = [f"{name} {value}" for name, value in item["values"].items()]
        more = f", … ({len(cells)} columns)" if len(cells) > MOST_CELLS else ""
        against = f" against {item['against']}" if "against" in item else ""
        voice.say(
            (f"row {item['row']}", "bold"),
            f" ({item['label']}{against}), weight {item['weight']}: ",
            ", ".join(cells[:MOST_CELLS]) + more,
            indent=2,
        )
    if len(rows) > MOST_ROWS:
        voice.say((f"… and {len(rows) - MOST_ROWS} more (--report, --json)", "dim"), indent=2)


def as_options(choices: dict[str, Any]) -> list[str]:
    """How a table becomes examples, as it is said on a command line, but for what is usual."""
    usual = {"scale": "standard", "missing": "refuse"}
    return [
        word
        for name, given in choices.items()
        for value in ([given] if isinstance(given, str) else given)
        if usual.get(name) != value
        for word in (f"--{name}", value)
    ]


def tell_refusal(
    voice: Voice, why: dict[str, Any], data: Path, target: str, choices: dict[str, Any]
) -> None:
    """Why a machine has no answer, and which rows are to blame."""
    voice.say(("error: ", "bold red"), why["error"])
    _tell_rows(voice, why["proof"])
    same = as_options({name: given for name, given in choices.items() if name != "scale"})
    words = " ".join(map(shlex.quote, ["certo", "separable", str(data), "--target", target, *same]))
    voice.suggest("The proof in the table's own numbers, with a picture", f"{words} --report FILE")


def _tell_proved(voice: Voice, said: dict[str, Any]) -> None:
    """Plain sentences: of all claims about new examples together, then of each claim."""
    voice.say(("What is proved" if said["claims"] else "Nothing is claimed.", "bold"))
    for k, text in enumerate(said["certified"]["in_words"]):
        voice.say((text, "dim" if k else "bold"), indent=2)
    for text in said["certified"]["remarks"]:
        if text not in said["notes"]:  # which were told before
            voice.item(("note ", "yellow"), text, indent=2)
    for line in plain_lines(said):
        about = f"{line['about']}: " if line["about"] else ""
        mark = ("✓ ", "green") if line["informative"] else ("○ ", "dim")
        more = f" ({line['more']})" if line["more"] else ""
        voice.item(mark, about + line["plain"] + more, indent=2)
    voice.say()


def _tell_claims(voice: Voice, said: dict[str, Any]) -> None:
    for kind, group in groupby(sorted(said["claims"], key=_kind), key=_kind):
        claims = list(group)
        voice.say((kind, "green" if any(claim["informative"] for claim in claims) else "dim"))
        for claim in claims[:MOST_SHOWN]:
            voice.say(claim["claim"], indent=2)
        _tell_more(voice, claims)
        for text in dict.fromkeys(text for claim in claims for text in claim["assumes"]):
            voice.say((f"assuming that {text}", "dim"), indent=2)
    for name, group in groupby(sorted(said["not_claimed"], key=_name), key=_name):
        refusals = list(group)
        voice.say((f"{name} not claimed", "yellow"))
        for refusal in refusals[:MOST_SHOWN]:
            voice.say(refusal["reason"], indent=2)
        _tell_more(voice, refusals)


def _kind(claim: dict[str, Any]) -> str:
    return claim["type"]


def _name(refusal: dict[str, Any]) -> str:
    return refusal["name"]


def _tell_more(voice: Voice, items: list) -> None:
    if len(items) > MOST_SHOWN:
        voice.say((f"… and {len(items) - MOST_SHOWN} more (--report, --json)", "dim"), indent=2)


def predictions_text(target: str, said: Predicted, notes: list[str], *, as_json: bool) -> str:
    """A column of predictions, and what is said beside them, as CSV, or JSON."""
    beside = {name: values.tolist() for name, values in said.beside.items()}
    if as_json:
        return json.dumps({"predictions": said.answers.tolist(), **beside, "notes": notes}) + "\n"
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([f"predicted {target}", *beside])
    writer.writerows(zip(said.answers.tolist(), *beside.values(), strict=True))
    return buffer.getvalue()
