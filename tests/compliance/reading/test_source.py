"""Source that runs say they loaded, and the folder that holds it."""

import pytest

from compliance.reading import source as module
from compliance.reading.source import LONGEST_PATH, Folder, depth_of, fault_of, fitting, sound
from tests.support.sides import sides

A, B = "a" * 64, "b" * 64
ANY = "implementations/any/train.py"


def shared(name="0" * 12, **files):
    return Folder(("source", name), {path.replace("__", "/") + ".py": digest for path, digest in files.items()})


def own(*paths, benchmark="scaffold"):
    return Folder(("benchmarks", benchmark, "implementations", "tuned"), dict.fromkeys(paths, A))


@pytest.mark.parametrize(
    ("path", "depth"),
    [
        ("source/0123/a.py", 2),
        ("source/a.py", 0),
        ("benchmarks/scaffold/implementations/tuned/a.py", 4),
        ("benchmarks/scaffold/other/tuned/a.py", 0),
        ("results/box/a.py", 0),
    ],
)
def test_how_deep_a_folder_of_source_lies(path, depth):
    assert depth_of(tuple(path.split("/"))) == depth


@pytest.mark.parametrize(
    ("folder", "logged", "path"),
    [
        (own("train.py"), ANY, "train.py"),
        (own(ANY, "train.py"), ANY, ANY),
        (own("train.py"), "benchmark/train.py", None),
        (own("any/train.py"), ANY, None),
        (Folder(("source", "0"), {"train.py": A}), ANY, None),
    ],
)
def test_mlperfs_tree_may_have_an_implementation_at_its_top(folder, logged, path):
    assert folder.path_of(logged) == path


@pytest.mark.parametrize(
    ("folder", "holds"),
    [
        (own("train.py"), True),
        (own("train.py", benchmark="deepcam"), False),
        (own("README.md", "docs/notes.pdf", "LICENSE"), False),
        (shared(train=A), True),
        (Folder(("source", "0"), {"README.md": A}), False),
    ],
)
def test_code_lies_in_a_benchmarks_folder_or_a_shared_one(folder, holds):
    assert folder.may_hold("scaffold") is holds


@pytest.mark.parametrize(
    ("name", "value", "good"),
    sides(
        (
            "path",
            ["a/b.py", "a" * LONGEST_PATH],
            ["a" * (LONGEST_PATH + 1), "a/../b.py", "/a.py", "a\\b.py", "a\nb.py"],
        ),
        ("digest", [A], [A[1:], A + "a", A.upper(), None]),
    ),
)
def test_an_entry_is_a_plain_path_and_a_digest(monkeypatch, name, value, good):
    path, digest = ({"path": "a.py", "digest": A} | {name: value}).values()
    assert (fault_of(path, digest) == "") is good
    assert sound({path: digest}) == ({path: digest} if good else {})
    assert sound(["a"]) == sound(None) == {}
    monkeypatch.setattr(module, "MOST_FILES", 2)
    assert list(sound({"a": A, "b": A, "c": A})) == ["a", "b"]


def test_the_folder_with_most_of_the_same_files_or_its_name_fits():
    files = {"a.py": A, "b.py": B}
    same, paths, fewer = shared("1", a=A, b=B), shared("2", a=A, b=A), shared("3", a=A)
    assert fitting(files, [fewer, paths, same]) is same
    assert fitting(files, [fewer, paths]) is paths
    assert fitting(files, []) is None
    good = shared(a=A)
    named = Folder(("source", good.name), good.files)
    assert fitting({"a.py": A}, [good, named, good]) is fitting({"a.py": A}, [own("a.py"), named]) is named
