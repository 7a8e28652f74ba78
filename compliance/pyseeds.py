"""Where Python source fixes a seed: read from its syntax tree, never run.

Two kinds of place come out. A `Fixed` one feeds a constant to a generator whatever happens. A `Possible` one
is a default that may or may not be used (of a parameter, of an argument parser, of an environment variable):
it is a fault only if a run logged that very number.
"""

import ast
import functools
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

DEEPEST = 200  # of an expression that is folded
STEPS = 2000  # of following names, for one seed
STEPS_IN_ALL = 1_000_000
ROUNDS = 6  # of following functions that hand their parameter to a seeding call

# What seeds a generator, by the tail of its dotted name: (names before it that make it so, any if empty).
SEEDING = {
    "manual_seed": (),
    "manual_seed_all": (),
    "set_random_seed": (),
    "set_seed": (),
    "seed_everything": (),
    "default_rng": (),
    "RandomState": (),
    "SeedSequence": (),
    "PCG64": (),
    "Philox": (),
    "PRNGKey": (),
    "initial_seed_": (),
    "seed": ("random", "np", "numpy", "torch", "cupy", "cp", "paddle", "mx", "cuda"),
    "key": ("random", "jax"),
    "Random": ("random",),
}
RANKS = ("rank", "local_rank", "global_rank", "world_rank", "get_rank", "worker_id", "worker", "process_index")
NOT_A_SEED = ("data_seed", "dataset_seed", "hashseed")
LIBRARY = ("random", "numpy", "np", "torch", "tf", "tensorflow", "jax", "cupy", "cp", "mx", "paddle", "accelerate",
           "transformers", "pl", "lightning", "pytorch_lightning", "nr", "npr", "jrandom", "jr")  # fmt: skip


@dataclass(frozen=True)
class Fixed:
    """A constant that is fed to a generator."""

    line: int
    call: str
    seed: str


@dataclass(frozen=True)
class Possible:
    """A constant that becomes the seed unless something else is given."""

    line: int
    what: str
    seed: int


