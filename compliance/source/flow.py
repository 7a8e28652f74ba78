"""Read from a module of Python what matters for tracing seeds: the values of names, calls, seedings, draws and logs.

`trace.py` follows a seed through the flows of all modules of a folder of source, after their syntax trees are freed.
"""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from compliance.source.module import FOREIGN, PARAMETER, Bound, Function, Module, Place, quoted
from compliance.source.seeds import OWN, SEEDERS, seed_of

DEEPEST = 40  # levels of an expression, and steps back to the log
MOST_NODES = 200  # nodes that are searched in the value of a rank's name
MOST_BOUND = 50  # assignments of a name that are followed
LEAST_MODULUS = (1 << 31) - 1  # so that 31 bits are left, with which one pair of runs in 2^31 shares a seed
MOST_SHIFT = 32  # bits of a 63-bit seed that may be dropped, which leaves 31
STATES = re.compile(r"(.*\.)?(set_rng_state(_all)?|set_state|setstate|__setstate__)")
TAKES_SEED = re.compile(r"(?i)(?!data_|dataset_)(\w*_)?(seed|random_state)")  # keywords of any call
DRAWS = re.compile(
    r"(torch)\.(rand|randn|randint|randperm|normal|bernoulli|multinomial|poisson)(_like)?"
    r"|(numpy)\.random\.(?!seed|set_state|get_state|default_rng)[a-z]\w*|(random)\.(?!seed|getstate|setstate)[a-z]\w*"
)
SEEDS_LIBRARY = re.compile(r"(torch)(?:\.random|\.cuda)?\.manual_seed(?:_all)?|(numpy)\.random\.seed|(random)\.seed")
HOLDS_SEED = re.compile(r"(?!(random|numpy\.random|torch(\.cuda)?)\.seed$).+\.seed")  # or a generator's method
KEEPS = re.compile(r".+\.(spawn|generate_state|initial_seed|jumped)")  # methods that keep the seed of their instance
PASSES = re.compile(  # ... of their first argument
    r"jax\.random\.(split|fold_in)|numpy\.random\.Generator|benchmark\.run\.seeds\.stream_seed"
)
TRUSTED = re.compile(r"(numpy|torch|jax|cupy|random|benchmark\.run\.seeds)\..+")  # libraries whose functions are known
RUNS = "benchmark.run.process.run_process"  # draws and logs the seed, and hands it to a function as `Setup.seed`
BESIDE = re.compile(
    r"(?i)(\w*_)?(rank|worker(_id)?|process_index|replica|shard|place|epoch|step|iteration|instance|index|idx|offset"
    r"|device|stage|fold|layer)s?|[ijkn]|get_(local_|world_)?rank|worker_id"
)
LOGS = re.compile(r"(.*\.)?(event|log_event|mllog_event|mllogger_event|mlperf_print|mlperf_log|log)")
TORCH: Place = (-2, "torch")  # the seed of PyTorch's own generator


class Value(NamedTuple):
    """The places from which an expression is computed. `of`: (place, line of use) of those that must be the logged
    seed. `beside`: names for ranks and the like that only shift it, and must not depend on the seed."""

    of: tuple[tuple[Place, int], ...] = ()
    beside: tuple[Place, ...] = ()


class Given(NamedTuple):
    """An assignment to a name, as in `Bound`. `value` is PARAMETER, or None for one that can't be followed."""

    last: int
    often: bool
    value: Value | str | None


class Call(NamedTuple):
    """A call, by the values of its arguments. `starred`: some of them are unpacked from a list or mapping."""

    values: tuple[Value | None, ...]
    keywords: tuple[tuple[str, Value | None], ...]
    starred: bool


class Seeding(NamedTuple):
    """A call in `line` that seeds a generator. `library` is set if it seeds that library's own generator."""

    line: int
    text: str
    value: Value | None
    library: str


