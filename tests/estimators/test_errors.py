"""Errors about input carry what they speak of, and count it as their reader does."""

from __future__ import annotations

import pickle
from inspect import getmembers, isfunction
from unittest.mock import Mock, patch

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import SVC

from certo import (
    SVM,
    GaussianDensity,
    LeastSquares,
    LogisticRegression,
    LogLinearDensity,
    MinDisagreement,
    Pegasos,
    Perceptron,
    certify,
)
from certo.certificates.runs.gradient_run import GradientRun
from certo.certificates.sample.labels import Labels
from certo.estimators._hard_margin import _exact_separator
from certo.estimators._input import require_plain_labels
from certo.exercises import claim_inseparable, claim_kernel_perceptron, claim_separator
from certo.facts import InputError, LabelTypeError
from certo.features import BoxPolynomials, CountedFeatures, Monomials, explicit_map
from certo.features._base import require_room
from certo.kernels import Function, Polynomial, Precomputed, Spectrum
from certo.selection import _odd, compare_kernels
from certo.solvers.kernel_perceptron import kernel_perceptron
from certo.solvers.kernel_steps import GramRows
from certo.solvers.online_gradient import online_gradient
from certo.solvers.pegasos import finite
from certo.solvers.quadrature import feature_values
from certo.spot import _count
from certo.tables.compare import _dense
from certo.words import refusals
from certo.words.reader import reading

X = np.array([[1.0, 2], [3, 1], [2, 5], [4, 4]])
Y = np.array(["no", "yes", "no", "yes"])


def with_entry(row: int, column: int, value: float) -> np.ndarray:
    changed = X.copy()
    changed[row, column] = value
    return changed


def second_call(y) -> None:
    machine = Perceptron(intercept="none").partial_fit(X, Y, classes=["no", "yes"])
    machine.partial_fit(X, y)


def later_values(y) -> None:
    LeastSquares().partial_fit(X, X).partial_fit(X, y)


def robust_line() -> None:
    x = np.array([[0.0], [0], [0], [7]])
    model = LeastSquares().fit(x, [1, 2, 4, 3])
    model.summary(robust="HC3", X=x, y=[1, 2, 4, 3])


def asymmetric(x, z) -> float:
    return float(x[0] * 2 + z[0])


