"""The tables of settings: one for each workload, and one of the machine's settings."""

from implementations.pytorch_tools.settings import tables
from perf.pages.settings import parts


def test_settings_of_the_machine_have_each_workloads_default():
    trained, machine = parts()["settings"], parts()["machine"]
    assert "| `workers` | reader processes by rank; 0: the run reads | 2 (smoke, scale6: 0) | 4 " in machine
    assert "`batch_size`" not in machine and "`workers`" not in trained and machine.count("| `workers` |") == 1
    shown = {line.split("|")[1] for line in f"{trained}\n{machine}".splitlines() if line.startswith("| `")}
    assert shown == {line.split("|")[1] for line in tables().splitlines() if line.startswith("| `")}
