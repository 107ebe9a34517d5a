"""How far the scores of an ONNX file may be from the model's own, and a trial by onnxruntime.

Rounding. Let u be the unit roundoff of the graph (2⁻²⁴ for float32), and γ_n = nu / (1 − nu). Every
operation and every stored number is rounded once, so that

feature     z = (x − μ)/σ is off by at most e = u(|x| + |μ|)/σ + 4u|z|
product     ⟨z, c⟩ of d terms by at most  p = e·|c| + (u + γ_d) |z|·|c|
square      ‖z‖² by at most  2e·|z| + e·e + γ_{d+1} ‖z‖²
Gaussian    with the distance D off by δ, exp(−D/2v) by a factor of exp(δ/2v + 4u D/2v), and by four
            units of exp itself
polynomial  with t = scale·⟨z, c⟩ + offset off by τ, t^q by (|t| + τ)^q (1 + γ_q) − |t|^q
score       Σ a_j K_j + b of n terms by Σ |a_j| κ_j + (u + γ_{n+1}) (Σ |a_j K_j| + |b|), where κ_j
            is what K_j is off by

to first order; the allowance is twice that, which covers the terms of higher order and the model's
own rounding in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from scipy import sparse

from certo.data import columns
from certo.data.problem import Problem
from certo.kernels import Gaussian, Polynomial
from certo.tables.model_file import StoredModel
from certo.tables.onnx_file import TYPES, Expansion, expansion_of, needed, votes_of

EXP_ULPS = 4  # What exp of an ONNX runtime may be off, in units of its last place.
MAX_CHECKED_VALUES = 2**22  # Kernel values that are compared at once.
GENERATED_ROWS = 1000  # Rows on which a file is tried where no table is given.


@dataclass(frozen=True)
class Agreement:
    """What onnxruntime answers on some rows, beside the model."""

    rows: int
    clear: int  # Rows whose score is farther from a tie than the allowance.
    differing: int  # Rows with another label; none of them is clear.
    allowance: float  # The largest allowance of a score.
    difference: float  # The largest difference of a score that has an allowance.


class Scores(NamedTuple):
    """Scores of rows, and what the graph's may be off."""

    values: np.ndarray
    within: np.ndarray


def check_onnx(
    content: bytes, model: StoredModel, table: Any = None, precision: str = "float32"
) -> Agreement:
    """Run an ONNX file on the rows of a table, and compare it with the model that it was made of.

    ArithmeticError if a score is off by more than the allowance, or a clear label differs. Without
    a table, rows like those of the fit are generated.
    """
    runtime = needed("onnxruntime")
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    encoder, machine = model.encoder, model.machine
    if table is None:
        table = _generated(model)
    table = columns.with_missing(columns.as_table(table), model.na, encoder.category_names_)
    table = table.filter(encoder.complete_rows(table))
    if not table.num_rows:
        raise Problem("no row without missing values is left to try the ONNX file on.")
    clear = differing = 0
    allowance = difference = 0.0
    for part in _parts(table, machine):
        inputs = _inputs(model, part, TYPES[precision])
        found = dict(zip(names, session.run(names, inputs), strict=True))
        scores = _scores(model, part, precision)
        off = np.abs(np.asarray(found["score"], dtype=np.float64) - scores.values)
        known = np.isfinite(scores.within)
        if not np.all(off[known] <= scores.within[known]):
            worst = np.max(off[known] - scores.within[known])
            raise ArithmeticError(
                f"the ONNX file's scores are off by {worst:.3g} more than rounding allows."
            )
        allowance = max(allowance, float(np.max(scores.within)))
        difference = max(difference, float(np.max(off[known], initial=0.0)))
        if "label" in found:
            sure = _is_clear(scores, votes_of(machine) is not None)
            wrong = found["label"] != machine.predict(encoder.transform(part))
            if np.any(wrong & sure):
                raise ArithmeticError("the ONNX file gives another label where the score is clear.")
            clear, differing = clear + int(np.sum(sure)), differing + int(np.sum(wrong))
        else:
            clear += part.num_rows
    return Agreement(table.num_rows, clear, differing, allowance, difference)


def _scores(model: StoredModel, table: pa.Table, precision: str) -> Scores:
    """The scores of these rows, and what those of the graph may be off."""
    unit, scores = _Unit(precision), expansion_of(model.machine)
    with np.errstate(over="ignore", invalid="ignore"):
        values, off = _features(model, table, unit)
        if scores.centres is not None:
            values, off = _kernel_values(scores, values, off, unit)
        n, coef = values.shape[1], scores.coef.T
        most = np.abs(values) @ np.abs(coef) + np.abs(scores.intercept)
        within = 2 * (off @ np.abs(coef) + (unit.u + unit.gamma(n + 1)) * most)
    within[np.isnan(within)] = np.inf
    return Scores(values @ coef + scores.intercept, within)


