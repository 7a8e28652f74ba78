import dataclasses
import math
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import h5py
import pytest

from benchmark import generate as command
from benchmark import scaffold
from benchmark.config import read_yaml
from benchmark.croissant import croissant_path
from benchmark.generate import describe, dry_run, generate, stream, verify
from benchmark.launch import Launch
from benchmark.manifest import load_manifest, manifest_path
from benchmark.problem import load_problem
from benchmark.scaffold import making, store, writing
from benchmark.workers import TooLate
from tests.support import ROOT
from tests.support.tiny import define
from tests.support.waiting import wait_for

SCRIPT, LIMITS = ROOT / "benchmark" / "generate.py", ROOT / "rules" / "v1.0" / "limits.yaml"
SMOKE = load_problem("smoke")


def contents(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()}


@pytest.fixture
def call(tiny, tmp_path, monkeypatch, capsys):
    """generate.py, which finds the tiny problem and its definition by its name: (exit code, output, errors)."""
    problems = define(tmp_path / "problems.yaml", tiny)

    def run(*arguments):
        words = ["--problem", "tiny", "--problems", problems, *arguments]
        monkeypatch.setattr(sys, "argv", ["generate.py", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            command.main()
        return ended.value.code, *capsys.readouterr()

    return run


def test_workers_and_ranks_make_the_same_bytes(tiny, made, tmp_path):
    generate(tmp_path / "workers", tiny, workers=3)
    assert contents(tmp_path / "workers") == contents(made) and stream(tiny) == load_manifest(made, tiny)
    launches = [Launch(rank, 3, rank, 3, "torchrun") for rank in range(3)]
    assert [generate(tmp_path / "ranks", tiny, 1, launch) is None for launch in launches] == [True, True, False]
    assert contents(tmp_path / "ranks") == contents(made)


def test_what_is_missing_is_made_again_and_nothing_else(tiny, made, tmp_path, monkeypatch):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    store.sample_path(tmp_path, "train", 1).unlink()
    manifest_path(tmp_path).unlink()
    for left in ("train/.00001.h5.abc.partial", ".manifest.json.abc.partial"):
        (tmp_path / left).touch()
    generate(tmp_path, tiny)
    assert contents(tmp_path) == contents(made)
    monkeypatch.setattr(making, "write_slabs", None)
    assert generate(tmp_path, tiny) == load_manifest(made, tiny)


def test_one_split_is_made_alone_and_completed_later(tiny, made, tmp_path):
    wanted = [("validation", sample) for sample in tiny.split_samples("validation")]
    assert generate(tmp_path, tiny, wanted=wanted) is None
    assert set(contents(tmp_path)) == {k for k in contents(made) if k.startswith("validation/")}
    assert generate(tmp_path, tiny) == load_manifest(made, tiny)
    assert contents(tmp_path) == contents(made)


@pytest.mark.slow
def test_killed_and_resumed(tmp_path):
    """kill -9 while workers write; the resumed set is the published one."""
    arguments = [sys.executable, SCRIPT, "--problem", "smoke", "--out", tmp_path, "--workers", "2"]
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_for(lambda: len(list(tmp_path.glob("*/*.h5"))) >= 20)
    process.kill()
    process.wait()
    made = {}
    while (now := {p: p.stat().st_mtime_ns for p in tmp_path.glob("*/*.h5")}) != made:  # until workers have noticed
        made = now
        time.sleep(0.5)
    assert 20 <= len(made) < 240 and not manifest_path(tmp_path).exists()
    output = subprocess.run(arguments, check=True, capture_output=True, text=True).stdout
    assert all(p.stat().st_mtime_ns == at for p, at in made.items())
    assert not list(tmp_path.rglob("*.partial"))
    again = subprocess.run([*arguments, "--verify"], check=True, capture_output=True, text=True).stdout
    assert "240 samples of smoke verified" in again
    manifest, published = load_manifest(tmp_path, SMOKE), read_yaml(LIMITS)["problems"]["smoke"]
    assert output == describe(SMOKE, manifest) + "\n"
    assert manifest.fingerprints == published["fingerprints"]
    assert {s: list(c) for s, c in manifest.class_counts.items()} == published["class_counts"]


def test_other_problems_files_are_never_mixed_in(tiny, made, tmp_path):
    other = dataclasses.replace(tiny, data_seed=5)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    with pytest.raises(ValueError, match=r"manifest\.json: found problem 'tiny'"):
        generate(tmp_path, other)
    manifest_path(tmp_path).unlink()
    with pytest.raises(ValueError, match=r"00000\.h5: made for problem digest"):
        generate(tmp_path, other)


def test_a_dry_run_bounds_what_is_written_for_which_room_is_wanted(tiny, made, tmp_path, monkeypatch):
    text = dry_run(tmp_path / "new", tiny)
    assert f"6 files of up to {scaffold.file_bytes(tiny)} bytes" in text and not (tmp_path / "new").exists()
    assert all(p.stat().st_size <= scaffold.file_bytes(tiny) for p in made.glob("*/*.h5"))
    assert "already there: 6" in dry_run(made, tiny)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 0, 10))
    needed = 6 * scaffold.file_bytes(tiny)
    with pytest.raises(ValueError, match=f"{needed} bytes needed, 10 bytes available"):
        generate(tmp_path / "deep" / "down", tiny)
    assert not (tmp_path / "deep").exists()


