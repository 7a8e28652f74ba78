"""The files of a submission: read within limits, links never followed, descriptions parsed or their fault told."""

import os
import shutil
from dataclasses import replace

import pytest

from compliance.reading import files as module
from compliance.reading.files import SubmissionFiles, description_of, number_of, read_description, read_text
from compliance.reading.tree import Entry, read_submission
from rules import published as published_source
from rules.edition import load
from tests.compliance import made


def text_of(tmp_path, data, room=module.LARGEST):
    (tmp_path / "file").write_bytes(data)
    return read_text(tmp_path, Entry(("file",), "file", len(data)), room)


@pytest.mark.parametrize(
    ("data", "text", "problem"),
    [
        (b"plain\n", "plain\n", ""),
        (b"", "", ""),
        (b"a\0b", "", "binary"),
        (b"a\xffb", "a\ufffdb", "not UTF-8"),
    ],
)
def test_a_text_or_why_there_is_none(tmp_path, logs, data, text, problem):
    found = text_of(tmp_path, data)
    assert (found.text, found.problem, found.sha256) == (text, problem, logs.sha256(tmp_path / "file"))


def test_a_file_may_be_as_large_as_there_is_room(tmp_path, monkeypatch):
    for size, problem in ((10, ""), (11, "11 bytes, too large to be looked at")):
        assert text_of(tmp_path, b"x" * size, room=10).problem == problem
    monkeypatch.setattr(module, "LARGEST", 10)
    for size, text, problem in ((10, "x" * 10, ""), (11, "", "more than 10 bytes, too large to be looked at")):
        (tmp_path / "file").write_bytes(b"x" * size)
        found = read_text(tmp_path, Entry(("file",), "file", 3))  # it grew
        assert (found.text, found.problem) == (text, problem)


@pytest.mark.parametrize(
    ("parts", "alien"),
    [
        (("a", "train.py"), "the coding latin-1"),
        (("train.py", "notes.txt"), ""),
        (("a", "train.pyc"), "compiled Python"),
    ],
)
def test_a_file_is_alien_by_its_kind_or_else_by_its_disguise(tmp_path, parts, alien):
    (tmp_path / parts[0]).mkdir()
    (tmp_path / parts[0] / parts[1]).write_bytes(b"# coding: latin-1\n")
    assert read_text(tmp_path, Entry(parts, "file", 18)).alien == alien


def test_no_link_is_followed_and_no_system_without_a_name_read(tmp_path):
    (tmp_path / "systems").mkdir()
    (tmp_path / "systems" / "a.json").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "systems" / "b.json")
    assert [description_of(tmp_path, name).problem for name in "ab"] == ["a link", "a special"]
    assert read_text(tmp_path, Entry(("systems", "a.json"), "file", 3)).problem == "a symbolic link"
    assert read_text(tmp_path, Entry(("none",), "file", 3)).problem == "cannot be read: No such file or directory"
    for system, known in (("", False), (".", False), ("..", False), ("a\nb", False), ("box", True), ("...", True)):
        assert description_of(tmp_path, system) is None
        (tmp_path / "systems" / f"{system}.json").write_text("{}")
        assert (description_of(tmp_path, system) is not None) is known


@pytest.mark.parametrize(
    ("text", "data", "problem", "line"),
    [
        ('{"a": 1}', {"a": 1}, "", 1),
        ('{\n"a": 1,\nb}', None, "no JSON: Expecting property name enclosed in double quotes", 3),
        ("[1]", None, "a JSON list", 1),
        ("[" * 200_000, None, "no JSON: nested too deeply", 1),
    ],
)
def test_a_description_or_what_is_wrong_with_it(tmp_path, text, data, problem, line):
    (tmp_path / "box.json").write_text(text)
    found = read_description(tmp_path, Entry(("box.json",), "file", len(text)))
    assert (found.data, found.line) == (data, line) and found.problem.startswith(problem)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ('{\n "a": 1,\n "b": 2\n}', [2, 3, 1]),
        ('\n{"a": 1, "b": 2}', [2, 2, 1]),
        ('{"a": 1,\n"b": 2}', [1, 2, 1]),
    ],
)
def test_a_field_has_its_line(tmp_path, text, lines):
    (tmp_path / "box.json").write_text(text)
    found = read_description(tmp_path, Entry(("box.json",), "file", len(text)))
    assert [found.line_of(name) for name in ("a", "b", "c")] == lines


def test_a_number_may_be_text():
    for value, number in ((2, 2), (" 2.5 ", 2.5), *((wrong, None) for wrong in ("two", "nan", "inf", True, None))):
        assert number_of(value) == number


@pytest.fixture
def files(tree):
    def read():
        return SubmissionFiles(read_submission(tree.root, str(tree.root), tree.root), (), load("v1.0"))

    return read


