"""Seeds fixed in source: constants are seen in every spelling, fresh seeds are free, and work is bounded."""

import pytest

from compliance.source.python import read_python
from compliance.source.seeds import constants_of, is_constant, settings
from tests.support.effort import lines_run
from tests.support.sides import sides

FIXED = {
    "numpy": "import numpy as np\nnp.random.seed(4)\n",
    "default_rng by keyword": "import numpy as np\nrng = np.random.default_rng(seed=5)\n",
    "random": "import random\nrandom.seed(6)\n",
    "tensorflow": "import tensorflow as tf\ntf.random.set_seed(7)\n",
    "SFC64": "from numpy.random import SFC64, Generator\nrng = Generator(SFC64(5))\n",
    "arithmetic": "import torch\nA = 5\nB = A * 2 + 1\ntorch.manual_seed(B << 2)\n",
    "attribute": "import torch\nclass C:\n    def __init__(self):\n        self.s = 4\n    def go(self):\n"
    "        torch.manual_seed(self.s)\n",
    "by the rank": "import torch\ntorch.manual_seed(42 + rank)\n",
    "own function": "import torch\ndef set_seed(s):\n    torch.manual_seed(s)\nset_seed(11)\n",
    "both branches": "import torch\ntorch.manual_seed(1 if fast else 2)\n",
    "cast": "import torch\ntorch.manual_seed(int('14'))\n",
    "star import": "from numpy.random import *\nseed(1)\n",
    "own function of another": "from utils import seed_everything\nseed_everything(11)\n",
    "list": "import numpy as np\nrng = np.random.default_rng([1, 2])\n",
    "getattr": "import torch\ngetattr(torch, 'manual_seed')(1)\n",
    "annotated before": "import torch\nseed: int\nseed = 5\ntorch.manual_seed(seed)\n",
    "where an import fails": "try:\n    from a import b\nexcept ImportError:\n    b = 5\ntorch.manual_seed(b)\n",
    "of a class": "import torch\nclass C:\n    SEED = 5\ntorch.manual_seed(C.SEED)\n",
    "of a function around": "import torch\ndef f():\n    seed = 3\n    def g():\n        torch.manual_seed(seed)\n",
    "global": "import torch\ndef f():\n    global seed\n    seed = 3\n    torch.manual_seed(seed)\n",
}
FREE = {
    "entropy": "import os, torch\ntorch.manual_seed(int.from_bytes(os.urandom(8), 'little'))\n",
    "changed": "import torch\nseed = 1\nseed = fresh()\ntorch.manual_seed(seed)\n",
    "None": "import random\nrandom.seed(None)\n",
    "data seed": "import numpy as np\nrng = np.random.default_rng(problem.data_seed)\n",
    "loop over fresh ones": "import torch\nfor seed in draw(3):\n    torch.manual_seed(seed)\n",
    "changed from another function": "import torch\nseed = 1\ndef f():\n    global seed\n    seed = fresh()\n"
    "torch.manual_seed(seed)\n",
    "attribute that is changed": "import torch\nclass C:\n    seed = 5\nc.seed = fresh()\ntorch.manual_seed(C.seed)\n",
    "import that is replaced": "import torch\nfrom config import seed\nseed = fresh()\ntorch.manual_seed(seed)\n",
    "parameter of an import's name": "import torch\nfrom a import seed\ndef f(seed):\n    torch.manual_seed(seed)\n",
    "sum with a free one": "import torch\ntorch.manual_seed(seed + 1)\n",
}
IMPORTED = {
    "from": "from config import SEED\ntorch.manual_seed(SEED)\n",
    "from, renamed": "from config import SEED as S\ntorch.manual_seed(S + rank)\n",
    "from, beside a parameter": "from config import SEED; f = lambda SEED: 0\ntorch.manual_seed(SEED)\n",
    "module": "import config\ntorch.manual_seed(config.SEED)\n",
    "star": "from config import *\ntorch.manual_seed(SEED)\n",
    "FREE": "from config import FREE\ntorch.manual_seed(FREE)\n",
}
POSSIBLE = {
    "argparse": "p.add_argument('--seed', type=int, default=17)\n",
    "function": "import torch\ndef f(seed=17):\n    torch.manual_seed(seed)\n",
    "environment": "import os, torch\ntorch.manual_seed(int(os.environ.get('SEED', 17)))\n",
}


