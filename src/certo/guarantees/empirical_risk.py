"""The empirical risk R̂ = (1/m) Σ L(yᵢ, f(xᵢ)) of anything under any loss."""

from __future__ import annotations

import math
from numbers import Real
from typing import overload

import numpy as np

from certo.containers import exact_labels
from certo.facts import InputError
from certo.losses.base import Loss, ResidualLoss
from certo.losses.confidence import EstimatedRisk, estimated
from certo.losses.logistic import Logistic
from certo.losses.negative_log_likelihood import LogDensityLoss
from certo.losses.zero_one import ZeroOne
from certo.words import empirical_risk as sentences

_ERROR_RATE = ZeroOne()
REFUSED_SHARE = 0.1  # Largest share of rows of the fit for an interval about new ones.

# Where the real-valued score of a classifier lies, by the names classifiers give it.
_SCORE = ("decision_function", "induced_local_field")
_PROBABILITIES = ("predict_log_proba", "predict_proba")


@overload
def risk(
    predictor, X, y=None, loss: Loss = ..., sample_weight=None, *, confidence: None = None
) -> float: ...
@overload
def risk(
    predictor, X, y=None, loss: Loss = ..., sample_weight=None, *, confidence: float, loss_range=...
) -> EstimatedRisk: ...
def risk(
    predictor,
    X,
    y=None,
    loss: Loss = _ERROR_RATE,
    sample_weight=None,
    *,
    confidence=None,
    loss_range=None,
):
    """The empirical risk: always the mean of the loss, weighted if weights are given.

    Parameters
    ----------
    predictor
        A fitted classifier, regressor or density; a hyperplane; a neuron; any function
        f(X) → one score per example; or the scores or predictions themselves, and then X is
        not looked at.
    X : the examples
        In whatever form the predictor takes them; or `certo.scale.Blocks`, which hold their own
        answers, and of which one after another is asked about.
    y : their answers; may be left out for a density.
    loss : what is averaged; the 0-1 loss, hence the error rate, by default.
    sample_weight : one weight ≥ 0 per example.
    confidence : a number between 0 and 1, or None
        Not None: the mean comes with an interval for the risk on new examples, `EstimatedRisk`.
        It means something only if these examples are independent draws that had no part in
        making the predictor: a test set. A machine of Certo remembers a sample of the rows of its
        fit, in this process: examples of which a tenth or more are such rows are refused, and fewer
        are told in the `remark` of the result.
    loss_range : (least, most), or None
        What values the loss can take at all, if that is known; then the interval is proved. The
        0-1 loss is known to be 0 or 1. Without it the interval is the normal approximation, and
        one example gives none: it is all that the loss can be.

    Returns
    -------
    float, or with `confidence` an `EstimatedRisk`, which is a float with `low` and `high`.

    Notes
    -----
    - 0-1 loss: what has `predict` is judged by its labels, of any kind and number; scores are
      judged by their sign against y = ±1, and a zero is an error.
    - Other losses of the margin need scores and two classes: the second of `classes_` is +1,
      and without `classes_` the answers must be −1 and +1 already.
    - Squared loss: numbers against numbers; a classifier is judged by its scores against ±1.
      With several outputs the loss of an example is the sum over them, ‖y − f(x)‖².
    - Logistic loss of a machine with `predict_proba` and more than two classes, or no scores:
      −log p(y|x), the probability that it gives to the right class.
    - Negative log-likelihood: `score_samples`, or a function that gives log p(x); of a machine
      with `predict_proba`, if y is given, −log p(y|x).
    - Intervals: of the error rate Clopper–Pearson's; with weights, which must not depend on what
      came out, Hoeffding's; of a loss with a known range the empirical Bernstein bound.

    >>> from certo.losses import Hinge
    >>> risk([2.0, 0.5, -1.0], None, [+1, +1, +1])
    0.3333333333333333
    >>> risk([2.0, 0.5, -1.0], None, [+1, +1, +1], Hinge(), sample_weight=[2, 1, 1])
    0.625
    >>> risk(["a"] * 100, None, ["a"] * 92 + ["b"] * 8, confidence=0.95)
    0.08 (0.03517 to 0.1516 at 95 %, Clopper–Pearson, if these examples had no part in the fit)
    """
    if not isinstance(loss, Loss):
        raise TypeError(
            f"risk: loss must be an object of certo.losses, such as Hinge(), got {loss!r}."
        )
    losses = _losses_in_blocks(predictor, X, y, loss)
    losses, shares = _shared(losses.sum(axis=1) if losses.ndim == 2 else losses, sample_weight)
    mean = _mean(losses, shares)
    if confidence is None:
        if loss_range is not None:
            raise ValueError("risk: loss_range is for an interval; say with what confidence.")
        return mean
    if not isinstance(confidence, Real) or not 0 < float(confidence) < 1:
        raise ValueError(
            f"risk: confidence must be a number between 0 and 1, such as 0.95, got {confidence!r}."
        )
    known = (0.0, 1.0) if isinstance(loss, ZeroOne) else _range(loss_range, losses)
    least = 0.0 if _judges_probabilities(predictor, y, loss) else loss.least
    remark = "" if hasattr(X, "in_blocks") else _known_rows(predictor, X)
    return estimated(mean, losses, shares / shares.sum(), float(confidence), known, least, remark)


