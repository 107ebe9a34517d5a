"""All that can be proved about a fitted model, ours or scikit-learn's: `certo.certify`."""

from certo.lazy import names_of

__getattr__, __dir__ = names_of(__name__, {"certify": "certifying"})
