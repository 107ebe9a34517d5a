from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import ClassVar, final
from weakref import WeakValueDictionary

import numpy as np
from scipy import sparse

from certo.kernels.base import compiled, whole
from certo.kernels.counting import CountingKernel, Counts
from certo.kernels.graph import GraphKernel, Vertices, vertices

MAX_NAME_LETTERS = 80


@final
@dataclass(frozen=True)
class WeisfeilerLehman(GraphKernel, CountingKernel):
    """The Weisfeiler–Lehman kernel: vertices that see the same within some steps, counted.

    Definition    K(G, H) = Σ_{t = 0…iterations} #{(u, v) : u in G, v in H, p_t(u) = p_t(v)}
    Patterns      p₀(v): the label of v; p_{t+1}(v): p_t(v), and all p_t(u) of its neighbours u
    Domain        graphs with labelled vertices: pairs (edges, labels), networkx graphs, `Graph`
    Map           how often each pattern is found in the graph
    Reference     Shervashidze, Schweitzer, van Leeuwen, Mehlhorn, Borgwardt, "Weisfeiler-Lehman
                  graph kernels", JMLR 2011

    Parameters
    ----------
    iterations : int, at least 0
        How many steps a pattern reaches; 0 compares labels alone.

    Examples
    --------
    >>> path = [("a", "b"), ("b", "c")], {"a": "C", "b": "O", "c": "C"}
    >>> edge = [("a", "b")], {"a": "C", "b": "O"}
    >>> WeisfeilerLehman(iterations=0)([path], [path, edge])  # 2·2 + 1·1 and 2·1 + 1·1
    array([[5., 3.]])
    >>> WeisfeilerLehman(iterations=1)([path], [path, edge])  # C beside one O: 2·2 and 2·1 more
    array([[10.,  5.]])
    """

    iterations: int = 5

    def __post_init__(self):
        object.__setattr__(self, "iterations", whole(self.iterations, "iterations", 0, 1000))

    def _count(self, base):
        return self._counts(vertices(base), _number_lists)

    def _count_fast(self, base):
        return self._counts(vertices(base), compiled("graphs").number_lists)

    def _counts(self, all_: Vertices, number_lists: Callable[..., np.ndarray]) -> Counts:
        indptr, neighbours = all_.adjacency.indptr, all_.adjacency.indices
        owner = np.repeat(np.arange(all_.labels.size), np.diff(indptr))
        colours = [all_.labels]
        for _ in range(self.iterations):
            last = colours[-1]
            many = int(np.max(last, initial=0)) + 1
            around = np.sort(owner * many + last[neighbours]) - owner * many  # At each vertex.
            colours.append(number_lists(last, indptr, around))
        keys = Patterns(all_, colours)
        columns = np.concatenate([c + start for c, start in zip(colours, keys.start, strict=False)])
        rows = np.tile(all_.graph, len(colours))
        shape = (all_.first.size - 1, len(keys))
        return Counts(sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=shape), keys)


def _number_lists(colour: np.ndarray, indptr: np.ndarray, around: np.ndarray) -> np.ndarray:
    """Numbers of the different pairs (colour[v], around[indptr[v] : indptr[v + 1]]).

    Lists are told apart one place after the other: the number so far and the colour at the next
    place give a new number. So this is exact, without a hash.
    """
    many, degree = int(np.max(colour, initial=0)) + 1, np.diff(indptr).astype(np.int64)
    number, rest = colour.copy(), np.arange(colour.size)
    for place in range(int(np.max(degree, initial=0))):
        rest = rest[degree[rest] > place]
        number[rest] = _ranks_of(number[rest] * many + around[indptr[rest] + place])
    return _ranks_of(degree * colour.size + number)


def _ranks_of(values: np.ndarray) -> np.ndarray:
    return np.unique(values, return_inverse=True)[1]


@final
class Pattern:
    """What a vertex sees within `depth` steps: its label, and what its neighbours see within one
    step less. Equal patterns are one object, so that comparing them takes no time."""

    __slots__ = ("__weakref__", "_name", "around", "depth", "label")
    _all: ClassVar[WeakValueDictionary] = WeakValueDictionary()
    _lock: ClassVar = threading.Lock()

    label: Hashable
    depth: int
    around: tuple[Pattern, ...]
    _name: str

    def __new__(cls, label: Hashable, depth: int = 0, around: tuple[Pattern, ...] = ()):
        key = label, depth, frozenset(Counter(around).items())
        with cls._lock:
            found = cls._all.get(key)
            if found is None:
                found = super().__new__(cls)
                found.label, found.depth, found.around = label, depth, around
                cls._all[key] = found
        return found

    def __reduce__(self):
        return Pattern, (self.label, self.depth, self.around)

    def __repr__(self) -> str:
        """As C(C,O(H)): short, and different for different patterns."""
        rest = [self]
        while rest:  # Those around come first, without recursion.
            new = {pattern for pattern in rest[-1].around if not hasattr(pattern, "_name")}
            rest += new
            if not new:
                pattern = rest.pop()
                pattern._name = pattern._named()
        return self._name

    def _named(self) -> str:
        around = f"({','.join(sorted(pattern._name for pattern in self.around))})"
        name = f"{_label_text(self.label)}{around * (1 if self.around else self.depth)}"
        if len(name) > MAX_NAME_LETTERS:
            digest = blake2b(name.encode(), digest_size=8).hexdigest()
            name = f"{name[: MAX_NAME_LETTERS - 18]}…#{digest}"
        return name


def _label_text(label: Hashable) -> str:
    """A word as it is, any other label as Python writes it: 1 and '1' are not the same."""
    label = label.item() if isinstance(label, np.generic) else label
    if isinstance(label, str) and label.isidentifier():
        return label
    written = repr(label)
    return f"<{written}>" if written.isidentifier() else written  # True is not a word.


class Patterns(Sequence):
    """The patterns of all colours, made when one is asked for."""

    def __init__(self, all_: Vertices, colours: list[np.ndarray]):
        self._vertices, self._colours = all_, colours
        found = [int(np.max(colour, initial=-1)) + 1 for colour in colours]
        # The first place of the patterns of each iteration.
        self.start = np.concatenate([[0], np.cumsum(found)])

    def __len__(self) -> int:
        return int(self.start[-1])

    def __getitem__(self, place):
        return self._made[place]

    @cached_property
    def _made(self) -> list[Pattern]:
        A, known = self._vertices.adjacency, self._vertices.known
        last = [Pattern(label) for label in known]
        made = [*last]
        for depth, (before, colour) in enumerate(pairwise(self._colours), 1):
            some = np.unique(colour, return_index=True)[1].tolist()  # A vertex of each colour.
            seen = [before[A.indices[A.indptr[v] : A.indptr[v + 1]]].tolist() for v in some]
            labels = [known[label] for label in self._vertices.labels[some].tolist()]
            last = [
                Pattern(label, depth, tuple([last[c] for c in around]))
                for label, around in zip(labels, seen, strict=True)
            ]
            made += last
        return made
