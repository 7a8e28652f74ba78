from benchmark.environment.processor import clocks, lscpu_table, power_limits, processors

CPU = "processor : {0}\nmodel name : EPYC 9654\nphysical id : {1}\ncpu cores : 2\ncache size : 1024 KB\n\n"


def test_processors_and_lscpu_without_what_varies(machine):
    root = machine({"proc/cpuinfo": "".join(CPU.format(i, i // 4) for i in range(8))})
    wanted = {"model": "EPYC 9654", "sockets": 2, "cores": 2, "threads": 8, "cache": "1024 KB"}
    assert processors(root) == wanted
    found = processors(root / "none")
    assert found["sockets"] == 1 and found["threads"] > 0 and found["cache"] is None
    said = "Model name:  X\nCPU MHz: 2400\nBogoMIPS: 1\nNUMA node0 CPU(s):   0-3,8\nNothing:\n"
    assert lscpu_table(said) == {"Model name": "X", "NUMA node0 CPU(s)": "0-3,8"}


def test_the_last_of_many_threads_counts(machine):
    """A node with two processors of 192 cores has 768 threads, whose flags take 1.5 KB each."""
    one = f"processor : {{0}}\nflags : {'f' * 1500}\nmodel name : EPYC 9965\nphysical id : {{1}}\n\n"
    root = machine({"proc/cpuinfo": "".join(one.format(i, i // 192 % 2) for i in range(768))})
    found = processors(root)
    assert (found["threads"], found["sockets"], found["model"]) == (768, 2, "EPYC 9965")


def test_clocks_and_power_limits(machine):
    home = "sys/devices/system/cpu"
    files = {f"{home}/cpufreq/policy{i}/scaling_governor": "performance\n" if i else "powersave\n" for i in range(3)}
    files |= {f"{home}/cpufreq/policy{i}/scaling_max_freq": "3700000\n" for i in range(3)}
    files |= {f"{home}/cpufreq/boost": "1\n", f"{home}/smt/control": "on\n"}
    zone = "sys/class/powercap/intel-rapl:0"
    files |= {f"{zone}/name": "package-0\n", f"{zone}/constraint_0_power_limit_uw": "360000000\n"}
    root = machine(files)
    governors = {"performance": 2, "powersave": 1}
    assert clocks(root) == {"governor": governors, "most_khz": {"3700000": 3}, "boost": "1", "smt": "on"}
    assert power_limits(root) == {"intel-rapl:0 package-0 constraint_0": "360000000"}
    assert clocks(root / "none") == power_limits(root / "none") == {}
