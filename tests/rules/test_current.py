import subprocess
import sys

import pytest

from rules.current import EDITION, ROOT, current, editions, version


def test_the_newest_of_our_editions_is_the_current_one(tmp_path):
    for name in ("v1.9", "v1.10", "v1.2", "v2", "mlperf-hpc-v9.0", "whole"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "limits.yaml").touch()
    (tmp_path / "v3.0").mkdir()  # without limits.yaml
    (tmp_path / "v2.0").mkdir()
    (tmp_path / "v2.0" / "limits.yaml").write_text("based_on: v1.2\ndraft: true\n")
    assert current(tmp_path) == "v1.10" and current() == EDITION in editions()
    with pytest.raises(ValueError, match=r"found no edition v<number>\.<number>"):
        current(tmp_path / "v1.9")
    assert version("v2.0") > version("v1.10") > version("v1.9")
    with pytest.raises(ValueError, match=r"found the edition 'v2', wanted v<number>\.<number>"):
        version("v2")


def test_a_run_loads_nothing_else_of_the_rules():
    names = "*sorted(name for name in sys.modules if name.partition('.')[0] in ('rules', 'yaml', 'benchmark'))"
    command = [sys.executable, "-c", f"import sys, rules.current; print({names})"]
    found = subprocess.run(command, cwd=ROOT.parent, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["rules", "rules.current"]
