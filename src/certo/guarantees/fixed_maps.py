"""Which steps of a pipeline learn nothing from the values of the examples.

A map that was decided before the examples were drawn, by its settings, the number of rows and
columns, and random numbers of its own, takes independent draws to independent draws. What is fitted
to the values of the examples does not. A step is known to be of the first kind only by its class
(exactly: a subclass may learn more) and settings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.kernel_approximation import (
    AdditiveChi2Sampler,
    PolynomialCountSketch,
    RBFSampler,
    SkewedChi2Sampler,
)
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, PolynomialFeatures
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from sklearn.utils import get_tags

from certo.features import Conic, GaussianTaylor, Monomials, RandomFeatures, UnitFeatures

NO_STEP = (None, "passthrough", "drop")


def is_fixed(step: Any) -> bool:
    """Whether this fitted step is known to have learned nothing from the values of the examples."""
    if isinstance(step, str) or step is None:
        return step in NO_STEP
    if known := _FIXED.get(type(step)):
        return known(step)
    if not _speaks_for_itself(type(step)):
        return False
    try:  # A step that works without a fit has learned nothing; one without tags says nothing.
        return not get_tags(step).requires_fit
    except AttributeError:
        return False


def _speaks_for_itself(kind: type) -> bool:
    """Whether its tags are about this class. A subclass of a map that needs no fit inherits them,
    and may have a fit of its own."""
    return kind.__module__.split(".")[0] == "sklearn" or "__sklearn_tags__" in vars(kind)


def is_seeded(step: Any) -> bool:
    """Whether random numbers of the map come from a seed or generator that the user has given."""
    if isinstance(step, str) or step is None:
        return False
    parts = _parts(step)
    return any(map(is_seeded, parts)) or getattr(step, "random_state", None) is not None


def _parts(step: Any) -> list[Any]:
    """The steps that a step is made of."""
    match step:
        case Pipeline():
            return [part for _, part in step.steps]
        case FeatureUnion():
            return [part for _, part in step.transformer_list]
        case ColumnTransformer():
            return [part for _, part, _ in step.transformers_]
        case UnitFeatures():
            return [step.map_]
    return []


def _fixed_columns(step: ColumnTransformer) -> bool:
    """A function that chooses columns looks at the examples."""
    chosen = any(callable(columns) for _, _, columns in step.transformers)
    return not chosen and all(map(is_fixed, _parts(step)))


def _fixed_categories(step: OneHotEncoder | OrdinalEncoder) -> bool:
    given = not isinstance(step.categories, str)
    return given and step.min_frequency is None and step.max_categories is None


_ALWAYS = (
    Conic, Monomials, GaussianTaylor, RandomFeatures, PolynomialFeatures, AdditiveChi2Sampler,
    PolynomialCountSketch, SkewedChi2Sampler,
    # The width "auto" of a projection follows from the number of rows alone.
    GaussianRandomProjection, SparseRandomProjection,
)  # fmt: skip

_FIXED: dict[type, Callable[[Any], bool]] = {
    **dict.fromkeys(_ALWAYS, lambda step: True),
    **dict.fromkeys((Pipeline, FeatureUnion), lambda step: all(map(is_fixed, _parts(step)))),
    **dict.fromkeys((OneHotEncoder, OrdinalEncoder), _fixed_categories),
    ColumnTransformer: _fixed_columns,
    UnitFeatures: lambda step: step.kernel_ == step.kernel and is_fixed(step.map_),
    RBFSampler: lambda step: not isinstance(step.gamma, str),  # "scale" measures the examples
    CountVectorizer: lambda step: step.vocabulary is not None,
}
