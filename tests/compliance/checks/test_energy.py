"""ENE: counters that run back, stop, stand for others, or leave something out."""

import json

import pytest

damage = pytest.mark.damage


@damage
def source_without_a_scope(metered):
    line = metered.sourced(0, scope="rack")
    metered.at = 1
    return [("result_2.txt", line, "ENE01")]


@damage
def reading_of_too_few_counters(metered):
    return [("result_2.txt", metered.read(3, lambda value: value["joules"].pop()), "ENE01")]


@damage
def joules_that_fall(metered):
    return [("result_2.txt", metered.read(4, lambda value: value["joules"].__setitem__(0, 1.0)), "ENE02")]


@damage
def joules_after_null(metered):
    metered.read(4, lambda value: value["joules"].__setitem__(0, None))
    line = metered.line(5)
    return [("result_2.txt", line, "ENE02")]


@damage
def hole_at_an_epoch(metered):
    event = metered.logs[2].all("epoch_stop")[2]
    reading = next(
        e for e in metered.readings if (e["metadata"]["moment"], e["metadata"].get("epoch_num")) == ("epoch_stop", 3)
    )
    metered.logs[2].events.remove(reading)
    metered.write(2)
    return [("result_2.txt", metered.logs[2].line(event), "ENE03")]


@damage
def reading_twice(metered):
    log = metered.logs[2]
    log.events.append(json.loads(json.dumps(log.events[-1])))
    metered.write(2)
    return [("result_2.txt", len(log.events), "ENE03")]


@damage
def more_than_a_processor_draws(metered):
    line = metered.scaled(5.0)
    return [("result_2.txt", line, "ENE04")] * 2


@damage
def counter_that_stands_still(metered):
    return [("result_2.txt", metered.scaled(0.0), "ENE04")] * 2


@damage
def second_processor_left_out(metered):
    for index in range(5):
        metered.drop(1, index)
    line = metered.logs[0].line(metered.logs[0].one("energy_sources"))
    return [(f"result_{i}.txt", line, "ENE05") for i in range(5)]


@damage
def counter_that_failed(metered):
    for at in range(6, len(metered.readings)):
        metered.read(at, lambda value: value["joules"].__setitem__(1, None))
    return [("result_2.txt", metered.logs[2].line(metered.logs[2].one("energy_sources")), "ENE05")]


@damage
def a_node_and_its_processors(metered):
    return [("result_2.txt", metered.sourced(0, source="cray", scope="node", wraps_at=None), "ENE06")]


@damage
def processors_that_pass_for_a_node(metered):
    metered.drop(1, 2)
    return [("result_2.txt", metered.sourced(0, scope="node", wraps_at=None), "ENE01")]


@damage
def one_processor_twice(metered):
    return [("result_2.txt", metered.sourced(1, device="package-0"), "ENE06")]


@damage
def read_once_a_wrap(metered):
    return [("result_2.txt", metered.read(6, lambda value: None, gap_seconds=1000.0), "ENE07")] * 2


@damage
def rehearsed(metered):
    return [("result_2.txt", metered.changed("energy_sources", metadata={"rehearsal": True}), "ENE08")]


@damage
def another_node(metered):
    line = metered.sourced(0, node="n2")
    metered.sourced(1, node="n2")
    return [("result_2.txt", line, "ENE09")] * 2


@damage
def idle_accelerator(metered):
    """Of another accelerator than the one that computes."""
    metered.sourced(0, source="nvml", scope="device", device="1234")
    return [("result_2.txt", metered.sourced(1, source="nvml", scope="device", device="567"), "ENE09")] * 2


def test_damage(entry, exactly):
    exactly(entry)


def test_good_energy(metered, found):
    assert found(metered.root) == []


def test_runs_without_counters_are_in_order(tree, found):
    assert found(tree.root) == []


@pytest.mark.parametrize(("factor", "codes"), [(1.1999, []), (1.2, []), (1.2001, ["ENE04"] * 2)])
def test_ene04_mean_power_is_at_most_1_2_of_the_limit(metered, found, factor, codes):
    metered.scaled(factor * 2.5)  # 200 W of a limit of 500 W
    assert [code for *_, code in found(metered.root)] == codes


@pytest.mark.parametrize(("milliseconds", "codes"), [(999, []), (1000, []), (1001, ["ENE03"])])
def test_ene03_a_reading_is_within_a_second_of_its_event(metered, found, milliseconds, codes):
    last = len(metered.readings) - 1
    stop = metered.logs[2].one("run_stop")["time_ms"]
    metered.read(last, lambda value: value["time_ms"].__setitem__(1, stop + milliseconds))
    assert [code for *_, code in found(metered.root)] == codes


@pytest.mark.parametrize(("seconds", "codes"), [(99.9, []), (100.0, ["ENE07"]), (100.1, ["ENE07"])])
def test_ene07_a_counter_of_60_kj_and_500_w_is_read_within_100_s(metered, found, seconds, codes):
    metered.sourced(0, wraps_at=60_000)
    metered.read(6, lambda value: None, gap_seconds=seconds)
    assert [code for *_, code in found(metered.root)] == codes


def test_no_machine_states_more_than_the_rules_do(metered, found):
    """1,000 W of a processor, and a fifth more."""
    for at in range(2):
        metered.sourced(at, limit_watts=1e9)
    metered.scaled(6.0001)  # of 200 W
    assert [code for *_, code in found(metered.root)] == ["ENE04"] * 2


def test_a_run_that_was_not_over_or_went_on_is_not_judged(metered, found, logs):
    log = metered.logs[2]
    log.events = [e for e in log.events if e["metadata"].get("moment") != "run_stop"]
    log.one("run_stop")["metadata"]["status"] = "aborted"
    for event in log.all("eval_accuracy")[-1:]:
        log.events.remove(event)
    metered.write(2)
    assert not [code for *_, code in found(metered.path(2)) if code.startswith("ENE")]


@pytest.mark.parametrize(
    "value",
    [None, [], {}, "x", [1], {"time_ms": 3, "joules": 4}, {"time_ms": [1, 10**400], "joules": [0, 0]}]
    + [{"time_ms": [1, 2], "joules": [x, 0]} for x in (-1, "1", True, 1e300, [0])],
)
def test_hostile_readings_are_one_fault_each(metered, found, value):
    event = metered.readings[3]
    event["value"] = value
    metered.write(2)
    assert found(metered.root) == [("result_2.txt", metered.logs[2].line(event), "ENE01")]


@pytest.mark.parametrize("value", [None, {}, 3, [3], [{}], [[]] * 3, [{"node": "x" * 10**5}], [{}] * 20_000])
def test_hostile_sources_are_one_fault(metered, found, value):
    assert found(metered.root) == []
    line = metered.changed("energy_sources", value=value)
    assert found(metered.root) == [("result_2.txt", line, "ENE01")]


def test_a_node_of_the_whole_is_enough(metered, found):
    for index in range(5):
        metered.drop(1, index)
        metered.sourced(0, index=index, source="cray", scope="node", device="node", wraps_at=None)
    assert found(metered.root) == []
