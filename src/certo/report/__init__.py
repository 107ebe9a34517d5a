"""Self-contained HTML pages about fitted models and verdicts: facts laid out, nothing computed."""

from certo.report import classifier_faces, regression_faces  # noqa: F401  # They register the faces of our machines.
from certo.report.density import density_facts, html_density
from certo.report.findings import (
    certified_facts,
    curve_facts,
    facts,
    refusal_facts,
    verdict_facts,
)
from certo.report.page import html_certified, html_curve, html_report, html_verdict

__all__ = [
    "certified_facts", "curve_facts", "density_facts", "facts", "html_certified", "html_curve",
    "html_density", "html_report", "html_verdict", "refusal_facts", "verdict_facts",
]  # fmt: skip
