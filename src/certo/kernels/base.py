"""What a kernel is, and what every kernel can do."""

from __future__ import annotations

import abc
import importlib
import math
import numbers
from collections.abc import Callable, Mapping, Set
from dataclasses import fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from scipy import sparse

from certo import kernels
from certo.containers import count
from certo.kernels.strips import Printed, block_in_strips, gram_in_strips, nobody
from certo.numbers.rounding import Rounding

MAX_NESTING = 32  # Kernels within kernels, in a JSON form.


class Kernel(abc.ABC):
    """A symmetric positive semi-definite function K of two points: K(x, z) = φ(x)·φ(z).

    A kernel is a value: frozen, hashable, equal to another of the same name and parameters, with
    a JSON form. Called, it gives the Gram block K(x_i, z_j); `+` and `*` make new kernels.

    On the left of a block stand *points*, on its right *centres*. They are the same thing, but
    for a `Precomputed` kernel: there a point is a row of the matrix, and a centre the number of
    one of its columns. For every kernel `kernel(kernel.points(X, rows), kernel.take(X, columns))`
    is the block (rows, columns) of the Gram matrix of X.
    """

    #: What the points are: "vectors" (rows of a float array or CSR matrix), "objects" (the items of
    #: any sequence), "matrix" (rows of a Gram matrix).
    takes: ClassVar[str] = "objects"
    #: Whether K(x, z) and K(z, x) are sure to come out the same, so that one of them is enough.
    mirrored: ClassVar[bool] = False
    #: Whether values may take so long that they are made some rows at a time, to hear of Ctrl-C.
    slow: ClassVar[bool] = False
    #: Whether a value is computed by itself: it is then the same, to the last bit, in every block.
    by_pair: ClassVar[bool] = False
    #: Whether of vectors x only d and ‖x‖ enter K(x, x) and `rounding`, which grow with ‖x‖, but
    #: for what underflows.
    by_length: ClassVar[bool] = False
    #: Whether a file can hold the parameters.
    has_json_form: ClassVar[bool] = True
    #: For a parameter that `fitted_to` may decide, the value that leaves it open.
    left_open: ClassVar[Mapping[str, Any]] = {}
    #: For scikit-learn's name of a parameter, what to pass here instead.
    renamed: ClassVar[Mapping[str, str]] = {}

    def __new__(cls, *values, **named):
        for name in cls.renamed.keys() & named.keys():
            raise TypeError(f"{cls.__name__} has no {name}: pass {cls.renamed[name]}.")
        return super().__new__(cls)

    @abc.abstractmethod
    def plain(self, X, Z) -> np.ndarray:
        """The block K(x_i, z_j) in float64 by NumPy and SciPy alone, as certificates compute it.

        X and Z are as `examples` (or `points` and `take`) give them.
        """

    @abc.abstractmethod
    def rounding(self, X, Z) -> Rounding:
        """How far `plain(X, Z)`, and `plain` of any rows of X and Z, may be from the true values;
        `diagonal(X)` and `diagonal(Z)` too, with K(x, x) for the product of roots."""

    def closeness(self, X, Z) -> float:
        """ε such that |plain(X, Z)_ij − K(x_i, z_j)| ≤ ε·plain(X, Z)_ij + 2⁻¹⁰⁷⁰, for any rows of X
        and Z as well: less than `rounding` says where K is small. Infinite if none is known."""
        return math.inf

    def __call__(self, X, Z=None, *, progress: bool | Callable[[int, int], Any] = False):
        """The Gram block of points X and centres Z (Z=None: X again); of two single vectors, which
        scikit-learn's `pairwise_kernels` passes, the number.

        float32 if both are float32, else float64. With `progress` the block is made some rows at a
        time, and progress(values made, values in all) called after each; if that returns True, the
        rest is left and None returned. True prints how far it is.
        """
        if self.takes == "vectors" and Z is not None and _is_vector(X) and _is_vector(Z):
            return float(self([X], [Z])[0, 0])
        X = self.examples(X)
        if Z is None and (fitted := self.fitted_to(X)) != self:
            return fitted(X, progress=progress)
        centres = self.take(X, slice(None)) if Z is None else self.centres(Z)
        if not (progress or self.slow):
            return self._block(X, centres)
        tell = progress if progress is not True else Printed(repr(self))
        if progress and not callable(tell):
            raise ValueError(f"progress must be True, False or a function, got {progress!r}.")
        if Z is None and self.mirrored:
            return gram_in_strips(self, X, tell or nobody)
        return block_in_strips(self, X, centres, tell or nobody)

    def _block(self, X, Z) -> np.ndarray:
        """The block by the fastest way that is known."""
        return self.plain(X, Z)

    def fitted_to(self, X) -> Self:
        """This kernel with the parameters that were left open computed from the examples X."""
        return self

    def agrees(self, fitted: Any) -> bool:
        """Whether `fitted_to`, with some examples, may give that kernel."""
        return type(fitted) is type(self) and all(
            _agree(own, getattr(fitted, f.name))
            or (f.name in self.left_open and own == self.left_open[f.name])
            for f in fields(self)  # type: ignore[arg-type]  # every final kernel is a dataclass
            for own in [getattr(self, f.name)]
        )

    def diagonal(self, X) -> np.ndarray:
        """K(x_i, x_i) in float64."""
        X = self.examples(X)
        one_by_one = ([i] for i in range(count(X)))
        values = [self.plain(self.points(X, i), self.take(X, i))[0, 0] for i in one_by_one]
        return np.array(values, dtype=np.float64)

    def _diagonal(self, X) -> np.ndarray:
        """The same by the fastest way that is known."""
        return self.diagonal(X)

    def examples(self, X):
        """X as this kernel takes points, or a ValueError that says what is wrong with it."""
        return as_objects(X, self)

    def centres(self, Z):
        """Z as this kernel takes centres, or a ValueError that says what is wrong with it."""
        return self.examples(Z)

    def points(self, X, rows):
        """The points X[rows], as they stand on the left of a block."""
        return [X[i] for i in indices(rows, len(X))] if isinstance(X, list) else X[rows]

    def take(self, X, rows):
        """The points X[rows], as they stand on the right of a block."""
        return self.points(X, rows)

    @property
    def settings(self) -> dict[str, Any]:
        """Parameters by name; those of a kernel k inside as k__name, as in scikit-learn."""
        found: dict[str, Any] = {}
        for f in fields(self):  # type: ignore[arg-type]  # every final kernel is a dataclass
            value = found[f.name] = getattr(self, f.name)
            if isinstance(value, Kernel):
                found |= {f"{f.name}__{name}": inner for name, inner in value.settings.items()}
        return found

    def with_settings(self, **changes: Any) -> Kernel:
        """The kernel with some of its `settings` changed."""
        own = self.settings
        for name in sorted(changes.keys() - own.keys()):
            names = ", ".join(f"kernel__{known}" for known in own)
            raise ValueError(f"{self!r} has no setting {name!r}. In a grid there are {names}.")
        for name, value in sorted(changes.items()):  # A kernel before what is inside it.
            first, _, rest = name.partition("__")
            own[first] = own[first].with_settings(**{rest: value}) if rest else value
        return replace(self, **{f.name: own[f.name] for f in fields(self)})  # type: ignore[type-var,arg-type]

    def to_dict(self) -> dict[str, Any]:
        """Name and parameters as plain JSON values."""
        return {"name": type(self).__name__} | {
            f.name: _plain(getattr(self, f.name))
            for f in fields(self)  # type: ignore[arg-type]  # every final kernel is a dataclass
        }

    @staticmethod
    def from_dict(data: Any) -> Kernel:
        """The kernel written by `to_dict`, or a ValueError saying what is wrong with it."""
        try:
            return _read(data, MAX_NESTING)
        except RecursionError:
            raise ValueError("the values of a kernel are nested too deep.") from None

    def __add__(self, other: Kernel) -> Kernel:
        from certo.kernels.algebra import Sum

        return Sum((self, other)) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Kernel | float) -> Kernel:
        from certo.kernels.algebra import Product, Scaled

        if isinstance(other, Kernel):
            return Product((self, other))
        return Scaled.of(self, other) if isinstance(other, numbers.Real) else NotImplemented

    __rmul__ = __mul__

    def normalised(self) -> Kernel:
        """K(x, z)/√(K(x,x)·K(z,z)): the cosine of the two images."""
        from certo.kernels.algebra import Normalised

        return Normalised(self)


