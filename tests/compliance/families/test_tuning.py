"""TUN: campaigns of tuning, and each way to cheat at one."""

import copy
import json
import shutil
from pathlib import Path

import pytest

from benchmark.ledger import Drawn
from benchmark.run.files import LEDGER
from benchmark.source import combine
from benchmark.tuning.folder import OWN
from rules.registry import Registry
from rules.tuning import registered_shift, request
from tests.compliance.families.damages import damage, event_changed, files_changed, files_found, log_changed
from tests.compliance.logs import good, interrupt, sha256

ROWS = [
    {"BS": 2, "Hyperparams": {"learning_rate": 0.001}, "Samples to converge": {"mean": 80, "low": 60, "high": None}},
    {"BS": 8, "Hyperparams": {"learning_rate": 0.004}, "Samples to converge": {"mean": 90, "low": None, "high": 99}},
]
SAID = {"sha256": "5" * 64, "batch": 4, "rows": ROWS, "over": []}


def course(tuned, index, qualities, key, nth=0):
    """Lets a trial have gone otherwise; the line of an event of it."""
    tuned.logs[index] = good(index, qualities)
    tuned.frozen()
    return tuned.logs[index].line_of(key, nth)


pruned_trial_goes_on = files_found(
    "TUN07", "result_2.txt", lambda tuned: course(tuned, 2, (*tuned.COURSES[2], 0.9), "eval_accuracy", 2)
)
ended_by_hand = files_found("TUN07", "result_0.txt", lambda tuned: course(tuned, 0, tuned.COURSES[0][:5], "run_stop"))
trial_among_runs = log_changed(
    "TUN04",
    lambda tree, log: tree.inserted(
        log.one("rules_edition"), log.one("rules_edition") | {"key": "trial", "value": {"index": 2}}
    ),
)


@files_changed("TUN03", "first")
def trial_left_out(tuned):
    tuned.logs[0].events = []
    tuned.launch()


@damage
def shift_exchanged(tuned):
    """The ledger is written anew, and the logs still state the line of the old one."""
    tuned.said[1] = Drawn(tuned.said[1].shift[::-1], OWN)
    tuned.launch()
    return [(f"result_{i}.txt", tuned.logs[i].line_of("trial"), "TUN04") for i in range(4)]


@files_changed("TUN01", "ledger.jsonl")
def campaign_edited(tuned):
    path = tuned.folder / "campaign.json"
    path.write_text(path.read_text().replace('"high":0.01', '"high":0.02'))


@damage
def point_moved(tuned):
    value = 1.001 * tuned.logs[1].one("opt_base_learning_rate")["value"]
    line = tuned.learning_rate(value, 1)
    tuned.launch()
    return [("result_1.txt", line, "TUN05")]


@damage
def more_at_once_than_said(tuned):
    late = tuned.logs[1].one("run_start")["time_ms"] - tuned.logs[0].one("run_start")["time_ms"] - 10_000
    tuned.logs[0].shift(late)
    tuned.launch()
    return [("result_1.txt", tuned.logs[1].line_of("run_start"), "TUN06")]


@damage
def another_code_in_the_middle(tuned):
    line = tuned.changed("versions", 2, value={"python": "3.11.9", "torch": "2.14.0"})
    tuned.launch()
    return [("result_2.txt", line, "RUN04")]


@files_changed("TUN02", "ledger.jsonl", line=2)
def shift_of_an_entry_that_the_registry_lacks(tuned):
    tuned.said[1] = Drawn(tuned.said[1].shift, "registry 1")
    tuned.frozen()


def test_a_shift_from_the_registry(tuned, found):
    registry = Registry("v1.0")
    source = combine(tuned.files().items())
    asked = request("acme", "box", "scaffold", "tiny", "first", source, tuned.campaign.digest)
    entry = registry.draw(asked, "2026-03-31T22:40:00Z", "1" * 64)
    tuned.put(tuned.root.parent / "registry.yaml", registry.text)
    tuned.said[1] = Drawn(registered_shift(entry), "registry 1")
    tuned.frozen()
    assert found(tuned.root) == []


