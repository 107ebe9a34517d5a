"""Sentences about machines beside each other."""

from __future__ import annotations

import pytest

from certo.report.comparison import at_most, cells, digits, proved, remark, verdict


def machine(name="svm, linear", **more):
    usual = {
        "name": name, "title": "a linear svm", "kind": "certo", "machine": "svm", "settings": [],
        "fold_errors": [0.1, 0.14], "cv_error": 0.12, "standard_error": 0.02, "errors": 7,
        "absolute_error": None, "relative_gap": 1.23e-5, "supports": 1234, "seconds": 0.456,
        "out_of_time": False, "missing": "", "reason": "",
        "bound": {"error_rate": 0.20041, "lower": 0.05, "confidence": 0.95, "informative": True},
    }  # fmt: skip
    return usual | more


def facts(*machines, **more):
    usual = {
        "task": "classes", "folds": 2, "delta": 0.05, "compared": 4, "examples": 400,
        "test": {"rows": 100, "copies": 0, "majority": "yes", "majority_error": 0.4},
        "majority": "no", "cap": None, "no_bound": "",
        "machines": list(machines), "best": machines[0]["name"], "best_own": machines[0]["name"],
    }  # fmt: skip
    return usual | more


def test_bounds_are_rounded_up_and_errors_to_the_nearest():
    one = machine()
    said = facts(one)
    assert verdict(said) == [
        "Lowest cross-validated error: a linear svm, 12.0 %; with 95 % confidence its error rate "
        "on new data is at most 20.1 %."
    ]
    assert cells(one, said) == ["12.0 % ± 2.0", "7", "20.1 %", "1.3e-05", "1,234", "0.46"]
    first, second, third = proved(said)
    assert "if the 100 test rows are independent draws from the same population" in first
    assert second.startswith("Proved: the objective of a fit exceeds its minimum")
    assert third.startswith("Measured: “CV error”, the error rate in 2-fold cross-validation")


def test_an_outsider_with_some_folds_is_named_as_such_and_the_best_of_certo_beside_it():
    other = machine(
        "gradient boosting", title="gradient boosting", kind="outsider", machine=None,
        fold_errors=[0.1], cv_error=0.1, standard_error=None, missing="time",
    )  # fmt: skip
    said = facts(other, machine(), best_own="svm, linear")
    first, second = verdict(said)
    assert first.startswith("Lowest cross-validated error: gradient boosting (of "
                            "scikit-learn; 1 of 2 folds), 10.0 %")  # fmt: skip
    assert second.startswith("Lowest of Certo's machines: a linear svm, 12.0 %")
    why = "of scikit-learn: nothing is proved of its fit; 1 of 2 folds: no time left"
    assert remark(other, said) == why
    assert cells(other, said)[0] == "10.0 %"


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, ""),
        ({"missing": "time", "seconds": None}, "not tried: no time left"),
        ({"missing": "stopped", "fold_errors": [0.1]}, "1 of 2 folds: stopped by hand"),
        ({"missing": "stopped"}, ""),
        ({"out_of_time": True}, "stopped by its share of the time, before its end"),
        (
            {"name": "majority class"},
            "always “no”, the most frequent class of the training rows",
        ),
        ({"missing": "failed", "seconds": None, "reason": "No."}, "no fit: No."),
        ({"missing": "failed", "fold_errors": [0.1], "reason": "No."}, "1 of 2 folds: No."),
        (
            {"missing": "unsuitable", "seconds": None, "reason": "only for two classes"},
            "not tried: only for two classes",
        ),
    ],
)
def test_what_is_missing_is_said(more, text):
    assert remark(machine(**more), facts(machine())) == text


def test_weak_bounds_are_said_to_be_so_and_none_is_claimed_without_rows():
    weak = machine(bound=machine()["bound"] | {"informative": False})
    said = facts(weak)
    assert verdict(said)[0].endswith("its bound for new data, 20.1 %, is weaker than guessing.")
    assert proved(said)[1] == (
        "Weaker than guessing: the bounds of “svm, linear”, since always answering “yes”, the "
        "most frequent class of the test rows, is wrong on 40.0 % of them."
    )
    assert proved(said)[2].startswith(f"δ is shared out over {said['compared']} machines")
    none = facts(machine(bound=None, errors=None), test=None, no_bound="no rows were held out.")
    assert verdict(none) == ["Lowest cross-validated error: a linear svm, 12.0 %."]
    assert proved(none)[0] == "Nothing is proved about new data: no rows were held out."
    nothing = facts(machine(fold_errors=[], cv_error=None), best=None, best_own=None)
    assert verdict(nothing) == ["No machine was cross-validated, so there is nothing to compare."]


def test_bounds_on_mean_errors_of_numbers():
    bound = {"mean": 1234.1, "confidence": 0.95, "informative": True}
    one = machine(absolute_error=1100.4, errors=None, bound=bound, cv_error=1500.0)
    test = {"rows": 100, "copies": 0, "usual_error": 1200.5}
    said = facts(one, task="numbers", cap=5000.0, test=test)
    assert verdict(said) == [
        "Lowest cross-validated root mean square error: a linear svm, 1,500; with 95 % confidence "
        "its mean absolute error on new data is at most 1,240 (an error above 5,000 counts as "
        "5,000)."
    ]
    assert cells(one, said)[1:3] == ["1,100", "1,240"]
    assert (
        "mean absolute error on new data (an error above 5,000 counts as 5,000) hold"
        in (proved(said)[0])
    )
    weak = facts(machine(bound=bound | {"informative": False}), task="numbers", cap=1.0, test=test)
    assert proved(weak)[1].endswith(
        "has a mean absolute error of 1,200 on the test rows, counted in the same way."
    )
    assert verdict(weak)[0].endswith(
        "at most 1,240, which is weaker than guessing (an error above 1 counts as 1)."
    )


def test_numbers_have_three_digits_and_all_before_the_point():
    shown = ["48,265", "1,000", "0.180", "12.3"]
    assert [digits(x) for x in (48265.4, 999.6, 0.18, 12.345)] == shown
    assert [digits(x, 2) for x in (333.0, 99.7, 0.00966)] == ["333", "100", "0.0097"]
    assert [at_most(x) for x in (0.12, 0.1200001, 1.0, 1e-9)] == ["12.0", "12.1", "100.0", "0.1"]


def test_a_lower_error_of_what_did_not_finish_is_told():
    late = machine("boosting", kind="outsider", fold_errors=[0.05], cv_error=0.05, missing="time")
    first, second = verdict(facts(machine(), late))
    assert first.startswith("Lowest cross-validated error of those that finished: a linear svm")
    assert second == "Lower so far, but not finished: boosting, 5.0 % on 1 of 2 folds."
