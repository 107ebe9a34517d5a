from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from certo.containers import count
from certo.kernels.base import Kernel
from certo.numbers.rounding import Rounding


@final
@dataclass(frozen=True, repr=False)
class Function(Kernel):
    """Any Python function of two objects that is symmetric and positive semi-definite.

    Definition    K(x, z) = float(of(x, z))
    Domain        whatever the function takes: the items of any sequence, the rows of an array

    What the function returns *is* the kernel. That it is one is taken on trust until a Gram matrix
    shows otherwise, and it has no JSON form.

    Parameters
    ----------
    of : callable
        A function of two objects that returns a number, the same for the same objects.

    Examples
    --------
    >>> def letters(a, b):
    ...     return len(set(a) & set(b))
    >>> Function(letters)(["tea", "coffee"], ["meat"])
    array([[3.],
           [1.]])
    """

    of: Callable[[Any, Any], float]
    by_pair = True
    has_json_form = False

    def __post_init__(self):
        if not callable(self.of):
            raise ValueError(
                f"Function takes a function of two objects, got {type(self.of).__name__}."
            )

    def __repr__(self):
        return f"Function({getattr(self.of, '__qualname__', None) or repr(self.of)})"

    def plain(self, X, Z):
        block = np.empty((count(X), count(Z)))
        for i in range(block.shape[0]):
            for j in range(block.shape[1]):
                block[i, j] = self._value(X[i], Z[j])
        return block

    def _value(self, x, z) -> float:
        value = self.of(x, z)
        try:
            number = float(value)
        except (TypeError, ValueError) as wrong:
            raise ValueError(
                f"{self!r} must return a number, but it returned {str(value)[:40]!r} "
                f"({type(value).__name__})."
            ) from wrong
        if not np.isfinite(number):
            raise ValueError(f"{self!r} must return a finite number, but it returned {number}.")
        return number

    def rounding(self, X, Z):
        """None: the kernel is what the function returns."""
        return Rounding(0.0, 0.0)

    def to_dict(self):
        raise ValueError(
            f"{self!r} has no JSON form: a file cannot hold a Python function. Kernels with a "
            "name, and Precomputed matrices, have one."
        )
