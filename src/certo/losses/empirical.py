"""The empirical risk R̂ = (1/m) Σ L(yᵢ, f(xᵢ)) of anything under any loss."""

from __future__ import annotations

import numpy as np

from certo.losses.base import LogDensityLoss, Loss, ResidualLoss
from certo.losses.zero_one import ZeroOne

_ERROR_RATE = ZeroOne()

# Where the real-valued score of a classifier lies, by the names classifiers give it.
_SCORE = ("decision_function", "induced_local_field")


def risk(predictor, X, y=None, loss: Loss = _ERROR_RATE, sample_weight=None) -> float:
    """The empirical risk: always the mean of the loss, weighted if weights are given.

    Parameters
    ----------
    predictor
        A fitted classifier, regressor or density; a hyperplane; a neuron; any function
        f(X) → one score per example; or the scores or predictions themselves, and then X is
        not looked at.
    X : the examples, in whatever form the predictor takes them.
    y : their answers; may be left out for a density.
    loss : what is averaged; the 0-1 loss, hence the error rate, by default.
    sample_weight : one weight ≥ 0 per example.

    Notes
    -----
    - 0-1 loss: what has `predict` is judged by its labels, of any kind and number; scores are
      judged by their sign against y = ±1, and a zero is an error.
    - Other losses of the margin need scores and two classes: the second of `classes_` is +1,
      and without `classes_` the answers must be −1 and +1 already.
    - Squared loss: numbers against numbers; a classifier is judged by its scores against ±1.
      With several outputs the loss of an example is the sum over them, ‖y − f(x)‖².
    - Negative log-likelihood: `score_samples`, or a function that gives log p(x).

    >>> from certo.losses import Hinge
    >>> risk([2.0, 0.5, -1.0], None, [+1, +1, +1])
    0.3333333333333333
    >>> risk([2.0, 0.5, -1.0], None, [+1, +1, +1], Hinge(), sample_weight=[2, 1, 1])
    0.625
    """
    if not isinstance(loss, Loss):
        raise TypeError(
            f"risk: loss must be an object of certo.losses, such as Hinge(), got {loss!r}."
        )
    answers, scores = _answers_and_scores(predictor, X, y, loss)
    losses = loss.of(answers, scores)
    return _mean(losses.sum(axis=1) if losses.ndim == 2 else losses, sample_weight)


def _answers_and_scores(predictor, X, y, loss: Loss):
    """The two arguments of `loss.of`, of one shape and free of NaN."""
    if isinstance(loss, LogDensityLoss):
        return None, _numbers("log p(x)", _output(predictor, X, ("score_samples",), loss))
    if y is None:
        raise ValueError(f"risk: {loss!r} compares with answers, but y is None. Pass y.")
    y, classes = _without_nan("y", np.asarray(y)), getattr(predictor, "classes_", None)
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
        raise ValueError(
            f"risk: {loss!r} needs two classes, but the predictor has {len(classes)}: "
            f"{_some(classes)}. Take the 0-1 loss, or one class against the rest."
        )
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
        raise ValueError(
            f"risk: labels must be of one kind, but the predictions are {predicted.dtype} "
            f"and y is {y.dtype}. Give y as the predictor learnt it."
        )
    strange = np.isin(predicted, y, invert=True)
    if not known and predicted.dtype.kind == "f" and strange.any():
        raise ValueError(
            f"risk: under the 0-1 loss predictions are labels, but {predicted[strange][0]} is "
            "not a label of y. If these are scores, give y as -1 and +1 (and pass "
            "`model.predict` as a function if the model is a regressor)."
        )
    agree = predicted == y
    return agree.all(axis=1) if agree.ndim == 2 else agree


def _signs(y: np.ndarray, classes, loss: Loss) -> np.ndarray:
    """y as −1 and +1: the second of two classes is +1."""
    if classes is None:
        if not _is_signs(y):
            raise ValueError(
                f"risk: without `classes_`, {loss!r} needs y in -1 and +1, got the labels "
                f"{_some(y)}. If they are 0 and 1, pass 2*y - 1."
            )
        return y.astype(np.float64)
    positive = y == classes[1]
    strange = ~(positive | (y == classes[0]))
    if strange.any():
        raise ValueError(
            f"risk: y has the labels {_some(y[strange])}, but the predictor knows only "
            f"{_some(classes)}. Give y as the predictor learnt it."
        )
    return np.where(positive, 1.0, -1.0)


def _mean(losses: np.ndarray, sample_weight) -> float:
    if losses.size == 0:
        raise ValueError("risk: the mean over an empty sample is undefined; pass some examples.")
    weights = None
    if sample_weight is not None:
        weights = _numbers("sample_weight", np.asarray(sample_weight))
        if weights.shape != losses.shape:
            raise ValueError(f"risk: {weights.size} weights came for {losses.size} examples.")
        if not (np.isfinite(weights).all() and weights.min() >= 0.0 and weights.max() > 0.0):
            raise ValueError(
                "risk: weights must be finite and ≥ 0 with a positive sum, but they run from "
                f"{weights.min():g} to {weights.max():g}."
            )
        # An example of weight 0 is absent, even if its loss is infinite.
        losses, weights = losses[weights > 0.0], weights[weights > 0.0] / weights.max()
    with np.errstate(invalid="ignore"):
        mean = float(np.average(losses, weights=weights))
    if np.isnan(mean):
        raise ValueError(
            "risk: some losses are +inf and some -inf, so their mean is undefined. "
            "Look for examples where the density is zero and where it is infinite."
        )
    return mean


def _numbers(what: str, values: np.ndarray, axes: int = 1) -> np.ndarray:
    """`values` as float64, a row for each example, none of them NaN."""
    if values.dtype.kind not in "iuf" or not 1 <= values.ndim <= axes:
        raise ValueError(
            f"risk: {what} must be one number per example, got an array of {values.dtype} "
            f"of shape {values.shape}."
        )
    return _without_nan(what, values.astype(np.float64))


def _without_nan(what: str, values: np.ndarray) -> np.ndarray:
    if values.dtype.kind == "f" and np.isnan(values).any():
        i = int(np.argwhere(np.isnan(values))[0][0])
        raise ValueError(f"risk: {what} must not be NaN, but that of example {i} is (from 0).")
    return values


def _require_same_shape(y: np.ndarray, output: np.ndarray) -> None:
    if y.shape != output.shape:
        raise ValueError(
            f"risk: y and the predictions must be of one shape, but y has {y.shape} and the "
            f"predictions {output.shape}. Use y.ravel() if y is a column."
        )


def _is_signs(y: np.ndarray) -> bool:
    return y.dtype.kind in "iufO" and bool(np.isin(y, (-1, 1)).all())


def _some(labels) -> str:
    different = list(dict.fromkeys(repr(label) for label in np.asarray(labels).tolist()))
    return ", ".join(different[:5]) + (", …" if len(different) > 5 else "")