def test_files_are_gathered_by_their_folder_of_source(tree, files):
    ours, shared = ("benchmarks", "scaffold", "implementations", "ours"), ("source", "zz")
    for path in ("/".join((*ours, "d.py")), "source/notes.md", "source/zz/a.py", "source/zz/in/b.py", "docs/train.py"):
        tree.put(tree.root / path, "x = 1\n")
    for path in ("benchmarks/scaffold/c.py", "systems/more/crate.json", "systems/notes.md"):
        tree.put(tree.root / path, "{}")
    found = files()
    equal = [text for text in found.source if text.text == "x = 1\n"]
    assert len(equal) == 4 and all(text.text is equal[0].text for text in equal)  # they are kept once
    kept = ("source", tree.source.name)
    assert {parts: sorted(text.name for text in texts) for parts, texts in found.gathered.items() if parts != kept} == {
        ("source",): ["notes.md"],
        shared: ["a.py", "b.py"],
        ("benchmarks",): ["c.py"],
        ours: ["d.py"],
    }
    assert [folder.parts for folder in found.folders] == [ours, kept, shared]
    assert found.folders[1].files == tree.files() and found.folders[1].name == tree.source.name
    assert list(found.descriptions) == ["box"]


def test_one_run_counts_for_all_of_its_set_with_equal_source(tree, files):
    mine, other = tree.files(), {"train.py": "0" * 64}
    runs = [
        made.run(number, path=f"{path}/result_{number}.txt", source=source)
        for number, (path, source) in enumerate(
            [("a", mine), ("a", mine), ("a", None), ("a", other), ("b", mine), ("b", {}), ("b", {"../x": "0" * 64})]
        )
    ]
    found = replace(files(), runs=tuple(runs))
    (folder,) = found.folders
    assert [(run.number, source) for run, source, _ in found.loaded] == [(0, mine), (3, other), (4, mine)]
    assert all(best is folder for *_, best in found.loaded)


def test_all_of_the_source_together_has_a_limit(tree, files, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_ALL", 1000)
    for name in ("a.txt", "b.txt"):
        tree.put(tree.root / "source" / "zz" / name, "x" * 600)
    problems = {text.name: text.problem for text in files().source if text.parts[1] == "zz"}  # listed first
    assert problems == {"a.txt": "", "b.txt": "600 bytes, too large to be looked at"}


@pytest.fixture
def sources(tree, files, monkeypatch):
    """The submission with these files alone in a folder of source; those of one name are the reference's."""

    def put(texts, published=None):
        shutil.rmtree(tree.root / "source")
        for name, text in texts.items():
            tree.put(tree.root / "source" / "zz" / name, text)
        for place in (module, published_source):
            monkeypatch.setattr(place, "is_published", lambda path, *_: path.rpartition("/")[2] == published)
        return files()

    return put


@pytest.mark.parametrize(("published", "large"), [(None, {"b.py", "e.py"}), ("e.py", {"b.py", "c.py"})])
def test_python_is_parsed_while_there_is_room(sources, monkeypatch, published, large):
    monkeypatch.setattr(module, "LARGEST_PYTHON", 10)
    texts = {"a.py": "x = 10", "b.py": "x = 2", "c.py": "f(3)", "d.py": "x = 10", "e.py": "5", "f.txt": "6", "g.py": ""}
    found = sources(texts, published)
    names = {text.sha256: text.name for text in reversed(found.source)}
    assert {names[digest] for digest, python in found.python.items() if python.large} == large
    assert {names[digest] for digest in found.python} == {"a.py", "b.py", "c.py", "e.py"}
    for room, too_large in ((9, True), (10, False)):  # nor are the reference's files beyond it
        monkeypatch.setattr(module, "LARGEST_PYTHON", room)
        (python,) = sources({"ours.py": "x = 123456"}, "ours.py").python.values()
        assert python.large == too_large


@pytest.mark.parametrize(("name", "kept"), [("ours.py", True), ("theirs.py", False)])
def test_only_the_references_files_are_kept_between_submissions(sources, files, monkeypatch, name, kept):
    monkeypatch.setattr(module, "LARGEST_PYTHON", 10)
    (one,), (other,) = (found.python.values() for found in (sources({name: "y = 123456"}, "ours.py"), files()))
    assert (one is other) == kept and one == other and not one.large


@pytest.mark.parametrize(
    ("names", "origin"),
    [
        ((), ""),
        (("ours.py", "notes.md"), "every file is identical to the reference implementation's"),
        (("ours.py", "a.py", "notes.md"), "1 of 2 files differs from the reference implementation's"),
        (("a.py", "b.py"), "2 of 2 files differ from the reference implementation's"),
    ],
)
def test_the_origin_of_source_counts_files_of_its_own(sources, names, origin):
    assert sources(dict.fromkeys(names, "x = 1\n"), "ours.py").origin == origin
