"""A file of Python read: parsed within a limit, searched beyond it, refused where it is none."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

import compliance
from compliance.source.python import LARGEST, MOST_WORDS, read_python

ROOT = Path(compliance.__file__).parents[1]
SEED = "torch.manual_seed(1)\n"


@pytest.mark.parametrize(("beyond", "large"), [(-1, False), (0, False), (1, True)])
def test_files_are_parsed_up_to_the_limit(beyond, large):
    text = SEED + "#" * (LARGEST + beyond - len(SEED))
    python = read_python(text)
    assert (python.large, python.problem) == (large, "")
    assert len(python.seeds.fixed) == (not large)
    assert python.seeders == (((1, "manual_seed"),) if large else ())


def test_what_is_searched_for():
    text = "import subprocess\r\nx = eval ('1')\rset_seed(3)\nr = np.random.RandomState\nmyexec(1)\n"
    python = read_python(text, largest=0)
    assert [(line, word) for line, _, word in python.uses] == [(1, "subprocess"), (2, "eval")]
    assert python.seeders == ((3, "seed"), (4, "RandomState"))


def test_places_that_are_searched_for_are_bounded():
    python = read_python((SEED + "exec(1)\n") * (MOST_WORDS + 1), largest=0)
    assert (len(python.uses), len(python.seeders)) == (MOST_WORDS, MOST_WORDS)


@pytest.mark.parametrize(("text", "line", "why"), [("a\nb c\n", 2, "no Python: "), ("x = " + "-" * 9999 + "1", 1, "")])
def test_no_python_is_said_with_its_line(text, line, why):
    python = read_python(text)
    assert python.line == line and python.problem.startswith(why) and python.problem


@pytest.mark.parametrize("text", ["seed" * 500_000, "exec " * 400_000, "seed" + " " * 2_000_000, "\n" * 2_000_000])
def test_searching_takes_linear_time(text):
    start = time.process_time()
    assert read_python(text).large
    assert time.process_time() - start < 20


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_large_sources_cost_little(tmp_path):
    """Eight dense files of 2 MB: in seconds, and in the memory of one."""
    code = """
from pathlib import Path
from compliance.source.python import read_python
for i in range(8):
    assert read_python(f"x{i} = [1]\\n" + "a=[b]\\n" * 333_000).large
status = Path("/proc/self/status").read_text()  # getrusage counts what the parent had before this program began
print(status.partition("VmHWM:")[2].split()[0])
"""
    start = time.process_time()
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert int(done.stdout) < 300_000, done.stderr  # KiB
    assert time.process_time() - start < 10


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
def test_long_names_take_linear_time(text):
    begin = time.process_time()
    read_python(text)
    assert time.process_time() - begin < 20
