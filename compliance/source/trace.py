"""Whether what a random generator is seeded with is the seed that the run logs, followed through a folder of source.

The seed is what the one call `event("seed", name)` of the folder logs, where no line behind the last assignment of the
name changes it. From there it may pass through names, through the parameters of functions that are called by their
names alone, through attributes of an instance, and through arithmetic that keeps runs apart: plus and minus and XOR
with literals and with names for ranks, epochs and the like; a remainder or a mask of 31 bits or more; `int`;
`SeedSequence` and what it spawns; another generator's seed. Whatever else it may have passed through, only a person can
follow.

What this can't see: a generator that is written out in arithmetic; a call in code that never runs, such as a second log
or a dead function; a rank that a function computes from the seed.
"""

import ast
import itertools
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from compliance.source.module import FOREIGN, PARAMETER, Bound, Function, Module, Place

DEEPEST = 40  # of an expression, and of the way back to the log
MOST_NODES = 200  # of an expression that a rank's name is given
MOST_BOUND = 50  # assignments of a name that are followed
MOST_CALLS = 50  # calls of a function whose arguments are followed
LEAST_MODULUS = (1 << 31) - 1  # what PyTorch and NumPy take for a seed is that wide; two runs in 2^31 then meet
MOST_SHIFT = 32  # bits that may be dropped of a 63-bit seed, for the same 31
LONGEST = 100  # characters of a line that are repeated
SEEDERS = re.compile(
    r"(.*\.)?(manual_seed(_all)?|default_rng|RandomState|SeedSequence|PCG64(DXSM)?|MT19937|Philox|SFC64|PRNGKey"
    r"|random\.(seed|key|Random)|set_random_seed|from_seed|wrap_key_data)|.+\.(seed|set_seed)"
)
OWN = re.compile(r"(.*\.)?((set|init\w*|setup|fix|reset)_(?!data)(\w+_)?seeds?(_\w+)?|seed_(everything|all|\w*rngs?))")
STATES = re.compile(r"(.*\.)?(set_rng_state(_all)?|set_state|setstate|__setstate__)")
SEED_NAMES = ("seed", "entropy", "a", "x", "key")  # of a seeder's keywords, for the seed
TAKES_SEED = re.compile(r"(?i)(?!data_|dataset_)(\w*_)?(seed|random_state)")  # keywords of any call
DRAWS = re.compile(
    r"(torch)\.(rand|randn|randint|randperm|normal|bernoulli|multinomial|poisson)(_like)?"
    r"|(numpy)\.random\.(?!seed|set_state|get_state|default_rng)[a-z]\w*|(random)\.(?!seed|getstate|setstate)[a-z]\w*"
)
SEEDS_LIBRARY = re.compile(r"(torch)(?:\.random|\.cuda)?\.manual_seed(?:_all)?|(numpy)\.random\.seed|(random)\.seed")
KEEPS = re.compile(r".+\.(spawn|generate_state|initial_seed|jumped)")  # methods, of their instance
PASSES = re.compile(r"jax\.random\.(split|fold_in)|numpy\.random\.Generator")  # functions, of their first argument
TRUSTED = re.compile(r"(numpy|torch|jax|cupy|random)\..+")  # libraries whose seeders do what they say
BESIDE = re.compile(
    r"(?i)_*(\w+_)?(rank|worker(_id)?|process_index|replica|shard|place|epoch|step|iteration|instance|index|idx|offset"
    r"|device|stage|fold|layer)s?|[ijkn]|get_(local_|world_)?rank|worker_id"
)
LOGS = re.compile(r"(.*\.)?(event|log_event|mllog_event|mllogger_event|mlperf_print|mlperf_log|log)")
TORCH: Place = (-2, "torch")  # the seed of PyTorch's own generator


class Value(NamedTuple):
    """An expression that tells runs apart by what it is made `of`, (place, line of use), with names `beside` it that
    only move it: all of the first must be the logged seed, and none of the others may depend on it."""

    of: tuple[tuple[Place, int], ...] = ()
    beside: tuple[Place, ...] = ()


class Call(NamedTuple):
    """A call of anything, by the values of its arguments. `starred`: some of them are unpacked."""

    values: tuple[Value | None, ...]
    keywords: tuple[tuple[str, Value | None], ...]
    starred: bool


class Seeding(NamedTuple):
    """A call that seeds a generator of `library`, in `line`."""

    line: int
    text: str
    value: Value | None
    library: str


