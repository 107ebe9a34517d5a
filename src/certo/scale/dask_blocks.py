"""Partitions of Dask collections as blocks: functions are sent to where the rows are.

With a `distributed.Client` each partition is worked on by a worker, a few partitions ahead of the
sums, and only what a function returns is sent back. Without one, partitions are computed here, one
after another. Nothing is kept on a worker between two passes unless the collection was persisted:
whatever a worker that fails had done is computed again from the rows by another one.
"""

from __future__ import annotations

import abc
import copy
import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from operator import add
from typing import Any, NamedTuple, TypeVar

import dask
import numpy as np
from dask.delayed import Delayed
from scipy import sparse

from certo.facts import InputError
from certo.scale.arrow_files import ArrowBlocks, Part, require_unchanged
from certo.scale.blocks import Block, Blocks, in_floats, rows_per_block
from certo.words import blocks as sentences

S = TypeVar("S")
T = TypeVar("T")

TASKS_PER_THREAD = 2  # Partitions that are submitted ahead, for each thread of the cluster.


class ClusterLost(ConnectionError):
    """The cluster cannot finish what was asked: its scheduler is gone, or workers kept dying."""


class Piece(NamedTuple):
    """A partition: its first row, how many it has, and a function with what to call it with to have
    their blocks."""

    start: int
    rows: int
    load: tuple[Any, ...]


class RemoteBlocks(Blocks):
    """Blocks that workers load: `_pieces` says how, part by part."""

    @abc.abstractmethod
    def _pieces(self) -> Iterator[Piece]:
        """The partitions, in the order of the rows."""

    def _blocks(self) -> Iterator[Block]:
        for blocks in self._results(_loaded, ()):
            yield from blocks

    def first(self) -> Block:
        task = dask.delayed(_first_loaded, pure=False)(*next(self._pieces()).load)
        client = _client()
        with _said(client):
            return _compute(client, task)

    def _map(self, function: Callable[..., S], args: tuple[Any, ...]) -> Iterator[S]:
        for results in self._results(_mapped, (function, args)):
            yield from results

    def _sums(self, function: Callable[..., S], args: tuple[Any, ...]) -> Iterator[S]:
        """One sum for each part, so that not every block's is sent."""
        return self._results(_summed, (function, args))

    def _relay(
        self, function: Callable[..., tuple[S, T]], states: list[S], ends: list[int],
        args: tuple[Any, ...],
    ) -> Iterator[tuple[int, S, T]]:  # fmt: skip
        """All parts at the same time, each partition by partition: the states come back in between,
        so that no worker is the only one who has them."""
        client, firsts = _client(), [0, *ends[:-1]]
        queues = [
            deque(p for p in self._pieces() if p.start < end and p.start + p.rows > first)
            for first, end in zip(firsts, ends, strict=True)
        ]
        while any(queues):
            tasks = {}
            for k, queue in enumerate(queues):
                if queue:
                    call = dask.delayed(_relayed, pure=False)(
                        *queue.popleft().load, function, states[k], firsts[k], ends[k], args
                    )
                    with _said(client):
                        tasks[k] = call if client is None else client.compute(call)
            for k, task in tasks.items():
                with _said(client):
                    done = _compute(None, task) if client is None else task.result()
                states[k], outputs = done
                for found in outputs:
                    yield k, states[k], found

    def _results(self, work: Callable[..., S], args: tuple[Any, ...]) -> Iterator[S]:
        """`work` of each partition, in their order, a bounded number of them ahead."""
        client = _client()
        tasks = (dask.delayed(work, pure=False)(*piece.load, *args) for piece in self._pieces())
        if client is None:
            for task in tasks:
                yield _compute(None, task)
            return
        ahead: deque[Any] = deque()
        try:
            with _said(client):
                most = TASKS_PER_THREAD * max(1, sum(client.nthreads().values()))
            for task in tasks:
                with _said(client):
                    ahead.append(client.compute(task))
                    done = ahead.popleft().result() if len(ahead) > most else None
                if done is not None:
                    yield done
            while ahead:
                with _said(client):
                    done = ahead.popleft().result()
                yield done
        finally:  # An error, or nobody asks for the rest.
            for future in ahead:
                future.release()


class DaskBlocks(RemoteBlocks):
    """The rows of the partitions of a Dask collection, in their order.

    Parameters
    ----------
    parts : sequence of Delayed
        Each is a pair: X of a partition (array, CSR matrix or data frame), and its y or None.
    rows : sequence of int
        How many rows each partition has.
    width, dtype, columns : as `Blocks` has them
    """

    def __init__(
        self,
        parts: Sequence[Delayed],
        rows: Sequence[int],
        width: int,
        dtype: Any,
        columns: tuple[str, ...] | None = None,
    ):
        super().__init__((sum(rows), width), dtype, columns, place="the Dask collection")
        if not self.shape[0]:
            raise InputError(sentences.no_rows, "the Dask collection")
        self.parts, self.rows, self.step = list(parts), list(rows), rows_per_block(width)

    @property
    def count(self) -> int:
        return sum(math.ceil(rows / self.step) for rows in self.rows)

    def _pieces(self) -> Iterator[Piece]:
        start = 0
        for number, (part, rows) in enumerate(zip(self.parts, self.rows, strict=True)):
            if rows:
                load = _blocks_of, part, start, rows, number, self.shape[1], self.dtype
                yield Piece(start, rows, load)
            start += rows