def from_table(tree, rate=0.002, **fields):
    """Lets a run have its settings from a table; the line of what it says of that."""
    tree.learning_rate(rate)
    head = tree.logs[tree.at].one("rules_edition")
    event = {**copy.deepcopy(head), "key": "settings_table", "value": {**SAID, **fields}}
    return tree.inserted(head, event)


def alike(tree, rate=0.002):
    """All other runs have the same settings, as a set must."""
    for index in {*range(5)} - {tree.at}:
        tree.learning_rate(rate, index)


@damage
def winner_confirmed_by_itself(tuned):
    """The winner's log once more, without what says that it is a trial."""
    log = copy.deepcopy(tuned.logs[3])
    log.events = [e for e in log.events if e["key"] not in ("trial", "ledger")]
    tuned.logs[4] = log
    tuned.write(4)
    found = [(log.line_of(key), "RUN08") for key in ("hyperparameters", "config_digest")]
    found += [(log.line_of("run_start"), "TUN08"), (log.line_of("eval_accuracy"), "RUN06")]
    shared = ("result_3.txt", tuned.logs[3].line_of("run_start"), "RUN21")
    return [shared, *(("result_0.txt", *place) for place in found)]


@damage
def confirmation_at_other_settings(tuned):
    value = 2 * tuned.logs[3].one("opt_base_learning_rate")["value"]
    return [(f"result_{i}.txt", tuned.learning_rate(value, 4 + i), "TUN08") for i in range(3)]


confirmation_run_left_out = files_changed("TUN08", "first", lambda tuned: tuned.path(6).unlink())
confirmation_by_other_code = event_changed(
    "TUN08", "versions", of="tuned", runs=(4, 5, 6), value={"python": "3.11.9", "torch": "2.14.0"}
)


@damage
def confirmation_by_other_source(tuned):
    copied = shutil.copytree(tuned.source, tuned.root / "source" / "copy")
    (copied / "implementations/pytorch/train.py").write_text("a = 1\n")
    tuned.ran(4, 5, 6, folder=copied)
    return [(f"result_{i}.txt", tuned.logs[4 + i].line_of("source"), "TUN08") for i in range(3)]


@damage
def confirmation_on_faster_devices(confirmed):
    lines = []
    for index in (4, 5, 6):
        devices = confirmed.logs[index].one("devices")["value"]
        lines.append(confirmed.changed("devices", index, value=[{**devices[0], "name": "A faster processor"}]))
        confirmed.manifests[index]["nodes"][0]["facts"]["processors"]["value"]["model"] = "A faster processor"
        confirmed.survey(index)
    found = [(f"result_{i}.txt", line, "TUN09") for i, line in enumerate(lines)]
    line = confirmed.described(host_processor_model_name="A processor")
    described = [("box.json", line, "ENV09"), ("box.json", line, "SYS12")]
    return [*found, ("environment_0.json", 1, "TUN09"), *described]


@damage
def confirmation_without_environments(confirmed):
    for index in (4, 5, 6):
        log = confirmed.logs[index]
        log.events.remove(log.one("environment"))
        confirmed.write(index)
        confirmed.environment(index).unlink()
    return [(f"result_{i}.txt", 1, "TUN09") for i in range(3)]


@damage
def setting_is_not_the_tables(tree):
    alike(tree, 0.0021)
    from_table(tree, 0.0021)
    return [("result_2.txt", tree.logs[2].line_of("hyperparameters"), "TUN10")]


beyond_the_table = files_found("TUN10", "result_2.txt", lambda tree: alike(tree) or from_table(tree, batch=16))


@pytest.mark.parametrize(
    ("rate", "fields"),
    [
        (0.002, {}),
        (0.003, {"over": ["learning_rate"]}),
        (0.001, {"rows": [{**ROWS[0], "BS": 4, "Hyperparams": {"learning_rate": 0.001, "threads": 0}}]}),
    ],
)
def test_what_a_table_gives(tree, found, rate, fields):
    """But for what the command line gives and for settings of the machine."""
    alike(tree, rate)
    from_table(tree, rate, **fields)
    assert found(tree.root) == []