@dataclass(frozen=True)
class Flow:
    """What a module hands on. `drawn`: (line, text, library) of draws from a library's own generator. `logged`: the
    places that are logged as the seed, None for an expression, and where. `read`: names that are passed on uncalled."""

    bound: dict[Place, tuple[tuple[Bound, Value | None], ...]] = field(default_factory=dict)
    functions: tuple[Function, ...] = ()
    calls: dict[str, list[Call]] = field(default_factory=dict)
    seedings: tuple[Seeding, ...] = ()
    drawn: tuple[tuple[int, str, str], ...] = ()
    logged: tuple[tuple[Place | None, int], ...] = ()
    read: frozenset[str] = frozenset()
    set_elsewhere: frozenset[str] = frozenset()  # attributes that are set on anything but a method's own instance


def read_flow(module: Module, lines: Sequence[str]) -> Flow:
    """What a module hands on, without its syntax tree."""
    return _Reader(module, lines).flow()


def untraced(flows: Sequence[Flow]) -> list[list[tuple[int, str]]]:
    """For each module of a folder the places that a person must follow: (line, what is there)."""
    trace = _Trace(flows)
    return [sorted(set(trace.found(index))) for index in range(len(flows))]


class _Reader:
    def __init__(self, module: Module, lines: Sequence[str]):
        self.module, self.lines = module, lines

    def flow(self) -> Flow:
        calls, seedings, drawn, logged = defaultdict(list), [], [], []
        for node, scope in self.module.calls:
            name, imported = self.module.full(node.func)
            tail = name.rpartition(".")[2]
            calls[tail].append(self.call(node, scope))
            seedings += self.seedings(node, scope, name)
            drawn += self.draws(node, name, imported)
            if LOGS.fullmatch(name):
                logged += self.logs(node, scope)
        seedings += self.passed_on()
        return Flow(
            {place: self.values(place[1], bound) for place, bound in self.module.bound.items()},
            tuple(self.module.functions),
            dict(calls),
            tuple(seedings),
            tuple(drawn),
            tuple(logged),
            frozenset(node.id if isinstance(node, ast.Name) else node.attr for node, _ in self.module.reads),
            frozenset(self.set_elsewhere()),
        )

    def set_elsewhere(self) -> Iterator[str]:
        """Attributes that are set on anything but a method's own instance."""
        yield from (name[1:] for scope, name in self.module.bound if scope == FOREIGN)
        for call, _ in self.module.calls:
            if self.module.full(call.func)[0].rpartition(".")[2] in ("setattr", "__setattr__"):
                yield from (a.value for a in call.args[:2] if isinstance(a, ast.Constant) and type(a.value) is str)

    def values(self, name: str, bound: list[Bound]) -> tuple[tuple[Bound, Value | None], ...]:
        return tuple(
            (
                replace(b, value=PARAMETER if b.value is PARAMETER else None),
                self.bound(b, BESIDE.fullmatch(name.lstrip("."))),
            )
            for b in bound[: MOST_BOUND + 1]
        )

    def bound(self, bound: Bound, beside: object) -> Value | None:
        """What a name is given; one that may stand beside the seed is given all that its value mentions."""
        if not isinstance(bound.value, ast.AST):
            return None
        if not beside:
            return self.value(bound.value, bound.scope)
        nodes = itertools.islice(ast.walk(bound.value), MOST_NODES)
        places = {self.module.place(n, bound.scope) for n in nodes if isinstance(n, (ast.Name, ast.Attribute))}
        return Value(tuple((place, bound.last + 1) for place in sorted(places - {None})))

    def text(self, line: int) -> str:
        return self.lines[line - 1].strip()[:LONGEST] if line <= len(self.lines) else ""

    def call(self, node: ast.Call, scope: int) -> Call:
        starred = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
        keywords = tuple((k.arg, self.value(k.value, scope)) for k in node.keywords if k.arg)
        return Call(tuple(self.value(a, scope) for a in node.args), keywords, starred)

    def seedings(self, node: ast.Call, scope: int, name: str) -> Iterator[Seeding]:
        """The call, if it seeds something."""
        text = self.text(node.lineno)
        if STATES.fullmatch(name):
            yield Seeding(node.lineno, f"{text}: sets a generator's state", None, "")
        elif SEEDERS.fullmatch(name) or OWN.fullmatch(name):
            given = self.seed_of(node)
            if given is not None or not OWN.fullmatch(name):
                library = SEEDS_LIBRARY.fullmatch(name)
                yield Seeding(
                    node.lineno, text, self.entropy(given, scope), library[library.lastindex] if library else ""
                )
        else:
            for keyword in node.keywords:
                if keyword.arg and TAKES_SEED.fullmatch(keyword.arg):
                    yield Seeding(node.lineno, text, self.value(keyword.value, scope), "")

    def seed_of(self, node: ast.Call) -> ast.AST | None:
        """What a seeder is given."""
        return next((k.value for k in node.keywords if k.arg in SEED_NAMES), node.args[0] if node.args else None)

    def passed_on(self) -> Iterator[Seeding]:
        """Seeders that are not called but handed on, and states that are set."""
        for node, _ in self.module.reads:
            name, imported = self.module.full(node)
            if (imported or isinstance(node, ast.Attribute)) and SEEDERS.fullmatch(name) and not _own_seed(name):
                yield Seeding(node.lineno, f"{self.text(node.lineno)}: a seeder that is passed on", None, "")
        for node, scope in self.module.sets:
            if node.attr == "state" and self.module.place(node, scope)[0] == FOREIGN:
                yield Seeding(node.lineno, f"{self.text(node.lineno)}: sets a generator's state", None, "")

    def draws(self, node: ast.Call, name: str, imported: bool) -> Iterator[tuple[int, str, str]]:
        match = DRAWS.fullmatch(name) if imported else None
        if match and not any(k.arg == "generator" for k in node.keywords):
            yield node.lineno, self.text(node.lineno), match[1] or match[4] or match[5]

    def logs(self, node: ast.Call, scope: int) -> Iterator[tuple[Place | None, int]]:
        """Where the call logs the seed: the place of what it logs."""
        key = next((k.value for k in node.keywords if k.arg in ("key", "name")), node.args[0] if node.args else None)
        tail = self.module.full(key)[0].rpartition(".")[2] if key is not None else ""
        if tail == "SEED" or (isinstance(key, ast.Constant) and key.value == "seed"):
            value = next((k.value for k in node.keywords if k.arg in ("value", "val")), (*node.args, None, None)[1])
            yield self.module.place(value, scope), node.lineno

    def entropy(self, node: ast.AST | None, scope: int) -> Value | None:
        """The value of a seeder's argument, which may be a list of numbers, the seed among them."""
        if not isinstance(node, (ast.List, ast.Tuple)):
            return self.value(node, scope)
        parts = [self.value(part, scope) for part in node.elts[:8]]
        return _both(parts) if len(node.elts) <= 8 else None

    def value(self, node: ast.AST | None, scope: int, depth: int = DEEPEST) -> Value | None:
        """What an expression is made of, or None where that is not shown."""
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
        name = node
        while isinstance(name, ast.Subscript):
            name = name.value
        if not isinstance(name, (ast.Name, ast.Attribute)):
            return self.value(name, scope, depth - 1) if isinstance(name, ast.Call) and name is not node else None
        place = self.module.place(name, scope)
        if BESIDE.fullmatch(name.attr if isinstance(name, ast.Attribute) else name.id):
            return Value(beside=(place,) if place else ())
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
                return self.entropy(self.seed_of(node), scope)
            if PASSES.fullmatch(name):
                return self.value(first, scope, depth - 1)
        of_itself = KEEPS.fullmatch(name) and isinstance(node.func, ast.Attribute)
        return self.value(node.func.value, scope, depth - 1) if of_itself else None

    def rebound(self, node: ast.AST) -> bool:
        """Whether the root of a chain is an imported name that something else is called, too."""
        while isinstance(node, (ast.Attribute, ast.Call)):
            node = node.value if isinstance(node, ast.Attribute) else node.func
        return isinstance(node, ast.Name) and node.id in self.module.rebound


