"""What there is to judge under a path: submissions, sets, logs, and what couldn't be looked at."""

import os

import pytest

from compliance.reading import discovery
from compliance.reading.discovery import discover


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def names(found, root):
    """(submissions, sets, logs, missed) relative to a folder."""
    parts = [[s.name for s in found.submissions], [s.name for s in found.sets], [log.name for log in found.logs]]
    return [[os.path.relpath(n, root) for n in part] for part in [*parts, [path for path, _ in found.missed]]]


@pytest.mark.parametrize(
    ("files", "submission"),
    [
        (["systems/box.json", "results/x"], True),
        (["systems/box.json", "source/x"], True),
        (["systems/box.json", "benchmarks/x"], True),
        (["systems/box.json", "docs/x"], False),
        (["results/box/strong/scaffold/result_0.txt"], True),
        (["results/box/scaffold/result_0.txt"], True),
        (["results/scaffold/result_0.txt"], False),
        (["results/a/b/c/d/result_0.txt"], False),
        (["results/box/strong/scaffold/result_0.log"], False),
        (["other/box/strong/scaffold/result_0.txt"], False),
    ],
)
def test_a_submission_has_systems_or_results_with_logs(tmp_path, files, submission):
    for file in files:
        put(tmp_path / "acme" / file)
    assert [s.name for s in discover([str(tmp_path / "acme")]).submissions] == [str(tmp_path / "acme")] * submission


def test_a_round_holds_submissions_and_a_folder_of_logs_is_a_set(tmp_path):
    for org in ("acme", "bolt"):
        put(tmp_path / "round" / org / "results" / "box" / "strong" / "scaffold" / "result_0.txt")
    put(tmp_path / "round" / "loose" / "result_0.txt")
    found = discover([str(tmp_path)])
    assert names(found, tmp_path) == [["round/acme", "round/bolt"], ["round/loose"], [], ["round/loose"]]


def test_a_file_is_a_log_whatever_its_name(tmp_path):
    found = discover([str(put(tmp_path / "some.log")), str(put(tmp_path / "result_7.txt"))])
    assert names(found, tmp_path) == [[], [], ["some.log", "result_7.txt"], []]
    assert [log.number for log in found.logs] == [None, 7]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "No such file or directory"),
        (os.mkdir, "no submission, no set of runs and no log in it"),
        (os.mkfifo, "neither a file nor a folder"),
    ],
)
def test_what_cannot_be_looked_at_is_missed_with_its_reason(tmp_path, make, why):
    make(path := tmp_path / "given")
    assert discover([str(path)]).missed == [(str(path), why)]
    assert "null" in discover(["a\0b"]).missed[0][1]


def test_links_to_folders_are_not_entered(tmp_path):
    put(tmp_path / "elsewhere" / "result_0.txt")
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "set").symlink_to(tmp_path / "elsewhere")
    assert names(discover([str(tmp_path / "given")]), tmp_path) == [[], [], [], ["given"]]


@pytest.mark.parametrize(("deepest", "sets"), [(3, ["a/b/c"]), (2, [])])
def test_a_walk_has_an_end(tmp_path, monkeypatch, deepest, sets):
    monkeypatch.setattr(discovery, "DEEPEST", deepest)
    put(tmp_path / "a" / "b" / "c" / "result_0.txt")
    assert names(discover([str(tmp_path)]), tmp_path)[1] == sets
