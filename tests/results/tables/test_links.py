"""Links of tables and pages."""

from pathlib import Path

from results.tables.links import Links, anchor


def test_links_are_relative_and_carry_no_scheme():
    links = Links(Path("/a/b"))
    assert links.place("/a/c/result_0.txt", 7) == "../c/result_0.txt:7"
    assert links.to("/a/c/result 0.txt") == "../c/result%200.txt"
    assert links.to("/a/b/\ud800\udcff") == "%EF%BF%BD%FF"
    assert links.to("/a/b/javascript:x") in ("./javascript%3Ax", "javascript%3Ax")
    assert Links(Path("/a/b"), public=True).to("/a/c/result_0.txt") == ""


def test_anchors_can_be_read_and_hold_nothing_of_strangers():
    assert anchor("<x>", "Ä y") == anchor("<x>", "Ä y") != anchor("<x", "Ä y")
    assert anchor("<x>", "b c").startswith("x-b-c-") and len(anchor("a" * 500)) < 70
    assert set(anchor('"><script>')) <= set("abcdefghijklmnopqrstuvwxyz0123456789-") and anchor("\ud800").isalnum()
