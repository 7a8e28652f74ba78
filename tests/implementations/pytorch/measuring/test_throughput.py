import contextlib
import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
import torch.distributed as dist
from torch import nn

from benchmark.run.files import LEDGER
from compliance.engine import judge
from implementations.pytorch.layers.blocks import Block, recompute_blocks
from implementations.pytorch.measuring import phases, throughput
from implementations.pytorch.measuring.peak import Flops
from implementations.pytorch.measuring.phases import PHASES, PhaseClock, timed
from implementations.pytorch.measuring.throughput import BLOCKS, TRACED, WARM_UP, Measurement, TimedSteps
from implementations.pytorch.parallel.gradients import shard
from implementations.pytorch.parallel.layout import Layout
from perf.projection.trace import fake_ranks
from tests.support.lines import of


def one(found, key):
    (event,) = of(found, key)
    return event


def test_steps_are_measured_and_add_up(tiny, tmp_path, log, events):
    done = tiny.train(log, "--steps", "6", "--trace", str(tmp_path / "trace.json"), "cache_gib=0")
    assert not done.stdout  # which has a time to target of runs alone
    assert done.returncode == 0, done.stderr
    found = events(log)
    keys = [e.key for e in found]
    assert one(found, "throughput_only").value is True and keys.index("throughput_only") < keys.index("init_start")
    assert not {"epoch_start", "eval_start", "eval_accuracy", "dataset_fingerprint"} & set(keys)
    assert not (tmp_path / LEDGER).exists()
    assert one(found, "run_stop").metadata["status"] == "success"
    setup = one(found, "throughput_setup").value
    assert (setup["steps"], setup["warm_up_steps"], setup["block_steps"]) == (6, 3, 2)
    assert setup["peak_source"].startswith("measured: matmul 1024 x 1024 in float32") and setup["peak_tflops"] > 0

    blocks, total = of(found, "tracked_stats"), one(found, "throughput")
    # Batches of 4 and 3 samples in turn; 3 steps of warm-up come before, 3 of the trace behind.
    assert [(b.metadata["block"], b.metadata["steps"], b.metadata["samples_count"]) for b in blocks] == [
        (1, 2, 7), (2, 2, 7), (3, 2, 7)
    ]  # fmt: skip
    assert (total.metadata["steps"], total.metadata["samples_count"]) == (6, 21)
    for event in (*blocks, total):
        value = event.value
        seconds = sum(value["seconds"][name] for name in PHASES)
        assert seconds == pytest.approx(value["step_seconds"])
        assert value["model_tflops"] == pytest.approx(value["throughput"] * setup["flops_per_sample"] / 1e12)
        assert value["peak_share"] == pytest.approx(value["model_tflops"] / setup["peak_tflops"])
        assert value["seconds"]["halo"] == value["seconds"]["norm"] == value["seconds"]["reduction"] == 0
        assert min(value["seconds"][name] for name in ("wait", "forward", "backward", "optimizer")) > 0
        assert value["bytes_read"]["total"] > 7 * 16**3 and value["peak_memory_bytes"]["most_by_rank"] > 50e6
    assert sum(b.value["bytes_read"]["total"] for b in blocks) == total.value["bytes_read"]["total"]
    assert total.value["evaluation"]["samples"] == 4 and total.value["steps_per_epoch"] == 2
    assert total.value["epoch_seconds"] == pytest.approx(
        7 / total.value["throughput"] + 4 / total.value["evaluation"]["throughput"]
    )
    names = {e.get("name") for e in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]}
    assert {"wait", "forward", "backward", "optimizer"} <= names


def test_ranks_share_the_work(tiny, tmp_path):
    alone, shared = tmp_path / "alone.txt", tmp_path / "shared.txt"
    split = ("--layout", "1,2,1,1", "--trace", str(tmp_path / "traces"))
    runs = (
        tiny.ran(alone, "--steps", "2", "peak_tflops=0.5", "recompute=true"),
        tiny.ran(shared, "--steps", "2", *split, ranks=2),
    )
    first, second = ([one(found, key).value for key in ("throughput_setup", "throughput")] for found in runs)
    assert first[1]["bytes_read"]["total"] == second[1]["bytes_read"]["total"] == 0  # all is in memory by then
    assert first[0]["peak_source"] == "config" and first[0]["peak_tflops"] == 0.5
    assert first[0]["flops_per_sample"] == second[0]["flops_per_sample"] > 0  # recomputed and split alike
    seconds = second[1]["seconds"]
    assert min(seconds[name] for name in ("forward", "backward", "halo", "norm", "reduction")) > 0
    assert sum(seconds[name] for name in PHASES) <= second[1]["step_seconds"] * (1 + 1e-9)
    assert all(second[1]["most_seconds"][name] >= seconds[name] for name in PHASES)
    assert sorted(p.name for p in (tmp_path / "traces").iterdir()) == ["rank_0.json", "rank_1.json"]
    verdict = judge([str(alone), str(shared)])
    assert all(log.run.throughput_only for log in verdict.logs)
    assert [f.code for f in verdict.findings] == ["LOG12"] * 2  # the rules don't publish `tiny`


