"""Shared settings: hypothesis without deadlines, since the first call of a loop compiles it."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "solvers"))  # boxes: the notes' algorithms

settings.register_profile(
    "certo",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("certo")
