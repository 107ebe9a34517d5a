"""Model files hold machines with kernels whole; forged ones are refused, or fail their audit."""

from __future__ import annotations

import copy

import numpy as np
import pyarrow as pa
import pytest
from sklearn.base import clone

from certo import SVM, HardMarginSVM, KernelPerceptron, Pegasos
from certo.certificates import CompressionBound, SupportBound
from certo.data.problem import Problem
from certo.guarantees.belonging import OTHER_SETTINGS
from certo.kernels import Function, Gaussian, Linear, Polynomial, Precomputed
from certo.tables.audit import audit_table
from certo.tables.fit import fit_table
from certo.tables.model_file import load_model, save_model

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.uniform(-2, 2, (60, 2))
ROOMS = [f"room {k % 40}" for k in range(60)]  # so many columns that X becomes sparse
Y = np.where(POINTS[:, 0] * POINTS[:, 1] > 0, "up", "down").tolist()
TABLE = pa.table({"p": POINTS[:, 0], "q": POINTS[:, 1], "y": Y})
SPARSE = TABLE.append_column("room", pa.array(ROOMS))
THREE = TABLE.set_column(2, "y", pa.array(np.digitize(POINTS[:, 0], [-0.7, 0.7]).astype(str)))
MACHINES = [
    SVM(Gaussian(0.7)),
    SVM(2.0 * Polynomial(2) + Linear().normalised(), C=3.0, intercept="lifted"),
    SVM(Gaussian(1.0) * Polynomial(3), lam=0.1, class_weight="balanced", intercept="none"),
    HardMarginSVM(Gaussian(0.1)),
    HardMarginSVM(Gaussian(0.1), intercept="lifted"),
    KernelPerceptron(Gaussian(0.5), epochs=5),
    KernelPerceptron(Polynomial(2), epochs=2, intercept="lifted", budget=10),
    Pegasos(lam=0.1, max_iter=300, kernel=Gaussian(1.0), random_state=0),
    SVM(Gaussian() + Linear()),
    KernelPerceptron(Gaussian(), epochs=5),
]


@pytest.mark.parametrize("table", [TABLE, SPARSE, THREE], ids=["dense", "sparse", "three"])
@pytest.mark.parametrize("machine", MACHINES, ids=str)
def test_model_file_round_trip(machine, table, tmp_path):
    model = fit_table(table, "y", clone(machine)).model
    save_model(tmp_path / "m", model)
    loaded = load_model(tmp_path / "m")
    again, fitted = loaded.model.machine, model.machine
    assert again.get_params() == fitted.get_params()
    assert again.kernel_ == fitted.kernel_
    assert again.certificate_ == fitted.certificate_
    X = model.encoder.transform(table)
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    assert audit_table(loaded, table).passed


def forged(change, tmp_path, machine=MACHINES[0]):
    model = copy.deepcopy(fit_table(TABLE, "y", clone(machine)).model)
    change(model.machine)
    save_model(tmp_path / "m", model)
    return load_model(tmp_path / "m")


@pytest.mark.parametrize("kind", [SVM, KernelPerceptron])
def test_bounds_are_refused_where_the_kernel_was_fitted_to_the_rows(kind, tmp_path):
    X = fit_table(TABLE, "y", kind(Gaussian(1.0)), scale="none").model.encoder.transform(TABLE)
    fitted = Gaussian().fitted_to(X)
    model = fit_table(TABLE, "y", kind(fitted), scale="none").model
    bounds = [c for c in model.certified.claims if isinstance(c, SupportBound | CompressionBound)]
    assert bounds
    save_model(tmp_path / "given", model)
    assert audit_table(load_model(tmp_path / "given"), TABLE).passed
    model.machine.kernel = Gaussian()
    save_model(tmp_path / "fitted", model)
    found = audit_table(load_model(tmp_path / "fitted"), TABLE)
    assert not found.passed
    assert f"{bounds[0].name} {OTHER_SETTINGS}" in str(found.to_dict())


def other_vectors(machine):
    machine.support_vectors_ = machine.support_vectors_ + 1e-9


def other_kernel(machine):
    machine.kernel = machine.kernel_ = Gaussian(0.71)


def other_price(machine):
    machine.C = machine.C_ = 1.1


def other_coefficients(machine):
    machine.dual_coef_ = 0.5 * machine.dual_coef_


def other_intercept(machine):
    machine.intercept_ = machine.intercept_ + 0.1


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (other_vectors, "support vectors"),
        (other_kernel, "other settings"),
        (other_price, "other settings"),
        (other_coefficients, "dual_coef_"),
        (other_intercept, "intercept_"),
    ],
)
def test_a_changed_machine_is_not_verified(change, what, tmp_path):
    audit = audit_table(forged(change, tmp_path), TABLE)
    assert not audit.passed
    assert any(what in text for text in audit.about_model)


def too_few_vectors(machine):
    machine.support_vectors_ = machine.support_vectors_[:-1]


def narrow_vectors(machine):
    machine.support_vectors_ = machine.support_vectors_[:, :1]


def holed_vectors(machine):
    machine.support_vectors_ = machine.support_vectors_ * np.nan


def repeated_supports(machine):
    machine.support_[1] = machine.support_[0]


def two_kernels(machine):
    machine.kernel = Linear()


def a_matrix(machine):
    machine.kernel = machine.kernel_ = Precomputed()


def weights_besides(machine):
    machine.coef_ = np.ones((1, 2))


def other_margin(machine):
    machine.margin_ = 2 * machine.margin_


@pytest.mark.parametrize(
    "change",
    [
        repeated_supports,
        too_few_vectors,
        narrow_vectors,
        holed_vectors,
        two_kernels,
        a_matrix,
        weights_besides,
    ],
)
def test_impossible_states_are_refused(change, tmp_path):
    with pytest.raises(Problem, match="damaged or was not written by Certo"):
        forged(change, tmp_path)


@pytest.mark.parametrize("machine", MACHINES[-3:], ids=str)
def test_a_changed_run_is_not_verified(machine, tmp_path):
    def coefficients(machine):
        machine.dual_coef_[0][0] += 1

    if machine.get_params().get("budget") is None:
        assert not audit_table(forged(coefficients, tmp_path, machine), TABLE).passed
    assert not audit_table(forged(other_vectors, tmp_path, machine), TABLE).passed


def test_another_margin_is_refused(tmp_path):
    with pytest.raises(Problem, match="margins"):
        forged(other_margin, tmp_path, MACHINES[3])


def test_kernels_that_files_cannot_hold():
    """Not even as something that a pickle could."""

    def product(a, b):
        return float(a @ b)

    model = fit_table(TABLE, "y", SVM(Function(product))).model
    with pytest.raises(Problem, match=r"cannot be stored: .*a file cannot hold a Python function"):
        save_model("never written", model)
