"""Trees with labelled, ordered nodes, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, final

_TOKEN = re.compile(r"[()]|(?:\\.|[^\s()])+", re.DOTALL)
_ESCAPED_CHARACTER = re.compile(r"\\(.)", re.DOTALL)
_SPECIAL = re.compile(r"([\s()\\])")


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Tree:
    r"""A tree with labels and ordered children: an immutable value, as a string is.

    Text is read as bracketed parses are written: `(S (NP you) (VP know))`. A word is a leaf; a leaf
    in brackets of its own, `(S(NP(you)))`, is the same. A backslash takes the next character
    as it is, so that a label may hold brackets and blanks: `\(`. No method recurses: trees may
    be deeper than Python's stack.

    Parameters
    ----------
    label : str, not empty
    children : sequence of Tree
        None for a leaf.

    Attributes
    ----------
    label : str
    children : tuple of Tree
    size : int
        The number of nodes.

    Examples
    --------
    >>> tree = Tree.parse("(S (NP you) (VP know))")
    >>> tree.label, tree.size, tree.children[0]
    ('S', 5, Tree.parse('(NP you)'))
    >>> tree == Tree.of(("S", ("NP", "you"), ("VP", "know")))
    True
    """

    label: str
    children: tuple[Tree, ...]
    size: int
    _hash: int

    def __init__(self, label: str, children=()):
        if not isinstance(label, str) or not label:
            came = "an empty one" if label == "" else f"{type(label).__name__} {str(label)[:40]!r}"
            raise ValueError(f"the label of a tree must be text that is not empty, got {came}.")
        try:
            children = tuple(children)
        except TypeError:
            raise ValueError(
                f"the children of a Tree must be a sequence of trees, () for a leaf, got "
                f"{type(children).__name__} {str(children)[:40]!r}."
            ) from None
        for child in children:
            if not isinstance(child, Tree):
                raise ValueError(
                    f"the children of a Tree must be trees, got {type(child).__name__} "
                    f"{str(child)[:40]!r}. Tree.of reads nested tuples."
                )
        keep = object.__setattr__
        keep(self, "label", str(label))
        keep(self, "children", children)
        keep(self, "size", 1 + sum([child.size for child in children]))
        keep(self, "_hash", hash((label, children)))

    @classmethod
    def parse(cls, text: str) -> Tree:
        """The one tree written in this text, or a ValueError that names the position at fault.

        Brackets without a label may stand around a whole tree, as in treebank files.
        """
        if not isinstance(text, str):
            raise ValueError(
                f"Tree.parse reads text, as '(S (NP you))', got {type(text).__name__} "
                f"{str(text)[:40]!r}. Tree.of reads nested tuples."
            )
        trees = list(trees_in(text))
        if len(trees) != 1:
            came = f"another one begins at position {trees[1][0]}" if trees else "there is none"
            raise ValueError(f"the text must hold one tree, as '(S (NP you))', but {came}.")
        return trees[0][1]

    @classmethod
    def of(cls, x: Any) -> Tree:
        """A tree from nested tuples (label, child, …), in which leaves may be plain text; from
        bracketed text; or from a tree, which it is already."""
        if isinstance(x, Tree):
            return x
        if isinstance(x, str):
            return cls.parse(x)
        _require_tuple(x)
        # Each open tuple: itself, the children still to be read, those read so far.
        open_: list[tuple[Any, Iterator, list[Tree]]] = [(x, iter(x[1:]), [])]
        inside = {id(x)}
        while True:
            begun, remaining, children = open_[-1]
            for child in remaining:
                if not isinstance(child, Tree | str):
                    _require_tuple(child)
                    if id(child) in inside:
                        raise ValueError("a tree is finite, but there is a list inside itself.")
                    open_.append((child, iter(child[1:]), []))
                    inside.add(id(child))
                    break
                children.append(child if isinstance(child, Tree) else cls(child))
            else:
                open_.pop()
                inside.remove(id(begun))
                tree = cls(begun[0], children)
                if not open_:
                    return tree
                open_[-1][2].append(tree)

    def nodes(self) -> list[Tree]:
        """Every node, as the tree below it; children before their parents, from left to right."""
        found, stack = [], [self]
        while stack:  # Parents first, from right to left.
            found.append(stack.pop())
            stack += found[-1].children
        return found[::-1]

    def __eq__(self, other):
        if not isinstance(other, Tree):
            return NotImplemented
        stack = [(self, other)]
        while stack:
            a, b = stack.pop()
            if a is b:
                continue
            if a._hash != b._hash or a.label != b.label or len(a.children) != len(b.children):
                return False
            stack.extend(zip(a.children, b.children, strict=True))
        return True

    def __hash__(self):
        return self._hash

    def __str__(self):
        parts: list[str] = []
        stack: list[Tree | str] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, str):
                parts.append(node)
                continue
            label = _SPECIAL.sub(r"\\\1", node.label)
            if not node.children and node is not self:
                parts.append(label)
                continue
            parts.append("(" + label)
            stack.append(")")
            for child in reversed(node.children):
                stack += child, " "
        return "".join(parts)

    def __repr__(self):
        return f"Tree.parse({str(self)!r})"

    def __reduce__(self):
        flat = [(node.label, len(node.children)) for node in self.nodes()]
        return _rebuild, (flat,)


def trees_in(text: str, *, lines: bool = False) -> Iterator[tuple[int, Tree]]:
    """The trees written in a text, each with the position at which it begins."""

    def at(position: int) -> str:
        if not lines:
            return f"position {position}"
        before = text.rfind("\n", 0, position)
        return f"line {text.count(chr(10), 0, position) + 1}, column {position - before}"

    # Each open bracket: its position, its label if it came yet, the children so far.
    stack: list[tuple[int, str | None, list[Tree]]] = []
    leaves: dict[str, Tree] = {}  # Words come often, and a tree may stand in many.
    for match in _TOKEN.finditer(text):
        token, position = match.group(), match.start()
        if token == "(":
            stack.append((position, None, []))
        elif not stack:
            came = "a ')' that closes nothing" if token == ")" else f"{token[:40]!r}"
            raise ValueError(f"a tree must begin with '(', but at {at(position)} is {came}.")
        elif token != ")":
            word = _ESCAPED_CHARACTER.sub(r"\1", token) if "\\" in token else token
            start, label, children = stack[-1]
            if label is None and not children:
                stack[-1] = start, word, children
            else:
                children.append(leaves.get(word) or leaves.setdefault(word, Tree(word)))
        else:
            start, label, children = stack.pop()
            if label is not None:
                tree = Tree(label, children)
            elif not stack and len(children) == 1:  # Brackets may stand around a whole tree.
                tree = children[0]
            else:
                raise ValueError(f"a label is expected after the '(' at {at(start)}.")
            if stack:
                stack[-1][2].append(tree)
            else:
                yield start, tree
    if stack:
        raise ValueError(
            f"{len(stack)} more ')' expected at the end: the first '(' that is never closed is at "
            f"{at(stack[0][0])}, the last at {at(stack[-1][0])}."
        )


def _require_tuple(x: Any) -> None:
    if type(x) not in (tuple, list) or not x:
        came = f"an empty {type(x).__name__}" if type(x) in (tuple, list) else type(x).__name__
        raise ValueError(
            "a tree must be a Tree, bracketed text as '(S (NP you))', or nested tuples as "
            f"('S', ('NP', 'you')), but there is {came}. str() gives the bracketed text of trees "
            "of other libraries."
        )


def _rebuild(flat: list[tuple[str, int]]) -> Tree:
    done: list[Tree] = []
    for label, count in flat:
        first = len(done) - count
        done[first:] = [Tree(label, done[first:])]
    return done[0]
