"""Self-contained HTML pages about fitted models and verdicts: facts laid out, nothing computed."""

from certo.report.findings import facts, refusal_facts, verdict_facts
from certo.report.page import html_report, html_verdict

__all__ = ["facts", "html_report", "html_verdict", "refusal_facts", "verdict_facts"]
