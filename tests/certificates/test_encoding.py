"""Certificates as JSON: bit-exact, and anything else is a ValueError, never a claim."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from certo.certificates import Certificate, Composite, Separable
from certo.certificates.encoding import _read
from certo.numbers.decimals import rounded_down, rounded_up


def test_json_round_trip_is_bit_exact(known):
    X, y, certificate = known
    for claim in certificate:
        again = Certificate.from_dict(json.loads(json.dumps(claim.to_dict(), allow_nan=False)))
        assert again == claim
        assert hash(again) == hash(claim)
        assert repr(again) == repr(claim)
        for name in vars(claim):
            ours, theirs = getattr(claim, name), getattr(again, name)
            if isinstance(ours, np.ndarray):
                assert ours.tobytes() == theirs.tobytes()
        assert again.verify(X, y)
    assert Composite.from_dict(json.loads(json.dumps(certificate.to_dict()))) == certificate


def test_arrays_of_a_certificate_cannot_be_written(known):
    for claim in known[2]:
        for value in vars(claim).values():
            if isinstance(value, np.ndarray):
                with pytest.raises(ValueError, match="read-only"):
                    value[:1] = 0


def deep(levels=100_000):
    nest: list = []
    for _ in range(levels):
        nest = [nest]
    return nest


GARBAGE = [
    None, "NaN", "1", "", True, False, [], {}, [[]], [None], ["1.0"], [True], [[1.0]], {"a": 1},
    float("nan"), float("inf"), -float("inf"), [float("nan")], 10**400, -(10**400), [10**400],
    10**5000, [10**30], -1, [-1], [1, 0], deep(), {"name": deep()}, {"name": ["x"]}, {1: 2},
    {"name": "Constant", "value": True}, {"name": "Constant", "value": "1"}, {"name": "Rate"},
    {"name": "Constant", "value": -1.0}, {"name": "Constant"},
    {"name": "Constant", "value": 10**400},
    {"name": "Constant", "value": 1.0, "more": 1}, b"bytes", 1.5, 1j, object(), np.zeros(2),
]  # fmt: skip


def paths(data, path=()):
    for key, value in data.items():
        yield (*path, key)
        if isinstance(value, dict):
            yield from paths(value, (*path, key))


@pytest.mark.slow
def test_every_field_refuses_garbage_or_the_claim_fails(known):
    X, y, certificate = known
    for claim in certificate:
        data = claim.to_dict()
        for path in paths(data):
            for junk in GARBAGE:
                bad = copy.deepcopy(data)
                where = bad
                for key in path[:-1]:
                    where = where[key]
                where[path[-1]] = junk
                try:
                    read = Certificate.from_dict(bad)
                except ValueError:
                    continue
                # what is still well-formed is judged by its truth alone (see test_attacks)
                assert read.verify(X, y).holds in (True, False)
                assert str(read)


def test_missing_and_additional_fields_are_refused(known):
    for claim in known[2]:
        data = claim.to_dict()
        for key in data:
            with pytest.raises(ValueError, match="must"):
                Certificate.from_dict({k: v for k, v in data.items() if k != key})
        with pytest.raises(ValueError, match="exactly"):
            Certificate.from_dict({**data, "more": 1})
        with pytest.raises(ValueError, match="exactly"):
            Certificate.from_dict({**data, 7: 1})


@pytest.mark.parametrize("junk", GARBAGE, ids=lambda junk: type(junk).__name__)
def test_garbage_is_no_certificate(junk):
    for read in (Certificate.from_dict, Separable.from_dict, Composite.from_dict):
        for data in (junk, {"type": junk}, {"type": "Separable", "coef": junk},
                     {"type": "Composite", "claims": junk, "not_claimed": []},
                     {"type": "Composite", "claims": [junk], "not_claimed": []},
                     {"type": "Composite", "claims": [], "not_claimed": [junk]},
                     {"type": junk, "claims": [], "not_claimed": []}):  # fmt: skip
            if isinstance(junk, list) and not junk and data is not junk and len(data) == 3:
                continue  # that is an empty Composite
            with pytest.raises(ValueError, match="must"):
                read(data)


def test_a_kind_reads_only_its_own(known):
    data = {claim.name: claim.to_dict() for claim in known[2]}
    with pytest.raises(ValueError, match="Separable"):
        Separable.from_dict(data["MistakeBound"])


@settings(max_examples=120, deadline=None)
@given(
    st.floats(allow_nan=False, allow_infinity=False, min_value=1e-300, max_value=1e300),
    st.integers(2, 8),
)
def test_shown_numbers_are_on_the_weak_side(value, digits):
    low, high = Fraction(rounded_down(value, digits)), Fraction(rounded_up(value, digits))
    assert low <= Fraction(value) <= high
    assert high - low <= Fraction(value) * Fraction(10, 10**digits)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**70), 2**70)))
def test_arrays_of_floats_are_read_bit_for_bit(items):
    read = _read(np.ndarray, items, "numbers")
    assert (
        read.tolist() == items
        if read.dtype.kind in "iuO"
        else read.tolist() == [*map(float, items)]
    )
    assert (read.dtype.kind == "f") == any(type(item) is float for item in items) or not items


@pytest.mark.parametrize(
    "bad", [float("nan"), float("inf"), True, None, "1", 10**5000, [1.0]], ids=type
)
def test_one_bad_item_in_a_long_array_is_named(bad):
    for good in (1.0, 1):
        with pytest.raises(ValueError, match="numbers must be"):
            _read(np.ndarray, [good] * 1000 + [bad], "numbers")
