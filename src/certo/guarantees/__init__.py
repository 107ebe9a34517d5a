"""All that can be proved about a fitted model, ours or scikit-learn's: `certo.certify`."""

from certo.guarantees.certifying import certify

__all__ = ["certify"]
