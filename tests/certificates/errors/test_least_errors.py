"""No false claim about errors verifies: certificates edited by someone who wants to be believed."""

from __future__ import annotations

import copy
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from certo.certificates import Certificate, Labels, Sample
from certo.certificates.errors.least_errors import needed, proved
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import (
    FINENESS,
    LeastErrorsByTree,
    Packing,
    Subsystem,
)
from certo.issue.errors import issue_error_count
from tests.oracles.rays import least_errors

LABELS = Labels(("no", "yes"))
NONE = np.zeros(0)

# Two crossed pairs and, twice, the same place with both labels: 1 + 2 errors.
X = np.array(
    [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [3.0, 3.0], [5, 5], [5, 5]]
)
Y = np.array(["yes", "yes", "no", "no", "yes", "no", "yes", "no"])
SIGNS = np.where(Y == "yes", 1, -1)


def by_cells(at_least, lifted=True, sample_weight=NONE, m=8):
    return LeastErrorsByCells(LABELS, lifted, m, sample_weight, at_least)


def by_tree(at_least=3.0, sample_weight=NONE, subsystems=None, packings=None, tree=(-1,)):
    if subsystems is None:
        subsystems = (Subsystem(np.arange(4), (Fraction(1),) * 4),)
    if packings is None:
        packings = (Packing((0,), (FINENESS,)),)
    m = len(Y)
    return LeastErrorsByTree(
        LABELS, True, m, sample_weight, at_least, subsystems, packings, np.array(tree)
    )


def reread(data):
    return Certificate.from_dict(json.loads(json.dumps(data)))


class TestErrorCount:
    def test_zero_scores_are_errors(self):
        count = issue_error_count(Sample(X, SIGNS), LABELS, np.zeros(2), 0.0, NONE)
        assert count.errors == len(Y)
        assert count.verify(X, Y)

    @given(
        coef=st.lists(
            st.sampled_from([0.0, 1.0, -1.0, 0.1, 1e300, 5e-324]), min_size=2, max_size=2
        ),
        intercept=st.sampled_from([0.0, 1.0, -0.2, 1e300, -5e-324]),
        weights=st.none() | st.lists(st.sampled_from([0.0, 1.0, 0.1, 1e9]), min_size=8, max_size=8),
    )
    def test_only_the_true_count_verifies(self, coef, intercept, weights):
        costs = NONE if weights is None else np.array(weights)
        count = issue_error_count(Sample(X, SIGNS), LABELS, np.array(coef), intercept, costs)
        scores = [sum(Fraction(a) * Fraction(c) for a, c in zip(x, coef, strict=True)) for x in X]
        truth = sum(
            Fraction(1 if weights is None else weights[t])
            for t, score in enumerate(scores)
            if SIGNS[t] * (score + Fraction(intercept)) <= 0
        )
        assert Fraction(math.nextafter(count.errors, -1)) < truth <= Fraction(count.errors)
        assert count.verify(X, Y)
        assert count.verify(sparse.csr_array(X), Y)
        for other in (count.errors - 1, count.errors + 1, math.nextafter(count.errors, -1), 1e300):
            assert not reread({**count.to_dict(), "errors": other}).verify(X, Y)

    def test_other_data_or_weights_refute_the_claim(self):
        count = issue_error_count(Sample(X, SIGNS), LABELS, np.array([1.0, 1.0]), -0.5, NONE)
        assert count.verify(X, Y)
        assert not count.verify(X, np.where(Y == "yes", "no", "yes"))
        assert not count.verify(X[:-1], Y[:-1])
        assert not count.verify(X[:, :1], Y)
        data = count.to_dict()
        assert not reread({**data, "sample_weight": [1.0] * 7 + [3.0]}).verify(X, Y)
        with pytest.raises(ValueError, match="one number for each example, or none"):
            reread({**data, "sample_weight": [1.0]})


