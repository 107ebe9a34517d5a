"""What certo fit prints: the verdict on one screen, or everything."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from certo.certificates.encoding import counted
from certo.cli.console import Voice, shown_classes, tell_columns, tell_more
from certo.cli.options import FEWEST_ROWS
from certo.numbers.decimals import readable, rounded_down, rounded_up
from certo.numbers.digits import at_most_text, confidence, share_text, three_digits
from certo.words.risk import percentage

MAX_CLAIMS_SHOWN = 6  # Claims of one kind, where there may be one for each of many classes.
MAX_TERMS_SHOWN = 20  # Coefficients that a terminal shows when all is told.
MAX_WEIGHTS_SHOWN = 8  # Weights on one screen.
MAX_SCORES_SHOWN = 4  # Classes whose weights stand beside each other.
MAX_WRONG_SHOWN = 5  # Test rows that are wrong, on one screen.
MAX_NOTES_SHOWN = 4
MAX_NAME_SHOWN = 60  # Characters of the name of a feature or a score.
ROOT = "root_mean_square_error"


def tell_fit(voice: Voice, said: dict[str, Any], verbose: bool) -> None:
    """What was fitted, what that says of new rows, how good it is, what is proved."""
    voice.say(*_first_line(said))
    voice.say((new_rows(said), "bold"))
    if said["warning"]:
        voice.say((said["warning"], "bold yellow"))
    _tell_notes(voice, said, verbose)
    if said["chosen"]:
        _tell_choice(voice, said)
    voice.say()
    if verbose or said["warning"] or said.get("converged") is not True:
        voice.say(said["status"])
    if said["device"] != "cpu":
        voice.say(f"It was fitted on {said['device']}.")
    for line in (*_success(said), *_goodness(said)):
        voice.say(line)
    table = said["coefficients"]
    has_errors = table and any(row["standard_error"] is not None for row in table["rows"])
    if table and (verbose or has_errors or not said["weights"]):
        _tell_coefficients(voice, said, verbose)
    elif said["weights"]:
        _tell_weights(voice, said, verbose)
        for note in table["notes"] if table else ():
            voice.say(note, indent=2)
    elif said["support_rows"] is not None:
        rows = f"{said['support_rows']:,} of the {counted(said['examples'], 'training row')}"
        voice.say(f"The rule is made of {rows} (its supports).")
    _tell_wrong(voice, said)
    voice.say()
    _tell_proved(voice, said, verbose)
    if verbose:
        voice.say()
        _tell_claims(voice, said)
    voice.say()
    tell_files(voice, said)


def _first_line(said: dict[str, Any]) -> list[Any]:
    kernel = f" with {said['kernel']}" if said["kernel"] else ""
    test, rows = said["test"], counted(said["examples"], "row")
    if test is None:
        tested = "; no row was held out to test it."
    elif said["test_file"]:
        many = counted(test["rows"] + test["copies"], "row")
        tested = f", tested on {many} of {said['test_file']}."
    else:
        many = test["rows"] + test["copies"]
        were = "was" if many == 1 else "were"
        tested = (
            f"; {counted(many, 'row')}, drawn at random (seed {test['seed']}), {were} held out to "
            "test it."
        )
    what = f" ({shown_classes(said)}), fitted to {rows}{tested}"
    return [(said["machine"] + kernel, "bold"), " for ", (said["target"], "bold"), what]


def new_rows(said: dict[str, Any]) -> str:
    """The sentence about new rows: what is proved, and from what."""
    test, bound = said["test"], said["bound"]
    if said["classes"] is None:
        return _new_numbers(said)
    wrong = "" if test is None else _test_errors(said)
    if bound is None:
        if test is None:
            few = f", as of tables of fewer than {FEWEST_ROWS} rows"
            return (
                "Nothing is proved about new rows, since none was held out to test the model"
                f"{few * (said['examples'] < FEWEST_ROWS)}: --test 0.2 holds out a fifth of the "
                "rows."
            )
        return f"{_sentence(wrong)}. Nothing is proved about new rows."
    sure = f"{confidence(said['delta'])} % confidence"
    if bound["among"] > 1:
        sure += f", corrected for the choice among {bound['among']} bounds"
    most = percentage(bound["error_rate"], rounded_up)
    if not bound["weaker_than_guessing"]:
        source = f": {wrong}" if bound["on_test"] else f", by its {bound['claim']}"
        if wrong and not bound["on_test"]:
            source += f"; {wrong}"
        return f"On new rows like these, the error rate is at most {most} % ({sure}){source}."
    guess = share_text(bound["guessing"])
    label, of = said["performance"]["usual"], "training rows"
    if bound["on_test"]:
        label, of = test["majority"], "test rows"
    weak = (
        f"the bound for new rows, {most} % ({sure}), is weaker than guessing: always answering "
        f"“{_label(label)}”, the most frequent class of the {of}, is wrong on {guess} % of them."
    )
    return _sentence(f"{wrong}; {weak}" if wrong else weak)


def _label(value: Any) -> str:
    return str(value).strip()


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _new_numbers(said: dict[str, Any]) -> str:
    """The same where a number is predicted."""
    bound = said["bound"]
    if bound is None:
        return "Nothing is proved about new rows."
    least, distance = percentage(bound["share"], rounded_down), at_most_text(bound["distance"])
    sure, rows = f"{confidence(said['delta'])} % confidence", said["test"]["rows"]
    near = f"at least {least} % of the values are within {distance} of the prediction"
    if bound["mean"] is not None:
        cap, most = f"{bound['cap']:,.12g}", at_most_text(bound["mean"])
        capped = f"an error above {cap} counts as {cap}"
        if bound["weaker_than_guessing"]:
            usual = (said["performance"]["usual"], bound["guessing"])
            mean, error = map(three_digits, usual)
            return (
                f"On new rows like these, {near}; the bound on the mean absolute error, {most}, is "
                f"weaker than guessing: always predicting {mean}, the mean of the training rows, "
                f"has {error} on the test rows ({sure} for both; {capped})."
            )
        return (
            f"On new rows like these, the mean absolute error is at most {most}, and {near} "
            f"({sure} for both; {capped})."
        )
    return (
        f"On new rows like these, {near} ({sure}): at least {bound['within']:,} of "
        f"{counted(rows, 'test row')} {'is' if rows == 1 else 'are'}."
    )


def _test_errors(said: dict[str, Any]) -> str:
    """'2 of 30 test rows are wrong'."""
    test = said["test"]
    are = "is" if test["errors"] == 1 else "are"
    wrong = f"{test['errors']:,} of {counted(test['rows'], 'test row')} {are} wrong"
    return f"up to {wrong} ({test['ties']:,} too close to call)" if test["ties"] else wrong


def _success(said: dict[str, Any]) -> Iterator[str]:
    """How good it is on the rows of the fit, and on those of the test."""
    from certo.report.performance import rare_class_found

    if said["classes"] is None:
        found = said["performance"]
        usual = f"always predicting {three_digits(found['usual'])}, the mean of the training rows,"
        for name, kind in (("training", "Training rows"), ("test", "Test rows")):
            if found[name] is not None:
                absolute, square = found[name]["mean_absolute_error"], found[name][ROOT]
                yield (
                    f"{kind}: the mean absolute error is {three_digits(absolute)} (root mean "
                    f"square {three_digits(square)}); {usual} has "
                    f"{three_digits(found[name]['usual_absolute_error'])}."
                )
                usual = "always predicting the same"
        return
    right = f"{share_text(said['training_accuracy'])} % are right"
    usual = f"always answering “{_label(said['performance']['usual'])}”"
    yield f"Training rows: {right}; {usual} gets {share_text(said['commonest'])} %."
    if (test := said["test"]) is not None:
        right = share_text(1 - said["wrong"]["total"] / test["rows"])
        as_usual = share_text(test["usual_right"] / test["rows"])
        yield f"Test rows: {right} % are right; {usual} gets {as_usual} %."
    if rare := rare_class_found(said["performance"]):
        yield rare


def _goodness(said: dict[str, Any]) -> Iterator[str]:
    """How well a regression fits, in the numbers that are usual for it."""
    if said.get("r2") is not None:
        variance, spread = said["residual_variance"], ""
        if variance is not None:
            error, degrees = (
                three_digits(variance**0.5),
                counted(said["degrees_of_freedom"], "degree"),
            )
            spread = f"; residual standard error {error} on {degrees} of freedom"
        yield f"R² is {said['r2']:.4g}{spread}."
    if said.get("null_log_likelihood"):
        most, least = said["log_likelihood"], said["null_log_likelihood"]
        share = f"McFadden's R² is {1 - most / least:.4g}"
        yield f"The log-likelihood is {most:.6g} ({least:.6g} with the intercept alone); {share}."


def _tell_notes(voice: Voice, said: dict[str, Any], verbose: bool) -> None:
    notes = [*said["notes"], *(text for text in said["remarks"] if text not in said["notes"])]
    task = said["task"]
    if not task["asked"] and task["values"] is not None:
        kind = "whole numbers" if task["is_whole"] else "numbers"
        other, taken = "classes", "a number to predict"
        if said["classes"] is not None:
            other, taken = "numbers", "classes"
        notes.insert(
            0,
            f"{said['target']} holds {task['values']:,} different {kind}, taken as {taken} "
            f"(--task {other} takes them otherwise).",
        )
    if verbose:
        voice.say(f"{counted(said['features'], 'feature')}:", indent=2)
        tell_columns(voice, said)
    most = len(notes) if verbose else MAX_NOTES_SHOWN
    for note in notes[:most]:
        voice.item(("note ", "yellow"), note, indent=2)
    tell_more(voice, notes, most, where="--verbose, --json")


def _tell_choice(voice: Voice, said: dict[str, Any]) -> None:
    """What cross-validation found of each machine."""
    chosen = said["chosen"]
    voice.say()
    error = "root mean square error" if said["classes"] is None else "error"
    voice.say(
        f"Chosen by {chosen['folds']}-fold cross-validation on {chosen['rows']:,} training rows "
        f"({error}):"
    )
    wide = max(len(one["machine"]) for one in chosen["errors"])
    for one in chosen["errors"]:
        mark = ("* ", "bold green") if one["machine"] == chosen["best"] else "  "
        found = "no answer"
        if one["error"] is not None:
            is_number = said["classes"] is None
            found = readable(one["error"]) if is_number else f"{100 * one['error']:.2f} %"
        voice.say(mark, f"{one['machine']:<{wide}}  {found}", indent=2)


def _tell_weights(voice: Voice, said: dict[str, Any], verbose: bool) -> None:
    """Weights of a linear rule, in the units of the table."""
    outputs = said["weights"]
    names = _by_influence(outputs)
    most = len(names) if verbose else MAX_WEIGHTS_SHOWN
    table = [["", *map(_brief, names[:most]), "intercept"]]
    for output in outputs[:MAX_SCORES_SHOWN]:
        weights = {row["name"]: _short(row["original"]) for row in output["rows"]}
        column = [f"for {_brief(output['output'] or said['target'])}"]
        column += [weights.get(name, "") for name in names[:most]]
        table.append([*column, _short(output["intercept"]["original"])])
        if len(table) > 2 and _width(table) > voice.width:
            table.pop()
            break
    lines, shown = [list(line) for line in zip(*table, strict=True)], len(table) - 1
    voice.say()
    order = ", the most influential first" if len(names) > 1 else ""
    voice.say((f"Weights, in the units of the table{order}", "bold"))
    _tell_columns(voice, lines)
    if outputs[0]["total"] > most:
        features = counted(outputs[0]["total"] - most, "more feature")
        voice.say((f"… and {features} (--verbose, --json)", "dim"), indent=2)
    if len(outputs) > shown:
        more = len(outputs) - shown
        voice.say((f"… and the scores for {more} more (--json)", "dim"), indent=2)


def _brief(name: str) -> str:
    """A name, without the middle of a long one."""
    most = MAX_NAME_SHOWN // 2
    return name if len(name) <= MAX_NAME_SHOWN else f"{name[:most]}…{name[-most:]}"


def _width(columns: list[list[str]]) -> int:
    """Of columns that are printed beside each other."""
    return sum(2 + max(map(len, column)) for column in columns)


def _by_influence(outputs: list[dict[str, Any]]) -> list[str]:
    """The features, the one with the largest scaled weight first."""
    influence: dict[str, float] = {}
    for row in (row for output in outputs for row in output["rows"]):
        influence[row["name"]] = max(influence.get(row["name"], 0.0), abs(row["scaled"]))
    return sorted(influence, key=lambda name: -influence[name])


def _tell_columns(voice: Voice, lines: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for k, (first, *others) in enumerate(lines):
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        voice.say(("  ".join(cells).rstrip(), "bold" if k == 0 else ""), indent=2)


def _tell_coefficients(voice: Voice, said: dict[str, Any], verbose: bool) -> None:
    """Estimates with their errors, tests and intervals, under each other."""
    from certo.report.page import digits, p_value, ratio

    table, most = said["coefficients"], MAX_TERMS_SHOWN if verbose else 2 * MAX_WEIGHTS_SHOWN
    s, rows = table["statistic"], table["rows"] if verbose else _first_terms(said)
    ends = [f"{50 * (1 + sign * table['level']):.4g} %" for sign in (-1, 1)]
    first = "estimate" if table["is_estimate"] else "coefficient"
    lines = [["", first, "std. error", *["HC3 error"] * verbose, s, f"P>|{s}|", *ends]]
    for row in rows[:most]:
        numbers = [row["estimate"], row["standard_error"], row["low"], row["high"]]
        estimate, error, low, high = map(digits if verbose else _short, numbers)
        test = ratio(row["statistic"]), p_value(row["p_value"])
        robust = [digits(row["robust_error"])] * verbose
        lines.append([_brief(row["name"]), estimate, error, *robust, *test, low, high])
    if all(row["standard_error"] is None for row in rows):
        lines = [line[:2] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    group = ""
    voice.say()
    for k, (first, *others) in enumerate(lines):
        if k and rows[k - 1]["group"] != group:
            group = rows[k - 1]["group"]
            voice.say((group, "bold"), indent=2)
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        voice.say(("  ".join(cells).rstrip(), "bold" if k == 0 else ""), indent=2)
    tell_more(voice, table["rows"], len(rows[:most]), where="--verbose, --json")
    if said["references"]:
        compared = ", ".join(f"{name} with {level!r}" for name, level in said["references"].items())
        text = f"Levels of a category are compared with a reference level: {compared}."
        voice.say(text, indent=2)
    for note in table["notes"]:
        voice.say(note, indent=2)


def _short(number: float | None) -> str:
    from certo.report.page import NONE

    if number is None:
        return NONE
    text = f"{number:.4g}"
    return f"{float(text):,.0f}" if 1e4 <= abs(number) < 1e12 else text


def _first_terms(said: dict[str, Any]) -> list[dict[str, Any]]:
    """The most influential coefficients of each group, and its intercept."""
    from certo.tables.examples import SCALED

    order = {name: place for place, name in enumerate(_by_influence(said["weights"]))}
    some: list[dict[str, Any]] = []
    for _, group in groupby(said["coefficients"]["rows"], key=itemgetter("group")):
        places = [(order.get(row["name"].removesuffix(SCALED)), row) for row in group]
        first = [(place, row) for place, row in places if place is not None]
        some += [row for _, row in sorted(first, key=itemgetter(0))[:MAX_WEIGHTS_SHOWN]]
        some += [row for place, row in places if place is None]
    return some[: 2 * MAX_WEIGHTS_SHOWN]


def _tell_wrong(voice: Voice, said: dict[str, Any]) -> None:
    """The test rows that are wrong, or farthest off."""
    wrong = said["wrong"]
    if not wrong or not wrong["rows"]:
        return
    rows = f"Rows of {said['test_file']}" if said["test_file"] else "Test rows"
    how = "farthest off" if said["classes"] is None else "wrong"
    voice.say()
    voice.say((f"{rows} that are {how}", "bold"))
    for item in wrong["rows"][:MAX_WRONG_SHOWN]:
        true, predicted = (
            three_digits(value) if isinstance(value, float) else str(value).strip()
            for value in (item["true"], item["predicted"])
        )
        voice.say(f"row {item['row']:,}: {true}, predicted {predicted}", indent=2)
    if said["classes"] is not None and wrong["total"] > MAX_WRONG_SHOWN:
        many, listed = wrong["total"] - MAX_WRONG_SHOWN, len(wrong["rows"])
        where = "--json" if listed == wrong["total"] else f"--json lists the first {listed}"
        voice.say((f"… and {many:,} more ({where})", "dim"), indent=2)


def _tell_proved(voice: Voice, said: dict[str, Any], verbose: bool) -> None:
    """One line for each claim; the one about new rows was told first."""
    from certo.report.page import plain_lines

    voice.say(("Proved" if said["claims"] else "Nothing is claimed.", "bold"))
    if verbose:
        for k, text in enumerate(said["in_words"]):
            voice.say((text, "dim" if k else "bold"), indent=2)
    told = said["bound"]["claim"] if said["bound"] and not verbose else ""
    for line in plain_lines(said):
        if line["kind"] == told and told in ("TestErrors", "TestDistances"):
            continue
        about = f"{line['about']}: " if line["about"] else ""
        mark = ("✓ ", "green") if line["informative"] else ("○ ", "dim")
        more = f" ({line['more']})" if line["more"] else ""
        voice.item(mark, about + line["plain"] + more, indent=2)
    if told:
        voice.item(
            ("✓ ", "green"),
            f"The bound for new rows above ({told}) holds with {confidence(said['delta'])} % "
            "confidence if all rows, and new ones, are independent draws from one population.",
            indent=2,
        )
    refused = list(dict.fromkeys(item["name"] for item in said["not_claimed"]))
    if refused and not verbose:
        voice.say((f"Not claimed: {', '.join(refused)} (--verbose says why).", "dim"), indent=2)


def _tell_claims(voice: Voice, said: dict[str, Any]) -> None:
    kind, name = itemgetter("type"), itemgetter("name")
    for key, group in groupby(sorted(said["claims"], key=kind), key=kind):
        claims = list(group)
        voice.say((key, "green" if any(claim["informative"] for claim in claims) else "dim"))
        for claim in claims[:MAX_CLAIMS_SHOWN]:
            voice.say(claim["claim"], indent=2)
        tell_more(voice, claims, MAX_CLAIMS_SHOWN)
        for text in dict.fromkeys(text for claim in claims for text in claim["assumes"]):
            voice.say((f"assuming that {text}", "dim"), indent=2)
    for key, group in groupby(sorted(said["not_claimed"], key=name), key=name):
        refusals = list(group)
        voice.say((f"{key} not claimed", "yellow"))
        for refusal in refusals[:MAX_CLAIMS_SHOWN]:
            voice.say(refusal["reason"], indent=2)
        tell_more(voice, refusals, MAX_CLAIMS_SHOWN)


def tell_files(voice: Voice, said: dict[str, Any]) -> None:
    if said["interrupted"]:
        voice.say(("Stopped by hand: ", "yellow"), "this is the model at that moment.")
    if said["model_file"]:
        voice.say(f"Model written to {said['model_file']}")
        if said["claims"]:
            voice.suggest("Check it with", said["verify_with"])
    if said["report_file"]:
        voice.say(f"Report written to {said['report_file']}: open it in a browser.")
    if not said["model_file"] and not said["report_file"]:
        voice.say("Nothing was written: --out FILE saves the model, --report FILE a report.")
    if said.get("compare_with"):
        voice.suggest("Compare it with other machines", said["compare_with"])
