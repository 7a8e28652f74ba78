import pytest

from benchmark.environment.accelerators import COMMAND, FIELDS, driver, from_amd, from_nvidia

ROW = (
    "NVIDIA H100 80GB HBM3, 81559 MiB, 580.95, 96.00, 700.00 W, 700.00 W, 1980 MHz, 2619 MHz, 1980 MHz, 2619 MHz, "
    + ("Enabled, Disabled, Default, Enabled, 5, 16")
)


def test_gpus_of_nvidia():
    (both, capped) = from_nvidia(f"{ROW}\n{ROW}\n{ROW.replace('700.00 W', '600.00 W', 1)}\n")
    assert (both["count"], both["name"], both["power.limit"]) == (2, "NVIDIA H100 80GB HBM3", "700.00 W")
    assert (capped["count"], capped["power.limit"], capped["power.default_limit"]) == (1, "600.00 W", "700.00 W")
    assert ",".join(FIELDS) in COMMAND[1] and "uuid" not in COMMAND[1]
    with pytest.raises(ValueError, match="zip"):
        from_nvidia("No devices were found")


def test_gpus_of_amd(machine):
    card = "sys/class/drm/card{}/device"
    files = {}
    for i in (0, 1):
        at = card.format(i)
        files |= {f"{at}/vendor": "0x1002\n", f"{at}/device": "0x74a1\n", f"{at}/mem_info_vram_total": "206141652992\n"}
        files |= {f"{at}/hwmon/hwmon{i}/power1_cap": "750000000\n"}
    files |= {f"{card.format(2)}/vendor": "0x1a03\n", "sys/class/drm/card0-DP-1/status": "off"}
    wanted = {"id": "0x74a1", "memory_bytes": "206141652992", "power_limit_uw": "750000000", "count": 2}
    assert from_amd(machine(files)) == [wanted]


def test_the_drivers_version(machine, tmp_path):
    assert driver(tmp_path) is None
    root = machine({"proc/driver/nvidia/version": "NVRM version:  580.95\nGCC version: x\n"})
    assert driver(root) == "NVRM version: 580.95"
