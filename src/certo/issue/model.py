"""What claims are to be about, from a fitted model."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from certo.certificates.base import Certificate
from certo.certificates.model import Model, parts_of, plain, rule_names

OF_SUPPORTS = "support_", "dual_coef_"


def model_of(claims: Iterable[Certificate], fitted: Any, names: Iterable[str] = ()) -> Model:
    """Those of a fitted model's numbers that claims speak of, and these that they should. Claims
    speak of the supports of one output, so that these are a list for each."""
    names = set(names).union(
        name for claim in claims for part in parts_of(claim)
        for name in (*part.described(), *rule_names(part))
    )  # fmt: skip
    classes, kernel = getattr(fitted, "classes_", None), getattr(fitted, "kernel_", None)

    def number(name: str) -> Any:
        if name in OF_SUPPORTS and hasattr(fitted, "supports_of_output"):
            which, outputs = OF_SUPPORTS.index(name), range(len(fitted.intercept_))
            return [fitted.supports_of_output(k)[which] for k in outputs]
        return getattr(fitted, name)

    return Model(
        None if classes is None else [plain(label) for label in classes],
        {name: plain(number(name)) for name in sorted(names) if hasattr(fitted, name)},
        None if kernel is None else kernel.to_dict(),
        getattr(fitted, "_votes", None),
    )
