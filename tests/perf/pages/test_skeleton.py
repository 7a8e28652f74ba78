"""The program of docs/implementing.md: it makes a run that the checker can read, with any network."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmark.log import Event, read_log
from compliance.reading.environment import parse
from tests.support import ROOT
from tests.support.tiny import make_tiny

PAGE = ROOT / "docs" / "implementing.md"
NETWORK = '''"""A network that knows the labels."""

import numpy as np

from benchmark.metric import Counts


class Network:
    parameters = 1

    def __init__(self, problem, config, seed):
        self.classes = problem.classes

    def train(self, epoch, steps, batches):
        return float(sum(len(batch) for batch in batches))

    def evaluate(self, batches):
        total = sum(np.bincount(label.ravel(), minlength=self.classes) for ((_, label),) in batches)
        return Counts(*(tuple(total.tolist()) for _ in range(3)))

    def safetensors(self):
        header = b'{"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
        return len(header).to_bytes(8, "little") + header + np.zeros(1, np.float32).tobytes()
'''
CONFIG = "{batch_size: 4, learning_rate: 0.001, end_learning_rate: 0.001, beta_1: 0.9, beta_2: 0.99, epsilon: 1.0e-8,\n"
CONFIG += "gradient_clip: 1.0}"
OTHERS = "".join(
    f"    {name}: float = setting(0.0)\n"
    for name in ("learning_rate", "end_learning_rate", "beta_1", "beta_2", "epsilon", "weight_decay", "gradient_clip")
)


@pytest.fixture(scope="module")
def script(tmp_path_factory) -> Path:
    """The page's program with a network, in a folder like the clone."""
    clone = tmp_path_factory.mktemp("clone")
    for name in ("benchmark", "rules"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    folder = clone / "implementations" / "acme"
    folder.mkdir(parents=True)
    for package in (folder, folder.parent):
        (package / "__init__.py").touch()
    text = re.search(r"<!-- listing: skeleton -->\n```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[1]
    line = '    precision: str = setting("float32")  # and all others of the mathematics\n'
    assert line in text
    (folder / "train.py").write_text(text.replace(line, line + OTHERS))
    (folder / "network.py").write_text(NETWORK)
    (folder / "tiny.yaml").write_text(CONFIG)
    return folder / "train.py"


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return make_tiny(tmp_path_factory.mktemp("tiny"))


def run(script: Path, tiny, log: Path, *more: str) -> subprocess.CompletedProcess:
    words = ["--problem", "tiny", "--problems", tiny.problems, "--data", tiny.data, "--log", log, *more]
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([sys.executable, script, *map(str, words)], env=env, capture_output=True, text=True)


def test_a_run_reaches_its_target(script, tiny, tmp_path):
    log = tmp_path / "result_0.txt"
    done = run(script, tiny, log)
    assert done.returncode == 0 and re.fullmatch(r"time to target: \d+\.\d{3} s\n", done.stdout), done.stderr
    keys = [event.key for event in read_log(log) if isinstance(event, Event)]
    assert keys[0] == "cache_clear" and keys[-2:] == ["run_stop", "weights"] and "dataset_fingerprint" in keys
    assert (tmp_path / "weights" / "result_0.safetensors").is_file() and (tmp_path / "ledger.jsonl").is_file()
    parse((tmp_path / "environment_0.json").read_bytes())  # raises Unsound for a manifest that ENV04 refuses
    judged = subprocess.run(
        [sys.executable, "compliance/check.py", "--format", "json", log], cwd=ROOT, capture_output=True, text=True
    )
    codes = {found["code"] for found in json.loads(judged.stdout)["findings"] if found["severity"] == "error"}
    assert codes == {"LOG12", "HYP05"}  # a problem that no rules publish; the stand-in has not all settings


def test_it_describes_itself_and_writes_a_head(script, tiny, tmp_path):
    described = json.loads(run(script, tiny, tmp_path / "a.txt", "--describe", "batch_size=3").stdout)
    assert (described["contract"], described["settings"]["batch_size"]) == (1, 3) and not (tmp_path / "a.txt").exists()
    assert run(script, tiny, tmp_path / "result_1.txt", "--head").returncode == 0
    keys = [event.key for event in read_log(tmp_path / "result_1.txt") if isinstance(event, Event)]
    assert keys[-1] == "init_stop" and not (tmp_path / "ledger.jsonl").exists()
