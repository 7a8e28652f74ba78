"""What a finished run left is never lost, in any order of commands: it stays, or is moved aside as it was. EVERY=1 in
the environment tries more orders, and begins sets anew on the way."""

import hashlib
import os
import random
import shutil
from collections import Counter
from pathlib import Path

import pytest

from benchmark.ledger import Start, read_ledger
from benchmark.run.files import LEDGER
from benchmark.tree import SUPERSEDED, result_path, set_path
from harness import submit
from harness.status import read_status

ORDERS = 8 if os.environ.get("EVERY") else 1
KEPT = ("result_", "environment_", "weights")


@pytest.fixture(scope="module")
def finished(forking_all, tiny, tmp_path_factory) -> Path:
    """A submission of one run that reached its target."""
    out = tmp_path_factory.mktemp("finished") / "out"
    assert submit.main(command(tiny, out)) == 0
    return out


def command(tiny, out, *more, data=None):
    """submit.py's, for one run."""
    files = ["--problems", str(tiny.problems), "--config", str(tiny.config), "--data", str(data or tiny.data)]
    return ["--problem", "tiny", *files, "--org", "Us", "--system", "box", "--out", str(out), "--runs", "1", *more]


def kept(out: Path) -> Counter:
    """How often each content of a log, of weights or of an environment manifest is there."""
    files = [p for p in set_path(out / "Us", "box", "scaffold").rglob("*") if p.is_file()]
    return Counter(
        hashlib.sha256(p.read_bytes()).hexdigest() for p in files if p.name.startswith(KEPT) or p.parent.name in KEPT
    )


def mistakes(tiny, out: Path, nowhere: Path) -> dict:
    """Commands that had better not be typed where a set is finished, by name: each returns its exit code."""
    log = result_path(out / "Us", "box", "scaffold", 0)

    def train(*more, data=None):
        return tiny.train(log, *more, data=data).returncode

    def submitted(*more, data=None):
        return submit.main(command(tiny, out, *more, data=data))

    found = {
        "train on the finished log without data": lambda: train(data=nowhere),
        "train on the finished log": train,
        "measure steps into the finished log": lambda: train("--steps", "2"),
        "go on with the finished log": lambda: train("--checkpoint", str(nowhere), "--resume"),
        "the same again": submitted,
        "the tree alone": lambda: submitted("--runs", "0"),
        "the tree alone, anew": lambda: submitted("--runs", "0", "--anew"),
        "other settings": lambda: submitted("epochs=3"),
        "less than no runs": lambda: exits(lambda: submitted("--runs", "-1")),
        "wrong settings, anew": lambda: submitted("--anew", "epoch=1"),
        "another problem's data, anew": lambda: submitted("--anew", data=other_data(tiny, nowhere)),
    }
    if not shutil.which("nvidia-smi"):
        found["no GPU, anew"] = lambda: submitted("--anew", "device=cuda")
    return found


def exits(start) -> int:
    """The code of a command that ends as argparse ends it."""
    with pytest.raises(SystemExit) as end:
        start()
    return end.value.code


def other_data(tiny, nowhere: Path) -> Path:
    """A dataset whose manifest is another problem's."""
    folder = nowhere.with_name("other")
    if not folder.exists():
        shutil.copytree(tiny.data, folder)
        manifest = folder / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"problem_digest": "', '"problem_digest": "0'))
    return folder


REFUSED = 2
CODES = {"the same again": 0, "the tree alone": 0, "the tree alone, anew": 0}


@pytest.mark.parametrize("order", range(ORDERS))
def test_nothing_is_lost_in_any_order_of_commands(finished, tiny, tmp_path, order):
    out = shutil.copytree(finished, tmp_path / "out")
    before, commands = kept(out), mistakes(tiny, out, tmp_path / "nowhere")
    assert len(before) == 3  # log, weights, environment
    names = sorted(commands)
    random.Random(order).shuffle(names)
    for name in names:
        assert (name, commands[name]()) == (name, CODES.get(name, REFUSED))
        assert kept(out) == before, name
        assert not (set_path(out / "Us", "box", "scaffold") / SUPERSEDED).exists(), name
    if order % 2:
        begin_anew(tiny, out, before)


def test_a_new_set_keeps_what_was_there(finished, tiny, tmp_path):
    out = shutil.copytree(finished, tmp_path / "out")
    begin_anew(tiny, out, kept(out))


def begin_anew(tiny, out: Path, before: Counter) -> None:
    """Begin a new set: what was there is there as it was, and the ledger has every start."""
    folder = set_path(out / "Us", "box", "scaffold")
    starts = len(started(folder))
    assert submit.main(command(tiny, out, "--anew")) == 0
    after = kept(out)
    assert after & before == before and after.total() == before.total() + 3
    assert read_status(folder / "result_0.txt").state == "reached"
    assert len(list(folder.glob(f"{SUPERSEDED}/*/result_0.txt"))) == 1
    assert len(started(folder)) == starts + 1


def started(folder: Path) -> list[Start]:
    """The starts that the ledger has."""
    ledger = read_ledger(folder / LEDGER)
    assert not ledger.faults
    return [entry.said for entry in ledger.entries if isinstance(entry.said, Start)]


def test_a_lost_log_would_be_seen(finished, tmp_path):
    out = shutil.copytree(finished, tmp_path / "out")
    before = kept(out)
    result_path(out / "Us", "box", "scaffold", 0).write_text("written over\n")
    assert kept(out) & before != before
