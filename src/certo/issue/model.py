"""What claims are to be about, from a fitted model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from certo.certificates.base import Certificate
from certo.certificates.model import Model, parts_of, plain, rule_names


def model_of(claims: Iterable[Certificate], fitted: Any, names: Iterable[str] = ()) -> Model:
    """Those of a fitted model's numbers that claims speak of, and these that they should."""
    names = set(names).union(
        name for claim in claims for part in parts_of(claim)
        for name in (*part.described(), *rule_names(part))
    )  # fmt: skip
    classes, kernel = getattr(fitted, "classes_", None), getattr(fitted, "kernel_", None)
    return Model(
        None if classes is None else [plain(label) for label in classes],
        {name: plain(getattr(fitted, name)) for name in sorted(names) if hasattr(fitted, name)},
        None if kernel is None else kernel.to_dict(),
    )
