import multiprocessing
import os
import shutil
import signal
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch

from benchmark import cosmoflow, fingerprint
from benchmark.manifest import load_manifest
from benchmark.problem import load_problem
from benchmark.scaffold.store import read_box, sample_path, write_sample
from implementations.pytorch.input.reader import Evidence, Reader, read_sample
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.training.stop import WrongData

CPU = torch.device("cpu")
WHOLE = Layout(1).box((16,) * 3)
STEPS = [[6, 0, 3], [], [1, 2], [4, 5]]


def test_closing_waits_for_the_workers(tiny):
    others = set(multiprocessing.active_children())
    reader = Reader(tiny.data, tiny.problem, WHOLE, 2, prefetch=2, cache_gib=1)
    assert len(set(multiprocessing.active_children()) - others) == 2
    reader.close()
    assert set(multiprocessing.active_children()) <= others


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_and_their_evidence(tiny, workers):
    reader = Reader(tiny.data, tiny.problem, WHOLE, workers, prefetch=2, cache_gib=1)
    proof: list[Evidence] = []
    batches = list(reader.batches("train", STEPS, CPU, proof))
    assert [len(b.tensors[0]) for b in batches] == [3, 0, 2, 2] and batches[1].tensors[1].shape == (0, 16, 16, 16)
    volume, label = read_box(sample_path(tiny.data, "train", 3))
    assert torch.equal(batches[0].tensors[0][2], torch.from_numpy(volume))
    assert torch.equal(batches[0].tensors[1][2], torch.from_numpy(label))
    manifest, total = load_manifest(tiny.data, tiny.problem), sum(proof, Evidence())
    assert fingerprint.to_hex(total.fingerprint) == manifest.fingerprints["train"]
    assert total.class_counts == tuple(manifest.class_counts["train"]) and total.samples == 7
    reader.close()


def copy(tiny, folder):
    return shutil.copytree(tiny.data, folder / "data")


def test_samples_are_remembered_as_room_allows(tiny, tmp_path):
    for cache_gib, remembered in ((1, 7), (2 * 2 * 16**3 / 2**30, 2), (0, 0)):
        data = copy(tiny, tmp_path / str(remembered))
        reader = Reader(data, tiny.problem, WHOLE, 0, prefetch=1, cache_gib=cache_gib)
        first = list(reader.batches("train", STEPS, CPU, []))
        assert len(reader.cache) == remembered
        if remembered == 7:
            shutil.rmtree(data)
        again = list(reader.batches("train", STEPS, CPU))
        assert all(torch.equal(a.tensors[0], b.tensors[0]) for a, b in zip(first, again, strict=True))


def test_dead_worker_is_noticed(tiny):
    reader = Reader(tiny.data, tiny.problem, WHOLE, 1, prefetch=1, cache_gib=0)
    batches = reader.batches("train", [[0], [1], [2], [3]], CPU)
    next(batches)
    os.kill(next(iter(reader.pool._processes)), signal.SIGKILL)
    with pytest.raises(BrokenProcessPool):
        list(batches)


@pytest.mark.parametrize("workers", [0, 1])
def test_wrong_file_is_named(tiny, tmp_path, workers):
    data = copy(tiny, tmp_path)
    path = sample_path(data, "train", 2)
    path.write_bytes(path.read_bytes()[:3000])
    reader = Reader(data, tiny.problem, WHOLE, workers, prefetch=1, cache_gib=0)
    with pytest.raises(WrongData, match=r"00002\.h5"):
        list(reader.batches("train", [[0, 1, 2]], CPU))
    reader.close()


@pytest.mark.parametrize("layout", [Layout(1, 0, 2), Layout(1, 0, 1, 2, 2), Layout(2, 0, 2, 2, 2)])
def test_ranks_read_their_boxes(tiny, layout):
    parts, manifest = [], load_manifest(tiny.data, tiny.problem)
    whole = read_box(sample_path(tiny.data, "train", 3))
    for rank in range(layout.ranks):
        mine = replace(layout, rank=rank)
        box, proof = mine.box((16,) * 3), []
        steps = [mine.share(range(7))]
        batch = next(Reader(tiny.data, tiny.problem, box, 0, 1, 1).batches("train", steps, CPU, proof))
        if 3 in steps[0]:
            cut = tuple(slice(o, o + s) for o, s in zip(box.origin, box.shape, strict=True))
            for found, wanted in zip(batch.tensors, whole, strict=True):
                assert torch.equal(found[steps[0].index(3)], torch.from_numpy(wanted[cut]))
        parts += proof
    total = sum(parts, Evidence())
    assert fingerprint.to_hex(total.fingerprint) == manifest.fingerprints["train"]
    assert total.class_counts == tuple(manifest.class_counts["train"]) and total.samples == 7


