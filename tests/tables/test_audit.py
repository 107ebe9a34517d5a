"""Attacks on model files of the machines that separate, or count errors: none is verified."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from certo.certificates import (
    Composite,
    CompressionBound,
    ErrorCount,
    ExpectedExcess,
    Images,
    LinearPredictor,
    MaximumMargin,
    Separable,
    SoftMarginGap,
)
from certo.certificates.errors.least_errors import LeastErrors
from certo.certificates.errors.least_errors_by_tree import LeastErrorsByTree, Packing, Subsystem
from certo.certificates.sample.labels import Labels
from certo.data.fingerprint import fingerprint
from certo.data.problem import Problem
from certo.issue.risk import issue_support_bound
from certo.kernels import Linear
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.model_file import load_model, save_model
from certo.tables.settings import machine

RNG = np.random.default_rng(0)
X = RNG.integers(-5, 6, (40, 4)).astype(float)
SCORE = X @ [1.0, -2.0, 1.0, 0.0] + 0.5
SEPARABLE = pa.table([*X.T, np.where(SCORE > 0, "yes", "no")], names=["a", "b", "c", "d", "kind"])
NOISY = SEPARABLE.set_column(
    4, "kind", pa.array(np.where(SCORE + 3 * RNG.normal(size=40) > 0, "yes", "no"))
)
TABLES = {"hard-margin": SEPARABLE, "min-disagreement": NOISY, "svm": NOISY, "pegasos": NOISY}
SETTINGS = {"svm": ["class_weight='balanced'"], "pegasos": ["max_iter=1000", "random_state=0"]}


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """An honest model file of each machine."""
    folder = tmp_path_factory.mktemp("models")
    for name, table in TABLES.items():
        made = machine(name, SETTINGS.get(name, []))
        save_model(folder / name, fit_table(table, "kind", made, scale="none").model)
    return {name: folder / name for name in TABLES}


def verdict(path, table, change):
    """What becomes of a model that is changed and saved with fresh fingerprints: "passed",
    "refuted", or "refused" when it cannot even be read."""
    model = load_model(path).model
    change(model)
    changed = path.with_name("changed.certo")
    save_model(changed, model)
    try:
        audit = audit_table(load_model(changed), table)
    except Problem:
        return "refused"
    assert audit.same_model
    return "passed" if audit.passed else "refuted"


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_an_honest_model_passes(models, name):
    assert verdict(models[name], TABLES[name], lambda model: None) == "passed"


def claims(model, edit):
    """Every claim edited, on the machine, on the page and inside others; None drops it."""

    def edited(claim):
        try:
            if hasattr(claim, "solutions"):
                claim = replace(claim, solutions=tuple(map(edit, claim.solutions)))
            return edit(claim)
        except ValueError:  # such a claim cannot even be made
            return None
        except (AttributeError, TypeError):  # it has nothing of that kind
            return claim

    def every(some):
        return Composite(tuple(claim for claim in map(edited, some) if claim is not None))

    model.machine.certificate_ = every(model.machine.certificate_)
    model.certified = replace(model.certified, claims=every(model.certified.claims))


def only(kind, **changes):
    return lambda claim: replace(claim, **changes) if isinstance(claim, kind) else claim


def without(kind):
    return lambda claim: None if isinstance(claim, kind) else claim


def put(name, value):
    def change(model):
        own = getattr(model.machine, name)
        setattr(model.machine, name, value(own) if callable(value) else value)

    return change


def other_weights(model):
    """True claims, about a multiple of the weights."""
    claims(model, lambda claim: replace(claim, coef=2 * claim.coef, intercept=2 * claim.intercept)
           if hasattr(claim, "coef") else claim)  # fmt: skip


def swapped(model):
    """True claims about the other question."""
    made = model.machine
    made.coef_, made.intercept_ = -made.coef_, -made.intercept_
    if hasattr(made, "dual_coef_"):
        made.dual_coef_ = -made.dual_coef_

    def turn(claim):
        signed = ("coef", "intercept", "dual_coef")
        turned = {name: -getattr(claim, name) for name in signed if hasattr(claim, name)}
        return replace(claim, labels=Labels(claim.labels.classes, 0), **turned)

    claims(model, turn)


SHARED = {
    "weights": put("coef_", lambda w: w * (1 + 1e-12)),
    "one weight": put("coef_", lambda w: w + np.eye(1, w.shape[1]) * 1e-9),
    "intercept": put("intercept_", lambda b: b + 0.25),
    "other weights": other_weights,
    "no claims": lambda m: claims(m, lambda claim: None),
    "fewer examples": lambda m: claims(m, lambda claim: replace(claim, examples=39)),
    "another question": swapped,
    "classes": put("classes_", np.array(["maybe", "yes"])),
    "another target": lambda m: setattr(m, "target", "a"),
    "another intercept": put("intercept", "none"),
    "more than a fit leaves": put("_multilabel", True),
}  # fmt: skip
ATTACKS = {
    "hard-margin": SHARED
    | {
        "supports": put("support_", lambda rows: rows[1:]),
        "multipliers": put("dual_coef_", lambda a: 2 * a),
        "a smaller tol": put("tol", 1e-300),
        "not converged, yet said": lambda m: claims(m, without(MaximumMargin)),
        "only that it separates": lambda m: (
            claims(m, without(MaximumMargin)),
            put("converged_", False)(m),
        ),
        "a larger margin": lambda m: claims(m, only(MaximumMargin, lower=50.0, upper=51.0)),
        "a larger distance": lambda m: claims(m, only(Separable, margin=50.0)),
        "margin_": put("margin_", lambda g: 2 * g),
        "geometric_margin_": put("geometric_margin_", lambda g: 2 * g),
        "objective_": put("objective_", lambda v: v / 2),
        "n_support_": put("_support_classes", lambda codes: 1 - codes),
        "no output": put("_in_output", lambda mine: mine & False),
        "lifted": lambda m: (put("intercept", "lifted")(m),),
        "lifted in the claim": lambda m: claims(m, only(MaximumMargin, treatment="lifted")),
    },
    "svm": SHARED
    | {
        "supports": put("support_", lambda rows: rows[1:]),
        "multipliers": put("dual_coef_", lambda a: a / 2),
        "multipliers of no supports": put("dual_coef_", lambda a: np.append(a, [[0.0]], axis=1)),
        "supports that are no examples": put("support_", lambda rows: rows + 40),
        "a smaller tol": put("tol", 1e-300),
        "not converged, yet said": lambda m: claims(m, without(SoftMarginGap)),
        "a better objective": lambda m: (
            claims(m, only(SoftMarginGap, primal=1.0, dual=0.99999, allowance=0.0)),
            put("objective_", np.array([1.0]))(m),
        ),
        "objective_": put("objective_", lambda v: v / 2),
        "a higher bound": lambda m: claims(
            m, lambda claim: replace(claim, dual=claim.primal, allowance=0.0)
        ),
        "n_support_": put("_support_classes", lambda codes: 1 - codes),
        "no output": put("_in_output", lambda mine: mine & False),
        "n_samples_fit_": put("n_samples_fit_", 41),
        "C": put("C", 0.5),
        "C_": put("C_", 0.5),
        "C in the claim": lambda m: claims(m, only(SoftMarginGap, C=0.5)),
        "lam": put("lam", 1.0),
        "another class_weight": put("class_weight", None),
        "class_weight of no numbers": put("class_weight", {"yes": "much", "no": 1.0}),
        "weights by hand": lambda m: claims(
            m, lambda claim: replace(claim, sample_weight=np.ones(40))
        ),
        "lifted": put("intercept", "lifted"),
        "lifted in the claim": lambda m: claims(m, only(SoftMarginGap, treatment="lifted")),
        "a true claim about a function": lambda m: claims(
            m, only(SoftMarginGap, space=Images(Linear(), 0.0), coef=np.zeros(0), allowance=1.0)
        ),
    },
    "pegasos": {name: attack for name, attack in SHARED.items() if name != "no claims"}
    | {
        "more steps": put("max_iter", 10**6),
        "more steps taken": put("steps_", np.array([10**6])),
        "objective_": put("objective_", lambda v: v / 2),
        "another lam": put("lam", 1.0),
        "another lam in the claim": lambda m: claims(m, only(ExpectedExcess, lam=1.0)),
        "a better bound": lambda m: claims(m, only(ExpectedExcess, bound=1e-3)),
        "a better objective": lambda m: claims(m, only(ExpectedExcess, objective=1e-3)),
        "the last iterate": put("average", False),
    },
    "min-disagreement": SHARED
    | {
        "fewer errors": put("errors_", lambda n: n - 1),
        "a higher bound": put("lower_bound_", lambda n: n + 1),
        "fewer errors claimed": lambda m: (
            put("errors_", m.machine.errors_ - 1)(m),
            claims(m, only(ErrorCount, errors=m.machine.errors_)),
        ),
        "a lower bound above": lambda m: claims(m, only(LeastErrors, at_least=30.0)),
        "more errors and a higher bound": lambda m: (
            put("errors_", 30)(m),
            put("lower_bound_", 30)(m),
            claims(m, only(ErrorCount, errors=30.0)),
            claims(m, only(LeastErrors, at_least=30.0)),
        ),
        "no bound": lambda m: claims(m, without(LeastErrors)),
        "no count": lambda m: claims(m, without(ErrorCount)),
        "not optimal": put("optimal_", lambda optimal: not optimal),
        "an answer": put("answer_", "yes"),
        "a target": put("target", 3),
        "errors of no weight": lambda m: (
            put("errors_", 0)(m),
            put("lower_bound_", 0)(m),
            claims(m, lambda claim: replace(claim, sample_weight=np.zeros(40))),
            claims(m, only(ErrorCount, errors=0.0)),
            claims(m, only(LeastErrors, at_least=0.0)),
            put("optimal_", True)(m),
        ),
        "bound of another problem": lambda m: claims(m, only(LeastErrors, lifted=False)),
    },
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "attack"), [(name, attack) for name, group in ATTACKS.items() for attack in group]
)
def test_no_forged_model_passes(models, name, attack):
    assert verdict(models[name], TABLES[name], ATTACKS[name][attack]) in ("refuted", "refused")


def page(**changes):
    """Other things on the page of claims, true or false."""

    def change(model):
        new = {name: make(model) for name, make in changes.items()}
        model.certified = replace(model.certified, **new)

    return change


def on_page(kind, **changes):
    """A claim of the page with other numbers."""

    def edited(model):
        return Composite(tuple(
            replace(claim, **{name: make(claim) for name, make in changes.items()})
            if claim.name == kind else claim
            for claim in model.certified.claims
        ))  # fmt: skip

    return page(claims=edited)


PAGES = {
    "fewer errors": on_page("TrainingErrors", errors=lambda claim: claim.errors - 1),
    "another rule": on_page(
        "TrainingErrors", predictor=lambda claim: LinearPredictor(2 * claim.predictor.coef, [0.0])
    ),
    "fewer supports": on_page("SupportBound", supports=lambda claim: claim.supports - 1),
    "a sharper bound": on_page("SupportBound", bound=lambda claim: claim.bound * 0.999),
    "another delta": on_page("SupportBound", delta=lambda claim: claim.delta / 2),
    "solutions of another C": on_page(
        "SupportBound", solutions=lambda claim: (replace(claim.solutions[0], C=2.0),)
    ),
    "other columns": page(columns=lambda model: ("b", "a", "c", "d")),
    "no columns": page(columns=lambda model: ()),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A soft margin without weights, which says something about new examples."""
    path = tmp_path_factory.mktemp("plain") / "svm"
    made = fit_table(NOISY, "kind", machine("svm", []), scale="none").model
    assert [claim.name for claim in made.certified][-1] == "SupportBound"
    save_model(path, made)
    return path


