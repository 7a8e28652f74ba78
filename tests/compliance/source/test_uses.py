"""What source does beside training: each use at its line, by whatever name; what training needs is no use."""

import ast

import pytest

from compliance.source.module import gather
from compliance.source.uses import (
    CLOCK,
    HIDDEN,
    NATIVE,
    NETWORK,
    PATCH,
    PROCESS,
    TELLS,
    TEXT,
    UNPACK,
    WEIGHTS,
    WRITES,
    use_of_name,
    uses_of,
)

USES = {
    "subprocess": (PROCESS, "import subprocess  #! CODE03\nsubprocess.run(['date'])  #! CODE03\n"),
    "system": (PROCESS, "import os\nos.system('date')  #! CODE03\n"),
    "system by getattr": (PROCESS, "import os\ngetattr(os, 'system')('date')  #! CODE03\n"),
    "system as a value": (PROCESS, "import os\nrun = os.system  #! CODE03\n"),
    "urllib": (NETWORK, "from urllib.request import urlopen  #! CODE03\nurlopen('http://x')  #! CODE03\n"),
    "exec": (TEXT, "exec('a = 1')  #! CODE03\n"),
    "exec in other letters": (TEXT, "\uff45\uff58\uff45\uff43('a = 1')  #! CODE03\n"),
    "annotation": (TEXT, "def f(a: exec('x = 1')):  #! CODE03\n    pass\n"),
    "ctypes": (NATIVE, "import ctypes  #! CODE03\nctypes.CDLL(None)  #! CODE03\n"),
    "computed getattr": (HIDDEN, "f = getattr(x, a + b)  #! CODE03\n"),
    "computed setattr": (HIDDEN, "setattr(x, a, 1)  #! CODE03\n"),
    "computed import": (HIDDEN, "from importlib import import_module\nm = import_module(a)  #! CODE03\n"),
    "import of a name": (PROCESS, "import importlib\nimportlib.import_module('subprocess')  #! CODE03\n"),
    "globals": (HIDDEN, "globals()['f'] = 1  #! CODE03\n"),
    "module's dictionary": (HIDDEN, "import os\nos.__dict__['system']('date')  #! CODE03\n"),
    "vars of a module": (HIDDEN, "import os\nvars(os)['system']('date')  #! CODE03\n"),
    "module by another name": (HIDDEN, "import os\no = os  #! CODE03\n"),
    "all of a module's names": (HIDDEN, "from os import *  #! CODE03\n"),
    "torch.load": (WEIGHTS, "import torch\nw = torch.load('w.pt')  #! CODE03\n"),
    "safetensors": (WEIGHTS, "from safetensors.torch import load_file  #! CODE03\n"),
    "pretrained": (WEIGHTS, "m = resnet50(pretrained=True)  #! CODE03\n"),
    "clock": (CLOCK, "import time\ntime.clock_settime(0, 0)  #! CODE03\n"),
    "preloaded clock": (CLOCK, "a = {'LD_PRELOAD': 'x.so'}  #! CODE03\n"),
    "clock replaced": (PATCH, "import time\ntime.time = lambda: 0  #! CODE03\n"),
    "metric replaced by setattr": (PATCH, "from benchmark import metric\nsetattr(metric, 'dice', f)  #! CODE03\n"),
    "weights in hexadecimal": (UNPACK, "w = bytes.fromhex('00')  #! CODE03\n"),
    "computed __setattr__": (HIDDEN, "object.__setattr__(self, a, 1)  #! CODE03\n"),
    "other bytecode in the end": (
        PATCH,
        "import os, sys\nsys.pycache_prefix = os.devnull  #! CODE03\nsys.pycache_prefix = 'a'  #! CODE03\n",
    ),
    "exec by __call__": (HIDDEN, "exec.__call__('a = 1')  #! CODE03\n"),
    "operator of a library": (NATIVE, "import torch\ny = torch.ops.acme.dice(x)  #! CODE03\n"),
    "entry points": (HIDDEN, "from importlib.metadata import entry_points  #! CODE03\n"),
    "tensor of a file": (WEIGHTS, "import torch\nw = torch.UntypedStorage.from_file('w')  #! CODE03\n"),
    "shared memory": (HIDDEN, "from multiprocessing import shared_memory  #! CODE03\n"),
    "another writer of the log": (
        PATCH,
        "from benchmark.log import LogWriter\nclass Log(LogWriter):  #! CODE03\n    pass\n",
    ),
}
CLOCKED = "import benchmark.clock as c\n"
USES |= {
    "module's own __setattr__": (PATCH, f"{CLOCKED}c.__setattr__('a', 5)  #! CODE03\n"),
    "module's own __delattr__": (PATCH, f"{CLOCKED}c.__delattr__('a')  #! CODE03\n"),
    "field of a frozen object taken away": (PATCH, "object.__delattr__(problem, 'target')  #! CODE03\n"),
    "module in a tuple": (HIDDEN, f"{CLOCKED}for m in (c,):  #! CODE03\n    m.a = 5\n"),
    "module passed on": (HIDDEN, f"{CLOCKED}f(c)  #! CODE03\n"),
    "module of the own package": (HIDDEN, "from . import evaluate\nm = evaluate  #! CODE03\n"),
    "module by its full name": (HIDDEN, "import benchmark.clock\nm = benchmark.clock  #! CODE03\n"),
    "file written by its path": (WRITES, "f = path.open('w')  #! CODE03\n"),
    "file opened in some mode": (WRITES, "f = open(path, mode=m)  #! CODE03\n"),
    "descriptor opened": (WRITES, "import os\nf = os.fdopen(3, 'w')  #! CODE03\n"),
    "file replaced by its path": (WRITES, "a.replace(b)  #! CODE03\n"),
    "file removed": (WRITES, "path.with_name('ledger.jsonl').unlink()  #! CODE03\n"),
}
NONE = {
    "file that is read": "with open(path, 'rb') as a, path.open() as b, open(path, encoding='utf-8') as c:\n    pass\n",
    "text with another word": "a = text.replace('a', 'b')\nb = date.replace(year=2026)\n",
    "module that is used by its name": "from benchmark import clock\nimport json\na = json.dumps(clock.now_ms())\n",
    "writer of the log": "from benchmark.log import LogWriter\nlog = LogWriter(f)\n",
    "YAML": "import yaml\na = yaml.safe_load(f)\n",
    "field of a frozen dataclass": "class A:\n    def f(self):\n        object.__setattr__(self, 'a', 1)\n",
    "clock that is read": "import time\nstart = time.perf_counter()\ntime.sleep(1)\n",
    "regular expression": "import re\np = re.compile('a')\n",
    "attribute by its name": "a = getattr(config, 'depth', 3)\n",
    "whether a module has it": "import os\nb = hasattr(os, 'sched_getaffinity')\n",
    "fields": "a = vars(args)\n",
    "settings of PyTorch": "import torch\ntorch.backends.cudnn.benchmark = True\n",
    "address": "from urllib.parse import quote\n",
    "version": "from importlib.metadata import version\n",
    "class that is its own": "class Net:\n    def __init__(self):\n        self.socket = 1\n        self.exec = 2\n",
    "names that are like them": "pickle = 1\nsocket = pickle\nrequests.append(pickle)\n",
    "module that is not imported": "os.system('date')\n",
    "names that are like a module's": "import os, mine\nos.systems()\nmine.exec()\nacme.os.system(1)\n",
    "module of its own": "from .pickle import load\nfrom . import subprocess\nload(subprocess)\n",
    "not pretrained": "m = resnet50(pretrained=False)\n",
    "text": "s = 'import subprocess; exec(1)'\n# eval('1')\n",
    "weights that are written": "from safetensors.torch import save, save_file\nsave({})\nsave_file({}, 'w')\n"
    "from safetensors.numpy import save as write\nwrite({})\n",
    "no cached bytecode": "import os, sys\nsys.pycache_prefix = os.devnull\n",
}


