"""The first screen of a report: the question, the answer, the bound, the verdict."""

from __future__ import annotations

from typing import Any, NamedTuple

from certo.certificates.encoding import counted
from certo.numbers.digits import share_text, three_digits
from certo.report.performance import rare_class_found


class Headline(NamedTuple):
    question: str
    answer: str
    bound: str
    verdict: str
    good: bool  # Whether something worth knowing is proved about new rows.


def headline(said: dict[str, Any]) -> Headline:
    """What a reader wants to know first, in four sentences or so."""
    verdict, good = _verdict(said)
    return Headline(_question(said), _answer(said), _bound(said), verdict, good)


def _question(said: dict[str, Any]) -> str:
    columns = said["columns"]
    used = sum(len(columns[kind]) for kind in ("numbers", "categories", "texts"))
    many = counted(used, "column")
    return f"How well does {said['machine']} predict “{said['target']}” from {many}?"


def test_rows(said: dict[str, Any], many: int) -> str:
    """What the test rows are."""
    rows = counted(many, "row")
    held_out = said["held_out"]
    if held_out is None:
        return f"{rows} of the test table"
    return f"{rows} held out at random (share {held_out['share']:g}, seed {held_out['seed']})"


def _answer(said: dict[str, Any]) -> str:
    found = said["performance"]
    test = found["test"]
    rows = test or found["training"]
    where = test_rows(said, rows["rows"]) if test else f"{counted(rows['rows'], 'training row')}"
    where = f"On the {where}"
    if "accuracy" in rows:
        usual = f"always answering “{found['usual']}”, the most frequent class of the training rows"
        text = (
            f"{where}, {short_percent(rows['accuracy'])} of the predictions are right "
            f"({counted(rows['errors'], 'error')}); {usual}, is right for "
            f"{short_percent(rows['usual_accuracy'])} of these rows."
        )
        if rare := rare_class_found(found):
            text += f" {rare}"
    else:
        both = rows["mean_absolute_error"], rows["usual_absolute_error"]
        error, usual = map(three_digits, both)
        text = (
            f"{where}, the mean absolute error is {error}; that of always predicting the mean "
            f"of the training rows, {three_digits(found['usual'])}, is {usual}."
        )
    if test is None:
        text += " These rows were used to fit it, so this says little about new rows."
    return text


def _bound(said: dict[str, Any]) -> str:
    """What is proved about new rows: about errors, or about distances."""
    proved = [*said["in_words"], *(claim["plain"] for claim in _distances(said))]
    return proved[0] if proved else "Nothing is proved about new rows."


def _distances(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [claim for claim in said["claims"] if claim["type"] == "TestDistances"]


def _verdict(said: dict[str, Any]) -> tuple[str, bool]:
    claims = len(said["claims"])
    check = " No claim is made."
    if claims:
        check = f" {counted(claims, 'claim')} can be checked against the data by anyone."
    if said["best"] is not None:
        rows = "test rows" if said["best"]["on_test"] else "training rows"
        low = f"The bound is below the share of the {rows} that always answering their most "
        return f"{low}frequent class gets wrong.{check}", True
    if said["in_words"]:
        weak = "It is not proved that the predictions for new rows are better than always "
        return f"{weak}answering the most frequent class.{check}", False
    if _distances(said):
        test = said["performance"]["test"]
        bound, what, aside = said.get("bound"), "mean absolute error on the test rows", ""
        mean, usual = test["mean_absolute_error"], test["usual_absolute_error"]
        if bound and bound["cap"]:
            mean, usual = bound["mean"], bound["guessing"]
            what, cap = "bound on the mean absolute error", f"{bound['cap']:,.12g}"
            aside = f" (in both an error above {cap} counts as {cap})"
        than = "below" if mean < usual else "not below"
        return (
            f"The {what} is {than} {three_digits(usual)}, that of always predicting the mean of "
            f"the training rows on the test rows{aside}.{check}"
        ), mean < usual
    about = " What is proved is about the fit itself." if claims else ""
    return f"How good the predictions for new rows are is not proved.{about}{check}", False


def short_percent(share: float) -> str:
    """With one decimal, or as many as tell it from 0 and from 1."""
    return f"{share_text(share, 1)}\u202f%"