@pytest.mark.parametrize("attack", PAGES)
def test_no_forged_page_passes(plain, attack):
    assert verdict(plain, NOISY, PAGES[attack]) in ("refuted", "refused")


def test_nothing_is_said_of_new_examples_where_columns_were_scaled(tmp_path):
    scaled = fit_table(NOISY, "kind", machine("svm", [])).model
    examples = scaled.encoder.transform(NOISY)
    bound = issue_support_bound(
        examples, NOISY.column("kind").to_numpy(), [scaled.certified.claims[0]]
    )
    save_model(tmp_path / "m", scaled)
    assert verdict(tmp_path / "m", NOISY, lambda model: None) == "passed"
    claims = Composite((*scaled.certified.claims, bound))
    assert verdict(tmp_path / "m", NOISY, page(claims=lambda model: claims)) == "refuted"


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_claims_of_another_machine_prove_nothing(models, name):
    others = [load_model(models[other]).model for other in sorted(set(TABLES) - {name})]
    perceptron = fit_table(SEPARABLE, "kind", machine("perceptron", []), scale="none").model
    for donor in (*others, perceptron):
        foreign = donor.machine.certificate_

        def add(own, foreign=foreign):
            return Composite((*own.claims, *foreign.claims))

        for change in (put("certificate_", add), put("certificate_", foreign)):
            assert verdict(models[name], TABLES[name], change) != "passed"


