"""Certified: all that is proved about a model, on one page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NamedTuple, final

from certo.certificates import encoding
from certo.certificates.base import Certificate, Verification, words
from certo.certificates.composite import Composite, NotClaimed, all_hold, from_named
from certo.certificates.encoding import counted
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.fields import Value
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.risk_bound import LEAST_DELTA, RiskBound
from certo.certificates.sample.draws import images_of
from certo.certificates.sample.shared_rows import Known, known_examples
from certo.numbers.exact import below

OF_TEST = (TestErrors, TestDistances)  # What may be claimed about test examples.
NO_TEST = "it is about test examples, give X_test and y_test."


class Chosen(NamedTuple):
    """The sharpest of several bounds on the error rate of the same predictions. That it may be
    chosen after looking is paid for: each has the probability delta/among of being wrong."""

    claim: RiskBound
    among: int
    on_test: bool


@final
@dataclass(frozen=True, repr=False, eq=False)
class Certified(Value):
    """All that is proved about a model: about the examples of its fit, and about test examples.

    model : what it is about, as one would write it
    claims : about the examples of the fit; those about new examples are `RiskBound`s
    test : about test examples
    columns : the names of the features, in their order, where they have any
    delta : the probability of being wrong that each claim about new examples has, alone
    tried : how many settings were compared on the examples of the fit, which the claims about new
        examples that come from these pay for
    asked : how many bounds on the rate of errors were tried for; `best` pays for those, too, that
        failed because of what the examples are
    remarks : what else a reader should know, such as test examples that are examples of the fit
    prepare : what a pipeline does to X before the machine sees it. It is not written to JSON: a
        page that was read takes X as the machine does

    `best` is the sharpest claim about new examples, with the choice paid for, unless always
    answering the majority class does as well. A page is iterable, and holds when every claim on it
    does, and there is one: `verify`.
    """

    model: str
    claims: Composite
    test: Composite = field(default_factory=lambda: Composite(()))
    columns: tuple[str, ...] = ()
    delta: float = 0.05
    tried: int = 1
    prepare: Callable[[Any], Any] | None = field(default=None, compare=False)
    remarks: tuple[str, ...] = ()
    asked: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("claims", "test"):
            if type(getattr(self, name)) is not Composite:
                raise ValueError(f"{name} must be a Composite.")
        if not LEAST_DELTA <= self.delta < 1:
            raise ValueError(f"delta must be from {LEAST_DELTA} to below 1, got {self.delta!r}.")
        if self.tried < 1 or self.asked < 0:
            raise ValueError(f"tried ≥ 1 and asked ≥ 0, got {self.tried!r} and {self.asked!r}.")
        for claim in (*self.risks, *self.of_kind(TestDistances)):
            if claim.delta > self.delta:
                raise ValueError(f"{claim.name} must have a delta of at most {self.delta!r}.")
        for claim in self.claims:
            if isinstance(claim, RiskBound) and claim.tried < self.tried:
                raise ValueError(f"{claim.name} must be corrected for {self.tried:,} settings.")
        if any(isinstance(claim, OF_TEST) == of_fit for part, of_fit
               in ((self.claims, True), (self.test, False)) for claim in part):  # fmt: skip
            raise ValueError("about test examples can only be TestErrors and TestDistances.")

    def __iter__(self):
        return iter(self.claims.claims + self.test.claims)

    def __len__(self) -> int:
        return len(self.claims) + len(self.test)

    @property
    def not_claimed(self) -> tuple[NotClaimed, ...]:
        return self.claims.not_claimed + self.test.not_claimed

    @property
    def assumes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.claims.assumes + self.test.assumes))

    def of_kind(self, kind: type | str) -> tuple[Any, ...]:
        """The claims of one kind: `page.of_kind("SupportBound")`."""
        return self.claims.of_kind(kind) + self.test.of_kind(kind)

    @property
    def risks(self) -> tuple[RiskBound, ...]:
        """The claims about new examples."""
        return tuple(claim for claim in self if isinstance(claim, RiskBound))

    @property
    def best(self) -> Chosen | None:
        """The sharpest bound on the error rate of the predictions, if it is below the share of its
        examples that always answering the majority class gets wrong."""
        found = self.sharpest
        return found if found and found.claim.informative else None

    @property
    def sharpest(self) -> Chosen | None:
        """The sharpest bound on the error rate of the predictions, however weak it is.

        A bound that is stated as vacuous stays so, whatever follows from the facts beside it: as it
        is true of every rule and of any rows, its check looks at neither the re-run nor the draws.
        """
        rivals = [
            (claim, part is self.test)
            for part in (self.claims, self.test)
            for claim in part
            if isinstance(claim, RiskBound) and claim.of_predictions
        ]
        among = max(len(rivals), self.asked)
        shared = [
            (claim if claim.vacuous else claim.at(below(Fraction(claim.delta) / among)), on_test)
            for claim, on_test in rivals
        ]
        found = min(shared, key=lambda pair: pair[0].best, default=None)
        return None if found is None else Chosen(found[0], among, found[1])

    def verify(self, X, y=None, X_test=None, y_test=None) -> Verification:
        """Check every claim: those about the fit against X and y, those about test examples against
        X_test and y_test, which are not needed where nothing is claimed about any.

        Data frames must have the columns of the fit, by name and in this order.
        """
        parts = self._checked(self.claims, X, y)
        if len(self.test) and X_test is None:
            parts += self._refused(self.test, NO_TEST)
        elif hasattr(X_test, "in_blocks"):
            parts += self._checked(self.test, X_test, y_test)
        elif len(self.test):
            try:
                known = self.known(X, y, X_test, y_test)
                others = known.of_the_others(X_test), known.of_the_others(y_test)
                parts += tuple(
                    replace(part, why=f"{part.why} {known.remark}".strip())
                    for part in self._checked(self.test, *others)
                )
            except ValueError as wrong:
                parts += self._refused(self.test, str(wrong))
        return Verification(bool(parts) and all(parts), "Certified", _outcome(parts), parts)

    @staticmethod
    def _refused(claims: Composite, why: str) -> tuple[Verification, ...]:
        return tuple(Verification(False, claim.name, why) for claim in claims)

    def known(self, X, y, X_test, y_test) -> Known:
        """Which test examples are counted: all but copies of examples of the fit (see `draws`).
        ValueError, if none is, or if these cannot be the examples."""
        if wrong := self._other_columns(X) or self._other_columns(X_test):
            raise ValueError(wrong)
        known = known_examples(self.test[0].labels, X, y, X_test, y_test, self.prepare)
        if known.why:
            raise ValueError(known.why)
        return known

    def __getitem__(self, place: int) -> Certificate:
        return tuple(self)[place]

    def _checked(self, claims: Composite, X, y) -> tuple[Verification, ...]:
        if wrong := self._other_columns(X):
            return self._refused(claims, wrong)
        if self.prepare is None:
            return claims.verify(X, y).parts
        with images_of(X):
            return claims.verify(self.prepare(X), y).parts

    def _other_columns(self, X) -> str:
        """How the columns of a data frame are not those of the fit; nothing if they are."""
        came = getattr(X, "columns", None)
        if came is None or not self.columns:
            return ""
        names = [str(name) for name in came]
        if names == list(self.columns):
            return ""
        if sorted(names) == sorted(self.columns):
            return f"the columns are in another order than {list(self.columns)[:8]}."
        missing = [name for name in self.columns if name not in names]
        other = [name for name in names if name not in self.columns]
        return f"the columns are not those of the fit: {missing[:8]} missing, {other[:8]} new."

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, bit-exact."""
        return {"type": "Certified", **encoding.to_plain(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Certified:
        """The page written by `to_dict`, or a ValueError saying what is wrong with it."""
        return from_named(cls, data)

    def in_words(self) -> list[str]:
        """What is proved of the error rate on new data, by the sharpest bound, and what the choice
        of it costs."""
        return words().page_sentences(self)

    def __repr__(self) -> str:
        return words().page_text(self)

    def _repr_html_(self) -> str:
        return words().page_html(self)


def _outcome(parts: tuple[Verification, ...]) -> str:
    """What became of all claims, in a sentence, with the first reason why not all hold."""
    failed = [part for part in parts if not part]
    if not failed:
        return all_hold(parts)
    refuted = next((part for part in failed if part.why != NO_TEST), None)
    of = f"{len(failed)} of {counted(len(parts), 'claim')}"
    if refuted is None:
        return f"{of} could not be checked: {NO_TEST}"
    return f"{of} {'does' if len(failed) == 1 else 'do'} not hold: {refuted.name}: {refuted.why}"
