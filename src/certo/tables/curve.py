"""Kernels compared on a table by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from certo import selection
from certo.data.problem import Problem
from certo.estimators import NotSeparable
from certo.kernels.base import Kernel
from certo.kernels.gaussian import Gaussian
from certo.kernels.polynomial import Polynomial
from certo.selection import ValidationCurve, gaussians
from certo.tables.examples import Examples, encode_table, refuse_one_class
from certo.tables.fit import without_answer
from certo.tables.settings import read_kernel
from certo.words.reader import setting


@dataclass(frozen=True)
class Compared:
    """What a machine makes of several kernels."""

    curve: ValidationCurve
    examples: Examples
    tried: str  # How many kernels, or "data" if these were made from the examples.


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
    refuse_one_class(examples)
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
        raise without_answer(wrong) from wrong
    return Compared(curve, examples, "data" if kernels is gaussians else str(len(some)))


class Family(NamedTuple):
    """Kernels that differ in one number."""

    kind: Callable[[Any], Kernel]
    parameter: str
    numbers: str
    number: Callable[[str], float]
    usual: Callable[[Any], list[Kernel]]  # The default kernels for given examples.


KERNEL_FAMILIES = {
    "gaussian": Family(Gaussian, "the variance", "numbers", float, gaussians),
    "polynomial": Family(
        Polynomial, "the degree", "integers", int, lambda X: [Polynomial(n) for n in range(1, 8)]
    ),
}


def kernels_to_try(
    names: Sequence[str], values: str | None = None
) -> Callable[[Any], list[Kernel]]:
    """A function of the examples to kernels: those of a family, with the values of its parameter
    (or some that fit the examples), or each as one would write it in Python."""
    if len(names) == 1 and names[0] in KERNEL_FAMILIES:
        family = KERNEL_FAMILIES[names[0]]
        if values is None:
            return family.usual
        try:
            made = [family.kind(family.number(text)) for text in values.split(",")]
        except ValueError as wrong:
            raise Problem(
                f"{setting('values')} must be {family.numbers} with commas between them, each "
                f"{family.parameter} of a {names[0]} kernel, got {values!r}: {wrong}"
            ) from wrong
    else:
        if values is not None:
            what, kernel = setting("values"), setting("kernel")
            raise Problem(f"{what} are for one {kernel}, gaussian or polynomial.")
        made = [read_kernel(name) for name in names]
    return lambda X: made
