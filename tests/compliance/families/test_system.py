"""SYS: system descriptions that are missing, no JSON, incomplete or of nothing."""

import shutil
from dataclasses import replace

import pytest

from benchmark.run.devices import Device, grouped
from compliance.families import system as checks
from tests.compliance import made
from tests.compliance.families.damages import damage, description_changed, event_changed, files_changed
from tests.compliance.families.test_source import second
from tests.compliance.logs import START, SYSTEM, event, read

COMPUTE = made.OURS.limits.compute
FLOPS = 10**12  # of a sample; the two ranks declare as much a second together


description_missing = files_changed("SYS01", "box.json", lambda tree: (tree.root / "systems" / "box.json").unlink())
description_that_is_no_json = files_changed(
    "SYS02",
    "box.json",
    lambda tree: tree.put(tree.root / "systems" / "box.json", '{\n "submitter": "acme",\n oops\n}\n'),
    line=3,
)
machine_as_two_systems = files_changed("SYS14", "result_0.txt", lambda tree: second(tree, host=""))


@damage
def description_with_a_field_twice(tree):
    path = tree.root / "systems" / "box.json"
    path.write_text(path.read_text().replace('"number_of_nodes"', '"number_of_nodes": 1000, "number_of_nodes"', 1))
    line = path.read_text().partition('"number_of_nodes"')[0].count("\n") + 1
    return [("box.json", line, "SYS02")]


@pytest.mark.parametrize("found", [["SYS14"], []])
def test_sys14_hosts_of_one_name_are_two_machines_and_one_uuid_is_one(tmp_path, found):
    what = {"kind": "cuda", "uuids": ["GPU-1"]} if found else {"kind": "cpu", "uuids": []}

    def run(org, system, host="n1", ranks=1):
        value = [{"host": host, "name": "A", "ranks": ranks, **what}]
        path = tmp_path / "v1.0" / org / "results" / system / "strong" / "scaffold" / "result_0.txt"
        return made.run(path=str(path), file=path, values={"devices": value})

    runs = [run("acme", "box"), run("bolt", "crate", ranks=2), run("bolt", "crate", ranks=3), run("acme", "box", "n2")]
    told = [fault.found for fault in checks.a_machine_is_one_system(made.across(*runs))]
    assert told == ["crate, on the devices of acme/box"] * len(found)


description_without_its_processor = files_changed(
    "SYS03",
    "box.json",
    lambda tree: tree.write_system({k: v for k, v in SYSTEM.items() if k != "host_processor_model_name"}),
)
description_with_a_number_of_words = description_changed("SYS04", host_processors_per_node="two")
description_with_another_status = description_changed("SYS05", status="rumoured")
description_without_results = files_changed(
    "SYS06",
    "crate.json",
    lambda tree: shutil.copyfile(tree.root / "systems" / "box.json", tree.root / "systems" / "crate.json"),
)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("text", ["x"], ["", " ", None, 1]),
        ("any text", ["x", ""], [None, 1, ["x"]]),
        ("any", ["x", "", None, 1, {"a": []}], []),
        ("count", [0, 1, "0", "12"], [-1, 1.0, "two", "", None]),
        ("positive", [1, "12"], [0, "0", -1, "", None]),
        ("count or text", [0, "0", "two", ""], [-1, 1.0, None]),
    ],
)
def test_a_field_is_of_its_kind(kind, good, bad):
    names = [f"field_{i}" for i in range(len(good + bad))]
    files = made.files(of=made.edition(system_fields=dict.fromkeys(names, kind)))
    vars(files)["descriptions"] = {"box": made.described(dict(zip(names, good + bad, strict=True)))}
    faults = list(checks.descriptions_have_their_types(files))
    assert [fault.line for fault in faults] == list(range(len(good) + 1, len(good + bad) + 1))
    assert {fault.wanted for fault in faults} <= {checks.FIELD_KINDS[kind][1]}


def named(ranks=2, **changes):
    """The devices of one host, as a log has them."""
    return [{"host": "n1", "kind": "cpu", "name": "A processor", "ranks": ranks, "uuids": [], **changes}]


@damage
def an_epoch_that_the_described_cores_cannot_compute(tree):
    """Of two ranks with a thread each, on one described core: an epoch at 1.2 times its peak."""
    tree.described(host_processors_per_node="1", host_processor_core_count="1", host_processor_vcpu_count="1")
    log, seconds = tree.logs[2], 8 * 10**10 / (1.2e12 * COMPUTE.core["float32"])
    start, stop, stats = (log.all(key)[1] for key in ("epoch_start", "epoch_stop", "tracked_stats"))
    log.shift(start["time_ms"] + round(1000 * seconds) - stop["time_ms"], since=stop)
    stats["time_ms"] = stop["time_ms"]
    stats["value"] |= {"throughput": 8 / seconds, "wait_seconds": 0.001, "compute_seconds": seconds - 0.001}
    return [("result_2.txt", tree.written(stop), "SYS07")]


