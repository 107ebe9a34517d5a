"""Several claims as one: those about one output, or about every output of a layer."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

from certo.certificates import encoding
from certo.certificates.base import Certificate, Verification, by_blocks, words
from certo.certificates.sample.equal_rows import one_look
from certo.certificates.sample.examples import SampleMismatch


@dataclass(frozen=True)
class NotClaimed:
    """A claim that one might expect, and why it is not made."""

    name: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "reason": self.reason}


@final
@dataclass(frozen=True, repr=False)
class Composite:
    """All that a fit proves: holds when every claim in it holds, and there is one."""

    claims: tuple[Certificate, ...]
    not_claimed: tuple[NotClaimed, ...] = ()

    def __post_init__(self) -> None:
        for item in self.claims:
            if not isinstance(item, Certificate):
                raise ValueError(
                    f"a Composite holds single certificates, got a {type(item).__name__}. Pass the "
                    "claims of several together: Composite(one.claims + other.claims)."
                )

    @property
    def claim(self) -> str:
        return " ".join(claim.claim for claim in self.claims) or "Nothing is claimed."

    @property
    def assumes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(text for claim in self.claims for text in claim.assumes))

    def __iter__(self):
        return iter(self.claims)

    def __len__(self) -> int:
        return len(self.claims)

    def __getitem__(self, place: int) -> Certificate:
        return self.claims[place]

    def of_kind(self, kind: type | str) -> tuple[Any, ...]:
        """The claims of one kind: `certificate.of_kind(Separable)`, or by name."""
        name = kind if isinstance(kind, str) else kind.__name__
        return tuple(claim for claim in self.claims if claim.name == name)

    def verify(self, X, y=None) -> Verification:
        """Check every claim against the data; y may be left out where all are about X alone."""
        if hasattr(X, "in_blocks"):
            return by_blocks().verify(self.claims, X)
        parts = self._parts(X, y)
        failed = sum(not part for part in parts)
        why = all_hold(parts)
        if failed:
            why = (
                f"{failed} of {len(parts)} claims do not hold. (Claims are about exact numbers: "
                "are X and y those of the fit, to the last digit?)"
            )
        return Verification(bool(parts) and not failed, "Certificate", why, parts)

    @one_look()
    def _parts(self, X, y) -> tuple[Verification, ...]:
        """X is looked at once for each way to read it, and y for each meaning of its labels."""
        read: dict[Hashable, Any] = {}
        samples: dict[tuple[Hashable, Any], Any] = {}
        parts = []
        for claim in self.claims:
            how = claim._reads
            try:
                if how not in read:
                    read[how] = claim._read(X)
                if (how, claim.labels) not in samples:
                    # The sample of a pair is a copy of rows, of which one is kept at a time.
                    samples = samples if getattr(claim.labels, "against", None) is None else {}
                    samples[how, claim.labels] = claim._sample(read[how], y)
                parts.append(claim._verify(samples[how, claim.labels]))
            except SampleMismatch as mismatch:
                parts.append(Verification(False, claim.name, str(mismatch)))
        return tuple(parts)

    def without(self, kind: type[Certificate], reason: str) -> Composite:
        """The same without the claims of one kind, which are withdrawn for this reason."""
        kept = tuple(claim for claim in self.claims if not isinstance(claim, kind))
        withdrawn = (NotClaimed(kind.__name__, reason),) if len(kept) < len(self.claims) else ()
        return Composite(kept, self.not_claimed + withdrawn)

    def to_dict(self) -> dict[str, Any]:
        return {"type": "Composite", **encoding.to_plain(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Composite:
        return from_named(cls, data)

    def __repr__(self) -> str:
        return words().composite_text(self)

    def _repr_html_(self) -> str:
        return words().composite_html(self)


def all_hold(parts: tuple[Verification, ...]) -> str:
    """What is said of claims none of which failed."""
    if not parts:
        return "nothing is claimed, so nothing was proved."
    return "the one claim holds." if len(parts) == 1 else f"all {len(parts)} claims hold."


def from_named(kind: type, data: Any) -> Any:
    """The dataclass `kind`, written with its name as 'type'; ValueError if `data` is not one."""
    if encoding.name_in(data) != kind.__name__:
        raise ValueError(f"'type' must be {kind.__name__}.")
    return encoding.from_plain(kind, data, "type")