OF_SVC = SVC().fit(X, Y)
#: What is wrong, its facts, and a part of the sentence for arrays and one for a file.
CASES: dict[str, tuple] = {
    "no weights of rows": (
        lambda: claim_inseparable(X, Y, [1]),
        {"given": [1], "rows": [], "columns": []},
        "got [1]",
        "got [1]",
    ),
    "a weight of no row": (
        lambda: claim_inseparable(X, Y, {9: 1}),
        {"row": 9, "value": 1, "m": 4, "rows": [9], "columns": []},
        "rows from 0 to 3 and numbers that are not negative, but that of 9 is 1",
        "that of 9 is 1",
    ),
    "rows of a spot check": (
        lambda: _count(0.0, 4),
        {"came": 0.0, "rows": [], "columns": []},
        "a share below 1, got 0.0",
        "a share below 1, got 0.0",
    ),
    "rows of an exercise": (
        lambda: claim_kernel_perceptron(X, Y, Polynomial(2), [7]),
        {"name": "mistakes", "examples": 4, "rows": [], "columns": []},
        "mistakes must be rows from 0 to 3",
        "mistakes must be rows from 0 to 3",
    ),
    "NaN": (
        lambda: SVM().fit(with_entry(2, 1, np.nan), Y),
        {"row": 2, "column": 1, "rows": [2], "columns": [1]},
        "X[2, 1] is NaN",
        "row 30, column 'age' is NaN",
    ),
    "infinity in a density": (
        lambda: GaussianDensity().fit(with_entry(3, 0, np.inf)),
        {"rows": [3], "columns": [0], "value": np.inf},
        "X[3, 0] is infinity",
        "row 40, column 'size' is infinity",
    ),
    "large": (
        lambda: SVM().fit(with_entry(1, 0, 1e200), Y),
        {"rows": [1], "columns": [0], "value": 1e200},
        "X[1, 0] is as large as 1e+200",
        "row 20, column 'size' is as large",
    ),
    "long": (
        lambda: SVM().fit(with_entry(1, 0, -1e150), Y),
        {"rows": [1], "columns": [], "length": pytest.approx(1e150)},
        "the longest, example 1 (counting from 0), has length 1e+150",
        "the longest, row 20, has length",
    ),
    "short": (
        lambda: SVM().fit(X * 1e-150, Y),
        {"rows": [3]},
        "example 3 (counting from 0), has length 5.65685e-150",
        "the longest, row 40,",
    ),
    "tiny column": (
        lambda: LeastSquares().fit(X * [1, 1e-160], [1.0, 2, 3, 5]),
        {"columns": [1], "rows": []},
        "the largest in column 1 of X (from 0) is 5e-160",
        "the largest in column 'age' is 5e-160",
    ),
    "tiny values": (
        lambda: LeastSquares().fit(X, np.array([1.0, 2, 3, 5]) * 1e-160),
        {"table": "y", "columns": []},
        "the largest in column 0 of y (from 0) is 5e-160",
        "column 0 of y",
    ),
    "spread": (
        lambda: GaussianDensity(covariance="diagonal").fit(X * [1e-150, 1e-150]),
        {"columns": [0, 1]},
        "that of column 0 of X (from 0) is 3e-150 (1 more column is like it)",
        "that of column 'size' is",
    ),
    "outside": (
        lambda: LogLinearDensity(features=BoxPolynomials(1), box=[(0, 3), (0, 5)]).fit(X),
        {"rows": [3], "columns": [0], "value": 4.0, "box": (0.0, 3.0)},
        "X[3, 0] is 4, outside [0, 3] (1 such example)",
        "row 40, column 'size' is 4",
    ),
    "K(x, x)": (
        lambda: SVM(Polynomial(3)).fit(with_entry(2, 0, 1e100), Y),
        {"rows": [2]},
        "for example 2 (counting from 0)",
        "for row 30",
    ),
    "no kernel": (
        lambda: SVM(Function(asymmetric)).fit(X, Y),
        {"rows": [0, 1, 2, 3]},
        "K of examples 0, 1, 2, 3 (counting from 0)",
        "K of rows 10, 20, 30, 40 is",
    ),
    "leverage": (
        robust_line,
        {"rows": [3]},
        "the leverage of example 3 (counting from 0) is 1",
        "the leverage of row 40 is 1",
    ),
    "fewer labels": (
        lambda: certify(OF_SVC, X, Y[:3]),
        {"examples": 4, "labels": 3},
        "X holds 4 examples and y holds 3 labels",
        "4 examples",
    ),
    "no labels": (
        lambda: certify(OF_SVC, X, None),
        {"examples": 4, "labels": None},
        "X holds 4 examples and there is no y",
        "there is no y",
    ),
    "fewer columns": (
        lambda: certify(OF_SVC, X[:, :1], Y),
        {"table": "X", "expected": 2, "came": 1},
        "X must have 2 features, as in the fit, got 1",
        "2 features",
    ),
    "fewer values": (
        lambda: later_values(X[:, :1]),
        {"table": "y", "expected": 2, "came": 1},
        "y must have 2 columns, as in the fit, got 1",
        "2 columns",
    ),
    "one class": (
        lambda: SVM().fit(X, ["no"] * 4),
        {"label": "no"},
        "only one class: 'no'",
        "only one class: 'no'",
    ),
    "three classes": (
        lambda: MinDisagreement().fit(X, [0, 1, 2, 2]),
        {"classes": 3},
        "y has 3",
        "y has 3",
    ),
    "unknown label": (
        lambda: second_call(["no", "perhaps", "yes", "perhaps"]),
        {"label": "perhaps", "rows": [1, 3], "classes": ["no", "yes"]},
        "'perhaps' (examples 1, 3 (counting from 0)), none of the classes ['no', 'yes']",
        "'perhaps' (rows 20, 40), none",
    ),
    "matrix": (
        lambda: LogisticRegression().fit(X, [[0, 1], [1, 0], [1, 1], [0, 0]]),
        {"shape": (4, 2)},
        "a matrix of labels of shape (4, 2)",
        "Fit one model for each column",
    ),
    "indicators": (
        lambda: SVM().fit(X, [[0, 2], [1, 0], [1, 1], [0, 0]]),
        {"shape": (4, 2), "indicators": True},
        "y has shape (4, 2) and is no such matrix",
        "0/1 matrix",
    ),
    "no indicator": (
        lambda: SVM().fit(X, [[0, 0], [0, 2], [2, 2], [0, 0]]),
        {"rows": [1], "output": 1, "value": 2, "columns": []},
        "column 1 of y (from 0) holds 2 for example 1 (counting from 0)",
        "holds 2 for row 20",
    ),
    "class without weight": (
        lambda: SVM().fit(X, Y, sample_weight=[1, 0, 1, 0]),
        {"label": "yes", "rows": [1, 3]},
        "class 'yes' (examples 1, 3 (counting from 0))",
        "class 'yes' (rows 20, 40)",
    ),
    "class without weight, logistic": (
        lambda: LogisticRegression().fit(X, Y, sample_weight=[0, 1, 0, 1]),
        {"label": "no", "rows": [0, 2]},
        "class 'no' (examples 0, 2 (counting from 0))",
        "class 'no' (rows 10, 30)",
    ),
    "too much weight": (
        lambda: LeastSquares().fit(X, [1.0, 2, 3, 5], sample_weight=np.full(4, 1e308)),
        {"total": np.inf},
        "a sum within float64, but it is inf",
        "a sum within float64",
    ),
}


