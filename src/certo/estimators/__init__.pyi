"""Thin scikit-learn faces: validate, pose, solve, certify, store."""

from certo.estimators._density import NoDensity
from certo.estimators.gaussian_density import GaussianDensity
from certo.estimators.hard_margin import HardMarginSVM, NotSeparable
from certo.estimators.kernel_perceptron import KernelPerceptron
from certo.estimators.least_squares import LeastSquares
from certo.estimators.log_linear_density import LogLinearDensity
from certo.estimators.logistic_regression import (
    LogisticRegression,
    Separated,
    SeparationWarning,
)
from certo.estimators.min_disagreement import MinDisagreement
from certo.estimators.online_gradient_descent import OnlineGradientDescent
from certo.estimators.pegasos import Pegasos
from certo.estimators.perceptron import Perceptron
from certo.estimators.svm import SVM

__all__ = [
    "SVM",
    "GaussianDensity",
    "HardMarginSVM",
    "KernelPerceptron",
    "LeastSquares",
    "LogLinearDensity",
    "LogisticRegression",
    "MinDisagreement",
    "NoDensity",
    "NotSeparable",
    "OnlineGradientDescent",
    "Pegasos",
    "Perceptron",
    "Separated",
    "SeparationWarning",
]
