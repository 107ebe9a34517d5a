"""Where examples are points and machines are vectors: values with their allowances.

A space is imported when it is named, so that claims about hyperplanes need no kernels.
"""

from __future__ import annotations

from certo.lazy import names_of

#: Every space, and the module that has it.
SPACES = {"Vectors": "vectors", "Images": "images"}

__getattr__, __dir__ = names_of(__name__, SPACES)
