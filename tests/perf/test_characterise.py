"""What workloads do beside what a machine allows: counts, hardware counters, tables and the chart."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from benchmark.problem import load_problem
from implementations.pytorch.parallel.layout import Layout
from perf.characterise import between, drawn, main, parse, roofs_of, tables
from perf.projection.machine import load_system
from perf.projection.trace import trace
from perf.roofline.counts import Counts, count, summed
from perf.roofline.figure import spread
from perf.roofline.here import missed
from perf.settings import reference_settings

ROOT = Path(__file__).resolve().parents[2]
H200 = load_system("dgx-h200")
CONFIG = reference_settings("smoke", ["precision=bfloat16", "device=cpu"])
MOVED = {"memory": 4.8e12, "link": 0.0, "network": 1e9, "storage": 1e8}
ONE = Counts("smoke", Layout(16), CONFIG, 1, 10**15, {"world": (2, 4000)}, MOVED, 2.0, 2**30)


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("1000,,cache-misses:u,12,100.00,,\n", 64_000),
        ("\n# started\n7,,cpu/cache-misses/,1,50.00,,\n", 448),
        ("<not supported>,,cache-misses:u,0,100.00,,\n", None),
        ("7,,cycles,1,100.00,,\n", None),
        ("Error: no permission", None),
        ("", None),
    ],
)
def test_only_a_number_of_hardware_counters_counts(said, found):
    assert missed(said) == found


def test_rates_and_intensities():
    assert ONE.rate == 5e14 and ONE.intensity("network") == 1e6 and ONE.intensity("link") == float("inf")


def test_a_sum_takes_all_paths_of_a_node():
    assert summed(800, H200, 8) == 2 * 7 / 8 * 800 and summed(800, H200, 16) == 2 * 15 / 16 * 100


def test_tables_state_the_nearest_ceiling_and_the_input():
    rates, computing, sending, reading = tables([ONE], H200).split("\n\n")
    assert rates.endswith("network 50 GB/s, storage of 16 ranks 5 GB/s.")
    row = "| smoke, 16,1,1,1, bfloat16 | 16 | 1 | 1000 | 4800 | none | 1.00 | 2 | 500 | bfloat16, 50.5 % |"
    assert computing.splitlines()[2] == row
    assert sending.splitlines()[2] == "| smoke, 16,1,1,1 | world | 2 | 0.004 | 2.0 |"
    assert reading.splitlines()[2] == "| smoke, 16,1,1,1 | 100 | 50 | 0.8 | 1 % |"
    slow = replace(ONE, moved={**MOVED, "memory": 9.5e12}, counted=9 * 10**12)
    assert "| 9500 | 9000 | 1.00 | 2 | 500 | memory, 99 % |" in tables([slow], H200)


def test_marks_lie_below_their_lines():
    """By as much as is left of the channel: nothing where all of it is used."""
    full = replace(ONE, moved={**MOVED, "memory": 2 * 4.8e12})
    text = drawn(parse(["--system", "dgx-h200"]), [full], H200)
    (x, y), *_ = [tuple(map(float, p)) for p in re.findall(r"translate\(([\d.]+) ([\d.]+)\)", text)]
    memory = re.search(
        r"memory: 4800 GB/s of a rank</title><polyline points=\"([\d.]+),([\d.]+) ([\d.]+),([\d.]+)\"", text
    )
    x1, y1, x2, y2 = map(float, memory.groups())
    assert y == pytest.approx(y1 + (x - x1) / (x2 - x1) * (y2 - y1), abs=0.3)
    names = [name for name, _ in roofs_of([full], H200)]
    assert names == ["memory", "link", "network", "storage of 16 ranks"]
    assert all(f"<title>{name}: " in text for name in names) and "bfloat16: 989 TFLOP/s" in text
    same = replace(H200, network=H200.link)
    assert [name for name, _ in roofs_of([full, ONE], same)] == ["memory", "link, network", "storage of 16 ranks"]


def test_names_do_not_cover_each_other():
    assert spread([100, 101, 50, 300]) == [100, 117, 50, 300]


def test_a_page_without_marks_is_refused():
    assert between("a <!-- characterise: x -->old<!-- end --> b", "x", "new") == (
        "a <!-- characterise: x -->\n\nnew\n\n<!-- end --> b"
    )
    with pytest.raises(ValueError, match="found no <!-- characterise: x --> with <!-- end --> after it"):
        between("<!-- end --> <!-- characterise: x -->", "x", "new")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["smoke:1,2"], "--workload: found 'smoke:1,2', wanted such as scale11:1,8,8,8"),
        (["smoke:1,3,1,1"], "layout 1,3,1,1: depth: found 3, wanted a divisor of 4"),
        (["smoky"], "no problem 'smoky'"),
    ],
)
def test_a_wrong_workload_is_one_line(arguments, said, capsys, tmp_path):
    assert main(["--system", "dgx-h200", "--out", str(tmp_path), "--workload", *arguments]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_counts_are_those_of_the_trace():
    problem = load_problem("smoke")
    found, traced = count(problem, CONFIG, H200, (1, 1, 1, 2)), trace(problem, CONFIG, (1, 1, 2), 1, 2)
    number, size = traced.halo("forward", "backward")
    assert found.messages["width"] == (number, size) and found.flops == traced.flops("forward", "backward")
    assert set(found.messages) == {"width", "replica", "world", "gradients"}
    assert found.moved["link"] == size + 4 * traced.parameters and found.moved["network"] == 0  # both in one node


@pytest.mark.slow
def test_the_page_has_what_the_command_prints(tmp_path):
    page = ROOT / "docs" / "performance.md"
    copy = tmp_path / "page.md"
    copy.write_text(page.read_text())
    assert main(["--system", "dgx-h200", "--out", str(tmp_path), "--page", str(copy)]) == 0
    assert copy.read_text() == page.read_text()
    name = "roofline-dgx-h200.svg"
    assert (tmp_path / name).read_text() == (ROOT / "docs" / "figures" / name).read_text()
