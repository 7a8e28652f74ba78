"""The command that projects, as people call it."""

import csv
import io
import json
import re
import shlex

import pytest

from perf.project import main, parse, project
from perf.projection.machine import load_system
from perf.projection.table import COLUMNS, TARGET, text_table
from tests.support import ROOT

pytestmark = pytest.mark.slow

SMOKE = ["--problem", "smoke", "--system", "dgx-h200"]


def test_one_number_of_ranks_shows_every_layout(capsys):
    assert main([*SMOKE, "--ranks", "4", "--format", "text", "batch_size=4", "precision=float32"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("dgx-h200: datasheet, not measured")
    assert all(layout in out for layout in ("4,1,1,1", "2,1,1,2", "1,1,2,2"))
    assert "seconds a step: wait " in out and "messages a step" in out


def test_several_problems_as_csv_and_json(capsys):
    command = ["--problem", "smoke", "scale6", "--system", "dgx-h200", "--ranks", "1", "2"]
    assert main([*command, "--format", "csv", "batch_size=2"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [r["problem"] + r["ranks"] for r in rows] == ["smoke1", "smoke2", "scale61", "scale62"]
    assert main([*command, "--format", "json", "batch_size=2"]) == 0
    assert [str(r["step_s"]) for r in json.loads(capsys.readouterr().out)] == [r["step_s"] for r in rows]


def one(capsys, *arguments):
    """The only row."""
    assert main([*SMOKE, "--format", "json", *arguments]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    return found


def test_settings_change_what_is_projected(capsys):
    layout = ("--layout", "1,1,1,2")
    plain = one(capsys, *layout)
    assert (plain["precision"], plain["recompute"]) == ("bfloat16", "no")
    norms, block = one(capsys, *layout, "recompute_norms=true"), one(capsys, *layout, "recompute=true")
    assert (norms["recompute"], block["recompute"]) == ("norms", "yes")
    assert block["memory_gib"] < norms["memory_gib"] < plain["memory_gib"]
    assert block["tflop"] > norms["tflop"] == plain["tflop"]
    wide = one(capsys, *layout, "precision=float32")
    assert wide["precision"] == "float32" and wide["halo_mb"] > 1.5 * plain["halo_mb"]
    assert one(capsys, *layout, "precision=float32", "batch_size=4")["batch"] == 4


def test_a_layout_and_its_tile_as_settings(capsys):
    found = one(capsys, "layout=[1,4,2,2]", "tile=[1,1,2,2]")
    assert (found["layout"], found["tile"], found["ranks"]) == ("1,4,2,2", "1,1,2,2", 16)
    assert one(capsys, "--layout", "1,4,2,2")["tile"] == "1,4,1,2"  # the best of all


@pytest.mark.parametrize(
    ("ranks", "settings", "wanted"),
    [
        ("3", ["batch_size=2"], "smoke at batch 2 wants 2 or 4"),
        ("3", ["batch_size=4", "accumulate=2"], "deepcam-mini at batch 4 in 2 parts wants 2"),
        ("2", ["batch_size=2", "accumulate=3"], "deepcam-mini at batch 2 in 3 parts wants as many samples as parts"),
    ],
)
def test_ranks_that_there_is_no_work_for(capsys, ranks, settings, wanted):
    problem = wanted.partition(" ")[0]
    assert main(["--problem", problem, "--system", "dgx-h200", "--ranks", ranks, "--format", "json", *settings]) == 2
    out, err = capsys.readouterr()
    assert out == "" and f"{ranks} ranks: nothing to do for all of them: {wanted}\n" in err


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--system", "dgx-h2oo"], "no system 'dgx-h2oo'; did you mean 'dgx-h200'"),
        (["--ranks", "0"], "--ranks: found 0, wanted at least 1"),
        (["--layout", "1,2"], "layout: found 2 values, wanted 4"),
        (["--layout", "1,2,2,2", "--ranks", "8", "4"], "--ranks: found [8, 4] beside layout 1,2,2,2, wanted one"),
        (["--layout", "1,3,1,1"], "layout 1,3,1,1: depth: found 3, wanted a divisor of 4"),
    ],
)
def test_what_cannot_be_projected_is_one_line(capsys, change, message):
    assert main([*SMOKE, *change]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("project.py: ") and message in err


def printed() -> list[tuple[str, str, list[str], list[str]]]:
    """(command, problem, heading, cells) of the last line of each table that pages say `project.py` prints."""
    found = []
    for page in ("scaling.md", "procurement.md"):
        text = (ROOT / "docs" / page).read_text()
        for block in re.findall(r"^```\n(\$ python perf/project.py.*?)^```", text, re.M | re.S):
            for command, out in re.findall(
                r"^\$ python perf/project.py (.*?)\n(?!  )(.*?)(?=^\$|\Z)", block, re.M | re.S
            ):
                for name, table in re.findall(r"^(\w+), batch .*?\n(\s*ranks .*?)(?:\n\n|\Z)", out, re.M | re.S):
                    heading, *rows = (re.split(r"\s{2,}", line.strip()) for line in table.strip().splitlines())
                    found.append((command.replace("\\\n", ""), name, heading, rows[-1]))
    return found


def test_pages_show_what_is_printed_today():
    shown = printed()
    assert len(shown) >= 4
    for command, name, heading, cells in shown:
        words = shlex.split(re.sub(r"--ranks( \d+)+", "", command))
        args = parse([*words, "--layout", cells[heading.index("layout")]])
        rows = project(args, name, load_system(args.system))
        table = text_table(rows, TARGET if args.target else COLUMNS)
        assert [re.split(r"\s{2,}", line.strip()) for line in table.splitlines()] == [heading, cells], command
