"""Input that means harm: nothing crashes, waits, leaves the tree, or grows without bound."""

import gzip
import itertools
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import compliance
from compliance.engine import judge
from tests.support.effort import guarded

ROOT = Path(compliance.__file__).parents[1]


@pytest.fixture
def after(tree, found):
    """What is found after something was written over a log."""

    def look(data):
        tree.path(2).write_bytes(data)
        return found(tree.root)

    return look


def codes(findings):
    return {code for *_, code in findings}


def good(tree):
    return tree.path(2).read_bytes()


@pytest.mark.parametrize(
    "bad",
    [b"\0" * 5000, b":::MLLOG " + b"[" * 500_000, b':::MLLOG {"a":' * 50_000, b":::MLLOG {" + b" " * (3 << 20)],
    ids=["NUL", "deep list", "deep object", "long"],
)
def test_bad_lines_at_the_end(tree, after, bad):
    found = after(good(tree) + bad + b"\n")
    assert codes(found) <= {"LOG01", "LOG08"}


def test_byte_order_mark(tree, after):
    assert after(b"\xef\xbb\xbf" + good(tree)) == [("result_2.txt", 1, "LOG08")]


def test_windows_line_ends_are_fine(tree, after):
    assert after(good(tree).replace(b"\n", b"\r\n")) == []


def test_lone_carriage_returns(tree, after):
    assert "LOG08" in codes(after(good(tree).replace(b"\n", b"\r")))  # all events in line 1


def test_infinity_by_overflow(tree, after):
    score = json.dumps(tree.logs[2].all("eval_accuracy")[4]["value"]).encode()
    line = tree.logs[2].line(tree.logs[2].all("eval_accuracy")[4])
    assert after(good(tree).replace(score, b"1e400")) == [("result_2.txt", line, "EVL04")]


def test_number_of_thousands_of_digits(tree, after):
    assert "LOG01" in codes(after(good(tree).replace(b'"seed", "value": ', b'"seed", "value": ' + b"9" * 10_000)))


def test_gzip_bomb_by_name_is_bytes(tree, found):
    tree.path(2).with_name("result_9.txt.gz").write_bytes(gzip.compress(b"\0" * 1_000_000))
    assert found(tree.root) == [("result_9.txt.gz", 1, "TREE03")]


def test_gzip_instead_of_a_log(tree, after):
    assert codes(after(gzip.compress(good(tree)))) == {"LOG03"}


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


def test_names_with_newlines_and_escapes(tree, law):
    for name in ("a\nb.py", "\x1b[31mred.txt", "\u202egnp.txt", "\udcff.txt"):
        os.close(os.open(os.fsencode(tree.implementation / name), os.O_CREAT | os.O_WRONLY))
    verdict = judge([tree.root], rules=law)
    assert sum(f.code == "TREE05" for f in verdict.findings) == 4
    assert all(f.text().isprintable() for f in verdict.findings)


def test_yaml_with_tags_and_anchors_is_never_unfolded(tree, found):
    names = "abcdefghijklmnopqrst"
    pairs = itertools.pairwise(names)
    bomb = "a: &a [x, x]\n" + "".join(f"{after}: &{after} [*{one}, *{one}]\n" for one, after in pairs)
    tree.put(tree.implementation / "config.yaml", bomb + "run: !!python/object/apply:os.system [touch /tmp/owned]\n")
    assert codes(found(tree.root)) == {"SRC06", "CODE03"}


@pytest.mark.parametrize("text", ["x = " + "(" * 9000, "a" + ".a" * 200_000, "x = " + "-" * 200_000 + "1"])
def test_python_of_pathological_depth(tree, found, text):
    tree.put(tree.implementation / "deep.py", text)
    assert codes(found(tree.root)) <= {"SRC02", "SRC06", "CODE04"}


@pytest.mark.parametrize("text", ["[" * 100_000, "", "[1]"])
def test_system_description_of_any_kind(tree, found, text):
    tree.put(tree.root / "systems" / "box.json", text)
    assert codes(found(tree.root)) == {"SYS02"}


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
