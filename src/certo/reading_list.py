"""Which code ran? For someone who wants to read all that a check rests on."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any


def functions_in(work: Callable[[], Any]) -> tuple[Any, dict[str, tuple[list[str], int]]]:
    """What `work` returns; and by file the functions of Certo that ran, and how many lines they
    have together."""
    codes: dict[int, Any] = {}

    def note(frame: Any, event: str, _: Any) -> None:
        if event == "call":
            codes[id(frame.f_code)] = frame.f_code

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        result = work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    home = Path(__file__).parent
    ran: dict[str, tuple[set[str], set[int]]] = {}
    for code in codes.values():
        is_function = code.co_flags & inspect.CO_OPTIMIZED
        if is_function and home in Path(code.co_filename).parents:
            lines, first = inspect.getsourcelines(code)
            names, numbers = ran.setdefault(code.co_filename, (set(), set()))
            names.add(code.co_qualname.split(".<locals>")[0])
            numbers.update(range(first, first + len(lines)))
    return result, {
        Path(file).relative_to(home).as_posix(): (sorted(names), len(numbers))
        for file, (names, numbers) in sorted(ran.items())
    }
