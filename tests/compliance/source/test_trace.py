"""The seed of a generator followed to the log: seeded sources, each with its finding, and honest ones without any."""

import pytest

from compliance.source.flow import DEEPEST, LEAST_MODULUS, MOST_BOUND, MOST_SHIFT
from compliance.source.python import read_python
from compliance.source.trace import MOST_CALLS, untraced
from tests.support.effort import lines_run
from tests.support.sides import sides

START = """import os, random, hashlib, functools
import numpy as np
import torch

def main(log, args, config, rank, loader):
    seed = int.from_bytes(os.urandom(8), "big") >> 1
    log.event("seed", seed, source="os.urandom")
"""
SEEDED = {  # what follows START, in its function or, where it begins with a line end, on the module's level
    "literal": "torch.manual_seed(42)  #! SEED06",
    "alias": "f = torch.manual_seed  #! CODE02\nf(42)",
    "alias of a name": "f = manual_seed  #! CODE02\nTOP\nfrom torch import manual_seed",
    "lambda": "f = lambda s: torch.manual_seed(s)  #! CODE02\nf(42)",
    "unpacked arguments": "torch.manual_seed(*[42])  #! CODE02",
    "arguments of a list": "order(*[42])\nTOP\ndef order(seed):\n    torch.manual_seed(seed)  #! CODE02",
    "arguments of a dict": "order(**config)\nTOP\ndef order(seed):\n    torch.manual_seed(seed)  #! CODE02",
    "not": "torch.manual_seed(not seed)  #! CODE02",
    "digits": "torch.manual_seed(int(seed, 10))  #! CODE02\ntorch.manual_seed(int(config.first, seed))  #! CODE02",
    "method of the seed": "torch.manual_seed(seed.bit_length())  #! CODE02",
    "nine numbers": "g = np.random.default_rng([seed, 1, 2, 3, 4, 5, 6, 7, 8])  #! CODE02",
    "draws of a wrong seed": "np.random.seed(config.first)  #! CODE02\nnp.random.shuffle(loader)  #! CODE02",
    "own name for it": "fix_seeds(config.first)  #! CODE02\nTOP\ndef fix_seeds(seed):\n    pass",
    "hash": "torch.manual_seed(hash('scaffold'))  #! CODE02\ntorch.manual_seed(hash(seed))  #! CODE02",
    "call that is given the seed": "torch.manual_seed(seed + get_rank(seed))  #! CODE02",
    "cancelled by zero": "torch.manual_seed(seed * 0 + 42)  #! CODE02",
    "cancelled by another name": "other = seed\ntorch.manual_seed(seed - other)  #! CODE02",
    "cancelled by a rank": "rank = 42 - seed\ntorch.manual_seed(seed + rank)  #! CODE02",
    "chosen": "torch.manual_seed(seed if args.fresh else 42)  #! CODE02",
    "list that is gone through": "for s in [seed, 42]:\n    torch.manual_seed(s)  #! CODE02",
    "changed behind the log": "seed = loader.first()\ntorch.manual_seed(seed)  #! CODE02",
    "set back by a loop": "for seed in range(3):\n    torch.manual_seed(seed)  #! CODE02",
    "changed from within": "def change():\n    nonlocal seed\n    seed = loader.first()\nchange()\n"
    "torch.manual_seed(seed)  #! CODE02",
    "set_state": "np.random.RandomState(seed).set_state(loader.state)  #! CODE02",
    "state of a bit generator": "g = np.random.default_rng(seed)\ng.bit_generator.state = loader.state  #! CODE02",
    "other entropy": "torch.manual_seed(int.from_bytes(os.urandom(8), 'big'))  #! CODE02",
    "no seed": "g = np.random.default_rng()  #! CODE02",
    "draws that nothing seeds": "np.random.shuffle(loader)  #! CODE02",
    "draws of random that nothing seeds": "random.shuffle(loader)  #! CODE02",
    "method seed": "r = loader.generator\nr.seed(config.first)  #! CODE02",
    "keyword of a sampler": "s = loader.sampler(seed=42)  #! CODE02",
    "default of a function": "\ndef order(seed=42):\n    torch.manual_seed(seed)  #! CODE02\norder()",
    "one call of two": "\ndef order(s):\n    torch.manual_seed(s)  #! CODE02\ndef a(seed):\n    order(seed)\norder(42)",
    "function that is handed on": "\ndef order(s):\n    torch.manual_seed(s)  #! CODE02\nlist(map(order, [1]))",
    "function that nobody calls": "\ndef order(seed):\n    torch.manual_seed(seed)  #! CODE02",
    "decorated function": "\n@functools.wraps(main)\ndef order(seed):\n    torch.manual_seed(seed)  #! CODE02\n"
    "order(1 << 60)",
    "attribute of an instance": "\nclass T:\n    def __init__(self, s):\n        self.s = s\n    def go(self):\n"
    "        torch.manual_seed(self.s)  #! CODE02\nT(42).go()",
    "attribute that is set from outside": "\nclass T:\n    def __init__(self, log):\n        self.s = s = os.getpid()\n"
    "    def go(self):\n        torch.manual_seed(self.s)  #! CODE02\nt = T()\nt.s = 42",
    "names that refer to each other": "\na = b\nb = a\ntorch.manual_seed(a)  #! CODE02",
    "int of its own": "int = config.first\ntorch.manual_seed(int(seed))  #! CODE02",
    "SeedSequence that is another": "from numpy.random import SeedSequence\n"
    "torch.manual_seed(SeedSequence(seed))  #! CODE02\nTOP\ndef SeedSequence(x):\n    return 42",
    "split of its own": "torch.manual_seed(split(seed))  #! CODE02\nTOP\ndef split(x):\n    return 42",
    "cancelled by an attribute": "config.offset = 42 - seed\ntorch.manual_seed(seed + config.offset)  #! CODE02",
    "cancelled by an attribute of its own": "T(seed).go()\nTOP\nclass T:\n    def __init__(self, s):\n"
    "        self.s = s\n        self.offset = -(s // 1)\n    def go(self):\n"
    "        torch.manual_seed(self.s + self.offset)  #! CODE02",
    "cancelled by a parameter": "order(seed, 42 - seed)\nTOP\ndef order(seed, rank):\n"
    "    torch.manual_seed(seed + rank)  #! CODE02",
    "attribute that setattr sets": "T(seed).go()\nTOP\nclass T:\n    def __init__(self, s):\n        self.s = s\n"
    "        object.__setattr__(self, 's', 42)\n    def go(self):\n        torch.manual_seed(self.s)  #! CODE02",
    "own helper": "from tools import set_seed\nset_seed(config.first)  #! CODE02",
    "rank of a function with an argument": "torch.manual_seed(seed + rank_of(config))  #! CODE02\nTOP\n"
    "def rank_of(config):\n    return config.rank",
}
HONEST = {
    "by rank and epoch": "for epoch in range(3):\n    torch.manual_seed(seed + 1000 * epoch + rank)",
    "generator of PyTorch": "g = torch.Generator()\ng.manual_seed(seed)\nx = torch.randperm(8, generator=g)",
    "by the rank that a call gives": "torch.manual_seed(seed + get_rank())",
    "list": "g = np.random.default_rng([seed, rank])\ng = np.random.default_rng([seed, 1, 2, 3, 4, 5, 6, 7])",
    "whole": "torch.manual_seed(int(~seed))",
    "draws": "np.random.seed(seed)\nrandom.seed(seed)\nnp.random.shuffle(loader)\nrandom.shuffle(loader)",
    "SeedSequence by steps": "s = np.random.SeedSequence([seed, rank])\nchildren = s.spawn(4)\n"
    "for child in children:\n    g = np.random.default_rng(child)",
    "generate_state": "s = np.random.SeedSequence(seed)\nnp.random.seed(s.generate_state(1)[0])",
    "data loader's workers": "torch.manual_seed(seed)\ndef begin(worker_id):\n"
    "    np.random.seed(torch.initial_seed() % 2**32)",
    "jax": "import jax\nkey = jax.random.PRNGKey(seed % 2**32)\na, b = jax.random.split(key)\n"
    "key = jax.random.fold_in(key, rank)",
    "either": "torch.manual_seed(seed if rank == 0 else seed + rank)",
    "walrus": "torch.manual_seed(s := seed)",
    "function by keyword": "order(epoch=3, seed=seed)\nTOP\ndef order(*, seed, epoch):\n"
    "    torch.manual_seed(seed + epoch)",
    "dataclass": "Run(3, seed)\nTOP\nfrom dataclasses import dataclass\n@dataclass(frozen=True)\nclass Run:\n"
    "    n: int\n    seed: int\n    def go(self, epoch: int) -> None:\n"
    "        torch.manual_seed((self.seed + 1 + (epoch << 32)) % 2**63)",
    "by an attribute that is set": "config.epoch = 3\ntorch.manual_seed(seed + config.epoch)",
    "own helper": "set_seed(seed)\nTOP\ndef set_seed(seed):\n    random.seed(seed)\n    np.random.seed(seed % 2**32)\n"
    "    torch.manual_seed(seed)",
}


