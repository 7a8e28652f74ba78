"""A description against what a run found: what is held against it, and what is not."""

import hashlib
from dataclasses import replace

import pytest

from compliance.reading import stated as module
from compliance.reading.environment import Environment, Kind
from compliance.reading.run import Origin
from compliance.reading.stated import capacity, contradictions, given, same
from tests.compliance import made
from tests.compliance.environments import NODE
from tests.support.sides import sides


def found(description, apart=0.1, **node):
    environment = Environment({}, (Kind(("n1",), {**NODE, **node}),))
    return list(contradictions(environment, description, apart))


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1536 GiB", 1536 * 2**30),
        ("1.5 TB", 1.5e12),
        ("80GB of HBM", 80e9),
        ("2 TiB", 2048 * 2**30),
        *((wrong, None) for wrong in ("GiB", "9" * 400 + " GiB", 80)),
    ],
)
def test_capacities(text, size):
    assert capacity(text) == size


@pytest.mark.parametrize(("gib", "told"), [(23.9, True), (24, False), (40, False), (40.1, True)])
def test_memory_may_differ_by_a_share_of_the_described(gib, told):
    found_otherwise = [("host_memory_capacity", f"{gib} GiB of memory")]
    assert found({"host_memory_capacity": "32 GiB"}, 0.25, memory={"gib": gib}) == (found_otherwise if told else [])


def test_what_says_nothing_or_a_part_of_a_name_is_not_held_against():
    names = ("host_processors_per_node", "host_memory_capacity", "accelerator_memory_capacity")
    for value in (None, [], " ", "\ud800", "9" * 5000):
        assert found(dict.fromkeys(names, value)) == []
    assert found({}, processors=None, memory=None, torch=None, operating_system=None, accelerators=[7]) == []
    told = [("host_processor_model_name", "processor A processor")]
    for said, other in (("processor", []), ("The A-Processor 9", []), (7, []), ("B", told)):
        assert found({"host_processor_model_name": said}, processors={"model": "A processor"}) == other


CARDS = [{"memory.total": "81559 MiB"}, {"memory.total": "7 GiB"}]  # of which the first is compared


@pytest.mark.parametrize(
    ("field", "said", "told"),
    [
        ("accelerator_memory_capacity", "80 GiB", None),
        ("accelerator_memory_capacity", "141 GiB", "79.65 GiB of accelerator memory"),
        ("host_processor_core_count", "4", "2 cores"),
        ("accelerators_per_node", "0", "2 accelerators"),
        ("accelerators_per_node", 1, None),
        ("framework", "JAX", "PyTorch 2.13.0"),
    ],
)
def test_what_is_said_otherwise(field, said, told):
    assert found({field: said}, accelerators=CARDS) == ([(field, told)] if told else [])
    assert field != "accelerators_per_node" or found({field: said}) == []


BOMB = "a: &a [1, 2]\nb: &b {<<: [*x, *x]}\n"


@pytest.mark.parametrize(
    ("words", "text", "wanted"),
    [
        (["batch_size=4", "layout=[2,1,1,1]"], "epochs: 60\n", {"batch_size": 4, "layout": [2, 1, 1, 1], "epochs": 60}),
        (["epochs=5"], "epochs: 60\n", {"epochs": 5}),
        (["--layout", "1,2,1,1"], None, {"layout": [1, 2, 1, 1]}),
        (["--org", "a=b"], "[1, 2]", {"a": "b"}),  # which no log has for a setting
        (["settings={a: 1}", "x=[[1]]"], "y: {z: 1}\n5: 3\n", {}),  # none of them plain
        *(
            ([], text, {})
            for text in (BOMB, "x: &a 1\ny: *a\n", "[" * 9000, "x: 1\n" + "#" * 20_000, "x: " + "1:" * 300 + "1.5\n")
        ),
        *(([], f"x: {value}\n", {}) for value in ("2020-99-99", "!!bool maybe", "!!timestamp now")),
        (["x=!!bool maybe"], None, {"x": None}),
        ([], f"x: 0x{'f' * 8000}\n0x{'f' * 8000}: y\n", {}),  # more digits than Python writes
    ],
)
def test_plain_settings_are_given(words, text, wanted):
    assert given(words, text) == wanted


