"""What belongs to a set, and what is named because it belongs to none."""

import os
import shutil

import pytest

from compliance.engine import judge
from compliance.reading import tree as reading_tree
from compliance.reading.tree import LOG, misnamed_log, place_of, read_submission

FORGED = (0.5, 0.7, 0.995)


@pytest.mark.parametrize(
    "place",
    [
        "benchmarks/x/results/fast/strong/scaffold/result_0.txt",
        "docs/x/results/fast/strong/scaffold/result_0.txt",
        "__pycache__/x/results/fast/strong/scaffold/result_0.txt",
        ".hidden/results/fast/strong/scaffold/result_0.txt",
        "source/result_0.txt",
        "systems/result_0.txt",
        "results/box/strong/scaffold/pruned_results/result_5.txt",
        "results/box/strong/scaffold/result_5.md",
        "results/box/strong/scaffold/README.md",
        "results/notes.rst",
    ],
)
def test_a_log_that_is_no_sets_is_an_error_and_in_no_set(tree, logs, law, place):
    path = logs.good(7, FORGED).write(tree.root / place)
    verdict = judge([tree.root], rules=law)
    assert [(f.path, f.line, f.code, f.severity) for f in verdict.findings if f.code == "TREE09"] == [
        (str(path), 1, "TREE09", "error")
    ]
    assert [log.run.file.name for s in verdict.all_sets for log in s.logs] == [f"result_{i}.txt" for i in range(5)]
    assert verdict.exit_code == 1


@pytest.mark.parametrize("name", ["result_1234567890.txt", "Result_5.txt", "result_5.log", "results_5.txt"])
def test_a_log_of_another_name_is_named_and_in_no_set(tree, logs, law, name):
    logs.good(7).write(tree.path(0).with_name(name))
    verdict = judge([tree.root], rules=law)
    assert [(f.path.rpartition("/")[2], f.code) for f in verdict.findings] == [(name, "TREE06")]
    assert len(verdict.all_sets[0].logs) == 5


def test_nine_digits_are_a_number(tree, law):
    tree.path(4).rename(tree.path(123456789))
    (finding,) = judge([tree.root], rules=law).findings
    assert (finding.code, finding.found) == ("RUN02", "5 runs, the last is 123456789: no run 4 to 123456788")


def test_a_text_that_only_mentions_the_token_is_no_log(tree, found):
    tree.put(tree.root / "README.md", 'The lines of a log begin with `:::MLLOG {"key": ...}`.\n')
    assert found(tree.root) == []


def test_a_folder_of_any_name_is_looked_into(tree, law, tmp_path):
    """Two submissions in a round, one of them where a walk might pass by."""
    hidden = tmp_path / "v1.0" / "__pycache__" / "acme"
    shutil.copytree(tree.root, hidden)
    verdict = judge([tmp_path / "v1.0"], rules=law)
    assert sorted(s.path for s in verdict.submissions) == sorted([str(hidden), str(tree.root)])
    assert {f.code for f in verdict.findings} == {"RUN05"}


@pytest.mark.parametrize(
    ("folder", "wanted"),
    [
        ("r/o/results/s/strong/b", ("r", "o", "s", "strong", "b")),
        ("r/o/results/s/weak/b", ("r", "o", "s", "weak", "b")),
        ("r/o/results/s/b", ("r", "o", "s", "", "b")),
        ("s/strong/b", ("", "", "s", "strong", "b")),
        ("x/b", ("", "", "", "", "")),
    ],
)
def test_folders_say_what_a_set_is(tmp_path, folder, wanted):
    place = place_of(tmp_path / folder)
    assert (place.round, place.org, place.system, place.scaling, place.benchmark) == wanted


@pytest.mark.parametrize(("most", "listed"), [(3, 3), (2, 3), (1, 2)])
def test_a_folder_is_listed_as_far_as_a_submission_may_be_large(tmp_path, monkeypatch, most, listed):
    """One more, so that it shows."""
    monkeypatch.setattr(reading_tree, "MOST_ENTRIES", most)
    for name in "abc":
        (tmp_path / name).touch()
    assert len(reading_tree.scan(tmp_path)[0]) == listed


@pytest.mark.parametrize(
    ("files", "prepared"),
    [
        (["systems/box.json"], True),
        (["systems/box.json", "README.md"], True),
        (["systems/box.json", "results/box/strong/scaffold/"], True),
        (["systems/box.json", "results/box/strong/scaffold/ledger.jsonl"], False),
        (["systems/box.json", "results/box/strong/scaffold/run_0.log"], False),
        (["systems/box.json", "source/abc/train.py"], False),
        (["systems/", "results/"], False),
    ],
)
def test_a_prepared_submission_has_descriptions_alone(tmp_path, files, prepared):
    for file in files:
        path = tmp_path / "acme" / file
        (path if file.endswith("/") else path.parent).mkdir(parents=True, exist_ok=True)
        if not file.endswith("/"):
            path.write_text("")
    assert read_submission(tmp_path / "acme", "acme", tmp_path).prepared is prepared


def test_log_lines_are_found_under_any_name(tree):
    folder = tree.path(0).parent
    assert LOG.match(misnamed_log(sorted(os.scandir(folder), key=lambda entry: entry.name)))
    for index in range(5):
        tree.path(index).write_text("no event\n" * 3)
    os.mkfifo(folder / "pipe")
    assert misnamed_log(os.scandir(folder)) == ""


def test_so_much_is_read_and_no_more():
    assert reading_tree.MOST_ENTRIES == 200_000
    assert reading_tree.DEEPEST == 32
