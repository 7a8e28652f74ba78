"""Sharded weights: what the stand-in records is what FSDP2 itself calls."""

from unittest import mock

import pytest
import torch
from torch import nn
from torch.distributed.fsdp._fully_shard._fsdp_collectives import DefaultAllGather, DefaultReduceScatter

from benchmark.problem import load_problem
from implementations.pytorch.config import resolve
from implementations.pytorch.parallel.gradients import shard
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.scaffold.model import UNet
from implementations.pytorch.task import build_task
from perf.projection.trace import fake_ranks
from perf.rehearsal.rank import rehearse
from perf.rehearsal.record import Record
from perf.rehearsal.sharded import gather_weights, kept, memory_of, parts_of, rows
from perf.settings import reference_settings

RANKS = 3  # which divides no number of rows here


def configured(*settings):
    words = ["compile=false", "device=cpu", "batch_size=3", "sharding=fsdp", f"layout=[{RANKS},1,1,1]", *settings]
    return resolve(reference_settings("smoke", words), 1, RANKS)


def small_step(model: nn.Module) -> None:
    model(torch.rand(1, 1, 32, 32, 32)).sum().backward()


def model_of() -> UNet:
    return build_task(load_problem("smoke"), configured()).build_model()


@pytest.mark.slow
def test_fsdp2_itself_calls_the_same():
    """On a group that sends nothing, with weights that have memory."""
    found, model, layout = [], model_of(), Layout(RANKS)

    def gathered(self, output_tensor, *_, **__):
        found.append(("gathered weights", output_tensor.nbytes))

    def summed(self, output_tensor, input_tensor, *_, **__):
        found.append(("summed gradients", input_tensor.nbytes))

    with fake_ranks(layout):
        sharded = shard(model)
        with (
            mock.patch.object(DefaultAllGather, "__call__", gathered),
            mock.patch.object(DefaultReduceScatter, "__call__", summed),
        ):
            small_step(sharded)
    plain, record = model_of(), Record(layout)
    others = gather_weights(plain, record, RANKS)
    record.stage = "forward"
    loss = plain(torch.rand(1, 1, 32, 32, 32)).sum()
    record.stage = "backward"
    loss.backward()
    others()
    assert [(event.what, event.bytes) for event in record.events] == found


def test_a_rank_keeps_its_rows():
    weight = torch.zeros(7, 5)
    assert [kept(weight, rank, 3) for rank in range(3)] == [3 * 20, 3 * 20, 20] and rows(weight, 3) == 3
    assert [kept(weight, rank, 9) for rank in (0, 6, 7, 8)] == [20, 20, 0, 0]
    assert kept(torch.zeros(()), 0, 2) == 4 and kept(torch.zeros(()), 1, 2) == 0


@pytest.mark.slow
def test_a_rank_keeps_its_part_and_gathers_a_few_blocks():
    whole = memory_of(model_of(), [], 0, 1)
    parts = [memory_of(model_of(), [], rank, RANKS) for rank in range(RANKS)]
    assert sum(part["weights"] for part in parts) == whole["weights"] == whole["gradients"]
    rest, *blocks = (part.gathered(1) for part in parts_of(model_of()))
    assert rest + sum(blocks) == whole["weights"] and whole["gathered"] == rest + 3 * max(blocks)


@pytest.mark.slow
def test_a_rehearsal_with_sharded_weights():
    problem = load_problem("smoke")
    found = rehearse(problem, configured("precision=float32"), Layout(RANKS))
    alone = rehearse(problem, configured("precision=float32", "sharding=ddp"), Layout(RANKS))
    kinds = {event.what for event in found.events if event.stage == "backward"}
    assert kinds >= {"gathered weights", "summed gradients"} and "sum of gradients" not in kinds
    for name in ("weights", "gradients", "optimizer", "average"):
        assert alone.memory[name] / RANKS <= found.memory[name] < alone.memory[name] / RANKS * 1.2
    assert found.memory["kept for backward"] == alone.memory["kept for backward"] and found.checkpoint > 0