@pytest.mark.parametrize("name", TABLES)
def test_changed_data_are_refuted(models, name):
    table = TABLES[name]
    labels = table.column("kind").to_pylist()
    scores = load_model(models[name]).model.machine.decision_function(X)
    t = int(np.argmax(np.where(np.array(labels) == "yes", scores, -scores)))  # the one most right
    labels[t] = "no" if labels[t] == "yes" else "yes"
    flipped = table.set_column(4, "kind", pa.array(labels))

    def adopt(model):
        model.data_fingerprint = fingerprint(flipped)

    assert verdict(models[name], flipped, adopt) == "refuted"
    assert verdict(models[name], table.slice(0, 39), lambda model: None) == "refuted"


HOSTILE = {
    "a tree without end": {"tree": list(range(40)) * 50},
    "packings that are not there": {"tree": [-5]},
    "an empty tree": {"tree": []},
    "weights that do not cancel": {"subsystems": [{"rows": [0, 1], "weights": ["1/2", "1/2"]}]},
    "rows that are not there": {"subsystems": [{"rows": [7, 10**6], "weights": ["1/2", "1/2"]}]},
    "a value below zero": {"packings": [{"subsystems": [0], "values": [-(10**300)]}]},
    "a value beyond everything": {"packings": [{"subsystems": [0], "values": [10**300]}]},
    "subsystem −1": {"packings": [{"subsystems": [-1], "values": [10**6]}]},
    "a fraction by zero": {"subsystems": [{"rows": [0], "weights": ["1/0"]}]},
    "text": {"tree": "deep"},
    "no list": {"subsystems": 7},
}