class FileBlocks(RemoteBlocks):
    """The rows of files that every worker can read, row group by row group."""

    def __init__(self, files: ArrowBlocks):
        super().__init__(files.shape, files.dtype, files.columns, files.place)
        self.files = files
        self.reader = copy.copy(files)  # What workers need: neither all files nor the masks.
        self.reader.dataset, self.reader.parts, self.reader.keep = None, [], None

    @property
    def count(self) -> int:
        return self.files.count

    def _blocks(self) -> Iterator[Block]:
        return self.files._blocks()  # Whoever wants rows here reads them here.

    def _pieces(self) -> Iterator[Piece]:
        for part, kept, start in self.files.kept_parts():
            if rows := part.rows if kept is None else int(np.count_nonzero(kept)):
                require_unchanged(part)
                there = part._replace(stamp=None)  # A worker may have a copy of another time.
                yield Piece(start, rows, (_blocks_of_part, self.reader, there, kept, start))


def from_dask(X: Any, y: Any = None) -> DaskBlocks:
    """Blocks of a dask.array, or of a dask.dataframe.

    `y` is the name of a column of the data frame, or an array, a Dask array or a Dask series with
    one value for each row.
    """
    columns = target = None
    if hasattr(X, "to_dask_array"):  # A data frame.
        if isinstance(y, str):
            if y not in X.columns:
                raise InputError(sentences.unknown_target, y, list(X.columns))
            # One column alone could come in other partitions: Dask reads small parts together.
            target, y = y, None
        used = X if target is None else X.drop(columns=[target])
        _require_number_columns(used)
        columns = tuple(map(str, used.columns))
        dtype = np.result_type(*used.dtypes)
        given, width = X.to_delayed(), len(columns)
        lengths = [math.nan]
    else:
        if X.ndim != 2:
            raise InputError(sentences.other_dimensions, X.ndim)
        width, dtype = X.shape[1], X.dtype
        if math.isnan(width):
            raise ValueError("the number of columns of X must be known: X.compute_chunk_sizes().")
        _require_number(dtype, "X")
        if X.numblocks[1] > 1:
            X = X.rechunk({1: -1})
        given, lengths = X.to_delayed().ravel().tolist(), list(X.chunks[0])
    rows = _lengths(given) if any(map(math.isnan, lengths)) else [int(rows) for rows in lengths]
    targets = [None] * len(given) if y is None else _targets(y, rows)
    parts = [dask.delayed(_pair)(X, y, target) for X, y in zip(given, targets, strict=True)]
    small = np.dtype(dtype) in (np.dtype(np.float16), np.dtype(np.float32))
    return DaskBlocks(parts, rows, int(width), np.float32 if small else np.float64, columns)


def _targets(y: Any, lengths: list[int]) -> list[Any]:
    """y, cut as X is."""
    import dask.array as da

    if not type(y).__module__.startswith("dask."):
        y = da.from_array(np.asarray(y), chunks=-1)
    if hasattr(y, "to_dask_array"):
        delayed = y.to_delayed()
        kind = y.dtype if isinstance(y.dtype, np.dtype) else np.dtype(object)
        arrays = [
            da.from_delayed(dask.delayed(_values)(part), (rows,), dtype=kind)
            for part, rows in zip(delayed, _lengths(delayed), strict=True)
            if rows
        ]
        y = da.concatenate(arrays) if arrays else da.zeros(0)
    if y.ndim != 1 and not (y.ndim == 2 and y.shape[1] == 1):
        raise InputError(sentences.several_targets, y.ndim)
    y = y.reshape(-1) if y.ndim == 2 else y
    if any(map(math.isnan, y.chunks[0])):
        y = y.compute_chunk_sizes()
    if sum(y.chunks[0]) != sum(lengths):
        raise InputError(sentences.other_count, sum(lengths), sum(y.chunks[0]))
    if list(y.chunks[0]) != lengths:
        # A chunk without rows cannot be asked for: Dask would not make it.
        filled = [rows for rows in lengths if rows]
        cut = iter(y.rechunk({0: tuple(filled)}).to_delayed().tolist())
        return [next(cut) if rows else None for rows in lengths]
    return list(y.to_delayed().tolist())


