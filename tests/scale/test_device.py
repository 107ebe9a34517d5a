"""Devices: their names, what they say where they are not there, kernel values and scores."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy import sparse

from certo.kernels import Spectrum
from certo.scale import device
from tests.scale.devices import KERNELS, NO_TORCH


@pytest.fixture
def cpu():
    pytest.importorskip("torch", reason=NO_TORCH)
    return device.device_for("torch", 1)


class _Cuda:
    """What PyTorch would say of GPUs."""

    def __init__(self, count: int, free: int = 10**9):
        self.count, self.free = count, free

    def is_available(self):
        return self.count > 0

    def device_count(self):
        return self.count

    def mem_get_info(self, device):
        return self.free, 2 * self.free

    def memory_reserved(self, device):
        return 0

    memory_allocated = memory_reserved

    def empty_cache(self):
        pass


class TestNames:
    @pytest.mark.parametrize("name", ["cpu", "auto", "cuda", "cuda:0", "cuda:12"])
    def test_names_of_devices(self, name):
        assert device.check_device(name) == name

    @pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "cpu:0", "", 0, None, "CUDA"])
    def test_anything_else_is_refused(self, name):
        with pytest.raises(ValueError, match='device must be "cpu", "cuda"'):
            device.check_device(name)

    def test_the_processor_needs_no_pytorch(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        monkeypatch.setattr(device, "has_torch", lambda: False)
        assert device.device_for("cpu", 10**9) is None
        assert device.device_for("auto", 10**9) is None
        assert device.device_there("cuda") is None

    def test_without_pytorch_a_device_is_refused_in_words(self, monkeypatch):
        monkeypatch.setattr(device, "has_torch", lambda: False)
        with pytest.raises(device.NoDevice, match=r"pip install 'certo\[gpu\]'"):
            device.device_for("cuda", 10)

    def test_few_examples_do_not_import_pytorch(self, monkeypatch):
        monkeypatch.setattr(device, "has_torch", lambda: pytest.fail("looked for PyTorch"))
        assert device.device_for("auto", device.AUTO_FROM_ROWS - 1) is None

    def test_without_a_gpu(self, cpu, monkeypatch):
        monkeypatch.setattr("torch.cuda", _Cuda(0))
        assert device.device_for("auto", 10**6) is None
        with pytest.raises(device.NoDevice, match=r"needs a GPU .* it finds none"):
            device.device_for("cuda", 10**6)

    def test_numbers_of_gpus(self, cpu, monkeypatch):
        monkeypatch.setattr("torch.cuda", _Cuda(2))
        assert str(device.device_for("cuda:1", 10)) == "cuda:1"
        assert str(device.device_for("auto", 10**6)) == "cuda"
        with pytest.raises(device.NoDevice, match="finds 2 GPUs, numbered from 0"):
            device.device_for("cuda:2", 10)


class TestKernelsKnown:
    def test_vectors(self):
        assert all(map(device.is_known, KERNELS))

    @pytest.mark.parametrize("kernel", [Spectrum(2), Spectrum(2).normalised()])
    def test_others_are_refused_by_name(self, kernel):
        with pytest.raises(device.NoDevice, match="Spectrum"):
            device.require_known(kernel)

    def test_auto_leaves_others_to_the_processor(self, cpu, monkeypatch):
        monkeypatch.setattr("torch.cuda", _Cuda(1))
        assert device.device_of_vectors("auto", Spectrum(2), 10**6) is None


class TestWhatGoesWrong:
    def test_too_much_is_refused_with_the_estimate(self, cpu, monkeypatch):
        import torch

        monkeypatch.setattr("torch.cuda", _Cuda(1, free=10**9))
        with pytest.raises(device.DeviceMemory, match=r"needs about 2\.0 GB .* 1\.0 GB are free"):
            device.require_memory(torch.device("cuda"), 2 * 10**9, "This fit")
        device.require_memory(torch.device("cuda"), 8 * 10**8, "This fit")

    def test_memory_that_runs_out(self, cpu):
        import torch

        with pytest.raises(device.DeviceMemory, match="is used up"), device.on_device(cpu):
            raise torch.OutOfMemoryError("CUDA out of memory")

    def test_a_device_that_is_lost(self, cpu):
        import torch

        wrong = RuntimeError("CUDA error: an illegal memory access\nmore")
        with (
            pytest.raises(device.DeviceLost, match="illegal memory access"),
            device.on_device(torch.device("cuda")),
        ):
            raise wrong

    def test_other_errors_are_left_alone(self, cpu):
        with pytest.raises(RuntimeError, match="shapes"), device.on_device(cpu):
            raise RuntimeError("shapes")


class TestForeignArrays:
    def test_what_numpy_and_lists_are_is_left_alone(self):
        for X in ([[1.0]], np.eye(2), sparse.csr_array(np.eye(2)), None):
            assert device.on_host(X) is X

    def test_tensors(self, cpu):
        import torch

        X = torch.arange(6.0).reshape(2, 3)
        for given in (X, X.bfloat16(), X.to_sparse(), X.clone().requires_grad_()):
            assert np.array_equal(device.on_host(given), X.numpy())

    def test_without_pytorch_an_array_of_another_device_is_refused(self, monkeypatch):
        class OfDevice:
            shape = (1, 1)
            __cuda_array_interface__ = None

        monkeypatch.setattr(device, "has_torch", lambda: False)
        with pytest.raises(device.NoDevice, match="OfDevice is read by way of PyTorch"):
            device.on_host(OfDevice())
