"""What ranks compute of ScaFFold under a layout, against one rank and no layout at all: by case the largest absolute
difference of logits, loss, gradients and, after four steps, weights."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta

import torch
import torch.distributed as dist
from torch import Tensor, nn

from implementations.pytorch.layers import conv
from implementations.pytorch.layers.blocks import join_parts, recompute_blocks
from implementations.pytorch.parallel import gradients, halo, spatial
from implementations.pytorch.parallel.layout import Layout, with_mesh
from implementations.pytorch.scaffold.loss import class_weights
from implementations.pytorch.scaffold.model import UNet
from implementations.pytorch.scaffold.task import Config, Task
from tests.support import ranks as support

CLASSES, STEPS = 3, 4
TASK = Task(None, Config(device="cpu", precision="float32", learning_rate=1e-3))
vars(TASK)["weight"] = class_weights(CLASSES, 0.3).double()


@dataclass(frozen=True)
class Case:
    """A layout, and the volume and network that are split."""

    layout: Layout
    side: int = 8
    levels: int = 1
    samples: int = 2
    memory: torch.memory_format = torch.contiguous_format
    recompute: str = ""
    join: str = "concat"
    sharding: str = "ddp"
    harm: Callable[[Layout], None] | None = None  # what a negative control breaks
    steps: int = 0
    taps: bool = False  # every convolution's weight gradient is a matrix product a tap


class Frame(torch.autograd.Function):
    """What a box has in the place of a halo: zeros, on the axes that are split."""

    @staticmethod
    def forward(ctx, x, layout):
        ctx.axes = layout.split_axes()
        return nn.functional.pad(x, [int(axis in ctx.axes) for axis in (2, 2, 1, 1, 0, 0)])

    @staticmethod
    def backward(ctx, grad):
        return halo.inside(grad, ctx.axes), None


def no_halo(layout: Layout) -> None:
    """Boxes are padded with zeros."""
    spatial.Halo = Frame


def wrong_average(layout: Layout) -> None:
    """Gradients are averaged over replicas, as if boxes of a sample were none of their business."""
    plain = gradients.DistributedDataParallel

    def wrapped(model: nn.Module, **options) -> nn.Module:
        averaging = plain(model, **options)
        averaging.register_comm_hook(layout.boxes, add_boxes)
        return averaging

    gradients.DistributedDataParallel = wrapped


def add_boxes(boxes: int, bucket: dist.GradBucket) -> torch.futures.Future[Tensor]:
    """The average times the boxes: the sum within a replica, the average over replicas."""
    tensor = bucket.buffer().div_(dist.get_world_size() / boxes)
    return dist.all_reduce(tensor, async_op=True).get_future().then(lambda future: future.value()[0])


def cube(data=1, depth=1, height=1, width=1, tile=(1, 1, 1, 1)) -> Layout:
    return Layout(data, 0, depth, height, width, tile)


CASES = {
    "1;2,1,1": Case(cube(1, 2), steps=STEPS, samples=3),
    "1;2,1,1 taps": Case(cube(1, 2), memory=torch.channels_last_3d, taps=True, steps=STEPS),
    "1;2,1,1 split": Case(cube(1, 2), levels=2, join="split", steps=STEPS),
    "2;1,1,1": Case(cube(2), samples=3),
    "3;1,1,1 one rank empty": Case(cube(3), samples=2),
    "1;2,2,1": Case(cube(1, 2, 2), steps=STEPS),
    "1;4,1,1 extent 1": Case(cube(1, 4), levels=2, side=16, samples=1),
    "2;2,1,1": Case(cube(2, 2), samples=3, steps=STEPS),
    "2;2,1,1 one replica empty": Case(cube(2, 2), samples=1),
    "2;2,1,1 recomputed": Case(cube(2, 2), samples=3, recompute="block", steps=STEPS),
    "1;2,2,1 split norms recomputed": Case(cube(1, 2, 2), join="split", recompute="norms", steps=STEPS),
    "2;2,1,1 split fsdp recomputed": Case(cube(2, 2), join="split", sharding="fsdp", recompute="block", taps=True),
    "2;1,1,1 fsdp one rank empty": Case(cube(2), samples=1, sharding="fsdp", memory=torch.channels_last_3d),
    "1;2,1,1 fsdp recomputed": Case(cube(1, 2), sharding="fsdp", recompute="block", steps=STEPS),
    "1;2,2,1 fsdp taps": Case(cube(1, 2, 2), sharding="fsdp", recompute="norms", taps=True),
    "1;2,2,2 extent 1": Case(cube(1, 2, 2, 2), levels=2, memory=torch.channels_last_3d),
    "2;2,2,1 tiled": Case(cube(2, 2, 2, tile=(2, 1, 2, 1)), samples=3, steps=STEPS),
}
CONTROLS = {
    "no halo": Case(cube(1, 2), harm=no_halo),
    "wrong average": Case(cube(1, 2), harm=wrong_average),
}


def compute(case: Case, layout: Layout) -> dict[str, Tensor]:
    """Logits of this rank's part, loss, gradients and, after some steps, weights, in float64."""
    torch.manual_seed(0)
    conv.taps_pay = lambda *_: case.taps
    model = UNet(CLASSES, width=8, levels=case.levels).double().to(memory_format=case.memory)
    recompute_blocks(model, case.recompute)
    join_parts(model, case.join)
    volume = torch.randint(0, 256, (case.samples, *(case.side,) * 3), dtype=torch.uint8)
    label = torch.randint(0, CLASSES, volume.shape, dtype=torch.uint8)
    mine = crop(layout, case.side)
    volume, label = (x[layout.share(range(case.samples))][mine] for x in (volume, label))
    split = support.Double(spatial.parallelize(model, layout, case.sharding))
    return support.trained(TASK, model, split, (volume, label), layout, case.steps)