def source(more):
    """START with more: in its function, or behind a line TOP or a first empty line on the module's level."""
    body, _, top = ("", "", more[1:]) if more.startswith("\n") else more.partition("TOP\n")
    return START + "".join(f"    {line}\n" for line in body.splitlines()) + top + "\n"


@pytest.mark.parametrize(("more", "found"), sides((SEEDED.values(), HONEST.values())), ids=[*SEEDED, *HONEST])
def test_seeded_source_is_found_and_honest_source_is_not(as_marked, more, found):
    assert ("#!" in more) is found
    as_marked(source(more))


TWICE = START + "    torch.manual_seed(seed)  #! CODE02\n    other = config.first\n    log.event('seed', other)\n"
AT_ONCE = START.replace("\n    log", "; log") + "    torch.manual_seed(seed)  #! CODE02\n"
NEVER = "import torch\ndef main(seed):\n    torch.manual_seed(seed)  #! CODE02\n"


@pytest.mark.parametrize("text", [TWICE, NEVER, AT_ONCE])
def test_seed_is_not_followed_unless_one_line_logs_one(as_marked, text):
    as_marked(text)


RUN = """import time
from types import SimpleNamespace
import numpy as np
import torch
from benchmark.run import seeds
from benchmark.run.process import run_process
from benchmark.run.seeds import Stream, stream_seed

class Network:
    def __init__(self, config, seed):
        self.words = np.random.RandomState(stream_seed(seed, Stream.WEIGHTS))

    def train(self, epoch, batches):
        pass

def train(run):
    network = Network(run.config, run.seed)
    network.train(1, [])
    model.train()
"""
END = "run_process(options, acme, Config, folder, train)\n"
OF_A_RUN = {  # what follows RUN in `train`
    "PyTorch": "torch.manual_seed(seeds.stream_seed(run.seed, seeds.Stream.WEIGHTS))",
    "by keyword": "torch.manual_seed(stream_seed(seed=run.seed, stream=Stream.WEIGHTS))",
    "the seed itself": "torch.manual_seed(run.seed)",
    "a setting of that name": "setattr(config, 'name', 'seed')\ntorch.manual_seed(run.seed)",
    "by a name": "first = run\nseed = first.seed\ntorch.manual_seed(stream_seed(seed, Stream.WEIGHTS))",
    "by a function": "build(run)\nTOP\ndef build(run):\n    torch.manual_seed(stream_seed(run.seed, Stream.WEIGHTS))",
    "by an instance": "Work(run).go()\nTOP\nclass Work:\n    def __init__(self, run):\n        self.run = run\n"
    "    def go(self):\n        torch.manual_seed(stream_seed(self.run.seed, Stream.WEIGHTS))",
}
OF_NO_RUN = {
    "constant": "torch.manual_seed(stream_seed(42, Stream.WEIGHTS))  #! CODE02",
    "cancelled": "torch.manual_seed(stream_seed(run.seed * 0, Stream.WEIGHTS))  #! CODE02",
    "its own stream_seed": "torch.manual_seed(mine(run.seed))  #! CODE02\nTOP\ndef mine(seed):\n    return 7",
    "stream_seed of another": "from .seeds import stream_seed as mine\ntorch.manual_seed(mine(run.seed))  #! CODE02",
    "another's seed": "run = SimpleNamespace(seed=time.time())  #! CODE02\ntorch.manual_seed(run.seed)  #! CODE02",
    "seed that is set": "object.__setattr__(run, 'seed', time.time())\ntorch.manual_seed(run.seed)  #! CODE02",
    "seed that is assigned": "run.seed = time.time()\ntorch.manual_seed(run.seed)  #! CODE02",
    "one of two setups": "build(run)\nbuild(config)\nTOP\ndef build(run):\n    torch.manual_seed(run.seed)  #! CODE02",
    "no setup": "def other(run):\n    torch.manual_seed(run.seed)  #! CODE02\nother(config)",
    "seed of a seed": "seed = draw()\nlog.event('seed', seed)\ntorch.manual_seed(seed.seed)  #! CODE02",
}


