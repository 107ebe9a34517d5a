"""Thin scikit-learn faces: validate, pose, solve, certify, store."""

from certo.estimators.hard_margin import HardMarginSVM, NotSeparable
from certo.estimators.kernel_perceptron import KernelPerceptron
from certo.estimators.min_disagreement import MinDisagreement
from certo.estimators.online_gradient_descent import OnlineGradientDescent
from certo.estimators.pegasos import Pegasos
from certo.estimators.perceptron import Perceptron
from certo.estimators.svm import SVM

__all__ = [
    "SVM",
    "HardMarginSVM",
    "KernelPerceptron",
    "MinDisagreement",
    "NotSeparable",
    "OnlineGradientDescent",
    "Pegasos",
    "Perceptron",
]
