"""An implementation whose train.py is a shell script around another program: from the first run to the table."""

import json
import sys
from dataclasses import replace

import pytest

from benchmark.tree import result_path, system_path
from compliance import package
from compliance.engine import judge
from harness import submit
from results.statistics.result import summarize
from results.tables.text import terminal_text
from rules.current import current
from tests.support import ROOT

pytestmark = pytest.mark.slow


def test_from_submit_to_summarize(tiny_data, published, tmp_path):
    script = tmp_path / "acme" / "train.py"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT}/implementations/minimal/train.py "$@"\n')
    out = tmp_path / current()
    config = tmp_path / "config.yaml"
    config.write_text("{batch_size: 4, eval_batch_size: 3, epochs: 2, precision: float32}")
    options = replace(tiny_data, config=config).harness(out, "--implementation", str(script.parent), "--runs", "2")
    assert submit.main(options) == 0
    assert json.loads(system_path(out / "Us", "laptop").read_text())["framework"].startswith("PyTorch")
    rules = published(result_path(out / "Us", "laptop", "scaffold", 0), tmp_path / "rules", 2)
    verdict = judge([str(out / "Us")], rules=rules)
    assert [(f.code, f.found) for f in verdict.findings if f.severity == "error"] == []
    archive = tmp_path / "us.tar.gz"
    assert package.main([str(out / "Us"), "--out", str(archive)], rules) == 0
    assert package.main(["--verify", str(archive)]) == 0
    (result,) = summarize(verdict)
    assert (result.org, len(result.runs)) == ("Us", 2) and "laptop" in terminal_text([result])
