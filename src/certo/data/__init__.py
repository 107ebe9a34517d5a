"""Tables and graphs in, models in and out: what lies in files."""

from certo.data.tu_files import read_tu

__all__ = ["read_tu"]
