"""An independent look at a model file and a table: are they those of the fit, do the claims hold?

A claim is checked from the data by its certificate. What is checked here is that the certificates
speak of this model: a true claim about other weights, or about fewer outputs, proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from sklearn.base import is_regressor
from sklearn.utils.class_weight import compute_class_weight

from certo.certificates.base import (
    Certificate,
    Verification,
)
from certo.certificates.certified import Certified
from certo.certificates.composite import Composite
from certo.certificates.errors.error_count import ErrorCount
from certo.certificates.errors.held_out_errors import TestErrors
from certo.certificates.errors.least_errors_by_cells import LeastErrorsByCells
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree
from certo.certificates.errors.training_errors import TrainingErrors
from certo.certificates.margins.maximum_margin import MaximumMargin
from certo.certificates.margins.soft_margin_gap import SoftMarginGap
from certo.certificates.model import Model, parts_of, strangers
from certo.certificates.regression.least_squares_excess import LeastSquaresExcess
from certo.certificates.regression.logistic_excess import LogisticExcess
from certo.certificates.regression.no_estimate import NoEstimate
from certo.certificates.risk.average_to_batch import AverageToBatch
from certo.certificates.risk.compression_bound import PREPROCESSED, CompressionBound
from certo.certificates.risk.kernel_scheme import KernelScheme
from certo.certificates.risk.online_to_batch import OnlineToBatch
from certo.certificates.risk.perceptron_scheme import PerceptronScheme
from certo.certificates.risk.risk_bound import RiskBound
from certo.certificates.risk.support_bound import SupportBound
from certo.certificates.runs.expected_excess import ExpectedExcess
from certo.certificates.runs.mistake_bound import MistakeBound
from certo.certificates.runs.perceptron_run import PerceptronRun
from certo.certificates.runs.regret import Regret
from certo.certificates.runs.update_sums import UpdateSums
from certo.certificates.sample.labels import Labels
from certo.certificates.sample.values import Values
from certo.certificates.separation.quasi_separable import Overlapping
from certo.certificates.separation.separable import Separable
from certo.certificates.spaces.space import SpaceClaim
from certo.data import tables
from certo.data.encoder import IN_VERIFY
from certo.data.fingerprint import fingerprint
from certo.data.model_file import LoadedModel, StoredModel
from certo.data.problem import Problem, problems_of
from certo.estimators import (
    SVM,
    HardMarginSVM,
    KernelPerceptron,
    LeastSquares,
    LogisticRegression,
    MinDisagreement,
    OnlineGradientDescent,
    Pegasos,
    Perceptron,
)
from certo.guarantees.house import partly_claimed, same_vectors
from certo.verify import claim_facts, together
from certo.workflow import Rows, encode_rows, of_the_file

OTHER_SETTINGS = "speaks of a fit with other settings than the model's."


@dataclass(frozen=True)
class Audit:
    """What was found, and so whether a model is verified."""

    same_data: bool
    same_model: bool
    page: Certified  # every claim that was checked
    claims: Verification
    about_model: tuple[str, ...]  # how the certificates fail to speak of this model
    could_check: bool = True  # False: the table cannot even be encoded
    unchecked: int = 0  # claims about test examples, for which there was no table to use
    same_test: bool | None = None  # None: nothing is claimed about test examples, or none came
    test_problem: str = ""  # why the table of test examples cannot be used
    notes: tuple[str, ...] = ()  # on what was done to test examples

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
    def facts(self) -> list[dict[str, Any]]:
        """Every claim and what became of it."""
        return claim_facts(self.page, self.claims) if self.could_check else []

    @property
    def passed(self) -> bool:
        return (
            self.of_the_fit and self.claims_hold and bool(self.claims.parts) and not self.unchecked
        )

    @property
    def of_the_fit(self) -> bool:
        return self.same_data and self.same_model and self.same_test is not False

    @property
    def together(self) -> dict[str, Any]:
        """What all claims together say of new examples, if every one was checked and holds."""
        return together(self.page, self.passed)

    def to_dict(self) -> dict[str, Any]:
        return {
            "passed": self.passed,
            "same_data": self.same_data,
            "same_model": self.same_model,
            "same_test": self.same_test,
            "claims_hold": self.claims_hold,
            "about_model": list(self.about_model),
            "unchecked": self.unchecked,
            "test_problem": self.test_problem,
            "notes": list(self.notes),
            **self.together,
            "claims": self.claims.to_dict() | ({"parts": self.facts} if self.facts else {}),
            "not_claimed": [refusal.to_dict() for refusal in self.page.not_claimed],
        }


def audit_table(
    loaded: LoadedModel, table: Any, test: Any = None, test_name: str = "the test table"
) -> Audit:
    """Recompute every claim of a model file from its table, and from that of test examples."""
    model, table = loaded.model, tables.as_table(table)
    same_data = fingerprint(table) == model.data_fingerprint
    page = _every_claim(model)
    try:
        rows = rows_of(model, table)
    except Problem as wrong:
        about = _unlike(page, model.machine, None, None)
        claims = Verification(False, "Certified", f"the claims cannot be checked: {wrong}")
        return Audit(same_data, loaded.as_written, page, claims, tuple(about), could_check=False)
    unseen, same_test, problem, notes = None, None, "", []
    if test is not None and len(page.test):
        try:
            with problems_of(test_name):
                test = tables.as_table(test)
                same_test = fingerprint(test) == model.test_fingerprint
                unseen = rows_of(model, test)
            notes = [f"{test_name}: {note}" for note in unseen.notes]
        except Problem as wrong:
            problem = str(wrong)
    unchecked = len(page.test) if unseen is None else 0
    if unchecked:
        page = replace(page, test=Composite(()))
    about = _about_model(model, page, *rows.pair) + _left_out(model, page, rows, unseen)
    if same_data:  # all levels were seen
        about += [f"The model has other levels than the table: {note}" for note in rows.strange]
    else:
        notes = [*rows.strange, *notes]
    notes = [*rows.left_out.notes, *rows.merged, *notes, *_not_checked(model.machine)]
    claims = page.verify(*rows.pair, *((None, None) if unseen is None else unseen.pair))
    return Audit(
        same_data,
        loaded.as_written,
        page,
        _by_row_numbers(claims, len(page.claims), rows, unseen),
        tuple(about),
        unchecked=unchecked,
        same_test=same_test,
        test_problem=problem,
        notes=tuple(notes),
    )


def rows_of(model: StoredModel, table: pa.Table) -> Rows:
    """A table as the machine of a model takes it."""
    return encode_rows(
        table, model.encoder, model.target, model.missing, model.na, is_regressor(model.machine),
        advice=IN_VERIFY,
    )  # fmt: skip


def _not_checked(machine) -> list[str]:
    """What predictions come with that no claim is about."""
    if not hasattr(machine, "predict_interval"):
        return []
    return [
        "no claim is about standard errors, nor about the intervals of --interval: they are not "
        "checked."
    ]


def _left_out(model: StoredModel, page: Certified, rows: Rows, unseen: Rows | None) -> list[str]:
    """Claims about new examples from rows that are no draws, others having been left out."""
    found = [(page.claims, rows), (model.machine.certificate_, rows)]
    found += [(page.test, unseen)] if unseen is not None else []
    wrong = [
        f"{claim.name} is claimed, but {part.left_out.why_no_draws}"
        for claims, part in found
        for claim in claims
        if isinstance(claim, RiskBound) and part.left_out.why_no_draws
    ]
    return list(dict.fromkeys(wrong))


def _by_row_numbers(
    claims: Verification, about_fit: int, rows: Rows, unseen: Rows | None
) -> Verification:
    """What was found, with the numbers that rows have in their file."""
    parts = tuple(
        replace(
            part,
            why=of_the_file(
                part.why, rows.places if unseen is None or k < about_fit else unseen.places
            ),
        )
        for k, part in enumerate(claims.parts)
    )
    return replace(claims, parts=parts)


def _every_claim(model: StoredModel) -> Certified:
    """All that a model file claims: the page, and what only the machine itself says. (Of claims
    about new rows the page has the delta that was asked for: see `_own_bounds`.)"""
    page = model.certified
    more = tuple(claim for claim in _only_of_machine(model) if not isinstance(claim, RiskBound))
    return replace(page, claims=Composite(page.claims.claims + more, page.claims.not_claimed))


def _only_of_machine(model: StoredModel) -> list[Certificate]:
    page = model.certified
    return [
        claim for claim in model.machine.certificate_
        if not any(said.labels == claim.labels and said == claim for said in page.claims)
    ]  # fmt: skip


def _own_bounds(model: StoredModel, X, y: np.ndarray) -> list[str]:
    """What is wrong with bounds that the machine keeps with a delta of its own: they, too, must be
    about this machine."""
    page, machine, makes = model.certified, model.machine, _says(model.machine).claims
    wrong: list[str] = []
    for claim in _only_of_machine(model):
        if not isinstance(claim, RiskBound):
            continue
        if claim.tried < page.tried:
            wrong.append(f"{claim.name} of the machine must pay for {page.tried:,} settings.")
        spoken = Model.of([claim], machine)
        wrong += strangers([claim], spoken, X, partly=spoken.numbers)
        if type(claim) in makes:
            same = makes[type(claim)](claim, machine, y)
        else:
            same = type(claim) in OF_ANY and OF_ANY[type(claim)](claim, machine)
        if not same:
            wrong.append(f"{claim.name} {OTHER_SETTINGS}")
        if model.encoder.is_fitted_to_data:
            wrong.append(f"{claim.name} is claimed, but {PREPROCESSED}")
        elif not (verdict := claim.verify(X, y)):
            wrong.append(f"{claim.name} of the machine does not hold: {verdict.why}")
    return wrong


def _of_the_fit(page: Certified, machine) -> list[Certificate]:
    """The claims, and those inside them, that such a fit makes; what may be claimed of any machine
    is left out."""
    parts = [part for claim in page for part in parts_of(claim)]
    own = _says(machine).claims
    return [part for part in parts if type(part) in own or type(part) not in OF_ANY]


def _about_model(model: StoredModel, page: Certified, X, y: np.ndarray) -> list[str]:
    """How claims and model do not fit together."""
    machine = model.machine
    wrong = _unlike(page, machine, X, y) + _own_bounds(model, X, y)
    wrong += strangers(page, Model.of(page, machine), X)
    wrong += [
        f"{claim.name} {OTHER_SETTINGS}"
        for claim in page
        if type(claim) in OF_ANY and not OF_ANY[type(claim)](claim, machine)
    ]
    if not same_vectors(machine, X):
        wrong.append("The support vectors of the model are not the rows of the table.")
    if len(y) != model.rows:
        wrong.append(f"The model is said to be fitted to {model.rows:,} rows, not {len(y):,}.")
    if not is_regressor(machine) and not np.array_equal(np.unique(y), machine.classes_):
        wrong.append("The classes of the model are not the values of the target.")
    if page.columns != tuple(model.encoder.get_feature_names_out()):
        wrong.append("The claims are about other features than the model's.")
    for claim in page.claims:
        if isinstance(claim, RiskBound) and model.encoder.is_fitted_to_data:
            wrong.append(f"{claim.name} is claimed, but {PREPROCESSED}")
    return list(dict.fromkeys(wrong))


def _unlike(page: Certified, machine, X, y: np.ndarray | None) -> list[str]:
    """How what a fit claims is not what this machine's would be: kinds, target, settings, values,
    outputs left out. (Some settings, like balanced weights, mean something for given labels only.)
    """
    own, (spoken_of, makes) = _of_the_fit(page, machine), _says(machine)
    wrong = strangers(own, Model.of(own, machine, spoken_of), X, partly_claimed(machine))
    for claim in own:
        if type(claim) not in makes:
            wrong.append(f"{claim.name} is nothing that {type(machine).__name__} claims.")
        elif type(machine) in SAYS_OF_ALL and claim.labels != _answered(machine):
            wrong.append(f"{claim.name} is about another target than the model's.")
        elif not makes[type(claim)](claim, machine, y):
            wrong.append(f"{claim.name} {OTHER_SETTINGS}")
    return wrong


def _answered(machine) -> Values | Labels:
    """What y is to the claims of a machine about all outputs."""
    if is_regressor(machine):
        return Values()
    return Labels(tuple(machine.classes_.tolist()), len(machine.classes_) - 1)


def _same_run(run: PerceptronRun, machine: Perceptron) -> bool:
    own = machine.run()
    return replace(run, seed=own.seed, output=own.output, sparse=own.sparse) == own


def _same_runs(claim: PerceptronScheme | OnlineToBatch, machine) -> bool:
    return type(machine) is Perceptron and all(_same_run(run, machine) for run in claim.runs)


def _same_scheme(claim: CompressionBound, machine) -> bool:
    scheme = claim.scheme
    if isinstance(scheme, PerceptronScheme):
        return _same_runs(scheme, machine) and scheme.zero_sign in (None, machine.zero_sign)
    if not (isinstance(scheme, KernelScheme) and type(machine) is KernelPerceptron):
        return False
    same = machine.budget is None and replace(scheme.run, seed=0) == machine.run()
    return same and _kernel_was_given(machine)


def _kernel_was_given(machine) -> bool:
    """Whether no parameter of the kernel was computed from the examples of the fit."""
    return getattr(machine, "_kernel_to_fit", None) == getattr(machine, "kernel_", None)


def _same_updates(claim: MistakeBound, machine, y) -> bool:
    run = machine.run()
    started = run.init == "random" or not np.any(claim.start)
    same = (claim.lifted, claim.averaged) == (run.lifted, run.average)
    return started and same and claim.sums == UpdateSums(run.rate) and _same_space(claim, machine)


def _same_count(claim: ErrorCount, machine, y) -> bool:
    """Errors are counted on all rows alike (weights could leave some out), where it was allowed to
    look for the hyperplane."""
    return not claim.sample_weight.size and (machine.intercept == "free" or not claim.intercept)


def _same_least(claim: LeastErrorsByCells | LeastErrorsByTree, machine, y) -> bool:
    return not claim.sample_weight.size and claim.lifted == (machine.intercept == "free")


def _same_space(claim: SpaceClaim, machine) -> bool:
    """The claim is about hyperplanes, or about functions of the kernel of the machine."""
    return claim.space.kernel == getattr(machine, "kernel_", None)


def _same_margin(claim: MaximumMargin, machine: HardMarginSVM, y) -> bool:
    return _same_space(claim, machine) and claim.treatment == machine.intercept


def _same_costs(claim: SoftMarginGap, machine: SVM, y: np.ndarray | None) -> bool:
    """What slack costs is what the settings say for these labels."""
    if not _same_space(claim, machine):
        return False
    if claim.treatment != machine.intercept or claim.C != machine.C_:
        return False
    if y is None or not np.array_equal(np.unique(y), machine.classes_):
        return True  # that is said elsewhere
    prices = machine._prices(y, machine.classes_, None)
    return all(np.array_equal(getattr(claim, name), own) for name, own in prices._asdict().items())


def _same_guarantee(claim: ExpectedExcess, machine: Pegasos, y) -> bool:
    """The theorem speaks of the average, for the λ and the intercept of the run."""
    settings = (machine.lam, machine.steps, machine.intercept == "lifted")
    same = (claim.lam, claim.steps, claim.lifted) == settings
    return machine.average and same and _same_space(claim, machine)


def _same_mistakes(claim: MistakeBound, machine: KernelPerceptron, y) -> bool:
    lifted = claim.lifted == (machine.intercept == "lifted")
    return machine.budget is None and lifted and _same_space(claim, machine)


def _same_squares(claim: LeastSquaresExcess, machine: LeastSquares, y) -> bool:
    settings = (machine.intercept, float(machine.ridge))
    return (claim.treatment, claim.ridge) == settings and not claim.sample_weight.size


def _same_likelihood(claim: LogisticExcess, machine: LogisticRegression, y) -> bool:
    """The loss is weighted as the settings say for these labels, and penalised as they say: a
    ridge of its own is allowed where there is no estimate."""
    standing_in = machine.on_separation == "ridge" and machine.separation_ is not None
    ridges = {float(machine.ridge)} if not standing_in else {float(machine.ridge), machine.ridge_}
    if (
        claim.treatment != machine.intercept
        or claim.sample_weight.size
        or claim.ridge != machine.ridge_
        or claim.ridge not in ridges
    ):
        return False
    if machine.class_weight is None:
        return not claim.class_weight.size
    if y is None or not np.array_equal(np.unique(y), machine.classes_):
        return True  # that is said elsewhere
    own = compute_class_weight(machine.class_weight, classes=machine.classes_, y=y)
    return np.array_equal(claim.class_weight, own)


def _same_direction(claim: NoEstimate, machine: LogisticRegression, y) -> bool:
    return claim.intercept == machine.intercept and not claim.ignored.size


def _same_steps(claim: Regret | AverageToBatch, machine) -> bool:
    """The run is that of the settings; whether rows are sparse is the table's matter."""
    if type(machine) is not OnlineGradientDescent:
        return False
    return replace(claim.run, sparse=False) == machine.run()


