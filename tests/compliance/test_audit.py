"""The command: what is known of a submission."""

import functools
import hashlib
import json
import shutil

import pytest
import yaml

from benchmark.ledger import read_ledger
from compliance import audit, safe
from compliance.engine import judge
from rules.edition import load
from tests.support import ROOT

REFERENCE = ROOT / "results" / "v1.0" / "reference"
LOG = REFERENCE / "results" / "epyc-2core" / "strong" / "scaffold" / "result_0.txt"


@pytest.fixture
def command(call):
    return functools.partial(call, audit.main)


def record(tmp_path, outcome, **more):
    line = {
        "log": hashlib.sha256(LOG.read_bytes()).hexdigest(),
        "epochs": 2,
        "code": "reference",
        "outcome": outcome,
        "verdict": f"it {outcome}",
        **more,
    }
    path = tmp_path / "replays.jsonl"
    path.write_text(json.dumps(line) + "\n" + json.dumps({**line, "log": "0" * 64}) + "\n")
    return path


def test_what_was_read_what_was_run_and_what_is_left(command, tmp_path):
    code, out, err = command(REFERENCE, "--replays", record(tmp_path, "agrees"))
    assert (code, err) == (0, "")
    lines = [line.strip() for line in out.splitlines()]
    assert lines[0].endswith("results/v1.0/reference, by the rules v1.0")
    assert "20 logs in 3 sets: passed" in lines
    at = lines.index("epyc-2core/strong/scaffold: 1 of 5 runs")
    assert lines[at + 1] == "result_0.txt: replay: it agrees (reference code)"
    assert "epyc-2core/strong/deepcam: 0 of 5 runs" in lines
    people = [line[4:9].strip() for line in lines if line.startswith("[ ] ")]
    rules = [code for code, rule in load("v1.0").rules.items() if rule.by_review]
    assert [code.rstrip() for code in people] == [code[:5] for code in rules]


@pytest.mark.parametrize(("outcome", "wanted"), [("agrees", 0), ("open", 0), ("differs", 1)])
def test_a_replay_that_differs_is_wrong(command, tmp_path, outcome, wanted):
    assert command(REFERENCE, "--replays", record(tmp_path, outcome))[0] == wanted


@pytest.mark.parametrize("kind", ["reevaluation", "held-out"])
def test_weights_that_were_evaluated_again_have_a_line(command, tmp_path, kind):
    code, out, _ = command(REFERENCE, "--replays", record(tmp_path, "differs", kind=kind))
    assert code == 1 and f"result_0.txt: {kind}: it differs (reference code)" in out


def test_ledgers_are_counted(launched, law, monkeypatch):
    def before(campaign, index):
        if index == 3:
            launched.tried(campaign, 3, "aborted")

    launched.launch(before)
    monkeypatch.setattr(audit, "load", lambda name: load(name, law))
    (one,) = audit.audit(judge([launched.root], rules=law), {})
    head = read_ledger(launched.ledger).head[:12]
    assert one.read[-1] == f"box/strong/scaffold: ledger: 6 starts, 5 runs, 0 restarted, 1 failed; head {head}"
    launched.ledger.unlink()
    (one,) = audit.audit(judge([launched.root], rules=law), {})
    assert one.read[-1] == "box/strong/scaffold: no launch ledger" and one.wrong


def test_an_error_in_a_log_is_wrong_and_waived_is_not(command, tmp_path):
    copy = tmp_path / "v1.0" / "reference"
    shutil.copytree(REFERENCE, copy, ignore=shutil.ignore_patterns("ledger.jsonl"))  # they hold the logs as they are
    shutil.copyfile(REFERENCE.parent / "registry.yaml", copy.parent / "registry.yaml")
    for path in copy.glob("results/*/*/*/result_*.txt"):
        path.write_text("".join(x for x in path.read_text().splitlines(True) if '"key": "ledger"' not in x))
    log = copy / LOG.relative_to(REFERENCE)
    log.write_text(
        log.read_text().replace('"key": "cache_clear", "value": true', '"key": "cache_clear", "value": false')
    )
    code, out, _ = command(copy)
    assert code == 1 and " logs in 3 sets: failed: 1 error\n" in out and " rules checked, broken: LOG09\n" in out
    waivers = tmp_path / "waivers.yaml"
    entry = f"[{{organisation: {copy.name}, code: LOG09, path: result_0.txt, reason: a test, reviewer: me}}]"
    waivers.write_text(entry)
    assert command(copy, "--waivers", waivers)[0] == 0


@pytest.mark.slow
def test_a_template_is_filled_in_signed_and_shown(command, tmp_path):
    code, text, err = command(REFERENCE, "--review-template")
    assert (code, err) == (0, "")
    entries = yaml.safe_load(text)
    people = [e["rule"] for e in entries]
    assert {code for code, rule in load("v1.0").rules.items() if rule.by_review} <= set(people)
    assert {(e["submission"], e["verdict"]) for e in entries} == {("v1.0/reference", "open")}
    signed = {"who": "R. Viewer", "when": "2026-11-22", "note": "a jump"}
    entries[0] |= {"verdict": "object"} | signed
    entries[1] |= {"verdict": "accept"} | signed
    file = tmp_path / "review.yaml"
    file.write_text(yaml.safe_dump([*entries, {**entries[1], "submission": "acme"}]))
    without, (code, out, err) = command(REFERENCE)[0], command(REFERENCE, "--reviews", file)
    said = f"1 of {len(people)} points accepted, 1 objection"
    assert code == without and err.endswith("found submission 'acme', wanted one that was judged\n")
    assert f"  for people, {said}:\n    [!] {people[0]} " in out and f"    [x] {people[1]} " in out
    assert "      objection by R. Viewer, 2026-11-22: a jump\n" in out and out.count("    [ ] ") == len(people) - 2
    _, markdown, _ = command(REFERENCE, "--reviews", file, "--format", "markdown")
    assert f"## for people, {said}\n" in markdown and f"- [x] {people[1]} " in markdown
    assert f"- [ ] {people[0]} " in markdown and "  - objection by R. Viewer, 2026-11-22: a jump\n" in markdown
    (one,) = json.loads(command(REFERENCE, "--reviews", file, "--format", "json")[1])["audits"]
    assert one["reviewed"] == said and [q["verdict"] for q in one["people"][:3]] == ["object", "accept", "open"]


def test_formats_say_the_same(command, tmp_path):
    replays = record(tmp_path, "agrees")
    _, text, _ = command(REFERENCE, "--replays", replays)
    _, markdown, _ = command(REFERENCE, "--replays", replays, "--format", "markdown")
    _, told, _ = command(REFERENCE, "--replays", replays, "--format", "json")
    (one,) = json.loads(told)["audits"]
    assert (one["edition"], one["wrong"]) == ("v1.0", False)
    for line in (*one["read"], *(line for q in one["people"] for line in q["evidence"])):
        assert line in text and f"- {safe.markdown(line)}\n" in markdown
    assert markdown.count("- [ ] ") == len(one["people"])


@pytest.mark.parametrize("path", ["gone", "empty"])
def test_nothing_to_audit(command, tmp_path, path):
    (tmp_path / "empty").mkdir()
    code, out, err = command(tmp_path / path)
    assert (code, out) == (2, "") and "found no submission, wanted one" in err


def test_a_damaged_record_is_named(command, tmp_path):
    bad = tmp_path / "replays.jsonl"
    bad.write_text("{}\n")
    code, out, err = command(REFERENCE, "--replays", bad)
    assert (code, out) == (2, "") and "replays.jsonl:1: log: found None" in err
