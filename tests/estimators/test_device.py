"""SVM(device=…), by PyTorch on the processor: the same problem, claims and predictions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from certo import SVM, compare_kernels, load, save
from certo.estimators import _kernel
from certo.features import Nystroem, RandomFeatures
from certo.kernels import Gaussian, Linear, Polynomial, Spectrum
from certo.scale import device as devices
from certo.scale.device import DeviceMemory, NoDevice
from tests.scale.devices import NO_TORCH

torch = pytest.importorskip("torch", reason=NO_TORCH)
KERNELS = (
    Gaussian(2.0),
    Linear(),
    Polynomial(2),
    Gaussian(2.0) + Linear(),
    Polynomial(2) * Gaussian(3.0),
    2.0 * Gaussian(1.0),
    Polynomial(2).normalised(),
)
TOL = 1e-3


def rings(m: int = 150, seed: int = 0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, 3))
    return X, np.where((X**2).sum(axis=1) + rng.normal(size=m) > 3, "out", "in")


def classes(m: int = 120):
    X, _ = rings(m)
    return X, np.digitize((X**2).sum(axis=1), [1.5, 3.5])


def fitted(X, y, kernel=None, **settings):
    kernel = Gaussian(2.0) if kernel is None else kernel
    return SVM(kernel, tol=TOL, device="torch", **settings).fit(X, y)


def agree(model, other) -> None:
    """Each objective is within the other's proved gap."""
    for one, two in zip(model.certificate_, other.certificate_, strict=True):
        assert one.dual <= two.primal
        assert two.dual <= one.primal
        assert max(one.relative_gap, two.relative_gap) <= TOL


class TestFit:
    @pytest.mark.parametrize("kernel", KERNELS, ids=repr)
    @pytest.mark.parametrize("intercept", ["free", "lifted", "none"])
    def test_it_is_the_machine_of_the_processor(self, kernel, intercept):
        X, y = rings()
        model = fitted(X, y, kernel, intercept=intercept)
        agree(model, SVM(kernel, tol=TOL, intercept=intercept).fit(X, y))
        assert model.converged_
        assert model.certificate_.verify(X, y)

    def test_weights(self):
        X, y = rings()
        weight = np.random.default_rng(3).integers(0, 4, len(y)).astype(float)
        settings = {"class_weight": {"in": 2.0, "out": 0.5}}
        model = SVM(Gaussian(2.0), tol=TOL, device="torch", **settings).fit(X, y, weight)
        agree(model, SVM(Gaussian(2.0), tol=TOL, **settings).fit(X, y, weight))
        assert model.certificate_.verify(X, y)
        assert not np.any(weight[model.support_] == 0)

    @pytest.mark.parametrize("multiclass", ["pairs", "rest"])
    def test_several_classes(self, multiclass):
        X, y = classes()
        model = fitted(X, y, multiclass=multiclass)
        agree(model, SVM(Gaussian(2.0), tol=TOL, multiclass=multiclass).fit(X, y))
        assert len(model.certificate_) == 3
        assert model.certificate_.verify(X, y)

    def test_a_warm_start_begins_where_the_last_fit_ended(self):
        X, y = rings()
        model = fitted(X, y, warm_start=True)
        model.fit(X, y)
        assert model.n_iter_ == 1
        assert model.converged_

    def test_a_limit_gives_the_best_so_far_with_what_is_proved(self):
        X, y = rings()
        with pytest.warns(UserWarning, match="Stopped at"):
            model = fitted(X, y, max_iter=1)
        assert not model.converged_
        assert model.certificate_.verify(X, y)

    @pytest.mark.slow
    def test_other_forms_of_the_same_examples(self):
        X, y = rings()
        X = X.astype(np.float32)
        codes = np.unique(y, return_inverse=True)[1]
        model = fitted(X, codes)
        for given in (sparse.csr_array(X), torch.from_numpy(X), X.astype(np.float64)):
            other = fitted(given, torch.from_numpy(codes))
            assert np.array_equal(other.dual_coef_, model.dual_coef_)
            assert np.array_equal(other.predict(given), model.predict(X))

    def test_where_it_was_fitted_is_said_and_stored(self, tmp_path):
        X, y = rings()
        model = fitted(X, y)
        assert model.device_ == "cpu by PyTorch"
        assert SVM(Gaussian(2.0)).fit(X, y).device_ == "cpu"
        save(model, tmp_path / "model.certo")
        again = load(tmp_path / "model.certo")
        assert (again.device, again.device_) == ("torch", "cpu by PyTorch")
        assert np.array_equal(again.predict(X), model.predict(X))


