"""Rates from logs: logs as a system of known rates would write them give those rates back."""

import dataclasses
import json
import re
from dataclasses import replace

import pytest

from benchmark.config import shallow
from benchmark.log import LogWriter
from benchmark.problem import load_problem
from implementations.pytorch.parallel.layout import AXES, Layout
from perf.project import main
from perf.projection.calibrate import LEAST_SHARE, calibrate
from perf.projection.machine import ByPrecision, Shares, Storage, System, Wire, dump_system, load_system
from perf.projection.measured import read_measured
from perf.projection.predict import step_seconds, weight_bytes
from perf.projection.trace import trace
from perf.settings import reference_settings
from tests.support.lines import changed

pytestmark = pytest.mark.slow

SMOKE = load_problem("smoke")
RATES = {"reached": Shares(0.8, 0.7), "memory_reached": 0.5, "optimizer_reached": 0.6, "imbalance": 0.1}
WIRES = {"link": Wire(2, 100), "network": Wire(1, 200), "storage": Storage(1, 1)}
GIVEN = {"memory_gib": 8, "reserve_gib": 1, "memory_gb_per_second": 20, "operation_microseconds": 4}
TRUE = System("measured: made up", ranks_per_node=2, peak_tflops=ByPrecision(0.1, 0.2), **RATES, **WIRES, **GIVEN)
FITTED = {"reached": Shares(0.4, 0.4), "memory_reached": 0.9, "optimizer_reached": 0.1, "imbalance": 0.0}
WRONG = replace(TRUE, peak_tflops=ByPrecision(1, 1), **FITTED)


