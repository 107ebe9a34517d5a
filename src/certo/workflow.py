"""Fit and predict on tables: what the command line and the reports are faces of."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.base import BaseEstimator, is_regressor

from certo import selection
from certo.certificates.base import NotClaimed
from certo.certificates.certified import Certified
from certo.certificates.composite import Composite
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.fields import INTERCEPTS
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.risk.compression_bound import PREPROCESSED, CompressionBound
from certo.certificates.risk.risk_bound import LEAST_DELTA
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.sample.labels import class_sample
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.comparisons import comparison_signs, whole_direction
from certo.data import tables, written
from certo.data.encoder import IN_FIT, TableEncoder, have, told_apart
from certo.data.fingerprint import fingerprint
from certo.data.model_file import StoredModel
from certo.data.problem import Problem, problems_of
from certo.data.remarks import (
    LeftOut,
    about_labels,
    about_names,
    about_words,
    count,
    not_a_number,
)
from certo.estimators import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    MinDisagreement,
    NotSeparable,
    Pegasos,
    Perceptron,
    Separated,
)
from certo.estimators.verdict import separability, two_class_verdict
from certo.guarantees.certifying import page_about
from certo.guarantees.unwrapping import Wrapped
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.polynomial import Polynomial
from certo.selection import ValidationCurve, gaussians
from certo.solvers.recession import Recession, column_recession
from certo.words.separating_columns import separating_columns

MACHINES = {
    "perceptron": Perceptron,
    "hard-margin": HardMarginSVM,
    "kernel-perceptron": KernelPerceptron,
    "min-disagreement": MinDisagreement,
    "svm": SVM,
    "pegasos": Pegasos,
    "least-squares": LeastSquares,
    "logistic": LogisticRegression,
}
WRITTEN = {"learning_rate": written.rate, "kernel": written.kernel}  # settings that are objects
INSTEAD = {  # of settings that others have
    ("logistic", "C"): ": use --ridge; C is 1/(ridge·n) with n examples",
    ("least-squares", "alpha"): ": use --ridge; alpha is ridge·n with n examples",
}
AS_THEY_ARE = (MinDisagreement,)  # machines whose answer does not depend on scaling
REGRESSIONS = (LeastSquares, LogisticRegression)  # nor do theirs, without a ridge
FOR_NUMBERS = "; for a number to predict there is --machine least-squares"
MAX_TRIED = 10**9  # settings among which a choice can be paid for
CHOSEN_HERE = (
    "the settings were chosen among some that were made from these rows (--tried data), so that no "
    "number of them tells what to pay."
)
COMPARED_HERE = "the page of the model has it, with the choice of the settings paid for."
MOST_CLASSES = 100  # a numeric target with more different values is taken for a measurement

OF_OWN = (
    "The answer is about the table's own numbers: with an intercept, it is that of scaled ones."
)
OF_SCALED = (
    "This is about the scaled numbers: without an intercept, the scaling makes a difference."
)

Verdict = Separable | Inseparable | ClassSeparability


@dataclass(frozen=True)
class Examples:
    """The rows of a table as a machine sees them, and where they come from."""

    X: Any
    y: np.ndarray
    encoder: TableEncoder
    table: pa.Table  # the rows used, as they are in the file
    places: np.ndarray  # their numbers in the file, counting from 1
    target: str
    missing: str
    na: tuple[str, ...]
    data_fingerprint: str
    notes: list[str]
    left_out: LeftOut

    @property
    def measured(self) -> bool:
        """Whether the target is a number to predict, rather than a class."""
        return self.y.dtype.kind == "f"

    @property
    def feature_names(self) -> list[str]:
        """Names of the columns of X, for people."""
        names = list(self.encoder.get_feature_names_out())
        if self.encoder.scaler_ is not None:
            numeric = self.encoder.number_names_
            names[: len(numeric)] = [f"{name} (scaled)" for name in numeric]
        return told_apart(names)


@dataclass(frozen=True)
class Fitted:
    model: StoredModel
    examples: Examples
    certified: Certified  # all that is proved
    test: Rows | None = None


@dataclass(frozen=True)
class Decided:
    """An answer to whether the classes can be separated."""

    verdict: Verdict
    intercept: str
    examples: Examples


@dataclass(frozen=True)
class Compared:
    """What a machine makes of several kernels."""

    curve: ValidationCurve
    examples: Examples
    tried: str  # how many kernels, or "data" if these were made from the examples


class CannotSeparate(Problem):
    """A machine needs classes that a hyperplane separates, but there is `proof` that none does."""

    def __init__(self, proof: Inseparable, examples: Examples):
        scaled = "" if examples.encoder.scaler_ is None else f" {OF_SCALED}"
        super().__init__(f"this machine needs classes that can be separated. {proof.claim}{scaled}")
        self.proof = proof
        self.examples = examples


def machine(name: str, settings: list[str]):
    """A machine by name, with settings like 'epochs=20', 'learning_rate=Power(exponent=0.5)' or
    'kernel=Gaussian(variance=2)'."""
    if name not in MACHINES:
        raise Problem(f"there is no machine {name!r}; there is {', '.join(sorted(MACHINES))}.")
    made = MACHINES[name]()
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals:
            raise Problem(f"--set needs NAME=VALUE, as epochs=20, got {setting!r}.")
        if key not in made.get_params():
            has = ", ".join(sorted(made.get_params()))
            raise Problem(f"{name} has no {key}{INSTEAD.get((name, key), '')}. It has {has}.")
        read = WRITTEN.get(key, written.literal) if "(" in text else written.literal
        made.set_params(**{key: read(text)})
    return made


def encode_table(
    table: Any,
    target: str,
    *,
    scale: str = "standard",
    missing: str = "refuse",
    na: tuple[str, ...] = (),
    drop: tuple[str, ...] = (),
    category: tuple[str, ...] = (),
    notes: tuple[str, ...] = (),
    measured: bool = False,
    reference_levels: bool = False,
) -> Examples:
    """A table's columns as numbers, and its target as labels, or if `measured` as numbers too.

    The table is an Arrow table or a data frame; `notes` are remarks on it to keep. With
    `reference_levels` the first level of each category has no feature of its own.
    """
    table = tables.as_table(table)
    for name in (target, *drop, *category):
        if name not in table.column_names:
            what = "target column" if name == target else "column"
            raise Problem(f"there is no {what} {name!r}. {have(table, name)}")
    if target in drop or target in category:
        raise Problem(f"the target {target!r} cannot be dropped, nor is it a feature.")
    if missing not in ("refuse", "drop"):
        raise Problem(f"--missing must be 'refuse' or 'drop', got {missing!r}.")
    encoder = TableEncoder(scale, drop, category, reference_levels)
    marked = tables.with_missing(table, na, category)
    kept = usable_rows(marked, target, drop, missing, categories=category)
    used = kept.table
    left_out = LeftOut.of(table, marked, target, used.num_rows)
    y = answers(used, target, measured, kept.places)
    if not measured:
        _refuse_many_classes(y, target)
    encoder.fit(used.drop_columns([target]))
    X = encoder.transform(used)
    said = [
        *notes,
        *about_names(table.column_names),
        *left_out.notes,
        *about_words(tables.words_not_found(table, na)),
        *about_labels(target, y),
        *_repetitions(used.drop_columns(list(drop))),
        *encoder.notes_,
    ]
    return Examples(
        X, y, encoder, used, kept.places, target, missing, na, fingerprint(table), said, left_out
    )


def fit_table(
    table: Any,
    target: str,
    estimator,
    *,
    scale=None,
    test: Any = None,
    test_name: str = "the test table",
    delta: float = 0.05,
    tried: str = "1",
    **choices: Any,
) -> Fitted:
    """Encode the table's columns, fit the estimator, and say what that proves, also of the `test`
    table, if there is one; claims about new examples may be wrong with probability `delta`. Of so
    many settings that were `tried` on this table these are the best, or "data" of some that were
    made from it.

    `choices` are those of `encode_table`. Numbers are scaled unless the estimator's answer does
    not depend on it: then it is about the table's own numbers. Where levels of a category would
    add up to an intercept that costs nothing, the first is left out, and the others are compared
    with it.
    """
    own = isinstance(estimator, BaseEstimator) and type(estimator).__module__.startswith("certo.")
    if not own:
        raise Problem(f"an estimator of Certo is needed, got {type(estimator).__name__}.")
    regression = isinstance(estimator, REGRESSIONS) and not estimator.ridge
    if scale is None:
        scale = "none" if regression or isinstance(estimator, AS_THEY_ARE) else "standard"
    choices |= {
        "measured": is_regressor(estimator),
        "reference_levels": regression and estimator.intercept == "free",
    }
    if not LEAST_DELTA <= delta < 1:
        raise Problem(f"--delta must be from {LEAST_DELTA} to below 1, got {delta!r}.")
    paid = _settings_tried(tried)
    examples = encode_table(table, target, scale=scale, **choices)
    if not examples.measured:
        _refuse_one_class(examples)
    unseen, test_fingerprint = None, ""
    if test is not None:
        with problems_of(test_name):
            test = tables.as_table(test)
            unseen = encode_rows(
                test, examples.encoder, target, examples.missing, examples.na, examples.measured,
                advice=IN_FIT,
            )  # fmt: skip
        test_fingerprint = fingerprint(test)
        examples.notes.extend(f"{test_name}: {note}" for note in unseen.notes)
    try:
        estimator.fit(examples.X, examples.y)
    except NotSeparable as wrong:
        if wrong.proof is None:  # in a kernel's space
            raise Problem(of_the_file(str(wrong), examples.places)) from wrong
        raise CannotSeparate(*_of_own_numbers(wrong.proof, examples)) from wrong
    except Separated as wrong:
        raise Problem(_of_the_table(str(wrong), wrong.proof, examples)) from wrong
    except (ArithmeticError, RuntimeError) as wrong:
        raise _without_answer(wrong) from wrong
    except ValueError as wrong:
        raise Problem(of_the_file(str(wrong), examples.places)) from wrong
    if isinstance(estimator, LogisticRegression):
        estimator.status_ = _of_the_table(estimator.status_, estimator.separation_, examples)
    encoder = examples.encoder
    spoilt = PREPROCESSED if encoder.is_fitted_to_data else examples.left_out.why_no_draws
    if spoilt := spoilt or ("" if paid else CHOSEN_HERE):
        estimator.certificate_ = estimator.certificate_.without(CompressionBound, spoilt)
    wrapped = Wrapped(estimator, spoilt=spoilt, tried=max(paid, 1))
    gone = "" if unseen is None else unseen.left_out.why_no_draws
    X_test, y_test = (None, None) if unseen is None or gone else unseen.pair
    page = page_about(
        wrapped, estimator, examples.X, examples.y, delta, X_test, y_test,
        encoder.get_feature_names_out(),
    )  # fmt: skip
    if paid > 1 and not spoilt:  # the page has the same with the choice paid for
        estimator.certificate_ = estimator.certificate_.without(CompressionBound, COMPARED_HERE)
    test_claims = _storable(page.test)
    if gone:
        test_claims = Composite((), (NotClaimed("TestErrors", gone),))
    # Claims about scaled numbers are not about the table's own where scaling merges some.
    remarks = [examples.left_out.remark, *encoder.about_scaling(examples.table)]
    if unseen is not None and (said := unseen.left_out.remark):
        remarks.append(f"{test_name}: {said}")
    page = replace(
        page, claims=_storable(page.claims), test=test_claims,
        remarks=(*page.remarks, *filter(None, remarks)),
    )  # fmt: skip
    model = StoredModel(
        encoder, estimator, target, examples.missing, list(examples.na),
        examples.data_fingerprint, len(examples.y), examples.notes, test_fingerprint, page,
    )  # fmt: skip
    return Fitted(model, examples, page, unseen)


def _settings_tried(tried: str) -> int:
    """How many settings a fit pays for; 0, if no number of them says what to pay."""
    if tried == "data":
        return 0
    if not (tried.isdecimal() and 1 <= int(tried) <= MAX_TRIED):
        raise Problem(
            f"--tried must be a whole number from 1 to {MAX_TRIED:,}, or data for settings that "
            f"were made from the same table, got {tried!r}."
        )
    return int(tried)


class Rows(NamedTuple):
    """Rows of a table as the machine of a fit takes them."""

    X: Any
    y: np.ndarray
    places: np.ndarray  # their numbers in the file, counting from 1
    strange: list[str]  # levels that the fit never saw
    left_out: LeftOut
    merged: list[str]  # columns of which scaling makes one number of several

    @property
    def notes(self) -> list[str]:
        """What became of rows, levels and numbers."""
        return [*self.left_out.notes, *self.strange, *self.merged]

    @property
    def pair(self) -> tuple[Any, np.ndarray]:
        return self.X, self.y


def encode_rows(
    table: pa.Table,
    encoder: TableEncoder,
    target: str,
    missing: str,
    na: Sequence[str],
    measured: bool,
    *,
    advice: str,
) -> Rows:
    """A table, encoded as the examples of a fit were; `advice` is what to do about missing values.
    Columns that the fit did not use make no difference."""
    read, table = table, tables.with_missing(table, na, encoder.category_names_)
    used = {target, *encoder.column_names}
    ignored = [name for name in table.column_names if name not in used]
    encoder.check_columns(table)
    kept = usable_rows(table, target, ignored, missing, advice, encoder.category_names_)
    left_out = LeftOut.of(read, table, target, kept.table.num_rows)
    strange = encoder.unseen_levels(kept.table)
    X, y = encoder.encode(kept.table, advice), answers(kept.table, target, measured, kept.places)
    return Rows(X, y, kept.places, strange, left_out, encoder.about_scaling(kept.table))


def _storable(claims: Composite) -> Composite:
    """Without rules that are too long for a model file, which the file says of them."""
    refused = []
    for claim in claims:
        if isinstance(claim, TrainingErrors | TestErrors):
            try:
                claim.predictor.to_dict()
            except ValueError as wrong:
                refused.append(NotClaimed(claim.name, str(wrong)))
    names = {refusal.name for refusal in refused}
    kept = tuple(claim for claim in claims if claim.name not in names)
    return Composite(kept, (*claims.not_claimed, *refused))


def separated_rows(proof: NoEstimate, X, y) -> np.ndarray:
    """Places of the examples that the direction separates, at least from some class."""
    direction = whole_direction(proof.direction)
    assert direction is not None  # or it would not have been proved
    sample = class_sample(X, y, proof.labels.classes)
    rises = comparison_signs(sample, direction, proof.lifted) > 0
    return np.flatnonzero(np.any(rises.reshape(len(rises), -1), axis=1))


def _of_the_table(text: str, proof: NoEstimate | None, examples: Examples) -> str:
    """What is said of a separation, with columns by their names and rows by their numbers in the
    file."""
    if proof is None:
        return text
    X, places, names = examples.X, examples.places, examples.feature_names
    classes, codes = np.unique(examples.y, return_inverse=True)
    labels = classes.tolist()
    found = column_recession(X, codes, len(classes), proof.lifted)
    if found is None:  # several columns together
        strict = np.zeros(len(codes), dtype=bool)
        strict[separated_rows(proof, X, examples.y)] = True
        direction = [list(row) for row in proof.direction]
        found = Recession(direction, strict, ())
    plain = separating_columns(found, [f"x{j}" for j in range(X.shape[1])], labels)
    cuts = tuple(cut._replace(rows=places[cut.rows]) for cut in found.cuts)
    counted = np.isin(np.arange(places[-1] + 1), places[_rows(found.strict)])
    named = separating_columns(found._replace(cuts=cuts, strict=counted), names, labels)
    return text.replace(plain, named)


SOME_ROWS = re.compile(
    r"(?:the )?examples? (?:in rows? )?((?:\d+, )*\d+)(| and \d+ more) \(counting from 0\)"
)
TWINS = re.compile(r"the examples in rows (\d+) and (\d+) are equal")


def of_the_file(text: str, places: np.ndarray) -> str:
    """What is said of examples and functions, in row numbers of the file and commands."""

    def numbered(found: re.Match) -> str:
        rows = [int(row) for row in found[1].split(", ")]
        if max(rows) >= len(places):
            return found[0]
        several = "s" * (len(rows) > 1 or bool(found[2]))
        return f"row{several} {', '.join(str(places[row]) for row in rows)}{found[2]}"

    def equal(found: re.Match) -> str:
        return f"rows {places[int(found[1])]} and {places[int(found[2])]} are equal"

    text = TWINS.sub(equal, SOME_ROWS.sub(numbered, text))
    return text.replace("certo.separability(X, y)", "certo separable DATA --target COLUMN")


def _rows(strict: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.any(strict.reshape(len(strict), -1), axis=1))


def compare_kernels(
    table: Any,
    target: str,
    estimator,
    kernels: Callable[[Any], list[Kernel]],
    *,
    scale: str = "standard",
    curve_settings: dict[str, Any],
    **choices: Any,
) -> Compared:
    """The validation curve of the estimator on a table. The `kernels` to try are a function of the
    encoded examples; `curve_settings` are those of `certo.compare_kernels`, `choices` those of
    `encode_table`."""
    examples = encode_table(table, target, scale=scale, **choices)
    _refuse_one_class(examples)
    if examples.encoder.is_fitted_to_data:
        examples.notes.append(
            "The columns are scaled by all rows, those that are validated on included."
        )
    try:
        some = kernels(examples.X)
        curve = selection.compare_kernels(examples.X, examples.y, some, estimator, **curve_settings)
    except NotSeparable as wrong:
        raise Problem(str(wrong)) from wrong
    except (ArithmeticError, RuntimeError) as wrong:
        raise _without_answer(wrong) from wrong
    return Compared(curve, examples, "data" if kernels is gaussians else str(len(some)))


def kernels_to_try(names: Sequence[str], values: str | None = None):
    """A function of the examples to kernels: those of a family, with the values of its parameter
    (or some that fit the examples), or each as one would write it in Python."""
    if len(names) == 1 and names[0] in FAMILIES:
        family = FAMILIES[names[0]]
        if values is None:
            return family.usual
        try:
            made = [family.kind(family.number(text)) for text in values.split(",")]
        except ValueError as wrong:
            raise Problem(
                f"--values must be {family.numbers} with commas between them, each "
                f"{family.parameter} of a {names[0]} kernel, got {values!r}: {wrong}"
            ) from wrong
    else:
        if values is not None:
            raise Problem("--values are for one --kernel, gaussian or polynomial.")
        made = [written.kernel(name) for name in names]
    return lambda X: made


class Family(NamedTuple):
    """Kernels that differ in one number."""

    kind: Callable[[Any], Kernel]
    parameter: str
    numbers: str
    number: Callable[[str], float]
    usual: Callable[[Any], list[Kernel]]  # of the examples


FAMILIES = {
    "gaussian": Family(Gaussian, "the variance", "numbers", float, gaussians),
    "polynomial": Family(
        Polynomial,
        "the degree",
        "whole numbers",
        int,
        lambda X: [Polynomial(n) for n in range(1, 8)],
    ),
}


def separate_table(
    table: Any, target: str, *, intercept: str = "free", scale: str = "none", **choices: Any
) -> Decided:
    """Whether hyperplanes separate the classes of the table; `choices` as for `encode_table`.

    With an intercept scaling changes nothing in the answer, but rounds: so the proof is then about
    the table's own numbers, whatever `scale` is.
    """
    if intercept not in INTERCEPTS:
        raise Problem(f"--intercept must be 'free' or 'none', got {intercept!r}.")
    is_moot = intercept == "free" and scale == "standard"
    examples = encode_table(table, target, scale="none" if is_moot else scale, **choices)
    if is_moot:
        examples.notes.append(OF_OWN)
    elif examples.encoder.scaler_ is not None:
        examples.notes.append(OF_SCALED)
    try:
        return Decided(separability(examples.X, examples.y, intercept), intercept, examples)
    except ArithmeticError as wrong:
        raise _without_answer(wrong) from wrong


def _of_own_numbers(proof: Inseparable, examples: Examples) -> tuple[Inseparable, Examples]:
    """A proof about scaled examples as one about the table's own numbers, which are not rounded, if
    an intercept makes both the same question."""
    scaled = examples.encoder
    if scaled.scaler_ is None or proof.intercept == "none":
        return proof, examples
    encoder = TableEncoder("none", scaled.drop, scaled.category, scaled.reference_levels)
    encoder.fit(examples.table.drop_columns([examples.target]))
    X = exact_matrix(encoder.transform(examples.table))
    own = replace(examples, X=X, encoder=encoder)
    labels = proof.labels
    try:
        verdict = two_class_verdict(Sample(X, labels.signs(examples.y)), labels, proof.intercept)
    except ArithmeticError as wrong:
        raise _without_answer(wrong) from wrong
    if isinstance(verdict, Separable):
        raise Problem(
            "a hyperplane separates the classes, but none does once float64 has rounded the scaled "
            "numbers. Use --scale none."
        )
    return verdict, own


def _without_answer(wrong: Exception) -> Exception:
    """How a solver says that it was stopped too early, or that float64 is too coarse; what is more
    special than that is a fault of ours."""
    return Problem(str(wrong)) if type(wrong) in (ArithmeticError, RuntimeError) else wrong


class Kept(NamedTuple):
    """Rows of a table that are used, and their numbers in it, counting from 1."""

    table: pa.Table
    places: np.ndarray


def usable_rows(
    table: pa.Table,
    target: str,
    ignored: Collection[str],
    missing: str,
    advice: str = "Fill them in, or leave the rows out with --missing drop.",
    categories: Collection[str] = (),
) -> Kept:
    """The rows of a table that a model is fitted to: those without missing values, with
    missing="drop"; else all, and a missing label is refused. Numbers that are `categories` are
    taken as they are."""
    if target not in table.column_names:
        raise Problem(f"there is no target column {target!r}. {have(table, target)}")
    gone, unused = np.zeros(table.num_rows, dtype=bool), set(ignored)
    for name, column in zip(table.column_names, table.columns, strict=True):
        if name in unused:
            continue
        is_number = name != target and tables.kind_of(column, name) == tables.NUMBER
        if is_number and name not in categories:
            tables.numbers(column, name)  # refuses what is infinite, by its row in the file
        gone |= column.is_null().to_numpy()
    unlabelled = table.column(target).null_count
    if missing == "refuse":
        if unlabelled:
            raise Problem(
                f"the target {target!r} must have a value in every row, but it is missing in "
                f"{count(unlabelled, 'row')}. {advice}"
            )
        return Kept(table, 1 + np.arange(table.num_rows))
    if gone.all():
        raise Problem("every row misses a value: none is left.")
    places = 1 + np.flatnonzero(~gone)
    return Kept(table.filter(pa.array(~gone)) if gone.any() else table, places)


def _refuse_one_class(examples: Examples) -> None:
    classes = np.unique(examples.y)
    if len(classes) < 2:
        raise Problem(
            f"the target {examples.target!r} must hold at least two classes, but all "
            f"{len(examples.y):,} rows have {classes[0].item()!r}."
        )


def answers(table: pa.Table, target: str, measured: bool, places: np.ndarray) -> np.ndarray:
    """The target column: numbers if it is `measured`, else labels. Rows have these `places` in
    their file."""
    if not measured:
        return tables.labels(table, target, places)
    column = table.column(target)
    if tables.kind_of(column, target) != tables.NUMBER:
        raise Problem(
            f"the target {target!r} must hold numbers for a regression, but it holds "
            f"{not_a_number(column, places)}. Choose another column, or a machine for classes "
            "(logistic)."
        )
    return tables.numbers(column, target, places)


def _refuse_many_classes(y: np.ndarray, target: str) -> None:
    classes = np.unique(y)
    is_number = y.dtype.kind in "iu"
    if (is_number and len(classes) > MOST_CLASSES) or (
        len(classes) > 20 and 2 * len(classes) > len(y)
    ):
        what = "numbers in" if is_number else "values in"
        looks = "so looks continuous" if is_number else "so nearly names the rows"
        raise Problem(
            f"the target {target!r} must hold classes, but it has {len(classes):,} different "
            f"{what} {len(y):,} rows, and {looks}. Choose a column with classes, or turn it into "
            f"classes first{FOR_NUMBERS if is_number else ''}."
        )


def _repetitions(used: pa.Table) -> list[str]:
    distinct = used.group_by(used.column_names).aggregate([]).num_rows
    if distinct == used.num_rows:
        return []
    return [f"{count(used.num_rows - distinct, 'exact repetition')} of other rows."]


class Predicted(NamedTuple):
    """What a model says of the rows of a table."""

    answers: np.ndarray
    beside: dict[str, np.ndarray]  # more about each: probabilities, or an interval
    remarks: list[str]


def predict_table(
    model: StoredModel, table: Any, interval: float | None = None, missing: str = "refuse"
) -> Predicted:
    """Predictions for the rows of a table, columns taken by name. A machine with probabilities
    tells them; with `interval` a regression says where a new value is with this probability. Rows
    with missing values are refused, left out (`missing` "drop"), or answered by None ("empty")."""
    if missing not in ("refuse", "drop", "empty"):
        raise Problem(f"--missing must be 'refuse', 'drop' or 'empty', got {missing!r}.")
    encoder, machine = model.encoder, model.machine
    table = tables.with_missing(tables.as_table(table), model.na, encoder.category_names_)
    if missing != "refuse":
        complete = encoder.complete_rows(table)
        if not complete.all():
            return _of_complete_rows(model, table, interval, complete, missing == "empty")
    X = encoder.transform(table)
    beside: dict[str, np.ndarray] = {}
    if interval is not None:
        if not hasattr(machine, "predict_interval"):
            raise Problem(f"--interval needs a regression, but this is a {type(machine).__name__}.")
        beside = dict(zip(("low", "high"), machine.predict_interval(X, interval), strict=True))
    if hasattr(machine, "predict_proba"):
        shares = machine.predict_proba(X).T
        names = [f"probability of {label}" for label in machine.classes_.tolist()]
        beside = dict(zip(names, shares, strict=True))
    return Predicted(machine.predict(X), beside, encoder.unseen_levels(table))


def _of_complete_rows(
    model: StoredModel, table: pa.Table, interval: float | None, complete: np.ndarray, fill: bool
) -> Predicted:
    if not complete.any():
        raise Problem("every row misses a value: none is left to predict for.")
    said = predict_table(model, table.filter(pa.array(complete)), interval)
    rows = count(int(np.sum(~complete)), "row")
    if not fill:
        return said._replace(remarks=[f"{rows} with missing values left out.", *said.remarks])

    def among_all(values: np.ndarray) -> np.ndarray:
        spread = np.full(complete.size, None, dtype=object)
        spread[complete] = values.tolist()
        return spread

    beside = {name: among_all(values) for name, values in said.beside.items()}
    note = f"{rows} with missing values: the predictions are left empty."
    return Predicted(among_all(said.answers), beside, [note, *said.remarks])