class TestCells:
    @pytest.mark.parametrize("lifted", [True, False])
    def test_the_least_and_no_more(self, lifted):
        truth = float(least_errors(X, SIGNS, lifted))
        for at_least in (-1.0, 0.0, truth - 1, truth - 0.5, truth):
            assert by_cells(at_least, lifted).verify(X, Y)
        for at_least in (math.nextafter(truth, 99), truth + 1, 8.0, 9.0, 1e300):
            assert not by_cells(at_least, lifted).verify(X, Y)

    @given(st.data())
    @settings(max_examples=60)
    def test_with_weights(self, data):
        m, d = data.draw(st.integers(1, 7)), data.draw(st.integers(1, 2))
        entry = st.sampled_from([0.0, 1.0, -1.0, 0.1, 0.3, 1e8, 1e8 + 0.1])
        rows = st.lists(st.lists(entry, min_size=d, max_size=d), min_size=m, max_size=m)
        Z = np.array(data.draw(rows))
        signs = np.array(data.draw(st.lists(st.sampled_from([1, -1]), min_size=m, max_size=m)))
        weights = np.array(data.draw(st.lists(st.floats(0, 2), min_size=m, max_size=m)))
        lifted = data.draw(st.booleans())
        labels = np.where(signs > 0, "yes", "no")
        truth = least_errors(Z, signs, lifted, weights)
        near = float(truth)
        above = near if Fraction(near) > truth else math.nextafter(near, math.inf)
        # never too high, not by one bit; low by what the rounding of the weights may cost
        assert not by_cells(above, lifted, weights, m).verify(Z, labels)
        assert by_cells(near - 1e-12 * weights.sum(), lifted, weights, m).verify(Z, labels)

    def test_weights_far_apart(self):
        weights = np.array([1e200, 1e308, 1e-200, 5e-324, 1.0, 1.0, 1.0, 1.0])
        assert by_cells(2.0, True, weights).verify(X, Y)
        assert not by_cells(math.nextafter(2.0, 3), True, weights).verify(X, Y)

    def test_too_many_cells_are_refused_before_the_search(self):
        random = np.random.default_rng(0)
        Z, labels = random.normal(size=(300, 12)), np.where(random.random(300) < 0.5, "yes", "no")
        answer = by_cells(1.0, True, NONE, 300).verify(Z, labels)
        assert not answer
        assert "too many cells" in answer.why

    def test_contradicting_pairs_alone(self):
        pairs, labels = X[4:], Y[4:]
        assert by_cells(2.0, m=4).verify(pairs, labels)
        assert not by_cells(3.0, m=4).verify(pairs, labels)

    def test_an_all_cancelling_facet(self):
        """Symmetric classes around an example at the centre."""
        grid = np.array(np.meshgrid(*[[-1, 0, 1]] * 3)).reshape(3, -1).T
        labels = np.where(np.abs(grid).sum(axis=1) > 1, "yes", "no")
        assert by_cells(1.0, m=27).verify(grid, labels)
        assert not by_cells(20.0, m=27).verify(grid, labels)


