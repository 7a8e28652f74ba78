"""Good environment manifests, as the reference writes them, of the runs that logs.py makes."""

import copy
from typing import Any

from tests.compliance.logs import CODE, SOURCE

NODE = {
    "kernel": {"release": "6.8.0", "version": "#1 SMP", "machine": "x86_64"},
    "operating_system": "An operating system 12",
    "container": {"kind": "none"},
    "share": {"processors": 2},
    "processors": {"model": "A processor", "sockets": 1, "cores": 2, "threads": 2, "cache": "1024 KB"},
    "clocks": {"governor": {"performance": 2}},
    "power_limits": None,
    "lscpu": {"CPU(s)": "2"},
    "memory": {"gib": 24},
    "numa": {"nodes": {"node0": {"cpus": "0-1", "gib": 24, "distances": "10"}}},
    "pci": [{"id": "1af4:1041", "class": "0x020000", "count": 1}],
    "network": [{"kind": "Ethernet", "rate": "25 Gb/sec", "board": "mlx5_core", "count": 1}],
    "driver": None,
    "accelerators": None,
    "data": {"type": "ext4", "options": ["rw"], "other_options": 0},
    "variables": {"OMP_NUM_THREADS": "1"},
    "python": {"version": "3.11.9"},
    "packages": {"torch": "2.13.0", "numpy": "2.4.6"},
    "conda": None,
    "torch": {"version": "2.13.0+cpu", "settings": "PyTorch built with:\n  - GCC 13.3"},
    "backends": {"threads": 1},
}
RUN = {
    "command": [f"{CODE}/train.py", "--problem", "tiny", "--data", ".../tiny", "--layout", "2,1,1,1", "batch_size=4"],
    "config": SOURCE[f"{CODE}/configs/tiny.yaml"],
    "launcher": {"launcher": "torchrun", "ranks": 2, "ranks_per_node": 2, "backend": "gloo"},
    "loaded": {
        "records": {"torch 2.13.0+cpu": "a" * 64, "numpy 2.4.6": "b" * 64},
        "edited": {"files": 0, "names": []},
        "unowned": {"files": 0, "names": []},
        "editable": [],
        "startup": {},
        "finders": ["_frozen_importlib.BuiltinImporter", "benchmark.source.Recorder"],
        "kernels": {"files": 71, "before": 0, "sha256": "c" * 64},
        "spent": {"cpu_seconds": 22.5, "read_bytes": 1 << 30, "written_bytes": 1 << 20, "compile_seconds": 9.1},
    },
}


def facts(values: dict[str, Any]) -> dict[str, dict]:
    """Facts as a manifest has them: copies, which a test may change."""
    return {name: {"value": copy.deepcopy(value), "origin": f"read from {name}"} for name, value in values.items()}


def manifest() -> dict[str, Any]:
    """A manifest of one node: nothing in it is shared with another."""
    return copy.deepcopy({"schema": 2, "run": facts(RUN), "nodes": [{"hosts": ["n1"], "facts": facts(NODE)}]})
