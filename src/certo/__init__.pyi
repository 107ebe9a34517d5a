# ruff: noqa: I001
from certo.certificates.separation.inseparable import Inseparable as Inseparable
from certo.certificates.separation.separable import Separable as Separable
from certo.estimators import (
    SVM as SVM,
    GaussianDensity as GaussianDensity,
    HardMarginSVM as HardMarginSVM,
    KernelPerceptron as KernelPerceptron,
    LeastSquares as LeastSquares,
    LogisticRegression as LogisticRegression,
    LogLinearDensity as LogLinearDensity,
    MinDisagreement as MinDisagreement,
    NoDensity as NoDensity,
    NotSeparable as NotSeparable,
    OnlineGradientDescent as OnlineGradientDescent,
    Pegasos as Pegasos,
    Perceptron as Perceptron,
    Separated as Separated,
    SeparationWarning as SeparationWarning,
)
from certo.estimators.verdict import (
    Undecided as Undecided,
    quasi_separability as quasi_separability,
    separability as separability,
)
from certo.geometry import Neuron as Neuron
from certo.guarantees import certify as certify
from certo.guarantees.empirical_risk import risk as risk
from certo.selection import compare_kernels as compare_kernels
from certo.spot import SpotCheck as SpotCheck, spot_check as spot_check
from certo.tables.model_file import load as load
from certo.tables.model_file import save as save

__version__: str
