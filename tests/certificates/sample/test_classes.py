"""Places of classes are not taken for signs."""

from __future__ import annotations

import numpy as np
import pytest

from certo import Perceptron
from certo.certificates import Certificate, Composite, Labels
from certo.certificates.sample.classes import class_sample
from certo.issue.separation import issue_separable


def test_claims_about_signs_do_not_take_places_of_classes_for_them():
    """Both claims have labels without a positive class, which only one of them can be about."""
    data, y = np.array([[-1.0], [1.0]]), [0, 1]
    every, sample = Labels((0, 1), None), class_sample(data, y, (0, 1))
    joint = issue_separable(sample, every, np.array([[-1.0], [1.0]]), np.zeros(2))
    for claim in Perceptron().fit(data, y).certificate_:
        bent = claim.to_dict() | {"labels": {"classes": [0, 1], "positive": None, "column": None}}
        if claim.name == "Separable":  # several classes have several rows of weights
            with pytest.raises(ValueError, match="a row of coef"):
                Certificate.from_dict(bent)
            continue
        found = Composite((joint, Certificate.from_dict(bent))).verify(data, y)
        assert [part.holds for part in found.parts] == [True, False]
        assert "no positive class" in str(found)
    with pytest.raises(ValueError, match="two or more"):
        Labels(("a",), None)
