"""What a certificate is: a claim, what it assumes, a witness, numbers, and a way to check it."""

from __future__ import annotations

import abc
import importlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, ClassVar

from certo import certificates
from certo.certificates import encoding
from certo.certificates.fields import Value
from certo.certificates.sample.examples import Sample, SampleMismatch, exact_matrix
from certo.certificates.sample.labels import Labels
from certo.numbers.rounded import NotShown

#: What most claims about hyperplanes describe.
WEIGHTS = {"coef": "coef_", "intercept": "intercept_"}


class CannotClaim(Exception):
    """A claim was asked for that cannot be made; the message says why."""


@dataclass(frozen=True)
class Verification:
    """The outcome of a check: truthy exactly when the claim holds of the data."""

    holds: bool
    name: str
    why: str
    parts: tuple[Verification, ...] = ()
    rows: tuple[int, ...] = ()  # The examples that `why` names, counting from 0.

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        lines = [f"{self.name} {'holds' if self.holds else 'DOES NOT HOLD'}: {self.why}"]
        lines += ["  " + line for part in self.parts for line in str(part).splitlines()]
        return "\n".join(lines)

    __repr__ = __str__

    def to_dict(self) -> dict[str, Any]:
        rest = {"rows": list(self.rows), "parts": [part.to_dict() for part in self.parts]}
        given = {name: values for name, values in rest.items() if values}
        return {"name": self.name, "holds": self.holds, "why": self.why, **given}


class Refuted(NotShown):
    """Raised inside a check when the claim does not hold; the message becomes the reason."""


def require(condition: Any, reason: str, *rows: int) -> None:
    """Refuted for this reason, unless the condition holds; `rows` are examples that it names."""
    if not condition:
        raise Refuted(reason, *rows)


def check_count(claimed: int, found: int, what: str = "examples") -> None:
    """The claim is about as many of these as there are."""
    require(found == claimed, f"the claim is about {claimed:,} {what}, but X has {found:,}.")


def check_shape(sample: Sample, m: int, d: int) -> None:
    """The claim is about this many examples and features."""
    check_count(m, sample.m)
    check_count(d, sample.d, "features")


@dataclass(frozen=True, repr=False, eq=False)
class Certificate(Value, abc.ABC):
    """A claim that anyone can check from the data.

    A certificate may be weak; it may not be false. `verify` recomputes the claim from X, y and
    the witness stored here, trusting no number that is stored: every one is checked.
    """

    labels: Labels

    #: Whether it may be about the examples of two of several classes alone.
    _of_pairs: ClassVar[bool] = False

    #: Fitted attributes of an estimator that this certificate speaks of, by its own field names.
    describes: ClassVar[dict[str, str]] = {}
    #: The names of the numbers of the claim.
    shows: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if getattr(self.labels, "against", None) is not None and not self._of_pairs:
            raise ValueError("this claim cannot be about the examples of two classes alone.")

    @property
    def claim(self) -> str:
        """The claim, in one or two plain sentences."""
        return words().sentence(self)

    @property
    def plain(self) -> str:
        """What the claim means, for someone who knows nothing of the subject."""
        return words().plainly(self)

    @property
    def assumes(self) -> tuple[str, ...]:
        """What must be true of the world, beyond the data, for the claim to be true."""
        return words().assumptions(self)

    @property
    def rigour(self) -> Any:
        """How firmly each part of the claim stands: a `certo.words.Rigour`."""
        return words().rigour(type(self))

    @property
    def informative(self) -> bool:
        """Whether it says more than what is plain without it. That is a rule for what is shown
        first, and no claim."""
        return True

    def described(self) -> dict[str, Any]:
        """The fitted attributes of an estimator that this certificate speaks of, and their values
        here."""
        return {name: getattr(self, field) for field, name in self.describes.items()}

    @property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the claim, by name."""
        return {name: getattr(self, name) for name in self.shows}

    @abc.abstractmethod
    def _check(self, sample: Any) -> str:
        """Why the claim holds of the sample, or raise `Refuted` with why not."""

    #: Claims that read X in the same way, apart from their labels, have the same here.
    _reads: ClassVar[Hashable] = None

    def _read(self, X) -> Any:
        """X as the check takes it, or SampleMismatch."""
        return exact_matrix(X)

    def _sample(self, X, y) -> Any:
        """What the check is about: X as `_read` gives it, with what y is to each example."""
        return Sample.of(X, y, self.labels)

    def verify(self, X, y=None) -> Verification:
        """Recompute the claim from the data, y being in the user's own labels; none is needed where
        the claim is about X alone, or X is `certo.scale.Blocks`, which have their own."""
        if hasattr(X, "in_blocks"):
            return by_blocks().verify((self,), X).parts[0]
        try:
            return self._verify(self._sample(self._read(X), y))
        except SampleMismatch as mismatch:
            return Verification(False, self.name, str(mismatch))

    def _verify(self, sample: Any) -> Verification:
        try:
            return Verification(True, self.name, self._check(sample))
        except (NotShown, ValueError) as refuted:  # A kernel may refuse these examples.
            return Verification(False, self.name, str(refuted), (), getattr(refuted, "rows", ()))

    @property
    def name(self) -> str:
        return type(self).__name__

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, bit-exact: `from_dict(json.loads(json.dumps(c.to_dict())))` is c."""
        return {"type": self.name, **encoding.to_plain(self)}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """The certificate written by `to_dict`, or a ValueError saying what is wrong with it."""
        name = encoding.name_in(data)
        if name == "Composite" and cls is Certificate:
            return getattr(certificates, name).from_dict(data)
        kind = getattr(certificates, name) if name in certificates.KINDS else object
        if not issubclass(kind, cls):
            kinds = sorted(certificates.KINDS)
            expected = [kind for kind in kinds if issubclass(getattr(certificates, kind), cls)]
            raise ValueError(
                f"a certificate's 'type' must be {' or '.join(expected)}, but there is "
                f"{repr(name[:40]) if name else 'none'}."
            )
        return encoding.from_plain(kind, data, "type")

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.name, self.claim))

    def __repr__(self) -> str:
        return f"{self.name}: {self.claim}"

    def _repr_html_(self) -> str:
        return words().claim_html(self)


def by_blocks() -> Any:
    """The checks by blocks are imported when blocks are to be checked."""
    return importlib.import_module("certo.certificates.blocks")


def words() -> Any:
    """English is imported when it is asked for: no check needs it."""
    return importlib.import_module("certo.words")
