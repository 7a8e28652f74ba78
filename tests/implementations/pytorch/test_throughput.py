import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch import nn

from compliance.engine import judge
from implementations.pytorch.blocks import Block, recompute_blocks
from implementations.pytorch.peak import Flops
from implementations.pytorch.phases import PHASES, Clock, timed

TRAIN = Path(__file__).resolve().parents[3] / "implementations" / "pytorch" / "train.py"


def one(found, key):
    (event,) = [e for e in found if e.key == key]
    return event


def test_steps_are_measured_and_add_up(tiny, tmp_path, events):
    log = tmp_path / "result_0.txt"
    done = tiny.train(log, "--steps", "6", "--trace", str(tmp_path / "trace.json"), "cache_gib=0")
    assert done.returncode == 0, done.stderr
    found = events(log)
    keys = [e.key for e in found]
    assert one(found, "throughput_only").value is True and keys.index("throughput_only") < keys.index("init_start")
    assert not {"epoch_start", "eval_start", "eval_accuracy", "dataset_fingerprint"} & set(keys)
    assert one(found, "run_stop").metadata["status"] == "success"
    setup = one(found, "throughput_setup").value
    assert (setup["steps"], setup["warm_up_steps"], setup["block_steps"]) == (6, 3, 2)
    assert setup["peak_source"].startswith("measured: matmul 1024 x 1024 in float32") and setup["peak_tflops"] > 0

    blocks, total = [e for e in found if e.key == "tracked_stats"], one(found, "throughput")
    # Batches of 4 and 3 samples in turn; 3 steps of warm-up and 3 of the trace come before.
    assert [(b.metadata["block"], b.metadata["steps"], b.metadata["samples_count"]) for b in blocks] == [
        (1, 2, 7), (2, 2, 7), (3, 2, 7)
    ]  # fmt: skip
    assert (total.metadata["steps"], total.metadata["samples_count"]) == (6, 21)
    for event in (*blocks, total):
        value = event.value
        seconds = sum(value["seconds"][name] for name in PHASES)
        assert seconds == pytest.approx(value["step_seconds"])
        rate = event.metadata["samples_count"] / (event.metadata["steps"] * value["step_seconds"])
        assert value["throughput"] == pytest.approx(rate)
        assert value["model_tflops"] == pytest.approx(rate * setup["flops_per_sample"] / 1e12)
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


def test_ranks_share_the_work(tiny, tmp_path, events):
    alone, shared = tmp_path / "alone.txt", tmp_path / "shared.txt"
    assert tiny.train(alone, "--steps", "2", "peak_tflops=0.5", "recompute=true").returncode == 0
    split = ("--steps", "2", "--layout", "1,2,1,1", "--trace", str(tmp_path / "traces"))
    assert tiny.train(shared, *split, ranks=2).returncode == 0
    first, second = (
        [one(found, key).value for key in ("throughput_setup", "throughput")] for found in map(events, (alone, shared))
    )
    assert first[1]["bytes_read"]["total"] == second[1]["bytes_read"]["total"] == 0  # all is in memory by then
    assert first[0]["peak_source"] == "config" and first[0]["peak_tflops"] == 0.5
    assert first[0]["flops_per_sample"] == second[0]["flops_per_sample"] > 0  # recomputed and split alike
    seconds = second[1]["seconds"]
    assert min(seconds[name] for name in ("forward", "backward", "halo", "norm", "reduction")) > 0
    assert sum(seconds[name] for name in PHASES) <= second[1]["step_seconds"] * (1 + 1e-9)
    assert all(second[1]["most_seconds"][name] >= seconds[name] for name in PHASES)
    assert sorted(p.name for p in (tmp_path / "traces").iterdir()) == ["rank_0.json", "rank_1.json"]
    verdict = judge([str(alone), str(shared)])
    assert all(log.facts.throughput_only for log in verdict.logs)
    assert [f.code for f in verdict.findings] == ["LOG12"] * 2  # the rules don't publish `tiny`


@pytest.mark.parametrize("options", [["--trace", "t"], ["--steps", "-1"], ["--checkpoint", "c", "--steps", "1"]])
def test_trace_is_refused_in_a_run_and_steps_are_counted(tiny, tmp_path, options):
    command = [sys.executable, str(TRAIN), *tiny.options(tmp_path / "log.txt"), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2 and f"train.py: error: {options[0]}: found" in done.stderr
    assert not (tmp_path / "log.txt").exists()


def test_wrong_data_is_named(tiny, tmp_path):
    done = tiny.train(tmp_path / "log.txt", "--steps", "1", data=tmp_path / "nothing")
    assert done.returncode == 2 and "no manifest" in done.stderr


def test_phases_are_exclusive():
    clock = Clock(torch.device("cpu"))
    start = time.perf_counter()
    clock.start()
    with clock.phase("backward"):
        time.sleep(0.02)
        with clock.phase("halo"):
            time.sleep(0.03)
        clock.switch("reduction")
        time.sleep(0.01)
    seconds = clock.seconds()
    whole = time.perf_counter() - start
    assert seconds["backward"] >= 0.02 and seconds["halo"] >= 0.03 and seconds["reduction"] >= 0.01
    assert sum(seconds.values()) == pytest.approx(whole, abs=0.002)


def test_nothing_stays_behind():
    class Task:
        def loss(self):
            return 1

    task, model = Task(), nn.Linear(1, 1)
    optimizer = torch.optim.SGD(model.parameters(), 1)
    places = [(torch.Tensor, "backward"), (Task, "loss"), (dist, "all_reduce"), (dist, "batch_isend_irecv")]
    before = [getattr(*place) for place in places]
    clock = Clock(torch.device("cpu"))
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


def test_flops_of_a_convolution():
    conv, x = nn.Conv3d(2, 3, 3, padding=1), torch.ones(1, 2, 4, 4, 4, requires_grad=True)
    with Flops() as flops:
        y = conv(x)
        forward = flops.total
        y.sum().backward()
    assert forward == 2 * 3 * 2 * 27 * 64 and flops.total == 3 * forward
