"""What can be changed of a module, one place of its syntax tree at a time; mutants.py has what for."""

import ast
import copy
import json
from collections.abc import Callable
from dataclasses import dataclass

WIDTH = 120  # characters of a line that is shown
GUARDS = ("frozen", "strict")  # arguments

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
ARITHMETIC = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A module's tree with one change, in a line of its file, and the statement there before and after. `inside`: the
    function or class around it. `late`: only a call of a function evaluates what is changed, not the import."""

    path: str
    line: int
    inside: str
    before: str
    after: str
    tree: ast.Module
    late: bool

    def __str__(self) -> str:
        """As an entry of survivors.yaml, without the reason."""
        lines = [f"in: {self.inside}  # line {self.line}", f"before: {quoted(self.before)}"]
        return "- " + "\n  ".join([*lines, f"after: {quoted(self.after)}"])


def quoted(text: str) -> str:
    """A text in quotes, as YAML and JSON read it."""
    return json.dumps(text, ensure_ascii=False)


def changes(node: ast.AST) -> list[Callable[[ast.AST], object]]:
    """What can be changed at a node: functions that do it to a copy of the node."""
    match node:
        case ast.Compare(ops=ops):
            return [put(ops=[*ops[:i], COMPARISONS[type(op)](), *ops[i + 1 :]]) for i, op in enumerate(ops)]
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in ARITHMETIC:
            return [put(op=ARITHMETIC[type(op)]())]
        case ast.BoolOp(op=op):
            return [put(op=ast.Or() if isinstance(op, ast.And) else ast.And())]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [put(operand=ast.UnaryOp(ast.Not(), operand))]
        case ast.UnaryOp(op=ast.USub()):
            return [put(op=ast.UAdd())]
        case ast.Constant(value=bool(value)):
            return [put(value=not value)]
        case ast.Constant(value=int(value) | float(value)):
            return [put(value=value + 1), put(value=value - 1)]
        case ast.IfExp(body=body, orelse=orelse):
            return [put(body=orelse, orelse=body)]
        case ast.Break() | ast.Continue():
            other = ast.Continue if isinstance(node, ast.Break) else ast.Break
            return [lambda copied: setattr(copied, "__class__", other)]
    return []


def put(**fields: object) -> Callable[[ast.AST], object]:
    """The function that sets fields of a node."""
    return lambda node: vars(node).update(fields)


def skipped(tree: ast.Module) -> set[int]:
    """Nodes, by id(), that are not changed: annotations, what only guards against mistakes in the module itself
    (`frozen=True`, `strict=True`), and constants in capitals, which a test could only repeat."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and all(name.isupper() for name in map(ast.unparse, node.targets)):
            found |= {id(inner) for inner in ast.walk(node.value)}
        if isinstance(node, ast.keyword) and node.arg in GUARDS:
            found.add(id(node.value))
        for name in ("annotation", "returns"):
            if annotation := getattr(node, name, None):
                found |= {id(inner) for inner in ast.walk(annotation)}
    return found


def places(tree: ast.Module) -> list[tuple[int, int]]:
    """Every change of a module: the number of the node, as ast.walk counts, and that of the change there."""
    without = skipped(tree)
    nodes = [(i, node) for i, node in enumerate(ast.walk(tree)) if id(node) not in without]
    return [(i, number) for i, node in nodes for number in range(len(changes(node)))]


def mutant(path: str, tree: ast.Module, index: int, number: int) -> Mutant:
    """The mutant with that change."""
    changed = copy.deepcopy(tree)
    before, after = list(ast.walk(tree)), list(ast.walk(changed))
    parents = {id(child): node for node in before for child in ast.iter_child_nodes(node)}
    statement = before[index]
    while not isinstance(statement, ast.stmt):
        statement = parents[id(statement)]
    twin = after[before.index(statement)]
    changes(before[index])[number](after[index])
    lines = shortened(first_line(statement, before[index]), first_line(twin, after[index]))
    inside, late = around(before[index], parents), in_function(before[index], parents)
    return Mutant(path, before[index].lineno, inside, *lines, changed, late)


def around(node: ast.AST, parents: dict[int, ast.AST]) -> str:
    """The names of the functions and classes around a node, such as `Log.read`; `module` outside of all."""
    names: list[str] = []
    while outer := parents.get(id(node)):
        if isinstance(outer, (ast.FunctionDef, ast.ClassDef)):
            names.insert(0, outer.name)
        node = outer
    return ".".join(names) or "module"


def in_function(node: ast.AST, parents: dict[int, ast.AST]) -> bool:
    """Whether a node is in the body of a function or a lambda."""
    while outer := parents.get(id(node)):
        match outer:
            case ast.FunctionDef(body=body) if any(node is inner for inner in body):
                return True
            case ast.Lambda(body=body) if node is body:
                return True
        node = outer
    return False


def first_line(statement: ast.stmt, at: ast.AST) -> str:
    """The line of a statement's text that has a node: the only one, or the head of a block."""
    lines = ast.unparse(statement).splitlines()
    inner = ast.unparse(at)
    return next((line.strip() for line in lines if inner in line), lines[0].strip())


def shortened(*lines: str) -> list[str]:
    """Two lines, of long ones what is around the first difference."""
    apart = (i for i, pair in enumerate(zip(*lines, strict=False)) if len(set(pair)) > 1)
    start = max(0, next(apart, 0) - WIDTH // 2)
    cut = [line[start:][:WIDTH] for line in lines]
    return [
        f"{'... ' * (start > 0)}{part}{' ...' * (start + WIDTH < len(line))}"
        for part, line in zip(cut, lines, strict=True)
    ]
