import hashlib
import random

import pytest

from benchmark.hosts import LONGEST, folded, numbered, short
from compliance.reading.devices import expanded, same

SHORT = [
    ([], []),
    (["login", "n1"], ["login", "n1"]),
    (["n2", "n1", "n4"], ["n[1-2]", "n4"]),
    (["n09", "n10", "n11"], ["n[09-11]"]),
    (["n9", "n10"], ["n[9-10]"]),
    (["n9", "n09", "n10"], ["n9", "n[09-10]"]),
    (["n08", "n9"], ["n9", "n08"]),
    (["a1", "b2", "a2", "b3"], ["a[1-2]", "b[2-3]"]),
    (["7", "8"], ["[7-8]"]),
    (["n1.site2.org", "n2.site2.org", "n3.site3.org"], ["n[1-2].site2.org", "n3.site3.org"]),
    (["x1c0b1n0", "x1c0b1n1", "x1c0b2n0"], ["x1c0b1n[0-1]", "x1c0b2n0"]),
    (["n9999999999"], ["n9999999999"]),  # of ten digits
    (["n999999999", "n1000000000"], ["n1000000000", "n999999999"]),
]


@pytest.mark.parametrize(("names", "short"), SHORT)
def test_there_and_back(names, short):
    assert folded(names) == short and sorted(expanded(short)) == sorted(names)


def test_names_in_short_up_to_the_limit_and_then_numbers():
    letters = str.maketrans("0123456789", "ghijklmnop")
    longer = [f"{n:0{LONGEST // 1024}x}z".translate(letters) for n in range(1024)]  # each by a letter
    names = [name[1:] for name in longer]
    assert short([names[:500], names[500:]]) == [sorted(names[:500]), sorted(names[500:])]
    ((text,),) = short([[*names[1:], longer[0]]])
    assert text.startswith("sha256-") and text.endswith("-[1-1024]")
    names = [f"{random.Random(n).getrandbits(512):0128x}z" for n in range(1500)]
    digest = hashlib.sha256("".join(f"{name}\n" for name in sorted(names)).encode()).hexdigest()
    groups = [names[:1000], names[1000:], names[:10]]
    assert short(groups) == [[f"sha256-{digest}-[{part}]"] for part in ("1-1000", "1001-1500", "1-10")]


def test_the_same_hosts():
    names = {"a", "b", "c"}
    other = set(numbered({"a", "b", "d"}).values())
    told = set(numbered(sorted(names)).values())
    assert set(numbered(sorted(names, reverse=True)).values()) == told
    assert same(names, names) and same(names, told) and same(told, names) and same(told, set(told))
    assert not same(names, {"a", "b"}) and not same(names, other) and not same(told, other)
    assert not same(told - {min(told)}, names)
