"""NVIDIA's and AMD's libraries, by stand-ins: which GPUs are read, and in which unit."""

import sys
from types import ModuleType

import pytest

from benchmark.energy.gpus import amd, nvidia, plain
from benchmark.energy.total import Total


@pytest.fixture
def pynvml(monkeypatch):
    """NVML with GPUs a, b and c, which have counted 1000 mJ times their number."""
    found = ModuleType("pynvml")
    found.counts = {0: 1000, 1: 2000, 2: 3000}

    found.nvmlInit = lambda: None
    found.nvmlDeviceGetCount = lambda: 3
    found.nvmlDeviceGetHandleByIndex = lambda index: index
    found.nvmlDeviceGetUUID = lambda handle: f"GPU-{'abc'[handle]}"
    found.nvmlDeviceGetTotalEnergyConsumption = found.counts.get
    found.nvmlDeviceGetEnforcedPowerLimit = lambda handle: 700_000
    monkeypatch.setitem(sys.modules, "pynvml", found)
    return found


def test_nvidia_those_that_compute_in_joules(pynvml):
    found = nvidia(["c", "GPU-a"])
    said = [(c.source, c.scope, c.device, c.wraps_at, c.limit_watts) for c in found]
    assert said == [("nvml", "device", name, None, 700.0) for name in "ca"]
    total = Total(found[0])
    total.read(0.0)
    pynvml.counts[2] += 1_234_567
    total.read(1.0)
    assert total.joules == pytest.approx(1234.567, rel=1e-12)
    assert plain(b"GPU-12") == plain("12") == "12"  # as PyTorch has them
    with pytest.raises(ValueError, match="found no GPU d"):
        nvidia(["a", "d"])


@pytest.fixture
def amdsmi(monkeypatch):
    """AMD SMI with two GPUs."""
    found = ModuleType("amdsmi")
    found.counts = {"x": 100, "y": 200}
    found.amdsmi_init = lambda: None
    found.amdsmi_get_processor_handles = lambda: list(found.counts)
    found.amdsmi_get_gpu_device_uuid = lambda handle: f"uuid-{handle}"
    fixed = {"counter_resolution": 15.3, "timestamp": 1}
    found.amdsmi_get_energy_count = lambda handle: {"energy_accumulator": found.counts[handle], **fixed}
    monkeypatch.setitem(sys.modules, "amdsmi", found)
    return found


def test_amd_counts_times_resolution(amdsmi):
    found = amd(["1", "2"])
    assert [(c.source, c.scope, c.device) for c in found] == [("amdsmi", "device", f"uuid-{x}") for x in "xy"]
    total = Total(found[1])
    total.read(0.0)
    amdsmi.counts["y"] += 10_000_000
    total.read(1.0)
    assert total.joules == pytest.approx(153.0, rel=1e-12)
    with pytest.raises(ValueError, match="found 2 GPUs, wanted the 1 that compute"):
        amd(["1"])