@pytest.mark.parametrize(("over", "codes"), [([], []), (["learning_rate"], ["ENV07"])])
def test_a_table_counts_above_the_config(environed, found, over, codes):
    """The config has another rate; where the command line is said to give it, it must."""
    alike(environed)
    from_table(environed, over=over)
    for index in {*range(5)} - {environed.at}:
        command = environed.manifests[index]["run"]["command"]["value"]
        environed.fact("command", [*command, "learning_rate=0.002"], index)
    assert [code for _, _, code in found(environed.root)] == codes


@pytest.fixture
def of_rule(findings):
    """(file, found) of what a rule finds in a submission."""
    return lambda tree, code: [(Path(f.path).name, f.found) for f in findings(tree.root) if f.code == code]


def test_a_campaign_without_a_winner_needs_no_confirmation(tuned, of_rule):
    for index in (1, 3):
        tuned.logs[index] = good(index, tuned.COURSES[0])
    tuned.frozen()
    shutil.rmtree(tuned.folder / "confirmation")
    assert of_rule(tuned, "TUN08") == []


def test_a_campaign_beside_the_confirmation_runs_is_none(tuned, of_rule):
    for name in ("campaign.json", LEDGER):
        shutil.copy(tuned.folder / name, tuned.folder / "confirmation")
    assert of_rule(tuned, "TUN08") == []
    tuned.put(tuned.folder / "campaign.json", "{}")  # one that can't be read has no winner to confirm
    assert of_rule(tuned, "TUN08") == []


@pytest.mark.parametrize("index", [3, 4])
def test_a_setting_that_only_one_run_has_is_another(tuned, of_rule, index):
    tuned.settings(index, threads=...)
    files = ["result_0.txt"] if index == 4 else [f"result_{i}.txt" for i in range(3)]
    assert [name for name, _ in of_rule(tuned, "TUN08")] == files


@pytest.mark.parametrize(("beyond", "found"), [(-1, ["run_start 0.001 s before the last trial stopped"]), (0, [])])
def test_a_confirmation_run_may_start_when_the_last_trial_stops(tuned, of_rule, beyond, found):
    over = max(log.one("run_stop")["time_ms"] for log in tuned.logs[:4])
    by = over + beyond - tuned.logs[4].one("run_start")["time_ms"]
    tuned.logs[4].shift(by)
    tuned.write(4)
    assert of_rule(tuned, "TUN08") == [("result_0.txt", text) for text in found]


def test_the_environment_in_which_a_confirmation_run_began_counts(confirmed, of_rule):
    log, others = confirmed.logs[4], {"torch": "2.13.0", "numpy": "2.4.7"}
    resumed, content = interrupt(log), copy.deepcopy(confirmed.manifests[4])
    content["nodes"][0]["facts"]["packages"]["value"] = others
    later = confirmed.put(confirmed.environment(4).with_name("environment_0_1.json"), json.dumps(content))
    resumed["value"]["environment"] = sha256(later)
    confirmed.write(4)
    assert of_rule(confirmed, "TUN09") == []
    for more in ("", " and of 1 more confirmation runs"):
        confirmed.fact("packages", others, 5 if more else 4)
        assert of_rule(confirmed, "TUN09") == [("environment_0.json", f'packages numpy "2.4.7"{more}')]


def test_what_sites_change_between_jobs_is_for_people(confirmed, findings):
    confirmed.elsewhere("kernel", {"release": "6.9.0", "version": "#1 SMP", "machine": "x86_64"})
    assert [(f.code, f.severity) for f in findings(confirmed.root)] == [("TUN09", "review")]


def test_which_host_it_is_does_not_matter(confirmed, found):
    for index in (4, 5, 6):
        confirmed.logs[index].one("devices")["value"][0]["host"] = "n2"
        confirmed.manifests[index]["nodes"][0]["hosts"] = ["n2"]
        confirmed.survey(index)
    assert found(confirmed.root) == []


def test_environments_of_confirmation_runs_alone(confirmed, found):
    for index in range(4):
        log = confirmed.logs[index]
        log.events.remove(log.one("environment"))
        confirmed.environment(index).unlink()
    confirmed.launch()
    line = confirmed.logs[4].line_of("environment")
    assert found(confirmed.root) == [(f"result_{i}.txt", line, "TUN09") for i in range(3)]