def test_verify(tiny, made, tmp_path):
    """A brick that is damaged, a file that agrees with itself but not with the manifest, and one that is gone."""
    assert list(verify(made, tiny)) == []
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    broken, other = (store.sample_path(tmp_path, "train", sample) for sample in (1, 2))
    with h5py.File(broken) as file:
        where = file["volume"].id.get_chunk_info(3).byte_offset
    with open(broken, "r+b") as file:
        file.seek(where)
        file.write(b"\xff" * 64)
    volume, label = store.read_box(other)
    writing.write_sample(other, tiny, "train", 2, volume ^ 1, label)
    gone = store.sample_path(tmp_path, "validation", 5)
    gone.unlink()
    found = dict(line.split(": ", 1) for line in verify(tmp_path, tiny, workers=2))
    assert found.keys() == {str(broken), str(other), str(gone)}
    assert found[str(other)].startswith("found digest") and "manifest" in found[str(other)]


@pytest.mark.slow
def test_the_command_verifies_the_description_too(call, tiny, made, tmp_path):
    data = shutil.copytree(made, tmp_path / "data")
    code, out, _ = call("--out", data, "--verify")
    assert code == 0 and "6 samples of tiny verified" in out
    digest = load_manifest(data, tiny).fingerprints["train"]
    croissant_path(data).write_text(croissant_path(data).read_text().replace(digest, "0" * 64))
    code, out, _ = call("--out", data, "--verify")
    assert code == 1 and f"{croissant_path(data)}: fingerprint of train: found {'0' * 64}" in out


def test_a_path_that_is_no_text_is_told_escaped(call, made, tmp_path, monkeypatch):
    data = shutil.copytree(made, tmp_path / os.fsdecode(b"data-\xff"))
    monkeypatch.setattr(command, "work", lambda *given: iter(()))
    shown = f"{tmp_path}/data-\\udcff"
    assert call("--out", data, "--verify")[:2] == (0, f"{shown}: 6 samples of tiny verified\n")
    code, out, _ = call("--out", data, "--dry-run")
    assert code == 0 and out.endswith(f"already there: 6 files in {shown}\n")