@dataclass(frozen=True)
class Flow:
    """What tracing needs of a module.

    `bound`: place -> its assignments. `drawn`: (line, text, library) of draws from a library's own
    generator. `logged`: (place that is logged as the seed, None for an expression; line). `read`: names that are passed
    on without being called. `handed`: functions that `run_process` calls with the setup of the run.
    """

    bound: dict[Place, tuple[Given, ...]] = field(default_factory=dict)
    functions: tuple[Function, ...] = ()
    calls: dict[str, list[Call]] = field(default_factory=dict)
    seedings: tuple[Seeding, ...] = ()
    drawn: tuple[tuple[int, str, str], ...] = ()
    logged: tuple[tuple[Place | None, int], ...] = ()
    read: frozenset[str] = frozenset()
    handed: frozenset[str] = frozenset()
    set_elsewhere: frozenset[str] = frozenset()  # attributes that are set on anything but a method's own instance


def read_flow(module: Module, lines: Sequence[str]) -> Flow:
    """Return the flow of a module. It does not refer to the syntax tree."""
    return _Reader(module, lines).flow()


class _Reader:
    def __init__(self, module: Module, lines: Sequence[str]):
        self.module, self.lines = module, lines

    def flow(self) -> Flow:
        calls: dict[str, list[Call]] = defaultdict(list)
        seedings: list[Seeding] = []
        drawn: list[tuple[int, str, str]] = []
        logged: list[tuple[Place | None, int]] = []
        handed: dict[int, str] = {}
        for node, scope in self.module.calls:
            name, imported = self.module.full(node.func)
            tail = name.rpartition(".")[2]
            calls[tail].append(self.call(node, scope))
            seedings += self.seedings(node, scope, name)
            drawn += self.draws(node, name, imported)
            if name == RUNS and imported and not self.rebound(node.func):
                handed |= self.handed(node)
            if LOGS.fullmatch(name):
                logged += self.logs(node, scope)
        seedings += self.passed_on()
        return Flow(
            {
                (scope, name): tuple(self.given(name, b) for b in bound[: MOST_BOUND + 1])
                for (scope, name), bound in self.module.bound.items()
            },
            tuple(self.module.functions),
            dict(calls),
            tuple(seedings),
            tuple(drawn),
            tuple(logged),
            frozenset(_tail(node) for node, _ in self.module.reads if id(node) not in handed),
            frozenset(handed.values()),
            frozenset(self.set_elsewhere()),
        )

    def handed(self, node: ast.Call) -> dict[int, str]:
        """Return the name of the function that a call of `run_process` takes, by its node's identity."""
        given = next((k.value for k in node.keywords if k.arg == "train"), (*node.args, *[None] * 5)[4])
        return {id(given): _tail(given)} if isinstance(given, (ast.Name, ast.Attribute)) else {}

    def set_elsewhere(self) -> Iterator[str]:
        """Yield the attributes that are set on anything but a method's own instance."""
        yield from (name[1:] for scope, name in self.module.bound if scope == FOREIGN)
        for call, _ in self.module.calls:
            if self.module.full(call.func)[0].rpartition(".")[2] in ("setattr", "__setattr__"):
                yield from (a.value for a in call.args[:2] if isinstance(a, ast.Constant) and type(a.value) is str)

    def given(self, name: str, bound: Bound) -> Given:
        """Return what a name is given. For one that may stand beside the seed, that is every place that its value
        mentions."""
        value: Value | str | None = PARAMETER if bound.value is PARAMETER else None
        if isinstance(bound.value, ast.AST) and not BESIDE.fullmatch(name.lstrip(".")):
            value = self.value(bound.value, bound.scope)
        elif isinstance(bound.value, ast.AST):
            nodes = itertools.islice(ast.walk(bound.value), MOST_NODES)
            names = [n for n in nodes if isinstance(n, (ast.Name, ast.Attribute))]
            places = {place for n in names if (place := self.module.place(n, bound.scope))}
            value = Value(tuple((place, bound.last + 1) for place in sorted(places)))
        return Given(bound.last, bound.often, value)

    def call(self, node: ast.Call, scope: int) -> Call:
        starred = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
        keywords = tuple((k.arg, self.value(k.value, scope)) for k in node.keywords if k.arg)
        return Call(tuple(self.value(a, scope) for a in node.args), keywords, starred)

    def seedings(self, node: ast.Call, scope: int, name: str) -> Iterator[Seeding]:
        """Yield the seeding if the call is one."""
        text = quoted(self.lines, node.lineno)
        if STATES.fullmatch(name):
            yield Seeding(node.lineno, f"{text}: sets a generator's state", None, "")
        elif (own := OWN.fullmatch(name.rpartition(".")[2])) or SEEDERS.fullmatch(name):
            given = seed_of(node)
            if given is not None or not own:
                library = SEEDS_LIBRARY.fullmatch(name)
                whose = next(filter(None, library.groups())) if library else ""
                yield Seeding(node.lineno, text, self.entropy(given, scope), whose)
        else:
            for keyword in node.keywords:
                if keyword.arg and TAKES_SEED.fullmatch(keyword.arg):
                    yield Seeding(node.lineno, text, self.value(keyword.value, scope), "")

    def passed_on(self) -> Iterator[Seeding]:
        """Yield the seeders that are passed on instead of called, and the states that are set."""
        for node, _ in self.module.reads:
            name, imported = self.module.full(node)
            if (
                (imported or isinstance(node, ast.Attribute))
                and SEEDERS.fullmatch(name)
                and not HOLDS_SEED.fullmatch(name)
            ):
                yield Seeding(node.lineno, f"{quoted(self.lines, node.lineno)}: a seeder that is passed on", None, "")
        for node, scope in self.module.sets:
            place = self.module.place(node, scope)
            if node.attr == "state" and place and place[0] == FOREIGN:
                yield Seeding(node.lineno, f"{quoted(self.lines, node.lineno)}: sets a generator's state", None, "")

    def draws(self, node: ast.Call, name: str, imported: bool) -> Iterator[tuple[int, str, str]]:
        match = DRAWS.fullmatch(name) if imported else None
        if match and not any(k.arg == "generator" for k in node.keywords):
            yield node.lineno, quoted(self.lines, node.lineno), match[1] or match[4] or match[5]

    def logs(self, node: ast.Call, scope: int) -> Iterator[tuple[Place | None, int]]:
        """Yield (place, line) of the logged value if the call logs the seed."""
        key = next((k.value for k in node.keywords if k.arg in ("key", "name")), node.args[0] if node.args else None)
        tail = self.module.full(key)[0].rpartition(".")[2] if key is not None else ""
        if tail == "SEED" or (isinstance(key, ast.Constant) and key.value == "seed"):
            value = next((k.value for k in node.keywords if k.arg in ("value", "val")), (*node.args, None, None)[1])
            yield self.module.place(value, scope) if value else None, node.lineno

    def entropy(self, node: ast.expr | None, scope: int, depth: int = DEEPEST) -> Value | None:
        """Return the value of a seeder's argument, which may also be a list of numbers with the seed."""
        if not isinstance(node, (ast.List, ast.Tuple)):
            return self.value(node, scope, depth)
        parts = [self.value(part, scope, depth) for part in node.elts[:8]]
        return _both(parts) if len(node.elts) <= 8 else None

    def value(self, node: ast.expr | None, scope: int, depth: int = DEEPEST) -> Value | None:
        """Return the value of an expression, None if it can't be followed."""
        if depth <= 0 or node is None:
            return None
        if isinstance(node, ast.Constant):
            return Value() if type(node.value) is int else None
        if isinstance(node, ast.BinOp):
            return self.arithmetic(node, scope, depth)
        if isinstance(node, ast.IfExp):
            parts = [self.value(n, scope, depth - 1) for n in (node.body, node.orelse)]
            return _both(parts) if all(p and p.of for p in parts) else None
        if isinstance(node, ast.NamedExpr):
            return self.value(node.value, scope, depth - 1)
        if isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
            return self.value(node.operand, scope, depth - 1)
        if isinstance(node, ast.Call):
            return self.called(node, scope, depth)
        name: ast.expr = node
        while isinstance(name, ast.Subscript):
            name = name.value
        if not isinstance(name, (ast.Name, ast.Attribute)):
            return self.value(name, scope, depth - 1) if isinstance(name, ast.Call) else None
        place = self.module.place(name, scope)
        if BESIDE.fullmatch(_tail(name)):
            return Value(beside=(place,) if place else ())
        if place and place[0] == FOREIGN and place[1] == ".seed" and isinstance(name, ast.Attribute):
            owner = self.module.place(name.value, scope)
            place = (owner[0], owner[1] + ".seed") if owner else None  # `run.seed`, where `run` may be a run's setup
        return Value(((place, node.lineno),)) if place and place[0] != FOREIGN else None

    def arithmetic(self, node: ast.BinOp, scope: int, depth: int) -> Value | None:
        left, right = self.value(node.left, scope, depth - 1), self.value(node.right, scope, depth - 1)
        if left is None or right is None or (left.of and right.of):
            return None
        if isinstance(node.op, (ast.Add, ast.Sub, ast.BitXor)) or not (left.of or right.of):
            return _both([left, right])
        number = _literal(node.right)
        if right.of or number is None:
            return None
        wide = isinstance(node.op, ast.Mod) and number >= LEAST_MODULUS
        wide |= isinstance(node.op, ast.BitAnd) and number >= LEAST_MODULUS and not number & (number + 1)
        wide |= isinstance(node.op, ast.RShift) and number <= MOST_SHIFT
        return left if wide else None

    def called(self, node: ast.Call, scope: int, depth: int) -> Value | None:
        name, imported = self.module.full(node.func)
        first = node.args[0] if node.args else None
        if BESIDE.fullmatch(name.rpartition(".")[2]):
            return Value() if not node.args and not node.keywords else None
        if name == "int" and self.module.place(node.func, scope) is None:
            return self.value(first, scope, depth - 1) if len(node.args) == 1 and not node.keywords else None
        if imported and TRUSTED.fullmatch(name) and not self.rebound(node.func):
            if name == "torch.initial_seed":
                return Value(((TORCH, node.lineno),))
            if SEEDERS.fullmatch(name):
                return self.entropy(seed_of(node), scope, depth - 1)
            if PASSES.fullmatch(name):
                return self.value(seed_of(node), scope, depth - 1)
        if KEEPS.fullmatch(name) and isinstance(node.func, ast.Attribute):
            return self.value(node.func.value, scope, depth - 1)
        return None

    def rebound(self, node: ast.AST) -> bool:
        """Return whether the root of a chain is an imported name that is also assigned."""
        while isinstance(node, (ast.Attribute, ast.Call)):
            node = node.value if isinstance(node, ast.Attribute) else node.func
        return isinstance(node, ast.Name) and node.id in self.module.rebound


def _tail(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _both(values: Sequence[Value | None]) -> Value | None:
    """Return the value of an expression of several parts, None if one can't be followed."""
    followed = [value for value in values if value]
    if len(followed) < len(values):
        return None
    of = tuple(dict.fromkeys(x for value in followed for x in value.of))
    beside = tuple(dict.fromkeys(x for value in followed for x in value.beside))
    return Value(of, beside) if len(of) <= 4 and len(beside) <= 8 else None


def _literal(node: ast.AST) -> int | None:
    """Return the integer of a literal, or of arithmetic on literals such as 2**63 - 1; None for anything else."""
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int and node.value.bit_length() <= 128 else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _literal(node.left), _literal(node.right)
    if left is None or right is None or not 0 <= right <= 1 << 64:
        return None
    if isinstance(node.op, ast.Sub):
        return left - right
    if right <= 64 and isinstance(node.op, (ast.Pow, ast.LShift)):
        return left**right if isinstance(node.op, ast.Pow) and abs(left) <= 16 else left << right
    return None
