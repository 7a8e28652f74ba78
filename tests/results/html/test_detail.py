"""One submission of the report."""

from pathlib import Path

from compliance.engine import judge
from results.html.detail import Room, detail, room
from results.html.page import Links
from results.statistics.result import summarize


def test_more_sets_leave_less_room_for_each():
    assert (room(1), room(200)) == (Room(40, 100), Room(40, 100))
    assert room(1000) == Room(8, 20)


def test_it_shows_no_more_than_there_is_room_for(tree, new_log):
    tree.set([new_log.scaffold(50.0 + i, seed=i) for i in range(12)])
    (r,) = summarize(judge([tree.root]), as_logged=True)
    drawn = detail(r, "A", Links(Path.cwd()), Room(8, 5))
    assert "Figures show 8 of the 12 runs." in drawn and "The first 5 of 12 runs." in drawn
    assert "differs in other runs" not in drawn and "global_batch_size" in drawn
