"""Input that means harm: nothing crashes, waits, leaves the tree, or grows without bound."""

import gzip
import itertools
import json
import os
import resource
import subprocess
import sys

import pytest

from compliance.engine import judge
from tests.support import ROOT
from tests.support.effort import guarded


def codes(findings):
    return {code for *_, code in findings}


def good(tree):
    return tree.path(2).read_bytes()


OTHER_BYTES = {  # what is done to a log, and the codes that are found
    "NUL": (lambda log: log + b"\0" * 5000 + b"\n", set()),
    "a deep list": (lambda log: log + b":::MLLOG " + b"[" * 500_000 + b"\n", {"LOG01"}),
    "a deep object": (lambda log: log + b':::MLLOG {"a":' * 50_000 + b"\n", {"LOG01"}),
    "a long line": (lambda log: log + b":::MLLOG {" + b" " * (3 << 20) + b"\n", {"LOG01"}),
    "a number of 10,000 digits": (
        lambda log: log.replace(b'"seed", "value": ', b'"seed", "value": ' + b"9" * 10_000),
        {"LOG01"},
    ),
    "a byte order mark": (lambda log: b"\xef\xbb\xbf" + log, {"LOG08"}),
    "line ends of Windows": (lambda log: log.replace(b"\n", b"\r\n"), set()),
    "lone carriage returns": (
        lambda log: log.replace(b"\n", b"\r"),
        {"LOG08", "CLK10", "DATA05"},
    ),  # all events are in line 1
    "gzip": (gzip.compress, {"LOG03"}),
}


@pytest.mark.parametrize("name", OTHER_BYTES)
def test_a_log_of_other_bytes_stops_nothing(tree, found, name):
    change, wanted = OTHER_BYTES[name]
    tree.path(2).write_bytes(change(good(tree)))
    assert codes(found(tree.root)) == wanted


def test_infinity_by_overflow(tree, found):
    event = tree.logs[2].all("eval_accuracy")[4]
    tree.path(2).write_bytes(good(tree).replace(json.dumps(event["value"]).encode(), b"1e400"))
    assert found(tree.root) == [("result_2.txt", tree.logs[2].line(event), "EVL04")]


def test_links_are_not_followed(tree, found, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "result_5.txt").write_bytes(good(tree))
    tree.path(0).with_name("pruned_results").symlink_to(outside)
    assert found(tree.root) == [("pruned_results", 1, "TREE05")]
    tree.path(2).unlink()
    tree.path(2).symlink_to(outside / "result_5.txt")
    assert {("result_2.txt", 1, "TREE05"), ("pruned_results", 1, "TREE05")} <= set(found(tree.root))


def test_pipes_are_not_opened(tree, law):
    os.mkfifo(tree.implementation / "wait.py")
    os.mkfifo(tree.root / "systems" / "other.json")
    os.mkfifo(tree.path(0).with_name("result_8.txt"))
    with guarded():
        verdict = judge([tree.root, tree.path(0).with_name("result_8.txt")], rules=law)
    assert {f.code for f in verdict.findings} >= {"TREE05"}
    assert len(verdict.missed) == 1


def test_names_with_newlines_and_escapes(tree, findings):
    for name in ("a\nb.py", "\x1b[31mred.txt", "\u202egnp.txt", "\udcff.txt"):
        os.close(os.open(os.fsencode(tree.implementation / name), os.O_CREAT | os.O_WRONLY))
    found = findings(tree.root)
    assert sum(f.code == "TREE05" for f in found) == 4
    assert all(f.text().isprintable() for f in found)


def test_yaml_with_tags_and_anchors_is_never_unfolded(tree, found):
    names = "abcdefghijklmnopqrst"
    pairs = itertools.pairwise(names)
    bomb = "a: &a [x, x]\n" + "".join(f"{after}: &{after} [*{one}, *{one}]\n" for one, after in pairs)
    tree.put(tree.implementation / "config.yaml", bomb + "run: !!python/object/apply:os.system [touch /tmp/owned]\n")
    assert codes(found(tree.root)) == {"SRC06", "CODE03"}


@pytest.mark.slow
def test_a_million_events_are_refused_in_bounded_memory(tmp_path):
    line = ":::MLLOG " + json.dumps(
        {"namespace": "", "time_ms": 1_760_000_000_000, "event_type": "POINT_IN_TIME", "key": "tracked_stats"}
        | {"value": {"loss": 1.0}, "metadata": {"epoch_num": 1}}
    )
    path = tmp_path / "result_0.txt"
    with path.open("w") as file:
        for _ in range(100):
            file.write((line + "\n") * 10_000)
    code = f"from compliance.check import main\nmain([{str(path)!r}, '--rules', 'v1.0', '--all'])"

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))

    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, preexec_fn=limit)
    assert "LOG02 error: Could not look further" in done.stdout, done.stderr[-500:]
