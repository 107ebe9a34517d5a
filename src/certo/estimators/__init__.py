"""Thin scikit-learn faces: validate, pose, solve, certify, store."""

from certo.estimators.perceptron import Perceptron

__all__ = ["Perceptron"]
