"""Nodes and adapters, as launchers and the kernel say."""

import pytest

from implementations.pytorch.measuring.network import adapters, networking, nodes


@pytest.mark.parametrize(
    ("environment", "count"),
    [
        ({}, 1),
        ({"SLURM_JOB_NUM_NODES": "16", "SLURM_NNODES": "2"}, 16),
        ({"SLURM_NNODES": "1"}, 1),
        ({"FLUX_JOB_NNODES": "8"}, 8),
        ({"SLURM_NNODES": "0"}, 1),
        ({"SLURM_NNODES": "many"}, 1),
        ({"PBS_NODEFILE": "/nowhere"}, 1),
    ],
)
def test_nodes_are_what_the_launcher_says(environment, count):
    assert nodes(environment) == count


@pytest.mark.parametrize("text", ["n1\nn2\nn1\nn2\n", "n1 slots=4\n\n# n9\nn2 slots=4\n"])
def test_nodes_of_a_file_count_once(tmp_path, text):
    path = tmp_path / "nodes"
    path.write_text(text)
    assert nodes({"PBS_NODEFILE": str(path)}) == 2


def put(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")


def port(name, rate, state="4: ACTIVE", layer="InfiniBand"):
    home = f"infiniband/{name}/ports/1"
    return {f"{home}/rate": rate, f"{home}/state": state, f"{home}/link_layer": layer}


def test_adapters_that_are_connected(tmp_path):
    for index in range(2):
        put(tmp_path, port(f"mlx5_{index}", "400 Gb/sec (4X NDR)"))
    put(tmp_path, port("mlx5_2", "200 Gb/sec (4X HDR)", state="1: DOWN"))
    put(tmp_path, port("bnxt_0", "25 Gb/sec (1X EDR)", layer="Ethernet"))
    put(tmp_path, {"net/ib0/speed": "400000", "net/ib0/operstate": "up", "net/ib0/device/infiniband/x": ""})
    put(tmp_path, {"net/eth0/speed": "2500", "net/eth0/operstate": "up", "net/eth0/device/x": ""})
    put(tmp_path, {"net/eth1/speed": "-1", "net/eth1/operstate": "down", "net/eth1/device/x": ""})
    put(tmp_path, {"net/docker0/speed": "10000", "net/docker0/operstate": "up"})
    wanted = "1 x 25 Gb/s Ethernet EDR, 2 x 400 Gb/s InfiniBand NDR, 1 x 2.5 Gb/s Ethernet"
    assert adapters(tmp_path) == wanted
    assert networking(2, tmp_path) == (wanted, "")


def test_nothing_is_guessed(tmp_path):
    assert networking(2, tmp_path) == ("", "")
    assert networking(1, tmp_path) == ("none: one node", "none: one node")