def test_phases_are_exclusive(monkeypatch):
    now = iter([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    monkeypatch.setattr(phases.time, "perf_counter", lambda: next(now))
    clock = PhaseClock(torch.device("cpu"))
    clock.start()
    with clock.phase("backward"):
        with clock.phase("halo"):
            pass
        clock.switch("reduction")
    seconds = {name: value for name, value in clock.seconds().items() if value}
    assert seconds == {"rest": 1 + 32, "backward": 2 + 8, "halo": 4, "reduction": 16}


@pytest.mark.parametrize(
    ("trace", "ranks", "path"),
    [
        (".", 1, "rank_0.json"),
        ("run.1", 1, "run.1/rank_0.json"),
        ("run.1", 2, "run.1/rank_0.json"),
        ("run.1.json", 1, "run.1.json"),
        ("run.1.json", 2, "run.1/rank_0.json"),
    ],
)
def test_a_trace_is_where_it_was_asked_for(tmp_path, monkeypatch, trace, ranks, path):
    monkeypatch.chdir(tmp_path)
    run, said = SimpleNamespace(layout=SimpleNamespace(ranks=ranks, rank=0), print_rank0=lambda text: None), []
    throughput.traced(Path(trace), run, lambda: said.append("traced"))
    assert said == ["traced"] and [p for p in tmp_path.rglob("*") if p.is_file()] == [tmp_path / path]


def test_what_is_traced_is_not_measured(monkeypatch):
    """What a profiler keeps would be in the peak otherwise, and on a GPU what came before the steps."""
    done = []

    class Steps(Measurement):
        def work(self, steps):
            return iter(range(steps))

        def block(self, work):
            done.append(len(list(work)))
            return TimedSteps(0, 0, {}, 0)

        def statistics(self, blocks):
            done.append(f"peak of {len(blocks)}")
            return {}

        def evaluation(self):
            done.append("evaluation")

        def epoch(self, total):
            return {}

    monkeypatch.setattr(throughput, "PhaseClock", lambda device: SimpleNamespace())
    monkeypatch.setattr(throughput, "timed", lambda *_: contextlib.nullcontext())
    monkeypatch.setattr(throughput, "traced", lambda trace, run, block: (done.append("trace"), block()))
    monkeypatch.setattr(throughput, "rates", lambda stats: "")
    monkeypatch.setattr(torch.cuda, "reset_peak_memory_stats", lambda: done.append("forget"))
    run = SimpleNamespace(
        config=SimpleNamespace(device="cuda"),
        state=SimpleNamespace(model=nn.Identity(), optimizer=None, average=None),
        task=None,
        log=SimpleNamespace(event=lambda *_, **__: None),
        print_rank0=lambda text: None,
    )
    Steps(run, 2 * BLOCKS - 1, 0, 1.0, "").measure(Path("trace"))
    each = [part for size in (2, 2, 2, 2, 1) for part in (size, "peak of 1")]
    assert done == [WARM_UP, "forget", *each, "peak of 5", "trace", TRACED, "evaluation"]


@pytest.fixture
def gpu(monkeypatch):
    """A stand-in for a GPU: `time` is how far its stream has come, in ms, `waits` how often it was waited for."""
    stream = SimpleNamespace(time=0.0, waits=0)

    def synchronize():
        stream.waits += 1

    stream.synchronize = synchronize

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self, where):
            assert where is stream
            self.at = where.time

        def elapsed_time(self, end):
            assert stream.waits, "an event's time is there once the device has come to it"
            return end.at - self.at

    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: stream)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    return stream


