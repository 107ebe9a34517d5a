"""`separability`: can a hyperplane tell the classes apart? The answer is a proof, either way."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import assert_all_finite, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from certo.certificates.fields import SEPARATION_INTERCEPTS, check_choice
from certo.certificates.sample.classes import class_sample
from certo.certificates.sample.examples import Sample, SampleMismatch, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.quasi_separable import Overlapping, QuasiSeparable
from certo.certificates.separation.separable import Separable
from certo.containers import exact_input, exact_labels
from certo.estimators._input import SECONDS, require_plain_labels
from certo.facts import InputError
from certo.issue.labels import class_labels
from certo.issue.separation import issue_inseparable, issue_separable, vector_indices
from certo.scale.blocks import Blocks
from certo.scale.first_look import first_look
from certo.scale.opening import as_blocks, is_in_blocks
from certo.scale.separation import separable_or_not
from certo.solvers.interrupt import NEVER, Stopped, Watch, ctrl_c_asks
from certo.solvers.recession import decide_recession
from certo.solvers.separation import FineSeparator, Separator, separate
from certo.solvers.vectors import Comparisons, Examples
from certo.stop import Stop
from certo.words import blocks as sentences
from certo.words.status import undecided

TOO_FINE = (
    "separability needs weights that float64 can hold: the examples are separable, but the "
    "hyperplane found is too fine for that, since examples of different classes nearly touch, or "
    "features differ too much in size. Rescale or round the features, or ask quasi_separability, "
    "which gives two classes a hyperplane in fractions."
)


class Undecided(RuntimeError):
    """A question about separation was not decided before the time limit, or before Ctrl-C.

    Attributes
    ----------
    stop : certo.stop.Stop
        Why: TIME_LIMIT or BY_HAND.
    verdicts : tuple of Separable and Inseparable
        For more than two classes, what was decided by then: each is a claim of its own, whose
        `labels` say about which classes.
    """

    def __init__(
        self, message: str, stop: Stop, verdicts: tuple[Separable | Inseparable, ...] = ()
    ):
        super().__init__(message)
        self.stop, self.verdicts = stop, verdicts

    def __reduce__(self):
        return type(self), (str(self), self.stop, self.verdicts)


@contextmanager
def _watched(
    question: str, time_limit: float | None, verdicts: Sequence[Separable | Inseparable]
) -> Iterator[Watch]:
    """While inside, the watch asks to stop after so many seconds, and at the first Ctrl-C; then
    Undecided is raised."""
    SECONDS.or_none.check("time_limit", time_limit)
    with ctrl_c_asks() as asked:
        watch = Watch(asked, np.inf if time_limit is None else float(time_limit))
        try:
            yield watch
        except Stopped:
            stop = watch.stop() or Stop.TIME_LIMIT  # Some do not begin what would take too long.
            raise Undecided(
                undecided(question, stop, time_limit, len(verdicts)), stop, tuple(verdicts)
            ) from None


def separability(
    X, y=None, intercept="free", *, time_limit=None
) -> Separable | Inseparable | ClassSeparability:
    """Decide whether a hyperplane has every example strictly on the side of its label.

    Parameters
    ----------
    X : array or sparse matrix (n_examples, n_features)
        The claim is about these very numbers: nothing is rounded or scaled. A pyarrow dataset (y
        being the name of a column), a Dask collection or `certo.scale.Blocks`, with two classes,
        are read block by block: some rows are decided about, and all are checked.
    y : array (n_examples,)
        Labels: numbers or text. With two, the larger is +1.
    intercept : {"free", "none"}, default="free"
        Any hyperplane, or only those through the origin.
    time_limit : float or None, default=None
        Seconds after which `Undecided` is raised if there is no answer yet, as it is at the first
        Ctrl-C. For more than two classes it has the verdicts that were found by then.

    Returns
    -------
    Separable
        With `coef`, `intercept` and `margin`, a proven lower bound of the geometric margin.
    Inseparable
        With `rows` and `weights`: at most n_features + 1 examples (+ 2 with an intercept) that
        cancel exactly, so that no hyperplane can have them all on their own side.
    ClassSeparability
        For more than two classes: such verdicts for each class against the rest and for each pair,
        and whether some scores, one for each class, are always highest in the right one.

    Examples
    --------
    >>> from certo import separability
    >>> xor = [[0, 0], [1, 1], [0, 1], [1, 0]]
    >>> verdict = separability(xor, ["same", "same", "other", "other"])
    >>> verdict.rows.tolist(), [str(weight) for weight in verdict.weights]
    ([0, 1, 2, 3], ['1/4', '1/4', '1/4', '1/4'])
    >>> separability(xor, [0, 1, 1, 1]).coef.size
    2
    """
    check_choice(intercept, "intercept", SEPARATION_INTERCEPTS)
    if is_in_blocks(X):
        return _of_blocks(as_blocks(X, y), intercept, time_limit)
    X, y, classes = _examples(X, y)
    found: list[Separable | Inseparable] = []
    with _watched("separability", time_limit, found) as watch:
        if len(classes) > 2:
            return _several(X, y, classes, intercept, found, watch)
        labels = Labels(classes, len(classes) - 1)
        return two_class_verdict(Sample(X, labels.signs(y)), labels, intercept, watch)


def _of_blocks(
    blocks: Blocks, intercept: str, time_limit: float | None
) -> Separable | Inseparable:  # fmt: skip
    with _watched("separability", time_limit, ()) as watch:
        rng = np.random.default_rng(0)
        with blocks.stopping(watch.stop):
            first = first_look(blocks, rng, classes=True)
        classes = tuple(sorted(first.counts))
        require_plain_labels(classes, "separability")
        if len(classes) != 2:
            raise InputError(sentences.not_two_classes, "separability", classes)
        labels = Labels(classes, 1)
        return separable_or_not(blocks, labels, intercept, rng, watch, two_class_verdict)


def quasi_separability(X, y, intercept="free", *, time_limit=None) -> QuasiSeparable | Overlapping:
    """Decide whether a hyperplane has no example on its wrong side, and some on the right one.

    This is the question of logistic regression: if so, no finite weights are best, since along
    this direction the likelihood rises for ever.

    Parameters
    ----------
    X : array or sparse matrix (n_examples, n_features)
    y : array (n_examples,)
        Labels: numbers or text. With two, the larger is +1.
    intercept : {"free", "none"}, default="free"
    time_limit : float or None, default=None
        Seconds after which `Undecided` is raised if there is no answer yet, as it is at the first
        Ctrl-C.

    Returns
    -------
    QuasiSeparable
        With `coef` and `bias` as fractions, `strict` (the examples on their own side) and `ties`
        (those on the hyperplane): proved to be as many strict ones as any such hyperplane has.
    Overlapping
        With `rows` and `weights` that show that there is none.

    For more than two classes the question is whether some scores, one for each class, are nowhere
    higher than that of an example's own class, and somewhere lower. `direction` has them as
    fractions, `strict` is (n_examples, n_classes), and there are no `coef`, `bias` and `ties`.

    Examples
    --------
    >>> from certo import quasi_separability
    >>> verdict = quasi_separability([[0], [1], [1], [2]], [0, 0, 1, 1])
    >>> verdict.strict.tolist(), verdict.ties.tolist()
    ([0, 3], [1, 2])
    """
    check_choice(intercept, "intercept", SEPARATION_INTERCEPTS)
    X, y, classes = _examples(X, y)
    labels = class_labels(classes)
    codes = class_sample(X, y, classes).signs + (len(classes) == 1)  # One class counts as +1.
    with _watched("quasi_separability", time_limit, ()) as watch:
        found, why = decide_recession(
            X, codes, max(2, len(classes)), intercept == "free", watch=watch
        )
    assert why is not None, "without a guess all directions are looked at"
    (m, d), vectors = X.shape, vector_indices(labels, why.rows, why.against)
    if found is None:
        return Overlapping(labels, intercept, m, d, vectors, why.weights)
    direction = tuple(tuple(row) for row in found.coef)
    won = np.flatnonzero(found.strict)
    return QuasiSeparable(labels, intercept, m, d, vectors, why.weights, direction, won)


def _several(
    X,
    y: np.ndarray,
    classes: tuple[Any, ...],
    intercept: str,
    found: list[Separable | Inseparable],
    watch: Watch,
) -> ClassSeparability:
    """The verdicts, which `found` has as they come; or Stopped is raised."""
    for k in range(len(classes)):
        watch()
        labels = Labels(classes, k)
        found.append(two_class_verdict(Sample(X, labels.signs(y)), labels, intercept, watch))
    alone = tuple(found)
    codes = class_sample(X, y, classes).signs
    for a, b in itertools.combinations(range(len(classes)), 2):
        watch()
        rows = np.flatnonzero((codes == a) | (codes == b))
        labels = Labels((classes[a], classes[b]))
        sample = Sample(X[rows], np.where(codes[rows] == b, 1, -1).astype(np.int8))
        # What separates a class from the rest separates it from each of them.
        known = [
            (side * verdict.coef, side * verdict.intercept)
            for verdict, side in ((alone[b], 1), (alone[a], -1))
            if isinstance(verdict, Separable)
        ]
        if known:
            found.append(issue_separable(sample, labels, *known[0]))
        else:
            found.append(two_class_verdict(sample, labels, intercept, watch))
    pairwise = tuple(found[len(alone) :])
    joint = _joint(Sample(X, codes), classes, intercept, alone, pairwise, watch)
    return ClassSeparability(classes, alone, pairwise, joint)


def _joint(
    sample: Sample,
    classes: tuple[Any, ...],
    intercept: str,
    alone: tuple[Any, ...],
    pairwise: tuple[Any, ...],
    watch: Watch,
) -> Separable | Inseparable:
    """From the verdicts about classes and pairs, where they settle it."""
    labels = Labels(classes, None)
    if all(isinstance(verdict, Separable) for verdict in alone):  # Own score > 0 > the others.
        coef = np.array([verdict.coef for verdict in alone])
        bias = np.array([verdict.intercept for verdict in alone])
        return issue_separable(sample, labels, coef, bias)
    pairs = itertools.combinations(range(len(classes)), 2)
    for (a, b), verdict in zip(pairs, pairwise, strict=True):
        if isinstance(verdict, Inseparable):  # w_b − w_a would separate a and b.
            rows = np.flatnonzero((sample.signs == a) | (sample.signs == b))[verdict.rows]
            compared = vector_indices(labels, rows, a + b - sample.signs[rows])
            return issue_inseparable(sample, labels, intercept, compared, verdict.weights)
    others = np.arange(len(classes)) != sample.signs[:, None]
    return _decided(Comparisons(sample, others, intercept == "free"), labels, intercept, watch)


def two_class_verdict(
    sample: Sample, labels: Labels, intercept: str, watch: Watch = NEVER
) -> Separable | Inseparable:
    """The verdict about two classes; or Stopped is raised."""
    lifted = intercept == "free"
    if lifted and abs(int(sample.signs.sum(dtype=np.int64))) == sample.m:  # There is one class.
        return issue_separable(sample, labels, np.zeros(sample.d), float(sample.signs[0]))
    return _decided(Examples(sample, lifted), labels, intercept, watch)


def _decided(
    vectors: Examples | Comparisons, labels: Labels, intercept: str, watch: Watch
) -> Separable | Inseparable:
    found = separate(vectors, watch)
    if isinstance(found, FineSeparator):
        raise ArithmeticError(TOO_FINE)
    if isinstance(found, Separator):
        return issue_separable(vectors.sample, labels, *vectors.split(found.w))
    cancelling: Any = found.places
    if isinstance(vectors, Comparisons):
        rows, others = vectors.rows[cancelling], vectors.others[cancelling]
        cancelling = vector_indices(labels, rows, others)
    return issue_inseparable(vectors.sample, labels, intercept, cancelling, found.weights)


def _examples(X, y) -> tuple[Any, np.ndarray, tuple[Any, ...]]:
    """X as the solvers take it, exactly, y as a vector of labels, and the classes; or an error."""
    X = check_array(
        exact_input(X, "separability"), accept_sparse="csr", dtype=None, order="C",
        estimator="separability", input_name="X",
    )  # fmt: skip
    try:
        X = exact_matrix(X)
    except SampleMismatch as wrong:
        raise ValueError(str(wrong)) from None
    y = column_or_1d(exact_labels(y, "separability"), warn=True)
    check_consistent_length(X, y)
    assert_all_finite(y, estimator_name="separability", input_name="y")
    check_classification_targets(y)
    classes = tuple(np.unique(y).tolist())
    require_plain_labels(classes, "separability")
    return X if sparse.issparse(X) else np.ascontiguousarray(X), y, classes