@pytest.mark.parametrize("name", USES)
def test_use_is_found(as_marked, name):
    kind, text = USES[name]
    assert "#!" in text
    as_marked(text)
    module = gather(ast.parse(text))
    assert kind in {found for _, found, _ in uses_of(module, text.split("\n"))}


def test_what_may_tell_a_replay_is_a_use():
    lines = ["import os, sys", "a = os.getenv('RANK')", "b = 'replay' in sys.argv[0]"]
    assert uses_of(gather(ast.parse("\n".join(lines))), lines) == [(n, TELLS, lines[n - 1]) for n in (2, 3)]


@pytest.mark.parametrize("text", NONE.values(), ids=NONE)
def test_what_training_needs_is_no_use(as_marked, text):
    as_marked(text)


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [
        ("run.sh", "export LD_PRELOAD=libfaketime.so\ncurl https://x | bash\n", [1, 2]),
        ("run.sh", "date -s 2026-01-01\neval $(cat x)\npython -c 'a = 1'\n", [1, 2, 3]),
        ("run.sh", "# curl\necho evaluated curlew; srun python train.py --config a\ndate\n", []),
        ("a.yaml", "run: !!python/object/apply:os.system [date]\n", [1]),
        ("Makefile", "all:\n\tpip install acme\n", [2]),
        ("notes.md", "curl https://x\n", []),
    ],
)
def test_scripts_are_read_line_by_line(look, name, text, lines):
    path = f"implementations/acme/{name}"
    assert look({path: text}) == [(path, line, "CODE03") for line in lines]


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("sitecustomize.py", "a module that Python runs by itself"),
        ("random.py", "a module that may be loaded in place of random"),
        ("torch/__init__.py", "a module that may be loaded in place of torch"),
        ("random.yaml", ""),
        ("randoms.py", ""),
    ],
)
def test_a_modules_name_says_what_it_does(look, name, found):
    path = f"implementations/acme/{name}"
    assert use_of_name(("source", "a", *path.split("/"))) == found
    assert look({path: "a = 1\n"}) == [(path, 1, "CODE03")] * bool(found)


def test_a_line_is_named_once_for_each_kind():
    text = "import os, pickle\nos.system(pickle.loads(b'')); os.system('x')\n"
    found = [(line, kind) for line, kind, _ in uses_of(gather(ast.parse(text)), text.split("\n"))]
    assert found == [(1, WEIGHTS), (2, WEIGHTS), (2, PROCESS)]
