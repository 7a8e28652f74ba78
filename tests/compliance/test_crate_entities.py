import pytest

from compliance.crate import crate
from compliance.crate_entities import DONE, FAILED, NO_SOURCE, moment, single, text
from compliance.engine import judge

RUN = "#run-results/box/strong/scaffold/result_2.txt"


@pytest.fixture
def entities(tree, law):
    def found():
        (verdict,) = judge([tree.root], rules=law).submissions
        return {e["@id"]: e for e in crate(verdict, rules=law)["@graph"]}

    return found


def test_a_run_is_an_action_with_its_source_problem_log_and_figures(tree, entities):
    found = entities()
    run, log = found[RUN], tree.logs[2]
    start, stop = (log.one(f"run_{edge}")["time_ms"] for edge in ("start", "stop"))
    assert (run["startTime"], run["endTime"]) == (moment(start), moment(stop))
    assert run["@type"] == "CreateAction" and run["actionStatus"] == DONE and "error" not in run
    assert run["instrument"] == {"@id": f"source/{tree.source.name}/"} and run["agent"] == {"@id": "#submitter"}
    assert found[run["object"]["@id"]]["name"] == f"problem {log.one('problem')['value']}"
    assert run["result"][0] == {"@id": "results/box/strong/scaffold/result_2.txt"}
    seconds, score = (found[r["@id"]] for r in run["result"][-2:])
    assert (seconds["value"], seconds["unitText"]) == ((stop - start) / 1000, "s")
    assert (score["name"], score["value"]) == ("eval_accuracy", log.all("eval_accuracy")[-1]["value"])


def test_weights_are_results_where_the_submission_holds_them(tree, entities):
    name = "results/box/strong/scaffold/weights/result_2.safetensors"
    assert {"@id": name} not in entities()[RUN]["result"]
    tree.put(tree.root / name, "")
    found = entities()
    assert {"@id": name} in found[RUN]["result"] and found[name]["encodingFormat"] == "application/octet-stream"


def test_a_run_that_failed_is_one_whatever_it_claims(tree, entities):
    for event in tree.logs[2].all("eval_accuracy"):
        event["value"] = 0.1
    tree.write(2)
    run = entities()[RUN]
    assert (run["actionStatus"], run["error"]) == (FAILED, "no evaluation met the target")
    assert run["result"] == {"@id": "results/box/strong/scaffold/result_2.txt"}


def test_source_that_is_not_there_is_said_to_be_missing(tree, entities):
    for path in tree.source.rglob("*.*"):
        path.unlink()
    found = entities()
    assert found[RUN]["instrument"] == {"@id": "#software"}
    assert found["#software"]["name"] == NO_SOURCE


def test_packages_are_named_with_their_versions_and_no_others(tree, entities):
    for index in range(5):
        tree.changed("versions", index, value={"torch": "2.13.0+cpu", "evil": "1", "numpy": ["1"], "h5py": "3\x1b[31m"})
    found = entities()
    kinds = {e["name"]: e["softwareVersion"] for e in found.values() if e["@type"] == "SoftwareApplication"}
    assert kinds.keys() == {"torch", "h5py"} and kinds["torch"] == "2.13.0+cpu" and "\x1b" not in kinds["h5py"]
    assert "#torch-2.13.0%2Bcpu" in found


def test_names_of_strangers_are_quoted_and_printable(tree, entities):
    tree.put(tree.root / "systems" / "a b:\x1b[31m#.json", "{}")
    (name,) = (i for i in entities() if i.startswith("systems/a"))
    assert name == "systems/a%20b%3A%1B%5B31m%23.json"


@pytest.mark.parametrize(
    ("milliseconds", "iso"),
    [
        (None, None),
        (-1, None),
        (0, "1970-01-01T00:00:00.000+00:00"),
        (1_795_353_739_823, "2026-11-22T13:22:19.823+00:00"),
        (253_402_300_799_999, "9999-12-31T23:59:59.999+00:00"),
        (253_402_300_800_000, None),
    ],
)
def test_times_that_calendars_have(milliseconds, iso):
    assert moment(milliseconds) == iso


def test_texts_are_cut_and_never_empty():
    assert text("") == "unnamed" and len(text("a" * 1000)) == 200


def test_a_property_refers_to_many_one_or_none():
    one, two = {"@id": "a", "name": "x"}, {"@id": "b"}
    assert single("p", [one, two]) == {"p": [{"@id": "a"}, {"@id": "b"}]}
    assert single("p", [one]) == {"p": {"@id": "a"}} and single("p", []) == {}
