import itertools
import os
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
import torch
import torch.distributed as dist

from benchmark.launch import Launch
from benchmark.run.log import AXES
from implementations.pytorch.parallel import layout as layout_module
from implementations.pytorch.parallel.layout import Layout, init_process_group, with_mesh
from perf.projection.trace import fake_ranks


def volumes(layout):
    """The layout as every rank sees it, by rank."""
    return [replace(layout, rank=rank) for rank in range(layout.ranks)]


@pytest.mark.parametrize("tile", [(1, 1, 1, 1), (2, 1, 1, 1), (1, 2, 2, 1), (1, 1, 2, 2), (2, 4, 2, 2)])
def test_the_mesh_has_ranks_in_their_places(tile):
    for plain in volumes(Layout(2, 0, 4, 2, 2, tile)):
        with fake_ranks(plain):
            layout = with_mesh(plain, "cpu", timedelta(seconds=7))
            assert layout.mesh.mesh_dim_names == AXES and tuple(layout.mesh.get_coordinate()) == layout.place
            for axis, step in itertools.product(range(3), (-1, 1)):
                other = layout.neighbour(axis, step)
                assert other is None or other in dist.get_process_group_ranks(layout.axis_group(axis))
            replica = [one.rank for one in volumes(plain) if one.place[0] == plain.place[0]]
            assert dist.get_process_group_ranks(layout.replica_group) == replica


def test_a_tile_is_a_nodes_cube():
    node = volumes(Layout(1, 0, 4, 4, 4, tile=(1, 2, 2, 2)))[8:16]
    assert {one.place[1:3] for one in node} == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert {one.place[3] for one in node} == {2, 3}


def test_boxes_fill_the_volume_and_replicas_the_batch():
    seen = np.zeros((5, 8, 8, 8), int)
    for one in volumes(Layout(2, 0, 4, 2, 1, tile=(1, 2, 1, 1))):
        box = one.box((8,) * 3)
        assert box.shape == (2, 4, 8)
        for sample in one.share(range(5)):
            seen[(sample, *(slice(o, o + s) for o, s in zip(box.origin, box.shape, strict=True)))] += 1
    assert (seen == 1).all()


def test_one_rank_needs_no_process_group():
    one, sums = Layout(1), torch.ones(3)
    assert one.gather("x") == ["x"] and one.add(sums) is sums and one.add_over_volume(sums) is sums
    assert one.barrier() is None and one.split_axes() == [] and one.axis_group(0) is None
    assert init_process_group(one, Launch(0, 1, 0, 1, "none"), torch.device("cpu"), 1.0) is one


@pytest.mark.parametrize("layout", [Layout(2), Layout(1, 0, 2), Layout(2, 0, 1, 2, 2, (1, 1, 2, 1))])
def test_sums_are_over_all_ranks_or_those_that_share_a_sample(in_threads, layout):
    def work(one):
        value = torch.tensor([1.0 + one.rank], requires_grad=True)
        total = one.add(value)
        total.backward(torch.tensor([10.0 + one.rank]))
        volume = one.add_over_volume(torch.tensor(2.0**one.rank))
        return one, one.gather(one.rank), total.item(), value.grad.item(), volume

    for one, ranks, total, gradient, volume in in_threads(layout, work):
        assert ranks == list(range(one.ranks)) and total == sum(1 + rank for rank in ranks)
        assert gradient == sum(10 + rank for rank in ranks)
        assert volume == sum(2**rank for rank in ranks if replace(one, rank=rank).place[0] == one.place[0])


def test_neighbours_end_where_the_volume_does():
    middle, first, last = (Layout(2, rank, 3) for rank in (4, 3, 5))  # of the second replica
    assert [middle.neighbour(0, step) for step in (-1, 1)] == [3, 5]
    assert first.neighbour(0, -1) is None and last.neighbour(0, 1) is None
    assert middle.neighbour(1, 1) is middle.neighbour(2, -1) is None
    assert middle.split_axes() == [0] and Layout(1, 0, 1, 2, 2).split_axes() == [1, 2]


@pytest.mark.parametrize(("device", "backend"), [("cuda", "nccl"), ("cpu", "gloo")])
def test_ranks_join_the_group_of_their_device_with_its_limit(monkeypatch, device, backend):
    joined = []
    monkeypatch.setattr(dist, "init_process_group", lambda *args, **more: joined.append((args, more)))
    monkeypatch.setattr(layout_module, "with_mesh", lambda *found: found)
    monkeypatch.setattr(os, "environ", {"NCCL_LAUNCH_ORDER_IMPLICIT": "0"})
    found = init_process_group(Layout(2, 1), Launch(1, 2, 1, 2, "none"), torch.device(device), 7.0)
    assert found == (Layout(2, 1), device, timedelta(seconds=7))
    assert joined == [((backend,), {"rank": 1, "world_size": 2, "timeout": timedelta(seconds=7)})]
    assert os.environ == {
        "TORCH_NCCL_ASYNC_ERROR_HANDLING": "0",
        "TORCH_NCCL_ENABLE_MONITORING": "0",
        "NCCL_LAUNCH_ORDER_IMPLICIT": "0",  # what the environment says stays
    }


def test_only_a_volume_that_is_split_has_a_replicas_group():
    for plain in volumes(Layout(2)):
        with fake_ranks(plain):
            assert with_mesh(plain, "cpu", timedelta(seconds=7)).replica_group is None
    assert Layout(1, 0, 2) == replace(Layout(1, 0, 2), mesh="m", replica_group="g")  # which don't make it another
    assert "mesh" not in repr(Layout(1)) and "group" not in repr(Layout(1))


@pytest.mark.parametrize("plain", [Layout(1, 0, 2), Layout(2, 0, 1, 1, 3)])
def test_a_rank_makes_only_the_groups_that_it_is_in(monkeypatch, plain):
    """And waits for their members alone."""
    made, new_group = [], dist.new_group

    def told(ranks, **how):
        made.append((ranks, how["use_local_synchronization"]))
        return new_group(ranks, **how)

    with fake_ranks(plain):
        monkeypatch.setattr(dist, "new_group", told)
        layout = with_mesh(plain, "cpu", timedelta(seconds=7))
        assert dist.get_process_group_ranks(layout.replica_group) == list(range(plain.boxes))
    assert all(plain.rank in ranks and local for ranks, local in made) and len(made) == 5
