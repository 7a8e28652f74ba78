"""What the projection counts, against what the real network does; what it predicts, against sums done by hand."""

from dataclasses import replace

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from benchmark.problem import load_problem
from benchmark.workload import module_of
from implementations.pytorch.layers.blocks import parameter_count
from implementations.pytorch.parallel import halo
from implementations.pytorch.parallel.layout import Layout
from implementations.pytorch.task import build_task
from implementations.pytorch.training.step import blank_batch
from perf.projection.machine import ByPrecision, Shares, Storage, System, Wire, dump_system, load_system
from perf.projection.predict import LADDER, node_ways, predict, step_of, sum_seconds, tiles
from perf.projection.search import best_of, search
from perf.projection.trace import no_averaging, recorded, trace
from perf.settings import reference_settings

pytestmark = pytest.mark.slow

SMOKE, SCALE11 = load_problem("smoke"), load_problem("scale11")
ENDLESS = 1e15  # a rate that costs nothing
RATES = {"peak_tflops": ByPrecision(ENDLESS, ENDLESS), "memory_gb_per_second": ENDLESS, "operation_microseconds": 0}
WIRES = {"link": Wire(ENDLESS, 0), "network": Wire(ENDLESS, 0), "storage": Storage(ENDLESS, ENDLESS)}
REACHED = {"reached": Shares(0.5, 0.5), "memory_reached": 1, "optimizer_reached": 0.6}
FREE = System("measured: nowhere", ranks_per_node=2, memory_gib=1e6, reserve_gib=0, **RATES, **WIRES, **REACHED)


