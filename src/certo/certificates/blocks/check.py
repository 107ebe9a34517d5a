"""Claims checked against blocks of rows: one pass for all of them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cache, reduce
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from certo.certificates.base import Certificate, Verification
from certo.certificates.blocks.sums import BlockSum
from certo.certificates.composite import all_hold
from certo.certificates.sample.examples import SampleMismatch
from certo.containers import count
from certo.numbers.rounded import NotShown

MAX_GATHERED_NUMBERS = 2**24  # Numbers of a table that is put together to be checked: 128 MB.


class Check(NamedTuple):
    """How claims of a kind are checked: the terms of a block (claim, sample, the number of its
    first row among all, the number of the try), what their sum shows, or Refuted, and how many
    tries there are at more and more cost."""

    terms: Callable[[Any, Any, int, int], BlockSum]
    shown: Callable[[Any, BlockSum], str]
    tries: int = 1


#: The kinds of claims that can be checked by blocks, whatever their number: the module here whose
#: functions do it, their names, and how many tries there are.
CHECKED = {
    "ExpectedExcess": ("expected_excess", "terms", "shown", 1),
    "GaussianLikelihood": ("gaussian", "terms", "shown", 1),
    "Inseparable": ("separation", "terms_of_witness", "shown_of_witness", 1),
    "LeastSquaresExcess": ("least_squares", "terms", "shown", 2),
    "LogisticExcess": ("logistic", "terms", "shown", 2),
    "MistakeBound": ("mistake_bound", "terms", "shown", 1),
    "Separable": ("separation", "terms", "shown", 1),
    "SoftMarginGap": ("soft_margin", "terms", "shown", 1),
    "TestErrors": ("errors", "terms", "shown_of_test", 1),
    "TrainingErrors": ("errors", "terms", "shown", 1),
}


@cache
def check_of(kind: str) -> Check:
    """How claims of this kind are checked; only what that needs is imported."""
    module, terms, shown, tries = CHECKED[kind]
    known = importlib.import_module(f"certo.certificates.blocks.{module}")
    return Check(getattr(known, terms), getattr(known, shown), tries)


class Checker:
    """Claims under a check: blocks are added one by one, in the order of their rows, and then the
    outcomes are asked for. For claims of other kinds than CHECKED the blocks are put together, as
    long as they are few, and the check is that of a table in memory."""

    def __init__(self, claims: Iterable[Certificate], attempt: int = 0):
        self.claims, self.attempt = tuple(claims), attempt
        self.totals: list[BlockSum | None] = [None] * len(self.claims)
        self.refused = [""] * len(self.claims)
        self.rows = self.numbers = 0  # Rows added so far, and the numbers of those gathered.
        self.gathered: list[tuple[Any, Any]] = []

    def add(self, X: Any, y: Any, place: str = "") -> None:
        """The rows of a block; `place` says where they are, for people."""
        read: dict[Hashable, Any] = {}
        samples: dict[Hashable, Any] = {}
        self._gather(X, y)
        for k, claim in enumerate(self.claims):
            if self.refused[k] or claim.name not in CHECKED:
                continue
            how = claim._reads
            try:
                if how not in read:
                    read[how] = claim._read(X)
                if (how, claim.labels) not in samples:
                    samples[how, claim.labels] = claim._sample(read[how], y)
                sample, total = samples[how, claim.labels], self.totals[k]
                found = check_of(claim.name).terms(claim, sample, self.rows, self.attempt)
                self.totals[k] = found if total is None else total + found
            except (SampleMismatch, NotShown, ValueError) as wrong:
                self.refused[k] = f"{place}: {wrong}" if place else str(wrong)
        self.rows += count(X)

    def _gather(self, X: Any, y: Any) -> None:
        """Keep a block, if a claim needs its rows; all are let go once they are too many."""
        others = [k for k, c in enumerate(self.claims) if c.name not in CHECKED]
        if all(self.refused[k] for k in others):
            return
        self.numbers += X.nnz if sparse.issparse(X) else np.size(X)
        self.gathered.append((X, y))
        if self.numbers > MAX_GATHERED_NUMBERS:
            self.gathered = []
            for k in others:
                self.refused[k] = (
                    f"a {self.claims[k].name} is checked with all examples in memory, and of "
                    f"blocks with at most {MAX_GATHERED_NUMBERS:,} numbers."
                )

    def outcomes(self) -> list[Verification]:
        parts = zip(self.claims, self.totals, self.refused, strict=True)
        return [
            _outcome(*part) if part[0].name in CHECKED or part[2] else self._in_memory(part[0])
            for part in parts
        ]

    def _in_memory(self, claim: Certificate) -> Verification:
        if not self.gathered:
            return _outcome(claim, None, "")
        X, y = zip(*self.gathered, strict=True)
        together = sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.vstack(X)
        return claim.verify(together, None if y[0] is None else np.concatenate(y))

    def again(self, outcomes: Sequence[Verification]) -> list[int]:
        """The claims that another pass, at more cost, may show."""
        return [
            k
            for k, (claim, part) in enumerate(zip(self.claims, outcomes, strict=True))
            if not part and claim.name in CHECKED and check_of(claim.name).tries > self.attempt + 1
        ]


def verify(claims: Iterable[Certificate], blocks: Iterable[Any]) -> Verification:
    """Check every claim against the blocks, each a tuple that begins with X and y. They are passed
    over once; and once more, if a claim is not shown by a part of the curvature (see `tries`)."""
    checker = _passed(Checker(claims), blocks)
    parts = checker.outcomes()
    if again := checker.again(parts):
        more = _passed(Checker([checker.claims[k] for k in again], 1), blocks)
        for k, part in zip(again, more.outcomes(), strict=True):
            parts[k] = part
    failed = sum(not part for part in parts)
    why = f"{failed} of {len(parts)} claims do not hold." if failed else all_hold(tuple(parts))
    return Verification(bool(parts) and not failed, "Certificate", why, tuple(parts))


def _passed(checker: Checker, blocks: Iterable[Any]) -> Checker:
    for block in blocks:
        checker.add(block[0], block[1], getattr(block, "place", ""))
        if all(checker.refused):
            break
    return checker


def _outcome(claim: Certificate, total: BlockSum | None, why: str) -> Verification:
    if why or total is None:
        return Verification(False, claim.name, why or "there are no rows: nothing is checked.")
    try:
        return Verification(True, claim.name, check_of(claim.name).shown(claim, total))
    except (NotShown, ValueError) as refuted:
        return Verification(False, claim.name, str(refuted))


def shown_of(claim: Certificate, sample: Any) -> str:
    """What is shown of a sample in memory, whose parts are the blocks; or Refuted."""
    known = check_of(claim.name)
    parts = [(a, type(sample)(sample.X[a:b], sample.signs[a:b])) for a, b in sample.blocks()]
    found = (known.terms(claim, part, start, 0) for start, part in parts)
    return known.shown(claim, reduce(add, found))
