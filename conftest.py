"""What pytest must not import: the device code, where PyTorch (an extra) is not installed."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") else ["src/certo/scale/device_*.py"]