def _is_vector(x) -> bool:
    return not sparse.issparse(x) and np.ndim(x) == 1


def as_objects(X, kernel: Kernel):
    """Any sequence of points: arrays and sparse matrices by rows, others as a list."""
    X = X.to_numpy() if hasattr(X, "to_numpy") else X  # Data frames, by rows.
    if getattr(X, "shape", None):
        if X.ndim == 2 and X.shape[1] == 1 and X.dtype.kind in "OUT":
            raise ValueError(
                f"{type(kernel).__name__} takes a sequence of points, but X is a table with one "
                "column. Pass the column itself, as X[:, 0] or frame['name']."
            )
        return X
    unordered = isinstance(X, str | bytes | Mapping | Set)
    if unordered or not (hasattr(X, "__len__") and hasattr(X, "__iter__")) or hasattr(X, "shape"):
        raise ValueError(
            f"{type(kernel).__name__} takes a sequence of points, as a list, got "
            f"{type(X).__name__}. Put a single point in a list."
        )
    return X if isinstance(X, list) else list(X)


def number(value: Any, name: str, *, included: bool = False) -> float:
    """A parameter as a finite float above 0 (or 0, if that is included), or a ValueError."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)
    try:
        result = float(value) if real else math.nan
    except OverflowError:
        result = math.inf
    if not (math.isfinite(result) and (result > 0 or (included and result == 0))):
        bound = "of at least 0" if included else "above 0"
        came = repr(value)[:60] if real else f"{type(value).__name__} {str(value)[:40]!r}"
        raise ValueError(f"{name} must be a finite number {bound}, got {came}.")
    return result


def whole(value: Any, name: str, least: int, most: int | None = None) -> int:
    """A parameter as an int from `least` to `most`, or a ValueError."""
    fits = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not (fits and least <= int(value) and (most is None or int(value) <= most)):
        wanted = f"of at least {least}" if most is None else f"from {least} to {most:,}"
        raise ValueError(f"{name} must be an integer {wanted}, got {repr(value)[:40]}.")
    return int(value)


def flag(value: Any, name: str) -> bool:
    """A parameter as True or False, or a ValueError."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {repr(value)[:40]}.")
    return bool(value)