def of_a_run(more, end=END):
    body, _, top = more.partition("TOP\n")
    return RUN + "".join(f"    {line}\n" for line in body.splitlines()) + top + "\n" + end


@pytest.mark.parametrize("name", OF_A_RUN)
def test_what_follows_from_the_seed_of_the_run_is_accepted(as_marked, name):
    as_marked(of_a_run(OF_A_RUN[name]))


@pytest.mark.parametrize("name", OF_NO_RUN)
def test_what_does_not_is_found(look, name):
    text = of_a_run(OF_NO_RUN[name])
    wanted = {n for n, line in enumerate(text.split("\n"), 1) if "#! CODE02" in line}
    wanted |= {11} if name in ALL else set()
    assert {line for _, line, code in look({"train.py": text}) if code == "CODE02"} == wanted


# Where no setup is believed, that of the network neither.
ALL = ("another's seed", "seed that is set", "seed that is assigned", "seed of a seed")


def test_the_function_may_be_given_by_its_keyword(as_marked):
    as_marked(of_a_run(OF_A_RUN["PyTorch"], END.replace("train", "train=train")), "train.py")
    as_marked(of_a_run(OF_A_RUN["PyTorch"], END.replace("folder, train", "train=train, folder=folder")), "train.py")


@pytest.mark.parametrize(
    "end",
    [
        "",
        "train(SimpleNamespace(seed=SEED))\n" + END,
        "f = train\n" + END,
        END.replace("train", "lambda run: train(run)"),
        "from .process import run_process\n" + END,
        "from .train import train as own\nrun = own(*[config])\n" + END,
    ],
)
def test_a_function_that_others_call_gets_no_setup(look, end):
    text = of_a_run(OF_A_RUN["PyTorch"], end)
    line = next(n for n, line in enumerate(text.split("\n"), 1) if "manual_seed(" in line)
    found = {line for _, line, code in look({"train.py": text}) if code == "CODE02"}
    assert {11, line} <= found