@pytest.mark.skipif(not Path("/proc/thread-self/io").exists(), reason="the kernel counts no bytes")
@pytest.mark.parametrize("layout", [Layout(1, 0, 2), Layout(1, 0, 2, 2, 2)])
def test_a_rank_reads_its_share_of_bytes(tmp_path, layout):
    problem = replace(load_problem("smoke"), scale=7, brick=32, cell=64)
    path = sample_path(tmp_path, "train", 0)
    random = np.random.default_rng(0)
    volume = random.integers(0, 256, (128,) * 3, np.uint8)
    write_sample(path, problem, "train", 0, volume, volume % problem.classes)
    whole = read_sample(tmp_path, problem, "train", 0, Layout(1).box((128,) * 3)).evidence.bytes
    parts = [
        read_sample(tmp_path, problem, "train", 0, replace(layout, rank=rank).box((128,) * 3)).evidence.bytes
        for rank in range(layout.ranks)
    ]
    assert whole > 128**3 and all(abs(part * layout.ranks / whole - 1) < 0.05 for part in parts)


def flip(path, offset):
    """One bit of a file."""
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 1]))


@pytest.mark.parametrize("workers", [0, 1])
def test_later_readings_are_held_against_the_first(tiny, tmp_path, workers):
    path = sample_path(copy(tiny, tmp_path), "train", 2)
    reader = Reader(tmp_path / "data", tiny.problem, WHOLE, workers, prefetch=1, cache_gib=0)
    first = next(reader.batches("train", [[2]], CPU, proof := []))
    again = next(reader.batches("train", [[2]], CPU))
    assert all(torch.equal(a, b) for a, b in zip(first.tensors, again.tensors, strict=True))
    offset = reader.known["train", 2].places[5, 0, 0]
    flip(path, offset + 7)
    with pytest.raises(WrongData, match=r"00002\.h5: brick \(1, 0, 1\) is corrupt"):
        list(reader.batches("train", [[2]], CPU))
    flip(path, offset + 7)
    assert torch.equal(next(reader.batches("train", [[2]], CPU)).tensors[0], first.tensors[0])
    volume, label = read_box(path)
    volume[0, 0, 0] ^= 1
    write_sample(path, tiny.problem, "train", 2, volume, label)  # whole, but another volume
    with pytest.raises(WrongData, match=r"00002\.h5: changed since the run first read it"):
        list(reader.batches("train", [[2]], CPU))
    assert len(proof) == 1
    reader.close()


def test_a_file_may_move_its_bricks(tiny, tmp_path):
    """A second copy of the same sample whose bricks lie elsewhere is as good."""
    path = sample_path(copy(tiny, tmp_path), "train", 2)
    reader = Reader(tmp_path / "data", tiny.problem, WHOLE, 0, prefetch=1, cache_gib=0)
    first = next(reader.batches("train", [[2]], CPU))
    places = reader.known["train", 2].places
    with h5py.File(path) as old, h5py.File(tmp_path / "new.h5", "w") as new:
        new.attrs.update(old.attrs)
        for name in ("label", "bricks", "volume"):
            old.copy(name, new)
    shutil.move(tmp_path / "new.h5", path)
    assert all(
        torch.equal(a, b) for a, b in zip(first.tensors, next(reader.batches("train", [[2]], CPU)).tensors, strict=True)
    )
    assert (reader.known["train", 2].places != places).any()


def test_readings_of_other_workloads_are_held_against_the_first_too(tmp_path):
    problem = replace(load_problem("cosmoflow-mini"), train_samples=2, validation_samples=1)
    cosmoflow.make_sample(tmp_path, problem, "train", 0)
    reader = Reader(tmp_path, problem, Layout(1).box(problem.shape), 0, prefetch=1, cache_gib=0)
    first = next(reader.batches("train", [[0]], CPU))
    assert torch.equal(next(reader.batches("train", [[0]], CPU)).tensors[0], first.tensors[0])
    changed = replace(problem, data_seed=problem.data_seed + 1)
    cosmoflow.sample_path(tmp_path, problem, "train", 0).unlink()
    cosmoflow.make_sample(tmp_path, changed, "train", 0)
    with pytest.raises(WrongData, match="changed since the run first read it"):
        list(reader.batches("train", [[0]], CPU))
