import math
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmark import config
from benchmark.config import MOST_NUMBER, build, load_settings, override, read_yaml, setting, shown


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


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({**GOOD, "rat": 2}, "x: unknown field 'rat'; did you mean 'rate'?"),
        ({"rate": 1}, "x: field 'inner' is missing"),
        ({**GOOD, "rate": "fast"}, "x.rate: found 'fast' (str), wanted float"),
        ({**GOOD, "inner": {"a": True}}, "x.inner.a: found True (bool), wanted int"),
        ({**GOOD, "inner": {"a": 1, "b": 3}}, "x.inner.b: found 3, wanted a list"),
        ([], "x: found [], wanted a mapping"),
    ],
)
def test_mistakes_are_named(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        build(Outer, values, "x")


@pytest.mark.parametrize(("text", "rate"), [("6e-4", 0.0006), ("1E-08", 1e-8), ("6.0e-4", 0.0006), ("5", 5.0)])
def test_a_float_may_be_spelled_with_an_exponent(text, rate):
    """YAML 1.1 reads 6e-4 as a text: in a file, on the command line and in a list it is a number all the same."""
    data = f"{{rate: {text}, inner: {{a: 2}}}}".encode()
    assert load_settings(Outer, Path("x.yaml"), data, []).rate == rate
    assert override(build(Outer, GOOD, "x"), [f"rate={text}"]).rate == rate
    assert config.convert(tuple[float, ...], config.parse_yaml(f"[{text}]".encode(), Path("x")), "x") == (rate,)


def test_assignments_are_of_fields():
    outer = build(Outer, GOOD, "x")
    assert override(outer, ["name=1e3"]).name == "1e3"  # only a float may be spelled
    for assignment, said in (("inner={a: 1e3}", "inner.a: found '1e3' (str), wanted int"), ("rate", "field=value")):
        with pytest.raises(ValueError, match=f"^command line.*{re.escape(said)}"):
            override(outer, [assignment])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a: [", "while parsing a flow node"),
        (b"[" * 1000, "found values nested too deep"),
        (b"a: " + b"9" * 5000, "Exceeds the limit"),
        (b"a: \xff", "'utf-8' codec can't decode"),
        (b"a: \x1b[31m", "special characters are not allowed"),
        *((b"a: !!" + text, "found a tag") for text in (b"bool x", b"int ''", b"float ''", b"timestamp x")),
    ],
)
def test_yaml_that_is_hostile(tmp_path, data, message):
    path = tmp_path / "bad.yaml"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: cannot be read as YAML: .*{message}"):
        read_yaml(path)


@pytest.mark.parametrize("value", ["[" * 1000, "[", "!!python/object:os.system {}", "!!bool x", "!!timestamp x"])
def test_assignments_that_are_hostile(value):
    with pytest.raises(ValueError, match=r"command line: name: '.{1,98}' is not a YAML value") as caught:
        override(build(Outer, GOOD, "x"), [f"name={value}"])
    assert len(str(caught.value)) < 200


def test_values_in_messages_are_short_and_anchors_not_unfolded(tmp_path):
    assert shown("fast") == "'fast'" and shown([1, {"a": None}]) == "[1, {'a': None}]"
    assert len(shown("x" * 10**6)) == 100 and len(shown(10**4000)) == 100
    with pytest.raises(ValueError, match=r"x: unknown field 'y+\.\.\.y+'; known: rate, inner, name, on"):
        build(Outer, {**GOOD, "y" * 10**6: 1}, "x")
    # ten lists of ten lists of ...: 10^30 values, if they were written out
    path = tmp_path / "laughs.yaml"
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 31)), "rate: *a30"]
    path.write_text("\n".join(lines))
    laughs = read_yaml(path)["rate"]
    for values, where in [({**GOOD, "rate": laughs}, "x.rate: found "), (laughs, "x: found ")]:
        with pytest.raises(ValueError, match=re.escape(where)) as caught:
            build(Outer, values, "x")
        assert len(str(caught.value)) < 3000


def test_nested_values_and_a_number_that_no_float_holds():
    assert build(Outer, GOOD, "x") == Outer(1.0, Inner(2, (3, 4)))
    assert build(Outer, {**GOOD, "rate": 2**1023}, "x").rate == 2.0**1023
    with pytest.raises(ValueError, match=r"x\.rate: found 1797.*, wanted a number that a float can hold"):
        build(Outer, {**GOOD, "rate": 2**1024}, "x")


@dataclass(frozen=True)
class Run(config.Settings):
    """Settings with every kind of limit."""

    batch: int = setting(4, least=1, most=16)
    rate: float = setting(0.5, above=0, below=1)
    kind: str = setting("auto", choices=("auto", "fast"), machine=True)
    layout: tuple[int, ...] | None = setting(None, machine=True)
    free: float = 0.9


@pytest.mark.parametrize(
    ("name", "inside", "outside", "wanted"),
    [
        ("batch", 1, 0, "1 or more"),
        ("batch", 16, 17, "at most 16"),
        ("rate", math.ulp(0.0), 0.0, "more than 0"),
        ("rate", 1 - 2**-53, 1.0, "less than 1"),
        ("kind", "fast", "slow", "one of auto, fast"),
        ("layout", (MOST_NUMBER,), (1, MOST_NUMBER + 1), "a number between -2^53 and 2^53"),
        ("layout", (-MOST_NUMBER,), (-MOST_NUMBER - 1,), "a number between -2^53 and 2^53"),
        ("free", -1.0, math.nan, "a number between -2^53 and 2^53"),
    ],
)
def test_a_limit_holds_on_both_sides(name, inside, outside, wanted):
    assert getattr(Run(**{name: inside}), name) == inside
    with pytest.raises(ValueError, match=f"^{name}: found .*, wanted {re.escape(wanted)}$"):
        Run(**{name: outside})
    with pytest.raises(ValueError, match=f"^x: {name}: found "):  # as it is read from a file
        build(Run, {name: list(outside) if isinstance(outside, tuple) else outside}, "x")


def test_settings_of_the_machine_are_named_in_order():
    assert config.machine_settings(Run) == ["kind", "layout"]
    assert config.machine_settings(Inner) == []
