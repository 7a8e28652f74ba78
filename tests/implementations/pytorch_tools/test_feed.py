"""How many accelerators a storage feeds."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from implementations.pytorch_tools import feed
from implementations.pytorch_tools.feed import Feeding, main, most_fed, parse
from tests.support.tiny import environment

RUN = ("--problem", "smoke", "--data", "d", "--log", "l/result_0.txt")


@pytest.mark.parametrize("most", range(14))
def test_the_most_is_found_by_doubling_and_halving(most):
    tried = []
    good, bad = most_fed(lambda count: tried.append(count) or count <= most, 12)
    assert (good, bad) == (min(most, 12), min(most, 12) + 1)
    assert len(tried) == len(set(tried)) <= 8 and tried[0] == 1 and max(tried) <= 12


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--accelerators", "some"], "--accelerators: found some, wanted a number, or most"),
        (["--accelerators", "0"], "--accelerators: found 0, wanted 1 or more"),
        (["--accelerators", "2"], "--compute-seconds: found none, wanted the seconds"),
        (["--accelerators", "2", "--compute-seconds", "1", "--emulate", "spin"], "--emulate: found it, wanted none"),
        (["--accelerators", "2", "--compute-seconds", "1", "--least-au", "2"], "--least-au: found 2.0"),
    ],
)
def test_a_wrong_command_starts_nothing(monkeypatch, capsys, more, said):
    monkeypatch.setattr(feed, "Launcher", None)
    assert main([*RUN, *more]) == 2
    assert said in capsys.readouterr().err


def test_every_accelerator_has_the_batch_of_the_settings():
    found = Feeding(*parse([*RUN, "--accelerators", "2", "batch_size=4", "workers=1"]))
    assert found.batch == 4 and "batch_size=4" not in found.words and found.words[-2:] == ["workers=1", "cache_gib=0"]
    assert found.limit == 168 // 12
    assert Feeding(*parse([*RUN, "--accelerators", "2", "--copies", "2", "--scratch", "s"])).limit > 14
    assert Feeding(*parse([*RUN, "--accelerators", "2", "cache_gib=1"])).words[-1] == "cache_gib=1"


@pytest.mark.slow
def test_the_most_accelerators_of_a_node(tiny, tmp_path):
    """One, since more would have fewer than three steps."""
    options = tiny.options(tmp_path / "result_0.txt")
    command = [sys.executable, feed.__file__, *options, "--accelerators", "most", "batch_size=2", "--least-au", "1e-9"]
    command += ["--compute-seconds", "0.01", "--io-epochs", "1"]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ +1 accelerators: pass: AU [\d.]+ %, ", done.stdout, re.M)
    assert "most accelerators fed at AU 0.0 %: 1 or more: no more fit" in done.stdout
    assert Path(tmp_path / "1" / "result_0.txt").is_file()
