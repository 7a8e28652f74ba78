import re
from dataclasses import dataclass

import pytest

from benchmark.config import build, override, read_yaml, shallow


@dataclass(frozen=True)
class Inner:
    a: int
    b: tuple[int, ...] = ()


@dataclass(frozen=True)
class Outer:
    rate: float
    inner: Inner
    name: str | None = None
    on: bool = False


GOOD = {"rate": 1, "inner": {"a": 2, "b": [3, 4]}}


def test_builds_nested():
    assert build(Outer, GOOD, "x") == Outer(1.0, Inner(2, (3, 4)))


def test_there_and_back():
    outer = build(Outer, GOOD, "x")
    assert build(Outer, shallow(outer), "x") == outer


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({**GOOD, "rat": 2}, "x: unknown field 'rat'; did you mean 'rate'?"),
        ({"rate": 1}, "x: field 'inner' is missing"),
        ({**GOOD, "rate": "fast"}, "x.rate: found 'fast' (str), wanted float"),
        ({**GOOD, "on": 1}, "x.on: found 1 (int), wanted bool"),
        ({**GOOD, "inner": {"a": True}}, "x.inner.a: found True (bool), wanted int"),
        ({**GOOD, "inner": {"a": 1, "b": 3}}, "x.inner.b: found 3, wanted a list"),
        ([], "x: found [], wanted a mapping"),
    ],
)
def test_mistakes_are_named(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        build(Outer, values, "x")


def test_override():
    outer = build(Outer, GOOD, "x")
    assert override(outer, ["rate=1e-3", "name=abc"]).rate == 0.001
    with pytest.raises(ValueError, match="wanted field=value"):
        override(outer, ["rate"])
    with pytest.raises(ValueError, match="did you mean 'rate'"):
        override(outer, ["raet=1"])


def test_yaml_that_is_none(tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text("a: [")
    with pytest.raises(ValueError, match=r"bad\.yaml: cannot be read as YAML"):
        read_yaml(path)
