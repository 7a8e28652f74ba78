"""What a command line and a config give, however they are written."""

import time

import pytest

from compliance.reading import given as module
from compliance.reading.given import given, options, same

BOMB = "a: &a [1, 2]\nb: &b {<<: [*x, *x]}\n"


@pytest.mark.parametrize(
    ("words", "text", "wanted"),
    [
        ([], None, {}),
        (["batch_size=4", "layout=[2,1,1,1]"], "epochs: 60\n", {"batch_size": 4, "layout": [2, 1, 1, 1], "epochs": 60}),
        (["epochs=5"], "epochs: 60\n", {"epochs": 5}),
        (["--layout", "1,2,1,1"], None, {"layout": [1, 2, 1, 1]}),
        (["--org", "a=b"], "[1, 2]", {"a": "b"}),  # which no log has for a setting
        (["settings={a: 1}", "x=[[1]]"], "y: {z: 1}\n", {}),  # none of them plain
        ([], BOMB, {}),
        ([], "[" * 9000, {}),
        ([], "x: 1\n" + "#" * 20_000, {}),
        ([], "x: 2020-99-99\n", {}),
        ([], "x: !!bool maybe\n", {}),
        ([], "x: !!int ''\n", {}),
        ([], "x: !!timestamp now\n", {}),
        ([], "x: " + "1:" * 300 + "1.5\n", {}),
        (["x=!!bool maybe"], None, {"x": None}),
        ([], f"x: 0x{'f' * 8000}\n0x{'f' * 8000}: y\n", {}),  # more digits than Python writes
    ],
)
def test_plain_settings_are_given(words, text, wanted):
    begin = time.process_time()
    assert given(words, text) == wanted
    assert time.process_time() - begin < 1


def test_options_have_values_in_two_ways():
    assert list(options(["train.py", "--org", "acme", "--system=box", "--last"])) == [
        ("--org", "acme"),
        ("--system", "box"),
        ("--last", ""),
    ]


@pytest.mark.parametrize(
    ("value", "logged", "equal"),
    [
        (1, 1.0, True),
        ("1e-3", 0.001, True),
        ("fast", 0.001, False),
        (10**400, 1.0, False),
        (True, 1, False),
        (1, True, False),
        (True, True, True),
        ([1, 2], [1.0, 2], True),
        ([1], [1, 2], False),
        ("ddp", "ddp", True),
        ("ddp", "fsdp", False),
    ],
)
def test_values_are_compared_by_what_they_are(value, logged, equal):
    assert same(value, logged) is equal


def test_so_much_is_read_and_no_more():
    assert module.LARGEST == 16_384
