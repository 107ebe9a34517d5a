"""Which modules pass mypy's strict checks; `make strict` adds them to the list in pyproject.toml.

The list may only grow: mypy fails where a module on it does not pass any more.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
LIST = re.compile(r"(?<=# strict\nmodule = \[\n)(.*?)(?=^\])", re.DOTALL | re.MULTILINE)


def failing() -> set[Path]:
    """Files in which strict mypy finds errors."""
    # A module is not to answer for what others import through it: that flag is left out.
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--implicit-reexport",
        "--no-error-summary",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit(done.stdout + done.stderr)
    return {ROOT / line.split(":")[0] for line in done.stdout.splitlines() if ": error:" in line}


def patterns(folder: Path, bad: set[Path]) -> list[str]:
    """Names of all good modules of a package, one name for a package that is good as a whole."""
    name = ".".join(folder.relative_to(SOURCE).parts)
    if not any(path.is_relative_to(folder) for path in bad):
        return [f"{name}.*"]
    found = []
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (path / "__init__.py").exists():
            found += patterns(path, bad)
        elif path.suffix == ".py" and path.stem != "__init__" and path not in bad:
            found.append(f"{name}.{path.stem}")
    return found


def main() -> None:
    file = ROOT / "pyproject.toml"
    text = file.read_text("utf-8")
    found = patterns(SOURCE / "certo", failing())
    lines = "".join(f'    "{name}",\n' for name in sorted(found))
    file.write_text(LIST.sub(lambda _: lines, text, count=1), "utf-8")
    print(f"{len(found)} names of modules and packages are checked strictly.")


if __name__ == "__main__":
    main()
