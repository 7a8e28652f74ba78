import pytest

from benchmark.environment.board import adapters, memory, numa, pci

DEVICE = "sys/devices/pci0"


def test_memory_and_numa(machine):
    home = "sys/devices/system/node"
    files = {"proc/meminfo": "MemTotal:  1583000000 kB\nSwapTotal: 0 kB\nHugePages_Total: 7\n"}
    files["sys/kernel/mm/transparent_hugepage/enabled"] = "always [madvise] never\n"
    files |= {f"{home}/node0/cpulist": "0-3\n", f"{home}/node0/meminfo": "Node 0 MemTotal:  16777216 kB\n"}
    files |= {f"{home}/node0/distance": "10 21\n", f"{home}/possible": "0", "proc/sys/kernel/numa_balancing": "1\n"}
    root = machine(files)
    assert memory(root) == {"gib": 1510, "swap_gib": 0, "transparent_huge_pages": "madvise", "huge_pages": "7"}
    assert numa(root) == {"nodes": {"node0": {"cpus": "0-3", "gib": 16, "distances": "10 21"}}, "balancing": "1"}
    none = root / "none"
    assert (memory(none), numa(none), pci(none), adapters(none)) == ({}, {}, [], [])


def test_pci_devices_that_are_equal_are_counted(machine):
    files = {}
    for i in range(3):
        at = f"sys/bus/pci/devices/0000:0{i}:00.0"
        files |= {f"{at}/vendor": "0x10de", f"{at}/device": "0x2330", f"{at}/class": "0x030200"}
        files |= {f"{at}/max_link_speed": "32.0 GT/s PCIe", f"{at}/current_link_width": "16" if i else "8"}
    device = {"id": "10de:2330", "class": "0x030200", "link": "32.0 GT/s PCIe"}
    assert pci(machine(files)) == [{**device, "lanes": "8", "count": 1}, {**device, "lanes": "16", "count": 2}]


@pytest.mark.parametrize(("speed", "rate"), [("25000", "25 Gb/sec"), ("-1", None)])
def test_adapters_are_told_once(machine, speed, rate):
    """Two InfiniBand ports, one of them with a network interface too; an Ethernet card; interfaces that are none."""
    files = {f"{DEVICE}/eth/driver": "->drivers/mlx5_core", "drivers/mlx5_core/x": ""}
    for i in (0, 1):
        home = f"sys/class/infiniband/mlx5_{i}"
        files |= {f"{DEVICE}/ib{i}/x": "", f"{home}/device": f"->{DEVICE}/ib{i}", f"{home}/board_id": "MT_0838\n"}
        files |= {f"{home}/ports/1/rate": "400 Gb/sec (4X NDR)\n", f"{home}/ports/1/link_layer": "InfiniBand\n"}
    files |= {"sys/class/net/ib0/device": f"->{DEVICE}/ib0", "sys/class/net/eth0/device": f"->{DEVICE}/eth"}
    files |= {"sys/class/net/eth0/speed": speed, "sys/class/net/lo/speed": "1000"}
    assert adapters(machine(files)) == [
        {"kind": "InfiniBand", "rate": "400 Gb/sec (4X NDR)", "board": "MT_0838", "count": 2},
        {"kind": "Ethernet", "rate": rate, "board": "mlx5_core", "count": 1},
    ]
