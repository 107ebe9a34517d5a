"""Makes `real_numbers`, the kernels in sixty digits, importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
