"""Where Python source fixes a seed: read from its syntax tree, never run.

Two kinds of place come out. A `Fixed` one feeds a constant to a generator whatever happens. A `Possible` one
is a default that may or may not be used (of a parameter, of an argument parser, of an environment variable):
it is a fault only if a run logged that very number.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from compliance.pyfold import Module, Shared, constant, dotted, parse

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


def seeds(files: dict[str, str]) -> dict[str, list[Fixed | Possible]]:
    """The places, by file. `files` maps names to Python source; constants are followed from module to module."""
    modules = {name: Module(name, tree) for name, text in files.items() if (tree := parse(text)[0]) is not None}
    shared = Shared(modules)
    handing: dict[str, int] = {}  # functions that hand a parameter to a generator: name -> its position
    for _ in range(ROUNDS):
        before = dict(handing)
        for module in modules.values():
            for function in module.functions:
                _hands_on(module, function, handing)
        if handing == before:
            break
    return {name: list(_places(module, shared, handing)) for name, module in modules.items()}


def _places(module: Module, shared: Shared, handing: dict[str, int]) -> Iterator[Fixed | Possible]:
    for call, scope in module.calls:
        argument = _seed_argument(module, call, handing)
        if argument is not None:
            yield from _judge(module, shared, call, scope, argument)
        yield from _parser_default(module, shared, call, scope)
    for function in module.functions:
        yield from _defaults(module, shared, function, handing)


def _judge(
    module: Module, shared: Shared, call: ast.Call, scope: ast.AST, argument: ast.AST
) -> Iterator[Fixed | Possible]:
    name = dotted(call.func) or "a call"
    seed = constant(module, shared, argument, scope)
    if seed is not None:
        yield Fixed(call.lineno, name, str(seed))
        return
    if _fixed_but_for_rank(module, shared, argument, scope):
        yield Fixed(call.lineno, name, f"{_source(argument)}, fixed but for the rank")
        return
    for node in _expressions(module, argument, scope):
        default = _default_of(node)
        if default is not None and (seed := constant(module, shared, default, scope)) is not None:
            yield Possible(node.lineno, f"the default in {_source(node)}", seed)


def _seed_argument(module: Module, call: ast.Call, handing: dict[str, int]) -> ast.AST | None:
    """The expression that a call seeds with, or None where it seeds nothing."""
    name = dotted(call.func)
    tail = name.rpartition(".")[2]
    position = 0
    if isinstance(call.func, ast.Name):
        origin = module.aliases.get(tail, tail)
        if not _seeds(origin):
            if tail not in handing and origin.rpartition(".")[2] not in handing:
                return None
            position = handing.get(tail, handing.get(origin.rpartition(".")[2], 0))
    elif not _seeds(name, module.aliases):
        if tail not in handing:
            return None
        position = handing[tail]
    for keyword in call.keywords:
        if keyword.arg in ("seed", "entropy", "a", "x", "key"):
            return keyword.value
    plain = [a for a in call.args if not isinstance(a, ast.Starred)]
    return plain[position] if len(plain) > position else None


def _seeds(name: str, aliases: dict[str, str] | None = None) -> bool:
    """Whether a dotted name is a library's seeding call."""
    before, _, tail = name.rpartition(".")
    if tail not in SEEDING:
        return False
    owners = SEEDING[tail]
    last = before.rpartition(".")[2]
    real = (aliases or {}).get(last, last).rpartition(".")[2]
    if owners:
        return last in owners or real in owners
    # A bare set_seed() is somebody's own function: followed like any other.
    return bool(before) or tail not in ("set_seed", "seed_everything")


def _hands_on(module: Module, function: ast.AST, handing: dict[str, int]) -> None:
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


def _defaults(module: Module, shared: Shared, function: ast.AST, handing: dict[str, int]) -> Iterator[Possible]:
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
        seed = constant(module, shared, function.args.defaults[index], module.tree)
        if seed is not None:
            yield Possible(function.lineno, f"the default of {function.name}({bare[position].arg})", seed)


def _parser_default(module: Module, shared: Shared, call: ast.Call, scope: ast.AST) -> Iterator[Possible]:
    """add_argument("--seed", default=5), and the like of click."""
    if dotted(call.func).rpartition(".")[2] not in ("add_argument", "option", "Option", "DEFINE_integer", "Argument"):
        return
    names = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if not any(is_seed_name(n) for n in names):
        return
    for keyword in call.keywords:
        if keyword.arg == "default" and (seed := constant(module, shared, keyword.value, scope)) is not None:
            yield Possible(call.lineno, f"the default of {names[0]}", seed)


def is_seed_name(name: str) -> bool:
    """Whether a name is a training seed's: `seed`, `--seed`, `global_seed`, but not `data_seed`."""
    plain = name.lower().lstrip("-").replace("-", "_")
    return (plain == "seed" or plain.endswith("_seed") or plain.startswith("seed_")) and plain not in NOT_A_SEED


def _fixed_but_for_rank(module: Module, shared: Shared, node: ast.AST, scope: ast.AST) -> bool:
    """42 + rank: every leaf is a constant or tells the rank, and there are both."""
    fixed = rank = False
    todo = [node]
    while todo:
        part = todo.pop()
        if isinstance(part, ast.BinOp):
            todo += [part.left, part.right]
        elif _is_rank(dotted(part.func if isinstance(part, ast.Call) else part).rpartition(".")[2]):
            rank = True
        elif constant(module, shared, part, scope, 50) is not None:
            fixed = True
        else:
            return False
    return fixed and rank


def _is_rank(name: str) -> bool:
    return name.lower().lstrip("_") in RANKS


def _expressions(module: Module, node: ast.AST, scope: ast.AST) -> Iterator[ast.AST]:
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
    tail = dotted(node.func).rpartition(".")[2]
    if tail in ("get", "getenv", "pop") and len(node.args) == 2:
        return node.args[1]
    return node.args[2] if tail == "getattr" and len(node.args) == 3 else None


def _source(node: ast.AST) -> str:
    try:
        return ast.unparse(node)[:80]
    except (RecursionError, ValueError):
        return "an expression"
