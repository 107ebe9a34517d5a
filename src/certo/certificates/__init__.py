"""Claims that anyone can check from the data: NumPy, SciPy and the standard library suffice.

Nothing here knows how an answer was found (`certo.issue`), nor has a sentence for people
(`certo.words`). A certificate is a frozen value with a claim, a witness and numbers; `verify(X, y)`
recomputes the claim. A kind is imported when it is named.

To read a check: `base` (what a certificate is), `sample` (X and y as exact numbers),
`certo.numbers` (sums with allowances, exact rationals), and then the module of the kind in `KINDS`,
whose docstring has the claim, its proof and what is said of rounding. `spaces` has what hyperplanes
and functions of an RKHS differ in. The files that a kind needs are those that its module imports.

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

from certo.lazy import names_of

#: every kind of certificate, and the module that has its check
KINDS = {
    "MaximumMargin": "margins.maximum_margin",
    "SoftMarginGap": "margins.soft_margin_gap",
    "ExpectedExcess": "runs.expected_excess",
    "MistakeBound": "runs.mistake_bound",
    "Regret": "runs.regret",
    "Inseparable": "separation.inseparable",
    "Overlapping": "separation.quasi_separable",
    "QuasiSeparable": "separation.quasi_separable",
    "Separable": "separation.separable",
    "LeastSquaresExcess": "regression.least_squares_excess",
    "LogisticExcess": "regression.logistic_excess",
    "NoEstimate": "regression.no_estimate",
    "GaussianLikelihood": "density.gaussian_likelihood",
    "NoGaussianDensity": "density.gaussian_likelihood",
    "MomentMatching": "density.moment_matching",
    "NoLogLinearDensity": "density.moment_matching",
    "TestErrors": "errors.held_out_errors",
    "TrainingErrors": "errors.training_errors",
    "ErrorCount": "errors.error_count",
    "LeastErrorsByCells": "errors.least_errors_by_cells",
    "LeastErrorsByTree": "errors.least_errors_by_tree",
    "AverageToBatch": "risk.average_to_batch",
    "CompressionBound": "risk.compression_bound",
    "OnlineToBatch": "risk.online_to_batch",
    "SupportBound": "risk.support_bound",
}
#: what else is named by others
OTHERS = {
    "CannotClaim": "base",
    "Certificate": "base",
    "NotClaimed": "base",
    "Verification": "base",
    "Composite": "composite",
    "Certified": "certified",
    "Chosen": "certified",
    "Sample": "sample.examples",
    "Labels": "sample.labels",
    "Unlabelled": "sample.values",
    "Values": "sample.values",
    "Images": "spaces.images",
    "KernelSample": "spaces.images",
    "Margins": "spaces.vectors",
    "Vectors": "spaces.vectors",
    "GradientRun": "runs.gradient_run",
    "PerceptronRun": "runs.perceptron_run",
    "UpdateSums": "runs.update_sums",
    "ClassSeparability": "separation.classes",
    "ShiftedGram": "regression.least_squares_evidence",
    "KernelPredictor": "errors.kernel_predictor",
    "LinearPredictor": "errors.predictor",
    "Predictor": "errors.predictor",
    "StatedPredictions": "errors.predictor",
    "KernelRun": "runs.kernel_run",
    "KernelScheme": "risk.kernel_scheme",
    "PerceptronScheme": "risk.perceptron_scheme",
    "RiskBound": "risk.risk_bound",
}
WHERE = KINDS | OTHERS
__all__ = sorted(WHERE)

__getattr__, __dir__ = names_of(__name__, WHERE)
