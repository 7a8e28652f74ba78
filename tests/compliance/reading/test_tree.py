"""What belongs to a set, and what is named because it belongs to none."""

import os
import shutil

import pytest

from compliance.engine import judge
from compliance.reading import tree as reading_tree
from compliance.reading.tree import Place, place_of, read_submission
from tests.support.sides import sides

FORGED = (0.5, 0.7, 0.995)


@pytest.mark.parametrize(
    "place",
    [
        "benchmarks/x/results/fast/strong/scaffold/result_0.txt",
        "__pycache__/x/results/fast/strong/scaffold/result_0.txt",
        "source/result_0.txt",
        "results/box/strong/scaffold/pruned_results/result_5.txt",
        "results/box/strong/scaffold/result_5.md",
        "results/notes.rst",
    ],
)
def test_a_log_that_is_no_sets_is_an_error_and_in_no_set(tree, logs, law, place):
    path = logs.good(7, FORGED).write(tree.root / place)
    verdict = judge([tree.root], rules=law)
    found = [(f.path, f.line, f.severity) for f in verdict.findings if f.code == "TREE09"]
    assert found == [(str(path), 1, "error")]
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


def test_a_set_in_no_submission_has_a_system_and_a_scaling_at_most(tmp_path):
    inside, outside = tmp_path / "s" / "strong" / "b", tmp_path / "x" / "b"
    assert place_of(inside) == Place("", "", "s", "strong", "b", inside)
    assert place_of(outside) == Place("", "", "", "", "", outside)


@pytest.mark.parametrize(
    ("names", "prepared"),
    [
        (["systems/box.json"], True),
        (["systems/box.json", "README.md"], True),
        (["systems/box.json", "results/box/strong/scaffold/ledger.jsonl"], False),
        (["systems/box.json", "results/box/strong/scaffold/run_0.log"], False),
        (["systems/box.json", "source/abc/train.py"], False),
        (["results/README.md"], False),
        (["systems/box.yaml"], False),
    ],
)
def test_a_prepared_submission_has_descriptions_alone(tmp_path, names, prepared):
    files(tmp_path / "acme", *names)
    (tmp_path / "acme/results/box").mkdir(parents=True, exist_ok=True)  # an empty folder
    assert read_submission(tmp_path / "acme", "acme", tmp_path).prepared is prepared


@pytest.mark.parametrize(("most", "line"), [(1, 2), (2, 2), (3, 0), (4, 0)])
def test_too_many_lines_with_the_token_count_as_an_event(tmp_path, most, line):
    (tmp_path / "a.rst").write_text("x\n" + ":::MLLOG x\n" * 3)
    assert reading_tree.first_event(tmp_path / "a.rst", most) == (line, min(most + 1, 3))


@pytest.mark.parametrize(
    ("home", "inner", "tuning"),
    sides(
        (
            "box/tuning/scaffold",
            ["/c1", "/c1/confirmation"],
            ["/c1/other", "/c1/confirmation/more", "/confirmation", ""],
        ),
        ("box/tuning/scaffold/confirmation", [], ["/confirmation"]),
        ("box/strong/scaffold", [], ["/c1"]),
    ),
)
def test_a_campaign_and_its_confirmation_runs_have_a_place(tmp_path, home, inner, tuning):
    assert reading_tree.is_tuning(tuple(f"{home}{inner}".split("/"))) is tuning
    assert bool(place_of(tmp_path / "r" / "o" / "results" / f"{home}{inner}").campaign) is tuning


@pytest.mark.parametrize(
    ("path", "system", "scaling", "benchmark", "campaign"),
    [
        ("results/box/strong/scaffold", "box", "strong", "scaffold", ""),
        ("results/box/scaffold", "box", "", "scaffold", ""),
        ("results/box", "box", "", "", ""),
        ("results", "", "", "", ""),
        ("results/box/tuning/scaffold/c1", "box", "tuning", "scaffold", "c1"),
        ("results/box/tuning/scaffold/c1/confirmation", "box", "tuning", "scaffold", "c1"),
    ],
)
def test_folders_say_what_a_set_is(tmp_path, path, system, scaling, benchmark, campaign):
    home = tmp_path / "r" / "acme"
    files(home / path, "result_10.txt", "result_9.txt")
    (found,) = read_submission(home, "acme", tmp_path).sets
    place = Place("r", "acme", system, scaling, benchmark, home, campaign, path.endswith("confirmation"))
    assert found.place == place and found.trials is (path.endswith("c1"))
    assert [(log.number, log.pruned) for log in found.logs] == [(9, False), (10, False)]
    assert not benchmark or place_of(home / path) == place