def _known_rows(predictor, X) -> str:
    """How many examples are known to be rows of the fit, in words; too many are refused."""
    seen, X = _rows_of_the_fit(predictor, X)
    if seen is None:
        return ""
    known, share = seen.among(X)
    if not known:
        return ""
    m = X.shape[0] if hasattr(X, "shape") else len(X)
    if seen.seldom_repeats and share >= REFUSED_SHARE and known >= min(3, m):
        about = None if seen.sampled == seen.rows else share
        raise InputError(sentences.too_many_rows_of_the_fit, known, m, about)
    some = f"at least {known:,} of the {m:,} examples"
    return f"{some} are rows of the fit" + ("" if seen.seldom_repeats else ", where rows repeat")


def _rows_of_the_fit(predictor, X):
    """What the machine remembers of its fit, and X as it takes it: inside searches and pipelines,
    and behind a method such as model.predict."""
    predictor = getattr(predictor, "__self__", predictor)
    while True:
        if hasattr(predictor, "best_estimator_"):
            predictor = predictor.best_estimator_
        elif hasattr(predictor, "steps") and hasattr(predictor, "named_steps"):
            X = predictor[:-1].transform(X) if len(predictor.steps) > 1 else X
            predictor = predictor.steps[-1][1]
        else:
            return getattr(predictor, "_seen_rows", None), X


def _losses_in_blocks(predictor, X, y, loss: Loss) -> np.ndarray:
    if not hasattr(X, "in_blocks"):
        return _losses(predictor, X, y, loss)
    if y is not None:
        raise ValueError("risk: blocks have their own answers: give no y beside them.")
    return np.concatenate([_losses(predictor, block.X, block.y, loss) for block in X])


def _losses(predictor, X, y, loss: Loss) -> np.ndarray:
    classes = getattr(predictor, "classes_", None)
    if _judges_probabilities(predictor, y, loss):
        unit = math.log(loss.base) if isinstance(loss, Logistic) else 1.0
        return -_log_probabilities(predictor, X, y, classes) / unit
    return loss.of(*_answers_and_scores(predictor, X, y, loss))


def _judges_probabilities(predictor, y, loss: Loss) -> bool:
    classes = getattr(predictor, "classes_", None)
    if classes is None or y is None:
        return False
    if not any(hasattr(predictor, name) for name in _PROBABILITIES):
        return False
    if isinstance(loss, LogDensityLoss):
        return not hasattr(predictor, "score_samples")
    scored = any(hasattr(predictor, name) for name in _SCORE)
    return isinstance(loss, Logistic) and (len(classes) > 2 or not scored)


def _log_probabilities(predictor, X, y, classes) -> np.ndarray:
    """log p(y|x) of each example."""
    y = _without_nan("y", np.asarray(exact_labels(y, "risk")))
    with np.errstate(divide="ignore"):  # The logarithm of 0 is −∞.
        if hasattr(predictor, "predict_log_proba"):
            logs = np.asarray(predictor.predict_log_proba(X), dtype=np.float64)
        else:
            logs = np.log(np.asarray(predictor.predict_proba(X), dtype=np.float64))
    if logs.shape != (*y.shape, len(classes)):
        raise InputError(sentences.other_probabilities, y.shape, logs.shape)
    own = y[:, None] == np.asarray(classes)[None]
    _refuse_unknown(y[~own.any(axis=1)], classes)
    return _without_nan("log p(y|x)", logs[own])


def _answers_and_scores(predictor, X, y, loss: Loss):
    """The two arguments of `loss.of`, of one shape and free of NaN."""
    if isinstance(loss, LogDensityLoss):
        return None, _numbers("log p(x)", _output(predictor, X, ("score_samples",), loss))
    if y is None:
        raise ValueError(f"risk: {loss!r} compares with answers, but y is None. Pass y.")
    y = _without_nan("y", np.asarray(exact_labels(y, "risk")))
    classes = getattr(predictor, "classes_", None)
    if isinstance(loss, ZeroOne):
        output = _output(predictor, X, ("predict",), loss)
        _require_same_shape(y, output)
        if hasattr(predictor, "predict") or not _is_signs(y):
            agree = _agree(output, y, known=classes is not None)
            return 1.0, np.where(agree, 1.0, -1.0)
        return _signs(y, None, loss), _numbers("the scores", output)
    if isinstance(loss, ResidualLoss) and classes is None:
        output = _output(predictor, X, (*_SCORE, "predict"), loss)
        _require_same_shape(y, output)
        return _numbers("y", y, axes=2), _numbers("the predictions", output, axes=2)
    if classes is not None and len(classes) != 2:
        raise InputError(sentences.not_two_classes, loss, _different(classes))
    output = _output(predictor, X, _SCORE, loss)
    _require_same_shape(y, output)
    return _signs(y, classes, loss), _numbers("the scores", output)


