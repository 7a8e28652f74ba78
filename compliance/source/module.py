"""Gather the imports, calls, names and assignments of a module of Python in one walk over its syntax tree.

Scopes are numbered: 0 is the module, and each function, lambda and class has its own. A place is (scope, name). An
attribute of the instance, `self.x` in a method, is (the class's scope, ".x"); of anything else it is (FOREIGN, ".x").
"""

import ast
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

DEEPEST = 60  # links of a chain of attributes
LONGEST = 100  # characters of a line that a finding repeats
PARAMETER = "a parameter"  # the value of a function's parameter, and of a class's field that is annotated
IMPORT = "an import"  # the value of an imported name
HARMLESS = {"staticmethod", "classmethod", "property", "dataclass", "no_grad", "inference_mode"}  # decorators
FOREIGN = -1  # the scope of attributes of anything but a method's own instance
Place = tuple[int, str]
Visit = tuple[ast.AST, int, bool, bool]  # a node, its scope, whether it is in a loop, whether in an annotation
Routine = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True)
class Bound:
    """An assignment to a name, up to the line `last`. The value is an expression in `scope`, PARAMETER, IMPORT, or None
    for anything else. `often`: it is in a loop, or comes from another scope."""

    last: int
    value: ast.expr | str | None
    scope: int
    often: bool


@dataclass(frozen=True)
class Function:
    """A function, method, or dataclass (by its fields). `parameters` are without `self`. `strange`: a decorator or base
    class may change the meaning of a call. `arity`: how many arguments each of its calls has, None if that varies."""

    name: str
    scope: int
    parameters: tuple[str, ...]
    strange: bool
    arity: int | None = None


@dataclass
class Module:
    """A module as `gather` returns it. `reads`: names and attributes that are read but not called, one for a chain."""

    imports: dict[str, str] = field(default_factory=dict)  # name -> what it was imported as; "*": module.*
    imported: list[tuple[int, str]] = field(default_factory=list)  # (line, full name)
    modules: set[str] = field(default_factory=set)  # full names after `import`, which are modules for certain
    calls: list[tuple[ast.Call, int]] = field(default_factory=list)
    reads: list[tuple[ast.Name | ast.Attribute, int]] = field(default_factory=list)
    sets: list[tuple[ast.Attribute, int]] = field(default_factory=list)
    literals: list[tuple[int, object, bool]] = field(default_factory=list)  # line, value, whether in arithmetic
    bound: dict[Place, list[Bound]] = field(default_factory=lambda: defaultdict(list))
    functions: list[Function] = field(default_factory=list)
    rebound: set[str] = field(default_factory=set)  # imported names that are also assigned
    above: dict[int, int] = field(default_factory=dict)  # scope -> scope in which its free names are looked up
    classes: dict[int, str] = field(default_factory=dict)  # a class's scope -> its name
    own: dict[int, tuple[str, int]] = field(default_factory=dict)  # a method's scope -> (self, its class's scope)

    def place(self, node: ast.AST, scope: int) -> Place | None:
        """Where a name or an attribute gets its values; None of a name that has none here, and of anything else."""
        if isinstance(node, ast.Attribute):
            name = node.value.id if isinstance(node.value, ast.Name) else None
            while scope and self.own.get(scope, (None,))[0] != name:
                scope = self.above[scope]
            return (self.own[scope][1] if scope and name else FOREIGN), f".{node.attr}"
        if not isinstance(node, ast.Name):
            return None
        while scope and (scope, node.id) not in self.bound:
            scope = self.above[scope]
        return (scope, node.id) if (scope, node.id) in self.bound else None

    def full(self, node: ast.AST) -> tuple[str, bool]:
        """Return (full name, such as `numpy.random.seed` for `np.random.seed`; whether its root was imported).

        `getattr` with a literal counts as an attribute; calls within a chain are skipped.
        """
        names: list[str] = []
        while len(names) < DEEPEST:
            if isinstance(node, ast.Attribute):
                names.append(node.attr)
                node = node.value
            elif isinstance(node, ast.Call):
                literal = literal_name(node)
                names += [literal] if literal else []
                node = node.args[0] if literal else node.func
            else:
                break
        root = node.id if isinstance(node, ast.Name) else ""
        if root in self.imports:
            names.append(self.imports[root])
        elif root:
            star = self.imports.get("*", "") if not names and (0, root) not in self.bound else ""
            names.append(star.removesuffix("*") + root)
            return ".".join(reversed(names)), bool(star)
        return ".".join(reversed(names)), root in self.imports