def compiled(module: str) -> Any:
    """The module of this name in `certo.compiled`, for a Gram block by the fastest way. No check
    asks for one: certificates compute blocks by `Kernel.plain`, in NumPy and SciPy alone."""
    return importlib.import_module(f"certo.compiled.{module}")


def indices(rows, size: int):
    """The places that a slice, mask or list of places means, of so many points."""
    if isinstance(rows, slice):
        return range(*rows.indices(size))
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)


def _agree(own: Any, fitted: Any) -> bool:
    if isinstance(own, Kernel):
        return own.agrees(fitted)
    if isinstance(own, tuple) and isinstance(fitted, tuple):
        return len(own) == len(fitted) and all(map(_agree, own, fitted))
    return bool(own == fitted)


def _plain(value: Any) -> Any:
    if isinstance(value, Kernel):
        return value.to_dict()
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _parsed(value: Any, depth: int) -> Any:
    """What `_plain` was given: a dict was a kernel, and a list a tuple."""
    if isinstance(value, dict):
        return _read(value, depth)
    return tuple(_parsed(item, depth) for item in value) if isinstance(value, list) else value


def _read(data: Any, depth: int) -> Kernel:
    name = data.get("name") if isinstance(data, dict) else None
    if type(name) is not str or name not in kernels.KERNELS:
        came = repr(name[:40]) if type(name) is str else "none"
        known = sorted(kernels.KERNELS)
        raise ValueError(f"a kernel's 'name' must be one of {known}, but there is {came}.")
    if depth == 0:
        raise ValueError(f"a kernel may hold kernels at most {MAX_NESTING} deep.")
    kind = getattr(kernels, name)
    if not kind.has_json_form:
        raise ValueError(f"a kernel {name} cannot be read from a file, which would be code.")
    names = {f.name for f in fields(kind)}
    if set(data) != names | {"name"}:
        raise ValueError(f"the kernel {name} must have exactly the fields {sorted(names)}.")
    return kind(**{key: _parsed(data[key], depth - 1) for key in names})
