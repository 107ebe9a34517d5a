"""An independent look at a model file and a table: are they those of the fit, do the claims hold?

A claim is checked from the data by its certificate. That the certificates speak of this model is
checked by `guarantees.belonging`: a true claim about other weights proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from certo.certificates.base import CannotClaim, Certificate, Verification
from certo.certificates.certified import Certified
from certo.certificates.composite import Composite
from certo.certificates.risk.compression_bound import PREPROCESSED
from certo.certificates.risk.held_out_distances import TestDistances
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.sample.shared_rows import known_examples
from certo.data import columns
from certo.data.encoder import advice_in_verify
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem, problems_of
from certo.data.remarks import LeftOut
from certo.estimators.description import learns
from certo.guarantees.belonging import objections, objections_to_fit, objections_to_one
from certo.issue.labels import all_labels
from certo.issue.risk import error_cap
from certo.spot import SpotCheck, spot_check
from certo.tables.examples import Rows, encode_rows
from certo.tables.model_file import LoadedModel, StoredModel
from certo.verify import page_facts
from certo.words.reader import reading, reason

CAP_ROUNDING = 1e-10  # The share of a target's size below which an error may be rounding.


@dataclass(frozen=True)
class Audit:
    """What was found, and so whether a model is verified."""

    same_data: bool
    same_model: bool
    page: Certified  # Every claim that was checked.
    claims: Verification
    about_model: tuple[str, ...]  # How the certificates fail to speak of this model.
    could_check: bool = True  # False, where the table cannot even be encoded.
    unchecked: int = 0  # Claims about test examples, for which there was no table to use.
    same_test: bool | None = None  # None, where no claim or no table is about test examples.
    test_problem: str = ""  # Why the table of test examples cannot be used.
    notes: tuple[str, ...] = ()  # Notes on test examples.
    places: np.ndarray | None = None  # The numbers of the rows in the file, counting from 1.

    @property
    def claims_nothing(self) -> bool:
        return self.could_check and not self.claims.parts and not self.unchecked

    @property
    def claims_hold(self) -> bool:
        """No claim that was checked fails, and all are about this model."""
        return self.could_check and all(self.claims.parts) and not self.about_model

    @property
    def refuted(self) -> bool:
        """Something was found false, rather than only not found."""
        return not self.claims_hold and (self.could_check or self.same_data)

    @property
    def passed(self) -> bool:
        every_claim = bool(self.claims.parts) and not self.unchecked
        return self.of_the_fit and self.claims_hold and every_claim

    @property
    def of_the_fit(self) -> bool:
        return self.same_data and self.same_model and self.same_test is not False

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values, as `certo/report/schema.json` describes them."""
        names = (
            "passed", "same_data", "same_model", "same_test", "claims_hold", "about_model",
            "unchecked", "test_problem", "notes", "could_check",
        )  # fmt: skip
        found = {name: getattr(self, name) for name in names}
        found |= {name: list(found[name]) for name in ("about_model", "notes")}
        with reading(places=self.places):
            page = page_facts(self.page, self.claims.parts, self.passed)
        return {**found, "why": self.claims.why, **page}