def test_on_a_gpu_phases_are_of_its_stream(gpu):
    clock = PhaseClock(torch.device("cuda"))
    clock.start()
    gpu.time += 1
    with clock.phase("forward"):
        gpu.time += 20
        with clock.phase("halo"):
            gpu.time += 300
        gpu.time += 2000
    with clock.phase("backward"):
        gpu.time += 10000
        clock.switch("reduction")
        gpu.time += 40000
    assert gpu.waits == 0
    found = {name: seconds for name, seconds in clock.seconds().items() if seconds}
    assert found == pytest.approx({"rest": 1e-3, "forward": 2.02, "halo": 0.3, "backward": 10, "reduction": 40})
    assert gpu.waits == 1
    clock.start()
    gpu.time += 7
    assert sum(clock.seconds().values()) == pytest.approx(7e-3)


class Sum:
    """A task whose loss is the sum of what the network gives."""

    def loss(self, model):
        return model(torch.ones(1, 4)).sum()


def layers():
    return nn.Sequential(Block(nn.Linear(4, 4)), Block(nn.Linear(4, 4)), nn.Linear(4, 2))


def sharded_step(monkeypatch, device, place, names, wait):
    """The phases of a step of sharded weights, where functions of these names wait before they act."""

    def slow(name):
        function = getattr(place, name)
        monkeypatch.setattr(place, name, lambda *args, **kwargs: (wait(name), function(*args, **kwargs))[1])

    task, clock = Sum(), PhaseClock(torch.device(device))
    with fake_ranks(Layout(2)):
        model = shard(layers())
        task.loss(model).backward()
        for name in names:
            slow(name)
        with timed(clock, task, model):
            clock.start()
            task.loss(model).backward()
            return clock.seconds()


def test_sharded_weights_are_gathered_and_reduced_in_a_phase(monkeypatch):
    """FSDP2's collectives are made slow, and must be called. PyTorch 2.8 had other names for them."""
    new = hasattr(dist, "all_gather_single")
    names = (
        ("all_gather_single", "reduce_scatter_single") if new else ("all_gather_into_tensor", "reduce_scatter_tensor")
    )
    calls = []

    def wait(name):
        calls.append(name)
        time.sleep(0.02)

    seconds = sharded_step(monkeypatch, "cpu", dist, names, wait)
    assert [calls.count(name) for name in names] == [5, 3]
    assert seconds["reduction"] >= 0.02 * len(calls)
    assert seconds["forward"] + seconds["backward"] < 0.02 * len(calls)


def test_on_a_gpu_waiting_for_sharded_weights_is_reduction(gpu, monkeypatch):
    """The stream that computes waits where FSDP2 uses what a collective gave, not where it begins one."""
    from torch.distributed.fsdp._fully_shard._fsdp_param_group import FSDPParamGroup

    waits = {"wait_for_unshard": 1, "finalize_backward": 100}

    def wait(name):
        gpu.time += waits[name]

    seconds = sharded_step(monkeypatch, "cuda", FSDPParamGroup, waits, wait)
    assert seconds["reduction"] >= 0.3 and sum(seconds.values()) == pytest.approx(seconds["reduction"])


def test_nothing_stays_behind():
    class Task:
        def loss(self):
            return 1

    task, model = Task(), nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), 1)
    places = [(torch.Tensor, "backward"), (Task, "loss"), (dist, "all_reduce"), (dist, "batch_isend_irecv")]
    before = [getattr(*place) for place in places]
    clock = PhaseClock(torch.device("cpu"))
    with pytest.raises(KeyError), timed(clock, task, model, (optimizer, "step")):
        clock.start()
        assert task.loss() == 1 and "step" in vars(optimizer)
        assert [getattr(*place) for place in places] != before
        raise KeyError
    assert clock.seconds()["forward"] > 0
    assert [getattr(*place) for place in places] == before and "step" not in vars(optimizer)


def test_what_is_recomputed_is_counted_once():
    block = Block(nn.Conv3d(2, 2, 3, padding=1), nn.ReLU(), nn.Linear(4, 4))
    totals = []
    for _ in range(2):
        with Flops() as flops:
            loss = block(torch.ones(1, 2, 4, 4, 4, requires_grad=True)).sum()
            with flops.without_modules():
                loss.backward()
        totals.append(flops.total)
        assert flops.paused == 0
        recompute_blocks(block)
    assert totals[0] == totals[1] == 3 * (2 * 2 * 2 * 27 * 64 + 2 * 128 * 4)
