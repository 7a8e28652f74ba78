"""What the folder's page says about Python is true."""

import textwrap

from tests.support import ROOT


def test_the_lines_for_a_notebook_run(tree, new_log):
    """As found: they grouped runs by a column that no run has."""
    tree.set(new_log.five())
    lines = (ROOT / "results" / "README.md").read_text(encoding="utf-8").partition("## In a notebook\n")[2]
    *code, last = textwrap.dedent(lines).replace('"results/"', repr(str(tree.root))).strip().splitlines()
    names: dict = {}
    exec("\n".join([*code, f"told = {last}"]), names)
    assert names["told"].loc["v1.0/acme/box/strong/scaffold", "mean"] == 52