def audit_table(
    loaded: LoadedModel, table: Any, test: Any = None, test_name: str = "the test table"
) -> Audit:
    """Recompute every claim of a model file from its table, and from that of test examples."""
    model, table = loaded.model, columns.as_table(table)
    same_data = fingerprint(table) == model.data_fingerprint
    page = every_claim(model)
    try:
        rows, unseen = parts_of(model, table)
    except Problem as wrong:
        about = objections_to_fit(page, model.machine, None, None)
        claims = Verification(False, "Certified", f"the claims cannot be checked: {wrong}")
        return Audit(same_data, loaded.as_written, page, claims, tuple(about), could_check=False)
    same_test, problem, notes = None, "", []
    if test is not None and model.held_out is not None:
        raise Problem(f"{test_name}: the test rows of this model are part of its own table.")
    if test is not None and len(page.test):
        try:
            with problems_of(test_name):
                test = columns.as_table(test)
                same_test = fingerprint(test) == model.test_fingerprint
                unseen = rows_of(model, test)
            notes = [f"{test_name}: {note}" for note in unseen.notes]
        except Problem as wrong:
            problem = str(wrong)
    elif test is not None:
        notes = [f"{test_name}: no claim is about test rows, so these were not looked at."]
    unchecked = len(page.test) if unseen is None else 0
    if unchecked:
        page = replace(page, test=Composite(()))
    with reading(places=rows.places):
        about = objections_to_model(model, page, *rows.pair) + _left_out(model, page, rows, unseen)
    if same_data:  # All levels were seen.
        about += [f"The model has other levels than the table: {note}" for note in rows.strange]
    else:
        notes = [*rows.strange, *notes]
    notes = [*rows.left_out.notes, *rows.merged, *notes]
    if hasattr(model.machine, "predict_interval"):
        notes.append("no claim is about standard errors or intervals, so they are not checked.")
    claims = page.verify(*rows.pair, *((None, None) if unseen is None else unseen.pair))
    return Audit(
        same_data, loaded.as_written, page, claims, tuple(about), True, unchecked, same_test,
        problem, tuple(notes), rows.places,
    )  # fmt: skip


def spot_check_table(loaded: LoadedModel, table: Any, rows: float, seed: int) -> SpotCheck:
    """A look at some rows of what the fit of a machine with a kernel claims: no audit."""
    model, table = loaded.model, columns.as_table(table)
    if fingerprint(table) != model.data_fingerprint or not loaded.as_written:
        raise Problem(
            "the table is not that of the fit, or the model file was changed: their fingerprints "
            "differ. Verify without a spot check: that says what does not hold."
        )
    own = parts_of(model, table)[0]
    try:
        return spot_check(model.machine.certificate_, *own.pair, rows=rows, seed=seed)
    except (ValueError, TypeError) as wrong:
        raise Problem(str(wrong)) from wrong


def parts_of(model: StoredModel, table: pa.Table) -> tuple[Rows, Rows | None]:
    """The rows of a table that a model was fitted to, and those that were held out to test it."""
    if model.held_out is None:
        return rows_of(model, table), None
    held_out = model.held_out.of(table.num_rows)
    try:
        parts = [rows_of(model, table.filter(pa.array(some))) for some in (~held_out, held_out)]
    except Problem:
        rows_of(model, table)  # The same problem, with the row's number in the file.
        raise
    marked = columns.with_missing(table, model.na, model.encoder.category_names_)
    kept = sum(len(rows.y) for rows in parts)
    left_out = LeftOut.of(table, marked, model.target, kept)
    seen, unseen = (
        rows._replace(places=1 + np.flatnonzero(some)[rows.places - 1], left_out=left_out)
        for rows, some in zip(parts, (~held_out, held_out), strict=True)
    )
    return seen, unseen


def rows_of(model: StoredModel, table: pa.Table) -> Rows:
    """A table as the machine of a model takes it."""
    measured = learns(model.machine) == "numbers"
    return encode_rows(
        table, model.encoder, model.target, model.missing, model.na, measured, advice_in_verify
    )


def with_test_errors(model: StoredModel, table: pa.Table, test: pa.Table, name: str) -> StoredModel:
    """The model with what a table of test examples, called `name`, says of new ones."""
    from certo.guarantees.predicting import predictor_of
    from certo.issue.errors import issue_test_errors

    machine, page = model.machine, model.certified
    with problems_of(name):
        rows = rows_of(model, test)
        if rows.left_out.why_no_draws:
            raise Problem(rows.left_out.why_no_draws)
        X, y = rows.pair
        classes = tuple(machine.classes_.tolist())
        known = known_examples(all_labels(classes), *rows_of(model, table).pair, X, y)
        if known.why:
            raise Problem(f"{known.why} To test, others are needed.")
        X, y = known.of_the_others(X), known.of_the_others(y)
        try:
            claim = issue_test_errors(X, y, classes, predictor_of(machine, X), page.delta)
        except CannotClaim as wrong:
            raise Problem(str(wrong)) from wrong
    said = [f"{name}: {rows.left_out.remark}"] if rows.left_out.remark else []
    page = replace(
        page,
        test=Composite((claim,)),
        remarks=(*page.remarks, *filter(None, [known.remark]), *said),
        asked=page.asked + 1,
    )
    return replace(model, test_fingerprint=fingerprint(test), certified=page)