def files(folder, *names):
    """Empty files below a folder."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("")


def held(found, home):
    """The logs and the superseded logs of a set, below its folder."""
    return [[log.file.relative_to(home).as_posix() for log in logs] for logs in (found.logs, found.superseded)]


def both(root, *parts):
    """A set as a submission has it, and as it is read when given by itself."""
    home = root.joinpath(*parts)
    (within,) = (s for s in read_submission(root, "acme", root).sets if s.path == home)
    alone = reading_tree.read_set(home, f"acme/{'/'.join(parts)}", home)
    return home, (within, alone)


@pytest.mark.parametrize("parts", [("results",), ("results", "box", "strong", "scaffold")])
def test_logs_set_aside_are_in_the_order_of_their_numbers(tmp_path, parts):
    again = ["superseded/2/result_0.txt", "superseded/1/result_1.txt"]
    files(tmp_path.joinpath(*parts), "result_0.txt", *again)
    home, sets = both(tmp_path, *parts)
    for found in sets:
        assert held(found, home) == [["result_0.txt"], again]
        assert not any(log.pruned for log in found.superseded)
    files(home, "superseded/result_5.txt")  # of no time
    assert [held(found, home)[1] for found in both(tmp_path, *parts)[1]] == [again, again]
    assert len(read_submission(tmp_path, "acme", tmp_path).sets) == 2


def test_superseded_logs_of_no_set_are_a_set_of_their_own(tmp_path):
    files(tmp_path / "results" / "box" / "strong" / "scaffold", "superseded/1/result_0.txt", "superseded/result_0.txt")
    found = read_submission(tmp_path, "acme", tmp_path).sets
    assert [s.path.name for s in found] == ["superseded", "1"] and not any(s.superseded for s in found)


@pytest.mark.parametrize(
    ("parts", "pruned"),
    [
        (("results", "box", "weak", "scaffold"), True),
        (("results", "box", "strong", "scaffold"), False),
        (("results", "box", "strong", "weak"), False),
        (("results", "weak", "strong", "scaffold"), False),
    ],
)
def test_pruned_logs_belong_to_weak_sets_and_come_last(tmp_path, parts, pruned):
    files(tmp_path.joinpath(*parts), "result_1.txt", "result_2.txt", "pruned_results/result_0.txt", "README.md")
    files(tmp_path.joinpath(*parts), "pruned_results/README.md")
    home, sets = both(tmp_path, *parts)
    own = [("result_1.txt", False), ("result_2.txt", False)]
    wanted = [*own, ("pruned_results/result_0.txt", True)] if pruned else own
    for found in sets:
        assert [(log.file.relative_to(home).as_posix(), log.pruned) for log in found.logs] == wanted
        assert [log.name for log in found.logs] == [f"acme/{'/'.join(parts)}/{name}" for name, _ in wanted]


@pytest.mark.parametrize("inner", ["", "a/b/"])
def test_pruned_logs_lie_directly_in_their_set(tmp_path, inner):
    files(tmp_path, f"results/box/weak/{inner}pruned_results/result_0.txt")
    assert read_submission(tmp_path, "acme", tmp_path).sets == ()


def test_no_link_leads_to_logs_of_a_set(tmp_path):
    elsewhere, home = tmp_path / "elsewhere", tmp_path / "results" / "box" / "weak" / "scaffold"
    files(elsewhere, "result_7.txt")
    files(home, "result_0.txt", "superseded/1/result_0.txt", "superseded/1/README.md")
    (home / "result_1.txt").symlink_to(elsewhere / "result_7.txt")
    (home / "superseded" / "1" / "result_1.txt").symlink_to(elsewhere / "result_7.txt")
    (home / "superseded" / "2").symlink_to(elsewhere)
    (home / "pruned_results").symlink_to(elsewhere)
    for found in both(tmp_path, "results", "box", "weak", "scaffold")[1]:
        assert held(found, home) == [["result_0.txt"], ["superseded/1/result_0.txt"]]


def test_only_files_count_for_the_size_of_a_submission(tmp_path):
    files(tmp_path / "acme", "folder/empty")
    (tmp_path / "acme" / "file").write_text("four")
    (tmp_path / "acme" / "link").symlink_to("file")
    os.mkfifo(tmp_path / "acme" / "pipe")
    found = read_submission(tmp_path / "acme", "acme", tmp_path)
    kinds = {entry.parts[-1]: entry.kind for entry in found.entries}
    assert kinds == {"file": "file", "folder": "folder", "empty": "file", "link": "link", "pipe": "special"}
    assert {entry.parts[-1]: entry.size for entry in found.entries if entry.size} == {"file": 4}


def test_what_cannot_be_listed_is_unreadable(tmp_path):
    assert reading_tree.scan(tmp_path / "nowhere") == ([], "No such file or directory")
    found = read_submission(tmp_path / "nowhere", "acme", tmp_path)
    assert found.entries == (reading_tree.Entry((".",), "unreadable", 0),)


def test_an_entry_that_vanishes_while_it_is_looked_at_is_unreadable(tmp_path, monkeypatch):
    files(tmp_path, "gone")
    scanned = reading_tree.scan(tmp_path)
    (tmp_path / "gone").unlink()
    monkeypatch.setattr(reading_tree, "scan", lambda path: scanned)
    (entry,) = read_submission(tmp_path, "acme", tmp_path).entries
    assert (entry.parts, entry.kind, entry.size) == (("gone",), "unreadable", 0)


@pytest.mark.parametrize(
    ("deepest", "kinds"),
    [(1, ["folder", "unreadable"]), (2, ["folder", "folder", "unreadable"]), (3, ["folder", "folder", "file"])],
)
def test_a_listing_goes_so_deep(tmp_path, monkeypatch, deepest, kinds):
    monkeypatch.setattr(reading_tree, "DEEPEST", deepest)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("four")
    found = read_submission(tmp_path, "acme", tmp_path)
    assert [entry.kind for entry in found.entries] == kinds and not found.cut
    assert deepest < 3 or found.entries[-1].size == 4
    assert found.names() == ["a"] and found.names("a") == ["b"][: deepest - 1]


@pytest.mark.parametrize("most", [1, 2, 3, 4])
def test_a_listing_is_cut_beyond_so_many_entries(tmp_path, monkeypatch, most):
    """Of three. One more is looked at, so that it shows."""
    for name in "abc":
        (tmp_path / name).touch()
    monkeypatch.setattr(reading_tree, "MOST_ENTRIES", most)
    found = read_submission(tmp_path, "acme", tmp_path)
    assert (found.cut, len(found.entries)) == (most < 3, min(most, 3))
    assert len(reading_tree.scan(tmp_path)[0]) == min(most + 1, 3)
