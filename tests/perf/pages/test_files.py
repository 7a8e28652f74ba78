"""Pages that show files and folders of the repository."""

from perf.pages.files import shown


def test_a_file_is_shown_with_its_language_and_not_searched():
    text = shown("benchmark/printable.py")
    assert text.startswith("---\nsearch:\n  exclude: true\n---\n\n# benchmark/printable.py\n\n````python\n")
    assert text.endswith("\n````\n")


def test_a_folder_is_a_list_of_names():
    lines = shown("rules").splitlines()
    assert (
        "# rules/" in lines and "- `texts/`" in lines and "- `edition.py`" in lines and "- `__pycache__/`" not in lines
    )


def test_markdown_that_is_no_page_is_shown_as_it_is_written():
    assert "\n    # CLK: the clock\n" in shown("rules/texts/CLK.md")


def test_a_long_file_is_cut_and_says_so():
    assert "\n\nThe first 100,000 of " in shown("requirements/common.txt")
