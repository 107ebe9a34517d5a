"""What an error must carry whose sentence `certo.words` writes."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from certo.facts import InputError


def require_said(wrong: Callable[[], Any], says: Callable[..., str], **facts: Any) -> None:
    """Raise AssertionError unless `wrong` raises this sentence with these facts, pickled too."""
    with pytest.raises(InputError) as caught:
        wrong()
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.says, error.facts) == (says, facts)
        assert str(error) == says(**facts)
