"""Figures across submissions."""

from compliance.engine import judge
from results.html.plots import Point, joint, letter_places, letters, plot, scaling, styles
from results.statistics.result import summarize


def test_letters():
    assert [letters(i) for i in (0, 25, 26, 27, 701, 702)] == ["A", "Z", "AA", "AB", "ZZ", "AAA"]


def test_letters_do_not_lie_on_each_other():
    spots = [(100.0, 100.0), (102.0, 101.0), (104.0, 99.0)]
    places = [(a + x, b + y) for (a, b), (x, y) in zip(spots, letter_places(spots), strict=True)]
    assert all(abs(a - u) > 8 or abs(b - v) > 11 for i, (a, b) in enumerate(places) for u, v in places[:i])


def test_what_has_no_place_is_left_out():
    assert plot([Point("A", 0, "circle", False, "x", 0.0, 1.0)], "x", "y", "t") == ""
    assert "A x" in plot([Point("A", 0, "circle", False, "x", 2.0, 1.0)], "x", "y", "t")


def test_scores_and_shapes(tree, new_log):
    for org, seconds in (("a", 50.0), ("b", 100.0)):
        tree.set([new_log.scaffold(seconds + i, epochs=5, seed=i) for i in range(5)], org=org)
    found = summarize(judge([tree.root]), as_logged=True)
    assert [s.letter for s in styles(found).values()] == ["A", "B"]
    assert all(drawn.startswith("<svg") for drawn in joint(found))
    strong, weak = scaling(found)
    assert "a box" in strong and weak == ""
