"""NVIDIA's and AMD's libraries, by stand-ins: which GPUs are read, and in which unit."""

import sys
from types import SimpleNamespace

import pytest

from benchmark.energy.gpus import amd, nvidia, plain


def test_nvidia_those_that_compute_in_joules(monkeypatch):
    counts = {0: 1000, 1: 2000, 2: 3000}  # of GPUs a, b and c, in mJ
    library = SimpleNamespace(
        nvmlInit=lambda: None,
        nvmlDeviceGetCount=lambda: 3,
        nvmlDeviceGetHandleByIndex=lambda index: index,
        nvmlDeviceGetUUID=lambda handle: f"GPU-{'abc'[handle]}",
        nvmlDeviceGetTotalEnergyConsumption=counts.get,
        nvmlDeviceGetEnforcedPowerLimit=lambda handle: 700_000,
    )
    monkeypatch.setitem(sys.modules, "pynvml", library)
    found = nvidia(["c", "GPU-a"])
    said = [(c.source, c.scope, c.device, c.wraps_at, c.limit_watts) for c in found]
    assert said == [("nvml", "device", name, None, 700.0) for name in "ca"]
    counts[2] += 1_234_567
    assert found[0].read() * found[0].joules == pytest.approx(1237.567, rel=1e-12)
    assert [c.device for c in nvidia(["c", "c", "GPU-a", "a"])] == ["c", "a"]  # of ranks that share GPUs
    assert plain(b"GPU-12") == plain("12") == "12"  # as PyTorch has them
    with pytest.raises(ValueError, match="found no GPU d"):
        nvidia(["a", "d"])


def test_amd_counts_times_resolution(monkeypatch):
    counts = {"x": 100, "y": 200}  # of two GPUs
    library = SimpleNamespace(
        amdsmi_init=lambda: None,
        amdsmi_get_processor_handles=lambda: list(counts),
        amdsmi_get_gpu_device_uuid=lambda handle: f"uuid-{handle}",
        amdsmi_get_energy_count=lambda handle: {"energy_accumulator": counts[handle], "counter_resolution": 15.3},
    )
    monkeypatch.setitem(sys.modules, "amdsmi", library)
    found = amd(["1", "2", "1", "2"])
    assert [(c.source, c.scope, c.device) for c in found] == [("amdsmi", "device", f"uuid-{x}") for x in "xy"]
    counts["y"] += 9_999_800
    assert found[1].read() * found[1].joules == pytest.approx(153.0, rel=1e-12)
    with pytest.raises(ValueError, match="found 2 GPUs, wanted the 1 that compute"):
        amd(["1"])