class _Unit:
    """The arithmetic of a graph."""

    def __init__(self, precision: str):
        info = np.finfo(TYPES[precision])
        self.u, self.tiny, self.most = float(info.eps) / 2, float(info.tiny), float(info.max)

    def gamma(self, n: int) -> float:
        return n * self.u / (1.0 - n * self.u) if n * self.u < 1 else np.inf


def _features(model: StoredModel, table: pa.Table, unit: _Unit) -> tuple[np.ndarray, np.ndarray]:
    """z, and e; nothing is known of numbers that the graph cannot hold."""
    encoder = model.encoder
    Z = encoder.transform(table)
    Z = Z.toarray() if sparse.issparse(Z) else Z
    e = np.zeros_like(Z)  # The features of categories are 0 or 1.
    for k, name in enumerate(encoder.number_names_):
        far = np.abs(columns.numbers(table.column(name), name))
        e[far >= unit.most / 4, k] = np.inf
        if encoder.scaler_ is not None:
            far = (far + abs(encoder.scaler_.mean_[k])) / encoder.scaler_.scale_[k]
        e[:, k] += unit.u * (far + 4 * np.abs(Z[:, k])) + unit.tiny
    return Z, e


def _kernel_values(
    scores: Expansion, Z: np.ndarray, e: np.ndarray, unit: _Unit
) -> tuple[np.ndarray, np.ndarray]:
    """K(z, c) of all centres c, and κ."""
    kernel, C, d, u = scores.kernel, scores.centres, Z.shape[1], unit.u
    far = np.abs(Z) @ np.abs(C).T
    p = e @ np.abs(C).T + (u + unit.gamma(d)) * far
    values = kernel.plain(Z, C)
    if isinstance(kernel, Gaussian):
        lengths, own = np.sum(Z**2, axis=1)[:, None], np.sum(C**2, axis=1)
        square = np.sum((2 * np.abs(Z) + e) * e, axis=1)[:, None] + unit.gamma(d + 1) * lengths
        delta = square + 2 * p + 4 * u * (lengths + own + 2 * far)
        exponent = -np.log(np.maximum(values, unit.tiny))
        factor = np.expm1(delta / (2 * kernel.variance) + 4 * u * exponent)
        return values, values * (factor + EXP_ULPS * u) + unit.tiny
    is_power = isinstance(kernel, Polynomial)
    scale, offset, q = (kernel.scale, kernel.offset, kernel.degree) if is_power else (1.0, 0.0, 1)
    t = np.abs(scale * (Z @ C.T) + offset)
    tau = scale * p + 4 * u * (scale * far + offset)
    return values, (t + tau) ** q * (1 + unit.gamma(q)) - t**q


def _is_clear(scores: Scores, votes: bool) -> np.ndarray:
    """Which rows have the same label by any scores within the allowance."""
    values, within = scores
    if votes:  # The votes of all pairs are the same.
        return np.all(np.abs(values) > within, axis=1)
    if values.shape[1] == 1:
        return np.abs(values[:, 0]) > within[:, 0]
    low = values - within
    best = np.argmax(values, axis=1)
    rows = np.arange(len(values))
    others = values + within
    others[rows, best] = -np.inf
    return low[rows, best] > np.max(others, axis=1)


def _inputs(model: StoredModel, table: Any, number: type) -> dict[str, np.ndarray]:
    """The rows of a table as the graph takes them."""
    encoder = model.encoder
    with np.errstate(over="ignore"):
        numbers: dict[str, np.ndarray] = {
            name: columns.numbers(table.column(name), name).astype(number)[:, None]
            for name in encoder.number_names_
        }
    texts = {name: columns.texts(table.column(name))[:, None] for name in encoder.category_names_}
    return numbers | texts


def _parts(table: Any, machine: Any) -> Iterator[Any]:
    """The rows, some after the other, so that memory does not grow with them."""
    centres = expansion_of(machine).centres
    step = max(1, MAX_CHECKED_VALUES // (1 if centres is None else max(1, *centres.shape)))
    for start in range(0, table.num_rows, step):
        yield table.slice(start, step)


def _generated(model: StoredModel) -> Any:
    """Rows like those of the fit: numbers about their means, levels at random."""
    encoder, rng = model.encoder, np.random.default_rng(0)
    rows = {}
    for k, name in enumerate(encoder.number_names_):
        scaler = encoder.scaler_
        mean, spread = (0.0, 1.0) if scaler is None else (scaler.mean_[k], scaler.scale_[k])
        rows[name] = rng.normal(mean, spread, GENERATED_ROWS)
    for name, levels in encoder.level_features():
        rows[name] = rng.choice(levels.astype(str), GENERATED_ROWS)
    return pa.table(rows)
