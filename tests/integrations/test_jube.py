"""JUBE's configuration: its patterns find what runs write, and its commands exist."""

import re

import pytest
import yaml

from tests.support import LOG, REACHED, ROOT

NUMBERS = {"$jube_pat_fp": r"([+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)", "$jube_pat_int": r"([+-]?\d+)"}


@pytest.fixture(scope="module")
def found():
    return yaml.safe_load((ROOT / "integrations" / "jube" / "scaffold.yaml").read_text())


@pytest.fixture(scope="module")
def patterns(found):
    named = [p for group in found["patternset"] for p in group["pattern"]]
    assert len(named) == len({p["name"] for p in named})
    for number, expression in NUMBERS.items():
        for pattern in named:
            pattern["_"] = pattern["_"].replace(number, expression)
    return {p["name"]: p["_"] for p in named}


def test_the_line_the_exit_code_and_the_log_are_parsed(patterns):
    assert re.findall(patterns["seconds"], "epoch 1\n" + REACHED.format(28.381), re.M) == ["28.381"]
    assert re.findall(patterns["checker"], "passed\ncheck.py: exit code 0\n", re.M) == ["0"]
    text = LOG.read_text()
    rates, wait, compute = (re.findall(patterns[n], text) for n in ("samples_per_second", "wait", "compute"))
    assert len(rates) == len(wait) == len(compute) == text.count('"key": "epoch_stop"') > 0
    assert all(
        168 / (float(w) + float(c)) == pytest.approx(float(r), rel=1e-3)
        for r, w, c in zip(rates, wait, compute, strict=True)
    )


def test_what_is_used_is_declared(found, patterns):
    parameters = {p["name"] for group in found["parameterset"] for p in group["parameter"]}
    text = " ".join(step["do"] for step in found["step"])
    used = set(re.findall(r"\$(\w+)", text)) - {"jube_benchmark_name", "code"}
    assert used <= parameters and parameters - used <= {"ranks"}
    columns = {c.removesuffix("_avg") for c in found["result"]["table"][0]["column"]}
    assert columns <= parameters | patterns.keys()
    for script in re.findall(r"\$root/(\S+\.py)", text):
        assert (ROOT / script.replace("$implementation", "pytorch")).is_file()
