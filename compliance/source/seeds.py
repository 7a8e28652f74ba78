"""Find constants that seed a generator, and numbers that may be seeds, in source. Nothing is executed.

A `fixed` place seeds a generator with a constant: a literal, a name that is only ever assigned constants (in its
function, at module level, as an attribute, or imported from another file of the same source), an expression of those,
or any of these combined with the rank. A `possible` one is a literal on a line that names a seed (a default, a
setting), or any literal of more than 32 bits. It is a fault only if a run logged that number.

This misses, and `trace.py` leaves to a person: constants that pass through parameters (unless the function's name says
that it sets a seed), containers, files or the environment; generators under another name (`f = torch.manual_seed`), or
called by `exec`, `functools.partial` or with `*args`; seeds that are computed by anything but operators
(`hash`, `len`), or in which the fresh seed is cancelled (`seed * 0`); states that are set instead of seeds; languages
other than Python.

Each node is visited a bounded number of times and each name is followed once, so a file takes time linear in its size.
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from compliance.source.module import FOREIGN, IMPORT, Bound, Module, Place, quoted

DEEPEST = 60  # levels of an expression, through the names in it
MOST_VALUES = 50  # assigned values of a name
MOST_NAMES = 4  # imported names in an expression
HOPS = 4  # files through which a constant may be imported
LARGE = 1 << 32  # a literal this large does not equal a seed by chance
# What seeds a generator: names that nothing else has, of libraries, and of a submission's own functions.
ANYBODYS = (
    r"manual_seed(_all)?|default_rng|RandomState|SeedSequence|PCG64(DXSM)?|MT19937|Philox|SFC64|PRNGKey"
    r"|set_random_seed|from_seed|wrap_key_data"
)
LIBRARYS = r"random\.(seed|key|Random)|(np|numpy|torch|cuda|cupy|cp|paddle|mx)\.seed|jax\.key"
SEEDS_CERTAINLY = re.compile(rf"(.*\.)?({ANYBODYS}|{LIBRARYS})")
SEEDERS = re.compile(rf"{SEEDS_CERTAINLY.pattern}|.+\.(seed|set_seed)")  # and whatever else may seed one
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
Leaves = frozenset[str | tuple[str, str]]


class Seeds(NamedTuple):
    """The seeds in a module. `fixed`: (line, its text, the seed). `possible`: (line, number)."""

    fixed: tuple[tuple[int, str, Leaves], ...] = ()
    possible: tuple[tuple[int, int], ...] = ()
    constants: dict[str, Leaves] = {}  # noqa: RUF012  of its module level; never changed


def seeds_of(module: Module, lines: Sequence[str]) -> Seeds:
    """Return the seeds in a module."""
    found = _Constants(module)
    return Seeds(tuple(found.fixed(lines)), tuple(sorted(_possible(module, lines))), found.exported())


def lines_of(name: str, text: str) -> Iterator[tuple[int, str]]:
    """Yield (number, line) of each line of a file of settings or a script that is no comment, none of other files. It
    is read line by line, since parsed YAML may unfold to much more."""
    for number, line in enumerate(text.split("\n") if TEXTS.search(name) else (), 1):
        if len(line) < LONGEST_LINE and not line.lstrip().startswith("#"):
            yield number, line


def settings(name: str, text: str) -> Iterator[tuple[int, int]]:
    """Yield (line, number) of each number that a file of settings or a script may set a seed to."""
    for number, line in lines_of(name, text):
        if NAMED.search(line):
            yield from ((number, int(match[0])) for match in NUMBER.finditer(line))


def constants_of(files: Iterable[tuple[str, str, Seeds]]) -> dict[tuple[str, str], Leaves]:
    """Return (module, name) -> constant, for files given as (name, name of the folder, seeds)."""
    named = ((folder if file == "__init__.py" else file.removesuffix(".py"), seeds) for file, folder, seeds in files)
    return {(module, name): value for module, seeds in named for name, value in seeds.constants.items()}


def is_constant(value: Leaves, constants: dict[tuple[str, str], Leaves], hops: int = HOPS) -> bool:
    """Return whether all imported names in a constant expression are constants."""
    names = [leaf for leaf in value if not isinstance(leaf, str)]
    return hops > 0 and all(n in constants and is_constant(constants[n], constants, hops - 1) for n in names)


def seed_of(call: ast.Call) -> ast.expr | None:
    """Return the argument that a seeder takes for the seed."""
    return next((k.value for k in call.keywords if k.arg in KEYWORDS), call.args[0] if call.args else None)


def _possible(module: Module, lines: Sequence[str]) -> set[tuple[int, int]]:
    """Return (line, number) of the literals that may be seeds. `seed + 1` sets nothing to 1."""
    named = {number for number, line in enumerate(lines, 1) if NAMED.search(line)}
    numbers = ((line, _number(value), operand) for line, value, operand in module.literals)
    return {
        (line, int(number))
        for line, number, operand in numbers
        if number is not None and (number >= LARGE or (line in named and not operand))
    }


class _Constants:
    """The names, attributes and expressions of a module that always have constant values. An attribute has a value for
    all objects together: what any of them is given."""

    def __init__(self, module: Module):
        self.module = module
        self.known: dict[Place, Leaves | None] = {}
        self.attributes: dict[str, list[Bound]] = defaultdict(list)
        self.given: dict[Place | None, list[Bound]] = {}  # what a name is given otherwise than by an import
        for (scope, name), bound in module.bound.items():
            self.given[scope, name] = [b for b in bound if b.value is not IMPORT]
            if name[0] == "." or scope in module.classes:
                self.attributes[name.removeprefix(".")] += bound

    def exported(self) -> dict[str, Leaves]:
        """Return the constants at module level, by their names."""
        places = [place for place in self.module.bound if place[0] == 0]
        return {place[1]: value for place in places if (value := self.of(place, self.given[place]))}

    def fixed(self, lines: Sequence[str]) -> Iterator[tuple[int, str, Leaves]]:
        """Yield the calls that seed a generator with a constant."""
        for call, scope in self.module.calls:
            name = self.module.full(call.func)[0]
            if SEEDS_CERTAINLY.fullmatch(name) or OWN.fullmatch(name.rpartition(".")[2]):
                given = seed_of(call)
                value = self.fold(given, scope) if given else None
                if value and value != {RANK}:
                    yield call.lineno, quoted(lines, call.lineno), value

    def of(self, place: Place, bound: Sequence[Bound], depth: int = DEEPEST) -> Leaves | None:
        """Return the leaves of a name or attribute that is only given constants, None for any other."""
        if place not in self.known:
            self.known[place] = None  # for now, since names may refer to themselves
            given = [(b.value, b.scope) for b in bound if isinstance(b.value, ast.AST)]
            if 0 < len(bound) == len(given) <= MOST_VALUES:
                self.known[place] = _join(self.fold(value, scope, depth - 1) for value, scope in given)
        return self.known[place]

    def fold(self, node: ast.AST, scope: int, depth: int = DEEPEST) -> Leaves | None:
        """Return the leaves of a constant expression, None for any other expression."""
        if depth <= 0:
            return None
        if isinstance(node, ast.Constant):
            return None if _number(node.value) is None else Leaves((LITERAL,))
        if parts := _parts(node):
            return _join(self.fold(part, scope, depth - 1) for part in parts)
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
            return None
        name, imported = self.module.full(node)
        module, _, tail = name.rpartition(".")
        if RANKS.fullmatch(tail):
            return Leaves((RANK,))
        if isinstance(node, ast.Call):
            return self.fold(node.args[0], scope, depth - 1) if node.args and CASTS.fullmatch(tail) else None
        if isinstance(node, ast.Attribute):
            place: Place | None = (FOREIGN, f".{node.attr}")
            bound = self.attributes.get(node.attr, [])
        else:
            place = self.module.place(node, scope)
            bound = self.given.get(place, [])
        if place and bound:
            return self.of(place, bound, depth)
        return Leaves(((module.rpartition(".")[2], tail),)) if module and imported else None


def _parts(node: ast.AST) -> list[ast.expr]:
    """Return the operands of arithmetic, the branches of a choice, and the first elements of a list."""
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.IfExp):
        return [node.body, node.orelse]
    return node.elts[:8] if isinstance(node, (ast.List, ast.Tuple)) else []


def _number(value: object) -> int | float | None:
    """Return the number of a literal such as 5, 5.0 or "5", None for any other."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 40:
        return int(value)
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    return value if value == value and abs(value) < 1e300 else None


def _join(parts: Iterable[Leaves | None]) -> Leaves | None:
    """Return the leaves of several expressions together, None if one has none, or there are too many."""
    found = list(parts)
    joined = Leaves().union(*(part or () for part in found))
    return joined if joined and None not in found and len(joined) <= MOST_NAMES else None