@pytest.mark.parametrize("option", ["--verify", "--manifest"])
def test_a_sample_that_is_never_read_is_named(call, made, monkeypatch, capsys, option):
    """By processes: damaged metadata can hang HDF5, which keeps Python's lock. Faults before it are printed at once."""
    given = []

    def late(job, root, problem, tasks, workers, seconds=None):
        given.append(seconds)
        if job is command.verify_one:
            yield "train/00000.h5: damaged"
            assert capsys.readouterr().out == "train/00000.h5: damaged\n"
        raise TooLate(("train", 1))

    monkeypatch.setattr(command, "work", late)
    code, _, err = call("--out", made, option, "--timeout", "7")
    why = "not read within 7 s: it is damaged, or --timeout too short"
    assert (code, given, err) == (2, [7], f"generate.py: {made}: sample 1 of train {why}\n")


def test_a_sample_that_vanishes_meanwhile_is_named(tiny, made, tmp_path, monkeypatch):
    """Nobody is told that a dataset is complete which is not; the same command completes it."""
    gone = store.sample_path(tmp_path, "train", 1)
    make = making.make_sample

    def lose(root, problem, split, sample):
        make(root, problem, split, sample)
        if split == "validation":
            gone.unlink(missing_ok=True)

    monkeypatch.setattr(making, "make_sample", lose)
    with pytest.raises(ValueError, match=f"{gone}: gone since it was made"):
        generate(tmp_path, tiny)
    assert not manifest_path(tmp_path).exists()
    monkeypatch.undo()
    generate(tmp_path, tiny)
    assert contents(tmp_path) == contents(made)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_folder_that_is_read_only_loses_nothing(call, made, tmp_path, read_only, workers):
    data = tmp_path / "data"
    shutil.copytree(made, data)
    for path in (data / "manifest.json", croissant_path(data), store.sample_path(data, "train", 0)):
        path.unlink()
    with read_only(data / "train"):
        code, _, err = call("--out", data, "--workers", workers)
    (line,) = (line for line in err.splitlines() if line.startswith("generate.py: "))
    assert code == 2 and f"{data}/train/" in line and ("not permitted" in line or "denied" in line)
    assert call("--out", data, "--workers", workers)[0] == 0 and contents(data) == contents(made)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--problem", "tin", "--out", "x"], "did you mean 'tiny'"),
        ([], "--out: wanted"),
        (["--out", "x", "--problems", "gone.yaml"], "gone.yaml"),
        (["--out", "x", "--workers", "0"], "--workers: found 0"),
        *((["--out", "x", "--timeout", s], f"--timeout: found {s}, wanted more than 0") for s in ("0", "nan")),
        (["--out", "x", "--split", "train", "--verify"], "--split: found --verify too"),
        (["--out", "x", "--held-out", "7", "--split", "train"], "--split: found train with --held-out"),
        (["--out", "x", "--held-out", "-1"], "data seed: found -1, wanted 0 to 2^63 - 1"),
    ],
)
def test_wrong_commands_exit_2(call, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    code, _, err = call(*arguments)
    assert code == 2 and message in err and not (tmp_path / "x").exists()


def test_the_rules_publish_these_problems():
    limits = read_yaml(LIMITS)["problems"]
    assert set(limits) >= {"smoke", "scale6", "scale7", "scale8"}
    for name, published in limits.items():
        problem = load_problem(name)
        assert published["benchmark"] == problem.workload and published["problem_digest"] == problem.digest()
        assert published.get("data_seed", problem.data_seed) == problem.data_seed
        assert published["target"] == problem.target
        samples = problem.train_samples, problem.validation_samples
        assert (published["train_samples"], published["eval_samples"]) == samples
        for split, counts in published.get("class_counts", {}).items():
            assert sum(counts) == len(problem.split_samples(split)) * math.prod(problem.shape)


def test_as_many_processes_as_the_cores_that_this_rank_has(call, monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr(command, "cores_of_rank", lambda launch: 3)
    monkeypatch.setattr(command, "generate", lambda root, problem, workers, *_: made.append(workers))
    assert call("--out", tmp_path)[0] == call("--out", tmp_path, "--workers", "2")[0] == 0
    assert made == [3, 2]
