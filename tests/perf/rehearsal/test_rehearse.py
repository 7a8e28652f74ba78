"""Rehearsals: what stands against a run, and that every layout that pages show can run."""

import re
from dataclasses import replace

import pytest

from benchmark.problem import load_problem
from implementations.pytorch.config import resolve
from implementations.pytorch.parallel.layout import Layout
from perf.projection.machine import load_system
from perf.projection.record import Event
from perf.projection.trace import trace
from perf.rehearsal.rank import Rehearsal, rehearse
from perf.rehearse import difference, faults, main
from perf.settings import reference_settings
from tests.support import ROOT

PAGES = ("harness/README.md", "docs/submitting.md", "implementations/pytorch/README.md", "README.md")
SUM, SWAP = Event("forward", "replica", "sum", 8), Event("forward", "depth", "exchange", 64, 128)
ONE = Rehearsal(0, (0, 0, 0, 0), (SWAP, SUM), {"weights": 4}, 10, (), 4)


def test_ranks_with_fewer_neighbours_call_the_same():
    assert difference([ONE, replace(ONE, rank=1, events=(SWAP._replace(sent=64), SUM))]) == ""


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ((SUM, SWAP), "call 0: rank 0 ('forward', 'depth', 'exchange', 64), rank 1 ('forward', 'replica', 'sum', 8)"),
        ((SWAP, SUM._replace(bytes=16)), "call 1: rank 0 .* 8.*, rank 1 .* 16"),
        ((SWAP, SUM._replace(group="world")), "call 1: rank 0 .*'replica'.*, rank 1 .*'world'"),
        ((SWAP,), "rank 0 makes 2 calls, rank 1 1"),
    ],
)
def test_another_order_stands_against_a_run(events, said):
    found = difference([ONE, replace(ONE, rank=1, events=events)])
    assert found == said or re.match(said, found)


def test_what_does_not_fit_stands_against_a_run():
    system = load_system("dgx-h100")
    full, over = (replace(ONE, memory={"weights": round(system.room) + more}) for more in (0, 1))
    assert faults([ONE, full], system) == []
    (said,) = faults([ONE, over], system)
    assert said.startswith("memory: rank 0 takes ") and said.endswith("GiB that the system leaves")
    (said,) = faults([replace(ONE, large=("convolution of (4096, 1024, 1024), 4.29e+09 elements",))], system)
    assert said == "32-bit indices: rank 0: convolution of (4096, 1024, 1024), 4.29e+09 elements"


def test_what_cannot_be_rehearsed_is_refused(capsys):
    assert main(["--problem", "smoke", "--layout", "1,3,1,1"]) == 2
    assert "rehearse.py: layout 1,3,1,1: depth: found 3, wanted a divisor of 4" in capsys.readouterr().err
    assert main(["--problem", "smoke", "--layout", "1,2,1,1", "--rank", "2"]) == 2
    assert "--rank: found 2, wanted 0 to 1" in capsys.readouterr().err
    assert main(["--problem", "smoke", "--layout", "1,2,1,1", "--rank", "one"]) == 2
    assert "--rank: found 'one', wanted numbers such as 0,37" in capsys.readouterr().err
    assert main(["--problem", "smoke", "--layout", "2,1,1,1", "sharding=fsdp"]) == 2
    assert "rehearse.py: sharding: found fsdp, wanted ddp" in capsys.readouterr().err


@pytest.mark.slow
def test_what_is_sent_is_what_the_projection_counts():
    """Whose messages have been compared with those of real ranks."""
    problem, layout = load_problem("smoke"), Layout(1, 0, 2, 2, 2)
    config = reference_settings("smoke", ["precision=bfloat16", "compile=false", "device=cpu", "batch_size=1"])
    config = resolve(config, 1, 8)
    found, counted = rehearse(problem, config, layout), trace(problem, config, (2, 2, 2), 1, 1)
    of_step = [event for event in found.events if event.stage in ("forward", "backward")]
    assert sum(event.sent for event in of_step) == counted.halo("forward", "backward")[1] > 0
    assert found.memory["kept for backward"] == counted.kept
    assert sum(e.bytes for e in of_step if e.what == "sum of gradients") == 4 * counted.parameters
    assert found.memory["weights"] == 4 * counted.parameters == found.memory["average"]
    assert [e.group for e in found.events[:5]] == ["data", "depth", "height", "width", "replica"]
    assert [e.stage for e in found.events if e.what == "gathered objects"] == ["checkpoint"] * 5


@pytest.mark.slow
@pytest.mark.parametrize("problem", ["smoke", "cosmoflow-mini", "deepcam-mini"])
def test_all_ranks_call_the_same_in_every_workload(problem, capsys):
    layout, ranks = ("2,1,1,1", "0,1") if problem == "deepcam-mini" else ("2,1,1,2", "0,1,2,3")
    assert main(["--problem", problem, "--layout", layout, "--rank", ranks]) == 0
    assert "nothing stands against it" in capsys.readouterr().out


@pytest.mark.slow
def test_layouts_on_pages_can_run_on_80_gb():
    found = set()
    for page in PAGES:
        for typed in re.findall(
            r"^python harness/launch/render.py (.*)$", (ROOT / page).read_text().replace("\\\n", ""), re.M
        ):
            words = re.sub(r" [>#] .*", "", typed).replace("'", "")
            if named := re.search(r"--layout ([\d,]+)", words):
                problem = re.search(r"--problem (\S+)", words)[1]
                found.add((problem, named[1], *re.findall(r" (\w+=\S+)", words)))
    assert len(found) >= 2
    for problem, layout, *settings in sorted(found):
        assert main(["--problem", problem, "--layout", layout, "--rank", "0", *settings]) == 0, (problem, layout)
