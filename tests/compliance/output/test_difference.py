"""A submission's source against the published reference: file by file, bounded, and safe on a terminal."""

import os

import pytest

from compliance.output import difference as module
from compliance.output.difference import difference
from rules.published import REPOSITORY as ROOT
from rules.published import own_files
from rules.release import KINDS

HERE = "implementations/pytorch"
REFERENCE = ("train.py", "task.py", "configs/smoke.yaml")


@pytest.fixture
def copy(tree):
    """A submission whose implementation is a copy of some of the reference's files under another name."""
    for path in sorted(tree.source.rglob("*.*"), reverse=True):
        path.unlink()
    for path in REFERENCE:
        tree.put(tree.source / "implementations/acme" / path, (ROOT / HERE / path).read_text())
    for path in ("benchmark/log.py", "rules/edition.py"):
        tree.put(tree.source / path, (ROOT / path).read_text())
    return tree


def lines(tree):
    return difference(str(tree.root)).splitlines()


def heads(tree):
    return [line for line in lines(tree) if line.startswith(("changed", "added"))]


def test_unchanged_files_are_counted_and_not_shown(copy):
    (first,) = lines(copy)
    absent = len([path for path in own_files() if path.endswith(KINDS)]) - 5
    assert first == (
        f"{copy.root}/source/{copy.source.name}: 5 files, 5 unchanged, 0 changed, 0 added; "
        f"{absent} of the reference's are not in it"
    )


def test_a_changed_file_is_shown_against_the_references(copy):
    path = copy.source / "implementations/acme/configs/smoke.yaml"
    first, *rest = path.read_text().splitlines()
    path.write_text("\n".join(["# tuned", first, *rest, "more: 1", ""]))
    found = lines(copy)
    assert "5 files, 4 unchanged, 1 changed, 0 added" in found[0]
    assert found[1] == f"changed implementations/acme/configs/smoke.yaml against {HERE}/configs/smoke.yaml: +2 -0"
    assert found[2].startswith("@@ ") and "+# tuned" in found and "+more: 1" in found and f" {first}" in found


def test_what_is_no_text_is_named(copy):
    (copy.source / "implementations/acme/fast.so").write_bytes(b"\x7fELF\0")
    (copy.source / "implementations/acme/train.py").write_bytes(b"\xff# coding: latin-1\n")
    (copy.source / "implementations/acme/x.bin").write_bytes(b"\0")
    assert heads(copy) == [
        "added implementations/acme/fast.so: a compiled binary",
        "changed implementations/acme/train.py against implementations/pytorch/train.py: not UTF-8",
        "added implementations/acme/x.bin: binary",
    ]


def test_a_terminal_obeys_nothing(copy):
    copy.put(copy.source / "implementations/acme/a.py", "x = '\x1b[31m\x07\u202e'\n\tb = 1\n")
    os.close(os.open(os.fsencode(copy.source / "implementations/acme/\x1b[2J.py"), os.O_CREAT | os.O_WRONLY))
    text = difference(str(copy.root))
    assert all(line.isprintable() for line in text.splitlines())
    assert "\\x1b[31m\\x07\\u202e" in text and "+   b = 1" in text


@pytest.mark.parametrize(("beyond", "cut"), [(-1, False), (0, False), (1, True)])
def test_lines_files_and_what_is_shown_are_bounded(copy, monkeypatch, beyond, cut):
    shown, compared = module.MOST_LINES + beyond - 1, module.MOST_COMPARED + beyond  # beside the line with the place
    copy.put(copy.source / "implementations/acme/a.py", "a\n" * shown)
    assert ("... and 1 more lines" in lines(copy)) == cut
    copy.put(copy.source / "implementations/acme/a.py", "a\n" * compared)
    assert (f"added implementations/acme/a.py: {compared} lines, too many to be compared" in lines(copy)) == cut
    assert len(module.shown("x" * (module.WIDEST + beyond))) == module.WIDEST - (beyond < 0)
    assert module.shown("x" * (module.WIDEST + beyond)).endswith("...") == cut
    copy.put(copy.source / "implementations/acme/a.py", "a = 1\n")
    monkeypatch.setattr(module, "MOST_SHOWN", 1)
    assert lines(copy)[1:] == ["... and more than 1 lines in all"]


def test_the_command(run, copy, tmp_path):
    code, out, _ = run("--diff", copy.root)
    assert code == 0 and out.startswith(f"{copy.root}/source/")
    (copy.root / "source").rename(tmp_path / "source")
    assert lines(copy) == [f"{copy.root}: no source"]
    for path, found in ((copy.root / "systems", "wanted a submission"), (tmp_path / "none", "No such file")):
        code, out, err = run("--diff", path)
        assert (code, out) == (2, "") and found in err


def test_files_of_the_mathematics_and_the_clock_come_first(copy):
    for path in ("configs/smoke.yaml", "train.py", "training/step.py"):
        copy.put(copy.source / "implementations/acme" / path, (ROOT / HERE / path).read_text() + "# more\n")
    copy.put(copy.source / "implementations/acme/a.py", "a = 1\n")
    named = [line.split()[1].removeprefix("implementations/acme/").rstrip(":") for line in heads(copy)]
    assert named == ["training/step.py", "a.py", "train.py", "configs/smoke.yaml"]
