"""Thin scikit-learn faces: validate, pose, solve, certify, store."""

from certo.estimators.hard_margin import HardMarginSVM, NotSeparable
from certo.estimators.min_disagreement import MinDisagreement
from certo.estimators.perceptron import Perceptron

__all__ = ["HardMarginSVM", "MinDisagreement", "NotSeparable", "Perceptron"]