def _output(predictor, X, names: tuple[str, ...], loss: Loss) -> np.ndarray:
    """What the predictor says of X: its first method among `names`, or itself as a function,
    or itself as an array."""
    if not isinstance(predictor, type):
        for name in (*names, "__call__"):
            if hasattr(predictor, name):
                return np.asarray(getattr(predictor, name)(X))
        values = np.asarray(predictor)
        if values.ndim > 0:
            return values
    raise TypeError(
        f"risk: {loss!r} needs a fitted predictor with {' or '.join(names)}, and "
        f"{predictor!r} is not one. Pass a function f(X), or an array of scores, instead."
    )


def _agree(predicted: np.ndarray, y: np.ndarray, *, known: bool) -> np.ndarray:
    """Where the labels are right; unless `known` to be labels, numbers must be seen in y."""
    kinds = {labels.dtype.kind for labels in (predicted, y)}
    if "O" not in kinds and len(kinds) > 1 and kinds & set("UST"):
        raise InputError(sentences.other_kind, predicted.dtype, y.dtype)
    strange = np.isin(predicted, y, invert=True)
    if not known and predicted.dtype.kind == "f" and strange.any():
        raise InputError(sentences.no_label, predicted[strange][0])
    agree = predicted == y
    return agree.all(axis=1) if agree.ndim == 2 else agree


def _signs(y: np.ndarray, classes, loss: Loss) -> np.ndarray:
    """y as −1 and +1: the second of two classes is +1."""
    if classes is None:
        if not _is_signs(y):
            raise InputError(sentences.no_signs, loss, _different(y))
        return y.astype(np.float64)
    positive = y == classes[1]
    strange = ~(positive | (y == classes[0]))
    _refuse_unknown(y[strange], classes)
    return np.where(positive, 1.0, -1.0)


def _refuse_unknown(strange: np.ndarray, classes) -> None:
    if strange.size:
        raise InputError(sentences.unknown_labels, _different(strange), _different(classes))


def _range(loss_range, losses: np.ndarray) -> tuple[float, float] | None:
    """What was said of the losses, if it is true of these."""
    if loss_range is None:
        return None
    try:
        least, most = map(float, loss_range)
    except (TypeError, ValueError) as wrong:
        raise ValueError(
            f"risk: loss_range must be two numbers, as in (0, 1), got {loss_range!r}."
        ) from wrong
    low, high = float(losses.min()), float(losses.max())
    if not -math.inf < least <= low <= high <= most < math.inf:
        raise ValueError(
            f"risk: the losses must lie in loss_range = ({least:g}, {most:g}), but they run from "
            f"{low:g} to {high:g}. Leave it out if the loss has no bounds that are known."
        )
    return least, most


def _shared(losses: np.ndarray, sample_weight) -> tuple[np.ndarray, np.ndarray]:
    """The losses that count, and their shares in the mean, up to a factor."""
    if losses.size == 0:
        raise ValueError("risk: the mean over an empty sample is undefined; pass some examples.")
    if sample_weight is None:
        return losses, np.ones(losses.size)
    weights = _numbers("sample_weight", np.asarray(sample_weight))
    if weights.shape != losses.shape:
        raise InputError(sentences.other_weights, weights.size, losses.size)
    if not (np.isfinite(weights).all() and weights.min() >= 0.0 and weights.max() > 0.0):
        raise InputError(sentences.unusable_weights, weights.min(), weights.max())
    # An example of weight 0 is absent, even if its loss is infinite.
    return losses[weights > 0.0], weights[weights > 0.0] / weights.max()


def _mean(losses: np.ndarray, shares: np.ndarray) -> float:
    with np.errstate(invalid="ignore"):
        mean = float(np.average(losses, weights=shares))
    if np.isnan(mean):
        raise ValueError(
            "risk: some losses are +inf and some -inf, so their mean is undefined. "
            "Look for examples where the density is zero and where it is infinite."
        )
    return mean


def _numbers(what: str, values: np.ndarray, axes: int = 1) -> np.ndarray:
    """`values` as float64, a row for each example, none of them NaN."""
    if values.dtype.kind not in "iuf" or not 1 <= values.ndim <= axes:
        raise InputError(sentences.no_numbers, what, values.dtype, values.shape)
    return _without_nan(what, values.astype(np.float64))


def _without_nan(what: str, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f" and np.isnan(values).any():
        i = int(np.argwhere(np.isnan(values))[0][0])
        raise InputError(sentences.not_a_number, what, i)
    return values


def _require_same_shape(y: np.ndarray, output: np.ndarray) -> None:
    if y.shape != output.shape:
        raise InputError(sentences.other_shape, y.shape, output.shape)


def _is_signs(y: np.ndarray) -> bool:
    return y.dtype.kind in "iufO" and bool(np.isin(y, (-1, 1)).all())


def _different(labels) -> list:
    """Each label once, in the order in which they first come."""
    return list({repr(label): label for label in np.asarray(labels).tolist()}.values())