def quoted(lines: Sequence[str], number: int) -> str:
    """Return a line as a finding repeats it; "" beyond the last one."""
    return lines[number - 1].strip()[:LONGEST] if number <= len(lines) else ""


def literal_name(call: ast.Call) -> str:
    """Return the attribute that `getattr(x, "name")` reads, "" for any other call."""
    if isinstance(call.func, ast.Name) and call.func.id == "getattr" and len(call.args) > 1:
        value = getattr(call.args[1], "value", None) if isinstance(call.args[1], ast.Constant) else None
        return value if isinstance(value, str) else ""
    return ""


def gather(tree: ast.Module) -> Module:
    """Return the module of a syntax tree. Each node is visited once."""
    walk = _Walk()
    todo: list[Visit] = [(tree, 0, False, False)]
    while todo:
        node, scope, loop, typed = todo.pop()
        todo.extend(walk.visit(node, scope, loop, typed))
    times = Counter(name for (_, name), values in walk.module.bound.items() for _ in values)
    walk.module.rebound = {name for name, count in walk.by_import.items() if times[name] > count}
    return walk.module


class _Walk:
    def __init__(self) -> None:
        self.module = Module()
        self.given: dict[int, ast.expr | str] = {}  # the target of an assignment -> its value
        self.ends: dict[int, int] = {}  # ... -> the last line of the statement
        self.inner: set[int] = set()  # what is called, or a part of a longer chain
        self.operands: set[int] = set()
        self.declared: set[int] = set()  # names that are annotated without a value
        self.elsewhere: dict[Place, int] = {}  # names declared global or nonlocal -> their scope
        self.by_import: Counter[str] = Counter()
        self.scopes = 0

    def visit(self, node: ast.AST, scope: int, loop: bool, typed: bool) -> list[Visit]:
        """Record a node. Return what to visit next, in reverse order."""
        module = self.module
        match node:
            case ast.Name() | ast.Attribute():
                self._name(node, scope, loop, typed)
            case ast.Constant():
                module.literals.append((node.lineno, node.value, id(node) in self.operands))
                return []
            case ast.BinOp():
                self.operands |= {id(node.left), id(node.right)}
            case ast.Call():
                module.calls.append((node, scope))
                self.inner.add(id(node.func))
            case ast.Assign():
                self._assigned(node.targets, node.value, node)
            case ast.AnnAssign():
                default = node.value and scope in module.classes
                self._assigned([node.target], PARAMETER if default else node.value, node)
            case ast.NamedExpr():
                self._assigned([node.target], node.value, node)
            case ast.For() | ast.AsyncFor() | ast.comprehension():
                self._assigned([node.target], node.iter, node.iter)
            case ast.Import() | ast.ImportFrom():
                self._import(node, scope, loop)
            case ast.Global() | ast.Nonlocal():
                outer = 0 if isinstance(node, ast.Global) else module.above.get(scope, 0)
                self.elsewhere.update({(scope, name): outer for name in node.names})
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.Lambda():
                return self._definition(node, scope, loop)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                self._bind((scope, name), node.lineno, None, scope, True)
        loop = loop or isinstance(node, (ast.For, ast.AsyncFor, ast.While, ast.comprehension))
        return [(n, scope, loop, typed or n is getattr(node, "annotation", None)) for n in _children(node)]

    def _name(self, node: ast.Name | ast.Attribute, scope: int, loop: bool, typed: bool) -> None:
        if isinstance(node, ast.Attribute):
            self.inner.add(id(node.value))
        if type(node.ctx) is ast.Load:
            if id(node) not in self.inner and not typed:
                self.module.reads.append((node, scope))
            return
        if id(node) in self.declared:
            return
        place = self.module.place(node, scope) if isinstance(node, ast.Attribute) else (scope, node.id)
        if place in self.elsewhere:
            place, loop = (self.elsewhere[place], place[1]), True
        if isinstance(node, ast.Attribute):
            self.module.sets.append((node, scope))
        if place:
            self._bind(place, self.ends.get(id(node), node.lineno), self.given.get(id(node)), scope, loop)

    def _bind(self, place: Place, last: int, value: ast.expr | str | None, scope: int, often: bool) -> None:
        self.module.bound[place].append(Bound(last, value, scope, often))

    def _assigned(self, targets: Sequence[ast.expr], value: ast.expr | str | None, node: ast.stmt | ast.expr) -> None:
        if value is None:
            self.declared.update(map(id, targets))
            return
        for target in targets:  # of `a, b = f()` each one is given what f returns
            for part in (target, *getattr(target, "elts", ())):
                self.ends[id(part)], self.given[id(part)] = node.end_lineno or node.lineno, value

    def _import(self, node: ast.Import | ast.ImportFrom, scope: int, loop: bool) -> None:
        base = ""
        if isinstance(node, ast.ImportFrom):
            base = "." * node.level + (f"{node.module}." if node.module else "")
        for alias in node.names:
            full = base + alias.name
            self.module.imported.append((node.lineno, full))
            if not base:
                parts = full.split(".")
                self.module.modules |= {".".join(parts[:depth]) for depth in range(1, len(parts) + 1)}
            name = alias.asname or (alias.name if base else alias.name.partition(".")[0])
            self.module.imports[name] = full if alias.asname or base else name
            self._bind((scope, name), node.lineno, IMPORT, scope, loop)
            self.by_import[name] += 1

    def _definition(self, node: Routine | ast.ClassDef, scope: int, loop: bool) -> list[Visit]:
        module = self.module
        self.scopes += 1
        inner = self.scopes
        module.above[inner] = module.above[scope] if scope in module.classes else scope
        if not isinstance(node, ast.Lambda):
            self._bind((scope, node.name), node.lineno, None, scope, loop)
        names = {module.full(d)[0].rpartition(".")[2] for d in getattr(node, "decorator_list", [])}
        if isinstance(node, ast.ClassDef):
            module.classes[inner] = node.name
            self._fields(node, inner, names)
        else:
            self._parameters(node, inner, scope, names)
        typed = getattr(node, "returns", None)
        return [(n, inner, False, n is typed) for n in _children(node)]

    def _parameters(self, node: Routine, inner: int, scope: int, decorators: set[str]) -> None:
        arguments, home, line = node.args, self.module.classes.get(scope), node.lineno
        named = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
        method = home is not None and "staticmethod" not in decorators
        if method and named:
            if "classmethod" not in decorators:
                self.module.own[inner] = named[0], scope
            self._bind((inner, named.pop(0)), line, None, inner, True)
        parameters = (*named, *(a.arg for a in arguments.kwonlyargs))
        for name in parameters:
            self._bind((inner, name), line, PARAMETER, inner, False)
        for extra in (arguments.vararg, arguments.kwarg):
            if extra:
                self._bind((inner, extra.arg), line, None, inner, True)
        name = getattr(node, "name", "")
        called = home if home and method and name == "__init__" else name
        varies = home is not None or arguments.vararg or arguments.kwarg or arguments.defaults
        arity = None if varies or any(arguments.kw_defaults) else len(parameters)
        self.module.functions.append(Function(called, inner, parameters, bool(decorators - HARMLESS), arity))

    def _fields(self, node: ast.ClassDef, inner: int, decorators: set[str]) -> None:
        """Record the fields of a dataclass as the parameters of its constructor."""
        if "dataclass" not in decorators:
            return
        names = []
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                names.append(f".{statement.target.id}")
                self._bind((inner, names[-1]), statement.lineno, PARAMETER, inner, False)
        strange = bool(decorators - HARMLESS) or bool(node.bases)  # a base's fields come first
        self.module.functions.append(Function(node.name, inner, tuple(names), strange))


def _children(node: ast.AST) -> list[ast.AST]:
    """Return the child nodes in reverse order, without those that have no fields (contexts, operators)."""
    return [child for child in ast.iter_child_nodes(node) if child._fields][::-1]
