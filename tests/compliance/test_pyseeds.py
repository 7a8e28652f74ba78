"""Seeds fixed in Python source: followed through its syntax tree."""

import pytest

from compliance.pyseeds import Fixed, Possible, parse, seeds

FIXED = {
    "torch": "import torch\ntorch.manual_seed(0)\n",
    "all GPUs": "import torch\ntorch.cuda.manual_seed_all(1)\n",
    "alias": "import torch as t\nt.manual_seed(1)\n",
    "from import": "from torch import manual_seed\nmanual_seed(1)\n",
    "renamed import": "from torch import manual_seed as ms\nms(1)\n",
    "generator": "import torch\ng = torch.Generator().manual_seed(3)\n",
    "numpy": "import numpy as np\nnp.random.seed(4)\n",
    "default_rng": "import numpy as np\nrng = np.random.default_rng(5)\n",
    "default_rng by keyword": "import numpy as np\nrng = np.random.default_rng(seed=5)\n",
    "RandomState": "import numpy as np\nrng = np.random.RandomState(5)\n",
    "random": "import random\nrandom.seed(6)\n",
    "Random": "import random\nr = random.Random(6)\n",
    "tensorflow": "import tensorflow as tf\ntf.random.set_seed(7)\n",
    "jax": "import jax\nkey = jax.random.PRNGKey(8)\n",
    "new jax": "import jax\nkey = jax.random.key(8)\n",
    "lightning": "import lightning as pl\npl.seed_everything(9)\n",
    "constant": "import torch\nSEED = 10\ntorch.manual_seed(SEED)\n",
    "arithmetic": "import torch\nA = 5\nB = A * 2 + 1\ntorch.manual_seed(B << 2)\n",
    "local": "import torch\ndef f():\n    seed = 3\n    torch.manual_seed(seed)\n",
    "attribute": "import torch\nclass C:\n    def __init__(self):\n        self.s = 4\n    def go(self):\n"
    "        torch.manual_seed(self.s)\n",
    "by the rank": "import torch\ntorch.manual_seed(42 + rank)\n",
    "by get_rank": "import torch\ntorch.manual_seed(42 + torch.distributed.get_rank())\n",
    "own function": "import torch\ndef set_seed(s):\n    torch.manual_seed(s)\nset_seed(11)\n",
    "function of a function": "import torch\ndef a(s):\n    torch.manual_seed(s)\ndef b(x, s):\n    a(s)\nb('x', 12)\n",
    "method": "import torch\nclass T:\n    def seed_it(self, s):\n        torch.manual_seed(s)\nT().seed_it(13)\n",
    "both branches": "import torch\ntorch.manual_seed(1 if fast else 2)\n",
    "cast": "import torch\ntorch.manual_seed(int('14'))\n",
    "lambda": "import torch\nf = lambda: torch.manual_seed(15)\n",
}
FREE = {
    "entropy": "import os, torch\ntorch.manual_seed(int.from_bytes(os.urandom(8), 'little'))\n",
    "argument": "import torch\ndef f(seed):\n    torch.manual_seed(seed)\nf(fresh())\n",
    "changed": "import torch\nseed = 1\nseed = fresh()\ntorch.manual_seed(seed)\n",
    "no argument": "import numpy as np\nrng = np.random.default_rng()\n",
    "None": "import random\nrandom.seed(None)\n",
    "data seed": "import numpy as np\nrng = np.random.default_rng(problem.data_seed)\n",
    "another seed": "plant.seed(5)\n",
    "another key": "d.key(5)\n",
    "rehearsal": "import torch\nseed = args.rehearsal_seed if args.rehearsal_seed is not None else fresh()\n"
    "torch.manual_seed(seed)\n",
    "sum with a free one": "import torch\ntorch.manual_seed(seed + 1)\n",
}
POSSIBLE = {
    "argparse": "p.add_argument('--seed', type=int, default=17)\n",
    "argparse, constant": "D = 17\np.add_argument('--seed', default=D)\n",
    "function": "import torch\ndef f(seed=17):\n    torch.manual_seed(seed)\n",
    "environment": "import os, torch\ntorch.manual_seed(int(os.environ.get('SEED', 17)))\n",
    "environment, text": "import os, torch\ns = int(os.getenv('SEED', '17'))\ntorch.manual_seed(s)\n",
    "getattr": "import torch\ntorch.manual_seed(getattr(args, 'seed', 17))\n",
}


@pytest.mark.parametrize("name", FIXED)
def test_constant_is_fixed(name):
    found = seeds({"a.py": FIXED[name]})["a.py"]
    assert any(isinstance(f, Fixed) for f in found), found


@pytest.mark.parametrize("name", FREE)
def test_fresh_seed_is_free(name):
    assert seeds({"a.py": FREE[name]})["a.py"] == []


@pytest.mark.parametrize("name", POSSIBLE)
def test_default_is_possible(name):
    found = seeds({"a.py": POSSIBLE[name]})["a.py"]
    assert [f.seed for f in found if isinstance(f, Possible)] == [17]
    assert not any(isinstance(f, Fixed) for f in found)


def test_data_seeds_default_is_none_of_ours():
    assert seeds({"a.py": "p.add_argument('--data-seed', default=17)\n"})["a.py"] == []


def test_constants_of_another_module():
    files = {"config.py": "SEED = 3\n", "train.py": "import torch\nimport config\ntorch.manual_seed(config.SEED)\n"}
    assert [f.line for f in seeds(files)["train.py"]] == [3]


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 5000 + ")" * 5000,
        "x = " + "-" * 100_000 + "1",
        "x = " + "+".join("1" for _ in range(100_000)),
        "x = " + "[" * 300,
        "a" + ".a" * 100_000,
        "lambda:" * 20_000 + "1",
        "\0",
        "def f(:\n",
        "x = " + "9" * 10_000,
        "if 1:\n" + "".join(" " * i + "if 1:\n" for i in range(1, 200)),
    ],
    ids=lambda t: t[:12],
)
def test_pathological_source_is_parsed_or_refused(text):
    tree, line, why = parse(text)
    assert (tree is None) == bool(why)
    assert line >= 1
    seeds({"a.py": text})


def test_names_that_refer_to_each_other_take_no_time():
    lines = [f"n{i} = n{i + 1} + n{i + 1}\nn{i} = n{(i + 7) % 40} * n{(i + 3) % 40}\n" for i in range(40)]
    assert seeds({"a.py": "import torch\n" + "".join(lines) + "torch.manual_seed(n0)\n"}) == {"a.py": []}
