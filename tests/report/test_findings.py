"""What all pages say of the examples: a target that is a class, a number, or none."""

import pyarrow as pa
import pytest

from certo.report.findings import about
from certo.tables.examples import encode_table

TABLE = pa.table({"a": [1.0, 2.0, 4.0], "b": ["x", "y", "x"]})


@pytest.mark.parametrize(
    ("target", "measured", "classes", "ends"),
    [("b", False, ["x", "y"], None), ("a", True, None, [1.0, 4.0]), (None, False, None, None)],
)
def test_what_the_target_is(target, measured, classes, ends):
    said = about(encode_table(TABLE, target, measured=measured))
    assert (said["target"], said["classes"], said["target_range"]) == (target, classes, ends)
    assert said["columns"]["numbers"] == ([] if target == "a" else ["a"])
