"""Functions of any objects as kernels."""

import numpy as np
import pandas as pd
import pytest

from certo.kernels import Function


def test_functions_of_any_objects():
    def shared(a, b):
        return len(set(a) & set(b))

    kernel = Function(shared)
    words = ["tea", "coffee", "meat"]
    assert kernel.takes == "objects"
    np.testing.assert_array_equal(kernel(words), [[3, 1, 3], [1, 4, 1], [3, 1, 4]])
    np.testing.assert_array_equal(kernel(tuple(words), np.array(words)), kernel(words))
    np.testing.assert_array_equal(kernel.diagonal(words), [3, 4, 4])
    assert kernel.take(words, [2, 0]) == ["meat", "tea"]
    assert kernel.take(words, np.array([True, False, True])) == ["tea", "meat"]
    assert kernel.points(words, slice(1, None)) == ["coffee", "meat"]
    assert kernel.rounding(words, words) == (0.0, 0.0)
    assert "shared" in repr(kernel)
    assert kernel == Function(shared)
    assert kernel.normalised().diagonal(words).tolist() == [1.0, 1.0, 1.0]
    for single in ("tea", 3, np.array("tea"), None, (word for word in words)):
        with pytest.raises(ValueError, match="Put a single point in a list"):
            kernel(single)
    rows = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    np.testing.assert_array_equal(Function(np.dot)(rows), [[10.0, 14.0], [14.0, 20.0]])
    np.testing.assert_array_equal(kernel(pd.Series(words)), kernel(words))
    for bad, says in (("three", "must return a number"), (np.nan, "finite"), (None, "a number")):
        with pytest.raises(ValueError, match=says):
            Function(lambda a, b, bad=bad: bad)(words)
