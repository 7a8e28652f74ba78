"""A module gathered in one walk: full names, where names get their values, what can be called with what."""

import ast

import pytest

from compliance.source.module import FOREIGN, IMPORT, PARAMETER, gather


def made(text):
    return gather(ast.parse(text))


@pytest.mark.parametrize(
    ("text", "full"),
    [
        ("import a.b\na.b.c()", ("a.b.c", True)),
        ("import a.b as c\nc.d()", ("a.b.d", True)),
        ("from ..a import b\nb()", ("..a.b", True)),
        ("from a.b import *\nc()", ("a.b.c", True)),
        ("from a.b import *\ndef c(): pass\nc()", ("c", False)),
        ("a.b.c()", ("a.b.c", False)),
        ("import torch\ntorch.Generator().manual_seed(1)", ("torch.Generator.manual_seed", True)),
        ("import os\ngetattr(os, 'system')('date')", ("os.system", True)),
        ("'a'.join([])", ("join", False)),
    ],
)
def test_full_names(text, full):
    module = made(text)
    assert full in [module.full(call.func) for call, _ in module.calls]


def test_chains_without_end_are_cut():
    module = made("a" + ".b" * 500)
    assert len(module.full(module.reads[0][0])[0]) < 200


def test_reads_are_topmost_and_not_called():
    module = made("f(a.b, g)\nh = k.l.m\nx: T = y\n@d\ndef w(p: Q) -> R: pass\n")
    assert sorted(module.full(node)[0] for node, _ in module.reads) == ["a.b", "d", "g", "k.l.m", "y"]


def bound(text, name):
    """[(last line, what, often)] of a name's values, in any scope."""
    found = [b for (_, known), values in made(text).bound.items() if known == name for b in values]
    return [(b.last, type(b.value).__name__ if isinstance(b.value, ast.AST) else b.value, b.often) for b in found]


@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        ((1, "Constant", False), ["s = 1", "s: int = 1", "(s := 1)"]),
        ((2, "Constant", False), ["s = (\n 1)\n"]),
        ((2, "Constant", False), ["class C:\n s = 1"]),
        ((2, "Constant", True), ["for i in a:\n s = 1", "while 1:\n s = 1"]),
        ((3, "Constant", True), ["def f():\n global s\n s = 1"]),
        ((1, "Call", False), ["s, t = f()"]),
        ((1, "Name", True), ["for s in a: pass", "[s for s in a]"]),
        ((1, IMPORT, False), ["import s", "from a import b as s"]),
        ((1, PARAMETER, False), ["def f(s): pass", "def f(*, s): pass", "lambda s: 1"]),
        ((2, PARAMETER, False), ["class C:\n s: int = 1"]),
        ((1, None, False), ["s += 1", "with a as s: pass", "def s(): pass", "del s"]),
        ((1, None, True), ["def f(*s): pass"]),
        ((2, None, True), ["try: pass\nexcept E as s: pass", "match a:\n case [*s]: pass"]),
        (None, ["s: int", "class C:\n s: int"]),
    ],
)
def test_values_of_a_name(wanted, texts):
    assert [bound(text, "s") for text in texts] == [[wanted] if wanted else []] * len(texts)


def test_attributes_of_the_instance_have_a_place():
    module = made("class C:\n def f(self):\n  self.x = 1\n  other.x = 2\n def g(me):\n  return me.x\n")
    read, scope = module.reads[-1]
    place = module.place(read, scope)
    assert place[0] > 0 and place[1] == ".x"
    assert [module.place(node, scope) for node, scope in module.sets] == [place, (FOREIGN, ".x")]
    assert {p for p in module.bound if p[1] == ".x"} == {place, (FOREIGN, ".x")}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def f(a, b=1, *, c): pass", ("f", ("a", "b", "c"), False)),
        ("class C:\n def f(self, a): pass", ("f", ("a",), False)),
        ("class C:\n def __init__(self, a): pass", ("C", ("a",), False)),
        ("class C:\n @classmethod\n def f(cls, a): pass", ("f", ("a",), False)),
        ("@dataclass(frozen=True)\nclass C:\n a: int\n b: int = 1", ("C", (".a", ".b"), False)),
        ("@dataclass\nclass C(B):\n a: int", ("C", (".a",), True)),
    ],
)
def test_what_can_be_called(text, wanted):
    (function,) = made(text).functions
    assert (function.name, function.parameters, function.strange) == wanted
