"""Prove it and break it: every claim of every experiment, checked by a process of its own."""

from __future__ import annotations

import json
import re

import pytest

from certo.certificates.composite import Composite
from certo.data.problem import Problem
from certo.lab import proving
from certo.lab.experiment import Cancelled, Job
from certo.lab.experiments import EXPERIMENTS
from certo.verify import Unusable, verify_folder
from tests.lab import WORDS, filled, frame_of, run_of

LINKS = {
    "perceptron": "perceptron", "separability": "separability?preset=xor", "margin": "margin",
    "errors": "errors?m=20", "descent": "descent?T=100", "kernels": "kernels?m=30",
    "conics": "conics?m=20", "least-squares": "least-squares",
    "logistic": "logistic?preset=separable", "bounds": "bounds?m=50&draws=10",
}  # fmt: skip


def proof_of(link: str):
    run = run_of(link)
    frame_of(run)
    return run.proof(Job())


def test_every_experiment_is_proved():
    assert set(LINKS) == set(EXPERIMENTS)


@pytest.fixture
def here(monkeypatch):
    """The checker in this process: the same code, without half a second of starting another."""

    def checked(folder, job):
        try:
            return json.loads(json.dumps(verify_folder(folder).to_dict())), 0.0
        except Unusable as wrong:
            return {"error": str(wrong)}, 0.0

    monkeypatch.setattr(proving, "_checked", checked)


@pytest.mark.parametrize(
    "link",
    [*LINKS.values(), "separability", "margin?machine=hard&preset=separable&intercept=lifted",
     "descent?algorithm=ogd", "logistic", "errors?intercept=none"],
)  # fmt: skip
@pytest.mark.usefixtures("here")
def test_claims_hold_and_every_temptation_is_refused(link):
    name, proof = link.partition("?")[0], proof_of(link)
    shown = proving.prove(proof, None, Job())
    json.dumps(shown, allow_nan=False)
    assert shown["holds"], shown["verdict"]
    every = [*proof.claims, *proof.tested]
    assert [claim["kind"] for claim in shown["claims"]] == [claim.name for claim in every]
    assert (name == "bounds") == bool(len(proof.tested))
    for place, claim in enumerate(shown["claims"]):
        italian = filled(WORDS["it"][f"claim.{claim['kind']}"], claim["numbers"])
        assert not re.search(r"[{}|]|at most|below|proved", italian), italian
        assert claim["temptation"], claim["kind"]
        edit = {"claim": place, "changes": claim["temptation"]}
        broken = proving.prove(proof, edit, Job())
        assert not broken["holds"], (claim["kind"], edit)
        assert not broken["checked"][place]["holds"] or broken["about_model"]
        assert len(broken["checked"][place]["why"]) > 15


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "link",
    ["margin?machine=hard&preset=separable", "separability", "logistic?preset=separable", "margin"],
)
def test_a_temptation_is_refused_for_what_it_says_not_for_its_form(link):
    proof = proof_of(link)
    for place, claim in enumerate(proving.prove(proof, None, Job())["claims"]):
        edit = {"claim": place, "changes": claim["temptation"]}
        for at, one in enumerate(proving.prove(proof, edit, Job())["checked"]):
            assert one["holds"] == (at != place)
            assert "must be" not in one["why"]
            assert "must hold" not in one["why"]


@pytest.mark.usefixtures("here")
def test_claims_beside_one_that_cannot_be_read_are_not_called_refused():
    edit = {"claim": 0, "changes": [{"path": ["margin"], "value": "-1"}]}
    shown = proving.prove(proof_of("separability"), edit, Job())
    assert [one["holds"] for one in shown["checked"]] == [False, None]


@pytest.mark.slow
def test_a_weaker_claim_still_holds_and_a_stronger_one_does_not():
    """Checked by a process of its own, as on the page."""
    proof = proof_of("perceptron")
    kinds = [claim.name for claim in proof.claims]
    place = kinds.index("MistakeBound")
    bound = proof.claims.claims[place].bound
    for value, holds in ((bound + 1, True), (bound - 1, False)):
        edit = {"claim": place, "changes": [{"path": ["bound"], "value": str(value)}]}
        assert proving.prove(proof, edit, Job())["holds"] == holds


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("value", ["", "nan", "1e999", "<b>", "0x10", "None", "[1]", "-1"])
def test_what_is_no_number_is_refused_by_the_checker(value):
    proof = proof_of("separability?preset=xor")
    edit = {"claim": 0, "changes": [{"path": ["weights", 0], "value": value}]}
    shown = proving.prove(proof, edit, Job())
    assert not shown["holds"]
    assert "proof.json" not in shown["checked"][0]["why"]


@pytest.mark.parametrize(
    "edit",
    [
        {}, {"claim": 0}, {"claim": 9, "changes": []}, {"claim": "0", "changes": []},
        {"claim": 0, "changes": [3]}, {"claim": 0, "changes": [{"path": [], "value": "1"}]},
        {"claim": 0, "changes": [{"path": ["none"], "value": "1"}]},
        {"claim": 0, "changes": [{"path": ["type"], "value": "Separable"}]},
        {"claim": 0, "changes": [{"path": ["labels"], "value": "1"}]},
        {"claim": 0, "changes": [{"path": ["weights", 99], "value": "1"}]},
        {"claim": 0, "changes": [{"path": ["examples"], "value": "1" * 99}]},
    ],
)  # fmt: skip
def test_a_strange_change_is_refused_in_words(edit):
    with pytest.raises(Problem, match=r"change|value|number"):
        proving.prove(proof_of("separability?preset=xor"), edit, Job())


def test_nothing_claimed_is_said():
    proof = proof_of("perceptron")._replace(claims=Composite(()))
    assert proving.prove(proof, None, Job()) == {"claims": [], "not_claimed": []}


@pytest.mark.slow
def test_a_check_that_nobody_waits_for_ends():
    job = Job()
    job.cancelled = True
    with pytest.raises(Cancelled):
        proving.prove(proof_of("margin"), None, job)