def too_fine() -> None:
    with patch("certo.estimators._hard_margin.two_class_verdict", side_effect=ArithmeticError):
        _exact_separator(None, TOLD_APART, "free", None)


def overflowing_kernel() -> None:
    rows = GramRows(Precomputed(), np.full((4, 4), 1e308), 4)
    with np.errstate(all="ignore"):
        kernel_perceptron(rows, np.array([-1, 1, -1, 1], np.int8), epochs=4)


def overflowing_losses() -> None:
    run = GradientRun("Squared()", 1.0, 1e100, False, True)
    online_gradient(np.array([[1e130], [-1e130]]), np.array([1, -1], np.int8), run)


def excess_of_other_classes() -> None:
    model = Pegasos(random_state=0).fit(X, Y)
    model.certificate_ = Mock(verify=lambda X, y: Mock(parts=()))  # It claims nothing.
    model.excess(X, [0, 1, 0, 1])


TOLD_APART = Labels(("no", "yes"), 1)
CROSSED = ["no", "yes", "yes", "no"]
#: The same where no row or column is named: a sentence is the same for arrays and for a file.
OTHER_CASES = {
    "three classes of an exercise": (
        lambda: claim_inseparable(X, [0, 1, 2, 2], {0: 1}), {"classes": 3}, "but y has 3."
    ),
    "no table": (
        lambda: claim_inseparable(X[0], Y[:2], {0: 1}), {"shape": (2,)}, "of shape (2,)"
    ),
    "weights of an exercise": (
        lambda: claim_separator(X, Y, [1.0]), {"features": 2}, "must have 2 numbers"
    ),
    "too fine": (too_fine, {"labels": TOLD_APART}, "that separates 'yes' from 'no' is too fine"),
    "values of a kernel": (overflowing_kernel, {"epoch": 1}, "in epoch 1: the kernel's values"),
    "losses": (overflowing_losses, {"rounds": 2}, "overflowed float64 within 2 rounds: lam"),
    "small ridge": (
        lambda: finite(np.array([np.inf]), 1e-300), {"lam": 1e-300}, "lam = 1e-300 is too small"
    ),
    "features of points": (
        lambda: feature_values(lambda X: np.ones((3, 2)), X),
        {"points": 4, "shape": (3, 2)}, "4 points it returned an array of shape (3, 2).",
    ),
    "rows of a Gram matrix": (
        lambda: SVM(Precomputed()).fit(X @ X.T, Y).predict((X @ X.T)[:, :3]),
        {"who": "SVM", "expected": 4, "came": 3}, "X has 3 features, but SVM is expecting 4",
    ),
    "no examples": (lambda: SVM(Spectrum(2)).fit([], []), {"who": "SVM"}, "but X is empty."),
    "strings": (
        lambda: SVM().fit(["ab", "b", "a", "c"], Y),
        {"who": "SVM", "value": "ab", "rows": [0]}, "X[0] is the string 'ab'.",
    ),
    "a comparator": (
        lambda: Perceptron().fit(X, Y).mistake_bound(X, Y, [1.0]),
        {"expected": (1, 2), "came": (1, 1)}, "of shape (1, 2), got (1, 1).",
    ),
    "made dense": (
        lambda: _dense(sparse.csr_array((10**5, 10**4))),
        {"examples": 10**5, "features": 10**4}, "100,000 rows of 10,000 features",
    ),
    "other examples": (
        lambda: Pegasos(random_state=0).fit(X, Y).excess(X, Y[::-1]),
        {}, "the claims of that fit do not hold of X and y",
    ),
    "other classes": (
        excess_of_other_classes, {"classes": ["no", "yes"]}, "the classes ['no', 'yes'] of the fit"
    ),
    "changed classes": (
        lambda: Perceptron().partial_fit(X, Y).partial_fit(X, Y, classes=["no", "perhaps"]),
        {"classes": ["no", "yes"], "came": ["no", "perhaps"]}, "must stay ['no', 'yes'], got",
    ),
    "class_weight": (
        lambda: SVM(class_weight="even").fit(X, Y), {"came": "even"}, "or None, got 'even'."
    ),
    "features of a density": (
        lambda: LogLinearDensity(features=3, box=(0, 5)).fit(X), {"came": 3}, "got 3."
    ),
    "box": (
        lambda: LogLinearDensity(features=BoxPolynomials(1), box=(5, 0)).fit(X),
        {"came": (5, 0)}, "with low < high, got (5, 0).",
    ),
    "another box": (
        lambda: LogLinearDensity(features=BoxPolynomials(1), box=[(0, 5)]).fit(X),
        {"pairs": 1, "features": 2}, "which has 2, but it has 1.",
    ),
    "reference": (
        lambda: LogisticRegression(reference="perhaps").fit(X, CROSSED),
        {"classes": ["no", "yes"], "came": "perhaps"}, "['no', 'yes'], or None, got 'perhaps'.",
    ),
    "neighbours": (lambda: _odd([3, 2]), {"came": [3, 2]}, "got [3, 2]."),
    "another fit": (
        lambda: LogisticRegression().fit(X, CROSSED).summary(robust="HC3", X=X[:3], y=CROSSED[:3]),
        {"examples": 4}, "all 4 rows in the same order",
    ),
    "left out": (
        lambda: SVM().fit(X, Y).leave_one_out(X[:3], Y[:3]),
        {"examples": 4, "came": 3}, "needs the 4 examples of the fit",
    ),
    "test examples": (
        lambda: certify(OF_SVC, X, Y, X_test=X[:, :1], y_test=Y),
        {"table": "X_test"}, "X_test must be examples like those of the fit: X",
    ),
    "nothing kept": (
        lambda: LeastSquares(ridge=1.0).fit(np.eye(2, 5), [1, 2]).partial_fit(np.eye(2, 5), [1, 2]),
        {"limit": 500}, "a fit with more than 500 features",
    ),
    "interval": (
        lambda: LeastSquares().fit(X[:3], [1, 2, 4]).predict_interval(X),
        {"examples": 3, "rank": 2, "intercept": True},
        "had 3 examples for a rank of 2 and an intercept.",
    ),
    "memory": (
        lambda: require_room("Monomials", 2**40, 2**10),
        {"examples": 2**40, "coordinates": 2**10}, "8,388,608 GiB",
    ),
    "counts": (
        lambda: CountedFeatures(Polynomial(2)).fit_transform(X),
        {"kernel": Polynomial(2)}, "got Polynomial(degree=2",
    ),
    "no map": (lambda: explicit_map(Precomputed()), {"kernel": Precomputed()}, "Precomputed()"),
    "a high degree": (
        lambda: Monomials(2000).fit([[0.5]]),
        {"who": "Monomials", "degree": 2000, "features": 1}, "Monomials(degree=2000) of 1 features",
    ),
    "no time for a kernel": (
        lambda: compare_kernels(X, Y, [Polynomial(2)], cv=2, time_limit=1e-9),
        {"folds": 2, "seconds": 1e-9}, "in all 2 folds within the limit of 1e-09 s",
    ),
}  # fmt: skip
CASES |= {name: (*case, case[-1]) for name, case in OTHER_CASES.items()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:overflow encountered in reduce")
@pytest.mark.parametrize("case", CASES)
def test_errors_carry_facts_and_count_as_their_reader_does(case):
    wrong, facts, of_arrays, of_a_file = CASES[case]
    with pytest.raises(InputError) as caught:
        wrong()
    assert of_arrays in str(caught.value)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert str(error) == str(caught.value)
        carried = {**error.facts, "rows": error.rows, "columns": error.columns}
        assert {name: plain(carried[name]) for name in facts} == facts
    with reading(places=[10, 20, 30, 40], columns=["size", "age"]):
        with pytest.raises(InputError) as caught:
            wrong()
        assert of_a_file in str(caught.value)


def plain(value):
    return value.tolist() if isinstance(value, np.ndarray) else value


def test_labels_that_cannot_be_named():
    with pytest.raises(LabelTypeError, match=r"y holds 1j \(complex\)") as caught:
        require_plain_labels([1, 1j], "SVM")
    assert caught.value.facts == {"who": "SVM", "label": 1j}


def test_every_sentence_is_tried_here():
    sentences = {
        one for _, one in getmembers(refusals, isfunction) if one.__module__ == refusals.__name__
    }
    raised = {refusals.not_separable, refusals.unusable_label}
    for wrong, *_ in CASES.values():
        with pytest.raises(InputError) as caught, np.errstate(over="ignore"):
            wrong()
        raised.add(caught.value.says)
    assert sentences == raised
