import sys

import pytest

from benchmark import shortcut
from benchmark.deepcam import shortcut as deepcam
from benchmark.shortcut import Score, gap

SCORES = [
    Score("naive", 0.25, 1.5, "a pixel"),
    Score("linear", 0.3, 0.1, "a pixel"),
    Score("all", 0.99, 20, "the whole map", local=False),
]


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["shortcut.py", *arguments])
    shortcut.main()


def test_each_kind_is_told_with_its_gap_to_the_target(monkeypatch, capsys):
    asked = []
    monkeypatch.setattr(deepcam, "shortcuts", lambda problem, *rest: asked.append(rest) or iter(SCORES))
    run(monkeypatch, "--problem", "deepcam-mini", "--workers", "3", "--samples", "7")
    lines = capsys.readouterr().out.splitlines()
    assert asked == [(3, 7)]
    assert lines[0] == "deepcam-mini: validation IoU, processor seconds, what it sees"
    assert lines[1].startswith("  on 7 training and 7 validation samples")
    assert lines[2:] == [
        "  naive       0.2500     1.5 s  a pixel",
        "  linear      0.3000     0.1 s  a pixel",
        "  all         0.9900    20.0 s  the whole map",
        "  gap to the target: 0.5200, from linear (0.3000) to 0.82",
    ]


def test_no_gap_where_a_local_classifier_reaches_the_target():
    assert gap(SCORES, 0.1, True) == "  gap to the target: 0.1500, from naive (0.2500) to 0.1"  # small scores are good
    assert gap(SCORES, 0.3, False) == "  no gap to the target: linear (0.3000) reaches 0.3"
    assert gap(SCORES, 0.301, False).startswith("  gap to the target: 0.0010, from linear")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--problem", "deepcam-min"], "did you mean 'deepcam-mini'"),
        (["--problem", "deepcam"], "deepcam has no generator"),
        (["--problem", "smoke", "--samples", "0"], "--samples: found 0, wanted 1 or more"),
    ],
)
def test_what_cannot_be_is_exit_2_and_one_line(monkeypatch, capsys, arguments, message):
    with pytest.raises(SystemExit, match="2"):
        run(monkeypatch, *arguments)
    out, err = capsys.readouterr()
    assert message in err and err.count("\n") == 1 and not out