@functools.lru_cache(maxsize=256)
def parse(text: str) -> tuple[ast.Module | None, int, str]:
    """(tree, 1, "") of Python source, or (None, line, why it has none). Nothing is executed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text), 1, ""
    except SyntaxError as error:
        return None, max(1, error.lineno or 1), f"no Python: {error.msg}"
    except (RecursionError, MemoryError):
        return None, 1, "nested too deeply to be looked at"
    except (ValueError, OverflowError) as error:
        return None, 1, f"no Python: {error}"


def seeds(files: dict[str, str]) -> dict[str, list[Fixed | Possible]]:
    """The places, by file. `files` maps names to Python source; constants are followed from module to module."""
    modules = {name: _Module(name, tree) for name, text in files.items() if (tree := parse(text)[0]) is not None}
    shared = _Shared(modules)
    handing: dict[str, int] = {}  # functions that hand a parameter to a generator: name -> its position
    for _ in range(ROUNDS):
        before = dict(handing)
        for module in modules.values():
            for function in module.functions:
                _hands_on(module, function, handing)
        if handing == before:
            break
    return {name: list(_places(module, shared, handing)) for name, module in modules.items()}


class _Module:
    """A module's calls, functions and constants, gathered in one walk."""

    def __init__(self, name: str, tree: ast.Module):
        self.name = name
        self.calls: list[tuple[ast.Call, ast.AST]] = []  # with the function around it
        self.calls_in: dict[ast.AST, list[ast.Call]] = {}
        self.functions: list[ast.AST] = []
        self.everywhere: dict[str, list[ast.AST | None]] = {}
        self.stores: dict[ast.AST, dict[str, list[ast.AST | None]]] = {tree: {}}
        self.tree = tree
        self.aliases: dict[str, str] = {}
        self.imported: set[str] = set()
        self._walk(tree)

    def _walk(self, tree: ast.Module) -> None:
        todo: list[tuple[ast.AST, ast.AST]] = [(tree, tree)]
        while todo:
            node, scope = todo.pop()
            inner = scope
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                inner = node
                self.stores.setdefault(node, {})
                if not isinstance(node, ast.Lambda):
                    self.functions.append(node)
            elif isinstance(node, ast.Call):
                self.calls.append((node, scope))
                self.calls_in.setdefault(scope, []).append(node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    self._store(target, node.value, scope)
            elif isinstance(node, ast.AnnAssign) and node.value is not None:
                self._store(node.target, node.value, scope)
            elif isinstance(node, ast.AugAssign | ast.For | ast.AsyncFor | ast.NamedExpr | ast.comprehension):
                value = node.value if isinstance(node, ast.NamedExpr) else None
                self._store(node.target, value, scope)
            elif isinstance(node, ast.withitem) and node.optional_vars is not None:
                self._store(node.optional_vars, None, scope)
            elif isinstance(node, ast.ImportFrom | ast.Import):
                for alias in node.names:
                    self.aliases[alias.asname or alias.name.split(".")[0]] = alias.name.rpartition(".")[2]
                    if isinstance(node, ast.ImportFrom):
                        self.imported.add(alias.asname or alias.name)
                        self.aliases[alias.asname or alias.name] = f"{node.module or ''}.{alias.name}"
            todo.extend((child, inner) for child in ast.iter_child_nodes(node))

    def _store(self, target: ast.AST, value: ast.AST | None, scope: ast.AST) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            values = value.elts if isinstance(value, ast.Tuple | ast.List) else [None] * len(target.elts)
            if len(values) == len(target.elts):
                for one, of in zip(target.elts, values, strict=True):
                    self._store(one, of, scope)
            return
        name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else None
        if name is not None:
            self.stores[scope].setdefault(name, []).append(value)
            self.everywhere.setdefault(name, []).append(value)


class _Shared:
    """Constants of module level, by name, over all modules: what `from config import SEED` may mean. And how much
    following of names is left: source can be written to take for ever."""

    def __init__(self, modules: dict[str, _Module]):
        self.steps, self.left = 0, STEPS_IN_ALL
        self.names: dict[str, list[tuple[_Module, ast.AST | None]]] = {}
        for module in modules.values():
            for name, values in module.stores[module.tree].items():
                self.names.setdefault(name, []).extend((module, value) for value in values)

    def step(self) -> bool:
        """Whether another step may be taken."""
        self.steps -= 1
        self.left -= 1
        return self.steps >= 0 and self.left >= 0


def _places(module: _Module, shared: _Shared, handing: dict[str, int]) -> Iterator[Fixed | Possible]:
    for call, scope in module.calls:
        argument = _seed_argument(module, call, handing)
        if argument is not None:
            yield from _judge(module, shared, call, scope, argument)
        yield from _parser_default(module, shared, call, scope)
    for function in module.functions:
        yield from _defaults(module, shared, function, handing)


def _judge(
    module: _Module, shared: _Shared, call: ast.Call, scope: ast.AST, argument: ast.AST
) -> Iterator[Fixed | Possible]:
    name = _dotted(call.func) or "a call"
    seed = _constant(module, shared, argument, scope)
    if seed is not None:
        yield Fixed(call.lineno, name, str(seed))
        return
    if _fixed_but_for_rank(module, shared, argument, scope):
        yield Fixed(call.lineno, name, f"{_source(argument)}, fixed but for the rank")
        return
    for node in _expressions(module, argument, scope):
        default = _default_of(node)
        if default is not None and (seed := _constant(module, shared, default, scope)) is not None:
            yield Possible(node.lineno, f"the default in {_source(node)}", seed)


def _seed_argument(module: _Module, call: ast.Call, handing: dict[str, int]) -> ast.AST | None:
    """The expression that a call seeds with, or None where it seeds nothing."""
    dotted = _dotted(call.func)
    tail = dotted.rpartition(".")[2]
    position = 0
    if isinstance(call.func, ast.Name):
        origin = module.aliases.get(tail, tail)
        if not _seeds(origin):
            if tail not in handing and origin.rpartition(".")[2] not in handing:
                return None
            position = handing.get(tail, handing.get(origin.rpartition(".")[2], 0))
    elif not _seeds(dotted, module.aliases):
        if tail not in handing:
            return None
        position = handing[tail]
    for keyword in call.keywords:
        if keyword.arg in ("seed", "entropy", "a", "x", "key"):
            return keyword.value
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    return plain[position] if len(plain) > position else None


def _seeds(dotted: str, aliases: dict[str, str] | None = None) -> bool:
    """Whether a dotted name is a library's seeding call."""
    before, _, tail = dotted.rpartition(".")
    if tail not in SEEDING:
        return False
    owners = SEEDING[tail]
    last = before.rpartition(".")[2]
    real = (aliases or {}).get(last, last).rpartition(".")[2]
    if owners:
        return last in owners or real in owners
    # A bare set_seed() is somebody's own function: followed like any other.
    return bool(before) or tail not in ("set_seed", "seed_everything")


def _hands_on(module: _Module, function: ast.AST, handing: dict[str, int]) -> None:
    """Notes a function that hands one of its parameters to a generator."""
    parameters = [a.arg for a in (*function.args.posonlyargs, *function.args.args) if a.arg not in ("self", "cls")]
    if function.name in SEEDING and function.name not in ("set_seed", "seed_everything"):
        return
    for call in module.calls_in.get(function, []):
        argument = _seed_argument(module, call, handing)
        if argument is None:
            continue
        for node in ast.walk(argument):
            if isinstance(node, ast.Name) and node.id in parameters and not _is_rank(node.id):
                if node.id not in module.stores.get(function, {}):
                    handing.setdefault(function.name, parameters.index(node.id))
                break


def _defaults(module: _Module, shared: _Shared, function: ast.AST, handing: dict[str, int]) -> Iterator[Possible]:
    """The default of the parameter that a function hands to a generator."""
    if function.name not in handing:
        return
    arguments = [*function.args.posonlyargs, *function.args.args]
    bare = [a for a in arguments if a.arg not in ("self", "cls")]
    position = handing[function.name]
    if position >= len(bare):
        return
    index = arguments.index(bare[position]) - (len(arguments) - len(function.args.defaults))
    if index >= 0:
        seed = _constant(module, shared, function.args.defaults[index], module.tree)
        if seed is not None:
            yield Possible(function.lineno, f"the default of {function.name}({bare[position].arg})", seed)


def _parser_default(module: _Module, shared: _Shared, call: ast.Call, scope: ast.AST) -> Iterator[Possible]:
    """add_argument("--seed", default=5), and the like of click."""
    if _dotted(call.func).rpartition(".")[2] not in ("add_argument", "option", "Option", "DEFINE_integer", "Argument"):
        return
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not any(is_seed_name(n) for n in names):
        return
    for keyword in call.keywords:
        if keyword.arg == "default" and (seed := _constant(module, shared, keyword.value, scope)) is not None:
            yield Possible(call.lineno, f"the default of {names[0]}", seed)


def is_seed_name(name: str) -> bool:
    """Whether a name is a training seed's: `seed`, `--seed`, `global_seed`, but not `data_seed`."""
    plain = name.lower().lstrip("-").replace("-", "_")
    return (plain == "seed" or plain.endswith("_seed") or plain.startswith("seed_")) and plain not in NOT_A_SEED


def _constant(module: _Module, shared: _Shared, node: ast.AST, scope: ast.AST, depth: int = DEEPEST) -> int | None:
    """What an expression always is, or None: `_fold` with fresh steps."""
    shared.steps = STEPS
    return _fold(module, shared, node, scope, depth)


def _fold(module: _Module, shared: _Shared, node: ast.AST | None, scope: ast.AST, depth: int) -> int | None:
    """The integer that an expression always is, or None. Names count if all that they are ever set to is the same."""
    if node is None or depth <= 0 or not shared.step():
        return None
    depth -= 1
    if isinstance(node, ast.Constant):
        value = node.value
        if type(value) is float and value.is_integer():
            return int(value)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 40:
            return int(value)
        return value if type(value) is int else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
        inner = _fold(module, shared, node.operand, scope, depth)
        return None if inner is None else -inner if isinstance(node.op, ast.USub) else inner
    if isinstance(node, ast.BinOp):
        return _arithmetic(node.op, *(_fold(module, shared, n, scope, depth) for n in (node.left, node.right)))
    if isinstance(node, ast.IfExp):
        both = [_fold(module, shared, n, scope, depth) for n in (node.body, node.orelse)]
        return both[0] if both[0] is not None and both[1] is not None else None
    if (
        isinstance(node, ast.Call)
        and _dotted(node.func) in ("int", "abs", "np.int64", "np.uint32", "np.int32")
        and node.args
    ):
        return _fold(module, shared, node.args[0], scope, depth)
    if isinstance(node, ast.List | ast.Tuple) and node.elts:
        folded = [_fold(module, shared, n, scope, depth) for n in node.elts[:8]]
        return folded[0] if None not in folded else None
    if isinstance(node, ast.Name | ast.Attribute):
        return _constant_name(module, shared, node, scope, depth)
    return None


def _constant_name(module: _Module, shared: _Shared, node: ast.AST, scope: ast.AST, depth: int) -> int | None:
    values: list[tuple[_Module, ast.AST | None]] = []
    if isinstance(node, ast.Name):
        if node.id in _parameters(scope):
            return None
        own = module.stores.get(scope, {}).get(node.id) or module.stores[module.tree].get(node.id)
        values = [(module, value) for value in own or []]
        if not values and node.id in module.imported:
            values = shared.names.get(module.aliases[node.id].rpartition(".")[2], [])
    else:
        values = [(module, v) for v in module.everywhere.get(node.attr, [])[:51]]
        values = values or shared.names.get(node.attr, [])
    if not values or len(values) > 50:
        return None
    folded = [_fold(of, shared, v, scope if of is module else of.tree, min(depth, 20)) for of, v in values]
    return folded[0] if None not in folded else None


def _arithmetic(op: ast.operator, left: int | None, right: int | None) -> int | None:
    if left is None or right is None or max(abs(left), abs(right)) >= 1 << 128:
        return None
    if isinstance(op, ast.Add):
        return left + right
    if isinstance(op, ast.Sub):
        return left - right
    if isinstance(op, ast.Mult):
        return left * right
    if isinstance(op, ast.BitXor):
        return left ^ right
    if isinstance(op, ast.BitOr):
        return left | right
    if isinstance(op, ast.LShift | ast.Pow) and 0 <= right <= 128:
        return left << right if isinstance(op, ast.LShift) else left**right
    if isinstance(op, ast.Mod | ast.FloorDiv) and right:
        return left % right if isinstance(op, ast.Mod) else left // right
    return None


def _fixed_but_for_rank(module: _Module, shared: _Shared, node: ast.AST, scope: ast.AST) -> bool:
    """42 + rank: every leaf is a constant or tells the rank, and there are both."""
    constant = rank = False
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.BinOp):
            todo += [part.left, part.right]
        elif _is_rank(_dotted(part.func if isinstance(part, ast.Call) else part).rpartition(".")[2]):
            rank = True
        elif _constant(module, shared, part, scope, 50) is not None:
            constant = True
        else:
            return False
    return constant and rank


