"""One submission of the report."""

from dataclasses import replace
from pathlib import Path

import pytest

from results.html.detail import Room, detail, room, unscored
from results.tables.links import Links


@pytest.fixture
def one(tree, new_log):
    tree.set([new_log.scaffold(50.0 + i, seed=i, submission_poc_name="A Person") for i in range(12)])
    (r,) = tree.results()
    return r


def test_more_sets_leave_less_room_for_each(one):
    assert room(1) == room(100) == Room(40, 100, 3, 2, 400, True)
    assert room(101) == room(1000) == Room(8, 10, 1, 0, 40, False)
    shown = detail(one, Links(Path.cwd()), Room(8, 5, 1, 0, 3, False))
    assert shown["more"] == "Charts show 8 of the 12 runs. The table has the first 5."
    assert len(shown["runs"].lines) == 5
    assert [c.kind for c in shown["charts"]] == ["curves"] and len(shown["charts"][0].tables["points"].rows) == 24


def test_a_set_has_its_figure_or_why_it_has_none(one):
    refused = replace(one, why="failed the check", would_stand=(3, 3))
    assert (
        unscored(refused) == "failed the check; as logged 55.5 s, which would be place 3 of 3" and unscored(one) == ""
    )
    assert [detail(r, Links(Path.cwd()), room(1))["worth"] for r in (one, refused)] == ["55.5 s", "no score"]


def test_numbers_name_lines_that_hold_them(one):
    shown = detail(one, Links(Path("/")), room(1))
    said = []
    for cell in shown["runs"].lines[0].cells[1:7]:
        path, _, line = cell.title.rpartition(":")
        text = (Path("/") / path).read_text().splitlines()[int(line) - 1]
        said.append(text.partition('"key": "')[2].partition('"')[0])
    assert said == ["run_stop", "epoch_stop", "eval_accuracy", "seed", "global_batch_size", "staging_stop"]


def test_a_column_without_a_value_is_left_out_and_au_has_words(one):
    """No log has waiting times; then the runs' rows have."""
    busy = replace(one, rows=tuple(row._replace(au=0.9, seed=None) for row in one.rows))
    for r, there, gone in ((one, "seed", "AU, %"), (busy, "AU, %", "seed")):
        shown = detail(r, Links(Path.cwd()), room(1))
        assert there in shown["runs"].head and gone not in shown["runs"].head
        assert bool(shown["busy"]) is (there == "AU, %") and "staging, s" in shown["runs"].head
    assert shown["busy"].startswith("AU is accelerator utilization: ")
    assert shown["runs"].lines[0].cells[shown["runs"].head.index("AU, %")].text == "90.0"


def test_settings_and_description_hold_no_person(one):
    fields = {"framework": "Torch", "submission_poc_name": "A Person", "notes": ""}
    shown = detail(replace(one, judged=replace(one.judged, description=fields)), Links(Path.cwd()), room(1))
    assert [line.cells[0].text for line in shown["described"].lines] == ["framework"]
    names = [line.cells[0].text for line in shown["settings"].lines]
    assert "global_batch_size" in names and "submission_poc_name" not in names and "seed" not in names
