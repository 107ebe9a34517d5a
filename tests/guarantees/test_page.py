"""A claim is made or it is said why not, and whoever chose among several settings pays for it."""

from __future__ import annotations

import pytest

from certo.certificates.base import CannotClaim
from certo.guarantees.page import OF_THE_STEPS, OtherExamples, Page
from certo.guarantees.unwrapping import Wrapped


class Bound:
    """A claim about new examples that notes how it is paid for."""

    def at(self, delta, tried):
        self.paid = delta, tried
        return self


def refuses(*_):
    raise CannotClaim("it is not so")


def others(*_):
    raise OtherExamples("the vectors are others")


def test_claims_and_the_reasons_why_there_are_none():
    page = Page(Wrapped(None), 0.05)
    page.add("Yes", lambda: "a claim")
    page.add("No", refuses)
    assert page.claims == ["a claim"]
    assert [(one.name, one.reason) for one in page.refusals] == [("No", "it is not so")]


def test_bounds_are_paid_for_and_counted():
    bound, page = Bound(), Page(Wrapped(None, tried=3, seeded=("Nystroem",)), 0.05)
    page.add_risk("Bound", lambda delta: bound)
    page.add_risk("Bound", lambda delta: bound, of_predictions=False)
    page.add_risk("Bound", refuses)
    assert bound.paid == (0.05, 3)
    assert page.asked == 2, "what was not found was tried for, too"
    assert len(page.remarks) == 1
    assert "random_state of Nystroem" in page.remarks[0]


def test_examples_that_are_no_draws_forbid_bounds():
    page = Page(Wrapped(None, spoilt="they look at each other"), 0.05)
    page.add_risk("Bound", lambda delta: Bound())
    assert page.claims == []
    assert page.asked == 0
    assert page.refusals[0].reason == "they look at each other"


def test_other_examples_are_an_error_unless_steps_explain_them():
    with pytest.raises(OtherExamples, match="the vectors are others"):
        Page(Wrapped(None), 0.05).add("Gap", others)
    page = Page(Wrapped(None, steps=(lambda X: X,)), 0.05)
    page.add("Gap", others)
    page.add_risk("Bound", lambda delta: Bound())
    assert [one.reason for one in page.refusals] == [OF_THE_STEPS] * 2
