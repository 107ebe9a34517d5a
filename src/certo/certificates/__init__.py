"""Claims that anyone can check from the data: NumPy, SciPy and the standard library suffice.

Nothing here knows how an answer was found. A certificate is a frozen value with a claim in words,
what it assumes, a witness and numbers; `verify(X, y)` recomputes the claim.
"""

from certo.certificates.average_to_batch import AverageToBatch
from certo.certificates.base import CannotClaim, Certificate, NotClaimed, Verification
from certo.certificates.certified import Certified, Chosen
from certo.certificates.class_compression import ClassCompressionBound
from certo.certificates.classes import ClassSeparability
from certo.certificates.composite import Composite
from certo.certificates.compression_bound import CompressionBound
from certo.certificates.duality_gap import DualityGap
from certo.certificates.errors import TestErrors, TrainingErrors
from certo.certificates.expected_excess import ExpectedExcess
from certo.certificates.gaussian_likelihood import GaussianLikelihood, NoGaussianDensity
from certo.certificates.gradient_run import GradientRun
from certo.certificates.inseparable import Inseparable
from certo.certificates.joint import JointlyInseparable, JointlySeparable
from certo.certificates.joint_quasi import JointlyOverlapping, JointlyQuasiSeparable
from certo.certificates.kernel_compression import KernelCompressionBound, KernelRun
from certo.certificates.kernel_expected_excess import KernelExpectedExcess
from certo.certificates.kernel_gap import KernelGap
from certo.certificates.kernel_margin import KernelMargin
from certo.certificates.kernel_mistake_bound import KernelMistakeBound
from certo.certificates.kernel_sample import KernelSample
from certo.certificates.least_errors import ErrorCount, LeastErrorsByCells, LeastErrorsByTree
from certo.certificates.least_squares_evidence import ShiftedGram
from certo.certificates.least_squares_excess import LeastSquaresExcess
from certo.certificates.logistic_excess import LogisticExcess
from certo.certificates.margins import Margins
from certo.certificates.maximum_margin import MaximumMargin
from certo.certificates.mistake_bound import MistakeBound
from certo.certificates.moment_matching import MomentMatching, NoLogLinearDensity
from certo.certificates.no_estimate import NoEstimate
from certo.certificates.online_to_batch import OnlineToBatch
from certo.certificates.perceptron_run import PerceptronRun
from certo.certificates.predictor import (
    KernelPredictor,
    LinearPredictor,
    Predictor,
    StatedPredictions,
)
from certo.certificates.quasi_separable import Overlapping, QuasiSeparable
from certo.certificates.regret import Regret
from certo.certificates.risk_bound import RiskBound
from certo.certificates.sample import Labels, Sample
from certo.certificates.separable import Separable
from certo.certificates.separating import Separating
from certo.certificates.support_bound import SupportBound
from certo.certificates.update_sums import UpdateSums
from certo.certificates.values import Unlabelled, Values

__all__ = [
    "AverageToBatch",
    "CannotClaim",
    "Certificate",
    "Certified",
    "Chosen",
    "ClassCompressionBound",
    "ClassSeparability",
    "Composite",
    "CompressionBound",
    "DualityGap",
    "ErrorCount",
    "ExpectedExcess",
    "GaussianLikelihood",
    "GradientRun",
    "Inseparable",
    "JointlyInseparable",
    "JointlyOverlapping",
    "JointlyQuasiSeparable",
    "JointlySeparable",
    "KernelCompressionBound",
    "KernelExpectedExcess",
    "KernelGap",
    "KernelMargin",
    "KernelMistakeBound",
    "KernelPredictor",
    "KernelRun",
    "KernelSample",
    "Labels",
    "LeastErrorsByCells",
    "LeastErrorsByTree",
    "LeastSquaresExcess",
    "LinearPredictor",
    "LogisticExcess",
    "Margins",
    "MaximumMargin",
    "MistakeBound",
    "MomentMatching",
    "NoEstimate",
    "NoGaussianDensity",
    "NoLogLinearDensity",
    "NotClaimed",
    "OnlineToBatch",
    "Overlapping",
    "PerceptronRun",
    "Predictor",
    "QuasiSeparable",
    "Regret",
    "RiskBound",
    "Sample",
    "Separable",
    "Separating",
    "ShiftedGram",
    "StatedPredictions",
    "SupportBound",
    "TestErrors",
    "TrainingErrors",
    "Unlabelled",
    "UpdateSums",
    "Values",
    "Verification",
]