def _same_overlap(claim: Overlapping, machine: LogisticRegression, y) -> bool:
    return claim.intercept == machine.intercept


class Says(NamedTuple):
    """What the claims of a machine are about, and what of its settings they depend on."""

    spoken_of: tuple[str, ...]  # for every output, whatever else is claimed: a fit always can
    claims: dict[type[Certificate], Callable[[Any, Any, np.ndarray | None], bool]]


SAYS = {
    Perceptron: Says(
        ("coef_", "intercept_", "updates_", "updated_"),
        {
            Separable: lambda claim, machine, y: True,
            MistakeBound: _same_updates,
            CompressionBound: lambda claim, machine, y: _same_scheme(claim, machine),
        },
    ),
    HardMarginSVM: Says(
        ("coef_", "intercept_", "support_", "dual_coef_"),
        {
            Separable: lambda claim, machine, y: True,
            MaximumMargin: _same_margin,
        },
    ),
    SVM: Says(
        ("coef_", "intercept_", "support_", "dual_coef_"),
        {SoftMarginGap: _same_costs},
    ),
    Pegasos: Says((), {ExpectedExcess: _same_guarantee}),  # a run that was stopped claims nothing
    OnlineGradientDescent: Says(  # more rounds after the first call claim nothing
        (), {Regret: lambda claim, machine, y: _same_steps(claim, machine)}
    ),
    MinDisagreement: Says(
        ("coef_", "intercept_", "errors_", "lower_bound_"),
        {
            ErrorCount: _same_count,
            LeastErrorsByCells: _same_least,
            LeastErrorsByTree: _same_least,
        },
    ),
}

