"""`python -m certo` is the command `certo`."""

from certo.cli import main

if __name__ == "__main__":  # Not in the processes that it starts.
    main()
