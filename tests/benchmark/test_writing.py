import os
import subprocess
import sys

import pytest

from benchmark.writing import copy_file, copy_tree, write_text
from tests.support import ROOT

SLURM = "harness/launch/render.py slurm --problem smoke --org a --system b --nodes 1 --ranks-per-node 1 --device cpu"
SETTINGS = "implementations/pytorch_tools/settings.py --problem smoke"
NOTE = "benchmark/note.py results/v1.0/reference/results/xeon-amx-2core/strong/scaffold/ledger.jsonl"


@pytest.mark.parametrize("command", [SETTINGS, SLURM, NOTE, "integrations/completion.py"])
def test_a_reader_who_has_gone_is_no_error(command):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, *command.split()], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_text_is_written_with_its_folder_and_a_link_stays_one(tmp_path):
    path = tmp_path / "new" / "a.sh"
    write_text(path, "x\ud800\n", executable=True)
    assert path.read_text() == "x\\ud800\n" and os.access(path, os.X_OK)
    assert [p.name for p in path.parent.iterdir()] == ["a.sh"]
    (tmp_path / "link").symlink_to(path)
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and path.read_text() == "new"


def test_what_cannot_be_written_is_named_and_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="file"):
        write_text(tmp_path / "file" / "a", "x")
    with pytest.raises(OSError, match="absent"):
        copy_file(tmp_path / "absent", tmp_path / "copy")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_copied_without_what_is_left_out(tmp_path):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    for name in ("a.py", "b.pyc", "sub/c.py"):
        (source / name).write_text(name)
    (source / "link").symlink_to("a.py")
    copy_tree(source, tmp_path / "copy", lambda folder, names: {n for n in names if n.endswith(".pyc")})
    copied = {str(p.relative_to(tmp_path / "copy")) for p in (tmp_path / "copy").rglob("*")}
    assert copied == {"a.py", "link", "sub", "sub/c.py"}
    assert (tmp_path / "copy" / "link").is_symlink()
