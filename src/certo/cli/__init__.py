"""The command `certo`."""

import json
import sys

INTERRUPTED = 130  # Exit code of an interrupted command.


def main() -> None:
    """Run the command line. Loading it takes a second, and Ctrl-C may come by then, too."""
    try:
        from certo.cli.startup import start_quickly

        start_quickly()
        from certo.cli.app import main as run
    except KeyboardInterrupt:
        message = "interrupted before anything was done."
        if "--json" in sys.argv:
            print(json.dumps({"error": message}))
        print(f"error: {message}", file=sys.stderr)
        sys.exit(INTERRUPTED)
    run()


__all__ = ["main"]
