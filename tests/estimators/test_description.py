"""Every machine describes itself: files, audits, certify and commands read nothing else."""

from __future__ import annotations

import inspect
import pickle

import numpy as np
import pytest

import certo
from certo import estimators
from certo.certificates.base import Certificate
from certo.estimators.description import describe, descriptions
from certo.features import BoxPolynomials
from certo.tables.model_check import check_machine

KNOWN = descriptions()
X = np.random.default_rng(0).normal(size=(30, 3))
NEEDED = {certo.LogLinearDensity: {"features": BoxPolynomials(1), "box": (-5, 5)}}


def name_of(known) -> str:
    return known.kind.__name__


def test_every_estimator_is_described_once():
    public = [getattr(estimators, name) for name in estimators.__all__]
    machines = {one for one in public if inspect.isclass(one) and hasattr(one, "fit")}
    assert {known.kind for known in KNOWN} >= machines
    commands = [known.command for known in KNOWN if known.command]
    assert len(set(commands)) == len(commands)


@pytest.mark.parametrize("known", KNOWN, ids=name_of)
def test_a_description_is_about_its_machine(known):
    assert describe(known.kind.__new__(known.kind)) is known
    assert known.summary
    kinds = [*known.claims, *known.may_claim]
    assert all(issubclass(kind, Certificate) for kind in kinds)
    if known.command:
        assert known.fitted is not None  # what the command line fits can be stored
        assert known.claims


@pytest.mark.parametrize("known", [one for one in KNOWN if one.fitted], ids=name_of)
def test_fitted_attributes_match_the_description(known):
    y = X[:, 0] > 0 if known.learns == "classes" else X @ [1.0, 2.0, 3.0] + 1
    points = X[:, :1] if known.kind in NEEDED else X
    machine = known.kind(**NEEDED.get(known.kind, {}))
    if "random_state" in machine.get_params():
        machine.set_params(random_state=0)
    if "on_separation" in machine.get_params():
        machine.set_params(ridge=0.1)
    machine.fit(points, y)
    machine = pickle.loads(pickle.dumps(machine))  # as it comes out of a file
    check_machine(machine, points.shape[1])
    assert "certificate_" in dir(machine)  # which reads every property
    certificate = machine.certificate_
    assert all(type(claim) in known.claims for claim in certificate)
    assert all(known.is_same_fit(claim, machine, np.asarray(y)) for claim in certificate)


def test_a_subclass_is_not_taken_for_its_parent():
    class Other(certo.SVM):
        pass

    assert describe(Other()) is None
