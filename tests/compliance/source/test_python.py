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