def _left_out(model: StoredModel, page: Certified, rows: Rows, unseen: Rows | None) -> list[str]:
    """Claims about new examples from rows that are not draws, others having been left out."""
    found = [(page.claims, rows), (model.machine.certificate_, rows)]
    found += [(page.test, unseen)] if unseen is not None else []
    return [
        f"{claim.name} is claimed, but {part.left_out.why_no_draws}"
        for claims, part in found
        for claim in claims
        if isinstance(claim, RiskBound | TestDistances) and part.left_out.why_no_draws
    ]


def every_claim(model: StoredModel) -> Certified:
    """All that a model file claims: the page, and what only the machine itself says. (Of claims
    about new rows the page has the delta that was asked for: see `_own_bounds`.)"""
    page = model.certified
    more = tuple(claim for claim in _only_of_machine(model) if not isinstance(claim, RiskBound))
    return replace(page, claims=Composite(page.claims.claims + more, page.claims.not_claimed))


def _only_of_machine(model: StoredModel) -> Iterator[Certificate]:
    for claim in model.machine.certificate_:
        said = model.certified.claims
        if not any(one.labels == claim.labels and one == claim for one in said):
            yield claim


def _own_bounds(model: StoredModel, X: Any, y: np.ndarray | None) -> list[str]:
    """What is wrong with bounds that the machine keeps with a delta of its own: they, too, must be
    about this machine."""
    page, wrong = model.certified, []
    for claim in _only_of_machine(model):
        if not isinstance(claim, RiskBound):
            continue
        if claim.tried < page.tried:
            wrong.append(
                f"{claim.name} of the machine must be corrected for {page.tried:,} settings."
            )
        wrong += objections_to_one(claim, model.machine, X, y)
        if model.encoder.is_fitted_to_data:
            wrong.append(f"{claim.name} is claimed, but {PREPROCESSED}")
        elif y is None:
            wrong.append(f"{claim.name} of the machine is not on the page, and was not checked.")
        elif not (verdict := claim.verify(X, y)):
            why = reason(verdict.why, verdict.rows)
            wrong.append(f"{claim.name} of the machine does not hold: {why}")
    return wrong


def objections_to_model(
    model: StoredModel, page: Certified, X: Any = None, y: np.ndarray | None = None
) -> list[str]:
    """How claims, model and table do not fit together. Where the rows are not at hand (None), what
    needs them is not asked; a machine that is made of rows is then none of the table."""
    machine = model.machine
    wrong = _own_bounds(model, X, y) + objections(page, machine, X, y)
    if y is not None:
        wrong += _about_rows(model, page, X, y)
    if page.columns != tuple(model.encoder.get_feature_names_out()):
        wrong.append("The claims are about other features than the model's.")
    if model.encoder.is_fitted_to_data:
        bounds = [claim for claim in page.claims if isinstance(claim, RiskBound)]
        wrong += [f"{claim.name} is claimed, but {PREPROCESSED}" for claim in bounds]
    return list(dict.fromkeys(wrong))


def _about_rows(model: StoredModel, page: Certified, X: Any, y: np.ndarray) -> list[str]:
    machine, wrong = model.machine, []
    if len(y) != model.rows:
        wrong.append(f"The model is said to be fitted to {model.rows:,} rows, not {len(y):,}.")
    classes = getattr(machine, "classes_", None)
    if classes is not None and not np.array_equal(np.unique(y), classes):
        wrong.append("The classes of the model are not the values of the target.")
    for claim in page.of_kind(TestDistances):
        cap = error_cap(y - machine.predict(X))
        # The errors of an exact fit are rounding, which differs from machine to machine.
        if claim.cap and abs(claim.cap - cap) > 0.2 * cap + CAP_ROUNDING * np.abs(y).max():
            wrong.append(
                f"TestDistances caps errors at {claim.cap:g}, but four times the root mean square "
                f"error on the rows of the fit is about {cap:g}."
            )
    return wrong
