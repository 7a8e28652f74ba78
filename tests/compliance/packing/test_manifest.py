"""Manifests: what they say, and all that they may not say."""

import json
import os
from dataclasses import replace

import pytest

from compliance.packing import manifest as module
from compliance.packing.manifest import File, Manifest, Unsound, manifest_of, parse, path_fault
from compliance.packing.pack import one
from tests.support.sides import sides

DIGEST = "0" * 64


def of(*paths, **more):
    return Manifest("acme", "v1.0", tuple(File(path, 1, DIGEST) for path in paths), **more)


def test_it_names_every_file_once_and_says_the_same_again(tree):
    manifest = manifest_of(one(tree.root), "v1.0")
    held = sorted(p.relative_to(tree.root).as_posix() for p in tree.root.rglob("*") if p.is_file())
    assert [file.path for file in manifest.files] == held
    assert parse(manifest.data) == manifest and manifest == manifest_of(one(tree.root), "v1.0")


GOOD = ["a", "a b", "ü", "..a", ".gitignore", "a.git/x", "x" * 255, "a/" * 32 + "a"]
BAD = ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/", "a\\b", "a\nb", "\u202e", "x" * 256]
BAD += ["a/" * 33 + "a", ".git/config", "results/.GIT/hooks/x", "a/.git. /x", "git~1/config"]


@pytest.mark.parametrize(("path", "fits"), sides((GOOD, BAD)))
def test_a_path_is_plain_relative_and_none_of_gits(path, fits):
    assert (not path_fault(path)) is fits


@pytest.mark.parametrize("paths", [("../x",), ("b", "a"), ("a", "a"), ("a", "a/b"), ("a", "a/b/c"), ()])
def test_files_come_in_order_each_once_and_are_no_folders(paths):
    with pytest.raises(Unsound):
        of(*paths)


@pytest.mark.parametrize("name", ["", "..", "a/b", "/a", "a\0", "-rf", ".git", ".x"])
def test_a_submission_is_one_plain_folder(name):
    with pytest.raises(Unsound, match="wanted the plain name of a folder"):
        replace(of("a"), submission=name)


@pytest.mark.parametrize(
    ("field", "value", "wanted"),
    [("sha256", value, "a sha256") for value in ("0" * 63, "G" * 64, None)]
    + [("size", value, "a number of bytes") for value in (-1, 1.0, True, "1", None)]
    + [("path", 5, "plain relative paths")],
)
def test_facts_of_a_file_have_their_form(field, value, wanted):
    with pytest.raises(Unsound, match=f", wanted {wanted}$"):
        Manifest("acme", "v1.0", (replace(File("a", 0, DIGEST), **{field: value}),))


def test_there_are_limits(monkeypatch):
    big = File("a", module.LARGEST_ALL, DIGEST)
    assert Manifest("acme", "v1.0", (big,))
    with pytest.raises(Unsound):
        Manifest("acme", "v1.0", (replace(big, size=big.size + 1),))
    with pytest.raises(Unsound, match="bytes in all files"):
        Manifest("acme", "v1.0", (big, File("b", 1, DIGEST)))
    monkeypatch.setattr(module, "MOST_ENTRIES", 2)
    assert of("a", "b")
    with pytest.raises(Unsound, match="found 3 files, wanted 1 to 2"):
        of("a", "b", "c")
    monkeypatch.setattr(module, "MOST_ENTRIES", 9)
    assert of("a/b/c/d", "e/f/g/h", "i")
    with pytest.raises(Unsound, match="found more than 9 files and folders"):
        of("a/b/c/d", "e/f/g/h", "i/j")


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "[" * 100_000,
        lambda text: "\xff",
        lambda text: text.replace('"size": 1', '"size": true'),
        lambda text: text.replace("package-1", "package-2"),
        lambda text: text.replace('"key": ""', '"key": 5'),
        lambda text: json.dumps(json.loads(text)),
    ],
)
def test_other_text_is_no_manifest(change):
    with pytest.raises(Unsound):
        parse(change(of("a", "b").data.decode()).encode("latin-1"))


def test_links_are_not_packed(tree):
    os.symlink("/etc/passwd", tree.root / "README.md")
    with pytest.raises(ValueError, match=r"found a link at README\.md, wanted files and folders"):
        manifest_of(one(tree.root), "v1.0")


@pytest.mark.parametrize(
    "path",
    ["results/.result_0.txt.0a1b.partial", "source/.0123456789ab.partial/train.py", "systems/.box.json.1.partial"],
)
def test_what_a_killed_program_left_is_not_packed(tree, path):
    tree.put(tree.root / path, "half")
    found = path.removesuffix("/train.py")
    with pytest.raises(ValueError, match=f"found {found}, which a program that was killed left half written, wanted "):
        manifest_of(one(tree.root), "v1.0")


@pytest.mark.parametrize("more", [b"[[],[],[]]", b"{}\n", b"\n" * 99, b'"x": [[], []],\n', b"[" * 9000])
def test_what_is_no_manifest_is_not_made_into_objects(more, monkeypatch):
    monkeypatch.setattr(module.json, "loads", lambda _: pytest.fail("it was parsed"))
    monkeypatch.setattr(module, "LINES", 50)
    with pytest.raises(Unsound, match="written otherwise"):
        parse(b'{\n "edition": "v1.0",\n "files": [\n' + more * (20 if more == b"{}\n" else 1))