def _is_rank(name: str) -> bool:
    return name.lower().lstrip("_") in RANKS


def _expressions(module: _Module, node: ast.AST, scope: ast.AST) -> Iterator[ast.AST]:
    """An expression and what its names are set to, nearby."""
    for part in ast.walk(node):
        yield part
        if isinstance(part, ast.Name):
            for value in (module.stores.get(scope, {}).get(part.id) or [])[:10]:
                if value is not None:
                    yield from ast.walk(value)


def _default_of(node: ast.AST) -> ast.AST | None:
    """The default in os.environ.get("SEED", 1), os.getenv("SEED", 1), getattr(args, "seed", 1)."""
    if not isinstance(node, ast.Call):
        return None
    tail = _dotted(node.func).rpartition(".")[2]
    if tail in ("get", "getenv", "pop") and len(node.args) == 2:
        return node.args[1]
    return node.args[2] if tail == "getattr" and len(node.args) == 3 else None


def _parameters(scope: ast.AST) -> set[str]:
    arguments = getattr(scope, "args", None)
    if not isinstance(arguments, ast.arguments):
        return set()
    return {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def _dotted(node: ast.AST) -> str:
    """`a.b.c` of an attribute chain; a call in it counts as its function's name."""
    names: list[str] = []
    for _ in range(50):
        if isinstance(node, ast.Attribute):
            names.append(node.attr)
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            break
    if isinstance(node, ast.Name):
        names.append(node.id)
    return ".".join(reversed(names))


def _source(node: ast.AST) -> str:
    try:
        return ast.unparse(node)[:80]
    except (RecursionError, ValueError):
        return "an expression"
