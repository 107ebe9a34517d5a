"""What all claims about separation share: they are about two classes, or about several at once."""

from __future__ import annotations

from collections.abc import Hashable

from certo.certificates.base import Certificate
from certo.certificates.sample.examples import Sample
from certo.certificates.sample.labels import Labels, class_sample


def slots_of(labels: Labels) -> int:
    """How many indices the vectors and margins of one example have (see `spaces.family`)."""
    return len(labels.classes) if labels.positive is None else 1


def named(labels: Labels, index: int) -> str:
    """The vector or margin of an index, for a message."""
    t, k = divmod(index, slots_of(labels))
    if labels.positive is not None:
        return f"example {t}"
    return f"the comparison of example {t} with class {labels.classes[k]!r}"


class Separation(Certificate):
    """A claim about two classes; or, where the labels name no positive one, about all at once."""

    @property
    def _reads(self) -> Hashable:  # type: ignore[override]
        return "places of classes" if self.labels.positive is None else None

    def _sample(self, X, y) -> Sample:
        if self.labels.positive is None:
            return class_sample(X, y, self.labels.classes)
        return Sample.of(X, y, self.labels)
