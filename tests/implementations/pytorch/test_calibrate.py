"""Rates from logs: logs as a system of known rates would write them give those rates back."""

import dataclasses
from dataclasses import replace

import pytest

from benchmark.config import shallow
from benchmark.log import LogWriter
from benchmark.problem import load_problem
from implementations.pytorch.config import config_path, load_config
from implementations.pytorch.layout import AXES, Layout
from implementations.pytorch.project import main
from implementations.pytorch.projection.calibrate import calibrate
from implementations.pytorch.projection.machine import ByPrecision, Storage, System, Wire, dump_system, load_system
from implementations.pytorch.projection.measured import read_measured
from implementations.pytorch.projection.predict import step_seconds, weight_bytes
from implementations.pytorch.projection.trace import trace
from implementations.pytorch.task import config_class

SMOKE = load_problem("smoke")
TRUE = System(
    source="measured: made up",
    ranks_per_node=2,
    memory_gib=8,
    reserve_gib=1,
    peak_tflops=ByPrecision(0.1, 0.2),
    reached=ByPrecision(0.8, 0.7),
    memory_gb_per_second=20,
    memory_reached=0.5,
    optimizer_reached=0.6,
    operation_microseconds=4,
    link=Wire(2, 100),
    network=Wire(1, 200),
    storage=Storage(1, 1),
    imbalance=0.1,
)
WRONG = replace(
    TRUE,
    peak_tflops=ByPrecision(1, 1),
    reached=ByPrecision(0.4, 0.4),
    memory_reached=0.9,
    optimizer_reached=0.1,
    imbalance=0.0,
)


def write(path, layout, *settings, system=TRUE):
    """A throughput-only log of the smoke problem, as the system would write it if predictions were right."""
    config = load_config(config_class("scaffold"), config_path("smoke"), ["device=cpu", *settings])
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
    found = calibrate([read_measured(log) for log in logs], WRONG)
    assert found.peak_tflops == TRUE.peak_tflops
    assert found.reached.float32 == pytest.approx(0.8, rel=0.02)
    assert found.reached.bfloat16 == pytest.approx(0.7, rel=0.02)
    assert found.memory_reached == pytest.approx(0.5, rel=0.02)
    assert found.optimizer_reached == pytest.approx(0.6, rel=1e-3)
    assert found.imbalance == pytest.approx(0.1, rel=0.05)
    assert found.source == "measured: calibrated with result_0.txt, result_1.txt, result_2.txt"


def test_what_logs_say_nothing_of_is_kept(logs):
    found = calibrate([read_measured(logs[0])], WRONG)
    assert found.reached.bfloat16 == 0.4 and found.imbalance == 0 and found.link == WRONG.link
    assert found.reached.float32 == pytest.approx(0.8, rel=0.05)


def test_wires_that_are_quicker_than_said(tmp_path):
    layout, settings = Layout(1, 0, 1, 1, 2), ("precision=bfloat16", "batch_size=1")
    fast = replace(TRUE, imbalance=0.0, link=Wire(4, 50))
    found = calibrate([read_measured(write(tmp_path / "log.txt", layout, *settings, system=fast))], TRUE)
    assert found.imbalance == 0
    assert (found.link.gb_per_second, found.link.microseconds) == pytest.approx((4, 50), rel=1e-6)


def test_the_command_calibrates_and_compares(logs, tmp_path, capsys):
    (tmp_path / "wrong.yaml").write_text(dump_system(WRONG))
    assert main(["--system", str(tmp_path / "wrong.yaml"), "--calibrate", *map(str, logs)]) == 0
    (tmp_path / "mine.yaml").write_text(capsys.readouterr().out)
    assert load_system(str(tmp_path / "mine.yaml")).reached.float32 == pytest.approx(0.8, rel=0.02)
    assert main(["--system", str(tmp_path / "mine.yaml"), "--compare", *map(str, logs)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "result_0.txt: smoke 1,1,1,1, batch 2, float32"
    ratios = [float(line.split()[-1]) for line in lines if "ratio" in line]
    assert len(ratios) == 7 + 7 + 8 and all(0.95 <= ratio <= 1.05 for ratio in ratios)


def test_a_scored_log_measures_no_throughput(tmp_path, capsys):
    log = LogWriter(tmp_path / "result_0.txt")
    log.event("problem", "smoke")
    log.close()
    assert main(["--system", "dgx-h200", "--calibrate", str(tmp_path / "result_0.txt")]) == 2
    assert "result_0.txt: found no event `throughput`, wanted a log of train.py --steps" in capsys.readouterr().err
    assert main(["--system", "dgx-h200", "--compare", str(tmp_path / "absent.txt")]) == 2
    assert "absent.txt: cannot be read" in capsys.readouterr().err


def test_a_log_of_other_fields_is_named(tmp_path, capsys):
    log = LogWriter(tmp_path / "odd.txt")
    log.event("throughput", 3)
    log.event("throughput_setup", {})
    log.event("problem", "smoke")
    log.close()
    assert main(["--system", "dgx-h200", "--compare", str(tmp_path / "odd.txt")]) == 2
    assert "odd.txt: no throughput-only log of ours" in capsys.readouterr().err
