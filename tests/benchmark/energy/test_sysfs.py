import pytest

from benchmark.energy.sysfs import cray, first, rapl


def test_a_package_each_without_its_parts(sysfs):
    for index in (0, 1):
        sysfs.package(index, joules=100.0 + index)
    sysfs.put("class/powercap/intel-rapl-mmio:0/name", "package-0")
    sysfs.put("class/powercap/intel-rapl:2/name", "psys")
    found = rapl(sysfs.root)
    assert [(c.source, c.scope, c.device, c.wraps_at, c.limit_watts) for c in found] == [
        ("rapl", "package", f"package-{i}", pytest.approx(262143.328850), 500.0) for i in (0, 1)
    ]
    assert [c.read() * c.joules for c in found] == [100.0, 101.0]
    sysfs.package(0, watts=0)
    sysfs.put("class/powercap/intel-rapl:1/constraint_1_power_limit_uw", 600_000_000)
    assert [c.limit_watts for c in rapl(sysfs.root)] == [None, 600.0]  # none, and the largest


def test_zones_without_a_package_or_one_that_cannot_be_read_are_none(sysfs):
    for index, name in enumerate(("psys", "core"), 2):
        sysfs.put(f"class/powercap/intel-rapl:{index}/name", name)
        with pytest.raises(FileNotFoundError):
            rapl(sysfs.root)
    sysfs.package(0)
    path = sysfs.package(1)
    path.unlink()
    path.mkdir()
    with pytest.raises(OSError, match="directory"):
        rapl(sysfs.root)


def test_a_counter_that_starts_again_at_nothing_is_none(sysfs):
    """Its reader would read all the time."""
    sysfs.package(0)
    sysfs.put("class/powercap/intel-rapl:0/max_energy_range_uj", 0)
    with pytest.raises(ValueError, match="max_energy_range_uj: found 0, wanted the count"):
        rapl(sysfs.root)


def test_a_cray_node(sysfs):
    path = sysfs.cray(joules=12345)
    (found,) = cray(sysfs.root)
    assert (found.scope, found.limit_watts, found.wraps_at, found.read()) == ("node", None, None, 12345)
    path.write_text("12350 J 9 us\n")
    assert found.read() == 12350
    sysfs.cray(watts=2500)
    assert cray(sysfs.root)[0].limit_watts == 2500


@pytest.mark.parametrize("text", ["", "J", "-5", "1.5", "1e9", "0x10", "9" * 21, "12J"])
def test_what_is_no_count_is_refused(sysfs, text):
    with pytest.raises(ValueError, match="wanted a count"):
        first(sysfs.put("energy", text))