@damage
def accelerators_beside_a_processor(tree):
    lines = [tree.changed("accelerators_per_node", index, value=4) for index in range(5)]
    tree.described(accelerators_per_node="4")
    return [(f"result_{i}.txt", line, "SYS08") for i, line in enumerate(lines)]


another_submitter_in_the_description = description_changed("SYS09", submitter="Bolt")
a_second_host = event_changed("SYS10", "devices", value=[*named(1), *named(1, host="n2")])
one_run_on_another_model = event_changed("SYS11", "devices", runs=(0,), value=named(name="A faster one"))


@damage
def another_model_than_described(tree):
    for index in range(5):
        tree.changed("devices", index, value=named(name="A faster one"))
    return [("box.json", tree.described(host_processor_model_name="A processor"), "SYS12")]


def test_sys11_runs_may_be_on_other_hosts(tree, found):
    tree.changed("devices", value=named(host="n7"))
    assert found(tree.root) == []


def judged(*events, flops=FLOPS, compute=COMPUTE, settings=None, **problem):
    """What SYS07 finds in a log of two ranks that has these events, too: (line, severity)."""
    settings = {"device": "cpu", "threads": 1, "peak_tflops": 0.5} if settings is None else settings
    facts = {"hyperparameters": settings, "number_of_ranks": 2, "number_of_nodes": 1, "precision": "float32"}
    log = read(*(event(i, key, value=value) for i, (key, value) in enumerate(facts.items(), 1)), *events)
    terms = made.terms(compute=compute, **{"problem": made.published(flops_per_sample=flops), **problem})
    return [(fault.line, fault.severity) for fault in checks.devices_can_compute_so_fast(log, terms, None)]


def epochs(*seconds, samples=10):
    """Epochs that take so many seconds, in lines 11 and 12, 21 and 22, and so on."""
    return [
        event(10 * n + i, f"epoch_{key}", START + round(1000 * i * s) - 1000 * s, epoch_num=n, **more)
        for n, s in enumerate(seconds, 1)
        for i, (key, more) in enumerate((("start", {}), ("stop", {"samples_count": samples})), 1)
    ]


def total(value):
    return [event(9, "throughput", value=value)]


@pytest.mark.parametrize(
    ("events", "facts", "found"),
    [
        (epochs(10), {"flops": 9 * 10**11 - 1}, []),
        (epochs(10), {"flops": 9 * 10**11}, [(12, "review")]),
        (epochs(10), {"flops": FLOPS}, [(12, "review")]),  # the peak
        (epochs(10), {"flops": FLOPS + 1}, [(12, "")]),
        (epochs(10), {"flops": 0}, []),
        (epochs(20, 5, 10, 15), {}, [(22, "")]),  # the fastest counts
        (epochs(0, samples=1), {"flops": 10**9}, [(12, "review")]),  # of a millisecond
        (epochs(1, samples=1), {}, [(12, "review")]),
        (epochs(1, samples=0), {}, []),
        (epochs(1, samples="10"), {}, []),
        (epochs(1)[1:], {}, []),  # without a start
        (total({"throughput": 0.5}), {"flops": 2 * FLOPS}, [(9, "review")]),
        (total({"throughput": "1"}), {"flops": 2 * FLOPS}, []),
        (total([9]), {"flops": 2 * FLOPS}, []),
        ([], {}, []),
        (epochs(1), {"problem": None}, []),
        (epochs(1), {"compute": None}, []),
        (epochs(1), {"settings": {}}, []),
        (epochs(1), {"settings": {"device": "cpu"}, "compute": replace(COMPUTE, core={})}, []),  # no peak
    ],
)
def test_sys07_is_a_review_near_the_peak_and_an_error_above_it(events, facts, found):
    assert judged(*events, **facts) == found


def agreeing(check, **facts):
    """What a check finds in a log of these facts."""
    return [fault.found for fault in check(made.log_of(**facts), None, None)]


@pytest.mark.parametrize(("ranks", "found"), [(4, []), (5, ["5 ranks with device cuda on 4 accelerators"])])
def test_sys08_accelerators_are_those_of_all_nodes(ranks, found):
    facts = {"number_of_ranks": ranks, "number_of_nodes": 2, "accelerators_per_node": 2}
    assert agreeing(checks.devices_agree, hyperparameters={"device": "cuda"}, **facts) == found
    for settings in ({}, [], "cuda", None):  # other rules say so
        assert agreeing(checks.devices_agree, hyperparameters=settings, **facts) == []
    assert agreeing(checks.devices_agree, hyperparameters={"device": 0}, **facts) == ["device 0"]
    assert agreeing(checks.devices_agree, **facts) == []
    for name in facts:
        assert agreeing(checks.devices_agree, hyperparameters={"device": "cuda"}, **{**facts, name: "9"}) == []


