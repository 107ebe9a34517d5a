"""Values that are written with the name of their kind: each is read again, and no other."""

from __future__ import annotations

import importlib

import pytest

from certo.certificates import LinearPredictor, Predictor, Vectors
from certo.certificates.risk.compression_bound import Scheme
from certo.certificates.spaces.space import Space


@pytest.mark.parametrize("family", [Predictor, Scheme, Space])
def test_every_kind_is_where_its_family_says(family):
    for name, module in family.modules.items():
        assert issubclass(getattr(importlib.import_module(module), name), family)
    for hostile in (None, [], {}, {family.name_key: 1}, {family.name_key: "Fraction"}):
        with pytest.raises(ValueError, match="must be one of"):
            family.from_dict(hostile)


def test_values_are_read_as_they_were_written():
    for value in (LinearPredictor([[1.0, 2.0]], [0.5]), Vectors()):
        assert type(value).from_dict(value.to_dict()) == value
    with pytest.raises(ValueError, match="exactly the fields"):
        Space.from_dict({"name": "Vectors", "more": 1})
