"""Python source as a syntax tree, and what its names always are: constants followed through assignments, classes
and modules, never run. Source of strangers may be written to take for ever, so that every step is counted."""

import ast
import functools
import warnings

DEEPEST = 200  # of an expression that is folded
STEPS = 2000  # of following names, for one seed
STEPS_IN_ALL = 1_000_000
CASTS = ("int", "abs", "np.int64", "np.uint32", "np.int32")


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


class Module:
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


class Shared:
    """Constants of module level, by name, over all modules: what `from config import SEED` may mean. And how much
    following of names is left: source can be written to take for ever."""

    def __init__(self, modules: dict[str, Module]):
        self.steps, self.left = 0, STEPS_IN_ALL
        self.names: dict[str, list[tuple[Module, ast.AST | None]]] = {}
        for module in modules.values():
            for name, values in module.stores[module.tree].items():
                self.names.setdefault(name, []).extend((module, value) for value in values)

    def step(self) -> bool:
        """Whether another step may be taken."""
        self.steps -= 1
        self.left -= 1
        return self.steps >= 0 and self.left >= 0


def constant(module: Module, shared: Shared, node: ast.AST, scope: ast.AST, depth: int = DEEPEST) -> int | None:
    """What an expression always is, or None: `_fold` with fresh steps."""
    shared.steps = STEPS
    return _fold(module, shared, node, scope, depth)


def _fold(module: Module, shared: Shared, node: ast.AST | None, scope: ast.AST, depth: int) -> int | None:
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
        and dotted(node.func) in ("int", "abs", "np.int64", "np.uint32", "np.int32")
        and node.args
    ):
        return _fold(module, shared, node.args[0], scope, depth)
    if isinstance(node, ast.List | ast.Tuple) and node.elts:
        folded = [_fold(module, shared, n, scope, depth) for n in node.elts[:8]]
        return folded[0] if None not in folded else None
    if isinstance(node, ast.Name | ast.Attribute):
        return _constant_name(module, shared, node, scope, depth)
    return None


def _constant_name(module: Module, shared: Shared, node: ast.AST, scope: ast.AST, depth: int) -> int | None:
    values: list[tuple[Module, ast.AST | None]] = []
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


def _parameters(scope: ast.AST) -> set[str]:
    arguments = getattr(scope, "args", None)
    if not isinstance(arguments, ast.arguments):
        return set()
    return {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}


def dotted(node: ast.AST) -> str:
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
