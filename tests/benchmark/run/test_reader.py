import contextlib
import io
import itertools
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest

from benchmark import cosmoflow, fingerprint
from benchmark.cosmoflow import making
from benchmark.manifest import load_manifest
from benchmark.problem import SPLITS, load_problem
from benchmark.run import reader as reading
from benchmark.run.errors import WrongData
from benchmark.run.reader import Evidence, Reader, bounded, drop_cached_pages, published_fingerprints, verify_split
from benchmark.scaffold.store import read_box, sample_path
from benchmark.scaffold.writing import write_sample
from benchmark.workload import Box, whole_box

ROOT = Path(reading.__file__).parents[2]
ENDLESS = """
import ctypes
from benchmark.run.reader import bounded
print(bounded(5, lambda: "read"), bounded(None, lambda: "read"), flush=True)
bounded(0.2, lambda: ctypes.PyDLL(None).sleep(60))  # keeps Python's lock
"""
STEPS = [[6, 0, 3], [], [1, 2], [4, 5]]
DEEP = "nested too deeply" if sys.version_info < (3, 14) else "Expecting value"  # 3.14 reads 60,000 levels


def boxes(side: int, *cuts: int) -> list[Box]:
    """The boxes of a cubic volume that is cut into so many parts on each axis."""
    shape = tuple(side // n for n in cuts)
    places = itertools.product(*map(range, cuts))
    return [Box(tuple(p * s for p, s in zip(place, shape, strict=True)), shape) for place in places]


def equal(one, other) -> bool:
    """Whether samples, each of several arrays, are the same."""
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_and_their_evidence(tiny, workers):
    others, start = set(multiprocessing.active_children()), time.perf_counter()
    reader = Reader(tiny.data, tiny.problem, workers=workers)
    assert len(set(multiprocessing.active_children()) - others) == workers
    batches = list(reader.batches("train", STEPS))
    assert [len(batch) for batch in batches] == [3, 0, 2, 2]
    assert equal(batches[0][2], read_box(sample_path(tiny.data, "train", 3)))
    assert 0 < reader.waited < time.perf_counter() - start
    assert equal(batches[0][2], reader.blank) is False and [b.shape for b in reader.blank] == [(16, 16, 16)] * 2
    manifest, total = load_manifest(tiny.data, tiny.problem), reader.evidence("train")
    assert fingerprint.to_hex(total.fingerprint) == manifest.fingerprints["train"]
    assert total.class_counts == tuple(manifest.class_counts["train"]) and total.samples == 7
    assert total.bytes == reader.bytes_read > 0
    assert reader.evidence("validation") == Evidence()
    reader.close()
    assert set(multiprocessing.active_children()) <= others


@pytest.mark.parametrize(("cache_gib", "workers"), [(0, 0), (1, 0), (0, 1)])
def test_evidence_counts_each_sample_once(tiny, cache_gib, workers):
    """However often it is read, from its file or from memory, and if it is asked for twice before it is read."""
    reader = Reader(tiny.data, tiny.problem, workers=workers, cache_gib=cache_gib)
    list(reader.batches("train", [[2], [2, 2], *STEPS]))
    first = reader.evidence("train")
    list(reader.batches("train", [[0], [0, 0], *STEPS]))
    assert reader.evidence("train") == first and first.samples == 7
    list(reader.batches("validation", [[7, 8], [9, 10]]))
    found = {split: reader.evidence(split) for split in SPLITS}
    fingerprints = published_fingerprints(tiny.data, tiny.problem)
    for split in SPLITS:
        verify_split(tiny.data, split, found[split], fingerprints)
    reader.close()


def test_evidence_adds_up():
    one, other = Evidence(2**256 - 1, 1, (1, 2), 10), Evidence(3, 2, (10, 20), 5)
    assert one + other == Evidence(2, 3, (11, 22), 15)
    assert sum([Evidence(), one, Evidence()], Evidence()) == one  # a rank that read nothing has no classes
    with pytest.raises(ValueError):
        one + Evidence(class_counts=(1, 2, 3))


def copy(tiny, folder):
    return shutil.copytree(tiny.data, folder / "data")


def test_samples_are_remembered_as_room_allows(tiny, tmp_path):
    for cache_gib, remembered in ((1, 7), (2 * 2 * 16**3 / 2**30, 2), (0, 0)):
        data = copy(tiny, tmp_path / str(remembered))
        reader = Reader(data, tiny.problem, prefetch=1, cache_gib=cache_gib)
        first = list(reader.batches("train", STEPS))
        assert len(reader.cache) == remembered and set(reader.known) == {("train", i) for i in range(7)}
        if remembered == 7:
            shutil.rmtree(data)
        for batch, before in zip(reader.batches("train", STEPS), first, strict=True):
            assert all(equal(a, b) for a, b in zip(batch, before, strict=True))


def test_dead_worker_is_noticed(tiny):
    reader = Reader(tiny.data, tiny.problem, workers=1, prefetch=1, cache_gib=0)
    batches = reader.batches("train", [[0], [1], [2], [3]])
    next(batches)
    os.kill(next(iter(reader.pool._processes)), signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        list(batches)


@pytest.mark.parametrize("workers", [0, 1])
def test_wrong_file_is_named(tiny, tmp_path, workers):
    reader = Reader(tmp_path / "data", tiny.problem, workers=workers, prefetch=1, cache_gib=0)  # which opens none yet
    path = sample_path(copy(tiny, tmp_path), "train", 2)
    path.write_bytes(path.read_bytes()[:3000])
    with pytest.raises(WrongData, match=r"00002\.h5") as caught:
        list(reader.batches("train", [[0, 1, 2]]))
    assert not caught.value.everywhere  # the other ranks do not know of it
    reader.close()


@pytest.mark.parametrize(("replicas", "cuts"), [(1, (2, 1, 1)), (1, (1, 2, 2)), (2, (2, 2, 2))])
def test_ranks_read_their_boxes(tiny, replicas, cuts):
    """Each rank has a box of every sample of its replica; together they have the evidence of the whole split."""
    total, manifest = Evidence(), load_manifest(tiny.data, tiny.problem)
    whole = read_box(sample_path(tiny.data, "train", 3))
    for replica, box in itertools.product(range(replicas), boxes(16, *cuts)):
        mine = list(range(7))[replica::replicas]
        reader = Reader(tiny.data, tiny.problem, box)
        (batch,) = reader.batches("train", [mine])
        if 3 in mine:
            cut = tuple(slice(o, o + s) for o, s in zip(box.origin, box.shape, strict=True))
            assert equal(batch[mine.index(3)], [array[cut] for array in whole])
        total += reader.evidence("train")
    assert fingerprint.to_hex(total.fingerprint) == manifest.fingerprints["train"]
    assert total.class_counts == tuple(manifest.class_counts["train"]) and total.samples == 7


@pytest.mark.skipif(not Path("/proc/thread-self/io").exists(), reason="the kernel counts no bytes")
def test_a_rank_reads_its_share_of_bytes(tmp_path):
    problem = replace(load_problem("smoke"), scale=7, brick=32, cell=64)
    random = np.random.default_rng(0)
    volume = random.integers(0, 256, (128,) * 3, np.uint8)
    write_sample(sample_path(tmp_path, "train", 0), problem, "train", 0, volume, volume % problem.classes)

    def bytes_of(box: Box) -> int:
        return reading.read_box(tmp_path, problem, "train", 0, box).bytes

    whole, parts = bytes_of(whole_box(problem)), [bytes_of(box) for box in boxes(128, 2, 2, 2)]
    before = reading.bytes_so_far()
    (tmp_path / "more").write_bytes(bytes(5000))
    assert len((tmp_path / "more").read_bytes()) == 5000 <= reading.bytes_so_far() - before < 9000
    assert whole > 128**3 and all(abs(part * len(parts) / whole - 1) < 0.05 for part in parts)


def test_where_the_kernel_counts_no_bytes_the_arrays_do(tiny, monkeypatch):
    monkeypatch.setattr(reading, "bytes_so_far", lambda: 0)
    reader = Reader(tiny.data, tiny.problem)
    list(reader.batches("train", [[1]]))
    assert reader.bytes_read == reader.evidence("train").bytes == 2 * 16**3


def flip(path, offset):
    """One bit of a file."""
    data = bytearray(path.read_bytes())
    data[offset] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("workers", [0, 1])
def test_later_readings_are_held_against_the_first(tiny, tmp_path, workers):
    path = sample_path(copy(tiny, tmp_path), "train", 2)
    reader = Reader(tmp_path / "data", tiny.problem, workers=workers, prefetch=1, cache_gib=0)
    ((first,),) = reader.batches("train", [[2]])
    ((again,),) = reader.batches("train", [[2]])
    assert equal(first, again)
    offset = reader.known["train", 2].box.offsets[5, 0, 0]
    flip(path, offset + 7)
    with pytest.raises(WrongData, match=r"00002\.h5: brick \(1, 0, 1\) is corrupt"):
        list(reader.batches("train", [[2]]))
    flip(path, offset + 7)
    ((again,),) = reader.batches("train", [[2]])
    assert equal(first, again)
    volume, label = read_box(path)
    volume[0, 0, 0] ^= 1
    write_sample(path, tiny.problem, "train", 2, volume, label)  # whole, but another volume
    with pytest.raises(WrongData, match=r"00002\.h5: changed since the run first read it"):
        list(reader.batches("train", [[2]]))
    assert reader.evidence("train").samples == 1
    reader.close()


def test_a_file_may_move_its_bricks(tiny, tmp_path):
    """A second copy of the same sample whose bricks lie elsewhere is as good."""
    path = sample_path(copy(tiny, tmp_path), "train", 2)
    reader = Reader(tmp_path / "data", tiny.problem, prefetch=1, cache_gib=0)
    ((first,),) = reader.batches("train", [[2]])
    with h5py.File(path) as old, h5py.File(tmp_path / "new.h5", "w") as new:
        new.attrs.update(old.attrs)
        for name in ("label", "bricks", "volume"):
            old.copy(name, new)
    shutil.move(tmp_path / "new.h5", path)
    ((again,),) = reader.batches("train", [[2]])
    assert equal(first, again)
    offsets = reader.known["train", 2].box.offsets
    assert (reading.read_box(reader.root, tiny.problem, "train", 2, reader.box).box.offsets != offsets).any()


def test_readings_of_other_workloads_are_compared_too(tmp_path):
    problem = replace(load_problem("cosmoflow-mini"), train_samples=2, validation_samples=1)
    making.make_sample(tmp_path, problem, "train", 0)
    reader = Reader(tmp_path, problem, prefetch=1, cache_gib=0)
    ((first,),) = reader.batches("train", [[0]])
    ((again,),) = reader.batches("train", [[0]])
    assert equal(first, again) and reader.evidence("train").samples == 1
    changed = replace(problem, data_seed=problem.data_seed + 1)
    cosmoflow.sample_path(tmp_path, problem, "train", 0).unlink()
    making.make_sample(tmp_path, changed, "train", 0)
    with pytest.raises(WrongData, match="changed since the run first read it"):
        list(reader.batches("train", [[0]]))


def test_fingerprints_are_read_from_the_head_of_a_manifest(tiny, tmp_path):
    """The samples below it are not read: a damage there is no matter of a run, which proves what it reads."""
    wanted = load_manifest(tiny.data, tiny.problem).fingerprints
    assert published_fingerprints(tiny.data, tiny.problem) == wanted
    text = (tiny.data / "manifest.json").read_text()
    head, mark, _ = text.partition(',\n "samples"')
    for rest in (mark, mark + ": [" * 10, mark + ": [\n  " + "x" * 10**6):
        (tmp_path / "manifest.json").write_text(head + rest)
        assert published_fingerprints(tmp_path, tiny.problem) == wanted
    (tmp_path / "manifest.json").write_text(json.dumps(json.loads(text)))  # small, and without our line breaks
    assert published_fingerprints(tmp_path, tiny.problem) == wanted


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text, problem: None, "no manifest: found no train or validation in "),
        (lambda text, problem: "", "cannot be read"),
        (lambda text, problem: "[" * 6 * 10**4, f"cannot be read: {DEEP}"),
        (lambda text, problem: text.replace(problem.digest(), "0" * 64), "found problem 'tiny' with digest '0000"),
        (lambda text, problem: text.replace('"fingerprints"', '"fingerprint"'), "not a manifest of ours"),
        (lambda text, problem: " " * (64 << 10) + text, "found no head of a manifest as generate.py writes it"),
    ],
    ids=["none", "empty", "deep", "another problem", "no fingerprints", "a head that is too long"],
)
def test_a_wrong_manifest_is_every_ranks_error(tiny, tmp_path, change, said):
    text, path = change((tiny.data / "manifest.json").read_text(), tiny.problem), tmp_path / "manifest.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(WrongData) as caught:
        published_fingerprints(tmp_path, tiny.problem)
    assert caught.value.everywhere
    assert str(caught.value).startswith(f"{path}: ") and said in str(caught.value)
    path.unlink(missing_ok=True)
    os.mkfifo(path)  # which is not waited for
    with pytest.raises(WrongData, match="no regular file"):
        published_fingerprints(tmp_path, tiny.problem)


