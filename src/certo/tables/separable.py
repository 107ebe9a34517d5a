"""Whether hyperplanes separate the classes of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from certo.certificates.fields import SEPARATION_INTERCEPTS
from certo.certificates.separation.classes import ClassSeparability
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.data.problem import Problem
from certo.estimators.verdict import Undecided, separability
from certo.tables.examples import Examples, encode_table
from certo.tables.fit import OF_SCALED, without_answer
from certo.words.reader import setting

OF_OWN = (
    "The answer is about the table's own numbers: with an intercept, it is that of scaled ones."
)


@dataclass(frozen=True)
class Decided:
    """An answer to whether the classes can be separated."""

    verdict: Separable | Inseparable | ClassSeparability
    intercept: str
    examples: Examples


def separate_table(
    table: Any,
    target: str,
    *,
    intercept: str = "free",
    scale: str = "none",
    time_limit: float | None = None,
    **choices: Any,
) -> Decided:
    """Whether hyperplanes separate the classes of the table, decided in `time_limit` seconds (None:
    no limit); `choices` as for `encode_table`.

    With an intercept scaling changes nothing in the answer, but rounds: so the proof is then about
    the table's own numbers, whatever `scale` is.
    """
    if intercept not in SEPARATION_INTERCEPTS:
        raise Problem(f"{setting('intercept')} must be 'free' or 'none', got {intercept!r}.")
    if time_limit is not None and not time_limit > 0:
        raise Problem(f"{setting('time-limit')} must be seconds above 0, got {time_limit!r}.")
    is_moot = intercept == "free" and scale == "standard"
    examples = encode_table(table, target, scale="none" if is_moot else scale, **choices)
    if is_moot:
        examples.notes.append(OF_OWN)
    elif examples.encoder.scaler_ is not None:
        examples.notes.append(OF_SCALED)
    try:
        verdict = separability(examples.X, examples.y, intercept, time_limit=time_limit)
        return Decided(verdict, intercept, examples)
    except (ArithmeticError, Undecided) as wrong:
        raise without_answer(wrong) from wrong
