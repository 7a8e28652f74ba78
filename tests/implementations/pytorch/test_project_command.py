"""The command that projects, as people call it."""

import csv
import io
import json

import pytest

from implementations.pytorch.project import main

SMOKE = ["--problem", "smoke", "--system", "dgx-h200"]


def test_a_table_of_the_fastest_layouts(capsys):
    assert main([*SMOKE, "--ranks", "1", "2", "8"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("dgx-h200: datasheet, not measured")
    lines = [line.split() for line in out.partition("smoke, batch 2, bfloat16\n")[2].splitlines()]
    assert lines[0][:3] == ["ranks", "layout", "tile"]
    assert [line[:2] for line in lines[1:]] == [["1", "1,1,1,1"], ["2", "2,1,1,1"], ["8", "2,1,2,2"]]


def test_one_number_of_ranks_shows_every_layout(capsys):
    assert main([*SMOKE, "--ranks", "4", "--batch", "4", "--precision", "float32"]) == 0
    out = capsys.readouterr().out
    assert all(layout in out for layout in ("4,1,1,1", "2,1,1,2", "1,1,2,2"))
    assert "seconds a step: wait " in out and "messages a step" in out


def test_several_problems_as_csv_and_json(capsys):
    command = ["--problem", "smoke", "scale6", "--system", "dgx-h200", "--ranks", "1", "2", "--batch", "2"]
    assert main([*command, "--format", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(r["problem"], r["ranks"]) for r in rows] == [
        ("smoke", "1"),
        ("smoke", "2"),
        ("scale6", "1"),
        ("scale6", "2"),
    ]
    assert main([*command, "--format", "json"]) == 0
    assert [str(r["step_s"]) for r in json.loads(capsys.readouterr().out)] == [r["step_s"] for r in rows]


def test_one_layout(capsys):
    assert main([*SMOKE, "--layout", "1,2,2,2", "--recompute", "yes", "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["layout"], found["ranks"], found["recompute"], found["samples_at_once"]) == ("1,2,2,2", 8, "yes", 2)


def test_more_ranks_than_there_is_work_for(capsys):
    assert main([*SMOKE, "--ranks", "4096"]) == 0
    assert (
        "4096 ranks: nothing to do for all of them: smoke at batch 2 can be cut for 128 ranks"
        in capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["--system", "dgx-h2oo"], "no system 'dgx-h2oo'; did you mean 'dgx-h200'"),
        (["--problem", "scale12"], "no problem 'scale12'"),
        (["--ranks", "0"], "--ranks: found 0, wanted at least 1"),
        (["--batch", "0"], "batch_size: found 0, wanted at least 1"),
        (["--layout", "1,2"], "--layout: found '1,2', wanted such as 1,8,8,8"),
        (["--layout", "1,3,1,1"], "layout 1,3,1,1: depth: found 3, wanted a divisor of 4"),
        (["learning_rte=1"], "unknown field 'learning_rte'; did you mean 'learning_rate'"),
    ],
)
def test_what_cannot_be_projected_is_one_line(capsys, change, message):
    assert main([*SMOKE, *change]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.count("\n") == 1
    assert err.startswith("project.py: ") and message in err
