"""Find constants that seed a generator, and numbers that may be seeds, in source. Nothing is executed.

A `fixed` place seeds a generator with a constant: a literal, a name that is only ever assigned constants (in its
function, at module level, as an attribute, or imported from another file of the same source), an expression of those,
or any of these combined with the rank. A `possible` one is a literal on a line that names a seed (a default, a
setting), or any literal of more than 32 bits. It is a fault only if a run logged that number.

This misses, and `trace.py` leaves to a person: constants that pass through parameters (unless the function's name says
that it sets a seed), containers, files or the environment; generators under another name (`f = torch.manual_seed`), or
called by `getattr`, `exec`, `functools.partial` or with `*args`; seeds that are computed by anything but operators
(`hash`, `len`), or in which the fresh seed is cancelled (`seed * 0`); states that are set instead of seeds; languages
other than Python.

Each node is visited a bounded number of times and each name is followed once, so a file takes time linear in its size.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

DEEPEST = 60  # levels of an expression, through the names in it
MOST_VALUES = 50  # assigned values of a name
MOST_NAMES = 4  # imported names in an expression
HOPS = 4  # files through which a constant may be imported
LARGE = 1 << 32  # a literal this large does not equal a seed by chance
ANYBODYS = re.compile(r"manual_seed(_all)?|default_rng|RandomState|SeedSequence|PCG64(DXSM)?|MT19937|Philox|PRNGKey")
LIBRARYS = re.compile(r"random\.(seed|key|Random)|(np|numpy|torch|cuda|cupy|cp|paddle|mx)\.seed|jax\.key")
OWN = re.compile(  # without two repetitions that compete for the same letters, because a name may be very long
    r"(?s)(init\w*_|(set|setup|fix|reset)_(?!data)(\w+_)?)seeds?(_.+)?|seed_(everything|all|\w*rngs?)"
)
KEYWORDS = ("seed", "entropy", "a", "x", "key")  # by which those calls take the seed
RANKS = re.compile(r"_*((local_|global_|world_|get_)?rank|worker(_id)?|process_index)", re.IGNORECASE)
CASTS = re.compile(r"int|abs|float|u?int(32|64)")
NAMED = re.compile(r"(?i)(?<!data[_-])(?<!dataset[_-])seed")
TEXTS = re.compile(r"(?i)\.(ya?ml|json|toml|cfg|ini|conf|env|\w*sh|slurm|sbatch|sub|lsf|pbs|job|mk|bat)$|file$")
NUMBER = re.compile(r"(?<![\w.])\d{1,39}(?![\w.])")
LONGEST_LINE = 20_000

# The leaves of a constant expression: literals, the rank, and imported names as (module, name).
LITERAL, RANK = "a literal", "the rank"
Leaves = frozenset


class Seeds(NamedTuple):
    """The seeds in a module. `fixed`: (line, its text, the seed). `possible`: (line, number)."""

    fixed: tuple[tuple[int, str, Leaves], ...] = ()
    possible: tuple[tuple[int, int], ...] = ()
    constants: dict[str, Leaves] = {}  # noqa: RUF012  of its module level; never changed


def seeds_of(tree: ast.Module, lines: Sequence[str]) -> Seeds:
    """Return the seeds in the module of a syntax tree."""
    return _Module(tree, lines).found()


def settings(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (line, number) of each number that a file of settings or a script may set a seed to. It is read line by
    line, since parsed YAML may unfold to much more."""
    for number, line in enumerate(text.split("\n") if TEXTS.search(name) else (), 1):
        if len(line) < LONGEST_LINE and NAMED.search(line) and not line.lstrip().startswith("#"):
            yield from ((number, int(match[0])) for match in NUMBER.finditer(line))


def constants_of(files: Iterable[tuple[str, str, Seeds]]) -> dict[tuple[str, str], Leaves]:
    """Return (module, name) -> constant, for files given as (name, name of the folder, seeds)."""
    named = ((folder if file == "__init__.py" else file.removesuffix(".py"), seeds) for file, folder, seeds in files)
    return {(module, name): value for module, seeds in named for name, value in seeds.constants.items()}


def is_constant(value: Leaves, constants: dict[tuple[str, str], Leaves], hops: int = HOPS) -> bool:
    """Return whether all imported names in a constant expression are constants."""
    names = [leaf for leaf in value if type(leaf) is tuple]
    return hops > 0 and all(n in constants and is_constant(constants[n], constants, hops - 1) for n in names)


