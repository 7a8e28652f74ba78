"""An implementation whose train.py is a shell script around another program: from the first run to the table."""

import json
import sys

import pytest

from benchmark.tree import set_path, system_path
from compliance import package
from compliance.engine import judge
from harness import submit
from results.statistics.result import summarize
from results.tables.text import terminal_text
from rules.current import current
from tests.support import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("program", ["minimal", "pytorch"])
def test_from_submit_to_summarize(tiny_data, published, tmp_path, program):
    script = tmp_path / "acme" / "train.py"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/implementations/{program}/train.py "$@"\n')
    out = tmp_path / current()
    config = tmp_path / "config.yaml"
    config.write_text("{batch_size: 4, eval_batch_size: 3, epochs: 2, precision: float32}")
    files = ["--problems", str(tiny_data.problems), "--config", str(config), "--data", str(tiny_data.data)]
    names = ["--implementation", str(script.parent), "--problem", "tiny", "--org", "acme", "--system", "box"]
    assert submit.main([*names, *files, "--out", str(out), "--runs", "2"]) == 0
    assert json.loads(system_path(out / "acme", "box").read_text())["framework"].startswith("PyTorch")
    log = set_path(out / "acme", "box", "scaffold") / "result_0.txt"
    rules = published(log, tmp_path / "rules", 2)
    verdict = judge([str(out / "acme")], rules=rules)
    assert [(f.code, f.found) for f in verdict.findings if f.severity == "error"] == []
    archive = tmp_path / "acme.tar.gz"
    assert package.main([str(out / "acme"), "--out", str(archive)], rules) == 0
    assert package.main(["--verify", str(archive)]) == 0
    (result,) = summarize(verdict)
    assert (result.org, len(result.runs)) == ("acme", 2) and "acme" in terminal_text([result])
