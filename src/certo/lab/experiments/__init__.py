"""The experiments, in the order of the notes."""

from certo.lab.experiment import Experiment
from certo.lab.experiments.bounds import BoundsExperiment
from certo.lab.experiments.conics import ConicsExperiment
from certo.lab.experiments.descent import DescentExperiment
from certo.lab.experiments.fewest_errors import FewestErrorsExperiment
from certo.lab.experiments.kernels import KernelExperiment
from certo.lab.experiments.logistic import LogisticExperiment
from certo.lab.experiments.margin import MarginExperiment
from certo.lab.experiments.perceptron import PerceptronExperiment
from certo.lab.experiments.regression import LeastSquaresExperiment
from certo.lab.experiments.separability import SeparabilityExperiment

EXPERIMENTS: dict[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        PerceptronExperiment(),
        SeparabilityExperiment(),
        MarginExperiment(),
        FewestErrorsExperiment(),
        DescentExperiment(),
        KernelExperiment(),
        ConicsExperiment(),
        LeastSquaresExperiment(),
        LogisticExperiment(),
        BoundsExperiment(),
    )
}
