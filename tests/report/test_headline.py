"""The first screen says what is so, and no more."""

import pytest

from certo.report.headline import headline, short_percent

CLASSES = {"rows": 50, "errors": 4, "accuracy": 0.92, "usual_accuracy": 0.6}
NUMBERS = {"rows": 50, "mean_absolute_error": 1.2345, "usual_absolute_error": 3.0}
SAID = {
    "machine": "SVM",
    "target": "kind",
    "classes": ["a", "b"],
    "columns": {"numbers": ["x"], "categories": ["z"], "texts": ["t"]},
    "held_out": {"share": 0.2, "seed": 0},
    "performance": {"usual": "a", "training": CLASSES | {"rows": 200}, "test": CLASSES},
    "in_words": ["With 95 % confidence, the error rate is at most 19 %."],
    "best": {"bound": 0.19, "on_test": True},
    "claims": [{"type": "SoftMarginGap"}, {"type": "TestErrors"}],
}


def test_question_answer_bound_and_verdict():
    found = headline(SAID)
    assert found.question == "How well does SVM predict “kind” from 3 columns?"
    assert found.answer == (
        "On the 50 rows held out at random (share 0.2, seed 0), 92.0\u202f% of the "
        "predictions are right (4 errors); always answering “a”, the most frequent class of the "
        "training rows, is right for 60.0\u202f% of these rows."
    )
    assert found.bound == SAID["in_words"][0]
    assert found.good
    assert "2 claims can be checked" in found.verdict


def test_a_weak_bound_is_no_success():
    found = headline(SAID | {"best": None})
    assert not found.good
    assert "not proved that the predictions for new rows are better" in found.verdict


def test_training_rows_say_little():
    performance = SAID["performance"] | {"test": None}
    found = headline(SAID | {"performance": performance, "in_words": [], "best": None})
    assert "On the 200 training rows" in found.answer
    assert "says little about new rows" in found.answer
    assert found.bound == "Nothing is proved about new rows."
    assert "What is proved is about the fit itself." in found.verdict
    none = headline(SAID | {"in_words": [], "best": None, "claims": []})
    assert none.verdict == (
        "How good the predictions for new rows are is not proved. No claim is made."
    )


def test_numbers_have_distances():
    performance = {"usual": 12345.6, "training": NUMBERS, "test": NUMBERS}
    of_file = SAID | {"classes": None, "performance": performance, "held_out": None}
    claims = [{"type": "TestDistances", "plain": "At least 80 % are within 2."}]
    claims[0]["numbers"] = {"cap": 9.0, "mean": 1.5}
    of_file |= {"best": None, "in_words": [], "claims": claims}
    found = headline(of_file)
    assert found.answer == (
        "On the 50 rows of the test table, the mean absolute error is 1.23; that of always "
        "predicting the mean of the training rows, 12,346, is 3."
    )
    assert found.bound == "At least 80 % are within 2."
    assert found.good
    bound = {"cap": 9.0, "mean": 1.5, "guessing": 1.4}  # Errors are capped on both sides.
    bad = headline(of_file | {"bound": bound})
    assert not bad.good
    assert bad.verdict.startswith(
        "The bound on the mean absolute error is not below 1.4, that of always predicting the mean "
        "of the training rows on the test rows (in both an error above 9 counts as 9)."
    )
    worse = {"test": NUMBERS | {"usual_absolute_error": 1.4}} | {"training": NUMBERS, "usual": 1.0}
    without = headline(of_file | {"performance": worse, "bound": bound | {"cap": None}})
    assert without.good
    assert "The mean absolute error on the test rows is below 1.4, that" in without.verdict
    assert headline(of_file | {"claims": []}).bound == "Nothing is proved about new rows."


@pytest.mark.parametrize(("share", "text"), [(0.5, "50.0"), (1.0, "100.0"), (0.99996, "99.996")])
def test_percent_is_never_rounded_to_all(share, text):
    assert short_percent(share) == f"{text}\u202f%"


def test_of_unequal_classes_it_says_how_many_rows_of_the_rarest_are_found():
    def answer(rows, right):
        each = [{"label": label, "rows": many} for label, many in zip("ab", rows, strict=True)]
        table = [[rows[0], 0], [rows[1] - right, right]]
        found = {"rows": sum(rows), "errors": rows[1] - right, "accuracy": 1 - rows[1] / sum(rows)}
        found |= {"usual_accuracy": 0.9, "per_class": each, "confusion": table}
        return headline(SAID | {"performance": SAID["performance"] | {"test": found}}).answer

    assert answer((900, 100), 19).endswith(" Of the 100 test rows of class “b”, 19 are found.")
    assert answer((900, 1), 1).endswith(" Of the 1 test row of class “b”, 1 is found.")
    assert "found" not in answer((120, 100), 19)
    assert "found" not in answer((120, 0), 0)