class _Trace:
    """The way back from seedings to what is logged."""

    def __init__(self, flows: Sequence[Flow]):
        self.flows = flows
        self.known: dict[tuple[int, Place], bool] = {}
        self.read = frozenset[str]().union(*(flow.read for flow in flows))
        self.set_elsewhere = frozenset[str]().union(*(flow.set_elsewhere for flow in flows))
        self.calls: dict[str, list[tuple[int, Call]]] = defaultdict(list)
        self.functions = [{f.scope: f for f in flow.functions} for flow in flows]
        for index, flow in enumerate(flows):
            for name, calls in flow.calls.items():
                self.calls[name] += [(index, call) for call in calls]
        logged = [(index, place, line) for index, flow in enumerate(flows) for place, line in flow.logged]
        self.root, self.behind = self._root(*logged[0]) if len(logged) == 1 else (None, 0)
        self.seeded: set[str] = set()
        self.seeded = {
            seeding.library
            for index, flow in enumerate(flows)
            for seeding in flow.seedings
            if seeding.library and self._traced(index, seeding.value)
        }
        self.known.clear()  # what follows from PyTorch's own seed is known only now

    def found(self, index: int) -> Iterator[tuple[int, str]]:
        """(line, what is there) of a module's seedings and draws that do not follow from the logged seed."""
        flow = self.flows[index]
        for seeding in flow.seedings:
            if not self._traced(index, seeding.value):
                yield seeding.line, seeding.text
        for line, text, library in flow.drawn:
            if library not in self.seeded:
                yield line, text

    def _root(self, index: int, place: Place | None, line: int) -> tuple[tuple[int, Place] | None, int]:
        """(the place whose value is logged as the seed, the last line that changes it)"""
        bound = self.flows[index].bound.get(place, ()) if place else ()
        if not 0 < len(bound) <= MOST_BOUND or any(b.often or b.last >= line for b, _ in bound):
            return None, 0
        return (index, place), max(b.last for b, _ in bound)

    def _traced(self, index: int, value: Value | None, depth: int = DEEPEST) -> bool:
        """Whether a value is the logged seed's."""
        if value is None or not value.of or depth <= 0:
            return False
        return all(self._place(index, place, line, depth) for place, line in value.of) and not any(
            self._depends(index, place) for place in value.beside
        )

    def _place(self, index: int, place: Place, line: int, depth: int) -> bool:
        if place == TORCH:
            return "torch" in self.seeded
        if (index, place) == self.root:
            return line > self.behind
        if (index, place) not in self.known:
            self.known[index, place] = False  # until it is known: names may refer to themselves
            bound = self.flows[index].bound.get(place, ())
            alone = place[1][0] != "." or place[1][1:] not in self.set_elsewhere
            self.known[index, place] = (
                0 < len(bound) <= MOST_BOUND and alone and all(self._given(index, place, *b, depth - 1) for b in bound)
            )
        return self.known[index, place]

    def _given(self, index: int, place: Place, bound: Bound, value: Value | None, depth: int) -> bool:
        """Whether a name's value is the seed's in one of its assignments."""
        if bound.value is not PARAMETER:
            return self._traced(index, value, depth)
        function = self.functions[index].get(place[0])
        if function is None or function.strange or function.name in self.read:
            return False
        calls = self.calls.get(function.name, ())
        if not 0 < len(calls) <= MOST_CALLS:
            return False
        given = ((i, *_argument(call, function, place[1])) for i, call in calls)
        return all(known and self._traced(i, value, depth) for i, known, value in given)

    def _depends(self, index: int, place: Place, depth: int = DEEPEST) -> bool:
        """Whether a rank, or what is called so, may be computed from the seed: its value, or what is given for it."""
        if depth <= 0:
            return True
        places = range(len(self.flows)) if place[0] == FOREIGN else [index]
        bound = [(i, *b) for i in places for b in self.flows[i].bound.get(place, ())[: MOST_BOUND + 1]]
        return len(bound) > MOST_BOUND or any(self._mentions(i, place, *b, depth - 1) for i, *b in bound)

    def _mentions(self, index: int, place: Place, bound: Bound, value: Value | None, depth: int) -> bool:
        function = self.functions[index].get(place[0])
        values = [(index, value or Value())]
        if bound.value is PARAMETER and function:
            calls = self.calls.get(function.name, ())
            values = [(i, _argument(c, function, place[1])[1]) for i, c in calls[: MOST_CALLS + 1]]
        return len(values) > MOST_CALLS or any(
            v is None
            or any(self._place(i, p, line, DEEPEST) for p, line in v.of)
            or any(self._depends(i, p, depth // 2) for p in v.beside)
            for i, v in values
        )


def _argument(call: Call, function: Function, name: str) -> tuple[bool, Value | None]:
    """(whether it is shown what a call gives for a parameter, its value)"""
    named = dict(call.keywords).get(name.removeprefix("."), ...)
    at = function.parameters.index(name) if name in function.parameters else -1
    if call.starred or at < 0:
        return False, None
    if named is not ...:
        return True, named
    return (True, call.values[at]) if at < len(call.values) else (False, None)


def _both(values: Sequence[Value | None]) -> Value | None:
    """The value of what is made of several."""
    if None in values:
        return None
    of, beside = (tuple(dict.fromkeys(x for v in values for x in v[part])) for part in (0, 1))
    return Value(of, beside) if len(of) <= 4 and len(beside) <= 8 else None


def _literal(node: ast.AST) -> int | None:
    """The number that a literal, or an arithmetic of two of them such as 2**63 - 1, is."""
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


def _own_seed(name: str) -> bool:
    """Whether `x.seed` may be an attribute that holds a seed, and no generator's method."""
    return name.rpartition(".")[2] == "seed" and not re.fullmatch(r"(random|numpy\.random|torch(\.cuda)?)\.seed", name)
