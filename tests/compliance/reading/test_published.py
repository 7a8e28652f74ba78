"""The published source: which files of a submission are its own, under any name of the implementation, and which lines
of a published file a submitted one keeps."""

import random

import pytest

from compliance.reading.published import LARGEST, SENSITIVE, kept, published_path, same_program
from rules.published import own_files

TRAIN = "implementations/pytorch/train.py"
OURS = ("source", "0123456789ab")
MLPERF = ("benchmarks", "scaffold", "implementations", "tuned")


@pytest.mark.parametrize(
    ("parts", "path"),
    [
        ((*OURS, "implementations", "acme", "train.py"), TRAIN),
        ((*OURS, "implementations", "minimal", "train.py"), "implementations/minimal/train.py"),
        ((*OURS, "implementations", "acme", "input", "reader.py"), "implementations/pytorch/input/reader.py"),
        ((*OURS, "train.py"), "train.py"),
        ((*MLPERF, "train.py"), TRAIN),
        ((*MLPERF, "benchmark", "log.py"), "benchmark/log.py"),
        ((*MLPERF, "implementations", "tuned", "train.py"), TRAIN),
        (("results", "a", "b", "c.py"), ""),
    ],
)
def test_path_in_the_reference(parts, path):
    assert published_path(parts) == path


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("abc", "xabc", {2: 1, 3: 2, 4: 3}),
        ("abc", "axc", {1: 1, 3: 3}),
        ("abc", "cab", {2: 1, 3: 2}),
        ("a..b", "a..xb", {1: 1, 2: 2, 3: 3, 5: 4}),
        ("....", "..", {1: 1, 2: 2}),
        ("aXa", "aXaXa", {1: 1, 2: 2, 3: 3}),
        ("a", "", {}),
    ],
)
def test_lines_that_stay(before, after, same):
    assert kept(before, after) == same


def test_only_equal_lines_stay_each_once_and_in_order():
    rng = random.Random(1)
    for _ in range(500):
        before, after = ("".join(rng.choices("abcdefgh..", k=rng.randrange(12))) for _ in "12")
        found = kept(before, after)
        assert all(after[line - 1] == before[other - 1] for line, other in found.items())
        assert [*found.values()] == sorted(set(found.values())) and [*found] == sorted(found)


class Line(str):
    """A line that counts how often it is compared."""

    __slots__ = ()
    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other):
        Line.compared += 1
        return str.__eq__(self, other)


@pytest.mark.parametrize(("before", "after"), [("p" * 3000 + "a", "p" * 3000 + "b"), ("px" * 1000, "xpy" * 1000)])
def test_equal_lines_are_compared_a_few_times_each(before, after):
    Line.compared = 0
    kept([Line(text) for text in before], [Line(text) for text in after])
    assert Line.compared < 10 * (len(before) + len(after))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("a = 1\n", "# ours\na = (1)\n", True),
        ("a = 1\n", "a = 2\n", False),
        ("a = 1\n", "a = = 1\n", False),
        ("a = 1\n", "a = 1\n" + "#" * LARGEST, False),
        ("a = 1\n", "-" * 50_000 + "1", False),
    ],
)
def test_programs_that_differ_in_comments_alone_are_the_same(before, after, same):
    assert same_program(before, after) is same


def test_the_files_that_change_the_mathematics_or_the_clock_are_there():
    found = {path for path in own_files() if SENSITIVE.fullmatch(path)}
    names = {path.rpartition("/")[2].removesuffix(".py") for path in found}
    alternatives = SENSITIVE.pattern.split("?(")[1].split(")")[0].split("|")
    assert names == {*alternatives, "train"}
    stems = ("training/run", "training/step", "scaffold/evaluate", "scaffold/loss", "training/seeds")
    wanted = {"benchmark/run/reader.py", *(f"implementations/pytorch/{stem}.py" for stem in stems)}
    assert wanted <= found
