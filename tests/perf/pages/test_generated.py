"""Generated parts of pages."""

import pytest

from perf.pages.generated import filled, table

PAGE = "before\n<!-- generated: a -->\nold\n<!-- end: a -->\nafter\n"


def test_a_table_and_a_part_between_its_marks():
    assert table(("a", "b"), [("1", "x|y")]) == "| a | b |\n| --- | --- |\n| 1 | x\\|y |"
    assert filled(PAGE, {"a": "new\n"}) == PAGE.replace("old", "\nnew\n")
    assert filled(filled(PAGE, {"a": "new"}), {"a": "new"}) == filled(PAGE, {"a": "new"})


@pytest.mark.parametrize("page", ["", PAGE + PAGE, PAGE.replace("<!-- end: a -->", "")])
def test_a_page_has_each_mark_once(page):
    with pytest.raises(ValueError, match=r"x <!-- generated: a -->, . x <!-- end: a -->, wanted one of each"):
        filled(page, {"a": "new"})