@pytest.mark.parametrize(
    ("device", "devices", "told"),
    [
        ("cpu", named(1) + named(1, name="Another"), []),
        ("cpu", named(3), ["devices of 3 ranks"]),
        ("cpu", [], ["devices []"]),
        ("cuda", named(), ["devices of kind cpu"]),
        ("cuda", named(kind="cuda", uuids=["a", "b"]), []),
        ("cuda", named(kind="cuda", uuids=["a", "a"]), ["1 accelerators by their uuids"]),
        ("cuda", named(kind="cuda", uuids=["a", "b", "b"]), ["2 accelerators by their uuids"]),
    ],
)
def test_sys10_devices_are_of_all_ranks_and_told_apart(device, devices, told):
    facts = {"number_of_ranks": 2, "number_of_nodes": 1, "hyperparameters": {"device": device}, "devices": devices}
    assert agreeing(checks.named_devices_agree, **facts) == told


def test_sys10_what_a_log_lacks_contradicts_no_device():
    said = {"number_of_ranks": 2, "number_of_nodes": 1, "hyperparameters": {"device": "cpu"}, "devices": named()}
    odd = {"device": ["cpu"]}
    for name, value in (*dict.fromkeys(said).items(), ("devices", "?"), ("hyperparameters", odd)):
        assert agreeing(checks.named_devices_agree, **{**said, name: value}) == []


@pytest.mark.parametrize(
    ("number", "distinct", "told"),
    [
        (16_384, 65_536, []),
        (16_384, 65_535, ["65535 accelerators by their uuids"]),
        (16_385, 65_540, ["devices of 65540 ranks", "devices on 16385 hosts"]),
    ],
)
def test_sys10_a_machine_of_65536_accelerators(number, distinct, told):
    hosts = {"hosts": [f"n{n}" for n in range(number)], "distinct": distinct}
    devices = [{**hosts, "kind": "cuda", "name": "X", "ranks": 4}]
    facts = {"number_of_ranks": 65_536, "number_of_nodes": 16_384, "hyperparameters": {"device": "cuda"}}
    assert agreeing(checks.named_devices_agree, devices=devices, **facts) == told


def test_sys10_what_a_run_logs_of_a_large_machine():
    devices = [Device(f"nid{n // 4:06}", "cuda", "X", f"GPU-{n:032x}") for n in range(4 * 1025 - 1)]
    facts = {"number_of_ranks": 4099, "number_of_nodes": 1025, "hyperparameters": {"device": "cuda"}}
    assert agreeing(checks.named_devices_agree, devices=grouped(devices), **facts) == []
    devices[1] = devices[0]
    found = agreeing(checks.named_devices_agree, devices=grouped(devices), **facts)
    assert found == ["4098 accelerators by their uuids"]


PROCESSOR, ACCELERATOR = "host_processor_model_name", "accelerator_model_name"


@pytest.mark.parametrize(
    ("described", "found"),
    [
        ({PROCESSOR: "Another", ACCELERATOR: "A chip"}, [f"{PROCESSOR} Another in the system description"]),
        ({PROCESSOR: "A processor", ACCELERATOR: "Another"}, [f"{ACCELERATOR} Another in the system description"]),
        ({PROCESSOR: None}, []),
    ],
)
def test_sys12_a_device_is_compared_with_the_field_of_its_kind(described, found):
    both = named() + named(kind="cuda", name="A chip")
    runs = [made.run(values={"devices": devices}) for devices in (None, both, named(name="Not looked at"))]
    judged = checks.named_devices_are_the_descriptions(runs, made.place(described, submission=None), None)
    assert [fault.found for fault in judged] == found


def test_a_folder_may_have_a_letter_and_its_accent_apart(tree, found):
    """Some file systems take names apart."""
    for index in range(5):
        tree.changed("submission_org", index, value="Köln")
    tree.described(submitter="Köln")
    tree.root = tree.root.rename(tree.root.with_name("Ko\u0308ln"))
    assert found(tree.root) == []


@files_changed("SYS09", "bolt")
def renamed_folder(tree):
    tree.root = tree.root.rename(tree.root.with_name("bolt"))


@pytest.mark.parametrize(
    ("submitter", "wrong"), [("bolt", True), ("ACME ", False), (" ", False), (None, False), ("Placeholder", False)]
)
def test_sys09_other_rules_name_a_submitter_that_is_none(submitter, wrong):
    files, told = made.files(), {"division": "closed", "submitter": submitter}
    vars(files)["descriptions"] = {"box": made.described(told), "crate": made.described(None, "crate")}
    found = [(fault.path, fault.line) for fault in checks.submitter_is_the_folder(files)]
    assert found == [("acme/systems/box.json", 2)] * wrong
