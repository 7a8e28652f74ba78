"""What belongs to a set, and what is named because it belongs to none."""

import os

import pytest

from compliance.reading import tree as reading_tree
from compliance.reading.tree import Place, place_of, read_submission
from compliance.rule import CONFIRMATION, TRIAL
from tests.support.sides import sides


def test_logs_that_are_no_sets_are_strays(tree, logs):
    runs = "results/box/strong/scaffold"
    strays = [
        "__pycache__/x/results/fast/strong/scaffold/result_0.txt",
        "benchmarks/x/results/fast/strong/scaffold/result_0.txt",
        "results/notes.rst",
        *(f"{runs}/{name}" for name in ("Result_5.txt", "pruned_results/result_5.txt", "result_1234567890.txt")),
        f"{runs}/result_5.log",
        "source/result_0.txt",
    ]
    tree.put(tree.root / "README.md", 'The lines of a log begin with `:::MLLOG {"key": ...}`.\n')
    for place in (*strays, f"{runs}/result_123456789.txt", f"{runs}/power/result_0/node_0.txt"):
        logs.good(7).write(tree.root / place)
    found = read_submission(tree.root, "acme", tree.root)
    assert {("/".join(entry.parts), line) for entry, line in found.strays} == {(place, 1) for place in strays}
    assert [[log.number for log in one.logs] for one in found.sets] == [[*range(5), 123456789]]


def test_a_set_in_no_submission_has_a_system_and_a_scaling_at_most(tmp_path):
    inside, outside = tmp_path / "s" / "strong" / "b", tmp_path / "x" / "b"
    assert place_of(inside) == Place("", "", "s", "strong", "b", inside)
    assert place_of(outside) == Place("", "", "", "", "", outside)


@pytest.mark.parametrize(
    ("more", "prepared"),
    sides((["README.md", "systems/crate.json"], ["results/box/strong/scaffold/run_0.log", "source/abc/train.py"])),
)
def test_a_prepared_submission_has_descriptions_alone(tmp_path, more, prepared):
    files(tmp_path / "acme", "systems/box.json", more)
    (tmp_path / "acme/results/box").mkdir(parents=True, exist_ok=True)  # an empty folder
    assert read_submission(tmp_path / "acme", "acme", tmp_path).prepared is prepared
    (tmp_path / "acme/systems/box.json").rename(tmp_path / "acme/systems/box.yaml")
    assert read_submission(tmp_path / "acme", "acme", tmp_path).prepared is (more == "systems/crate.json")


def test_too_many_lines_with_the_token_count_as_an_event(tmp_path):
    (tmp_path / "a.rst").write_text("x\n" + ":::MLLOG x\n" * 3)
    for most, line in ((2, 2), (3, 0)):
        assert reading_tree.first_event(tmp_path / "a.rst", most) == (line, 3)


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
    assert found.kind == (TRIAL if found.trials else CONFIRMATION if place.confirmation else frozenset())
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


def test_logs_aside_of_no_set_are_sets_and_pruned_ones_none(tmp_path):
    files(tmp_path / "results" / "box" / "strong" / "scaffold", "superseded/1/result_0.txt", "superseded/result_0.txt")
    found = read_submission(tmp_path, "acme", tmp_path).sets
    assert [s.path.name for s in found] == ["superseded", "1"] and not any(s.superseded for s in found)
    other = tmp_path / "other"  # pruned logs lie directly in their set
    files(other, *(f"results/box/weak/{inner}pruned_results/result_0.txt" for inner in ("", "a/b/")))
    assert read_submission(other, "acme", other).sets == ()


@pytest.mark.parametrize(
    "folder", ["results", *(f"results/{s}/scaffold" for s in ("box/strong", "weak/strong", "box/weak"))]
)
def test_a_set_has_its_logs_pruned_ones_if_weak_and_those_aside(tmp_path, folder):
    own, pruned, again = ["result_1.txt", "result_2.txt"], "pruned_results/result_0.txt", "superseded/{}/result_{}.txt"
    aside = [again.format(2, 0), again.format(1, 1)]
    files(tmp_path / folder, *own, pruned, *aside, "README.md", "pruned_results/README.md")
    files(tmp_path / folder, "superseded/result_5.txt")  # of no time, a set of its own
    home, sets = both(tmp_path, *folder.split("/"))
    wanted = [*own, pruned] if folder.endswith("weak/scaffold") else own
    for found in sets:
        assert held(found, home) == [wanted, aside]
        assert [log.pruned for log in (*found.superseded, *found.logs)] == [*4 * [False], True][: 2 + len(wanted)]
        assert [log.name for log in found.logs] == [f"acme/{folder}/{name}" for name in wanted]
    assert {s.path for s in read_submission(tmp_path, "acme", tmp_path).sets} == {home, home / "superseded"}


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


def test_what_cannot_be_listed_or_vanishes_is_unreadable(tmp_path, monkeypatch):
    assert reading_tree.scan(tmp_path / "nowhere") == ([], "No such file or directory")
    found = read_submission(tmp_path / "nowhere", "acme", tmp_path)
    assert found.entries == (reading_tree.Entry((".",), "unreadable", 0),)
    files(tmp_path, "gone")
    scanned = reading_tree.scan(tmp_path)
    (tmp_path / "gone").unlink()
    monkeypatch.setattr(reading_tree, "scan", lambda path: scanned)
    assert read_submission(tmp_path, "acme", tmp_path).entries == (reading_tree.Entry(("gone",), "unreadable", 0),)


@pytest.mark.parametrize(
    ("deepest", "kinds"),
    [(2, ["folder", "folder", "unreadable"]), (3, ["folder", "folder", "file"])],
)
def test_a_listing_goes_so_deep(tmp_path, monkeypatch, deepest, kinds):
    monkeypatch.setattr(reading_tree, "DEEPEST", deepest)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("four")
    found = read_submission(tmp_path, "acme", tmp_path)
    assert [entry.kind for entry in found.entries] == kinds and not found.cut
    assert deepest < 3 or found.entries[-1].size == 4
    assert found.names() == ["a"] and found.names("a") == ["b"][: deepest - 1]


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_listing_is_cut_beyond_so_many_entries(tmp_path, monkeypatch, most):
    """Of three. One more is looked at, so that it shows."""
    for name in "abc":
        (tmp_path / name).touch()
    monkeypatch.setattr(reading_tree, "MOST_ENTRIES", most)
    found = read_submission(tmp_path, "acme", tmp_path)
    assert (found.cut, len(found.entries)) == (most < 3, min(most, 3))
    assert len(reading_tree.scan(tmp_path)[0]) == min(most + 1, 3)
