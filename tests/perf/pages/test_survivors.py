"""The page of surviving mutants: by module, with reasons."""

from perf.pages.survivors import page, section


def test_changes_of_one_reason_stand_together():
    entry = {"in": "over", "before": "x > 3", "why": "x is never 3"}
    other = {"in": "under", "before": "y | 0", "after": "y & 0", "why": "nobody asks"}
    text = section("a/b.py", [{**entry, "after": "x >= 3"}, other, {**entry, "after": "x > 2"}])
    assert text == (
        "## a/b.py\n\n"
        "`over`: x is never 3\n\n```diff\n- x > 3\n+ x >= 3\n- x > 3\n+ x > 2\n```\n\n"
        "`under`: nobody asks\n\n```diff\n- y | 0\n+ y & 0\n```\n"
    )


def test_the_page_begins_with_what_the_list_is():
    assert page().startswith("# Survivors\n")