@pytest.mark.parametrize(
    "call", ["log.event(key=constants.SEED, value=seed)", "mllogger.event(SEED, seed)", "mlperf_print('seed', seed)"]
)
def test_spellings_of_the_log(as_marked, call):
    as_marked(f"import torch\ndef main(mllogger, log):\n    seed = draw()\n    {call}\n    torch.manual_seed(seed)\n")


def test_seed_is_followed_from_file_to_file(as_marked):
    other = "import torch\ndef order(n, seed):\n    return torch.Generator().manual_seed(seed)\n"
    path = "implementations/acme/order.py"
    call = "from .order import order\n"
    assert as_marked(call + source("order(3, seed)"), **{path: other}) == []
    assert as_marked(call + source("order(seed, 3)"), **{path: other}) == [(path, 3, "CODE02")]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("seed % {}", {LEAST_MODULUS - 1: 1, LEAST_MODULUS: 0, LEAST_MODULUS + 1: 0}),
        ("seed & {}", {(LEAST_MODULUS >> 1): 1, LEAST_MODULUS: 0, 2 * LEAST_MODULUS + 1: 0, LEAST_MODULUS + 1: 1}),
        ("seed >> {}", {MOST_SHIFT - 1: 0, MOST_SHIFT: 0, MOST_SHIFT + 1: 1}),
    ],
)
def test_what_is_left_of_a_seed_is_wide(look, text, found):
    for number, wanted in found.items():
        given = {"train.py": source(f"torch.manual_seed({text.format(number)})")}
        assert len(look(given)) == wanted, number