def config(problem, *settings):
    return reference_settings(problem.name, ["device=cpu", *settings])


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_trace_counts_what_the_network_does(precision):
    """FLOPs exactly; activations as autograd keeps them, and a little that is alive besides."""
    settings = config(SMOKE, f"precision={precision}")
    traced = trace(SMOKE, settings, (1, 1, 1), 1, 2)
    task = build_task(SMOKE, settings)
    model = task.build_model()
    weights = {p.untyped_storage().data_ptr() for p in model.parameters()}
    kept = {}

    def keep(tensor):
        kept[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage()  # alive, or its address is used again
        return tensor

    with FlopCounterMode(display=False) as counter:
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            loss = task.loss(model, blank_batch(task, Layout(1), 2), Layout(1))
        loss.backward()
    assert traced.flops("forward", "backward") == counter.get_total_flops()
    saved = sum(storage.nbytes() for address, storage in kept.items() if address not in weights)
    assert saved <= traced.kept <= 1.02 * saved
    assert traced.kept < traced.peak < 1.5 * traced.kept
    assert traced.parameters == parameter_count(model)
    assert traced.halo("forward", "backward") == (0, 0)


def test_a_trace_does_without_kernels_of_this_processor():
    before = torch.backends.mkldnn.enabled
    with recorded(Layout(1, 0, 1, 1, 1)):
        assert not torch.backends.mkldnn.enabled
    assert torch.backends.mkldnn.enabled == before


def test_a_trace_counts_the_messages_that_ranks_send(in_threads, monkeypatch):
    settings, swap, sent = config(SMOKE, "precision=bfloat16", "batch_size=2"), halo.swap, []
    traced = trace(SMOKE, settings, (1, 1, 2), 1, 2)

    def told(to_previous, to_next, layout, axis):
        if layout.rank == 0:  # its only neighbour is the next
            sent.append(to_next.nbytes)
        return swap(to_previous, to_next, layout, axis)

    def step(layout):
        task = build_task(SMOKE, settings)
        model = task.parallelize(task.build_model(), layout)
        task.loss(model, blank_batch(task, layout, 2), layout).backward()

    monkeypatch.setattr(halo, "swap", told)
    with no_averaging():
        in_threads(Layout(1, 0, 1, 1, 2), step)
    assert sent and traced.halo("forward", "backward") == (len(sent), sum(sent))


def test_convolutions_take_their_flops_over_the_rate_that_they_reach():
    settings = config(SMOKE, "precision=bfloat16", "batch_size=2")
    system = replace(FREE, peak_tflops=ByPrecision(ENDLESS, 2e-3))
    found = predict(SMOKE, settings, system, Layout(1))
    assert found.seconds.step == pytest.approx(found.flops / (2e9 * 0.5), rel=1e-6)
    assert found.flops == found.model_flops == trace(SMOKE, settings, (1, 1, 1), 1, 2).flops("forward", "backward")
    evaluation = found.seconds.evaluation
    assert found.epoch == pytest.approx(84 * found.seconds.step + 72 * evaluation)
    again = predict(SMOKE, replace(settings, recompute=True), system, Layout(1))
    assert again.seconds.forward == pytest.approx(found.seconds.forward)
    assert again.model_flops == found.flops < again.flops < 1.4 * found.flops
    assert again.traced.kept < 0.6 * found.traced.kept
    norms = predict(SMOKE, replace(settings, recompute_norms=True), system, Layout(1))
    assert norms.model_flops == norms.flops == found.flops
    assert again.traced.kept < norms.traced.kept < 0.75 * found.traced.kept


def test_reading_is_hidden_behind_the_step():
    settings = config(SMOKE, "precision=float32", "batch_size=2")
    system = replace(FREE, peak_tflops=ByPrecision(0.02, 0.02), storage=Storage(1e-3, 1.0))
    found = predict(SMOKE, settings, system, Layout(1))
    read = 2 * module_of(SMOKE).file_bytes(SMOKE) / 1e6
    assert found.seconds.wait == pytest.approx(max(0, read - (found.seconds.step - found.seconds.wait)))


def test_sums_and_halos_cross_the_network():
    settings = config(SMOKE, "precision=float32", "batch_size=1")
    system = replace(FREE, network=Wire(ENDLESS, 50.0), link=Wire(ENDLESS, 10.0))
    inside = predict(SMOKE, settings, system, Layout(1, 0, 1, 1, 2))
    norms = 14  # of a U-Net of 3 levels: a sum forward and a sum backward each
    assert inside.seconds.norm == pytest.approx(2 * norms * 2 * 10e-6, rel=1e-3)
    assert inside.seconds.halo == pytest.approx(27 * 10e-6, rel=1e-3)
    row_by_row = predict(SMOKE, settings, system, Layout(1, 0, 2, 1, 2))
    assert row_by_row.seconds.halo == pytest.approx(27 * (10e-6 + 50e-6), rel=1e-3)  # depth outside, width inside


@pytest.mark.parametrize(
    ("tile", "ways"),
    [((1, 1, 1, 1), [(0, 2), (0, 2), (2, 0)]), ((1, 2, 2, 2), [(1, 1)] * 3), ((1, 2, 4, 1), [(1, 1), (2, 1), (0, 2)])],
)
def test_what_leaves_a_node(tile, ways):
    layout = Layout(1, 0, 8, 8, 8, tile)
    assert [node_ways(layout, axis, 8) for axis in range(3)] == ways


def test_tiles_hold_a_nodes_ranks():
    assert tiles((1, 8, 8, 8), 1) == [(1, 1, 1, 1)]
    found = tiles((2, 4, 2, 1), 4)
    assert found == [(1, 1, 1, 1), (1, 2, 2, 1), (1, 4, 1, 1)]


def test_a_sum_by_hand():
    system = replace(FREE, ranks_per_node=4, link=Wire(10, 2), network=Wire(2, 5))
    assert sum_seconds(10**9, system, Layout(1)) == 0
    assert sum_seconds(10**9, system, Layout(4)) == pytest.approx(2 * 2 * 2e-6 + 1.5 * 0.1)
    assert sum_seconds(10**9, system, Layout(8)) == pytest.approx(2 * 3 * 5e-6 + 1.75 / 8)  # 4 ways of 2 GB/s


def test_the_fastest_that_fits_comes_first():
    settings = config(SMOKE, "precision=float32", "batch_size=4")
    system = replace(FREE, peak_tflops=ByPrecision(1, 1), network=Wire(1, 5), link=Wire(10, 5))
    found = search(SMOKE, settings, system, 4)
    assert [p.layout.extents[0] for p in found] == [4, 2, 1]  # the less is split, the less is sent
    assert all(p.fits and not p.config.recompute for p in found)
    needed = max(p.memory for p in found)
    tight = search(SMOKE, settings, replace(system, memory_gib=0.8 * needed / 2**30), 4)
    assert any(step_of(p.config) != "no" for p in tight)
    none = search(SMOKE, settings, replace(system, memory_gib=0.01), 4)
    assert none and not any(p.fits for p in none)


def test_replicas_without_a_sample_are_no_layout():
    settings = config(SMOKE, "precision=float32", "batch_size=1")
    assert search(SMOKE, settings, FREE, 3) == []
    with pytest.raises(ValueError, match="found 2 replicas for a batch of 1"):
        predict(SMOKE, settings, FREE, Layout(2))


def test_blocks_run_again_only_as_far_as_they_must():
    settings, layout = config(SMOKE, "precision=float32", "batch_size=4"), (1, 1, 1, 1)
    steps = [best_of(SMOKE, settings, FREE, layout, step) for step in LADDER]
    assert [step_of(p.config) for p in steps] == list(LADDER)
    sizes = [p.memory for p in steps]
    assert sizes == sorted(sizes, reverse=True) and len(set(sizes)) == 3
    for first, size in enumerate(sizes):  # the first that fits, and the last where nothing does
        found = best_of(SMOKE, settings, replace(FREE, memory_gib=size / 2**30), layout)
        assert step_of(found.config) == LADDER[first] and found.fits
    assert step_of(best_of(SMOKE, settings, replace(FREE, memory_gib=1e-3), layout).config) == "yes"
    asked = replace(settings, recompute_norms=True)
    found = [best_of(SMOKE, asked, replace(FREE, memory_gib=gib), layout).config for gib in (1e6, 1e-3)]
    assert list(map(step_of, found)) == ["norms", "yes"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("memory_gib", "memory_gb", r"mine.yaml: unknown field 'memory_gb'; did you mean 'memory_gib'"),
        ("memory_reached: 1", "memory_reached: 2.01", "memory_reached: found 2.01, wanted at most 2"),
        ("optimizer_reached: 0.6", "optimizer_reached: 0", "optimizer_reached: found 0.0, wanted more than 0"),
        ("reserve_gib: 0", "reserve_gib: 2.0e+6", "reserve_gib: found 2000000.0, wanted less than memory_gib"),
    ],
)
def test_a_system_is_read_strictly(tmp_path, old, new, message):
    path = tmp_path / "mine.yaml"
    text = dump_system(FREE)
    path.write_text(text)
    assert load_system(str(path)) == FREE
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message):
        load_system(str(path))
