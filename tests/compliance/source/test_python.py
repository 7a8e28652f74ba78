"""A file of Python read: parsed within a limit, refused where it is none."""

import pytest

from compliance.source.python import LARGEST, read_python
from tests.support.effort import guarded

SEED = "torch.manual_seed(1)\n"


@pytest.mark.parametrize(("beyond", "large"), [(-1, False), (0, False), (1, True)])
def test_files_are_parsed_up_to_the_limit(beyond, large):
    text = SEED + "#" * (LARGEST + beyond - len(SEED))
    python = read_python(text)
    assert (python.large, python.problem) == (large, "")
    assert len(python.seeds.fixed) == (not large)


@pytest.mark.parametrize(("text", "line", "why"), [("a\nb c\n", 2, "no Python: "), ("x = " + "-" * 9999 + "1", 1, "")])
def test_no_python_is_said_with_its_line(text, line, why):
    python = read_python(text)
    assert python.line == line and python.problem.startswith(why) and python.problem


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "+".join("1" for _ in range(100_000)),
        "x = " + "(" * 9000,
        "x = " + "9" * 10_000,
        "a" + ".a" * 200_000,
        "lambda:" * 20_000 + "1",
        "\0",
        "if 1:\n" + "".join(" " * i + "if 1:\n" for i in range(1, 200)),
    ],
    ids=lambda text: text[:12],
)
def test_pathological_source_is_parsed_or_refused(text):
    with guarded():
        assert read_python(text).line >= 1


@pytest.mark.parametrize(
    "text",
    [
        f"init{'_seed' * 40_000}.x(1)\n",
        f"init{'_seed' * 40_000}\u2118(1)\n",  # a letter of identifiers that \\w does not match
        f"init{'_' * 200_000}(1)\n",
        f"set{'_seedx' * 40_000}(1)\n",
        f"f({'_' * 200_000})\n",
        f"rank{'_rank' * 40_000}x = 1\n",
        f"getattr(a, 'init{'_seed' * 40_000} ')(1)\n",
        f"getattr(a, '{'.' * 200_000}')(1)\n",
    ],
    ids=lambda text: text[:12],
)
def test_long_names_are_read_to_the_end(text):
    with guarded():
        assert read_python(text).problem == ""