MANY_VALUES = ("s = seed\n", MOST_BOUND, "torch.manual_seed(s)")
MANY_CALLS = ("order(seed)\n", MOST_CALLS, "TOP\ndef order(seed):\n    torch.manual_seed(seed)")


@pytest.mark.parametrize(("line", "most", "end"), [MANY_VALUES, MANY_CALLS])
@pytest.mark.parametrize(("beyond", "found"), [(-1, 0), (0, 0), (1, 1)])
def test_names_of_many_values_or_calls_are_not_followed(look, line, most, end, beyond, found):
    assert len(look({"train.py": source(line * (most + beyond) + end)})) == found


def test_chains_without_end_are_not_followed(look):
    chain = "".join(f"n{i} = n{i + 1}\n" for i in range(3000)) + "n3000 = n0\ntorch.manual_seed(n0)\n"
    assert [code for *_, code in look({"train.py": source("\n" + chain)})] == ["CODE02"]
    deep = source("torch.manual_seed(" + "int(" * 90 + "seed" + ")" * 90 + ")")
    assert [code for *_, code in look({"train.py": deep})] == ["CODE02"]


THREE = "np.random.SeedSequence({}).spawn(1)[0]"  # levels in one


@pytest.mark.parametrize(
    "level",
    [
        *("int({})", "~({})", "({} + 1)", "(1 + {})", "({} if rank else seed)", "(seed if rank else {})", "(s := {})"),
        *("{}.spawn(1)", "np.random.SeedSequence({})", "np.random.Generator({})", THREE),
    ],
)
def test_expressions_are_followed_to_a_depth(level):
    most = (DEEPEST - 1) // (3 if level == THREE else 1)
    for levels, wanted in ((most, True), (most + 1, False)):
        text = "seed"
        for _ in range(levels):
            text = level.format(text)
        (call,) = read_python(source(f"f({text})")).flow.calls["f"]
        assert (call.values[0] is not None) is wanted


LINES = {
    "seeds": "torch.manual_seed(seed + rank + {0})\n",
    "functions": "def f{0}(seed, rank):\n    torch.manual_seed(seed + rank)\nf{0}(seed, rank)\n",
    "one function": "def f(seed):\n    torch.manual_seed(seed)\nf(seed)\n",
    "names": "n{0} = n{1}\ntorch.manual_seed(n{0})\n",
}


@pytest.mark.parametrize("name", LINES)
def test_work_is_linear(name):
    """Counted in lines that run, which no other process changes."""
    took = []
    for size in (1 << 14, 1 << 16):
        text, number = [START], 0
        while size > 0:
            text.append(LINES[name].format(number, number + 1))
            size, number = size - len(text[-1]), number + 1
        flow = read_python("".join(text)).flow
        took.append(lines_run(lambda flow=flow: untraced([flow])))
    assert took[0] > 0 and took[1] < 5 * took[0]