@pytest.mark.slow
@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_proofs_fail_and_do_no_more(models, what, tmp_path):
    made = load_model(models["min-disagreement"]).model
    halves = (Fraction(1, 2), Fraction(1, 2))
    proof = LeastErrorsByTree(
        Labels(("no", "yes")), True, 40, np.zeros(0), float(made.machine.lower_bound_),
        (Subsystem(np.array([0, 1]), halves),), (Packing((0,), (1,)),), np.array([-1]),
    )  # fmt: skip
    written = Composite((*made.machine.certificate_.of_kind(ErrorCount), proof)).to_dict()
    written["claims"][1] |= HOSTILE[what]
    made.machine.certificate_ = _Written(written)
    save_model(tmp_path / "m", made)
    try:
        loaded = load_model(tmp_path / "m")
    except Problem:
        return
    assert audit_table(loaded, NOISY).refuted


@pytest.mark.parametrize("text", ["[" * 10**5, '{"type": "Composite"}', "NaN", "1e999", "", "{"])
def test_a_certificate_that_is_none_is_refused(models, text, tmp_path):
    made = load_model(models["hard-margin"]).model
    made.machine.certificate_ = _Written(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("certo.estimators._linear.json", SimpleNamespace(dumps=lambda value: value))
        save_model(tmp_path / "m", made)
    with pytest.raises(Problem, match="damaged"):
        load_model(tmp_path / "m")


class _Written:
    """Stands for a certificate when a model is saved: anything goes into the file."""

    def __init__(self, content):
        self.content = content

    def to_dict(self):
        return self.content


@pytest.mark.parametrize("delta", [0.001, 0.05, 0.3])
@pytest.mark.parametrize("average", ["True", "False"])
def test_bounds_have_the_delta_that_was_asked_for(tmp_path, delta, average):
    X = np.random.default_rng(4).normal(size=(300, 2))
    table = pa.table({"a": X[:, 0], "b": X[:, 1], "kind": np.where(X[:, 0] > 0, "yes", "no")})
    made = machine("perceptron", ["epochs=3", f"average={average}"])
    fitted = fit_table(table, "kind", made, scale="none", delta=delta)
    save_model(tmp_path / "m", fitted.model)
    audit = audit_table(load_model(tmp_path / "m"), table)
    assert audit.passed
    assert audit.page.in_words() == fitted.certified.in_words()

    def sharper(claim):
        return replace(claim, tail=claim.tail / 2) if isinstance(claim, CompressionBound) else claim

    def forged(model):
        own = model.machine.certificate_
        model.machine.certificate_ = Composite(tuple(map(sharper, own)), own.not_claimed)

    assert verdict(tmp_path / "m", table, forged) == "refuted"
