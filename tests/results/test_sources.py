"""The source of sets side by side, and against the published reference."""

import shutil

import pytest

from compliance.engine import judge
from results import sources
from results.sources import source_differences, source_of
from results.statistics.result import summarize
from tests.support import REFERENCE

TRAIN, CONFIG = "implementations/pytorch/train.py", "implementations/pytorch/config.py"


@pytest.fixture(scope="module")
def results():
    return [r for r in summarize(judge([REFERENCE]), as_logged=True) if r.group[1] == "scaffold"]


@pytest.fixture
def changed(tmp_path):
    """The reference's submission with files of its source changed."""

    def change(name, **texts):
        home = tmp_path / "v1.0" / name
        shutil.copytree(REFERENCE, home)
        for key, path in {"train": TRAIN, "config": CONFIG}.items():
            for file in home.glob(f"source/*/{path}") if key in texts else ():
                file.write_bytes(file.read_bytes() + texts[key])
        (found,) = [r for r in summarize(judge([home]), as_logged=True) if r.group[1] == "scaffold"]
        return found

    return change


def told(*compared):
    without, found = source_differences(list(zip("ABC", compared, strict=False)))
    return without, [(d.of, d.against, tuple(c.words for c in d.changes), d.more) for d in found]


def test_a_change_is_told_against_both(results, changed):
    """Of the files that the sets loaded."""
    loaded = set(source_of(results[0])[0].files)
    assert loaded == set(results[0].runs[0].source) and TRAIN in loaded
    without, found = told(results[0], changed("tuned", train=b"# a\n# b\n"))
    assert without == []
    assert [d[:2] for d in found] == [("A", "the published reference"), ("B", "the published reference"), ("B", "A")]
    assert any(change.startswith(f"changed {TRAIN}: +") for change in found[1][2])
    assert found[2] == ("B", "A", (f"changed {TRAIN}: +2 -0",), 0)


def test_files_of_one_alone_and_bounds(results, changed, monkeypatch):
    one, other = changed("one", train=b"#\n"), changed("other", config=b"#\n")
    full, lacking = sources.source_of(one)[0], sources.source_of(other)[0]
    del lacking.files[TRAIN]
    assert sources.Change(f"only in A: {TRAIN}") in sources.between("B", lacking, "A", full).changes
    assert f"added {TRAIN}: +" in " ".join(c.words for c in sources.between("A", full, "B", lacking).changes)
    monkeypatch.setattr(sources, "MOST_CHANGES", 1)
    found = sources.between("B", lacking, "A", full)
    assert len(found.changes) == 1 and found.more == 1 and found.title.endswith(" files the same, 2 not")


def test_lines_of_a_change_are_there_and_bounded(results, changed, monkeypatch):
    long = changed("long", train=b"# " + b"x" * 400 + b"\n" + b"# y\n" * 9)
    monkeypatch.setattr(sources, "MOST_LINES", 6)
    (change,) = sources.between("B", sources.source_of(long)[0], "A", sources.source_of(results[0])[0]).changes
    assert change.words == f"changed {TRAIN}: +10 -0" and len(change.lines) == 6 and change.more == 8
    assert change.lines[0].startswith("@@ ") and change.lines[4] == "+# " + "x" * 294 + "..."


def test_without_a_known_source_that_is_said(tree, new_log, results):
    folder = tree.set(new_log.five())
    without, found = told(*tree.results(), results[0])
    assert without == ["A: no source: its submission holds none"]
    assert [d[:2] for d in found] == [("B", "the published reference")]
    code = folder.parents[3] / "benchmarks" / "scaffold" / "implementations" / "own" / "train.py"
    code.parent.mkdir(parents=True)
    code.write_text("pass\n")
    held = "its submission holds 1 file of source, but its logs don't say which of them its runs loaded"
    assert told(*tree.results())[0] == [f"A: {held}"]