def fixed(**files):
    """(module, line) of every seed that the modules fix."""
    read = {f"{name}.py": read_python(text).seeds for name, text in files.items()}
    constants = constants_of((path, "", python) for path, python in read.items())
    return [(path[:-3], line) for path, p in read.items() for line, _, seed in p.fixed if is_constant(seed, constants)]


@pytest.mark.parametrize(("text", "found"), sides((FIXED.values(), FREE.values())), ids=[*FIXED, *FREE])
def test_a_constant_is_fixed_and_a_fresh_seed_is_free(text, found):
    assert len(fixed(a=text)) == found


@pytest.mark.parametrize("name", POSSIBLE)
def test_default_is_possible(name):
    assert 17 in {seed for _, seed in read_python(POSSIBLE[name]).seeds.possible}
    assert fixed(a=POSSIBLE[name]) == []


@pytest.mark.parametrize("name", IMPORTED)
def test_constants_of_another_module(name):
    base = "from origin import FIRST\nSEED = FIRST + 1\nFREE = fresh()\n"
    found = fixed(config=base, origin="FIRST = 2\n", train="import torch\n" + IMPORTED[name])
    assert found == ([] if "FREE" in name else [("train", 3)])


@pytest.mark.parametrize(
    ("text", "possible"),
    [
        ("f(x)[8_000_000_000] = g('9000000000')\nh(5)\n", ((1, 8_000_000_000), (1, 9_000_000_000))),
        ("torch.manual_seed(seed + 1)\n", ()),
        ("p.add_argument('--data-seed', default=17)\n", ()),
    ],
)
def test_large_literals_are_possible_seeds_and_operands_are_not(text, possible):
    assert read_python(text).seeds.possible == possible


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("config.yaml", "a: 1\nseed: 17\n", [(2, 17)]),
        ("config.json", '{"seed": 17,\n"data_seed": 18}', [(1, 17)]),
        ("run.sh", "#seed=1\nexport SEED=17\npython train.py --seed 18 --seed=19\n",
         [(2, 17), (3, 18), (3, 19)]),
        ("Makefile", "SEED := 1\nSEED = 17\n", [(1, 1), (2, 17)]),
        ("train.py", "seed: 17\n", []),
        ("config.yaml", "depth: 1\nseed: auto\nseed: 1.5\n", []),
    ],
)  # fmt: skip
def test_settings(name, text, found):
    assert list(settings(name, text)) == found


def test_names_and_imports_in_circles_are_no_constants():
    lines = [f"n{i} = n{i + 1} + n{i + 1}\nn{i} = n{(i + 7) % 40} * n{(i + 3) % 40}\n" for i in range(40)]
    assert fixed(a="import torch\n" + "".join(lines) + "torch.manual_seed(n0)\n") == []
    turn = "from {0} import A, B\nA = A + B\nB = A + A\nC = A + B\n"
    assert fixed(a=turn.format("b"), b=turn.format("a"), c="from a import C\nimport torch\ntorch.manual_seed(C)") == []


LINES = {
    "names": "n{0} = n{1} + n{2}\ntorch.manual_seed(n{0})\n",
    "one name": "s = s + 1\nmanual_seed(s)\n",
    "attributes": "a.s = b.s = c.s + 1\nmanual_seed(d.s)\n",
    "functions": "def f{0}(seed={0}, *, b=a.b.c.d):\n    global s\n    seed = seed + 1\n    random.seed(seed)\n",
    "uses": "os.system(a.b.c.d(getattr(x, y)))\n",
    "underscores": "manual_seed(" + "seed_" * 50 + "x)\n",
}


@pytest.mark.parametrize("name", LINES)
def test_work_is_linear(name):
    took = []
    for size in (1 << 12, 1 << 14):
        text, number = ["import torch, random\n"], 0
        while size > 0:
            text.append(LINES[name].format(number, number + 1, number * 7 % 1000))
            size, number = size - len(text[-1]), number + 1
        took.append(lines_run(lambda text=text: read_python("".join(text))))
    assert took[1] < 5 * took[0]