class TestPrediction:
    @pytest.mark.parametrize("kernel", KERNELS, ids=repr)
    def test_it_is_the_same_function_everywhere(self, kernel, monkeypatch):
        monkeypatch.setattr(_kernel, "DEVICE_VALUES", 1)
        X, y = rings()
        model = SVM(kernel, tol=TOL).fit(X, y)
        new, _ = rings(seed=5)
        here, labels = model.decision_function(new), model.predict(new)
        model.set_params(device="torch")
        assert np.allclose(model.decision_function(new), here, rtol=1e-9, atol=1e-9)
        assert np.array_equal(model.predict(new), labels)

    def test_pairs(self, monkeypatch):
        X, y = classes()
        model = fitted(X, y)
        monkeypatch.setattr(_kernel, "DEVICE_VALUES", 1)
        there = model.predict(X)
        assert np.array_equal(model.set_params(device="cpu").predict(X), there)

    def test_a_model_of_a_gpu_predicts_without_one(self, monkeypatch):
        monkeypatch.setattr(_kernel, "DEVICE_VALUES", 1)
        monkeypatch.setattr(devices, "has_torch", lambda: False)
        X, y = rings()
        model = SVM(Gaussian(2.0), tol=TOL).fit(X, y)
        labels = model.predict(X)
        assert np.array_equal(model.set_params(device="cuda").predict(X), labels)


class TestWords:
    def test_without_a_kernel(self):
        with pytest.raises(NoDevice, match="needs a kernel, such as Linear"):
            SVM(device="torch").fit(*rings())

    def test_kernels_of_other_things(self):
        with pytest.raises(NoDevice, match="Spectrum"):
            SVM(Spectrum(2), device="torch").fit(["ab", "ba", "bb"], [0, 1, 1])

    def test_a_device_that_is_none(self):
        with pytest.raises(ValueError, match="device must be"):
            SVM(Gaussian(1.0), device="gpu").fit(*rings())

    def test_numbers_that_are_none(self):
        X, y = rings()
        X[7, 1] = np.nan
        with pytest.raises(ValueError, match=r"X\[7, 1\]|row 7"):
            fitted(torch.from_numpy(X), y)

    def test_memory_that_runs_out_leaves_the_machine_as_it_was(self, monkeypatch):
        X, y = rings()
        model = fitted(X, y)
        before = model.dual_coef_.copy()

        def full(*args, **kwargs):
            raise torch.OutOfMemoryError("CUDA out of memory")

        monkeypatch.setattr("certo.scale.device_kernels.DeviceKernel.values", full)
        with pytest.raises(DeviceMemory, match="used up"):
            model.fit(X, y)
        assert np.array_equal(model.dual_coef_, before)

    def test_more_than_there_is_memory_is_refused_before_it_starts(self, monkeypatch):
        def refuse(device, needed, what):
            raise DeviceMemory(f"{what} needs {needed}")

        monkeypatch.setattr("certo.estimators._device.require_memory", refuse)
        with pytest.raises(DeviceMemory, match="An SVM of 150 examples needs"):
            fitted(*rings())


class TestBesideTheSVM:
    def test_compare_kernels(self):
        X, y = rings()
        kernels, machine = [Gaussian(1.0), Gaussian(4.0)], SVM(tol=1e-4)
        there = compare_kernels(X, y, kernels, machine, cv=2, random_state=0, device="torch")
        here = compare_kernels(X, y, kernels, machine, cv=2, random_state=0)
        # Solutions of a gap of 1e-4 may differ on the few examples that are nearly at score 0.
        assert np.abs(there.validation_error - here.validation_error).max() <= 3 / len(y)
        assert "device='torch'" in there.machine

    def test_nystroem(self):
        X, _ = rings()
        for kernel in KERNELS:
            maps = [Nystroem(kernel, 20, random_state=0, device=d).fit(X) for d in ("cpu", "torch")]
            here, there = (one.transform(X) for one in maps)
            assert np.allclose(here, there, rtol=1e-8, atol=1e-8)

    def test_random_features(self):
        X, _ = rings()
        here, there = (
            RandomFeatures(2.0, 20, random_state=0, device=d).fit_transform(X)
            for d in ("cpu", "torch")
        )
        assert np.allclose(here, there, rtol=0, atol=1e-13)
