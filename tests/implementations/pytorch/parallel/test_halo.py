"""Boxes with their halos against the whole volume, on ranks that are threads."""

import itertools

import pytest
import torch
from torch.nn import functional as F

from implementations.pytorch.parallel import halo
from implementations.pytorch.parallel.halo import Halo, halo_backward, pad
from implementations.pytorch.parallel.layout import Layout

LAYOUTS = {  # and the whole volume's sides
    "two boxes in depth": (Layout(1, 0, 2), (4, 3, 2)),
    "three in height, the middle one with two neighbours": (Layout(1, 0, 1, 3), (2, 6, 3)),
    "width, and two replicas": (Layout(2, 0, 1, 1, 2), (2, 3, 4)),
    "two axes": (Layout(1, 0, 2, 1, 2), (4, 3, 6)),
    "three axes, in tiles": (Layout(1, 0, 2, 2, 2, (1, 2, 1, 2)), (4, 6, 4)),
    "boxes of one voxel": (Layout(1, 0, 4, 3), (4, 3, 2)),
}
every_layout = pytest.mark.parametrize(("layout", "sides"), LAYOUTS.values(), ids=LAYOUTS)


def whole_numbers(*shape):
    return torch.randint(-9, 9, shape, generator=torch.Generator().manual_seed(len(shape) + sum(shape))).double()


def around(layout, sides):
    """Where a box with its halo lies in a volume that has a plane of zeros at both ends of every axis that is split."""
    box = layout.box(sides)
    split = [axis in layout.split_axes() for axis in range(3)]
    return (..., *(slice(o, o + n + 2 * s) for o, n, s in zip(box.origin, box.shape, split, strict=True)))


def bordered(x, layout):
    """A whole volume with those planes."""
    return F.pad(x, [int(axis in layout.split_axes()) for axis in (2, 1, 0) for _ in range(2)])


def inner(layout, sides):
    box = layout.box(sides)
    return (..., *(slice(o, o + n) for o, n in zip(box.origin, box.shape, strict=True)))


@every_layout
def test_a_halo_holds_the_neighbours_voxels_and_0_outside(in_threads, layout, sides):
    wholes = [whole_numbers(2, 3, *sides) + 100 * replica for replica in range(layout.data)]
    found = in_threads(layout, lambda one: (one, pad(wholes[one.place[0]][inner(one, sides)], one)))
    for one, padded in found:
        assert torch.equal(padded, bordered(wholes[one.place[0]], one)[around(one, sides)])


@every_layout
def test_gradients_of_a_halo_go_where_its_values_came_from(in_threads, layout, sides):
    shapes = [bordered(torch.zeros(2, 3, *sides), layout)[around(one, sides)].shape for one in (layout,)]
    grads = [whole_numbers(*shapes[0]) + rank for rank in range(layout.ranks)]
    found = in_threads(layout, lambda one: (one, halo_backward(grads[one.rank].clone(), one)))
    wholes = [bordered(torch.zeros(2, 3, *sides).double(), layout) for _ in range(layout.data)]
    for one, _ in found:
        wholes[one.place[0]][around(one, sides)] += grads[one.rank]
    for one, folded in found:
        border = [int(axis in one.split_axes()) for axis in range(3)]
        whole = wholes[one.place[0]][(..., *(slice(b, n + b) for b, n in zip(border, sides, strict=True)))]
        assert torch.equal(folded, whole[inner(one, sides)])


@pytest.mark.parametrize("way", [pad, halo_backward])
def test_a_message_holds_the_halos_of_the_axes_before_it_alone(in_threads, monkeypatch, way):
    layout, _ = LAYOUTS["three axes, in tiles"]  # boxes of 2 x 3 x 2
    swap, sent = halo.swap, set()

    def told(to_previous, to_next, one, axis):
        sent.update((axis, tuple(plane.shape)) for plane in (to_previous, to_next))
        return swap(to_previous, to_next, one, axis)

    monkeypatch.setattr(halo, "swap", told)
    box = (1, 1, 2, 3, 2) if way is pad else (1, 1, 4, 5, 4)
    in_threads(layout, lambda one: way(whole_numbers(*box), one))
    assert sent == {(0, (1, 1, 3, 2)), (1, (1, 1, 4, 2)), (2, (1, 1, 4, 5))}


def test_the_function_pads_forward_and_folds_backward(in_threads):
    layout, sides = LAYOUTS["two axes"]
    whole = whole_numbers(1, 2, *sides)

    def work(one):
        x = whole[inner(one, sides)].clone().requires_grad_()
        padded = Halo.apply(x, one)
        padded.backward(padded.detach().clone())
        return torch.equal(padded, pad(x.detach(), one)), torch.equal(x.grad, halo_backward(pad(x.detach(), one), one))

    assert in_threads(layout, work) == [(True, True)] * layout.ranks


@pytest.mark.parametrize("memory", [torch.contiguous_format, torch.channels_last_3d])
def test_a_padded_box_keeps_its_memory_format(in_threads, memory):
    boxes = in_threads(
        Layout(1, 0, 2), lambda one: pad(torch.ones(2, 3, 4, 5, 6).contiguous(memory_format=memory), one)
    )
    others = {torch.contiguous_format, torch.channels_last_3d} - {memory}
    for box, other in itertools.product(boxes, others):
        assert box.is_contiguous(memory_format=memory) and not box.is_contiguous(memory_format=other)


def test_nothing_is_padded_where_nothing_is_split(in_threads):
    x = whole_numbers(1, 1, 2, 2, 2)
    assert torch.equal(*in_threads(Layout(1), lambda one: pad(x, one)), x)