class TestTree:
    def test_a_proof_by_hand(self):
        assert by_tree().verify(X, Y)
        assert not by_tree(math.nextafter(3.0, 4)).verify(X, Y)
        # by cases: example 1 wrong costs 1; right, the rest is charged
        assert by_tree(packings=(Packing((), ()), by_tree().packings[0]), tree=(1, -1, -2)).verify(
            X, Y
        )

    def test_json(self):
        tree = by_tree()
        again = reread(tree.to_dict())
        assert again == tree
        assert again.verify(X, Y)
        assert "No hyperplane makes fewer than 3 errors" in again.claim

    @pytest.mark.parametrize(
        "changed",
        [
            {"packings": (Packing((0,), (FINENESS + 1,)),)},  # more than a group costs
            {"packings": (Packing((0, 0), (FINENESS, FINENESS)),)},
            {"packings": (Packing((0,), (0,)),)},
            {"packings": (Packing((0, 0), (2 * FINENESS, -FINENESS)),)},
            {"packings": (Packing((1,), (FINENESS,)),)},
            {"packings": (Packing((-1,), (FINENESS,)),)},
            {"packings": ()},
            {"tree": ()},
            {"tree": (-2,)},
            {"tree": (-1, -1)},
            {"tree": (0,)},
            {"tree": (0, -1)},
            {"tree": (0, 0, -1, -1, -1)},
            {"tree": (0, -1, 0, -1, -1)},
            {"tree": (4, -1, -1)},  # in no group: it cancels
            {"tree": (10**9, -1, -1)},
            {"tree": (-(2**63),)},
            {"subsystems": (Subsystem(np.arange(4), (*(Fraction(1),) * 3, Fraction(3, 2))),)},
            {"subsystems": (Subsystem(np.arange(3), (Fraction(1),) * 3),)},
            {"subsystems": (Subsystem(np.array([4, 5]), (Fraction(1),) * 2),)},
            {"subsystems": (Subsystem(np.array([0, 1, 2, 99]), (Fraction(1),) * 4),)},
            {"subsystems": ()},
            {"at_least": 4.0},
            {"at_least": 1e300},
        ],
    )
    def test_invalid_trees_are_rejected(self, changed):
        assert not by_tree(**changed).verify(X, Y)

    def test_weights_cannot_be_changed_after_they_were_looked_at(self):
        """With a negative weight examples that are all right cancel, too."""
        weights = [Fraction(1)] * 3
        subsystem = Subsystem(np.arange(3), weights)
        weights[2] = Fraction(-1)
        assert subsystem.weights == (Fraction(1),) * 3
        packing = Packing((0,), (FINENESS,))
        claim = LeastErrorsByTree(LABELS, False, 3, NONE, 1.0, (subsystem,), (packing,), [-1])
        assert not claim.verify([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ["yes"] * 3)

    @pytest.mark.parametrize("weights", [(1, 1), (Fraction(1), Fraction(-1)), (0.5, 0.5), 1, ()])
    def test_a_subsystem_needs_a_positive_fraction_for_each_row(self, weights):
        with pytest.raises(ValueError, match="fraction"):
            Subsystem(np.arange(2), weights)

    def test_other_data_refute_the_claim(self):
        assert not by_tree().verify(X, np.where(Y == "yes", "no", Y))
        moved = X.copy()
        moved[0, 0] = 5e-324
        assert not by_tree().verify(moved, Y)
        assert not by_tree().verify(X[:-1], Y[:-1])
        assert not by_tree().verify(X[:, :1], Y)
        assert not reread({**by_tree().to_dict(), "lifted": False}).verify(X, Y)
        # weights make another claim: this packing then charges half a unit too much
        halves = np.full(8, 0.5)
        assert by_tree(1.5, halves).verify(X, Y)
        assert not by_tree(3.0, halves).verify(X, Y)
        zero = np.array([0.0, *[1.0] * 7])
        assert not by_tree(3.0, zero).verify(X, Y)

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("tree", [0.5]),
            ("tree", "abc"),
            ("tree", [[0]]),
            ("tree", [2**70]),
            ("tree", [True]),
            ("tree", None),
            ("lifted", 1),
            ("lifted", None),
            ("at_least", float("nan")),
            ("at_least", float("inf")),
            ("at_least", "3"),
            ("at_least", 10**400),
            ("examples", 8.0),
            ("sample_weight", [-1.0] * 8),
            ("sample_weight", [float("nan")] * 8),
            ("sample_weight", [[1.0]]),
            ("packings", [{"subsystems": [0], "values": []}]),
            ("packings", [{"subsystems": [0.0], "values": [1]}]),
            ("packings", [{"subsystems": [0], "values": [0.5]}]),
            ("packings", [{"subsystems": ["a"], "values": [1]}]),
            ("packings", [[0, 1]]),
            ("subsystems", [{"rows": [], "weights": []}]),
            ("subsystems", [{"rows": [0, 0], "weights": ["1/1", "1/1"]}]),
            ("subsystems", [{"rows": [1, 0], "weights": ["1/1", "1/1"]}]),
            ("subsystems", [{"rows": [-1, 0], "weights": ["1/1", "1/1"]}]),
            ("subsystems", [{"rows": [0, 1], "weights": ["1/1"]}]),
            ("subsystems", [{"rows": [0, 1], "weights": ["1/1", "0/1"]}]),
            ("subsystems", [{"rows": [0, 1], "weights": ["1/1", "-1/1"]}]),
            ("subsystems", [{"rows": [0, 1], "weights": ["1/1", "1/0"]}]),
            ("subsystems", [{"rows": [0, 1], "weights": [1, 1]}]),
            ("subsystems", None),
        ],
    )
    def test_hostile_fields_are_refused(self, field, value):
        with pytest.raises(ValueError, match=r"\w"):
            Certificate.from_dict({**copy.deepcopy(by_tree().to_dict()), field: value})

    @given(st.data())
    def test_verified_claims_are_true(self, data):
        """Any tree, packings and subsystems over four crossed examples and a fifth."""
        points = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5]])
        signs = np.array(data.draw(st.lists(st.sampled_from([1, -1]), min_size=5, max_size=5)))
        some = st.lists(st.integers(0, 4), min_size=1, max_size=4, unique=True).map(sorted)
        subsystems = []
        for rows in data.draw(st.lists(some, max_size=3)):
            weights = st.lists(st.sampled_from([1, 2]), min_size=len(rows), max_size=len(rows))
            subsystems.append(Subsystem(np.array(rows), tuple(map(Fraction, data.draw(weights)))))
        subsystems += [
            Subsystem(np.arange(4), (Fraction(1),) * 4),
            Subsystem(np.array([0, 1, 4]), (Fraction(1), Fraction(1), Fraction(2))),
        ][: data.draw(st.integers(0, 2))]
        which = st.integers(0, max(len(subsystems) - 1, 0))
        value = st.sampled_from([FINENESS, FINENESS // 2, 2 * FINENESS])
        pair = st.lists(st.tuples(which, value), max_size=3)
        packings = tuple(
            Packing(tuple(k for k, _ in pairs), tuple(v for _, v in pairs))
            for pairs in data.draw(st.lists(pair, min_size=1, max_size=3))
        )
        tree = data.draw(st.lists(st.integers(-3, 4), min_size=1, max_size=5))
        at_least = data.draw(st.sampled_from([0.5, 1.0, 2.0]))
        claim = LeastErrorsByTree(
            LABELS, True, 5, NONE, at_least, tuple(subsystems), packings, np.array(tree)
        )
        if claim.verify(points, np.where(signs > 0, "yes", "no")):
            assert least_errors(points, signs, True) >= Fraction(at_least)


@given(st.floats(0, 1e6), st.integers(0, 9))
def test_needed_and_proved_are_inverse(at_least, constant):
    from certo.certificates.errors.least_errors import Groups

    for unit in (Fraction(1), Fraction(1, 3), Fraction(1, 2**60)):
        groups = Groups(np.zeros(0, dtype=np.int64), [], constant, unit)
        need = needed(at_least, groups)
        assert proved(need, groups) >= at_least
        assert needed(proved(need, groups), groups) <= need
