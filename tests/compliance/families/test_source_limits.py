"""SRC: each check by itself, of made-up runs, from both sides of its limits."""

from types import SimpleNamespace

import pytest

from benchmark.source import combine
from compliance.families import source as checks
from compliance.reading.source import MOST_FILES, Folder
from rules.edition import load
from tests.compliance.families.test_source import METRIC


def text(name, content="", problem="", alien=""):
    named = {"parts": ("source", "x", name), "name": name, "sha256": name}
    return SimpleNamespace(**named, text=content, problem=problem, alien=alien)


def submitted(*source, **more):
    """The files of a submission, as far as these checks look at them."""
    return SimpleNamespace(
        **{"source": source, "python": {}, "folders": (), "loaded": (), **more},
        submission=SimpleNamespace(place=lambda *parts: "/".join(parts)),
    )


def test_src02_files_that_another_rule_names_and_binary_ones_are_left_out():
    files = submitted(text("a", problem="large", alien="odd"), text("b", problem="binary"), text("c", problem="large"))
    assert [(f.path, f.line, f.found) for f in checks.source_can_be_read(files)] == [("source/x/c", 1, "large")]


@pytest.mark.parametrize(("released", "whose"), [("2", ""), ("1", ", that of the reference")])
def test_src03_a_run_without_a_folder_of_source_does_not_excuse_the_next(released, whose):
    first, second = (SimpleNamespace(path=path, set_path="set") for path in ("result_0.txt", "result_1.txt"))
    folder = Folder(("source", "x"), {})
    files = submitted(loaded=((first, {"a.py": "0" * 64}, None), (second, {"a.py": "1" * 64}, folder)))
    files.edition = SimpleNamespace(releases={"v1.0.1": {"a.py": released * 64}})
    (fault,) = checks.source_is_the_one_that_ran(files)
    assert (fault.path, fault.line, fault.wanted) == (
        "source/x/a.py",
        1,
        f"{'1' * 64}{whose}, as logged in result_1.txt",
    )


@pytest.mark.parametrize(("spaces", "lines"), [(0, [2]), (1, [2]), (2, [])])
def test_src05_lines_up_to_a_length_are_searched(monkeypatch, spaces, lines):
    monkeypatch.setattr(checks, "LONGEST_LINE", len("/home/alice") + 1)
    files = submitted(text("a.py", f"a = 1\n/home/alice{' ' * spaces}\n"))
    assert [fault.line for fault in checks.source_holds_no_users_path(files)] == lines


@pytest.mark.parametrize(
    ("name", "held", "found"),
    [
        ("x", {"a.py": "1" * 64}, ["the name x"]),
        (combine([("a.py", "1" * 64)])[:12], {"a.py": "1" * 64}, []),
        ("x", {"a.py": ""}, []),  # what can't be read has no digest
        ("x", {"a.py": "1" * 64, "b.py": "2" * 64}, ["a file that no run loaded"]),  # nor is the name its own then
    ],
)
def test_src06_a_folder_of_source_has_what_ran_and_the_name_that_follows(name, held, found):
    folder, other = Folder(("source", name), held), Folder(("benchmarks", "b", "implementations", "c"), held)
    files = submitted(folders=(folder, other), loaded=((None, {"a.py": "1" * 64}, folder),))
    assert [(fault.line, fault.found) for fault in checks.folders_of_source_ran(files)] == [(1, what) for what in found]


def source_event(logs, files, value=None, **metadata):
    """A log of one event, which names the files that a run loaded."""
    sound = type(files) is dict and all(type(digest) is str for digest in files.values())
    value = combine(files.items()) if value is None and sound else value
    return logs.read(logs.event(7, "source", value=value, files=files, **metadata))


def closed(score="dice", division="closed"):
    return SimpleNamespace(division=division, benchmark=SimpleNamespace(score=score), edition=load("v1.0"))


@pytest.mark.parametrize(
    ("path", "config", "wrong"),
    [
        ("mine.yaml", "mine.yaml", False),
        ("mine.yml", "mine.yml", False),
        ("mine.yaml", "other.yaml", True),
        ("mine.py", "mine.py", True),
        ("implementations/mine.py", None, False),
        ("implementations/mine.yaml", "implementations/mine.yaml", False),
        ("mine/implementations", None, True),
        ("Benchmark/log.py", None, True),
    ],
)
def test_src07_beside_its_folders_a_closed_run_has_its_configuration(logs, path, config, wrong):
    files = {name: digest for name, digest in checks.own_files().items() if name.startswith("benchmark/")}
    log = source_event(logs, {**files, path: "0" * 64}, config=config)
    assert [f.found for f in checks.closed_runs_load_our_files(log, closed(), None)] == ([path] if wrong else [])


@pytest.mark.parametrize(("score", "found"), [("dice", [f"no {METRIC}"]), ("mean", [])])
def test_src07_the_file_that_scores_is_needed_where_it_is_known(logs, score, found):
    files = {name: digest for name, digest in checks.own_files().items() if name in checks.NEEDED}
    log = source_event(logs, files)
    assert [f.found for f in checks.closed_runs_load_our_files(log, closed(score), None)] == found


def test_a_log_without_source_is_another_rules(logs):
    assert list(checks.closed_runs_load_our_files(logs.read(), closed(), None)) == []
    assert list(checks.source_has_its_digest(logs.read(), closed(), None)) == []


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, ["0 files"]),
        ("a.py", ["files a.py"]),
        ({f"{i}.py": "0" * 64 for i in range(MOST_FILES)}, []),
        ({f"{i}.py": "0" * 64 for i in range(MOST_FILES + 1)}, [f"{MOST_FILES + 1} files"]),
        ({"a.py": "0" * 63}, [f"a.py: {'0' * 63!r}"]),  # and nothing of the digest of all
    ],
    ids=lambda files: ascii(files)[:40],
)
def test_src08_says_what_is_wrong_with_the_files(logs, files, found):
    faults = checks.source_has_its_digest(source_event(logs, files), closed(), None)
    assert [(fault.line, fault.found) for fault in faults] == [(7, what) for what in found]
