"""What there is to judge under a path: submissions, sets, logs, and what couldn't be looked at."""

import os

import pytest

from compliance.reading import discovery
from compliance.reading.discovery import discover
from tests.support.sides import sides


def put(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    return path


def names(found, root):
    """(submissions, sets, logs, missed) relative to a folder."""
    parts = [[s.name for s in found.submissions], [s.name for s in found.sets], [log.name for log in found.logs]]
    return [[os.path.relpath(n, root) for n in part] for part in [*parts, [path for path, _ in found.missed]]]


@pytest.mark.parametrize(
    ("folder", "file", "submission"),
    sides(
        ("systems", ["box.json"], ["box.yaml"]),
        ("results", [f"{path}/result_0.txt" for path in ("box/strong/scaffold", "box/scaffold")], []),
        ("results", [], ["scaffold/result_0.txt", "a/b/c/d/result_0.txt", "box/strong/scaffold/result_0.log"]),
        ("other", [], ["box/strong/scaffold/result_0.txt"]),
    ),
)
def test_a_submission_has_systems_or_results_with_logs(tmp_path, folder, file, submission):
    put(tmp_path / "acme" / folder / file)
    assert [s.name for s in discover([str(tmp_path / "acme")]).submissions] == [str(tmp_path / "acme")] * submission


@pytest.mark.parametrize("other", ["results", "source", "benchmarks"])
def test_a_folder_of_systems_beside_others_is_a_submissions(tmp_path, other):
    for folder in ("systems", other):
        (tmp_path / "acme" / folder).mkdir(parents=True)
    assert len(discover([str(tmp_path / "acme")]).submissions) == 1


RUN = "results/box/strong/scaffold/result_0.txt"
DESCRIBED = [f"results/v1.0/{org}/{file}" for org in ("acme", "bolt") for file in (RUN, "systems/box.json")]


@pytest.mark.parametrize(
    ("files", "submissions", "sets"),
    [
        ([f"round/__pycache__/{RUN}", f"round/x/{RUN}", "y/result_0.txt"], ["round/__pycache__", "round/x"], ["y"]),
        (DESCRIBED, ["results/v1.0/acme", "results/v1.0/bolt"], []),  # below a folder named results
        ([f"acme/{RUN}", "acme/systems/box.json", "results/box/x/result_0.txt"], ["acme"], ["results/box/x"]),
        ([f"acme/{RUN}", "acme/more/systems/box.txt"], ["acme"], []),
        (["a/result_0.txt/x"], [], []),
    ],
)
def test_a_round_holds_submissions_and_a_folder_of_logs_is_a_set(tmp_path, files, submissions, sets):
    for file in files:
        put(tmp_path / file)
    found = discover([str(tmp_path)])
    assert names(found, tmp_path)[:3] == [submissions, sets, []]
    alone = [(str(tmp_path / name), "logs in no submission, which have no score") for name in sets]
    assert found.missed == (alone or [(str(tmp_path), discovery.NOTHING)] * (not submissions))


def test_a_file_is_a_log_whatever_its_name_also_behind_what_is_missed(tmp_path):
    put(tmp_path / "set" / "result_0.txt")
    (tmp_path / "empty").mkdir()
    files = put(tmp_path / "some.log"), put(tmp_path / "result_7.txt")
    found = discover([*(str(tmp_path / name) for name in ("none", "set", "empty")), *map(str, files)])
    assert names(found, tmp_path) == [[], ["set"], ["some.log", "result_7.txt"], ["none", "empty"]]
    assert [log.number for log in found.logs] == [None, 7]


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda path: None, "No such file or directory"),
        (os.mkdir, discovery.NOTHING),
        (os.mkfifo, "neither a file nor a folder"),
    ],
)
def test_what_cannot_be_looked_at_is_missed_with_its_reason(tmp_path, make, why):
    make(path := tmp_path / "given")
    assert discover([str(path)]).missed == [(str(path), why)]
    assert "null" in discover(["a\0b"]).missed[0][1]


def test_links_are_no_logs_no_descriptions_and_not_entered(tmp_path):
    outside = put(tmp_path / "elsewhere" / "strong" / "scaffold" / "result_0.txt")
    links = {
        "given/set": outside.parent,
        "given/result_0.txt": outside,
        "acme/results/box": tmp_path / "elsewhere",
        "bolt/systems/box.json": outside,
    }
    for name, to in links.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(to)
    for name in ("given", "acme", "bolt"):
        assert names(discover([str(tmp_path / name)]), tmp_path) == [[], [], [], [name]]


@pytest.mark.parametrize(("most", "found"), [(3, 3), (2, 2)])
def test_so_many_folders_are_searched(tmp_path, monkeypatch, most, found):
    """The one that is given, and those in it; a submission is one."""
    monkeypatch.setattr(discovery, "MOST_SEARCHED", most)
    for org in ("acme", "bolt"):
        put(tmp_path / org / "results" / "box" / "strong" / "scaffold" / "result_0.txt")
    told = discover([str(tmp_path)])
    assert 1 + len(told.submissions) == found
    left = (str(tmp_path / "bolt"), "more than 2 folders: this one and those after it are left")
    assert told.missed == ([] if found == 3 else [left])


SET = "acme/results/box/strong/scaffold"
LOG, POWER, ASIDE = "result_0.txt", "power/result_0/node_0.txt", "superseded/1/result_0.txt"


@pytest.mark.parametrize(("more", "looked"), [(0, True), (1, False)])
@pytest.mark.parametrize(
    ("given", "large"),
    [("acme", LOG), (SET, LOG), (SET, ASIDE), (SET, POWER), (f"{SET}/{LOG}", LOG), (f"{SET}/{LOG}", POWER)],
)
def test_what_is_larger_than_is_looked_at_is_missed(tmp_path, monkeypatch, given, large, more, looked):
    """Whatever would be read: of a log or set that is given by itself, what lies beside it, too."""
    put(tmp_path / SET / LOG)
    put(tmp_path / SET / large).write_bytes(bytes(100 + more))
    monkeypatch.setattr(discovery, "LARGEST", 100)
    found = discover([f"{tmp_path}/{given}"])
    assert bool(found.submissions or found.sets or found.logs) is looked
    assert looked or found.missed[-1][1].startswith("found 101 bytes in its files, 101 of them in ")


@pytest.mark.parametrize(
    ("scaling", "inner", "sets"),
    [
        *(("weak", "power", 1), ("weak", "pruned_results", 1), ("strong", "pruned_results", 2), ("weak", "more", 2)),
        *(("strong", "superseded/1", 1), ("strong", "superseded", 2), ("strong", "more/superseded/1", 2)),
    ],
)
def test_what_belongs_to_a_set_is_no_set_of_its_own(tmp_path, scaling, inner, sets):
    """Pruned results of any but a weak set are none of it."""
    folder = tmp_path / scaling / "scaffold"
    put(folder / "result_0.txt")
    put(folder / inner / "result_1.txt")
    assert len(discover([str(folder)]).sets) == sets


def test_folders_are_searched_so_many_levels_deep(tmp_path):
    deep = tmp_path.joinpath(*"a" * discovery.DEEPEST)
    put(deep / "result_0.txt")
    assert len(discover([str(tmp_path)]).sets) == 1
    put(deep / "b" / "result_0.txt")
    found = discover([str(tmp_path)])
    assert len(found.sets) == 1 and any(why.startswith("folders more than") for _, why in found.missed)
