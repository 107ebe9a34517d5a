"""One self-contained HTML page about a fitted model: facts laid out, nothing computed."""

from certo.report.page import facts, html_report

__all__ = ["facts", "html_report"]
