"""What a description says by itself, and what it leaves to people."""

from pathlib import Path

import pytest
import torch

from implementations.pytorch.measuring import system

INFINIBAND = [{"kind": "InfiniBand", "rate": "400 Gb/sec (4X NDR)", "board": "MT_0838", "count": 8}]
ETHERNET = [
    {"kind": "Ethernet", "rate": "25 Gb/sec", "board": "mlx5_core", "count": 2},
    {"kind": "Ethernet", "rate": None, "board": "virtio_net", "count": 1},
]


@pytest.mark.parametrize(
    ("found", "nodes", "wanted"),
    [
        (INFINIBAND, 16, "8 x 400 Gb/s InfiniBand NDR"),
        (ETHERNET + INFINIBAND, 1, "8 x 400 Gb/s InfiniBand NDR; 2 x 25 Gb/s Ethernet"),
        (ETHERNET[1:], 2, system.SAY_ADAPTERS),
        (ETHERNET[1:], 1, system.ONE_NODE),
    ],
)
def test_network_adapters(monkeypatch, found, nodes, wanted):
    monkeypatch.setattr(system, "adapters", lambda root: found)
    described = system.describe_system("box", "acme", "closed", "onprem", Path("/"), nodes)
    assert (described["host_networking"], described["number_of_nodes"]) == (wanted, str(nodes))
    assert described["host_networking_topology"] == (system.ONE_NODE if nodes == 1 else system.SAY_TOPOLOGY)


def test_values_are_text():
    described = system.describe_system("box", "acme", "closed", "onprem", Path("/"), 2, 4)
    assert all(type(v) is str for k, v in described.items() if k != "other_software_stack")
    assert described["accelerators_per_node"] == "4" and described["framework"] == f"PyTorch {torch.__version__}"
    assert described["host_memory_capacity"].endswith(" GiB") and described["host_storage_type"]
