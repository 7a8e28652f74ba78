"""The command."""

import sys

import pytest

from perf import dlio


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["export", "--problem", "smoke"], "--problem, --data or --out"),
        (["export", "--problem", "smok", "--data", "d", "--out", "o"], "smok"),
        (["export", "--problem", "smoke", "--data", "d", "--out", "o", "--ranks", "3"], "divisor of the batch size 2"),
        (["compare", "--problem", "smoke", "--data", "d", "--out", "o", "--ranks", "2"], "wanted 1"),
        (["compare", "--problem", "smoke", "--data", "d", "--out", "o", "--into", "none"], "dlio.py environment"),
    ],
)
def test_what_can_be_mended_is_one_line(monkeypatch, capsys, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["dlio.py", *arguments])
    assert dlio.main() == 2
    assert said in capsys.readouterr().err