SAYS_WITH_KERNEL = {
    KernelPerceptron: Says((), {MistakeBound: _same_mistakes}),  # with a budget, no claim
    Pegasos: Says((), {ExpectedExcess: _same_guarantee}),
    HardMarginSVM: Says(
        ("intercept_", "support_", "dual_coef_"),
        {MaximumMargin: _same_margin},
    ),
    SVM: Says(
        ("intercept_", "support_", "dual_coef_"),
        {SoftMarginGap: _same_costs},
    ),
}

SAYS_OF_ALL = {
    LeastSquares: Says(("coef_", "intercept_"), {LeastSquaresExcess: _same_squares}),
    LogisticRegression: Says(
        ("coef_", "intercept_"),
        {
            LogisticExcess: _same_likelihood,
            NoEstimate: _same_direction,
            Overlapping: _same_overlap,
        },
    ),
}


# What may be claimed of any machine, and what it depends on besides the rule by which it predicts.
OF_ANY: dict[type[Certificate], Callable[[Any, Any], bool]] = {
    TrainingErrors: lambda claim, machine: True,
    TestErrors: lambda claim, machine: True,
    Separable: lambda claim, machine: True,
    # The solutions of a SupportBound have settings of their own.
    SupportBound: lambda claim, machine: _kernel_was_given(machine),
    CompressionBound: _same_scheme,
    OnlineToBatch: _same_runs,
    AverageToBatch: _same_steps,
}


def _says(machine) -> Says:
    if type(machine) is Perceptron and machine.average:  # its steps lead to the last weights
        claims = SAYS[Perceptron].claims
        return Says(("last_coef_", "last_intercept_", "updates_", "updated_"), claims)
    if type(machine) in SAYS_OF_ALL:
        return SAYS_OF_ALL[type(machine)]
    return (SAYS if getattr(machine, "kernel_", None) is None else SAYS_WITH_KERNEL)[type(machine)]
