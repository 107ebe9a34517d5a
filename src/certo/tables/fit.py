"""Fit a machine to a table, and say what that proves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sklearn.base import clone

from certo.certificates.certified import Certified
from certo.certificates.composite import Composite, NotClaimed
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.risk.compression_bound import PREPROCESSED, CompressionBound
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.risk_bound import LEAST_DELTA, RiskBound
from certo.certificates.sample.examples import Sample, exact_matrix
from certo.certificates.separation.inseparable import Inseparable
from certo.certificates.separation.separable import Separable
from certo.data import columns
from certo.data.encoder import advice_in_fit
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem, problems_of
from certo.estimators import NotSeparable
from certo.estimators.description import describe
from certo.estimators.verdict import Undecided, two_class_verdict
from certo.facts import InputError
from certo.guarantees.certifying import page_about
from certo.guarantees.unwrapping import Wrapped, made_from_examples, settings_tried
from certo.scale.device import DeviceMemory, NoDevice
from certo.tables.examples import Examples, Rows, encode_rows, encode_table, refuse_one_class
from certo.tables.held_out import HeldOut
from certo.tables.model_file import StoredModel
from certo.words.reader import setting

COMPARED_HERE = "the page of the model has it, corrected for the choice of the settings."
NOT_COMPARED = "settings were compared on these rows, which this claim is not corrected for."
OF_SCALED = (
    "This is about the scaled numbers: without an intercept, the scaling makes a difference."
)


@dataclass(frozen=True)
class Fitted:
    model: StoredModel
    examples: Examples
    certified: Certified  # All that is proved.
    test: Rows | None = None


class CannotSeparate(Problem):
    """A machine needs classes that a hyperplane separates, but there is `proof` that none does."""

    def __init__(self, proof: Inseparable, examples: Examples):
        scaled = "" if examples.encoder.scaler_ is None else f" {OF_SCALED}"
        with examples.reading():
            why = f"this machine needs classes that can be separated. {proof.claim}{scaled}"
        super().__init__(why, rows=examples.places[proof.rows].tolist())
        self.proof = proof
        self.examples = examples


def fit_table(
    table: Any,
    target: str,
    estimator,
    *,
    scale=None,
    test: Any = None,
    test_name: str = "the test table",
    held_out: HeldOut | None = None,
    delta: float = 0.05,
    tried: str = "1",
    compared: int = 1,
    callback: Any = None,
    **choices: Any,
) -> Fitted:
    """Encode the table's columns, fit a clone of the estimator, and say what that proves.

    Something is claimed of the `test` table, too, if there is one, or of the rows that are
    `held_out` of this one; claims about new examples may be wrong with probability `delta`. Of so
    many settings that were `tried` on this table these are the best, or "data" of some that were
    made from it; or of so many that were `compared` on the rows that are not held out, which only
    claims from these rows pay for. The `callback` (scikit-learn's) is told of the steps of the
    fit; `choices` are those of `encode_table`.

    Numbers are scaled unless the estimator's answer does not depend on it: then it is about the
    table's own numbers. Where levels of a category would add up to an intercept that costs nothing,
    the first is left out, and the others are compared with it.
    """
    known = describe(estimator)
    if known is None or known.fitted is None or known.learns == "densities":
        kind = type(estimator).__name__
        raise Problem(f"an estimator of Certo that predicts a target is needed, got {kind}.")
    if scale is None:
        scale = "none" if known.ignores_scale(estimator) else "standard"
    choices |= {
        "measured": known.learns == "numbers",
        "reference_levels": known.needs_reference_levels(estimator),
    }
    if not LEAST_DELTA <= delta < 1:
        what = setting("delta")
        raise Problem(f"{what} must be from {LEAST_DELTA} to below 1, got {delta!r}.")
    paid = settings_of(tried)
    if test is not None and held_out is not None:
        raise Problem("test rows come from a table of their own or from this one, not from both.")
    examples = encode_table(table, target, scale=scale, held_out=held_out, **choices)
    if not examples.measured:
        refuse_one_class(examples)
    encoder, unseen, test_fingerprint = examples.encoder, examples.held_out, ""
    if test is not None:
        with problems_of(test_name):
            test = columns.as_table(test)
            unseen = encode_rows(
                test, encoder, target, examples.missing, examples.na, examples.measured,
                advice_in_fit,
            )  # fmt: skip
        test_fingerprint = fingerprint(test)
        examples.notes.extend(f"{test_name}: {note}" for note in unseen.notes)
    spoilt = PREPROCESSED if encoder.is_fitted_to_data else examples.left_out.why_no_draws
    made_from_table = "" if paid else made_from_examples()
    spoilt = spoilt or made_from_table
    gone = "" if unseen is None else unseen.left_out.why_no_draws
    if held_out is not None:
        gone = gone or made_from_table
    X_test, y_test = (None, None) if unseen is None or gone else unseen.pair
    settings = max(paid, 1) * compared
    with examples.reading():
        machine = _fitted_clone(estimator, examples, callback)
        if spoilt:
            machine.certificate_ = machine.certificate_.without(CompressionBound, spoilt)
        page = page_about(
            Wrapped(machine, spoilt=spoilt, tried=settings), machine, examples.X, examples.y,
            delta, X_test, y_test, encoder.get_feature_names_out(),
        )  # fmt: skip
    if paid and settings > 1 and not spoilt:
        machine.certificate_ = machine.certificate_.without(CompressionBound, COMPARED_HERE)
    test_claims = _storable(page.test)
    if gone:
        of_test = TestDistances if examples.measured else TestErrors
        test_claims = Composite((), (NotClaimed(of_test.__name__, gone),))
    elif held_out is not None and paid > 1:  # Settings were compared on these rows, too.
        corrected = tuple(
            claim.at(delta, paid) for claim in test_claims if isinstance(claim, RiskBound)
        )
        refused = [
            NotClaimed(claim.name, NOT_COMPARED) for claim in test_claims.of_kind(TestDistances)
        ]
        test_claims = Composite(corrected, (*test_claims.not_claimed, *refused))
    # Claims about scaled numbers are not about the table's own where scaling merges some.
    remarks = [examples.left_out.remark, *encoder.about_scaling(examples.table)]
    if test is not None and unseen is not None and (said := unseen.left_out.remark):
        remarks.append(f"{test_name}: {said}")
    page = replace(
        page, claims=_storable(page.claims), test=test_claims,
        remarks=(*page.remarks, *filter(None, remarks)),
    )  # fmt: skip
    model = StoredModel(
        encoder, machine, target, examples.missing, list(examples.na),
        examples.data_fingerprint, len(examples.y), examples.notes, test_fingerprint,
        *((0.0, 0) if held_out is None else (held_out.share, held_out.seed)), page,
    )  # fmt: skip
    return Fitted(model, examples, page, unseen)


def _fitted_clone(estimator, examples: Examples, callback: Any):
    machine = clone(estimator)
    tells = callback is not None and hasattr(machine, "set_callbacks")
    if tells:
        machine.set_callbacks(callback)
    try:
        machine.fit(examples.X, examples.y)
    except NotSeparable as wrong:
        if wrong.proof is None:  # In a kernel's space.
            raise Problem(str(wrong), rows=examples.places[wrong.rows].tolist()) from wrong
        raise CannotSeparate(*_of_own_numbers(wrong.proof, examples)) from wrong
    except (NoDevice, DeviceMemory) as wrong:
        raise Problem(str(wrong)) from wrong
    except (ArithmeticError, RuntimeError) as wrong:
        raise without_answer(wrong) from wrong
    except InputError as wrong:
        column = next((examples.feature_names[k] for k in wrong.columns), None)
        rows = examples.places[wrong.rows].tolist()
        raise Problem(str(wrong), column=column, rows=rows) from wrong
    except ValueError as wrong:
        raise Problem(str(wrong)) from wrong
    if tells:
        machine.set_callbacks()
    return machine


def settings_of(tried: str) -> int:
    """How many settings a fit pays for; 0, if no number of them says what to pay."""
    if tried == "data":
        return 0
    try:
        return settings_tried(int(tried) if tried.isdecimal() else tried)
    except ValueError as wrong:
        raise Problem(str(wrong)) from wrong


def _storable(claims: Composite) -> Composite:
    """Without rules that are too long for a model file, which the file says of them."""
    kept, refused = [], [*claims.not_claimed]
    for claim in claims:
        try:
            if isinstance(claim, TrainingErrors | TestErrors):
                claim.predictor.to_dict()
            kept.append(claim)
        except ValueError as wrong:
            refused.append(NotClaimed(claim.name, str(wrong)))
    return Composite(tuple(kept), tuple(refused))


def _of_own_numbers(proof: Inseparable, examples: Examples) -> tuple[Inseparable, Examples]:
    """A proof about scaled examples as one about the table's own numbers, which are not rounded, if
    an intercept makes both the same question."""
    scaled = examples.encoder
    if scaled.scaler_ is None or proof.intercept == "none":
        return proof, examples
    encoder = clone(scaled).set_params(scale="none")
    encoder.fit(examples.table.drop_columns([examples.target]))
    X = exact_matrix(encoder.transform(examples.table))
    own = replace(examples, X=X, encoder=encoder)
    labels = proof.labels
    try:
        sample = Sample.of(X, examples.y, labels)
        verdict = two_class_verdict(replace(sample, places=None), labels, proof.intercept)
    except ArithmeticError as wrong:
        raise without_answer(wrong) from wrong
    if isinstance(verdict, Separable):
        raise Problem(
            "a hyperplane separates the classes, but none does once float64 has rounded the scaled "
            f"numbers. Use {setting('scale', 'none')}."
        )
    if sample.places is not None:
        verdict = replace(verdict, vectors=sample.places[verdict.vectors])
    return verdict, own


def without_answer(wrong: Exception) -> Exception:
    """How a solver says that it was stopped too early, or that float64 is too coarse; what is more
    special than that is a fault of ours."""
    said = type(wrong) in (ArithmeticError, RuntimeError, Undecided)
    return Problem(str(wrong)) if said else wrong