class _Module:
    """The calls, literals, assignments and imports of a module, gathered in one walk. A scope is 0 for the module, "."
    for attributes, else the id of a function's node."""

    def __init__(self, tree: ast.Module, lines: Sequence[str]):
        self.lines = lines
        self.seeded = {number for number, line in enumerate(lines, 1) if NAMED.search(line)}
        self.assigned: dict[tuple, list] = defaultdict(list)  # (scope, name) -> the (expression, scope)s
        self.bound: Counter[tuple] = Counter()  # ... how often, by assignment or in any other way
        self.known: dict[tuple, Leaves | None] = {}  # ... what it always is
        self.imports: dict[str, str] = {}
        self.calls: list[tuple[ast.Call, object]] = []
        self.possible: set[tuple[int, int]] = set()
        self.operands: set[int] = set()
        todo: list[tuple[ast.AST, object]] = [(tree, 0)]
        while todo:
            node, scope = todo.pop()
            inner = self._visit(node, scope)
            todo.extend((child, inner) for child in ast.iter_child_nodes(node) if child._fields)

    def _visit(self, node: ast.AST, scope: object) -> object:
        """Record a node. Return the scope of its children."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            if type(node.ctx) is not ast.Load:
                self.bound[_place(node, scope)] += 1
        elif isinstance(node, ast.BinOp):
            self.operands |= {id(node.left), id(node.right)}
        elif isinstance(node, ast.Constant):
            number = _number(node.value)
            named = node.lineno in self.seeded and id(node) not in self.operands  # `seed + 1` sets nothing to 1
            if number is not None and (number >= LARGE or named):
                self.possible.add((node.lineno, int(number)))
        elif isinstance(node, ast.Call):
            self.calls.append((node, scope))
        elif isinstance(node, (ast.Assign, ast.NamedExpr, ast.AnnAssign)):
            if not (scope == "." and isinstance(node, ast.AnnAssign)):  # a dataclass's default
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, (ast.Name, ast.Attribute)) and node.value:
                        values = self.assigned[_place(target, scope)]
                        values += [(node.value, scope)] if len(values) < MOST_VALUES else []
        elif isinstance(node, ast.ImportFrom):
            self.imports.update((a.asname or a.name, f"{node.module or ''}.{a.name}") for a in node.names)
        elif isinstance(node, ast.Import):
            self.imports.update((a.asname, a.name) if a.asname else (a.name.split(".")[0],) * 2 for a in node.names)
        elif isinstance(node, ast.Global):
            self.bound.update((0, name) for name in node.names)
        elif isinstance(node, ast.arg):
            self.bound[scope, node.arg] += 1
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            self.bound[scope, getattr(node, "name", "")] += 1
            return "." if isinstance(node, ast.ClassDef) else id(node)
        return scope

    def found(self) -> Seeds:
        """Return the seeds of the module."""
        constants = {name: value for scope, name in self.assigned if scope == 0 and (value := self.of((0, name)))}
        return Seeds(tuple(self.fixed()), tuple(sorted(self.possible)), constants)

    def fixed(self) -> Iterator[tuple[int, str, Leaves]]:
        """Yield the calls that seed a generator with a constant."""
        for call, scope in self.calls:
            name = self.full(call.func)
            before, _, tail = name.rpartition(".")
            owned = f"{before.rpartition('.')[2]}.{tail}"
            if ANYBODYS.fullmatch(tail) or OWN.fullmatch(tail) or LIBRARYS.fullmatch(owned):
                given = [k.value for k in call.keywords if k.arg in KEYWORDS] or call.args
                value = self.fold(given[0], scope) if given else None
                if value and value != {RANK}:
                    yield call.lineno, self.lines[call.lineno - 1].strip()[:100], value

    def full(self, node: ast.AST) -> str:
        """Return the full name of an attribute chain, such as `numpy.random.seed`, with imported names resolved."""
        names: list[str] = []
        while isinstance(node, (ast.Attribute, ast.Call)) and len(names) < DEEPEST:
            if isinstance(node, ast.Attribute):
                names.append(node.attr)
            node = node.value if isinstance(node, ast.Attribute) else node.func
        if isinstance(node, ast.Name):
            star = "" if names or (0, node.id) in self.assigned else self.imports.get("*", "").removesuffix("*")
            names.append(self.imports.get(node.id, star + node.id))
        return ".".join(reversed(names))

    def of(self, place: tuple, depth: int = DEEPEST) -> Leaves | None:
        """Return the leaves of a name that is only assigned constants, None for any other name."""
        if place not in self.known:
            self.known[place] = None  # for now, since names may refer to themselves
            values = self.assigned.get(place, [])
            if values and len(values) >= self.bound[place]:
                self.known[place] = _join(self.fold(node, scope, depth - 1) for node, scope in values)
        return self.known[place]

    def fold(self, node: ast.AST, scope: object, depth: int = DEEPEST) -> Leaves | None:
        """Return the leaves of a constant expression, None for any other expression."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Constant):
            return None if _number(node.value) is None else Leaves((LITERAL,))
        if isinstance(node, (ast.UnaryOp, ast.BinOp, ast.IfExp, ast.List, ast.Tuple)):
            names = {"UnaryOp": ("operand",), "BinOp": ("left", "right"), "IfExp": ("body", "orelse")}
            parts = [getattr(node, name) for name in names.get(type(node).__name__, ())] or node.elts[:8]
            return _join(self.fold(part, scope, depth - 1) for part in parts)
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            return None
        name = self.full(node)
        module, _, tail = name.rpartition(".")
        if RANKS.fullmatch(tail):
            return Leaves((RANK,))
        if isinstance(node, ast.Call):
            return self.fold(node.args[0], scope, depth - 1) if node.args and CASTS.fullmatch(tail) else None
        for place in (_place(node, scope), *([(0, node.id)] if isinstance(node, ast.Name) else [])):
            if self.bound[place]:
                return self.of(place, depth)
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        known = isinstance(root, ast.Name) and (root.id in self.imports or "*" in self.imports)
        return Leaves(((module.rpartition(".")[2], tail),)) if module and known else None


def _place(node: ast.Name | ast.Attribute, scope: object) -> tuple:
    return (scope, node.id) if isinstance(node, ast.Name) else (".", node.attr)


def _number(value: object) -> int | float | None:
    """Return the number of a literal such as 5, 5.0 or "5", None for any other."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 40:
        return int(value)
    return value if type(value) in (int, float) and value == value and abs(value) < 1e300 else None


def _join(parts: Iterable[Leaves | None]) -> Leaves | None:
    """Return the leaves of several expressions together, None if one has none, or there are too many."""
    found = list(parts)
    joined = Leaves().union(*(part or () for part in found))
    return joined if joined and None not in found and len(joined) <= MOST_NAMES else None
