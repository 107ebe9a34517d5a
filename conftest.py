"""What pytest must not import where PyTorch, Triton or Sphinx (extras) is missing."""

from importlib.util import find_spec

NEEDED = {
    "torch": "src/certo/scale/device_*.py",
    "triton": "src/certo/scale/device_loops.py",
    "sphinx": "docs/extensions/*.py",
}
collect_ignore_glob = [files for package, files in NEEDED.items() if not find_spec(package)]
