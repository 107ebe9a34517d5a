"""Shared settings: hypothesis without deadlines, since the first call of a loop compiles it, and
with the same examples in every run where CI is set; elsewhere it searches anew each time. And
Ctrl-C is heard, which a shell switches off for what it runs in the background."""

import os
import signal
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

for folder in ("solvers", "certificates"):  # boxes: the notes' algorithms; kernel_truth
    sys.path.insert(0, str(Path(__file__).parent / folder))

signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "certo",
    max_examples=60,
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("certo")
