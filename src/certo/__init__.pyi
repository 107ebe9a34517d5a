from certo.certificates.separation.inseparable import Inseparable as Inseparable
from certo.certificates.separation.separable import Separable as Separable
from certo.estimators import (
    SVM as SVM,
)
from certo.estimators import (
    GaussianDensity as GaussianDensity,
)
from certo.estimators import (
    HardMarginSVM as HardMarginSVM,
)
from certo.estimators import (
    KernelPerceptron as KernelPerceptron,
)
from certo.estimators import (
    LeastSquares as LeastSquares,
)
from certo.estimators import (
    LogisticRegression as LogisticRegression,
)
from certo.estimators import (
    LogLinearDensity as LogLinearDensity,
)
from certo.estimators import (
    MinDisagreement as MinDisagreement,
)
from certo.estimators import (
    NoDensity as NoDensity,
)
from certo.estimators import (
    NotSeparable as NotSeparable,
)
from certo.estimators import (
    OnlineGradientDescent as OnlineGradientDescent,
)
from certo.estimators import (
    Pegasos as Pegasos,
)
from certo.estimators import (
    Perceptron as Perceptron,
)
from certo.estimators import (
    Separated as Separated,
)
from certo.estimators import (
    SeparationWarning as SeparationWarning,
)
from certo.estimators.verdict import (
    quasi_separability as quasi_separability,
)
from certo.estimators.verdict import (
    separability as separability,
)
from certo.geometry import Neuron as Neuron
from certo.guarantees import certify as certify
from certo.losses.empirical import risk as risk
from certo.selection import validation_curve as validation_curve

__version__: str