def _lengths(parts: Sequence[Delayed]) -> list[int]:
    client, tasks = _client(), [dask.delayed(len)(part) for part in parts]
    with _said(client):
        if client is None:
            return [int(rows) for rows in dask.compute(*tasks)]
        return [int(rows) for rows in client.gather(client.compute(tasks))]


def _require_number_columns(frame: Any) -> None:
    for name, dtype in zip(frame.columns, frame.dtypes, strict=True):
        _require_number(dtype, f"column {str(name)!r}")


def _require_number(dtype: Any, what: str) -> None:
    numeric = isinstance(dtype, np.dtype) and dtype.kind in "biuf"
    if not (
        numeric or getattr(dtype, "_is_numeric", False) or getattr(dtype, "_is_boolean", False)
    ):
        raise InputError(sentences.no_numbers, what, dtype)


# ---------------------------------------------------------------- what workers run


def _pair(X: Any, y: Any, target: str | None) -> tuple[Any, Any]:
    if target is None:
        return X, y
    return X.drop(columns=[target]), X[target]


def _values(series: Any) -> np.ndarray:
    return np.asarray(series)


def _blocks_of(
    pair: tuple[Any, Any], start: int, rows: int, number: int, width: int, dtype: Any
) -> list[Block]:
    """The blocks of a partition. What its rows turn out to be is compared with what was said."""
    X, y = pair
    place = f"partition {number}"
    if hasattr(X, "to_numpy"):
        for name in X.columns if dtype == np.float64 else ():
            if X[name].dtype.kind in "iu":
                in_floats(X[name].to_numpy(dtype="int64", na_value=0), dtype, f"{place}, {name!r}")
        X = X.to_numpy(dtype=dtype, na_value=np.nan)
    X = X.tocsr() if sparse.issparse(X) else np.asarray(X)
    if X.shape != (rows, width):
        raise InputError(sentences.other_partition, place, X.shape, (rows, width))
    X = in_floats(X, dtype, place)
    y = None if y is None else np.asarray(y).ravel()
    step = rows_per_block(width)
    found = []
    for first in range(0, rows, step):
        some = slice(first, first + step)
        part = X[some] if sparse.issparse(X) else np.ascontiguousarray(X[some])
        found.append(Block(part, None if y is None else y[some], start + first, place))
    return found


def _blocks_of_part(
    reader: ArrowBlocks, part: Part, kept: np.ndarray | None, start: int
) -> Iterator[Block]:
    """One after another, so that a worker need not hold a row group."""
    return reader.blocks_of(part, kept, start)


def _first_loaded(load: Callable[..., Iterable[Block]], *piece: Any) -> Block:
    return next(iter(load(*piece)))


def _loaded(load: Callable[..., Iterable[Block]], *piece: Any) -> list[Block]:
    return list(load(*piece))


def _mapped(load: Callable[..., Iterable[Block]], *given: Any) -> list[Any]:
    *piece, function, args = given
    return [function(block, *args) for block in load(*piece)]


def _summed(load: Callable[..., Iterable[Block]], *given: Any) -> Any:
    *piece, function, args = given
    return reduce(add, (function(block, *args) for block in load(*piece)))


def _relayed(load: Callable[..., Iterable[Block]], *given: Any) -> tuple[Any, list[Any]]:
    *piece, function, state, first, end, args = given
    outputs = []
    for block in load(*piece):
        start, stop = max(first, block.start), min(end, block.start + block.rows)
        if start < stop:
            state, found = function(state, block.between(start, stop), *args)
            outputs.append(found)
    return state, outputs


# ---------------------------------------------------------------- the cluster


def _client() -> Any:
    """The client that Dask itself would use, or None: then everything is computed here."""
    try:
        from distributed import default_client
    except ImportError:
        return None
    try:
        return default_client()
    except ValueError:
        return None


def _compute(client: Any, task: Delayed) -> Any:
    if client is None:
        return task.compute(scheduler="synchronous")
    return client.compute(task).result()


@contextmanager
def _said(client: Any) -> Iterator[None]:
    """What fails in the cluster, rather than in a function, is said in words."""
    if client is None:
        yield
        return
    from concurrent.futures import CancelledError

    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as wrong:
        raise ClusterLost(
            "workers died again and again over the same partition, as they do when it does not fit "
            "their memory. Make partitions smaller, or give workers more memory. Dask says: "
            f"{str(wrong).splitlines()[0]}"
        ) from wrong
    except (CancelledError, CommClosedError, OSError) as wrong:
        if isinstance(wrong, ClusterLost) or (
            isinstance(wrong, OSError) and client.status == "running"
        ):
            raise
        raise ClusterLost(
            "the connection to the Dask scheduler was lost, so that the fit cannot go on. Nothing "
            "was written. Start the scheduler and its workers again, and repeat the fit."
        ) from wrong
