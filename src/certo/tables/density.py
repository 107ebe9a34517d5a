"""Fit a density to the rows of a table, none of whose columns is a target."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from certo.data.problem import Problem
from certo.estimators._density import Density, NoDensity
from certo.facts import InputError
from certo.guarantees.certifying import page_about
from certo.guarantees.unwrapping import Wrapped
from certo.tables.examples import encode_table
from certo.tables.fit import Fitted, without_answer
from certo.tables.model_file import StoredModel
from certo.words.reader import setting


def fit_density(table: Any, estimator: Density, delta: float = 0.05, **choices: Any) -> Fitted:
    """Fit a clone of the estimator to all rows, and say what that proves. (No row is held out: −log
    p has no upper end, so that no number of test rows bounds its mean.) The `choices` are those of
    `encode_table`; numbers are taken as they are, since a density is one of their units."""
    examples = encode_table(table, None, **choices | {"scale": "none"})
    encoder = examples.encoder
    if words := [*encoder.category_names_, *encoder.prose_names_]:
        raise Problem(
            f"a density needs columns of numbers, but {words[0]!r} holds "
            f"{'text' if words[0] in encoder.text_names_ else 'codes'}. Leave such columns out: "
            f"{setting('drop', words)}.",
            column=words[0],
        )
    machine = clone(estimator)
    with examples.reading():
        try:
            machine.fit(examples.X)
        except (NoDensity, InputError) as wrong:
            raise Problem(str(wrong)) from wrong
        except (ArithmeticError, RuntimeError) as wrong:
            raise without_answer(wrong) from wrong
        except ValueError as wrong:
            raise Problem(str(wrong)) from wrong
        page = page_about(
            Wrapped(machine), machine, examples.X, None, delta,
            columns=encoder.get_feature_names_out(),
        )  # fmt: skip
    model = StoredModel(
        encoder, machine, None, examples.missing, list(examples.na), examples.data_fingerprint,
        len(examples.y), examples.notes, certified=page,
    )  # fmt: skip
    return Fitted(model, examples, page)
