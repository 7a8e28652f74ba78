"""The command: what is known of a submission."""

import functools
import hashlib
import json

import pytest
import yaml

from benchmark.ledger import read_ledger
from compliance import audit, safe
from compliance.engine import judge
from rules.edition import load
from tests.support import ROOT

REFERENCE = ROOT / "results" / "v1.0" / "reference"
LOG = REFERENCE / "results" / "xeon-amx-2core" / "strong" / "scaffold" / "result_0.txt"


@pytest.fixture
def command(call):
    return functools.partial(call, audit.main)


@pytest.fixture
def of_tiny(law, monkeypatch):
    """Lets the command use the editions with the tiny problem."""
    monkeypatch.setattr(audit, "judge", functools.partial(judge, rules=law))
    monkeypatch.setattr(audit, "load", lambda name: load(name, law))


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
    at = lines.index("xeon-amx-2core/strong/scaffold: 1 of 5 runs")
    assert lines[at + 1] == "result_0.txt: replay: it agrees (reference code)"
    assert "xeon-amx-2core/strong/deepcam: 0 of 5 runs" in lines
    people = [line[4:9].strip() for line in lines if line.startswith("[ ] ")]
    rules = [code for code, rule in load("v1.0").rules.items() if rule.by_review]
    assert [code.rstrip() for code in people] == [code[:5] for code in rules]


@pytest.mark.parametrize(
    ("outcome", "kind", "wanted"),
    [("agrees", "replay", 0), ("open", "replay", 0), ("differs", "replay", 1), ("differs", "held-out", 1)],
)
def test_what_was_run_again_and_differs_is_wrong(command, tmp_path, outcome, kind, wanted):
    code, out, _ = command(REFERENCE, "--replays", record(tmp_path, outcome, kind=kind))
    assert code == wanted and f"result_0.txt: {kind}: it {outcome} (reference code)" in out


def test_ledgers_are_counted(launched, law, of_tiny):
    def before(campaign, index):
        if index == 3:
            launched.tried(campaign, 3, "aborted")

    launched.launch(before)
    (one,) = audit.audit(judge([launched.root], rules=law), {})
    head = read_ledger(launched.ledger).head[:12]
    assert one.read[-1] == f"box/strong/scaffold: ledger: 6 starts, 5 runs, 0 restarted, 1 failed; head {head}"
    launched.ledger.unlink()
    (one,) = audit.audit(judge([launched.root], rules=law), {})
    assert one.read[-1] == "box/strong/scaffold: no launch ledger" and one.wrong


def test_an_error_in_a_log_is_wrong_and_waived_is_not(command, broken, of_tiny, tmp_path):
    code, out, _ = command(broken.root)
    assert code == 1 and "5 logs in 1 set: failed: 1 error\n" in out and " rules checked, broken: SEED03\n" in out
    waivers = tmp_path / "waivers.yaml"
    waivers.write_text("[{organisation: acme, code: SEED03, path: result_1.txt, reason: a test, reviewer: me}]")
    assert command(broken.root, "--waivers", waivers)[0] == 0


def test_a_template_is_filled_in_signed_and_shown(command, tree, of_tiny, tmp_path):
    code, text, err = command(tree.root, "--review-template")
    assert (code, err) == (0, "")
    entries = yaml.safe_load(text)
    people = [e["rule"] for e in entries]
    assert {code for code, rule in load("v1.0").rules.items() if rule.by_review} <= set(people)
    assert {(e["submission"], e["verdict"]) for e in entries} == {("v1.0/acme", "open")}
    signed = {"who": "R. Viewer", "when": "2026-11-22", "note": "a jump"}
    entries[0] |= {"verdict": "object"} | signed
    entries[1] |= {"verdict": "accept"} | signed
    file = tmp_path / "review.yaml"
    file.write_text(yaml.safe_dump([*entries, {**entries[1], "submission": "bolt"}]))
    code, out, err = command(tree.root, "--reviews", file)
    said = f"1 of {len(people)} points accepted, 1 objection"
    assert code == 0 and err.endswith("found submission 'bolt', wanted one that was judged\n")
    assert f"  for people, {said}:\n    [!] {people[0]} " in out and f"    [x] {people[1]} " in out
    assert "      objection by R. Viewer, 2026-11-22: a jump\n" in out and out.count("    [ ] ") == len(people) - 2
    told = command(tree.root, "--reviews", file, "--format", "json")[1]
    markdown = command(tree.root, "--reviews", file, "--format", "markdown")[1]
    (one,) = json.loads(told)["audits"]
    assert (one["edition"], one["wrong"], one["reviewed"]) == ("v1.0", False, said)
    assert [q["verdict"] for q in one["people"][:3]] == ["object", "accept", "open"]
    for line in (*one["read"], *(line for q in one["people"] for line in q["evidence"])):
        assert line in out and f"- {safe.markdown(line)}\n" in markdown
    assert f"## for people, {said}\n" in markdown and f"- [x] {people[1]} " in markdown
    assert f"- [ ] {people[0]} " in markdown and "  - objection by R. Viewer, 2026-11-22: a jump\n" in markdown


def test_nothing_to_audit_and_a_damaged_record_are_named(command, tmp_path):
    bad = tmp_path / "replays.jsonl"
    bad.write_text("{}\n")
    for path in (tmp_path / "gone", tmp_path):
        code, out, err = command(path)
        assert (code, out) == (2, "") and "found no submission, wanted one" in err
    code, out, err = command(REFERENCE, "--replays", bad)
    assert (code, out) == (2, "") and "replays.jsonl:1: log: found None" in err
