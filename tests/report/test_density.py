"""The facts and the page of a density."""

import numpy as np
import pyarrow as pa
import pytest

from certo import GaussianDensity
from certo.report import density_facts, html_density
from certo.tables.density import fit_density

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(("columns", "pictures"), [(1, 1), (2, 1), (4, 4), (9, 6)])
def test_the_rows_of_least_density_are_listed_and_the_columns_drawn(columns, pictures):
    X = RNG.normal(size=(60, columns))
    X[7] = 9.0
    table = pa.table({f"c{j}": X[:, j] for j in range(columns)})
    fitted = fit_density(table, GaussianDensity())
    said = density_facts(fitted)
    assert said["unusual"][0]["row"] == 8
    assert said["unusual"][0]["values"] == {f"c{j}": 9.0 for j in range(columns)}
    assert said["mean_log_density"] == pytest.approx(-fitted.model.machine.risk_)
    said |= {"command": "certo fit", "verify_with": "certo verify", "model_fingerprint": None}
    page = html_density(fitted, said)
    assert page.count("<figure") == pictures
    assert said["status"] in page