@pytest.mark.parametrize(
    ("value", "logged", "equal"),
    sides(
        (1, [1.0], [True, [1]]),
        ("1e-3", [0.001], []),
        (10**400, [], [1.0]),
        ([1], [], [[1, 2]]),
        (True, [True], [1]),
        ([1, 2], [[1.0, 2]], []),
        ("ddp", ["ddp"], ["fsdp"]),
        ([], [], [""]),
    ),
)
def test_values_are_compared_by_what_they_are(value, logged, equal):
    assert same(value, logged) is equal


@pytest.mark.parametrize(("more", "read"), [(0, True), (1, False)])
def test_so_much_of_a_config_and_of_a_name_is_read(more, read):
    text = "x: 1\n"
    assert given([], text + "#" * (module.LARGEST + more - len(text))) == ({"x": 1} if read else {})
    name = "a" * (100 + more)
    assert given([f"{name}=1"], None) == ({name: 1} if read else {})


VALUES = {"hyperparameters": {"x": 1}, "submission_org": "acme"}
RUN = made.run(3, values=VALUES, origin=Origin(1, "registry", 1))


def stated(words, text):
    """The environment of a run with this command line and this file of settings."""
    return Environment({"command": words, "config": text}, ())


def told(*words, text=None, **changes):
    environment = stated(None if words == (None,) else list(words), text)
    benchmark = made.terms(settings={}).benchmark
    return [found for found, _ in module.differences(environment, replace(RUN, **changes), benchmark)]


@pytest.mark.parametrize(("more", "read"), [(0, True), (1, False)])
def test_so_much_of_a_command_line_is_read(more, read):
    found = ["x 2 here, 1 in the log"] * read
    assert told(*["word"] * (module.MOST - 1 + more), "x=2") == found
    assert len(told("x=2" + "0" * (module.LONGEST - 3 + more))) == read


def test_what_is_given_is_held_against_what_is_logged():
    assert told("x=1", "--org", "acme", "--last") == told() == []
    assert told("--org=bolt", "x=3") == ["--org bolt here, acme in the log", "x 3 here, 1 in the log"]
    assert told(None) == ["no command line"]
    assert told("x=auto", "other=7") == []
    assert told("x=1", text="x: 5\n") == [] and told(text="x: 5\n") == ["x 5 here, 1 in the log"]
    rehearsal = Origin(1, "rehearsal", None)
    assert told("--steps", "40", "--rehearsal-seed", "5", throughput_only=True, origin=rehearsal) == []


@pytest.mark.parametrize(
    ("words", "fits"),
    sides(
        (
            ["--log results/box/result_3.txt", "--log=result_3.txt", "--log log", "--entry 1", "--steps 0"],
            ["--log result_17.txt", "--entry 3", "--steps 40", "--rehearsal-seed 5"],
        )
    ),
)
def test_a_command_is_that_of_the_log(words, fits):
    assert told(*words.split()) == ([] if fits else [words])


@pytest.mark.parametrize(
    ("words", "text", "above", "found"),
    [
        (["y=1", "x=2"], "z: 3\n", [], ["z", "y"]),
        (["y=auto", "z=0", "a=-1"], "b: null\n", [], ["a"]),  # a run resolves the others
        (["y=1", "z=3"], None, ["y"], ["z"]),
    ],
)
def test_what_is_given_is_among_what_is_logged(words, text, above, found):
    benchmark = made.terms(settings={}).benchmark
    assert module.unlogged(stated(words, text), RUN, benchmark, frozenset(above)) == found


@pytest.mark.parametrize(("text", "known"), [("x: 1\n", True), ("x: 1 # other\n", False), (None, True)])
def test_a_config_is_one_that_the_log_names_as_source(text, known):
    source = {"config.yaml": hashlib.sha256(b"x: 1\n").hexdigest()}
    digest = hashlib.sha256((text or "").encode()).hexdigest()
    assert told(text=text, source=source) == ([] if known else [f"a config with the sha256 {digest}"])


def test_what_a_run_took_from_a_table_is_without_what_was_set_over_it():
    row = {"BS": 4, "Hyperparams": {"learning_rate": 0.002, "weight_decay": 0.1}}
    row["Samples to converge"] = {"mean": 80, "low": 60, "high": None}
    said = {"sha256": "5" * 64, "batch": 4, "rows": [row], "over": ["weight_decay"]}
    assert module.of_table(made.run(values={module.KEY: said})) == {"batch_size", "learning_rate"}
    assert module.of_table(made.run()) == frozenset()
    assert given(["y=4"], "x: 1\ny: 2\n", frozenset({"x", "y"})) == {"y": 4}
