"""GitHub's Markdown for Python-Markdown: anchors, lists, links."""

import pytest

from perf.pages.text import anchor, anchors, for_python_markdown, relinked


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("On a cluster: `launch/`, `perf/project.py`", "on-a-cluster-launch-perfprojectpy"),
        ("A set of runs: `submit.py --study`", "a-set-of-runs-submitpy---study"),
        ("See [the guide](docs/submitting.md)", "see-the-guide"),
    ],
)
def test_anchors_are_githubs(title, wanted):
    assert anchor(title) == wanted


def test_headings_that_are_alike_are_numbered_and_code_has_none():
    text = "# A\n\n## B c\n\n```\n# no heading\n```\n\n## B c\n\n### X {#SEED01}\n"
    assert anchors(text) == ["a", "b-c", "b-c-1", "SEED01"]


def test_links_between_fences_are_none():
    assert (
        relinked("[a](b.md) ![f](g.png)\n```\n[h](i)\n```\n", str.upper) == "[a](B.MD) ![f](G.PNG)\n```\n[h](i)\n```\n"
    )


def test_lists_are_indented_by_fours_and_follow_a_blank_line():
    text = "Words:\n1. One\n   goes on\n\n   ```\n   code\n     more\n   ```\n\n   - inner\n     still\n2. Two\n\nNo.\n"
    wanted = "Words:\n\n1. One\n    goes on\n\n    ```\n    code\n      more\n    ```\n\n    - inner\n"
    assert for_python_markdown(text) == wanted + "        still\n2. Two\n\nNo.\n"


def test_headings_have_their_anchor_and_code_and_tables_stay():
    assert for_python_markdown("# A: `b`\n") == "# A: `b` {#a-b}\n"
    assert for_python_markdown("### SEED01 Every run {#SEED01}\n") == "### SEED01 Every run {#SEED01}\n"
    text = "```\n- no list\n   1. none\n```\n\n| a | b |\n| --- | --- |\n| - | 1. |\n"
    assert for_python_markdown(text) == text
