"""Claims that anyone can check from the data: NumPy, SciPy and the standard library suffice.

Nothing here knows how an answer was found (`certo.issue`), nor has a sentence for people
(`certo.words`). A certificate is a frozen value with a claim, a witness and numbers; `verify(X, y)`
recomputes the claim. A kind is imported when it is named.

To read a check: `base` (what a certificate is), `sample` (X and y as exact numbers),
`certo.numbers` (sums with allowances, exact rationals), and then the module of the kind in `KINDS`,
whose docstring has the claim, its proof and what is said of rounding. `spaces` has what hyperplanes
and functions of an RKHS differ in.

Which files the check of a kind needs, in reading order and with their lines of code:

    python -m certo.check_files SupportBound

and which of their functions ran when the claims of a folder were checked:

    python -m certo.verify FOLDER --code

    sample       the data, and what can be seen in them of how they were drawn
    spaces       values of machines on the data, with their allowances
    margins      how large a margin can be, and how near an objective is to the best
    runs         what a run of the Perceptron, Pegasos or gradient descent did
    separation   whether classes can be separated, with a proof either way
    regression   least squares and logistic regression
    density      Gaussian and log-linear densities
    errors       what a rule gets wrong, and the fewest errors of any hyperplane
    risk         bounds on the error rate on new data
"""

from __future__ import annotations

from certo.lazy import by_name, by_room, names_of

_KINDS_BY_ROOM = {
    "margins": "MaximumMargin SoftMarginGap",
    "runs": "ExpectedExcess MistakeBound Regret",
    "separation": "Inseparable QuasiSeparable Separable",
    "regression": "LeastSquaresExcess LogisticExcess NoEstimate",
    "density": "GaussianLikelihood MomentMatching",
    "errors": "ErrorCount LeastErrorsByCells LeastErrorsByTree TrainingErrors",
    "risk": "AverageToBatch CompressionBound OnlineToBatch SupportBound",
}
_OTHER_KINDS = {
    "separation.quasi_separable": "Overlapping",
    "density.no_density": "NoGaussianDensity NoLogLinearDensity",
    "errors.held_out_errors": "TestErrors",
    "risk.held_out_distances": "TestDistances",
}
_OTHERS_BY_ROOM = {
    "runs": "GradientRun KernelRun PerceptronRun UpdateSums",
    "errors": "KernelPredictor",
    "risk": "KernelScheme PerceptronScheme RiskBound",
}
_OTHERS = {
    "base": "CannotClaim Certificate Verification",
    "composite": "Composite NotClaimed",
    "certified": "Certified Chosen",
    "sample.examples": "Sample",
    "sample.labels": "Labels",
    "sample.values": "Unlabelled Values",
    "spaces.images": "Images KernelSample",
    "spaces.vectors": "Margins Vectors",
    "separation.classes": "ClassSeparability",
    "errors.predictor": "LinearPredictor Predictor StatedPredictions",
}
#: Every kind of certificate, and the module that has its check.
KINDS = by_room(_KINDS_BY_ROOM) | by_name(_OTHER_KINDS)
#: These, and what else is named by others.
CERTIFICATE_MODULES = KINDS | by_room(_OTHERS_BY_ROOM) | by_name(_OTHERS)
__all__ = sorted(CERTIFICATE_MODULES)

__getattr__, __dir__ = names_of(__name__, CERTIFICATE_MODULES)