@functools.cache
def alone_of(side: int, levels: int, samples: int, steps: int) -> dict[str, Tensor]:
    return compute(Case(Layout(1), side, levels, samples, steps=steps), Layout(1))


def alone(case: Case) -> dict[str, Tensor]:
    """What one rank computes: once, before ranks are forked."""
    return alone_of(case.side, case.levels, case.samples, case.steps)


def crop(layout: Layout, side: int) -> tuple[slice, ...]:
    """This rank's box of (N, D, H, W)."""
    box = layout.box((side,) * 3)
    return (slice(None), *(slice(o, o + s) for o, s in zip(box.origin, box.shape, strict=True)))


def differences(case: Case, everybody: Layout) -> dict[str, float]:
    """By kind, the largest difference of this rank's results from one rank's."""
    timeout = timedelta(seconds=60)
    layout = with_mesh(replace(case.layout, rank=everybody.rank), "cpu", timeout)
    check_mesh(layout, timeout)
    wanted = dict(alone(case))
    wanted["outputs"] = wanted["outputs"][layout.share(range(case.samples))][(slice(None), *crop(layout, case.side))]
    if case.harm:
        case.harm(layout)
    found = compute(case, layout)
    assert found.keys() == wanted.keys()
    return support.largest(found, wanted)


def check_mesh(layout: Layout, timeout: timedelta) -> None:
    """Every rank stands in the mesh where the layout says, and its groups wait as long as the run does."""
    assert tuple(layout.mesh.get_coordinate()) == layout.place
    for axis, extent in enumerate(layout.extents[1:]):
        places = [[*layout.place[: 1 + axis], i, *layout.place[2 + axis :]] for i in range(extent)]
        assert dist.get_process_group_ranks(layout.axis_group(axis)) == [layout.rank_at(place) for place in places]
    for group in [*layout.mesh.get_all_groups(), layout.replica_group][: 4 + (layout.boxes > 1)]:
        assert group._get_backend(torch.device("cpu")).options._timeout == timeout


if __name__ == "__main__":
    support.main(CASES, CONTROLS, lambda case: case.layout.ranks, alone, differences)
