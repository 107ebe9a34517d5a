"""Values of several kinds, each written with the name of its kind: spaces, rules and schemes."""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

from certo.certificates import encoding


class Named:
    """A value that is one of several kinds: it is written with the name of its kind, and `modules`
    has the module of each, which is imported when it is named."""

    name_key: ClassVar[str] = "name"
    modules: ClassVar[dict[str, str]]

    def to_dict(self) -> dict[str, Any]:
        return {self.name_key: type(self).__name__, **encoding.to_plain(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Any:
        """The value written by `to_dict`, or a ValueError saying what is wrong with it."""
        name = encoding.name_in(data, cls.name_key)
        if name not in cls.modules:
            raise ValueError(f"{cls.name_key!r} must be one of {sorted(cls.modules)}.")
        kind = getattr(importlib.import_module(cls.modules[name]), name)
        return encoding.from_plain(kind, data, cls.name_key)
