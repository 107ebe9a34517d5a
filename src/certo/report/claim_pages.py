"""Where the documentation derives each kind of claim."""

from __future__ import annotations

_PAGES = {
    "machines/separability": ("Separable", "Inseparable", "QuasiSeparable", "Overlapping"),
    "certificates/mistake-bound": ("MistakeBound",),
    "certificates/compression-bound": ("CompressionBound",),
    "bounds/support-vectors": ("SupportBound",),
    "certificates/expected-excess": ("ExpectedExcess",),
    "certificates/regret": ("Regret",),
    "certificates/online-to-batch": ("OnlineToBatch", "AverageToBatch"),
    "certificates/errors": ("TrainingErrors", "TestErrors"),
    "certificates/distances": ("TestDistances",),
    "certificates/least-errors": ("LeastErrors", "LeastErrorsByCells", "LeastErrorsByTree"),
    "certificates/logistic-excess": ("LogisticExcess",),
    "certificates/no-estimate": ("NoEstimate",),
    "certificates/soft-margin-gap": ("SoftMarginGap",),
    "certificates/least-squares-excess": ("LeastSquaresExcess",),
    "certificates/maximum-margin": ("MaximumMargin",),
    "certificates/gaussian-likelihood": ("GaussianLikelihood", "NoGaussianDensity"),
    "certificates/moment-matching": ("MomentMatching", "NoLogLinearDensity"),
}
PAGES = {kind: f"docs/{page}.md" for page, kinds in _PAGES.items() for kind in kinds}


def page_of(kind: str) -> str | None:
    """The file of the documentation, in the repository of Certo, about a kind of claim."""
    return PAGES.get(kind)
