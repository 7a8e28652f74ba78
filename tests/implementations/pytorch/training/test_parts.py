"""Tensors in files: the same however many ranks wrote and read, and any damage is named."""

import os
import pickle
import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import torch
from safetensors.torch import save
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor import DTensor, Shard

from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.training import parts as parts_module
from implementations.pytorch.training.parts import deal, places, read, share, verify, write
from perf.projection.trace import fake_ranks

FIRST = "part_000000.safetensors"


def tensors() -> dict[str, torch.Tensor]:
    """Of all kinds."""
    torch.manual_seed(1)
    return {
        "weight": torch.randn(8, 4, 3, 3, 3).contiguous(memory_format=torch.channels_last_3d),
        "bias": torch.randn(5),
        "half": torch.randn(6, 2).bfloat16(),
        "turned": torch.randn(3, 7).T,
        "step": torch.tensor(41.0),
        "count": torch.tensor(2**53 + 1),
        "on": torch.tensor([True, False]),
    }


def empty(like: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: torch.zeros_like(x) for name, x in like.items()}


def equal(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("ranks", [1, 2, 3, 20])
def test_there_and_back(tmp_path, ranks):
    """Also with more ranks than tensors."""
    kept, parts = tensors(), {}
    for rank in range(ranks):
        parts |= write(tmp_path, kept, rank, ranks)
    assert sorted(parts) == sorted(p.name for p in tmp_path.iterdir()) and len(parts) == min(ranks, len(kept))
    found = empty(kept)
    verify(tmp_path, parts)
    read(tmp_path, parts, places(kept, ranks), found)
    assert equal(found, kept) and found["weight"].stride() == kept["weight"].stride()


def test_ranks_write_about_as_much_each():
    assert deal({"a": 5, "b": 4, "c": 3, "d": 3, "e": 1}, 2) == {"a": 0, "b": 1, "c": 1, "d": 0, "e": 1}
    assert deal({"b": 1, "a": 1}, 3) == {"a": 0, "b": 1} and deal({}, 2) == {}


@contextmanager
def mesh_of(rank: int, ranks: int) -> Iterator[DeviceMesh]:
    """The mesh of this process as a rank of so many, which communicate nothing."""
    with fake_ranks(Layout(ranks, rank)):
        yield DeviceMesh("cpu", list(range(ranks)))


def sharded(tensor: torch.Tensor, mesh: DeviceMesh) -> DTensor:
    """This rank's rows of a tensor, as FSDP2 cuts it."""
    rows, ranks = len(tensor), mesh.size()
    chunks = [*torch.arange(rows).chunk(ranks), *[torch.arange(0)] * ranks][:ranks]
    mine = tensor[chunks[mesh.get_local_rank()]].clone()
    return DTensor.from_local(mine, mesh, [Shard(0)], run_check=False, shape=tensor.shape, stride=tensor.stride())


def mine(whole: dict[str, torch.Tensor], mesh: DeviceMesh) -> dict[str, torch.Tensor]:
    """This rank's part of tensors; all ranks have numbers."""
    return {name: sharded(x, mesh) if x.dim() else x for name, x in whole.items()}


def local(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name: x.to_local() if x.dim() else x for name, x in tensors.items()}


def written(folder, whole, writers):
    """What so many ranks write, and where it is."""
    parts = {}
    for rank in range(writers):
        with mesh_of(rank, writers) as mesh:
            tensors = mine(whole, mesh)
            parts |= write(folder, tensors, rank, writers)
    return parts, places(tensors, writers)


@pytest.mark.parametrize(("writers", "readers"), [(3, 2), (2, 3), (3, 1), (1, 4), (5, 8)])
def test_sharded_tensors_are_of_no_layout(tmp_path, writers, readers):
    """8, 5 and 1 rows, so that ranks have less than others, or nothing; and a number that all of them have."""
    whole = {"even": torch.randn(8, 3), "odd": torch.randn(5), "one": torch.randn(1, 2), "step": torch.tensor(3.0)}
    parts, at = written(tmp_path, whole, writers)
    for rank in range(readers):
        with mesh_of(rank, readers) as mesh:
            found = mine(empty(whole), mesh)
            read(tmp_path, parts, at, found)
            assert equal(local(found), local(mine(whole, mesh)))
    plain = empty(whole)
    read(tmp_path, parts, at, plain)
    assert equal(plain, whole)


def test_a_rank_opens_its_own_part_alone(tmp_path, monkeypatch):
    """Where as many ranks read as wrote: with 16 ranks each opens one part, and not all 16. Of numbers that all ranks
    have, one rank reads each."""
    whole = {"weight": torch.randn(32, 3), "rows": torch.randn(16, 2)}
    whole |= {f"step{i}": torch.tensor(float(i)) for i in range(16)}
    parts, at = written(tmp_path, whole, 16)
    opened, real = [], parts_module.safe_open
    monkeypatch.setattr(parts_module, "safe_open", lambda path, how: opened.append(path.name) or real(path, how))
    assert at["weight"] == (0, 2) and at["rows"] == (0, 1) and at["step7"] == (13, 1)  # by name: after step15
    for rank in range(16):
        with mesh_of(rank, 16) as mesh:
            found = share(mine(empty(whole), mesh), rank, 16)
            read(tmp_path, parts, at, found)
        assert len(found) == 3
        assert torch.equal(found["weight"].to_local(), whole["weight"][2 * rank : 2 * rank + 2])
        assert all(torch.equal(x, whole[name]) for name, x in found.items() if name.startswith("step"))
    assert opened == sorted(parts)


@pytest.mark.parametrize(
    ("damage", "found"),
    [
        (lambda path: (path.unlink(), os.mkfifo(path)), "no regular file"),
        (lambda path: (path.unlink(), path.symlink_to("/dev/zero")), "no regular file"),
        (lambda path: path.write_bytes(path.read_bytes()[:-1]), "sha256 [0-9a-f]{64}"),
    ],
)
def test_what_became_of_a_part_is_named(tmp_path, damage, found):
    parts = write(tmp_path, tensors(), 0, 2) | write(tmp_path, tensors(), 1, 2)
    damage(tmp_path / FIRST)
    with pytest.raises(ValueError, match=f"^{tmp_path / FIRST}: found {found}.*, wanted sha256 {parts[FIRST]}$"):
        verify(tmp_path, parts)


class Trap:
    """What runs when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, (os.environ["TRAP"],)


KEPT = {"a": torch.ones(4, 2), "b": torch.ones(())}
AT = {"a": (0, 4), "b": (0, 1)}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: save({"a": KEPT["a"]}), r"found no whole part \(.*b.*\), wanted one"),
        (lambda: save({"a": torch.ones(3, 2), "b": torch.ones(1)}), r"a: found shape \[3, 2\], wanted \[4, 2\]"),
        (lambda: save(KEPT), r"b: found shape \[\], wanted \[1\]"),
        (lambda: save({"a": KEPT["a"].double()}), "a: found torch.float64, wanted torch.float32"),
        (lambda: pickle.dumps(Trap()), r"found no whole part \(.*\), wanted one"),
        (lambda: (2**20).to_bytes(8, "little") + b"[" * 2**20, r"found no whole part \(.*\), wanted one"),
    ],
)
def test_a_part_that_holds_something_else_is_refused(tmp_path, monkeypatch, data, message):
    """Whoever writes the right digest may still write anything into a part; nothing of it runs."""
    monkeypatch.setenv("TRAP", str(tmp_path / "sprung"))
    (tmp_path / FIRST).write_bytes(data())
    with pytest.raises(ValueError, match=f"^{re.escape(f'{tmp_path}/{FIRST}: ')}{message}$") as caught:
        read(tmp_path, [FIRST], AT, empty(KEPT))
    assert "\n" not in str(caught.value) and not (tmp_path / "sprung").exists()


def test_pieces_elsewhere_than_the_metadata_say_are_refused(tmp_path):
    """A part that is none of the checkpoint's is not opened, and a piece has the rows that belong there."""
    (tmp_path / FIRST).write_bytes(save({"a": KEPT["a"], "b": torch.ones(1)}))
    (tmp_path / "part_000001.safetensors").write_bytes(save({"a": KEPT["a"]}))
    for at, message in (
        ((1, 4), "part_000001.safetensors: found no such part in this checkpoint, wanted 'a' in it"),
        ((0, 3), f"{FIRST}: a: found shape [4, 2], wanted [3, 2]"),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(f'{tmp_path}/{message}')}$"):
            read(tmp_path, [FIRST], AT | {"a": at}, empty(KEPT))
    read(tmp_path, [FIRST], AT | {"a": (0, 5)}, empty(KEPT))  # the last piece ends where the tensor does