def write(path, layout, *settings, system=TRUE):
    """A throughput-only log of the smoke problem, as the system would write it if predictions were right."""
    config = reference_settings("smoke", ["device=cpu", *settings])
    traced = trace(SMOKE, config, layout.extents[1:], layout.data, config.batch_size // layout.data)
    seconds = step_seconds(traced, config, system, layout)
    log = LogWriter(path)
    for key, value in {"problem": "smoke", "number_of_ranks": layout.ranks, "number_of_nodes": 1}.items():
        log.event(key, value)
    log.event("layout", dict(zip(AXES, layout.extents, strict=True)), tile=list(layout.tile))
    log.event("hyperparameters", shallow(config))
    peak = getattr(system.peak_tflops, config.precision)
    flops = traced.flops("forward", "backward") * layout.boxes // traced.samples
    log.event("throughput_setup", {"flops_per_sample": flops, "peak_tflops": peak, "peak_source": "made up"})
    parts = {name: value for name, value in dataclasses.asdict(seconds).items() if name != "evaluation"}
    found = {"seconds": parts | {"rest": 0.0}, "step_seconds": seconds.step, "throughput": 1.0}
    memory = int(2**30 * system.reserve_gib) + weight_bytes(traced, config, layout) + traced.peak
    evaluation = {"evaluation": {"samples": 4, "seconds": 1.0, "throughput": layout.data / seconds.evaluation}}
    log.event("throughput", found | evaluation | {"peak_memory_bytes": {"most_by_rank": memory}})
    log.close()
    return path


@pytest.fixture
def logs(tmp_path):
    """Three logs: both precisions on one rank, and a sample that two ranks split."""
    cases = {
        "result_0.txt": (Layout(1), "precision=float32", "batch_size=2"),
        "result_1.txt": (Layout(1), "precision=bfloat16", "batch_size=2"),
        "result_2.txt": (Layout(1, 0, 1, 1, 2), "precision=bfloat16", "batch_size=1"),
    }
    return [write(tmp_path / name, *case) for name, case in cases.items()]


def test_logs_give_their_systems_rates_back(logs):
    found, doubts = calibrate([read_measured(log) for log in logs], WRONG)
    assert doubts == []
    assert found.peak_tflops == TRUE.peak_tflops
    assert found.reached.float32 == pytest.approx(0.8, rel=0.02)
    assert found.reached.bfloat16 == pytest.approx(0.7, rel=0.02)
    assert found.memory_reached == pytest.approx(0.5, rel=0.02)
    assert found.optimizer_reached == pytest.approx(0.6, rel=1e-3)
    assert found.imbalance == pytest.approx(0.1, rel=0.05)
    assert found.source == "measured: calibrated with result_0.txt, result_1.txt, result_2.txt"


def test_what_logs_say_nothing_of_is_kept(logs):
    found, doubts = calibrate([read_measured(logs[0])], WRONG)
    assert "reached.bfloat16: no log of bfloat16; 0.4 is what it was before" in doubts
    assert "imbalance: no log of more than one rank; 0 is what it was before" in doubts
    assert found.reached.bfloat16 == 0.4 and found.imbalance == 0 and found.link == WRONG.link
    assert found.reached.float32 == pytest.approx(0.8, rel=0.05)


def change(path, factors, **seconds):
    """Let a log have measured other seconds, by factors or outright."""

    def again(event):
        parts = event["value"]["seconds"]
        parts |= {name: parts[name] * factor for name, factor in factors.items()} | seconds
        event["value"]["step_seconds"] = sum(parts.values())

    changed(path, "throughput", again)


def test_shares_stay_within_bounds_and_doubts_are_said(logs, tmp_path, capsys):
    """Logs of a busy machine: a forward pass that takes what a backward pass should, and half a minute of waiting."""
    for log in logs:
        change(log, {"forward": 0.3, "backward": 0.25, "optimizer": 0.01}, norm=30.0)
    (tmp_path / "wrong.yaml").write_text(dump_system(WRONG))
    assert main(["--system", str(tmp_path / "wrong.yaml"), "--calibrate", *map(str, logs)]) == 0
    out, err = capsys.readouterr()
    (tmp_path / "mine.yaml").write_text(out)
    found = load_system(str(tmp_path / "mine.yaml"))
    shares = [found.reached.float32, found.reached.bfloat16, found.memory_reached, found.optimizer_reached]
    assert max(shares) == 2 and min(shares) >= LEAST_SHARE and found.imbalance == 1
    said = [line.removeprefix("project.py: calibration: ") for line in err.splitlines()]
    assert out.startswith("".join(f"# {line}\n" for line in said) + "source: ")
    assert any("its bound (0.001..2); the logs don't tell it" in line for line in said)
    assert "optimizer_reached: logs say 60, wanted 0.001..2; 2 is its bound" in said
    assert any(line.startswith("imbalance: ranks waited ") for line in said)


def test_logs_that_are_too_much_alike(tmp_path):
    """A step that matrix products fill tells nothing of memory's rate."""
    system = replace(TRUE, memory_gb_per_second=1e6, operation_microseconds=0)
    logs = [write(tmp_path / f"{n}", Layout(1), "precision=float32", f"batch_size={n}", system=system) for n in (1, 2)]
    found, doubts = calibrate([read_measured(log) for log in logs], system)
    assert found.reached.float32 == pytest.approx(0.8, rel=0.02)
    assert any(d.startswith("memory_reached: found ") and "too few logs, or too much alike" in d for d in doubts)
    assert not any(d.startswith("reached.float32") for d in doubts)


def test_a_log_that_no_rates_describe_is_named(logs):
    change(logs[1], {"forward": 6.0})
    _, doubts = calibrate([read_measured(log) for log in logs], TRUE)
    assert any(d.startswith("result_1.txt: predicted ") and d.endswith("was the machine busy?") for d in doubts)


def test_messages_that_are_quicker_than_the_wires_are_said_to_be(tmp_path):
    layout, settings = Layout(1, 0, 1, 1, 2), ("precision=bfloat16", "batch_size=1")
    fast = replace(TRUE, imbalance=0.0, link=Wire(4, 50))
    found, doubts = calibrate([read_measured(write(tmp_path / "log.txt", layout, *settings, system=fast))], TRUE)
    assert found.imbalance == 0 and found.link == TRUE.link
    assert "link, network: messages took less time than these rates allow: measure them" in doubts


def test_the_command_compares(logs, tmp_path, capsys):
    (tmp_path / "true.yaml").write_text(dump_system(TRUE))
    assert main(["--system", str(tmp_path / "true.yaml"), "--compare", *map(str, logs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "result_0.txt: smoke 1,1,1,1, batch 2, float32"
    ratios = [float(line.split()[-1]) for line in lines if "ratio" in line]
    assert len(ratios) == 7 + 7 + 8 and all(0.95 <= ratio <= 1.05 for ratio in ratios)


def test_a_scored_log_measures_no_throughput(tmp_path, capsys):
    log = LogWriter(tmp_path / "result_0.txt")
    log.event("problem", "smoke")
    assert main(["--system", "dgx-h200", "--calibrate", str(tmp_path / "result_0.txt")]) == 2
    assert "result_0.txt: found no event `throughput`, wanted a log of train.py --steps" in capsys.readouterr().err
    log.event("throughput", 3)
    log.event("throughput_setup", {})
    log.close()
    assert main(["--system", "dgx-h200", "--compare", str(tmp_path / "result_0.txt")]) == 2
    assert "result_0.txt: no throughput-only log of ours" in capsys.readouterr().err


@pytest.mark.parametrize(("name", "number"), [("wait", 10**400), ("wait", None), ("throughput", 0)])
def test_numbers_that_measure_nothing_are_named(logs, name, number):
    text = logs[0].read_text()
    logs[0].write_text(re.sub(rf'"{name}": [0-9.e+-]+', f'"{name}": {json.dumps(number)}', text))
    assert logs[0].read_text() != text
    with pytest.raises(ValueError, match=r"result_0\.txt: no throughput-only log of ours"):
        read_measured(logs[0])
