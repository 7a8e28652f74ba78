"""Keys that DLIO does not read: with a stand-in for its code, which has its own environment."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

KEYS = Path(__file__).resolve().parents[3] / "perf" / "storage" / "keys.py"
CODE = """
class ConfigArguments:
    @staticmethod
    def reset(): pass


def LoadConfig(args, config):
    if 'dataset' in config:
        if 'format' in config['dataset']:
            args.format = config['dataset']['format']
"""


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("dataset: {format: hdf5}", 0, ""),
        ("dataset: {format: hdf5, formt: x}", 1, "dataset.formt: DLIO does not read it"),
        ("other: {format: x}", 1, "other: DLIO does not read it"),
    ],
)
def test_keys_that_are_not_asked_for_are_named(tmp_path, text, code, said):
    package = tmp_path / "dlio_benchmark" / "utils"
    package.mkdir(parents=True)
    (package / "config.py").write_text(CODE)
    path = tmp_path / "w.yaml"
    path.write_text(text)
    command = [sys.executable, str(KEYS), str(path)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True)
    assert done.returncode == code and said in done.stderr
