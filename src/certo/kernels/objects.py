"""Points that are not vectors: objects read once, and what kernels have found out about them."""

from __future__ import annotations

import abc
import threading
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, ClassVar, Self, final

import numpy as np

from certo.kernels.base import Kernel, as_objects, indices

MAX_CODE = 2**62  # A number that int64 holds, with room to spare.


@final
class Base:
    """A collection of objects of one kind, and what was found out about all of them together."""

    def __init__(self, kind: str, items: Iterable[Any]):
        self.kind, self.items = kind, tuple(items)
        self._known: dict[Hashable, Any] = {}
        self._joined: tuple[Base, Base] | None = None
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self.items)

    def known(self, key: Hashable, make: Callable[[Base], Any]) -> Any:
        """make(self), which is done once and kept under this key."""
        with self._lock:
            if key not in self._known:
                self._known[key] = make(self)
            return self._known[key]

    def joined(self, other: Base) -> Base:
        """The items of both; that with the last other one is kept."""
        with self._lock:
            if self._joined is None or self._joined[0] is not other:
                self._joined = other, Base(self.kind, self.items + other.items)
            return self._joined[1]


@final
class Objects(Sequence):
    """Items of a base, in any order, as kernels of structures take them; immutable."""

    def __init__(self, base: Base, rows: np.ndarray):
        self.base, self.rows = base, rows

    @property
    def shape(self) -> tuple[int]:
        return (self.rows.size,)

    def __len__(self) -> int:
        return self.rows.size

    def __getitem__(self, where):
        if isinstance(where, tuple):  # scikit-learn asks for (rows, ...).
            where = where[0]
        if isinstance(where, int | np.integer):
            return self.base.items[self.rows[where]]
        return Objects(self.base, self.rows[indices(where, len(self))])

    def copy(self) -> Objects:
        return self

    def __repr__(self) -> str:
        return f"{len(self)} {self.base.kind}"

    def __reduce__(self):
        return _rebuild, (self.base.kind, tuple(self))


def _rebuild(kind: str, items: tuple) -> Objects:
    return Objects(Base(kind, items), np.arange(len(items)))


def together(X: Objects, Z: Objects) -> tuple[Base, np.ndarray, np.ndarray]:
    """One base for both, and their rows in it: the same array, if they are the same points."""
    if X.base is Z.base:
        return X.base, X.rows, X.rows if np.array_equal(X.rows, Z.rows) else Z.rows
    return X.base.joined(Z.base), X.rows, Z.rows + len(X.base)


class StructuredKernel(Kernel):
    """A kernel of objects of one kind, which are read, and encoded, once for many blocks."""

    mirrored = slow = True
    kind: ClassVar[str]  # "sequences", "trees", "graphs"

    @abc.abstractmethod
    def _item(self, x, place: int):
        """The object at this place as an immutable value, or a ValueError that names the place."""

    @abc.abstractmethod
    def _plain(self, base: Base, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The block by NumPy and SciPy alone."""

    def _fast(self, base: Base, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
        """The block by compiled loops; of `columns` that are `rows`, one half is enough."""
        return self._plain(base, rows, columns)

    def _squares(self, base: Base) -> np.ndarray:
        """K(x, x) of all items, by NumPy and SciPy alone."""
        places = (np.array([i]) for i in range(len(base)))
        return np.array([self._plain(base, i, i)[0, 0] for i in places], dtype=np.float64)

    def examples(self, X) -> Objects:
        if isinstance(X, Objects) and X.base.kind == self.kind:
            return X
        columns = getattr(X, "columns", None)
        X = as_objects(X, self)
        if columns is not None or (getattr(X, "ndim", 1) == 2 and X.dtype.kind == "f"):
            raise ValueError(
                f"{type(self).__name__} takes {self.kind}, but X is a table of shape {X.shape}. "
                "Pass one column, as frame['name'], or a list."
            )
        return _rebuild(self.kind, tuple(self._item(x, place) for place, x in enumerate(X)))

    def _closed(self, *parts: Objects) -> Self:
        """This kernel with the parameters that were left open computed from these points."""
        return self

    def plain(self, X, Z):
        X, Z = self.examples(X), self.examples(Z)
        return self._closed(X, Z)._plain(*together(X, Z))

    def _block(self, X, Z):
        X, Z = self.examples(X), self.examples(Z)
        return self._closed(X, Z)._fast(*together(X, Z))

    def diagonal(self, X):
        X = self.examples(X)
        kernel = self._closed(X)
        return X.base.known((kernel, "squares"), kernel._squares)[X.rows]