def test_a_split_that_is_not_the_manifests_is_wrong_data(tiny):
    wanted = published_fingerprints(tiny.data, tiny.problem)
    right = Evidence(fingerprint.from_hex(wanted["train"]))
    assert verify_split(tiny.data, "train", right, wanted) is None
    message = f"{tiny.data}: found validation fingerprint {wanted['train']}, wanted the manifest's "
    with pytest.raises(WrongData, match=message + wanted["validation"]) as caught:
        verify_split(tiny.data, "validation", right, wanted)
    assert caught.value.everywhere


def test_processes_of_a_node_share_the_files_they_drop(tmp_path, monkeypatch):
    """Each file is opened once, and none for anything else; what is no file stops nobody."""
    wanted = [tmp_path / name for name in ("a", "b/0", "b/1", "b/2", "c/d/e")]
    for path in wanted:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"data")
    os.mkfifo(tmp_path / "b" / "pipe")
    (tmp_path / "gone").symlink_to("nowhere")
    opened, real = [], os.open
    monkeypatch.setattr(os, "open", lambda path, flags: (opened.append(path), real(path, flags))[1])
    monkeypatch.setattr(os, "stat", None)
    for share in range(3):
        drop_cached_pages(tmp_path, share, 3)
    assert opened == [str(tmp_path / name) for name in ("a", "b/1", "c/d/e", "gone", "b/2", "b/0", "b/pipe")]


@pytest.mark.slow
def test_a_library_that_never_returns_ends_the_process():
    done = subprocess.run([sys.executable, "-c", ENDLESS], cwd=ROOT, capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout) == (1, "read read\n")
    assert done.stderr.startswith("Timeout") and "bounded" in done.stderr


def test_the_time_is_each_readings_own_also_where_stderr_is_no_file():
    for stderr in (io.StringIO(), None):
        with contextlib.redirect_stderr(stderr):
            assert bounded(5, lambda: "read") == "read"
    for _ in range(3):
        bounded(0.3, time.sleep, 0.2)
    time.sleep(0.4)  # none is left running


def endless(*arguments):
    time.sleep(60)


@pytest.mark.slow
def test_a_worker_that_never_returns_is_lost(tiny, monkeypatch):
    monkeypatch.setattr(Reader, "read", staticmethod(endless))
    reader = Reader(tiny.data, tiny.problem, workers=1, timeout_seconds=0.2)
    with pytest.raises(BrokenProcessPool):
        list(reader.batches("train", [[0]]))
    reader.close()
