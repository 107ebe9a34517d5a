"""Tables and graphs in files: reading, encoding, fingerprints."""

from certo.lazy import names_of

__all__ = ["read_tu"]

# Graphs need the kernels, which tables do without.
__getattr__, __dir__ = names_of(__name__, {"read_tu": "tu_files"})
